//! The promises of Autohand's wire, as far as it is spoken.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{End, Line, Sent, must};

/// What a reader of one connection knows.
#[derive(Debug, Default)]
pub struct Autohand {
    pub sent: Sent,
    time: String,
    greeted: bool,
    turn: Option<Turn>,
    calls: BTreeSet<String>,
    end_reason: Option<String>,
}

/// From the response to a prompt to `turn_end`.
#[derive(Debug, Default)]
struct Turn {
    started: bool,
    aborted: bool,
    message: Option<String>,
    calls: BTreeMap<String, Call>,
    requests: Vec<String>,
    questions: Vec<String>,
    last: String,
}

#[derive(Debug, Default)]
struct Call {
    started: bool,
    ended: bool,
}

impl Autohand {
    pub fn is_running(&self) -> bool {
        self.turn.is_some()
    }

    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        let turn = self.turn.as_ref();
        turn.map(|turn| (turn.requests.clone(), turn.questions.clone()))
            .unwrap_or_default()
    }

    pub fn line(&mut self, line: &Line) -> Result<(), String> {
        let json = &line.json;
        let kind = json["type"].as_str().unwrap_or_default();
        must(self.end_reason.is_none(), || {
            "a line after `agent_end`".to_owned()
        })?;
        must(self.greeted == (kind != "agent_start"), || {
            "`agent_start` comes first, and once".to_owned()
        })?;
        if kind == "response" {
            return self.response(json);
        }
        let time = json["timestamp"].as_str().unwrap_or_default();
        must(!time.is_empty() && *time >= *self.time, || {
            "no `timestamp`, or it goes back".to_owned()
        })?;
        self.time = time.to_owned();
        must(json["data"].is_object(), || "no `data`".to_owned())?;
        match kind {
            "agent_start" => self.greeted = true,
            "agent_end" => {
                must(self.turn.is_none(), || {
                    "`agent_end` within a turn".to_owned()
                })?;
                let reason = json["data"]["reason"].as_str();
                self.end_reason = reason.map(str::to_owned);
            }
            _ => {
                let Some(turn) = &mut self.turn else {
                    return Err(format!("`{kind}` outside a turn"));
                };
                if turn.event(kind, &json["data"], &mut self.calls)? {
                    self.turn = None;
                }
            }
        }
        Ok(())
    }

    fn response(&mut self, json: &Value) -> Result<(), String> {
        let command = self.sent.answered(json)?;
        let success = json["success"] == true;
        must(success == json.get("error").is_none(), || {
            "`error` stands exactly where `success` is false".to_owned()
        })?;
        let name = json["command"].as_str().unwrap_or_default();
        let error = json["error"].as_str().unwrap_or_default();
        match (name, success) {
            ("prompt", true) => {
                must(self.turn.is_none(), || "two turns at once".to_owned())?;
                self.turn = Some(Turn::default());
            }
            ("prompt", false) if error.contains("already processing") => {
                must(self.turn.is_some(), || {
                    "no turn runs, yet a prompt is refused for it".to_owned()
                })?;
            }
            ("abort", _) => {
                must(success, || "an abort is refused".to_owned())?;
                if let Some(turn) = &mut self.turn {
                    turn.aborted = true;
                }
            }
            ("reset", true) => must(self.turn.is_none(), || {
                "a reset is answered before the turn has ended".to_owned()
            })?,
            ("permission_response", true) => {
                let request = command.as_ref().and_then(|it| it["requestId"].as_str());
                let (requests, _) = self.waiting();
                let waits = request.is_none_or(|it| requests.iter().any(|known| known == it));
                must(waits, || format!("{request:?} does not wait"))?;
            }
            ("get_state", true) => {
                let data = &json["data"];
                must(data["isProcessing"] == self.turn.is_some(), || {
                    "`isProcessing` is wrong".to_owned()
                })?;
                let (requests, questions) = self.waiting();
                must(data["pendingRequests"] == Value::from(requests), || {
                    "`pendingRequests` is wrong".to_owned()
                })?;
                must(data["pendingQuestions"] == Value::from(questions), || {
                    "`pendingQuestions` is wrong".to_owned()
                })?;
            }
            _ => (),
        }
        Ok(())
    }

    pub fn end(&mut self, end: End) -> Result<(), String> {
        let End::Exit(code) = end else {
            return Ok(());
        };
        if code == 1 || code == 2 {
            return Ok(());
        }
        // An end of input within a turn aborts it, and the process ends well.
        let reasons: &[&str] = match code {
            0 => &["completed", "aborted"],
            _ => &["aborted"],
        };
        let told = self.end_reason.as_deref();
        must(told.is_some_and(|told| reasons.contains(&told)), || {
            format!("exit code {code}, but `agent_end` is {:?}", self.end_reason)
        })?;
        match code {
            0 => self.sent.all_answered(),
            _ => Ok(()),
        }
    }
}

impl Turn {
    /// Takes an event; true when it ends the turn.
    fn event(
        &mut self,
        kind: &str,
        data: &Value,
        calls: &mut BTreeSet<String>,
    ) -> Result<bool, String> {
        must(self.started == (kind != "turn_start"), || {
            "`turn_start` comes first, and once".to_owned()
        })?;
        let begins = [
            "message_start",
            "message_update",
            "permission_request",
            "question",
        ];
        must(!self.aborted || !begins.contains(&kind), || {
            format!("`{kind}` after an abort was answered")
        })?;
        let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        match kind {
            "turn_start" => self.started = true,
            "message_start" => {
                must(self.message.is_none(), || {
                    "a message within another".to_owned()
                })?;
                self.message = Some(String::new());
            }
            "message_update" => match &mut self.message {
                Some(message) => message.push_str(&text("delta")),
                None => return Err("a piece outside a message".to_owned()),
            },
            "message_end" => {
                let message = self.message.take();
                must(message.as_deref() == data["content"].as_str(), || {
                    format!("its pieces are {message:?}")
                })?;
            }
            "permission_request" => {
                let id = text("requestId");
                must(calls.insert(format!("{id} asked")), || {
                    format!("{id} is asked about twice")
                })?;
                self.requests.push(id);
            }
            "permission_resolved" => close(&mut self.requests, &text("requestId"))?,
            "question" => self.questions.push(text("requestId")),
            "question_resolved" => close(&mut self.questions, &text("requestId"))?,
            "tool_execution_start" => {
                let id = text("toolCallId");
                must(calls.insert(id.clone()), || format!("{id} starts twice"))?;
                self.calls.entry(id).or_default().started = true;
            }
            "tool_execution_update" | "tool_execution_end" => {
                let id = text("toolCallId");
                let open = self.requests.contains(&id) || self.questions.contains(&id);
                let call = self.calls.entry(id.clone()).or_default();
                must(call.started && !call.ended && !open, || {
                    format!("{id} is not running")
                })?;
                call.ended = kind == "tool_execution_end";
            }
            "file_change" | "retry" | "notice" | "error" => (),
            "turn_end" => {
                must(self.message.is_none(), || "a message is open".to_owned())?;
                let all_ended = self.calls.values().all(|call| call.ended);
                must(all_ended, || "a call is open".to_owned())?;
                let waits = !self.requests.is_empty() || !self.questions.is_empty();
                must(!waits, || "a request is open".to_owned())?;
                let reason = text("reason");
                must((reason == "completed") == (data["success"] == true), || {
                    format!("`success` of a turn that is {reason}")
                })?;
                must(!self.aborted || reason == "aborted", || {
                    format!("`reason` is {reason} after an abort")
                })?;
                must(reason != "error" || self.last == "error", || {
                    "no `error` before it".to_owned()
                })?;
                return Ok(true);
            }
            _ => return Err(format!("an event `{kind}`, which nobody knows")),
        }
        self.last = kind.to_owned();
        Ok(false)
    }
}

fn close(open: &mut Vec<String>, id: &str) -> Result<(), String> {
    let at = open.iter().position(|it| it == id);
    must(at.is_some(), || format!("{id} is not open"))?;
    open.remove(at.unwrap_or_default());
    Ok(())
}

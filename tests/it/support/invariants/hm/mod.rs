//! The promises of hm's wire.

mod agents;
mod batch;
mod queue;
mod tally;
mod turn;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{End, Line, Sent, must};
use agents::Agents;
use queue::Queue;
use tally::{Tally, Usage};
use turn::Turn;

/// What a reader of one connection knows.
#[derive(Debug, Default)]
pub struct Hm {
    pub sent: Sent,
    session: Option<String>,
    time: String,
    turn: Option<Turn>,
    agents: Agents,
    queue: Queue,
    tally: Tally,
    /// Every call id that was ever told.
    calls: BTreeSet<String>,
    /// The last entry id that was told.
    entry: u64,
    /// Between `compaction_start` and `compaction_end`.
    compacting: bool,
    exit_code: Option<i64>,
}

impl Hm {
    pub fn is_running(&self) -> bool {
        self.turn.is_some()
    }

    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        let own = self.turn.as_ref().map(Turn::waiting).unwrap_or_default();
        let agents = self.agents.waiting();
        ([own.0, agents.0].concat(), [own.1, agents.1].concat())
    }

    pub fn was_queued(&mut self, source: &str, text: &str) {
        match source {
            "steer" => self.queue.steers.push_back(text.to_owned()),
            _ => self.queue.follow_ups.push_back(text.to_owned()),
        }
    }

    pub fn line(&mut self, line: &Line) -> Result<(), String> {
        self.header(line)?;
        let json = &line.json;
        let kind = json["type"].as_str().unwrap_or_default();
        if json.get("parent").is_some() {
            return self.agents.line(json, &mut self.tally, &mut self.calls);
        }
        match kind {
            "agent_start" | "agent_end" => {
                let session = json["session"].as_str().unwrap_or_default();
                self.agents.begins_or_ends(session, json)
            }
            "session_start" => Ok(()),
            "session_end" => self.session_end(json),
            "response" => self.response(json),
            "compaction_start" | "compaction_end" => self.compaction(kind, json),
            "error" if self.compacting => Ok(()),
            // What people should know may come at any time.
            "notice" => Ok(()),
            "usage" if self.compacting => {
                let usage = Usage::read(json);
                if let Some(turn) = &mut self.turn {
                    turn.summing_used(usage);
                }
                self.tally.usage.add(usage);
                Ok(())
            }
            _ => {
                self.entry(json)?;
                if self.turn.is_none() && json["source"] == "agent" {
                    // What came of work in the background starts a turn.
                    self.turn = Some(Turn::new(None));
                }
                let Some(turn) = &mut self.turn else {
                    return Err(format!("`{kind}` outside a turn"));
                };
                if turn.event(
                    kind,
                    json,
                    &mut self.queue,
                    &mut self.tally,
                    &mut self.calls,
                )? {
                    self.turn = None;
                }
                Ok(())
            }
        }
    }

    /// Outside of turns or between two steps, one at a time; its summary is an
    /// entry.
    fn compaction(&mut self, kind: &str, json: &Value) -> Result<(), String> {
        let starts = kind == "compaction_start";
        must(self.compacting != starts, || {
            format!("`{kind}` out of order")
        })?;
        if let Some(turn) = &mut self.turn {
            turn.compaction(starts)?;
        }
        self.compacting = starts;
        must(starts || json["ok"] == json["id"].is_string(), || {
            "a compaction names its entry when it is ok".to_owned()
        })?;
        self.entry(json)
    }

    /// `v`, `type`, `session`, `time`, in this order; one session, or
    /// its fork from there on; time never goes back; `session_start` first, `session_end` last.
    fn header(&mut self, line: &Line) -> Result<(), String> {
        let json = &line.json;
        let names: Vec<&String> = json
            .as_object()
            .into_iter()
            .flatten()
            .map(|it| it.0)
            .collect();
        must(
            names.starts_with(&[
                &"v".into(),
                &"type".into(),
                &"session".into(),
                &"time".into(),
            ]),
            || "the header is not `v`, `type`, `session`, `time`".to_owned(),
        )?;
        must(json["v"] == 1, || "`v` is not 1".to_owned())?;
        must(self.exit_code.is_none(), || {
            "a line after `session_end`".to_owned()
        })?;
        let session = json["session"].as_str().unwrap_or_default();
        match &self.session {
            None => {
                must(json["type"] == "session_start", || {
                    "the first line is not `session_start`".to_owned()
                })?;
                self.session = Some(session.to_owned());
            }
            Some(known) if json["type"] == "session_start" => {
                must(json["fork_of"] == known.as_str(), || {
                    "a second `session_start`, and not of a fork".to_owned()
                })?;
                must(self.turn.is_none() && session != known, || {
                    "a fork within a turn, or of the same name".to_owned()
                })?;
                let entry = json["entry"].as_str().and_then(|it| it.parse().ok());
                self.entry = entry.unwrap_or(0);
                self.session = Some(session.to_owned());
            }
            // A line of a sub-agent, which is judged by itself.
            Some(_) if json.get("parent").is_some() => (),
            Some(known) => {
                must(session == known, || format!("another session than {known}"))?;
            }
        }
        let time = json["time"].as_str().unwrap_or_default();
        let is_time = time.len() == "2026-11-06T09:15:00.000Z".len() && time.ends_with('Z');
        must(is_time, || format!("`time` is {time:?}"))?;
        must(*time >= *self.time, || "time goes back".to_owned())?;
        self.time = time.to_owned();
        Ok(())
    }

    /// Entries are named in order.
    fn entry(&mut self, json: &Value) -> Result<(), String> {
        let Some(id) = json["id"].as_str() else {
            return Ok(());
        };
        let number: u64 = id.parse().map_err(|_| format!("an entry is named {id}"))?;
        let starts = json["type"] == "message_start" || json["role"] != "assistant";
        let fits = if starts {
            number > self.entry
        } else {
            number == self.entry
        };
        must(fits, || {
            format!("entry {number} comes after entry {}", self.entry)
        })?;
        self.entry = number;
        Ok(())
    }

    fn response(&mut self, json: &Value) -> Result<(), String> {
        let command = self.sent.answered(json)?;
        let ok = json["ok"] == true;
        must(ok == json.get("error").is_none(), || {
            "`error` stands exactly where `ok` is false".to_owned()
        })?;
        if let Some(turn) = &mut self.turn {
            turn.interrupted();
        }
        let name = json["command"].as_str().unwrap_or_default();
        let error = json["error"].as_str().unwrap_or_default();
        let given = |field: &str| {
            command
                .as_ref()
                .and_then(|it| it[field].as_str())
                .map(str::to_owned)
        };
        match (name, ok) {
            ("prompt", true) => {
                must(self.turn.is_none(), || "two turns at once".to_owned())?;
                self.turn = Some(Turn::new(given("text")));
            }
            ("prompt", false) if error.starts_with("a turn is running") => {
                must(self.turn.is_some(), || {
                    "no turn runs, yet a prompt is refused for it".to_owned()
                })?;
            }
            // Of one sub-agent: what comes of it is told.
            ("abort" | "steer", _) if given("agent").is_some() => (),
            ("steer", true) => {
                self.queue
                    .steers
                    .push_back(given("text").unwrap_or_default());
                if let Some(turn) = &mut self.turn {
                    turn.steered();
                }
            }
            ("follow_up", true) => {
                self.queue
                    .follow_ups
                    .push_back(given("text").unwrap_or_default());
            }
            ("abort", _) => {
                must(ok, || "an abort is refused".to_owned())?;
                self.queue.clear();
                if let Some(turn) = &mut self.turn {
                    turn.aborted = true;
                }
            }
            ("approve" | "answer", _) => {
                if let Some(command) = &command
                    && let Some(call) = command["call_id"].as_str()
                {
                    self.decided(name, call, command, ok, error)?;
                }
            }
            ("get_state", true) => self.state(&json["data"])?,
            _ => (),
        }
        Ok(())
    }

    fn decided(
        &mut self,
        name: &str,
        call: &str,
        command: &Value,
        ok: bool,
        error: &str,
    ) -> Result<(), String> {
        let (approvals, questions) = self.waiting();
        let open = if name == "approve" {
            approvals
        } else {
            questions
        };
        let waits = open.iter().any(|it| it == call);
        if error.starts_with("that call is not waiting") {
            must(!waits, || {
                format!("{call} waits, yet `{name}` says it does not")
            })?;
        }
        if !ok {
            return Ok(());
        }
        must(waits, || format!("`{name}` of {call}, which does not wait"))?;
        match name {
            "approve" => self.agents.approved(call, command["allow"] == true),
            _ => self.agents.answered(call),
        }
        match &mut self.turn {
            Some(turn) if name == "approve" => turn.approved(call, command["allow"] == true),
            Some(turn) => turn.answered(call),
            None => (),
        }
        Ok(())
    }

    /// `get_state` tells exactly what the lines before it tell.
    fn state(&self, data: &Value) -> Result<(), String> {
        let (approvals, questions) = self.waiting();
        let waits = !approvals.is_empty() || !questions.is_empty();
        let running = self.turn.is_some();
        must(
            data["running"] == running && data["session"]["running"] == running,
            || format!("`running` should be {running}"),
        )?;
        let told = |name: &str| -> BTreeSet<&str> {
            let ids = data[name].as_array().into_iter().flatten();
            ids.filter_map(Value::as_str).collect()
        };
        must(told("pending_approvals") == set_of(&approvals), || {
            format!("`pending_approvals` should be {approvals:?}")
        })?;
        must(told("pending_questions") == set_of(&questions), || {
            format!("`pending_questions` should be {questions:?}")
        })?;
        let status = data["session"]["status"].as_str().unwrap_or_default();
        let fits = match (running, waits) {
            (true, true) => status == "waiting",
            (true, false) => status == "running",
            (false, _) => ["idle", "error"].contains(&status),
        };
        must(fits, || format!("`status` is {status}"))
    }

    fn session_end(&mut self, json: &Value) -> Result<(), String> {
        must(self.agents.is_empty(), || {
            "`session_end` while sub-agents run".to_owned()
        })?;
        must(self.turn.is_none(), || {
            "`session_end` within a turn".to_owned()
        })?;
        self.tally.check(json)?;
        self.exit_code = json["exit_code"].as_i64();
        must(self.exit_code.is_some(), || "no `exit_code`".to_owned())
    }

    pub fn end(&mut self, end: End) -> Result<(), String> {
        let End::Exit(code) = end else {
            return Ok(());
        };
        if code == 2 || (code == 1 && self.session.is_none()) {
            return must(self.session.is_none(), || {
                "lines and exit code 2".to_owned()
            });
        }
        if code == 1 {
            return Ok(()); // Nobody read the last lines.
        }
        must(self.exit_code == Some(code.into()), || {
            format!(
                "exit code {code}, but `session_end` told {:?}",
                self.exit_code
            )
        })?;
        match code {
            0 => self.sent.all_answered(),
            _ => Ok(()),
        }
    }
}

fn set_of(ids: &[String]) -> BTreeSet<&str> {
    ids.iter().map(String::as_str).collect()
}

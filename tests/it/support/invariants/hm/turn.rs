//! One turn: messages, calls, its end.

use std::collections::BTreeSet;

use serde_json::Value;

use super::batch::Batch;
use super::must;
use super::queue::Queue;
use super::tally::{Tally, Usage};

/// The turn that runs.
#[derive(Debug)]
pub struct Turn {
    /// The prompt's text, until it is delivered.
    prompt: Option<String>,
    delivered: bool,
    /// An abort was answered.
    pub aborted: bool,
    steps: u64,
    usage: Usage,
    message: Option<Message>,
    batch: Option<Batch>,
    /// It has met a limit, and asks whether it may go on.
    pause: Option<String>,
    /// A model call has a reason: something new stands in the conversation.
    may_think: bool,
    /// The last thing was an answer without calls.
    stopped: bool,
    /// The call that a flag must settle with the next line, should one do so.
    asked_just_now: Option<String>,
    last: String,
}

#[derive(Debug, Default)]
struct Message {
    text: String,
    drafts: usize,
    counted: bool,
}

impl Turn {
    pub fn new(prompt: Option<String>) -> Turn {
        Turn {
            prompt,
            delivered: false,
            aborted: false,
            steps: 0,
            usage: Usage::default(),
            message: None,
            batch: None,
            pause: None,
            may_think: false,
            stopped: false,
            asked_just_now: None,
            last: String::new(),
        }
    }

    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        match &self.batch {
            Some(batch) => (batch.open_approvals(), batch.open_questions()),
            None => (Vec::new(), self.pause.iter().cloned().collect()),
        }
    }

    /// A steer waits now.
    pub fn steered(&mut self) {
        if let Some(batch) = &mut self.batch {
            batch.steered = true;
        }
    }

    pub fn approved(&mut self, call: &str, allow: bool) {
        if let Some(batch) = &mut self.batch {
            batch.decided(call, allow);
        }
    }

    pub fn answered(&mut self, call: &str) {
        self.pause.take_if(|pause| pause == call);
        if let Some(batch) = &mut self.batch {
            batch.answered(call);
        }
    }

    /// A response stands between two events: anywhere but within a flag's pair.
    pub fn interrupted(&mut self) {
        self.asked_just_now = None;
    }

    /// Takes an event; true when it ends the turn.
    pub fn event(
        &mut self,
        kind: &str,
        json: &Value,
        queue: &mut Queue,
        tally: &mut Tally,
        calls: &mut BTreeSet<String>,
    ) -> Result<bool, String> {
        let asked_just_now = self.asked_just_now.take();
        let begins = [
            "message_start",
            "text_delta",
            "thinking_delta",
            "tool_start",
        ];
        let asks = ["approval_needed", "question"];
        if begins.contains(&kind) || asks.contains(&kind) {
            must(!self.aborted, || {
                format!("`{kind}` after an abort was answered")
            })?;
        }
        match kind {
            "mode_change" | "model_change" => {
                must(!self.delivered, || format!("`{kind}` within a turn"))?;
            }
            "message_start" => self.message_start(json, queue)?,
            "text_delta" => {
                let text = json["text"].as_str().unwrap_or_default();
                must(!text.is_empty(), || "an empty `text_delta`".to_owned())?;
                self.message(kind)?.text.push_str(text);
            }
            "thinking_delta" => drop(self.message(kind)?),
            "tool_start" => self.message(kind)?.drafts += 1,
            "usage" => {
                let usage = Usage::read(json);
                let message = self.message(kind)?;
                must(!message.counted, || {
                    "two `usage` of one model call".to_owned()
                })?;
                message.counted = true;
                self.usage.add(usage);
                tally.usage.add(usage);
            }
            "message_end" => match json["role"].as_str() {
                Some("assistant") => self.assistant(json, queue, tally)?,
                Some("user") => self.user(json, queue)?,
                Some("tool") => self.results(json)?,
                other => return Err(format!("a message of {other:?}")),
            },
            "tool_call" => {
                let id = id(json)?;
                must(calls.insert(id.to_owned()), || {
                    format!("{id} was used before")
                })?;
                self.batch(kind)?.started(id, json)?;
            }
            "approval_needed" => {
                let id = id(json)?;
                self.batch(kind)?.asked(id, json)?;
                self.asked_just_now = Some(id.to_owned());
            }
            "approval" => {
                let id = id(json)?;
                if json["by"] == "flag" {
                    must(asked_just_now.as_deref() == Some(id), || {
                        format!("something stands between the flag's pair of {id}")
                    })?;
                }
                self.batch(kind)?.settled(id, json, tally)?;
            }
            "question" if self.batch.is_none() => {
                must(self.message.is_none() && self.pause.is_none(), || {
                    "a question within a message, or a second one".to_owned()
                })?;
                let id = id(json)?;
                must(calls.insert(id.to_owned()), || {
                    format!("{id} was used before")
                })?;
                self.pause = Some(id.to_owned());
            }
            "question" => self.batch(kind)?.question(id(json)?)?,
            "tool_result" => {
                let aborted = self.aborted;
                self.batch(kind)?.ended(id(json)?, json, aborted, tally)?;
            }
            "plan" | "error" | "notice" => (),
            "turn_end" => {
                self.turn_end(json, queue)?;
                return Ok(true);
            }
            _ => return Err(format!("an event `{kind}`, which nobody knows")),
        }
        self.last = kind.to_owned();
        Ok(false)
    }

    /// The conversation is summed up, between two steps.
    pub fn compaction(&mut self, starts: bool) -> Result<(), String> {
        must(self.message.is_none() && self.batch.is_none(), || {
            "a compaction within a step".to_owned()
        })?;
        must(!(starts && self.aborted), || {
            "a compaction begins after an abort was answered".to_owned()
        })?;
        self.may_think = true;
        Ok(())
    }

    /// What the summary used is the turn's.
    pub fn summing_used(&mut self, usage: Usage) {
        self.usage.add(usage);
    }

    fn message(&mut self, kind: &str) -> Result<&mut Message, String> {
        self.message
            .as_mut()
            .ok_or_else(|| format!("`{kind}` outside a message"))
    }

    fn batch(&mut self, kind: &str) -> Result<&mut Batch, String> {
        self.batch
            .as_mut()
            .ok_or_else(|| format!("`{kind}`, though no answer has calls"))
    }

    fn message_start(&mut self, json: &Value, queue: &Queue) -> Result<(), String> {
        must(self.message.is_none() && self.batch.is_none(), || {
            "a message before the last one and its calls ended".to_owned()
        })?;
        must(self.may_think, || "a model call for nothing new".to_owned())?;
        must(self.pause.is_none(), || {
            "a model call while a limit waits for an answer".to_owned()
        })?;
        must(queue.steers.is_empty(), || {
            "a model call while steers wait".to_owned()
        })?;
        must(json["role"] == "assistant", || {
            "a message of somebody else".to_owned()
        })?;
        self.may_think = false;
        self.stopped = false;
        self.steps += 1;
        self.message = Some(Message::default());
        Ok(())
    }

    fn assistant(&mut self, json: &Value, queue: &Queue, tally: &mut Tally) -> Result<(), String> {
        let Some(message) = self.message.take() else {
            return Err("an end without a `message_start`".to_owned());
        };
        let text = json["text"].as_str().unwrap_or_default();
        must(text == message.text, || {
            format!("its pieces are {:?}", message.text)
        })?;
        let stop = json["stop"].as_str().unwrap_or_default();
        let known = ["end", "tools", "max_tokens", "refused", "aborted", "error"];
        must(known.contains(&stop), || format!("`stop` is {stop:?}"))?;
        must(stop != "tools" || message.drafts > 0, || {
            "it stopped for no call".to_owned()
        })?;
        must(!self.aborted || stop == "aborted", || {
            format!("`stop` is {stop} after an abort")
        })?;
        let whole = !["aborted", "error"].contains(&stop);
        if whole && message.drafts > 0 {
            self.batch = Some(Batch::new(message.drafts, !queue.steers.is_empty()));
        }
        self.stopped = whole && message.drafts == 0;
        if !text.is_empty() {
            tally.answer = text.to_owned();
        }
        Ok(())
    }

    fn user(&mut self, json: &Value, queue: &mut Queue) -> Result<(), String> {
        must(self.message.is_none() && self.batch.is_none(), || {
            "a user's message within another, or before calls ended".to_owned()
        })?;
        let text = json["text"].as_str().unwrap_or_default();
        let source = json["source"].as_str().unwrap_or_default();
        match source {
            "prompt" => {
                must(!self.delivered, || "two prompts in one turn".to_owned())?;
                let fits = self.prompt.as_deref().is_none_or(|prompt| prompt == text);
                must(fits, || format!("the prompt was {:?}", self.prompt))?;
                self.delivered = true;
            }
            "steer" => queue.delivered(source, text)?,
            // With or without a prompt.
            "agent" => self.delivered = true,
            "follow_up" => {
                must(self.stopped, || {
                    "a follow-up before the model stopped".to_owned()
                })?;
                must(queue.steers.is_empty(), || {
                    "a follow-up before steers".to_owned()
                })?;
                queue.delivered(source, text)?;
                self.stopped = false;
            }
            other => return Err(format!("a message by {other:?}")),
        }
        must(self.delivered, || "something before the prompt".to_owned())?;
        self.may_think = true;
        Ok(())
    }

    fn results(&mut self, json: &Value) -> Result<(), String> {
        let done = self.batch.take().is_some_and(|batch| batch.is_done());
        must(done, || "calls are without a result".to_owned())?;
        must(json["text"] == "", || "a text of results".to_owned())?;
        self.may_think = true;
        Ok(())
    }

    fn turn_end(&mut self, json: &Value, queue: &Queue) -> Result<(), String> {
        must(self.message.is_none(), || "a message is open".to_owned())?;
        must(self.batch.is_none(), || "calls are open".to_owned())?;
        must(self.delivered, || "the prompt was never told".to_owned())?;
        must(json["steps"] == self.steps, || {
            format!("`steps` should be {}", self.steps)
        })?;
        let usage = Usage::read(&json["usage"]);
        must(usage == self.usage, || {
            format!("`usage` should be {:?}", self.usage)
        })?;
        let status = json["status"].as_str().unwrap_or_default();
        must(!self.aborted || status == "aborted", || {
            format!("`status` is {status} after an abort")
        })?;
        match status {
            "ok" => must(queue.is_empty() && self.stopped, || {
                "it ends while something waits".to_owned()
            }),
            "error" => must(self.last == "error", || "no `error` before it".to_owned()),
            "aborted" | "max_steps" | "limit" | "refused" => Ok(()),
            other => Err(format!("`status` is {other:?}")),
        }
    }
}

fn id(json: &Value) -> Result<&str, String> {
    json["call_id"]
        .as_str()
        .ok_or_else(|| "no `call_id`".to_owned())
}

//! What was sent, and which of it was answered: exactly one answer a line.

use std::collections::BTreeMap;

use serde_json::Value;

use super::must;

/// Commands without an answer, by their ids.
#[derive(Debug, Default)]
pub struct Sent {
    /// The line that has not ended yet.
    pending: Vec<u8>,
    /// It was too long, and was answered before its end.
    pending_is_answered: bool,
    open: BTreeMap<String, Vec<Value>>,
    /// Lines whose id an answer can't be matched by: none, null, not JSON.
    nameless: usize,
}

impl Sent {
    /// Takes bytes as they were sent.
    pub fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.take();
            }
        }
    }

    /// The input has ended: what is left is a line, too.
    pub fn finish(&mut self) {
        self.take();
    }

    fn take(&mut self) {
        let line = std::mem::take(&mut self.pending);
        if std::mem::take(&mut self.pending_is_answered) {
            return;
        }
        if line.trim_ascii().is_empty() {
            return;
        }
        let json: Option<Value> = serde_json::from_slice(&line).ok();
        match json {
            Some(json) if json.is_object() && !json["id"].is_null() => {
                let id = json["id"].to_string();
                self.open.entry(id).or_default().push(json);
            }
            _ => self.nameless += 1,
        }
    }

    /// The command that a response answers; nothing when it has no name.
    pub fn answered(&mut self, response: &Value) -> Result<Option<Value>, String> {
        let id = response["id"].to_string();
        if let Some(open) = self.open.get_mut(&id) {
            let same_name = open.iter().position(|it| it["type"] == response["command"]);
            let command = open.remove(same_name.unwrap_or(0));
            if open.is_empty() {
                self.open.remove(&id);
            }
            return Ok(Some(command));
        }
        if self.nameless > 0 {
            self.nameless -= 1;
            return Ok(None);
        }
        let is_early = !self.pending.is_empty() && !self.pending_is_answered;
        must(is_early && response["id"].is_null(), || {
            format!("an answer to nothing, or a second one: {response}")
        })?;
        self.pending_is_answered = true;
        Ok(None)
    }

    /// Every line has its answer.
    pub fn all_answered(&self) -> Result<(), String> {
        must(self.open.is_empty() && self.nameless == 0, || {
            let ids: Vec<&String> = self.open.keys().collect();
            format!(
                "no answer came to {ids:?} and {} lines without an id",
                self.nameless
            )
        })
    }
}

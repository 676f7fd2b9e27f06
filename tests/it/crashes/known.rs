//! What a client was told, and may rely on.

use std::collections::BTreeMap;

use greenroom_protocol::session::{Message, Source};
use serde_json::Value;

use super::journal::Journal;
use crate::support::{Host, Line};

/// Everything that was told, over all processes of a session.
#[derive(Default)]
pub struct Known {
    /// Prompts, steers and follow-ups that were answered with `ok`.
    accepted: Vec<(Source, String)>,
    /// Ends of messages: role and text, by entry.
    messages: BTreeMap<u64, (String, String)>,
    /// Results: text, by call.
    results: BTreeMap<String, String>,
    /// Of the accepted ones, those that are still in the queue.
    queued: Vec<(Source, String)>,
    /// Of the last process: what was sent, and answered by nobody. It may have
    /// been saved all the same.
    unanswered: Vec<(Source, String)>,
    /// The mode that was set last, when that was answered.
    mode: Option<String>,
}

impl Known {
    /// Takes in what one process told; `sent` are its commands.
    pub fn learn(&mut self, sent: &[Value], lines: &[Line]) {
        let answered = |command: &&Value| {
            let mut lines = lines.iter();
            lines.any(|line| line.json["type"] == "response" && line.json["id"] == command["id"])
        };
        self.unanswered.clear();
        for command in sent.iter().filter(|command| !answered(command)) {
            self.unanswered.extend(message(command));
            if command["type"] == "set_mode" {
                self.mode = None;
            }
        }
        for line in lines {
            let json = &line.json;
            let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
            match json["type"].as_str() {
                Some("response") if json["ok"] == true => {
                    let command = sent.iter().find(|it| it["id"] == json["id"]);
                    self.accepted(command.expect("an answer to a command"));
                }
                Some("message_end") => {
                    let entry = text("id").parse().unwrap();
                    let known = (text("role"), text("text"));
                    assert!(self.messages.insert(entry, known).is_none(), "{json}");
                }
                Some("tool_result") => {
                    let known = self.results.insert(text("call_id"), text("text"));
                    assert!(known.is_none(), "{json}");
                }
                _ => (),
            }
        }
    }

    fn accepted(&mut self, command: &Value) {
        self.accepted.extend(message(command));
        if command["type"] == "set_mode" {
            self.mode = command["mode"].as_str().map(str::to_owned);
        }
    }

    /// Lets a new process's checker know what is queued already.
    pub fn tell_queue(&self, host: &mut Host) {
        for (source, text) in &self.queued {
            let source = if *source == Source::Steer {
                "steer"
            } else {
                "follow_up"
            };
            host.was_queued(source, text);
        }
    }

    /// Nothing of it is lost.
    pub fn assert_kept(&mut self, journal: &Journal) {
        self.queued.clear();
        let mut queued = journal.state.queue;
        for (source, text) in &self.accepted {
            let count = count(journal, *source, text);
            assert!(count <= 1, "{source:?} {text:?} is there {count} times");
            if count == 1 {
                continue;
            }
            // What was not delivered waits.
            let left = match source {
                Source::Steer => &mut queued.steers,
                Source::FollowUp => &mut queued.follow_ups,
                _ => panic!("the prompt {text:?} was accepted, and is lost"),
            };
            assert!(*left > 0, "{source:?} {text:?} was accepted, and is lost");
            *left -= 1;
            self.queued.push((*source, text.clone()));
        }
        // What is there beyond that was sent last, and saved before its answer.
        let unanswered = std::mem::take(&mut self.unanswered);
        let shown = format!("known {:?}, unanswered {unanswered:?}", self.queued);
        for (source, text) in unanswered {
            let left = match source {
                Source::Steer => &mut queued.steers,
                Source::FollowUp => &mut queued.follow_ups,
                _ => continue,
            };
            if *left > 0 && count(journal, source, &text) == 0 {
                *left -= 1;
                self.accepted.push((source, text.clone()));
                self.queued.push((source, text));
            }
        }
        assert_eq!(
            (queued.steers, queued.follow_ups),
            (0, 0),
            "nobody sent these; {shown}"
        );
        for (entry, (role, text)) in &self.messages {
            self.assert_message(journal, *entry, role, text);
        }
        let results = journal
            .conversation
            .iter()
            .flat_map(|message| match message {
                Message::Results { results, .. } => results.as_slice(),
                _ => &[],
            });
        let results: BTreeMap<&str, &str> = results
            .map(|result| (result.call.as_str(), &*result.text))
            .collect();
        for (call, text) in &self.results {
            assert_eq!(results.get(call.as_str()), Some(&text.as_str()), "{call}");
        }
        if let Some(mode) = &self.mode {
            assert_eq!(journal.state.info.mode.name(), mode);
        }
    }

    fn assert_message(&self, journal: &Journal, entry: u64, role: &str, text: &str) {
        let found = journal.conversation.iter().find(|it| it.entry().0 == entry);
        let kept = match found {
            Some(Message::User { content, .. }) => ("user", content.joined_text().to_string()),
            Some(Message::Assistant { message, .. }) => ("assistant", message.text.to_string()),
            Some(Message::Results { .. }) => ("tool", String::new()),
            // An answer with nothing in it is no part of the conversation.
            None if role == "assistant" && text.is_empty() => return,
            None => panic!("entry {entry} ({role} {text:?}) is lost"),
        };
        assert_eq!((kept.0, kept.1.as_str()), (role, text), "entry {entry}");
    }
}

/// How often a message was delivered.
fn count(journal: &Journal, source: Source, text: &str) -> usize {
    let is_it = |message: &&Message| match message {
        Message::User {
            content,
            source: from,
            ..
        } => *from == source && *content.joined_text() == *text,
        _ => false,
    };
    journal.conversation.iter().filter(is_it).count()
}

/// What a command gives to the model.
fn message(command: &Value) -> Option<(Source, String)> {
    let source = match command["type"].as_str()? {
        "prompt" => Source::Prompt,
        "steer" => Source::Steer,
        "follow_up" => Source::FollowUp,
        _ => return None,
    };
    Some((source, command["text"].as_str()?.to_owned()))
}

//! What a host does: it prompts, approves, steers and answers, and reads on.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use super::agent::Agent;
use super::screen::{Look, Screen, Who};
use super::show;
use super::story::{ANSWER, APPROVE, PROMPT, STEER, Story};

const TASK: &str = "Set up a small project and see to it that its test passes.";
const REMARK: &str = "And say at the end how I run the test myself.";

/// The host's side of the session.
pub(super) struct Host<'a, W: Write> {
    agent: &'a mut Agent,
    screen: &'a mut Screen<W>,
    /// The workspace.
    root: PathBuf,
    story: Story,
    /// Edits and writes on their way, by call.
    writing: BTreeMap<String, String>,
    /// Files as they stood when they were last looked at, by path.
    files: BTreeMap<String, String>,
    tally: Tally,
}

/// What the session came to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    /// Lines that the agent sent.
    pub received: u32,
    /// The lines that it was sent.
    pub sent: Vec<String>,
    /// Model calls of the turn.
    pub steps: u64,
}

impl<'a, W: Write> Host<'a, W> {
    pub fn new(agent: &'a mut Agent, screen: &'a mut Screen<W>, root: PathBuf) -> Host<'a, W> {
        Host {
            agent,
            screen,
            root,
            story: Story::default(),
            writing: BTreeMap::new(),
            files: BTreeMap::new(),
            tally: Tally::default(),
        }
    }

    /// Plays the session from its first line to the end of the process. May be
    /// dropped while it waits; then [`Host::awaited`] says for what.
    pub async fn play(&mut self) -> Result<()> {
        while let Some(event) = self.agent.next().await? {
            self.tally.received += 1;
            show::event(&event, self.screen)?;
            self.story.take(&event).map_err(|reason| anyhow!(reason))?;
            self.react(&event).await?;
        }
        let status = self.agent.wait().await?;
        if !self.story.is_over() {
            bail!("the agent ended ({status}) before {}", self.story.awaited());
        }
        if !status.success() {
            bail!("the agent ended with {status}, not with exit code 0");
        }
        Ok(())
    }

    /// What the session came to.
    pub fn into_tally(self) -> Tally {
        self.tally
    }

    /// What the host waits for, in words.
    pub fn awaited(&self) -> &'static str {
        self.story.awaited()
    }

    async fn react(&mut self, event: &Value) -> Result<()> {
        let text = |key: &str| event[key].as_str().unwrap_or_default();
        match text("type") {
            "session_start" => {
                let command = json!({"id": PROMPT, "type": "prompt", "text": TASK});
                self.send("prompt", TASK, command).await
            }
            "tool_call" => {
                self.note_write(event);
                Ok(())
            }
            "tool_result" => self.look(text("call_id")),
            "approval_needed" => {
                let call = text("call_id");
                let words = format!("{call} yes, and such calls for the rest of the session");
                let command = json!({
                    "id": APPROVE, "type": "approve", "call_id": call,
                    "allow": true, "for_session": true,
                });
                self.send("approve", &words, command).await
            }
            // The agent waits, so this is a good moment for a word in between:
            // it reaches the model with the answer.
            "question" => {
                let call = text("call_id");
                let choice = event["options"][0].as_str().unwrap_or("yes");
                let steer = json!({"id": STEER, "type": "steer", "text": REMARK});
                self.send("steer", REMARK, steer).await?;
                let answer =
                    json!({"id": ANSWER, "type": "answer", "call_id": call, "text": choice});
                self.send("answer", &format!("{call} {choice}"), answer)
                    .await
            }
            "turn_end" => {
                self.tally.steps = event["steps"].as_u64().unwrap_or(0);
                let words = "the host closes the agent's standard input";
                self.screen.say(Who::Host, "(end)", Look::Dim, words)?;
                self.agent.close();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn send(&mut self, label: &str, words: &str, command: Value) -> Result<()> {
        self.screen.say(Who::Host, label, Look::Plain, words)?;
        let line = command.to_string();
        self.agent.send(&line).await?;
        self.tally.sent.push(line);
        Ok(())
    }

    /// Remembers which file a call is about to write.
    fn note_write(&mut self, event: &Value) {
        if !matches!(event["tool"].as_str(), Some("write_file" | "edit_file")) {
            return;
        }
        if let (Some(call), Some(path)) =
            (event["call_id"].as_str(), event["input"]["path"].as_str())
        {
            self.writing.insert(call.to_owned(), path.to_owned());
        }
    }

    /// Looks at the file that a call has written, and shows what is new in it.
    fn look(&mut self, call: &str) -> Result<()> {
        let Some(path) = self.writing.remove(call) else {
            return Ok(());
        };
        let file = self.root.join(&path);
        let now = fs::read_to_string(&file)
            .with_context(|| format!("the agent says that it wrote {path}"))?;
        if let Some(before) = self.files.insert(path.clone(), now.clone()) {
            show::diff(&path, &before, &now, self.screen)?;
        }
        Ok(())
    }
}

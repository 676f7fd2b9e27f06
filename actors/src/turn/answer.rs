//! The answer that the model is writing.

use greenroom_protocol::session::{AssistantMessage, EntryId, Happening, Millis, Stop, Text};

use crate::ports::Chunk;
use crate::session::{Core, Effect, Timer, WorkId};

/// An answer in the making. What its pieces add up to is its text: the
/// provider's own sum is not trusted over what clients were told.
#[derive(Debug)]
pub(super) struct Answer {
    pub work: WorkId,
    pub entry: EntryId,
    pub text: String,
    pub thinking: String,
    /// How much of text and thinking stands in checkpoints.
    saved: (usize, usize),
    timer_set: bool,
}

impl Answer {
    /// Tells that the model begins to answer.
    pub fn begin(core: &mut Core, work: WorkId) -> Answer {
        let entry = core.next_entry();
        core.tell(Happening::MessageStarted { entry });
        Answer {
            work,
            entry,
            text: String::new(),
            thinking: String::new(),
            saved: (0, 0),
            timer_set: false,
        }
    }

    /// An answer that another process began: its pieces come from checkpoints.
    pub fn rebuilt(entry: EntryId) -> Answer {
        Answer {
            work: WorkId::default(),
            entry,
            text: String::new(),
            thinking: String::new(),
            saved: (0, 0),
            timer_set: false,
        }
    }

    /// Takes pieces, and tells them.
    pub fn add(&mut self, core: &mut Core, chunks: Vec<Chunk>) {
        let entry = self.entry;
        for chunk in chunks {
            match chunk {
                Chunk::Text(text) if !text.is_empty() => {
                    self.text.push_str(&text);
                    let text = text.into();
                    core.tell(Happening::TextAdded { entry, text });
                }
                Chunk::Thinking(text) if !text.is_empty() => {
                    self.thinking.push_str(&text);
                    let text = text.into();
                    core.tell(Happening::ThinkingAdded { entry, text });
                }
                Chunk::CallDrafted(tool) => core.tell(Happening::CallDrafted { tool }),
                Chunk::Throttled { wait } => {
                    let after = wait.map(|wait| wait.as_millis() as u64);
                    core.tell(Happening::Throttled {
                        since: core.now,
                        until: after.map(|after| Millis(core.now.0.saturating_add(after))),
                    });
                }
                Chunk::Text(_) | Chunk::Thinking(_) | Chunk::Admitted | Chunk::Alive => (),
            }
        }
        if self.unsaved() >= core.settings.limits.checkpoint_bytes {
            self.checkpoint(core);
        } else if self.unsaved() > 0 && !self.timer_set {
            self.timer_set = true;
            core.out.push(Effect::SetTimer {
                timer: Timer::Checkpoint(self.work),
                after: core.settings.limits.checkpoint_every,
            });
        }
    }

    pub fn checkpoint_due(&mut self, core: &mut Core) {
        self.timer_set = false;
        if self.unsaved() > 0 {
            self.checkpoint(core);
        }
    }

    fn checkpoint(&mut self, core: &mut Core) {
        let (text, thinking) = self.saved;
        core.tell(Happening::Checkpoint {
            entry: self.entry,
            text: self.text[text..].into(),
            thinking: self.thinking[thinking..].into(),
        });
        self.saved = (self.text.len(), self.thinking.len());
    }

    fn unsaved(&self) -> usize {
        self.text.len() + self.thinking.len() - self.saved.0 - self.saved.1
    }

    /// Makes a provider's sum agree with what was told: text that came only
    /// with the whole answer is told now, and what was told always stands.
    pub fn settle(&mut self, core: &mut Core, message: &mut AssistantMessage) {
        if let Some(rest) = message.text.strip_prefix(self.text.as_str()) {
            if !rest.is_empty() {
                let rest = Chunk::Text(rest.to_owned());
                self.add(core, vec![rest]);
            }
        } else {
            message.raw = None;
            message.text = self.text.as_str().into();
        }
        if !self.thinking.is_empty() {
            message.thinking = self.thinking.as_str().into();
        }
    }

    /// What there is of it when it ends before its time.
    pub fn cut(&self, stop: Stop) -> AssistantMessage {
        AssistantMessage {
            text: Text::from(self.text.as_str()),
            thinking: Text::from(self.thinking.as_str()),
            calls: Vec::new(),
            raw: None,
            stop,
        }
    }
}

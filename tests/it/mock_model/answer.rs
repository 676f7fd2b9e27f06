//! What a model says, in no service's words.

/// An answer, in the pieces in which it is streamed.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub(super) parts: Vec<Part>,
    pub(super) stop: Option<String>,
    pub(super) tokens: Option<Tokens>,
}

/// A part of it, in the order of speech.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Thinking {
        pieces: Vec<String>,
        signature: String,
    },
    /// Thinking that only the provider can read; Anthropic's alone.
    Redacted(String),
    Text(Vec<String>),
    Call {
        id: String,
        tool: String,
        pieces: Vec<String>,
    },
}

/// Tokens as the vocabulary counts them: `input` without what a cache held.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl Answer {
    pub fn new() -> Answer {
        Answer::default()
    }

    pub fn think(self, pieces: &[&str], signature: &str) -> Answer {
        self.with(Part::Thinking {
            pieces: owned(pieces),
            signature: signature.into(),
        })
    }

    pub fn think_secretly(self, data: &str) -> Answer {
        self.with(Part::Redacted(data.into()))
    }

    pub fn say(self, pieces: &[&str]) -> Answer {
        self.with(Part::Text(owned(pieces)))
    }

    pub fn call(self, id: &str, tool: &str, pieces: &[&str]) -> Answer {
        self.with(Part::Call {
            id: id.into(),
            tool: tool.into(),
            pieces: owned(pieces),
        })
    }

    pub fn tokens(self, tokens: Tokens) -> Answer {
        Answer {
            tokens: Some(tokens),
            ..self
        }
    }

    /// The service's own word for why it stops. By itself it is the one for
    /// the end, or for calls.
    pub fn stop(self, reason: &str) -> Answer {
        Answer {
            stop: Some(reason.into()),
            ..self
        }
    }

    fn with(mut self, part: Part) -> Answer {
        self.parts.push(part);
        self
    }

    pub(super) fn has_calls(&self) -> bool {
        let is_call = |part: &Part| matches!(part, Part::Call { .. });
        self.parts.iter().any(is_call)
    }
}

fn owned(pieces: &[&str]) -> Vec<String> {
    pieces.iter().map(|piece| (*piece).to_owned()).collect()
}

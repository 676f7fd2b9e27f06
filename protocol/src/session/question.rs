//! Questions of the agent to whoever is there.

use super::{AgentId, CallId, Millis, Text};

/// One or more questions of one call. Settled exactly once, all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The call that waits.
    pub call: CallId,
    /// At least one.
    pub questions: Vec<Question>,
    /// Who asks, as in [`super::Approval::asked_by`].
    pub asked_by: Vec<AgentId>,
    /// When it settles by itself; nothing means never.
    pub deadline: Option<Millis>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Unique in its [`Ask`]: `q0`, `q1`, …
    pub id: Text,
    /// The question.
    pub text: Text,
    /// Answers to choose from; empty means free text. Free text is always
    /// taken, whatever the choices.
    pub choices: Vec<Choice>,
    /// Several choices may be taken.
    pub multiple: bool,
}

/// One answer to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What is chosen, and what the model reads.
    pub label: Text,
    /// More about it, for a person.
    pub description: Option<Text>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Which question; nothing means the first that has no answer yet.
    pub question: Option<Text>,
    /// What was answered; nothing means it was passed over.
    pub text: Option<Text>,
}

//! One decision about a call.

use greenroom_protocol::session::{
    CallId, Category, Millis, Ruling, Scope, SessionId, Text, TurnId,
};

use super::by::By;
use crate::redact::{Redactor, Tally};

/// The longest text that is kept of a record, in characters.
const LONGEST: usize = 1_000;

/// What was decided about a call, by what, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When the call was judged.
    pub at: Millis,
    /// Its place in its session: the number of the event.
    pub seq: u64,
    /// Whose call it is.
    pub session: SessionId,
    /// The session that started it, of a sub-agent.
    pub parent: Option<SessionId>,
    /// The session's workspace.
    pub root: Text,
    /// The turn; nothing when the journal does not tell.
    pub turn: Option<TurnId>,
    /// The turn's mode by its name; empty when the journal does not tell.
    pub mode: Text,
    /// The call.
    pub call: CallId,
    /// Its tool.
    pub tool: Text,
    /// What kind of act it is.
    pub category: Option<Category>,
    /// One line of it.
    pub summary: Text,
    /// What rules and mode said, before anybody was asked.
    pub ruling: Ruling,
    /// What said so, such as `user deny[2] "no force" on git push -f`.
    pub rule: Text,
    /// Why, in words; empty for what was allowed at once.
    pub why: Text,
    /// What came of it.
    pub verdict: Verdict,
    /// Who or what settled it; of an open question, what asked.
    pub by: By,
    /// The answer, when somebody had to be asked and it came.
    pub answer: Option<Answer>,
}

/// How a question about a call was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// When.
    pub at: Millis,
    /// For how long it holds.
    pub scope: Scope,
    /// The reason that was given.
    pub note: Option<Text>,
    /// Whether the call was changed.
    pub amended: bool,
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allowed,
    /// It was asked about, and no answer was recorded.
    Asked,
    /// It may not.
    Denied,
}

impl Verdict {
    /// The name that output uses.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Allowed => "allowed",
            Verdict::Asked => "asked",
            Verdict::Denied => "denied",
        }
    }
}

impl Record {
    /// Takes secrets out, and what is too long.
    pub fn clean(&mut self, redactor: &Redactor) {
        let texts = [
            &mut self.root,
            &mut self.tool,
            &mut self.summary,
            &mut self.rule,
            &mut self.why,
        ];
        let note = self.answer.as_mut().and_then(|answer| answer.note.as_mut());
        for text in texts.into_iter().chain(note) {
            // Before it is cut: a part of a secret has no shape.
            let clean = redactor.redact(text, &mut Tally::default());
            let end = clean.char_indices().nth(LONGEST).map(|(end, _)| end);
            let cut = end.and_then(|end| clean.get(..end));
            match (cut, &clean) {
                (Some(cut), _) => *text = format!("{cut}…").into(),
                (None, std::borrow::Cow::Owned(clean)) => *text = clean.as_str().into(),
                (None, std::borrow::Cow::Borrowed(_)) => (),
            }
        }
    }
}

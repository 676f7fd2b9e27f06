//! Approvals: what is asked, who may grant how much, what was decided.

use super::{AgentId, CallId, Category, Document, Millis, Text};

/// A call that waits for somebody's decision. It is settled exactly once, by
/// the first valid decision or by one of the other ways of [`SettledBy`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The call that waits.
    pub call: CallId,
    /// Its tool.
    pub tool: Text,
    /// What kind of act it is.
    pub category: Category,
    /// One line for a person.
    pub summary: Text,
    /// The command line, of a shell call.
    pub command: Option<Text>,
    /// What it touches: absolute paths; of a shell call its working folder.
    pub paths: Vec<Text>,
    /// What an edit call would write.
    pub edits: Vec<PlannedEdit>,
    /// Why it is asked: the rule or the mode, in words.
    pub reason: Text,
    /// How much may be granted. [`Scope::Once`] is always among them.
    pub scopes: Vec<Scope>,
    /// Who asks: sub-agents from the outermost to the asker; empty for the
    /// session's own agent.
    pub asked_by: Vec<AgentId>,
    /// When it settles by itself; nothing (the default) means never.
    pub deadline: Option<Millis>,
}

/// One file of an edit, as planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEdit {
    /// Relative to the workspace; absolute when it lies outside.
    pub path: Text,
    /// What happens to it.
    pub kind: EditKind,
    /// The whole text before, unless it is created.
    pub before: Option<Text>,
    /// The whole text after, unless it is deleted.
    pub after: Option<Text>,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EditKind {
    Created,
    Modified,
    Deleted,
}

/// How long a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// This call.
    Once,
    /// Calls like it, until the session ends.
    Session,
    /// Calls like it, in this workspace.
    Project,
    /// Calls like it, of this user.
    User,
}

/// What the rules and the mode say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// It runs.
    Allow,
    /// Somebody must say so.
    Ask,
    /// It does not run, whoever asks.
    Deny,
}

impl Ruling {
    /// The name that rules and wires use.
    pub const fn name(self) -> &'static str {
        match self {
            Ruling::Allow => "allow",
            Ruling::Ask => "ask",
            Ruling::Deny => "deny",
        }
    }
}

/// A decision on an open approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Yes or no, and for how long.
    pub verdict: Verdict,
    /// Why, in words that the model reads.
    pub note: Option<Text>,
    /// What to do instead of what was planned.
    pub amendment: Option<Amendment>,
}

/// Yes or no, and for how long. A scope that was not offered counts as
/// [`Scope::Once`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow(Scope),
    /// Don't.
    Deny(Scope),
}

/// What to do instead of what was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amendment {
    /// Apply these whole files. Planned files that are left out are skipped,
    /// files that were not planned are ignored.
    Files(Vec<FileEdit>),
    /// Run with this input. It is judged anew.
    Input(Document),
}

/// A file with its whole new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Relative to the workspace.
    pub path: Text,
    /// The whole text.
    pub content: Text,
}

/// How an approval ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The call that waited.
    pub call: CallId,
    /// Its tool.
    pub tool: Text,
    /// Whether it may run.
    pub allowed: bool,
    /// Who or what settled it.
    pub by: SettledBy,
    /// For how long.
    pub scope: Scope,
    /// The reason given.
    pub note: Option<Text>,
    /// True when the decision brought an [`Amendment`].
    pub amended: bool,
}

/// Who or what settled an approval or a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// A client's answer.
    Client,
    /// The session's [`AnswerPolicy`].
    Policy,
    /// The turn was aborted.
    Abort,
    /// Nobody was left who could answer.
    ClientsGone,
    /// Its deadline passed.
    Deadline,
    /// The process that asked is gone.
    Restart,
}

/// Who decides what is asked (hm's `--approve`). It never changes *what* is
/// asked: that is the mode's and the rules' matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerPolicy {
    /// Clients decide each call.
    #[default]
    Ask,
    /// Edits are allowed; clients decide the rest.
    AllowEdits,
    /// Every call is allowed.
    AllowAll,
}

//! What a client may ask of a session.

use super::{AgentId, AgentOrder, Answer, CallId, Content, Decision, Effort, EntryId, Mode, Text};

/// One request. Each gets exactly one answer ([`super::Reply`] or
/// [`super::Refusal`]), and a refused one has no effect at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Start a turn. Refused while another runs.
    Prompt(Content),
    /// A message for the running turn: the model reads it after the tool call
    /// in progress, and calls not yet started are skipped. Sent while idle, it
    /// waits for the next prompt.
    Steer(Content),
    /// A message for when the model would stop: it then goes on in the same
    /// turn. Sent while idle, it waits for the end of the next turn.
    FollowUp(Content),
    /// End the running turn now and drop what is queued. Never refused.
    Abort,
    /// Settle an open approval.
    Decide {
        /// The call that waits.
        call: CallId,
        /// What is decided.
        decision: Decision,
    },
    /// Settle an open question (all of its parts at once).
    Reply {
        /// The call that waits.
        call: CallId,
        /// One answer a question; a missing one counts as not answered.
        answers: Vec<Answer>,
    },
    /// Change the mode, from the next turn on.
    SetMode(Mode),
    /// Change the model, from the next turn on.
    SetModel(ModelChange),
    /// Tell the state. Never waits for a turn, a tool or another client.
    GetState,
    /// Tell the conversation, oldest first; the last `limit` messages only.
    GetMessages {
        /// At most so many, counted from the end; nothing means all.
        limit: Option<usize>,
    },
    /// Begin an empty conversation in the same session. A running turn is
    /// aborted first.
    Reset,
    /// Summarise the conversation so that it takes less room.
    Compact {
        /// What the summary must keep, in the client's words.
        focus: Option<Text>,
    },
    /// Go on in a new session that begins with this one's conversation.
    Fork {
        /// Up to and with this entry; nothing means all.
        from: Option<EntryId>,
    },
    /// Move the head of the conversation back to an entry.
    Rewind {
        /// The last entry that stays.
        to: EntryId,
    },
    /// List the saved sessions.
    ListSessions {
        /// Those of every workspace.
        everywhere: bool,
    },
    /// Write the session to a file, up to the last finished message.
    Export(ExportRequest),
    /// Something of one sub-agent.
    Agent {
        /// Which, at any depth.
        agent: AgentId,
        /// What.
        order: AgentOrder,
    },
    /// Take back a grant for the rest of the session.
    Revoke {
        /// The grant's name, as the state lists it.
        grant: Text,
    },
}

/// What is to be written of a session, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportRequest {
    /// As what.
    pub format: ExportFormat,
    /// Where to; relative to the workspace. Nothing, or a folder, gets the
    /// default name.
    pub path: Option<Text>,
    /// Abandoned branches and forks too, not only the way to the head.
    pub all_branches: bool,
}

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// One page for a browser, with all that it needs inside.
    #[default]
    Html,
    /// Markdown.
    Markdown,
    /// One JSON object a line, for programs.
    JsonLines,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [ExportFormat; 3] = [
        ExportFormat::Html,
        ExportFormat::Markdown,
        ExportFormat::JsonLines,
    ];

    /// The name that wires use, which is also the file's ending.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::Html => "html",
            ExportFormat::Markdown => "md",
            ExportFormat::JsonLines => "jsonl",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<ExportFormat> {
        ExportFormat::ALL
            .into_iter()
            .find(|format| format.name() == name)
    }
}

/// A change of the model, field by field: nothing keeps what is, an empty text
/// goes back to the configured value (seed 000, `set_model`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelChange {
    /// The provider's name in the configuration. Empty or nothing keeps it.
    pub provider: Option<Text>,
    /// The model's id. Empty is the provider's configured one; nothing keeps
    /// the model, unless the provider changes.
    pub model: Option<Text>,
    /// How hard to think. `Some(None)` is the provider's own default.
    pub effort: Option<Option<Effort>>,
}

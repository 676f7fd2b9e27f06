//! A tool call on its way: what is asked, and how it ended.

use super::{CallId, Image, Text};

/// A JSON document, verbatim. The vocabulary carries it and never looks inside;
/// only the tool that it is meant for and the wire's edge read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document(pub Text);

impl Default for Document {
    fn default() -> Document {
        Document(Text::from("{}"))
    }
}

/// What kind of act a tool call is: what a person needs to know to allow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Looks at files of the workspace.
    Read,
    /// Changes files.
    Edit,
    /// Runs a command.
    Shell,
    /// Reaches the network.
    Web,
    /// A tool of an MCP server.
    Mcp,
    /// Starts a sub-agent.
    Agent,
    /// Touches nothing but the session: asking the user, the plan.
    Session,
}

/// A tool call as told to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Unique in the session.
    pub id: CallId,
    /// The tool's name.
    pub tool: Text,
    /// What kind of act it is.
    pub category: Category,
    /// One line for a person: the command, the path, the pattern.
    pub summary: Text,
    /// What the model wrote, verbatim. An unreadable input is carried as `{}`
    /// and its call fails.
    pub input: Document,
}

/// How a call ended. Each call of a model's message ends exactly once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// It did what it was asked.
    Done,
    /// It ran and failed, or could not be read.
    Failed,
    /// A rule or the mode forbids it: nobody was asked.
    Denied,
    /// Whoever was asked said no.
    Refused,
    /// A steer came before it started.
    Skipped,
    /// The turn was aborted before it ended.
    Aborted,
    /// The process died while it ran: it may have had effects.
    Unknown,
}

/// What a call gave. The text is what the model reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// Which call.
    pub call: CallId,
    /// The tool's name.
    pub tool: Text,
    /// How it ended.
    pub end: CallEnd,
    /// What the model reads. Never empty for a failure.
    pub text: Text,
    /// Pictures that go to the model with the text.
    pub images: Vec<Image>,
    /// The exit code of a command that ran to its end.
    pub exit_code: Option<i32>,
    /// True when the text is less than all: it says itself what is missing.
    pub truncated: bool,
    /// From start to end, in milliseconds; 0 for a call that never started.
    pub duration_ms: u64,
}

impl CallResult {
    /// True for every end but [`CallEnd::Done`].
    pub fn is_error(&self) -> bool {
        self.end != CallEnd::Done
    }
}

/// Which of a command's streams a chunk came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OutputStream {
    Stdout,
    Stderr,
}

//! Names of things. All are newtypes, so that no two kinds can be mixed up.

use std::fmt;
use std::sync::Arc;

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Millis(pub u64);

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a name as it is.
            pub fn new(name: impl Into<Arc<str>>) -> $name {
                $name(name.into())
            }

            /// The name as text, for a wire or a key.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

text_id! {
    /// A session: `YYYYMMDD-HHMMSS-xxxxxx` (UTC, six base-32 characters), safe
    /// as a file name. A sub-agent's session has such an id too.
    SessionId
}
text_id! {
    /// One call of a tool, unique in its session: minted by us, because
    /// providers repeat or leave out theirs. It also names the approval or the
    /// question that the call led to.
    CallId
}
text_id! {
    /// A sub-agent, by the id of its session.
    AgentId
}
number_id! {
    /// One turn: from 1, per session.
    TurnId
}
number_id! {
    /// One entry of the conversation (a message of any role): from 1, per
    /// session, never reused. Forks and rewinds name these.
    EntryId
}
number_id! {
    /// One command between a connection and a session.
    Ticket
}
number_id! {
    /// One attached client, unique in the process.
    SubscriberId
}

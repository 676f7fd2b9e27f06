//! Why a connection ended, and what the process tells by it.

/// How a connection ended. The codes are hm's (seed 000).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The input ended, and the work with it.
    InputEnded,
    /// SIGINT, SIGTERM or SIGHUP.
    Signal,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The session is gone for good.
    SessionClosed,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Exit::InputEnded => 0,
            Exit::Signal => 130,
            Exit::OutputClosed | Exit::SessionClosed => 1,
        }
    }
}

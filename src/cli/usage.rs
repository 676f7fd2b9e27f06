//! What a person is told whose command line cannot work.

/// For standard error, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The reason and the remedy; ends with a newline.
    pub text: String,
    /// 2 for the command line, 1 for a configuration that cannot be used.
    pub exit_code: u8,
}

impl Usage {
    /// A command line that cannot work.
    pub(super) fn wrong(reason: impl std::fmt::Display) -> Usage {
        Usage {
            text: format!("error: {reason}\n"),
            exit_code: 2,
        }
    }
}

impl From<crate::config::ConfigError> for Usage {
    fn from(error: crate::config::ConfigError) -> Usage {
        Usage {
            text: format!("error: {}\n", error.message),
            exit_code: error.exit_code,
        }
    }
}

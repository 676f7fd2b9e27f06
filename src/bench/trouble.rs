//! Why a figure is missing.

use std::fmt;

/// Why a measure gave no figure, or none that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It could not be measured here.
    Unmeasured(String),
    /// The daemon did not do what it promises, however fast it was.
    Broken(String),
    /// The user asked for the end.
    Stopped,
}

impl Trouble {
    pub fn unmeasured(reason: impl fmt::Display) -> Trouble {
        Trouble::Unmeasured(reason.to_string())
    }

    pub fn broken(reason: impl fmt::Display) -> Trouble {
        Trouble::Broken(reason.to_string())
    }

    /// `unmeasured`, `broken` or `stopped`.
    pub fn kind(&self) -> &'static str {
        match self {
            Trouble::Unmeasured(_) => "unmeasured",
            Trouble::Broken(_) => "broken",
            Trouble::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Unmeasured(reason) | Trouble::Broken(reason) => f.write_str(reason),
            Trouble::Stopped => f.write_str("the user asked for the end"),
        }
    }
}

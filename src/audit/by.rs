//! Who or what settled a record.

use greenroom_protocol::session::SettledBy;

/// Who or what settled a record, as far as operators tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A rule of a file, or several that together allowed the call.
    Rule,
    /// The mode, since no rule speaks.
    Mode,
    /// What no rule and no mode goes below.
    Floor,
    /// The guard itself: an unreadable command, a path outside the workspace,
    /// a malformed call, broken rules, a failure inside.
    Guard,
    /// A yes or no that was given for the rest of the session.
    Grant,
    /// A client: a person, or the program that hosts the session.
    Client,
    /// The command line's `--approve`.
    Policy,
    /// Nobody was there who could answer.
    Nobody,
    /// Nobody answered in time.
    Deadline,
    /// The turn was aborted.
    Abort,
    /// The process that asked was gone.
    Restart,
}

impl By {
    /// All of them.
    pub const ALL: [By; 11] = [
        By::Rule,
        By::Mode,
        By::Floor,
        By::Guard,
        By::Grant,
        By::Client,
        By::Policy,
        By::Nobody,
        By::Deadline,
        By::Abort,
        By::Restart,
    ];

    /// The name that flags and output use.
    pub const fn name(self) -> &'static str {
        match self {
            By::Rule => "rule",
            By::Mode => "mode",
            By::Floor => "floor",
            By::Guard => "guard",
            By::Grant => "grant",
            By::Client => "client",
            By::Policy => "policy",
            By::Nobody => "nobody",
            By::Deadline => "deadline",
            By::Abort => "abort",
            By::Restart => "restart",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.name() == name)
    }

    /// What a ruling says that it was ruled by. The journal has it as a text
    /// for people; the words are those of the guard's blames and of the turn.
    pub(super) fn of_ruling(rule: &str) -> By {
        let begins = |words: &[&str]| words.iter().any(|word| rule.starts_with(word));
        if begins(&["grant ", "refused for the session"]) {
            By::Grant
        } else if begins(&["allowed as amended"]) {
            By::Client
        } else if begins(&["mode "]) {
            By::Mode
        } else if rule == "floor" {
            By::Floor
        } else if begins(&["user ", "project ", "shipped "]) {
            By::Rule
        } else {
            By::Guard
        }
    }

    /// How an approval was settled.
    pub(super) fn of_settlement(by: SettledBy) -> By {
        match by {
            SettledBy::Client => By::Client,
            SettledBy::Policy => By::Policy,
            SettledBy::ClientsGone => By::Nobody,
            SettledBy::Deadline => By::Deadline,
            SettledBy::Abort => By::Abort,
            SettledBy::Restart => By::Restart,
        }
    }
}

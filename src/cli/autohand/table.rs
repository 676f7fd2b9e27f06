//! The flags that are known.

/// How many values follow a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    None,
    One,
    /// The next argument, unless it begins with `-`.
    Maybe,
    /// All arguments up to the next that begins with `-`.
    Many,
}

/// What a flag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// One of those that [`super::meaning`] acts on.
    Act(Act),
    /// Nothing here.
    Nothing,
    /// Nothing here, although it would forbid something: that is said aloud.
    NothingThoughItForbids,
}

/// Flags that act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Mode,
    Path,
    Model,
    Config,
    Thinking,
    Yolo,
    Yes,
    Unrestricted,
    Restricted,
    DryRun,
    PermissionMode,
    ClientContext,
    Ephemeral,
    Resume,
    Continue,
    Help,
    Version,
    // Our own, for those who know them.
    Provider,
    Effort,
    MaxSteps,
    Approve,
    Script,
    Log,
    LogFormat,
}

use Act::*;
use Does::{Nothing, NothingThoughItForbids};
use Values::{Many, Maybe, None, One};

const fn act(act: Act) -> Does {
    Does::Act(act)
}

/// Name, values, what it does. Those of the peer's documentation, of its
/// program and of its client libraries.
const FLAGS: &[(&str, Values, Does)] = &[
    ("--mode", One, act(Mode)),
    ("--path", One, act(Path)),
    ("--dir", One, act(Path)),
    ("--cwd", One, act(Path)),
    ("--model", One, act(Model)),
    ("--config", One, act(Config)),
    ("--thinking", Maybe, act(Thinking)),
    ("--yolo", Maybe, act(Yolo)),
    ("--yes", None, act(Yes)),
    ("-y", None, act(Yes)),
    ("--unrestricted", None, act(Unrestricted)),
    ("--restricted", None, act(Restricted)),
    ("--dry-run", None, act(DryRun)),
    ("--permission-mode", One, act(PermissionMode)),
    ("--ephemeral", None, act(Ephemeral)),
    ("--no-session", None, act(Ephemeral)),
    ("--resume", Maybe, act(Resume)),
    ("--session", One, act(Resume)),
    ("--continue", None, act(Continue)),
    ("--help", None, act(Help)),
    ("-h", None, act(Help)),
    ("--version", None, act(Version)),
    ("-V", None, act(Version)),
    ("--provider", One, act(Provider)),
    ("--effort", One, act(Effort)),
    ("--max-steps", One, act(MaxSteps)),
    ("--approve", One, act(Approve)),
    ("--script", One, act(Script)),
    ("--log", One, act(Log)),
    ("--log-format", One, act(LogFormat)),
    // What follows has no effect here.
    ("--permission-allow-list", Many, Nothing),
    ("--permission-deny-list", Many, NothingThoughItForbids),
    ("--offline", None, NothingThoughItForbids),
    ("--client-context", One, act(ClientContext)),
    ("--max-cost", One, NothingThoughItForbids),
    ("--yolo-timeout", One, NothingThoughItForbids),
    ("--prompt", One, Nothing),
    ("-p", One, Nothing),
    ("--timeout", One, Nothing),
    ("--temperature", One, Nothing),
    ("--max-tokens", One, Nothing),
    ("--add-dir", Many, Nothing),
    ("--worktree", Maybe, Nothing),
    ("--no-worktree", None, Nothing),
    ("--fork", One, Nothing),
    ("--sys-prompt", One, Nothing),
    ("--system-prompt", One, Nothing),
    ("--system-prompt-file", One, Nothing),
    ("--sys-prompt-file", One, Nothing),
    ("--append-sys-prompt", One, Nothing),
    ("--append-system-prompt", One, Nothing),
    ("--append-sys-prompt-file", One, Nothing),
    ("--append-system-prompt-file", One, Nothing),
    ("--mcp-config", One, Nothing),
    ("--agents", One, Nothing),
    ("--plugin-dir", One, Nothing),
    ("--bare", None, Nothing),
    ("--max-iterations", One, Nothing),
    ("--completion-promise", One, Nothing),
    ("--checkpoint-interval", One, Nothing),
    ("--max-runtime", One, Nothing),
    ("--context-compact", None, Nothing),
    ("--no-context-compact", None, Nothing),
    ("--no-idle-logout", None, Nothing),
    ("--display-language", One, Nothing),
    ("--search-engine", One, Nothing),
    ("-c", None, Nothing),
    ("--auto-commit", None, Nothing),
    ("--auto-mode", Maybe, Nothing),
    ("--auto-skill", None, Nothing),
    ("--debug", None, Nothing),
    ("--session-id", One, Nothing),
    ("--session-path", One, Nothing),
    ("--persist-session", None, Nothing),
    ("--auto-save-interval", One, Nothing),
    ("--skills", Many, Nothing),
    ("--skill-sources", Many, Nothing),
    ("--install-missing-skills", None, Nothing),
    ("--compression-threshold", One, Nothing),
    ("--summarization-threshold", One, Nothing),
    ("--agents-md", Maybe, Nothing),
    ("--no-agents-md", None, Nothing),
];

/// The flag of that name.
pub(super) fn find(name: &str) -> Option<(Values, Does)> {
    FLAGS
        .iter()
        .find(|(known, _, _)| *known == name)
        .map(|(_, values, does)| (*values, *does))
}

/// All names, to tell slips of the hand.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|(name, _, _)| *name)
}

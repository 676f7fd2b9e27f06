//! The kinds that are always there.

use greenroom_actors::subagents::AgentSpec;
use greenroom_protocol::session::Mode;

const REPORT: &str = "You are a sub-agent: another agent has given you a part of its work, and reads \
     your last message and nothing else. Do the whole of it and nothing beyond it. Then report what \
     you found or changed, with the paths and lines that matter, and what you could not do or are \
     not sure of.";

/// All of them.
pub(super) fn specs() -> [AgentSpec; 2] {
    [
        AgentSpec {
            name: "general".into(),
            description: "Has all tools. For a part of the work of several steps.".into(),
            system: REPORT.into(),
            ..AgentSpec::default()
        },
        AgentSpec {
            name: "explore".into(),
            description: "Reads and searches only, and changes nothing. For finding things out in \
                          many files."
                .into(),
            system: format!("{REPORT} You only look: you have no tools that change anything.")
                .into(),
            tools: Some(
                [
                    "read_file",
                    "list_files",
                    "find_files",
                    "search",
                    "ask_user",
                ]
                .map(Into::into)
                .to_vec(),
            ),
            mode: Some(Mode::Plan),
            ..AgentSpec::default()
        },
    ]
}

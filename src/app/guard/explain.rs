//! `guard explain`: what would be decided about a call, and by what.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use greenroom_actors::ports::{Act, Action, PlannedCall, ToolContext, Tools, Touch};
use greenroom_protocol::session::{Category, Document, Mode, SessionId, Text};
use serde_json::json;

use super::print;
use crate::app::parts::open_guard;
use crate::app::rpc::cannot_start;
use crate::cli::Usage;
use crate::config::{Config, choose_mode};
use crate::guard::{Blame, Decision, Verdict};
use crate::tool::{self, ToolSettings, Toolbox};

/// What is asked.
pub(super) struct Asked<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The command line, path, address or name, or an input in JSON.
    pub subject: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Nothing means the configured mode.
    pub mode: Option<&'a Mode>,
    /// Whether a sub-agent makes the call.
    pub sub_agent: bool,
}

/// Tells it; 1 when the rules are broken.
pub(super) fn run(config: &Config, asked: &Asked<'_>, json: bool) -> Result<u8, Usage> {
    let mode = match asked.mode {
        Some(mode) => choose_mode(mode.name(), &config.modes)
            .map_err(|fault| cannot_start(format!("--mode: {fault}"), 2))?,
        None => config.mode.clone(),
    };
    let guard = open_guard(config).map_err(|error| cannot_start(error, 1))?;
    let call = plan(asked, &mode)?;
    let act = Act {
        call: &call,
        mode: config.modes.base(&mode),
        named: mode.name(),
        root: Arc::new(asked.root.to_owned()),
        sub_agent: asked.sub_agent,
    };
    let decision = guard.decide(&act);
    let broken = decision.by == Blame::BrokenRules;
    print(&match json {
        true => object(asked, &mode, &call, &decision),
        false => lines(&mode, &call, &decision),
    })?;
    Ok(u8::from(broken))
}

fn plan(asked: &Asked<'_>, mode: &Mode) -> Result<PlannedCall, Usage> {
    let toolbox = Toolbox::new(ToolSettings::default());
    let specs = toolbox.specs();
    let known = specs.iter().find(|spec| *spec.name == *asked.tool);
    let is_input = asked.subject.trim_start().starts_with('{');
    if let Some(spec) = known
        && (is_input || spec.category == Category::Shell)
    {
        let input = match is_input {
            true => asked.subject.to_owned(),
            false => json!({"command": asked.subject}).to_string(),
        };
        return by_tool(&toolbox, asked, mode, input);
    }
    let category = match (known.map(|spec| spec.category), asked.tool) {
        (Some(category), _) => category,
        (None, "web") => Category::Web,
        (None, "mcp") => Category::Mcp,
        (None, "agent") => Category::Agent,
        (None, other) => {
            let names: Vec<&str> = specs.iter().map(|spec| &*spec.name).collect();
            let names = names.join(", ");
            let reason =
                format!("--tool: there is no tool {other:?}; there are {names}, web, mcp, agent");
            return Err(cannot_start(reason, 2));
        }
    };
    let touches = match category {
        Category::Read | Category::Edit => vec![touch(asked, category == Category::Edit)],
        _ => Vec::new(),
    };
    let has_target = matches!(category, Category::Web | Category::Mcp | Category::Agent);
    Ok(PlannedCall {
        tool: asked.tool.into(),
        category,
        summary: asked.subject.into(),
        command: None,
        target: has_target.then(|| Text::from(asked.subject)),
        touches,
        edits: Vec::new(),
        action: Action::Run(Document::default()),
    })
}

/// As a session would have it planned.
fn by_tool(
    toolbox: &Toolbox,
    asked: &Asked<'_>,
    mode: &Mode,
    input: String,
) -> Result<PlannedCall, Usage> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| cannot_start(format!("no runtime: {error}"), 1))?;
    let context = ToolContext {
        session: SessionId::new("explained"),
        root: Arc::new(asked.root.to_owned()),
        mode: mode.clone(),
    };
    let planning = toolbox.plan(asked.tool, &Document(input.into()), &context);
    let planned = runtime.block_on(planning);
    planned.map_err(|fault| cannot_start(format!("the call cannot be planned: {fault}"), 2))
}

/// A path as tools plan it: relative to the workspace.
fn touch(asked: &Asked<'_>, write: bool) -> Touch {
    let mut named = PathBuf::new();
    for part in asked.root.join(asked.subject).components() {
        match part {
            Component::ParentDir => {
                named.pop();
            }
            part => named.push(part),
        }
    }
    let path = tool::resolved(&named).unwrap_or_else(|| named.clone());
    Touch {
        inside: path.starts_with(asked.root),
        path,
        named,
        write,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

fn lines(mode: &Mode, call: &PlannedCall, decision: &Decision) -> String {
    let mut lines = vec![
        ("call", format!("{} {}", call.tool, call.summary)),
        ("mode", mode.name().to_owned()),
        ("verdict", word(decision.verdict).to_owned()),
        ("by", decision.by.to_string()),
    ];
    if !decision.reason.is_empty() {
        lines.push(("why", decision.reason.clone()));
    }
    if let Some(grant) = &decision.grant {
        lines.push((
            "grant",
            format!("a yes for the session covers {}", grant.covers),
        ));
    }
    let shown = |(name, text): (&str, String)| format!("{name:<8} {}\n", one_line(&text));
    lines.into_iter().map(shown).collect()
}

/// Control characters would be acted on by a terminal.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// `tool`, `call`, `root`, `mode`, `verdict` (`allow`, `ask`, `deny`), `by` in
/// words, `rules` and `on` of a rule's decision, `why`, `grant`: what a yes for
/// the session would cover.
fn object(asked: &Asked<'_>, mode: &Mode, call: &PlannedCall, decision: &Decision) -> String {
    let (rules, on) = match &decision.by {
        Blame::Rules { labels, on } => {
            let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
            (labels, (!on.is_empty()).then_some(on))
        }
        _ => (Vec::new(), None),
    };
    let object = json!({
        "tool": &*call.tool,
        "call": asked.subject,
        "root": asked.root.to_string_lossy(),
        "mode": mode.name(),
        "verdict": word(decision.verdict),
        "by": decision.by.to_string(),
        "rules": rules,
        "on": on,
        "why": (!decision.reason.is_empty()).then_some(&decision.reason),
        "grant": decision.grant.as_ref().map(|grant| &*grant.covers),
    });
    format!("{object}\n")
}

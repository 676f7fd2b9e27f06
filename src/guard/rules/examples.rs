//! `match` and `not_match`: calls that a rule must, and must not, decide.

use std::sync::Arc;

use greenroom_protocol::session::Mode;

use super::rule::{Rule, Subject, Who};
use super::{List, Rules};
use crate::guard::decision::{Blame, Verdict};
use crate::guard::evaluate::{Call, Scene};
use crate::guard::matching::{Place, Trail};
use crate::guard::modes::Base;

/// The examples of one rule.
pub(super) struct Examples {
    pub matching: Vec<String>,
    pub other: Vec<String>,
}

/// Where the examples take place.
const ROOT: &str = "/workspace";

/// Tries every example against the rule alone: in an empty workspace, without
/// links.
pub(super) fn check(
    rule: &Rule,
    list: List,
    examples: &Examples,
    home: Option<&str>,
) -> Result<(), String> {
    if examples.matching.is_empty() && examples.other.is_empty() {
        return Ok(());
    }
    let mut rules = Rules::default();
    let alone = vec![Arc::new(rule.clone())];
    match list {
        List::Deny => rules.deny = alone,
        List::Ask => rules.ask = alone,
        List::Allow => rules.allow = alone,
    }
    let decides = |example: &String| decides(rule, &rules, list, example, home);
    if let Some(example) = examples.matching.iter().find(|it| !decides(it)) {
        return Err(format!(
            "match: the rule does not cover {example:?}; correct the rule or the example"
        ));
    }
    if let Some(example) = examples.other.iter().find(|it| decides(it)) {
        return Err(format!(
            "not_match: the rule covers {example:?}; correct the rule or the example"
        ));
    }
    Ok(())
}

fn decides(rule: &Rule, rules: &Rules, list: List, example: &str, home: Option<&str>) -> bool {
    // The most careful mode that the rule holds in: the mode must not decide.
    let careful = [Base::Ask, Base::Plan, Base::Auto, Base::Full];
    let named = rule.modes.iter().flatten().next().map(String::as_str);
    let holds = |base: &Base| {
        let names = |name: &String| name == base.name();
        rule.modes
            .as_ref()
            .is_none_or(|modes| modes.iter().any(names))
    };
    let base = careful.into_iter().find(holds).unwrap_or(Base::Ask);
    let mut scene = Scene::plain(rules, Mode::Ask, ROOT, home);
    scene.mode = base;
    scene.named = named.unwrap_or(base.name());
    scene.sub_agent = rule.who == Who::Sub;
    let named = match example.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", home.unwrap_or("/home")),
        None if example.starts_with('/') => example.to_owned(),
        None => format!("{ROOT}/{example}"),
    };
    let trail = Trail::new(&named);
    let places = vec![(
        Place {
            named: trail.clone(),
            resolved: trail,
        },
        matches!(rule.subject, Subject::Edit(_)),
    )];
    let call = match &rule.subject {
        Subject::Shell(_) => Call::Shell {
            line: example,
            cwd: ROOT,
        },
        Subject::Edit(_) => Call::Paths { edit: true, places },
        Subject::Read(_) => Call::Paths {
            edit: false,
            places,
        },
        Subject::Web(_) => Call::Web(Some(example)),
        Subject::Mcp(_) => Call::Mcp(Some(example)),
        Subject::Agent(_) => Call::Agent(Some(example)),
        Subject::Tool(_) => Call::Session,
    };
    let tool = match &rule.subject {
        Subject::Tool(_) => example,
        _ => "",
    };
    let decision = scene.decide(tool, &call);
    let wanted = match list {
        List::Deny => Verdict::Deny,
        List::Ask => Verdict::Ask,
        List::Allow => Verdict::Allow,
    };
    let by_rule = matches!(decision.by, Blame::Rules { .. });
    decision.verdict == wanted && by_rule
}

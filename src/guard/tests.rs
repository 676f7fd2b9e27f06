use std::path::Path;
use std::sync::Arc;

use greenroom_actors::ports::{Act, Action, Guard, Judgement, Likeness, PlannedCall, Touch};
use greenroom_protocol::session::{Category, Document, Mode, Scope, Text};
use proptest::prelude::*;

use super::*;

mod ruled;

const CATEGORIES: [Category; 7] = [
    Category::Read,
    Category::Edit,
    Category::Shell,
    Category::Web,
    Category::Mcp,
    Category::Agent,
    Category::Session,
];

fn guard() -> GuardPolicy {
    GuardPolicy::new(
        RuleFiles::none(),
        vec!["/home/me/.config/greenroom".into(), "/state".into()],
    )
}

fn call(category: Category, touches: Vec<Touch>) -> PlannedCall {
    PlannedCall {
        tool: "some_tool".into(),
        category,
        summary: "x".into(),
        command: (category == Category::Shell).then(|| "make test".into()),
        target: None,
        touches,
        edits: Vec::new(),
        action: Action::Run(Document::default()),
    }
}

fn touch(path: &str, write: bool) -> Touch {
    Touch {
        path: path.into(),
        named: path.into(),
        write,
        inside: Path::new(path).starts_with("/w"),
    }
}

/// Where the sandbox is missing, what would run by itself is asked about, and
/// nothing else changes.
#[test]
fn without_the_sandbox_commands_are_asked_about() {
    let lacking = guard().lacking(Some("there is none"));
    for mode in [Mode::Plan, Mode::Ask, Mode::Auto, Mode::Full] {
        for category in CATEGORIES {
            let planned = inside(category);
            let usual = judge_with(&guard(), mode.clone(), &planned);
            let found = judge_with(&lacking, mode.clone(), &planned);
            let expected = match (category, &usual) {
                (Category::Shell, Judgement::Allow { .. }) => Judgement::Ask {
                    reason: "there is none".into(),
                    scopes: vec![Scope::Once],
                    by: "no sandbox".into(),
                },
                _ => usual,
            };
            assert_eq!(found, expected, "{mode:?} {category:?}");
        }
    }
}

fn judge_with(guard: &GuardPolicy, mode: Mode, planned: &PlannedCall) -> Judgement {
    guard.judge(&Act {
        call: planned,
        named: "some",
        mode,
        root: Arc::new("/w".into()),
        sub_agent: false,
    })
}

/// A call of a kind as the tools plan it, in the workspace.
fn inside(category: Category) -> PlannedCall {
    let touches = match category {
        Category::Read => vec![touch("/w/a", false)],
        Category::Edit => vec![touch("/w/a", true)],
        Category::Shell => vec![touch("/w", true)],
        _ => Vec::new(),
    };
    call(category, touches)
}

fn act(call: &PlannedCall, mode: Mode) -> Act<'_> {
    Act {
        call,
        named: "",
        mode,
        root: Arc::new("/w".into()),
        sub_agent: false,
    }
}

fn judge(call: &PlannedCall, mode: Mode) -> Judgement {
    guard().judge(&act(call, mode))
}

/// `+` runs, `?` asks, `??` asks and may be granted for the session, `-` is denied.
fn mark(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Allow { .. } => "+",
        Judgement::Ask { scopes, .. } if *scopes == [Scope::Once, Scope::Session] => "??",
        Judgement::Ask { scopes, .. } if *scopes == [Scope::Once] => "?",
        Judgement::Ask { .. } => "an odd set of scopes",
        Judgement::Deny { .. } => "-",
    }
}

#[test]
fn each_mode_judges_each_kind_of_call() {
    // Read, edit, shell, web, MCP, agent, session.
    let expected = [
        (Mode::Plan, ["+", "-", "??", "-", "-", "?", "+"]),
        (Mode::Ask, ["+", "??", "??", "?", "?", "?", "+"]),
        (Mode::Auto, ["+", "+", "??", "?", "?", "?", "+"]),
        (Mode::Full, ["+", "+", "+", "+", "+", "+", "+"]),
    ];
    for (mode, marks) in expected {
        let judged = CATEGORIES.map(|category| mark(&judge(&inside(category), mode.clone())));
        assert_eq!(judged, marks, "{mode:?}");
    }
}

#[test]
fn what_lies_outside_asks_in_every_mode_but_full() {
    let read = call(
        Category::Read,
        vec![touch("/w/a", false), touch("/etc/hosts", false)],
    );
    let edit = call(Category::Edit, vec![touch("/w-other/a", true)]);
    let shell = call(Category::Shell, vec![touch("/tmp", true)]);
    for call in [&read, &edit, &shell] {
        for mode in [Mode::Ask, Mode::Auto] {
            assert_eq!(mark(&judge(call, mode)), "?");
        }
        assert_eq!(mark(&judge(call, Mode::Full)), "+");
        assert_eq!(guard().likeness(&act(call, Mode::Auto)), None);
    }
    let expected = Judgement::Ask {
        reason: "/etc/hosts lies outside the workspace".into(),
        scopes: vec![Scope::Once],
        by: "outside the workspace".into(),
    };
    assert_eq!(judge(&read, Mode::Plan), expected);
    assert_eq!(mark(&judge(&edit, Mode::Plan)), "-");
}

#[test]
fn a_call_that_does_not_say_what_it_touches_asks() {
    for category in [Category::Read, Category::Edit] {
        let silent = call(category, Vec::new());
        assert_eq!(mark(&judge(&silent, Mode::Auto)), "?");
    }
    let writing_read = call(Category::Read, vec![touch("/w/a", true)]);
    assert_eq!(mark(&judge(&writing_read, Mode::Auto)), "?");
}

#[test]
fn the_floor_holds_in_full_too() {
    let cases = [
        ("/w/.git/hooks/pre-commit", true, "?"),
        ("/w/sub/.GIT/config", true, "?"),
        ("/w/.git/HEAD", false, "+"),
        ("/w/.gitignore", true, "+"),
        ("/w/.env", false, "?"),
        ("/w/.env.local", true, "?"),
        ("/w/.env.example", true, "+"),
        ("/w/certs/Key.PEM", false, "?"),
        ("/w/id_rsa.pub", false, "?"),
        ("/home/me/.ssh", false, "?"),
        ("/home/me/.ssh/config", false, "?"),
        ("/home/me/.AWS/credentials", false, "?"),
        ("/home/me/.gnupg/x", true, "?"),
        ("/home/me/.sshrc", false, "+"),
        ("/home/me/.config/greenroom/config.yaml", false, "?"),
        ("/home/me/.config/greenroom/config.yaml", true, "-"),
        ("/home/me/.config/greenroom-other", true, "+"),
        ("/state", true, "-"),
    ];
    for (path, write, expected) in cases {
        let category = if write {
            Category::Edit
        } else {
            Category::Read
        };
        // A harmless touch before it changes nothing.
        let call = call(category, vec![touch("/w/a", write), touch(path, write)]);
        assert_eq!(mark(&judge(&call, Mode::Full)), expected, "{path} {write}");
        if expected != "+" {
            let likeness = guard().likeness(&act(&call, Mode::Full));
            assert_eq!(likeness, None, "a grant must not cover {path}");
        }
    }
}

#[test]
fn reasons_tell_people_and_models_what_to_do() {
    let reason = |call: &PlannedCall, mode| match judge(call, mode) {
        Judgement::Allow { .. } => "allowed".into(),
        Judgement::Ask { reason, .. } | Judgement::Deny { reason, .. } => reason.to_string(),
    };
    assert_eq!(
        reason(&inside(Category::Edit), Mode::Plan),
        "mode plan is read-only: edits are not allowed until the user switches the mode to ask, \
         auto or full"
    );
    assert_eq!(
        reason(&inside(Category::Shell), Mode::Auto),
        "in mode auto shell commands are not run without asking"
    );
    let own = call(Category::Edit, vec![touch("/state/x", true)]);
    assert_eq!(
        reason(&own, Mode::Full),
        "/state/x belongs to Greenroom itself: no tool may write there"
    );
}

#[test]
fn likeness_is_the_command_in_its_folder_or_the_folders_of_edits() {
    let likeness = |call: &PlannedCall| guard().likeness(&act(call, Mode::Ask));
    let shell = inside(Category::Shell);
    let expected = Likeness {
        key: "shell\0/w\0First\u{1}\u{1}make\u{1}test".into(),
        covers: "make test".into(),
    };
    assert_eq!(likeness(&shell), Some(expected));
    let mut other = shell.clone();
    other.command = Some("make test && rm x".into());
    assert_ne!(likeness(&other), likeness(&shell));
    let deeper = call(Category::Shell, vec![touch("/w/sub", true)]);
    assert_ne!(likeness(&deeper), likeness(&shell));
    let expected = Likeness {
        key: "edit\0/w".into(),
        covers: "edits in /w".into(),
    };
    assert_eq!(likeness(&inside(Category::Edit)), Some(expected));
    for category in [
        Category::Read,
        Category::Web,
        Category::Mcp,
        Category::Agent,
    ] {
        assert_eq!(likeness(&inside(category)), None);
    }
    // Nothing is known of what these would do.
    assert_eq!(likeness(&call(Category::Edit, Vec::new())), None);
    let mut unknown = inside(Category::Shell);
    unknown.command = None;
    assert_eq!(likeness(&unknown), None);
}

proptest! {
    /// Whatever the call is, it is judged; and what may be granted for longer
    /// than once has a likeness.
    #[test]
    fn every_call_is_judged(
        category in prop::sample::select(&CATEGORIES[..]),
        mode in prop::sample::select(&Mode::BUILT_IN[..]),
        paths in prop::collection::vec(("/?[a-z./~é]{0,12}", any::<bool>(), any::<bool>()), 0..4),
        command in prop::option::of(".{0,20}"),
    ) {
        let mut call = call(category, Vec::new());
        call.command = command.map(Text::from);
        call.touches = paths
            .into_iter()
            .map(|(path, write, inside)| Touch { path: (&path).into(), named: path.into(), write, inside })
            .collect();
        let act = act(&call, mode);
        if let Judgement::Ask { reason, scopes, .. } = guard().judge(&act) {
            prop_assert!(!reason.is_empty());
            prop_assert!(scopes.contains(&Scope::Once));
            let likeness = guard().likeness(&act).is_some();
            prop_assert_eq!(scopes.contains(&Scope::Session), likeness);
        }
    }
}

use std::path::Path;
use std::sync::Arc;

use greenroom_actors::ports::{Act, Action, Guard, Judgement, PlannedCall, Touch};
use greenroom_protocol::session::{Category, Document, Mode, Scope, Text};
use proptest::prelude::*;

use super::*;

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
    let expected = "shell\0/w\0First\u{1}\u{1}make\u{1}test";
    assert_eq!(likeness(&shell), Some(expected.into()));
    let mut other = shell.clone();
    other.command = Some("make test && rm x".into());
    assert_ne!(likeness(&other), likeness(&shell));
    let deeper = call(Category::Shell, vec![touch("/w/sub", true)]);
    assert_ne!(likeness(&deeper), likeness(&shell));
    assert_eq!(likeness(&inside(Category::Edit)), Some("edit\0/w".into()));
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

/// A guard with these rules of the user, beside the shipped ones.
fn ruled(rules: &str) -> (tempfile::TempDir, GuardPolicy) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(USER_FILE), rules).unwrap();
    let home = Path::new("/home/me");
    let files = RuleFiles::load(
        Some(folder.path().to_owned()),
        Some(home),
        Default::default(),
    )
    .unwrap();
    let guard = GuardPolicy::new(files, vec!["/home/me/.config/greenroom".into()]);
    (folder, guard)
}

fn shell(line: &str) -> PlannedCall {
    let mut call = inside(Category::Shell);
    call.command = Some(line.into());
    call
}

/// The mark of a judgement, and what decided.
fn told(guard: &GuardPolicy, call: &PlannedCall, mode: Mode) -> (&'static str, String) {
    let judgement = guard.judge(&act(call, mode));
    let by = match &judgement {
        Judgement::Allow { by } | Judgement::Ask { by, .. } | Judgement::Deny { by, .. } => by,
    };
    (mark(&judgement), by.to_string())
}

const RULES: &str = "version: 1
deny:
  - {shell: {cmd: rm, has: [-r]}, name: trees, why: ask a person}
  - web: ['*.corp.example']
ask:
  - shell: git push
allow:
  - shell: go test
  - edit: [.vscode/settings.json, src/**]
  - mcp: [github/get_*]
";

#[test]
fn each_judgement_says_what_decided() {
    let (_folder, guard) = ruled(RULES);
    let web = |url: &str| PlannedCall {
        target: Some(url.into()),
        ..call(Category::Web, Vec::new())
    };
    let mcp = |name: &str| PlannedCall {
        target: Some(name.into()),
        ..call(Category::Mcp, Vec::new())
    };
    let edit = |path: &str| call(Category::Edit, vec![touch(path, true)]);
    let cases = [
        (shell("go test ./..."), "+", "user allow[0]"),
        (shell("ls src"), "+", "shipped allow[1] \"look at files\""),
        (
            shell("go vet; rm -fr x"),
            "-",
            "user deny[0] \"trees\" on rm -fr x",
        ),
        (shell("git push"), "?", "user ask[0] on git push"),
        (shell("make"), "??", "mode auto"),
        (shell("make $X"), "?", "unreadable command: expansion"),
        (shell("cat .env"), "?", "floor"),
        (shell("cat x > .git/hooks/y"), "?", "floor"),
        (
            shell("tee /home/me/.config/greenroom/guard.yaml"),
            "-",
            "floor",
        ),
        (shell("make > ../x"), "?", "outside the workspace"),
        (shell("make ../x"), "?", "mode auto"),
        (edit("/w/src/a"), "+", "user allow[1]"),
        (edit("/w/src/.env"), "?", "floor"),
        (edit("/w/.vscode/settings.json"), "+", "user allow[1]"),
        (edit("/w/.vscode/tasks.json"), "?", "floor"),
        (edit("/w/.greenroom/guard.yaml"), "-", "floor"),
        (edit("/w/sub/.Greenroom/GUARD.yaml"), "-", "floor"),
        (edit("/w/lib/a"), "+", "mode auto"),
        (
            web("https://a.corp.example/"),
            "-",
            "user deny[1] on a.corp.example",
        ),
        (web("https://docs.example/"), "??", "mode auto"),
        (web("http://10.0.0.1/"), "?", "mode auto"),
        (web("file:///etc/passwd"), "-", "malformed call"),
        (mcp("github/get_x"), "+", "user allow[2]"),
        (mcp("github/put_x"), "??", "mode auto"),
    ];
    for (call, expected, by) in cases {
        let found = told(&guard, &call, Mode::Auto);
        let what = (
            call.command.clone(),
            call.target.clone(),
            call.touches.clone(),
        );
        assert_eq!(found, (expected, by.to_owned()), "{what:?}");
    }
    let denied = guard.judge(&act(&shell("rm -r x"), Mode::Full));
    let expected = Judgement::Deny {
        reason: "ask a person (rm -r x is forbidden by the rule user deny[0] \"trees\")".into(),
        by: "user deny[0] \"trees\" on rm -r x".into(),
    };
    assert_eq!(denied, expected);
}

#[test]
fn the_shipped_rules_build_and_test_nothing() {
    let (_folder, guard) = ruled("version: 1");
    for line in [
        "go test ./...",
        "cargo test",
        "make",
        "npm test",
        "git status",
        "touch x",
        "find .",
    ] {
        assert_eq!(
            told(&guard, &shell(line), Mode::Auto),
            ("??", "mode auto".into()),
            "{line}"
        );
    }
    // No denial is shipped, so mode full runs what cannot be read.
    assert_eq!(
        told(&guard, &shell("for f in a; do echo $f; done"), Mode::Full).0,
        "+"
    );
}

#[test]
fn a_grant_covers_like_commands_and_no_others() {
    let (_folder, guard) = ruled("version: 1");
    let likeness = |line: &str| guard.likeness(&act(&shell(line), Mode::Auto));
    let same = |one: &str, other: &str| {
        let (one, other) = (likeness(one), likeness(other));
        assert!(one.is_some() && other.is_some(), "{one:?} {other:?}");
        one == other
    };
    assert!(same("go test ./a", "go  test -run 'X|Y' ./b"));
    assert!(same("npm run lint", "npm run lint -v"));
    assert!(same("make x", "make  'x'"));
    for (one, other) in [
        ("go test ./a", "go test -exec evil ./a"),
        ("go test ./a", "go vet ./a"),
        ("go test", "go test && go vet"),
        ("go test; go vet", "go test && go vet"),
        ("cargo build", "cargo build --config x"),
        ("git diff", "git diff --output=x"),
        ("git diff", "git -c x=y diff"),
        ("make a", "make b"),
        ("make 'a b'", "make a b"),
        ("make x", "CI=1 make x"),
        ("npm run a", "npm run b"),
        ("npm run a", "npm run a --script-shell=x"),
    ] {
        assert!(!same(one, other), "{one} {other}");
    }
    for none in [
        "make $X",
        "make ../x",
        "make > ../x",
        "cat .env",
        "cat *.rs",
        "PATH=x make",
        "",
    ] {
        assert_eq!(likeness(none), None, "{none}");
    }
}

#[test]
fn broken_rules_of_a_workspace_deny_everything() {
    let (_folder, guard) = ruled("version: 1");
    let workspace = tempfile::tempdir().unwrap();
    std::fs::create_dir(workspace.path().join(".greenroom")).unwrap();
    std::fs::write(workspace.path().join(PROJECT_FILE), "nonsense").unwrap();
    assert!(guard.check(workspace.path()).is_err());
    let call = inside(Category::Read);
    let act = Act {
        root: Arc::new(workspace.path().to_owned()),
        ..act(&call, Mode::Full)
    };
    let Judgement::Deny { reason, by } = guard.judge(&act) else {
        panic!("it is denied");
    };
    assert_eq!(&*by, "broken rules");
    assert!(reason.contains(".greenroom/guard.yaml:1:1"), "{reason}");
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

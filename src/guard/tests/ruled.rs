//! Judgements under rule files: what decided, the floor, grants.

use super::*;

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
        (shell("go test ./..."), "+", "user allow[0] (guard.yaml:8)"),
        (shell("ls src"), "+", "shipped allow[1] \"look at files\""),
        (
            shell("go vet; rm -fr x"),
            "-",
            "user deny[0] \"trees\" (guard.yaml:3) on rm -fr x",
        ),
        (
            shell("git push"),
            "?",
            "user ask[0] (guard.yaml:6) on git push",
        ),
        (shell("make"), "??", "mode auto"),
        (shell("make $X"), "?", "unreadable command: expansion"),
        (shell("cat .env"), "?", "floor"),
        (shell("cat .e*"), "?", "floor"),
        (shell("grep -fid_rsa x"), "?", "floor"),
        (shell("grep -nHfid_rsa x"), "?", "floor"),
        (shell("grep -nf=x x"), "??", "mode auto"),
        (shell("cat x > .git/hooks/y"), "?", "floor"),
        (
            shell("tee /home/me/.config/greenroom/guard.yaml"),
            "-",
            "floor",
        ),
        (shell("make > ../x"), "?", "outside the workspace"),
        (shell("make ../x"), "?", "mode auto"),
        (edit("/w/src/a"), "+", "user allow[1] (guard.yaml:9)"),
        (edit("/w/src/.env"), "?", "floor"),
        (
            edit("/w/.vscode/settings.json"),
            "+",
            "user allow[1] (guard.yaml:9)",
        ),
        (edit("/w/.vscode/tasks.json"), "?", "floor"),
        (edit("/w/.greenroom/guard.yaml"), "-", "floor"),
        (edit("/w/sub/.Greenroom/GUARD.yaml"), "-", "floor"),
        (edit("/w/lib/a"), "+", "mode auto"),
        (
            web("https://a.corp.example/"),
            "-",
            "user deny[1] (guard.yaml:4) on a.corp.example",
        ),
        (web("https://docs.example/"), "??", "mode auto"),
        (web("http://10.0.0.1/"), "?", "mode auto"),
        (web("file:///etc/passwd"), "-", "malformed call"),
        (mcp("github/get_x"), "+", "user allow[2] (guard.yaml:10)"),
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
        reason:
            "ask a person (rm -r x is forbidden by the rule user deny[0] \"trees\" (guard.yaml:3))"
                .into(),
        by: "user deny[0] \"trees\" (guard.yaml:3) on rm -r x".into(),
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
        "echo x",
        "cat x",
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
fn a_grant_says_in_words_what_it_covers() {
    let (_folder, guard) = ruled("version: 1");
    let covers = |call: &PlannedCall| {
        let likeness = guard.likeness(&act(call, Mode::Ask));
        likeness.map(|it| it.covers.to_string())
    };
    for (line, expected) in [
        ("cargo test", "cargo test …"),
        ("go  test ./a && make 'a b'", "go test … && make \"a b\""),
        (
            "npm run lint -v; make x&make",
            "npm run lint …; make x & make",
        ),
        (
            "CI=1 cargo test > log | tee l",
            "CI=1 cargo test > log | tee l",
        ),
        ("make '' '\n' < a || true", "make \"\" \"\\n\" < a || true"),
        ("make '; rm x'", "make \"; rm x\""),
    ] {
        assert_eq!(covers(&shell(line)).as_deref(), Some(expected));
    }
    let mut deeper = shell("cargo test");
    deeper.touches = vec![touch("/w/my sub", true)];
    assert_eq!(
        covers(&deeper).as_deref(),
        Some("cargo test … in \"/w/my sub\"")
    );
    let edits = call(
        Category::Edit,
        vec![
            touch("/w/src/b", true),
            touch("/w/a", true),
            touch("/w/src/a", true),
        ],
    );
    assert_eq!(covers(&edits).as_deref(), Some("edits in /w, /w/src"));
    for (category, target, expected) in [
        (Category::Web, "https://Docs.rs/x", "requests to docs.rs"),
        (Category::Mcp, "github/get_x", "calls of github/get_x"),
    ] {
        let call = PlannedCall {
            target: Some(target.into()),
            ..call(category, Vec::new())
        };
        assert_eq!(covers(&call).as_deref(), Some(expected));
    }
    assert_eq!(covers(&shell("make $X")), None);
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

/// What jobs plan (`src/tool/jobs`): a start that outlives its session, and text
/// for one that runs.
#[test]
fn a_rule_for_a_command_lets_no_detached_start_and_no_input_through() {
    let (_folder, guard) = ruled(RULES);
    let detached = shell("setsid --fork bash -c 'go test ./...'");
    let input = shell("go test <<'INPUT'\ny\nINPUT");
    // A grant for that very start, to the letter, may be given.
    for (call, expected) in [(&detached, "??"), (&input, "?")] {
        for mode in [Mode::Ask, Mode::Auto, Mode::Plan] {
            assert_eq!(told(&guard, call, mode).0, expected, "{call:?}");
        }
    }
    let forbidden = [
        shell("setsid --fork bash -c 'rm -r x'"),
        shell("bash <<'INPUT'\nrm -r x\nINPUT"),
    ];
    for call in &forbidden {
        assert_eq!(told(&guard, call, Mode::Full).0, "-", "{call:?}");
    }
    let (_folder, guard) = ruled("version: 1\n");
    for call in [&detached, &input] {
        assert_eq!(told(&guard, call, Mode::Full).0, "+", "{call:?}");
    }
}

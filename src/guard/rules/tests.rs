mod places;

use std::path::Path;

use super::*;

fn parse(text: &str) -> Result<RuleFile, String> {
    let file = Path::new("guard.yaml");
    RuleFile::parse(text, file, Origin::User, Some("/home/u")).map_err(|error| error.message)
}

#[test]
fn errors_name_file_line_column_and_the_remedy() {
    let cases = [
        (
            "deny: []",
            "guard.yaml:1:1: version is missing; write `version: 1` at the top",
        ),
        (
            "version: 2",
            "guard.yaml:1:1: version 2 is not known; this program reads version 1",
        ),
        (
            "version: 1\nalow: []",
            "guard.yaml:1:1: unknown key \"alow\"; there are version, opaque, env_safe, deny, ask and allow",
        ),
        (
            "version: 1\ndeny: []\ndeny: []",
            "guard.yaml:1:1: \"deny\" stands there twice",
        ),
        (
            "version: 1\ndeny:\n  - shell: any\n  - why: x",
            "guard.yaml:4:5: deny[1]: it says nothing; give it one of shell, edit, read, web, mcp, agent, tool",
        ),
        (
            "version: 1\ndeny:\n  - {shell: any, edit: x}",
            "guard.yaml:3:5: deny[0]: it has shell and edit; make two rules of it",
        ),
        (
            "version: 1\ndeny:\n  - {shell: any, shell: x}",
            "guard.yaml:3:5: deny[0]: \"shell\" stands there twice",
        ),
        (
            "version: 1\nallow:\n  - edit: [a/../b]",
            "guard.yaml:3:5: allow[0]: edit: \"a/../b\": `..` is not followed; write where it leads",
        ),
        (
            "version: 1\nallow:\n  - mcp: ['*/get']",
            "guard.yaml:3:5: allow[0]: mcp: \"*/get\": to allow, the server must be named whole",
        ),
        (
            "version: 1\ndeny:\n  - shell: {cmd: rm, not: [-i]}",
            "guard.yaml:3:5: deny[0]: shell: `not` and `args` are for allow: a rule that stops calls must not be escaped by adding words",
        ),
        (
            "version: 1\nallow:\n  - shell: go test\n    match: [go vet]",
            "guard.yaml:3:5: allow[0]: match: the rule does not cover \"go vet\"; correct the rule or the example",
        ),
        (
            "version: 1\nallow:\n  - shell: go test\n    not_match: [go test x]",
            "guard.yaml:3:5: allow[0]: not_match: the rule covers \"go test x\"; correct the rule or the example",
        ),
        (
            "version: 1\nenv_safe: [LD_PRELOAD]",
            "guard.yaml:1:1: env_safe: LD_PRELOAD makes programs run other ones; allow the whole command by a rule instead",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn nonsense_is_refused() {
    for text in [
        "",
        "version: 1\n---\nversion: 1",
        "version: 1\ndeny: ~",
        "version: 1\ndeny:\n  - shell: ~",
        "version: 1\ndeny:\n  - shell: []",
        "version: 1\ndeny:\n  - shell: [[]]",
        "version: 1\ndeny:\n  - shell: ''",
        "version: 1\ndeny:\n  - shell: a; b",
        "version: 1\ndeny:\n  - shell: a > b",
        "version: 1\ndeny:\n  - shell: A=1 b",
        "version: 1\ndeny:\n  - shell: [sleep, 5]",
        "version: 1\ndeny:\n  - shell: ['...', x]",
        "version: 1\ndeny:\n  - shell: {has: [-x]}",
        "version: 1\ndeny:\n  - shell: {cmd: a, hass: [-x]}",
        "version: 1\ndeny:\n  - shell: {cmd: a, args: outside}",
        "version: 1\nallow:\n  - shell: {cmd: a, exact: true, has: [-x]}",
        "version: 1\ndeny:\n  - {shell: a, in: nobody}",
        "version: 1\ndeny:\n  - {web: 'https://a.example'}",
        "version: 1\ndeny:\n  - {mcp: server}",
        "version: 1\ndeny:\n  - {read: '~root/x'}",
        "version: 1\ndeny:\n  - read: *x",
        "version: 1\ndeny:\n\t- read: x",
        "version: 1\nopaque: perhaps",
        "version: 1\nenv_safe: ['A B']",
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with("guard.yaml"), "{text}: {error}");
    }
    let deep = format!("version: 1\ndeny: {}", "[".repeat(5_000));
    assert!(parse(&deep).is_err());
}

#[test]
fn examples_are_tried_for_every_subject() {
    let good = "version: 1
deny:
  - {shell: {cmd: rm, has: [-r]}, match: [rm -fr x, sudo rm -r y], not_match: [rm x]}
  - {read: '~/.ssh/**', match: ['~/.ssh/id'], not_match: ['~/.bashrc']}
  - {web: '*.corp.example', match: ['https://a.corp.example/x'], not_match: ['https://corp.example']}
  - {tool: 'search*', match: [search_files], not_match: [shell]}
  - {shell: any, in: sub, match: [ls]}
ask:
  - {mcp: 'github/merge_*', match: [github/merge_pr], not_match: [github/get]}
allow:
  - {edit: 'src/**', modes: [full], match: [src/a], not_match: [lib/a]}
  - {agent: review*, match: [reviewer], not_match: [writer]}
";
    parse(good).unwrap();
}

#[test]
fn the_strictest_word_on_unreadable_commands_counts() {
    let file = |opaque| RuleFile {
        opaque,
        ..RuleFile::default()
    };
    let merged = |one, other| Rules::of([&file(one), &file(other)]).opaque;
    assert_eq!(merged(None, None), Opaque::Ask);
    assert_eq!(merged(Some(Opaque::Allow), None), Opaque::Allow);
    assert_eq!(merged(Some(Opaque::Allow), Some(Opaque::Ask)), Opaque::Ask);
    assert_eq!(
        merged(Some(Opaque::Deny), Some(Opaque::Allow)),
        Opaque::Deny
    );
}

#[test]
fn a_file_that_nobody_trusts_only_tightens() {
    let text = "version: 1\nopaque: allow\nenv_safe: [X]\ndeny: [{shell: a}]\nask: [{shell: b}]\nallow: [{shell: any}]";
    let file = parse(text).unwrap();
    let tight = file.tightening();
    assert_eq!(
        (tight.opaque, tight.env_safe.len(), tight.allow.len()),
        (None, 0, 0)
    );
    assert_eq!((&tight.deny, &tight.ask), (&file.deny, &file.ask));
}

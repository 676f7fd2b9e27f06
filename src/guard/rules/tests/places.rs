//! Where rules stand in their files, and how they are shown.

use std::path::Path;

use expect_test::expect;

use super::super::*;

fn labels(text: &str) -> Vec<String> {
    let path = Path::new("/h/guard.yaml");
    let mut file = RuleFile::parse(text, path, Origin::User, Some("/h")).unwrap();
    file.name_lines(text, path);
    let rules = file.deny.iter().chain(&file.ask).chain(&file.allow);
    rules.map(|rule| rule.label.to_string()).collect()
}

const BLOCK: &str = "\
# Mine.
version: 1
allow:

  - shell: ls
    match:
      - ls
      - ls -l
  # This one too.
  -
    shell: {cmd: make, args: inside}
deny:   # never
- {shell: a, name: x}
- shell: b
  why: |
    - no
      - item
    - here
ask: [{shell: c}, {edit: d}] # both
";

#[test]
fn labels_lead_to_the_lines() {
    let expected = [
        "user deny[0] \"x\" (guard.yaml:13)",
        "user deny[1] (guard.yaml:14)",
        "user ask[0] (guard.yaml:19)",
        "user ask[1] (guard.yaml:19)",
        "user allow[0] (guard.yaml:5)",
        "user allow[1] (guard.yaml:10)",
    ];
    assert_eq!(labels(BLOCK), expected);
}

/// A wrong line would be worse than none.
#[test]
fn lines_that_are_not_sure_are_none() {
    for text in [
        "{version: 1, deny: [{shell: a}]}\n",
        "version: 1\ndeny: [\n  {shell: a}\n]\n",
        "version: 1\n\"deny\":\n  - shell: a\n",
        "version: 1\ndeny: &all\n  - shell: a\n",
    ] {
        assert_eq!(labels(text), ["user deny[0]"], "{text}");
    }
}

#[test]
fn a_file_is_shown_as_it_was_written() {
    let text = "version: 1\nopaque: deny\nenv_safe: A\ndeny:\n  - name: n\n    match: rm -r -f x\n    shell: {cmd: rm, has: [[-r, --recursive], -f]}\n    why: \"a\\u202eb: \\u001b[1m\"\nallow:\n  - read: [\"src/**\", \"- x\", \"yes\"]\n";
    let outline = Outline::of(text).unwrap();
    expect![[r#"
        Outline {
            opaque: Some(
                "deny",
            ),
            env_safe: [
                "A",
            ],
            rules: [
                Outlined {
                    list: Deny,
                    index: 0,
                    line: Some(
                        5,
                    ),
                    rule: "shell: {cmd: rm, has: [[-r, --recursive], -f]}, name: n, why: \"a\\u{202e}b: \\u{1b}[1m\"",
                },
                Outlined {
                    list: Allow,
                    index: 0,
                    line: Some(
                        10,
                    ),
                    rule: "read: [\"src/**\", \"- x\", \"yes\"]",
                },
            ],
        }
    "#]].assert_debug_eq(&outline);
    assert_eq!(Outline::of("a: ["), None);
}

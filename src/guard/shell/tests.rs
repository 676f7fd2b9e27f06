use proptest::prelude::*;

use super::*;

/// `[word word] -op- [word]`, or the reason.
fn shown(line: &str) -> String {
    let commands = match read(line, Dialect::Bash) {
        Ok(commands) => commands,
        Err(Opaque(reason)) => return format!("opaque: {reason}"),
    };
    let one = |command: &Simple| {
        let mut parts = vec![format!("{:?}", command.join)];
        parts.extend(command.assignments.iter().map(|(n, v)| format!("{n}={v}")));
        parts.extend(command.argv.iter().map(|word| format!("[{}]", word.text)));
        let file = |it: &Redirect| format!("{:?}({})", it.direction, it.target.text);
        parts.extend(command.redirects.iter().map(file));
        parts.join(" ")
    };
    commands.iter().map(one).collect::<Vec<_>>().join(" | ")
}

#[test]
fn lines_are_read_exactly_or_not_at_all() {
    let cases = [
        ("", ""),
        ("go test ./...", "First [go] [test] [./...]"),
        ("a 'b c'\"d\"\\ e", "First [a] [b cd e]"),
        (
            "a;b&c&&d||e|f|&g",
            "First [a] | Then [b] | Background [c] | And [d] | Or [e] | Pipe [f] | Pipe [g]",
        ),
        ("A=1 B= c >f 2>&1 <g", "First A=1 B= [c] To(f) From(g)"),
        ("a &>f &>>g >|h", "First [a] To(f) To(g) To(h)"),
        ("a # b; c\nd", "First [a] | Then [d]"),
        ("a#b \\\n#c", "First [a#b]"),
        ("r\\\nm x", "First [rm] [x]"),
        ("a &&\n\n b", "First [a] | And [b]"),
        ("time -p go test", "First [time] [-p] [go] [test]"),
        ("a \"\\$x\\q\"", "First [a] [$x\\q]"),
        ("a {} 2", "First [a] [{}] [2]"),
        ("a '' b", "First [a] [] [b]"),
        ("a ~ ~/x", "First [a] [~] [~/x]"),
        ("a $x", "opaque: expansion"),
        ("a \"`b`\"", "opaque: command substitution"),
        ("a ~root", "opaque: tilde"),
        ("a=~/x b", "opaque: tilde"),
        ("(a)", "opaque: parenthesis"),
        ("a <<E", "opaque: here-document"),
        ("a <>f", "opaque: <> redirection"),
        (
            "a >&f",
            "opaque: copy of a descriptor that is not one digit",
        ),
        ("a 12>f", "opaque: odd descriptor"),
        ("a 2\\\n>f", "opaque: odd descriptor"),
        ("a &\\\n& b", "opaque: line continuation after an operator"),
        ("a >\\\n>f", "opaque: escape after an operator"),
        ("a > *", "opaque: pattern in a redirection"),
        ("a {b,c}", "opaque: brace"),
        ("a ;; b", "opaque: ;;"),
        ("; a", "opaque: empty command"),
        ("a |", "opaque: operator at the end"),
        ("a 'b", "opaque: quote without its end"),
        ("if a", "opaque: reserved word"),
        ("'if' a", "opaque: reserved word"),
        ("time if a", "opaque: reserved word"),
        ("l* a", "opaque: expansion in a command's name"),
        ("'A=1' a", "opaque: quoted assignment"),
        ("\u{0440}m x", "opaque: command name outside ASCII"),
        ("a\u{200b}", "opaque: control or invisible character"),
        ("a\rb", "opaque: control or invisible character"),
    ];
    for (line, expected) in cases {
        assert_eq!(shown(line), expected, "{line:?}");
    }
}

#[test]
fn a_plain_shell_knows_less() {
    for line in ["a &>f", "a |& b"] {
        assert!(read(line, Dialect::Bash).is_ok(), "{line}");
        assert!(read(line, Dialect::Posix).is_err(), "{line}");
    }
}

#[test]
fn limits_hold() {
    let commands = |count: usize| vec!["a"; count].join(";");
    assert!(read(&commands(MOST_COMMANDS), Dialect::Bash).is_ok());
    assert!(read(&commands(MOST_COMMANDS + 1), Dialect::Bash).is_err());
    assert!(read(&"a".repeat(LONGEST), Dialect::Bash).is_ok());
    assert!(read(&"a".repeat(LONGEST + 1), Dialect::Bash).is_err());
}

#[test]
fn disguises_are_seen_through() {
    let seen = |text: &str| {
        suspects(text)
            .into_iter()
            .any(|words| words.windows(2).any(|pair| pair == ["rm", "-r"]))
    };
    for text in [
        "$(rm -r x)",
        "{rm,-r,x}",
        "r''m${IFS}-r x",
        "$'rm' -r",
        "if x; then rm -r y",
    ] {
        assert!(seen(text), "{text}");
    }
    assert!(!seen("echo warm -r"));
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(line in ".{0,60}", shellish in r#"[a-z \\"'$`;&|<>(){}~#*\n=0-9é-]{0,60}"#) {
        for line in [line, shellish] {
            for dialect in [Dialect::Bash, Dialect::Posix] {
                if let Ok(commands) = read(&line, dialect) {
                    prop_assert!(commands.len() <= MOST_COMMANDS);
                }
            }
            suspects(&line);
        }
    }
}

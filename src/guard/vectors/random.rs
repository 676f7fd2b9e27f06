//! Random and disguised commands against the rules of the vectors; the long
//! version is `examples/guard_fuzz`.

use greenroom_protocol::session::Mode;
use proptest::prelude::*;

use super::Fixture;
use crate::guard::decision::Verdict;
use crate::guard::evaluate::Call;

/// Ways to run `@`.
const CONTEXTS: &[&str] = &[
    "@",
    "a; @",
    "a && @",
    "a || @",
    "a | @",
    "a & @",
    "a\n@",
    "(@)",
    "{ @; }",
    "! @",
    "$(@)",
    "`@`",
    "a \"$(@)\"",
    "if a; then @; fi",
    "for x in a; do @; done",
    "f() { @; }; f",
    "eval '@'",
    "sh -c '@'",
    "bash -lc \"@\"",
    "sudo @",
    "env A=1 @",
    "timeout -k 1 9 @",
    "nice -n5 @",
    "xargs @",
    "find . -exec @ ;",
    "command @",
    "A=1 @",
    ">f @",
    "busybox sh -c '@'",
    "time -p @",
    "cat <<E\n$(@)\nE",
    "trap '@' EXIT",
    "ssh host '@'",
    "docker exec x @",
    "git -c alias.x='!@' x",
    "env -S '@'",
    "env '-S@'",
];

/// Ways to write a command that a crude look still sees through.
fn disguise(command: &str, how: usize) -> String {
    let (first, rest) = command.split_at(1);
    match how {
        0 => format!("{first}\"\"{rest}"),
        1 => format!("\\{command}"),
        2 => format!("{first}\\\n{rest}"),
        3 => command.replace(' ', "\t "),
        4 => command.replace(' ', "${IFS}"),
        5 => format!("/bin/{command}"),
        _ => command.to_owned(),
    }
}

#[test]
fn a_forbidden_command_runs_unasked_in_no_disguise() {
    let fixture = Fixture::new();
    for context in CONTEXTS {
        for how in 0..7 {
            for command in [
                "rm -r x",
                "rm x -fR",
                "rm --rec x",
                "curl x",
                "cat ~/.ssh/id",
            ] {
                let line = context.replace('@', &disguise(command, how));
                for mode in [Mode::Ask, Mode::Full] {
                    let decision = fixture.shell("open", mode.clone(), &line);
                    assert_ne!(decision.verdict, Verdict::Allow, "{mode:?} {line:?}");
                }
            }
        }
    }
}

#[test]
fn a_plain_forbidden_command_is_denied_everywhere() {
    let fixture = Fixture::new();
    for context in CONTEXTS {
        let line = context.replace('@', "rm -r x");
        let decision = fixture.shell("open", Mode::Full, &line);
        assert_eq!(
            decision.verdict,
            Verdict::Deny,
            "{line:?}: {}",
            decision.reason
        );
    }
}

/// Marks that change what a line means.
const MARKS: &[&str] = &[
    ";", "&", "|", "\n", "'", "\"", "\\", "`x`", "$(x)", "$x", "(", "{", "<f", ">f", ">>../f", "~",
    "*", " x", "\r", "\u{200b}", "\u{a0}", "é", "=", " A=1 ", "\\\n", " -exec x", "&&x", "||x",
    "#",
];

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in ".{0,80}", shellish in r#"[a-z \\"'$`;&|<>(){}~#*\n=0-9é./-]{0,80}"#) {
        let fixture = Fixture::new();
        for set in ["base", "open", "wide", "closed", "empty"] {
            for mode in Mode::BUILT_IN {
                fixture.shell(set, mode.clone(), &line);
                fixture.shell(set, mode, &shellish);
            }
        }
        let scene = fixture.scene("base", Mode::Ask);
        for text in [line.as_str(), shellish.as_str()] {
            let name = Some(text);
            scene.decide(text, &Call::Web(name));
            scene.decide(text, &Call::Mcp(name));
            scene.decide(text, &Call::Agent(name));
            let url = format!("https://{text}");
            scene.decide("fetch", &Call::Web(Some(&url)));
        }
    }

    /// A changed line that is still allowed has only words of allowed programs.
    #[test]
    fn changes_do_not_smuggle_commands_in(at in 0usize..40, mark in prop::sample::select(MARKS)) {
        let fixture = Fixture::new();
        for seed in ["go test ./...", "git status", "cat src/a | head", "echo done", "make check"] {
            let at = at.min(seed.len());
            let line = format!("{}{mark}{}", &seed[..at], &seed[at..]);
            if fixture.shell("base", Mode::Ask, &line).verdict != Verdict::Allow {
                continue;
            }
            let commands = crate::guard::shell::read(&line, crate::guard::shell::Dialect::Bash);
            for command in commands.expect("only what is read exactly is allowed") {
                let program = command.argv.first().map(|word| word.text.as_str());
                let known = ["go", "git", "cat", "head", "echo", "make", "sort", "ls", "cd"];
                prop_assert!(program.is_none_or(|it| known.contains(&it)), "{line:?}");
            }
        }
    }
}

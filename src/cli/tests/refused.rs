//! Command lines that cannot work.

use expect_test::{Expect, expect};

use super::{parse, parse_as};

/// The reasons, one a line; clap's further lines are left out.
fn check_refused(lines: &[&str], expected: Expect) {
    let mut shown = String::new();
    for line in lines {
        let usage = parse(line).unwrap_err();
        assert_eq!(usage.exit_code, 2, "{line}");
        assert!(usage.text.ends_with('\n'), "{line}");
        let reason = usage.text.lines().next().unwrap();
        shown.push_str(&format!("{line}\n    {reason}\n"));
    }
    expected.assert_eq(&shown);
}

#[test]
fn command_lines_that_cannot_work_are_refused() {
    check_refused(
        &[
            "",
            "agent",
            "agent --mode plan",
            "agent --rpc --cwd /no/such/folder",
            "agent --rpc --cwd /dev/null",
            "agent --rpc --effort extreme",
            "agent --rpc --max-steps 0",
            "agent --rpc --max-steps -1",
            "agent --rpc --max-steps many",
            "agent --rpc --max-steps 99999999999",
            "agent --rpc --approve none",
            "agent --rpc --session ../../etc/passwd",
            "agent --rpc --session",
            "agent --rpc --session a --continue",
            "agent --rpc --session a --no-session",
            "agent --rpc --continue --no-session",
            "agent --rpc --bogus",
            "agent --rpc --modle x",
            "agent --rpc fix the test",
            "agent --rpc --log loud",
            "agent --rpc --log-format xml",
            "agnet --rpc",
            "audit --since yesterday",
            "audit --limit 0",
            "audit --by clients",
            "guard",
            "guard check",
            "guard list --cwd /no/such/folder",
            "guard explain",
            "--config x",
            "--rpc",
            "--mode tui",
            "--mode",
            "--mode rpc --model",
            "--mode rpc --model --ephemeral",
            "--mode rpc --path /no/such/folder",
            "--mode rpc --path",
            "--mode rpc --thinking deeply",
            "--mode rpc --max-steps 0",
            "--mode rpc --log loud",
            "--mode rpc --resume a/b",
            "--mode rpc --session",
        ],
        expect![[r#"

                Hosts coding-agent sessions for other programs
            agent
                error: only `agent --rpc` is there yet: a program starts it and speaks JSON lines with it; add --rpc, or try `greenroom demo` to watch a session
            agent --mode plan
                error: only `agent --rpc` is there yet: a program starts it and speaks JSON lines with it; add --rpc, or try `greenroom demo` to watch a session
            agent --rpc --cwd /no/such/folder
                error: --cwd /no/such/folder: No such file or directory (os error 2); give a folder that exists with --cwd
            agent --rpc --cwd /dev/null
                error: --cwd /dev/null is not a folder; give a folder that exists with --cwd
            agent --rpc --effort extreme
                error: invalid value 'extreme' for '--effort <NAME>': unknown effort "extreme"; there are off, low, medium, high, xhigh, max
            agent --rpc --max-steps 0
                error: invalid value '0' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps -1
                error: invalid value '-1' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps many
                error: invalid value 'many' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --max-steps 99999999999
                error: invalid value '99999999999' for '--max-steps <N>': expected a whole number from 1 to 4294967295
            agent --rpc --approve none
                error: invalid value 'none' for '--approve <WHO>': there are ask, edits, all
            agent --rpc --session ../../etc/passwd
                error: invalid value '../../etc/passwd' for '--session <ID>': no session has such an id; an id looks like 20261106-091500-k3x7qa
            agent --rpc --session
                error: a value is required for '--session <ID>' but none was supplied
            agent --rpc --session a --continue
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --session a --no-session
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --continue --no-session
                error: --session, --continue and --no-session exclude each other; keep one of them
            agent --rpc --bogus
                error: unexpected argument '--bogus' found
            agent --rpc --modle x
                error: unexpected argument '--modle' found
            agent --rpc fix the test
                error: unexpected argument 'fix' found
            agent --rpc --log loud
                error: invalid value 'loud' for '--log <LEVEL>': unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug"
            agent --rpc --log-format xml
                error: invalid value 'xml' for '--log-format <FORMAT>': unknown log format "xml"; there are text, json
            agnet --rpc
                error: unrecognized subcommand 'agnet'
            audit --since yesterday
                error: invalid value 'yesterday' for '--since <TIME>': expected a time before now (90s, 30m, 2h, 7d, 2w), or a day or time in UTC (2026-12-01, 2026-12-01T08:00)
            audit --limit 0
                error: invalid value '0' for '--limit <N>': expected a whole number from 1 to 100000; --since and --until show more in parts
            audit --by clients
                error: invalid value 'clients' for '--by <WHO>': there are rule, mode, floor, guard, grant, client, policy, nobody, deadline, abort, restart (did you mean "client"?)
            guard
                Look at rule files, trust a project's, check one, try a call
            guard check
                error: the following required arguments were not provided:
            guard list --cwd /no/such/folder
                error: --cwd /no/such/folder: No such file or directory (os error 2); give a folder that exists with --cwd
            guard explain
                error: the following required arguments were not provided:
            --config x
                error: a command is missing: agent, demo, doctor, audit, guard, models or bench; `greenroom --help` has more
            --rpc
                error: unexpected argument '--rpc' found
            --mode tui
                error: --mode tui: only --mode rpc is there yet
            --mode
                error: --mode needs a value
            --mode rpc --model
                error: --model needs a value
            --mode rpc --model --ephemeral
                error: --model needs a value
            --mode rpc --path /no/such/folder
                error: --path /no/such/folder: No such file or directory (os error 2); give a folder that exists with --path
            --mode rpc --path
                error: --path needs a value
            --mode rpc --thinking deeply
                error: --thinking deeply: there are none, normal, extended
            --mode rpc --max-steps 0
                error: --max-steps: expected a whole number from 1 to 4294967295
            --mode rpc --log loud
                error: --log: unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug"
            --mode rpc --resume a/b
                error: --resume: no session has such an id; an id looks like 20261106-091500-k3x7qa
            --mode rpc --session
                error: --session needs a value
        "#]],
    );
    let usage = parse_as("autohand", "--ephemeral").unwrap_err();
    assert_eq!(
        usage.text,
        "error: only --mode rpc is there yet; add it, or see --help\n"
    );
}

//! What is wrong is said with its place and the remedy.

use std::fs;

use expect_test::expect;

use super::{World, env};
use crate::config::Config;

#[test]
fn errors_name_the_line_the_key_and_the_remedy() {
    let wrong = [
        "limits:\n  max_step: 5\n",
        "\nlimts: {}\n",
        "mode: auto\nmax_steps: 5\n",
        "log:\n  colour: red\n",
        "mode: atuo\n",
        "effort: 3\n",
        "limits: {max_steps: 0}\n",
        "limits: {max_steps: -1}\n",
        "limits: {max_steps: many}\n",
        "limits: {turn_cost_usd: 0}\n",
        "limits: {turn_cost_usd: .nan}\n",
        "limits: 5\n",
        "deadlines:\n  stall: 60\n",
        "deadlines:\n  stall: 60 parsecs\n",
        "deadlines:\n  stall: 0s\n",
        "deadlines:\n  stall: 99999999999999999999h\n",
        "deadlines:\n  stall: 800h\n",
        "deadlines:\n  approval: soon\n",
        "deadlines:\n  stall: off\n",
        "retries: {base: 2s, cap: 1s}\n",
        "output: {soft_bytes: 99999, hard_bytes: 2000}\n",
        "tools: {shell_timeout: 2s, shell_timeout_max: 1s}\n",
        "log: {level: loud}\n",
        "log: {format: xml}\n",
        "mode: auto\nmode: plan\n",
        "mode: [auto]\n",
        "a: b: c\n",
        "limits:\n\tmax_steps: 1\n",
        "mode: auto\n---\nmode: plan\n",
        "just text\n",
        "mode: *nothing\n",
        "tools: {env: [A=b]}\n",
        "default_provider: nobody\n",
        "default_provider: scriptd\n",
        "default_provider: openai\n",
    ];
    let mut shown = String::new();
    for yaml in wrong {
        let world = World::with(yaml);
        let error = world.load(&[("SOME_KEY", "k")]).unwrap_err();
        shown.push_str(&format!("{yaml:?}\n    {}\n", world.shown(&error)));
    }
    let expected = expect![[r#"
        "limits:\n  max_step: 5\n"
            @/config.yaml:2: unknown key "max_step" in limits (did you mean "max_steps"?) (exit 1)
        "\nlimts: {}\n"
            @/config.yaml:2: unknown key "limts" (did you mean "limits"?) (exit 1)
        "mode: auto\nmax_steps: 5\n"
            @/config.yaml:2: unknown key "max_steps"; it belongs under limits (exit 1)
        "log:\n  colour: red\n"
            @/config.yaml:2: unknown key "colour" in log; there are level, format (exit 1)
        "mode: atuo\n"
            @/config.yaml: mode: unknown mode "atuo" (did you mean "auto"?); there are plan, ask, auto, full (exit 1)
        "effort: 3\n"
            @/config.yaml:1: effort: expected one of off, low, medium, high, xhigh, max (exit 1)
        "limits: {max_steps: 0}\n"
            @/config.yaml:1: limits.max_steps: expected a whole number from 1 to 1000000 (exit 1)
        "limits: {max_steps: -1}\n"
            @/config.yaml:1: limits.max_steps: expected a whole number from 1 to 1000000 (exit 1)
        "limits: {max_steps: many}\n"
            @/config.yaml:1: limits.max_steps: expected a whole number from 1 to 1000000 (exit 1)
        "limits: {turn_cost_usd: 0}\n"
            @/config.yaml:1: limits.turn_cost_usd: expected an amount of US dollars above 0, such as 2.5 (exit 1)
        "limits: {turn_cost_usd: .nan}\n"
            @/config.yaml:1: limits.turn_cost_usd: expected an amount of US dollars above 0, such as 2.5 (exit 1)
        "limits: 5\n"
            @/config.yaml:1: limits: invalid type: integer `5`, expected a mapping of settings (exit 1)
        "deadlines:\n  stall: 60\n"
            @/config.yaml:2: deadlines.stall: expected a time with its unit, such as 500ms, 10s, 2m or 1h (exit 1)
        "deadlines:\n  stall: 60 parsecs\n"
            @/config.yaml:2: deadlines.stall: expected a time with its unit, such as 500ms, 10s, 2m or 1h (exit 1)
        "deadlines:\n  stall: 0s\n"
            @/config.yaml:2: deadlines.stall: the time must be above zero (exit 1)
        "deadlines:\n  stall: 99999999999999999999h\n"
            @/config.yaml:2: deadlines.stall: expected a time with its unit, such as 500ms, 10s, 2m or 1h (exit 1)
        "deadlines:\n  stall: 800h\n"
            @/config.yaml:2: deadlines.stall: the time must be at most 720h (exit 1)
        "deadlines:\n  approval: soon\n"
            @/config.yaml:2: deadlines.approval: expected a time with its unit, such as 500ms, 10s, 2m or 1h, or off (exit 1)
        "deadlines:\n  stall: off\n"
            @/config.yaml:2: deadlines.stall: expected a time with its unit, such as 500ms, 10s, 2m or 1h (exit 1)
        "retries: {base: 2s, cap: 1s}\n"
            @/config.yaml: retries.cap must be at least retries.base (exit 1)
        "output: {soft_bytes: 99999, hard_bytes: 2000}\n"
            @/config.yaml: output.hard_bytes must be at least output.soft_bytes (exit 1)
        "tools: {shell_timeout: 2s, shell_timeout_max: 1s}\n"
            @/config.yaml: tools.shell_timeout_max must be at least tools.shell_timeout (exit 1)
        "log: {level: loud}\n"
            @/config.yaml:1: log.level: unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug" (exit 1)
        "log: {format: xml}\n"
            @/config.yaml:1: log.format: unknown log format "xml"; there are text, json (exit 1)
        "mode: auto\nmode: plan\n"
            @/config.yaml:1: "mode" stands there twice (exit 1)
        "mode: [auto]\n"
            @/config.yaml:1: mode: invalid type: sequence, expected a string (exit 1)
        "a: b: c\n"
            @/config.yaml:1: unknown key "a"; there are providers, default_provider, mode, modes, titles, instructions, effort, limits, deadlines, retries, tools, sandbox, web, input, output, log, journal, compaction, agents, mcp (exit 1)
        "limits:\n\tmax_steps: 1\n"
            @/config.yaml:2: found character that cannot start any token; YAML indents with blanks, not with tabs (exit 1)
        "mode: auto\n---\nmode: plan\n"
            @/config.yaml: there is more than one YAML document; keep one (exit 1)
        "just text\n"
            @/config.yaml:1: invalid type: text, expected a mapping of settings (exit 1)
        "mode: *nothing\n"
            @/config.yaml:1: unknown anchor (exit 1)
        "tools: {env: [A=b]}\n"
            @/config.yaml: tools.env takes names of environment variables, no values (exit 1)
        "default_provider: nobody\n"
            @/config.yaml: default_provider: there is no provider "nobody"; there are scripted (exit 1)
        "default_provider: scriptd\n"
            @/config.yaml: default_provider: there is no provider "scriptd" (did you mean "scripted"?); there are scripted (exit 1)
        "default_provider: openai\n"
            @/config.yaml: default_provider: there is no provider "openai"; set $OPENAI_API_KEY to use openai; there are scripted (exit 1)
    "#]];
    expected.assert_eq(&shown);
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.yaml");
    let by_flag = Config::load(Some(&missing), None, &env(&[])).unwrap_err();
    assert_eq!(by_flag.exit_code, 2);
    assert!(by_flag.message.starts_with("--config: "), "{by_flag}");

    let by_variable = [("GREENROOM_CONFIG", missing.to_str().unwrap())];
    let by_variable = Config::load(None, None, &env(&by_variable)).unwrap_err();
    assert_eq!(by_variable.exit_code, 2);
    assert!(
        by_variable.message.starts_with("$GREENROOM_CONFIG: "),
        "{by_variable}"
    );

    let large = folder.path().join("large.yaml");
    fs::write(&large, "#".repeat((1 << 20) + 1)).unwrap();
    let error = Config::load(Some(&large), None, &env(&[])).unwrap_err();
    assert!(error.message.contains("longer than 1 MiB"), "{error}");

    let binary = folder.path().join("binary.yaml");
    fs::write(&binary, b"\xff\xfe\x00").unwrap();
    assert!(Config::load(Some(&binary), None, &env(&[])).is_err());

    let error = Config::load(Some(folder.path()), None, &env(&[])).unwrap_err();
    assert_eq!(error.exit_code, 2);
}

proptest::proptest! {
    /// Any text is a configuration or gets an error that names the file.
    #[test]
    fn any_text_is_taken_or_refused(yaml in "([a-z_]{1,9}|:|: |\n|  |-|\\{|\\}|\\[|'|\"|&a|\\*a|!x|[0-9]|\t|#|~){0,24}") {
        let world = World::with(&yaml);
        if let Err(error) = world.load(&[]) {
            let shown = world.shown(&error);
            proptest::prop_assert!(shown.starts_with("@/config.yaml"), "{}", shown);
        }
    }
}

#[test]
fn a_pipe_is_no_configuration_and_not_waited_for() {
    let world = World::with("");
    std::fs::remove_file(world.file()).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(world.file())
        .status();
    assert!(made.unwrap().success());
    let error = world.load(&[]).unwrap_err();
    assert_eq!(
        world.shown(&error),
        "--config: @/config.yaml cannot be read: it is not a regular file (exit 2)"
    );
}

/// Each would make a shell or the loader run something that nobody judged.
#[test]
fn variables_that_lead_a_start_elsewhere_are_refused_by_name() {
    let names = [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "SHELLOPTS",
        "BASHOPTS",
        "BASH_ENV",
        "ENV",
        "PS4",
        "PROMPT_COMMAND",
        "IFS",
        "BASH_FUNC_ls%%",
        "BASH_LOADABLES_PATH",
        "EXECIGNORE",
        "GCONV_PATH",
        "LOCPATH",
        "NLSPATH",
    ];
    for name in names {
        let world = World::with(&format!("tools: {{env: [GOFLAGS, '{name}']}}\n"));
        let loaded = world.load(&[]);
        let shown = loaded.err().map(|error| world.shown(&error));
        let expected = format!(
            "@/config.yaml: tools.env: {name} makes shells or the loader run something else than \
             the command that was judged, so commands never get it; set what you need in the \
             command itself (exit 1)"
        );
        assert_eq!(shown, Some(expected));
    }
}

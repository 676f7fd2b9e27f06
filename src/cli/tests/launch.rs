//! Options and configuration together.

use std::fs;

use expect_test::expect;
use greenroom_protocol::session::Effort;

use super::rpc;
use crate::config::{Config, Environment, LogFilter, LogFormat, LogSettings};

fn config(yaml: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    fs::write(&file, yaml).unwrap();
    let env = Environment::fixed([("HOME", "/h"), ("OLLAMA_HOST", "box")]);
    Config::load(Some(&file), None, &env).unwrap()
}

#[test]
fn flags_win_over_the_configuration() {
    let config = config(
        "{default_provider: scripted, mode: plan, effort: low, limits: {max_steps: 9, turn_tokens: 5}}",
    );
    let shown = |line: &str| {
        let launch = rpc(line).launch(&config).unwrap();
        let model = launch.model;
        format!(
            "{} {} {:?} {:?} {} {:?}",
            launch.mode.name(),
            model.provider,
            model.model,
            model.effort.map(Effort::name),
            launch.limits.max_steps,
            launch.limits.turn_tokens
        )
    };
    assert_eq!(
        shown("agent --rpc"),
        r#"plan scripted "" Some("low") 9 Some(5)"#
    );
    let line = "agent --rpc --mode full --provider ollama --model m --effort max --max-steps 2";
    assert_eq!(shown(line), r#"full ollama "m" Some("max") 2 Some(5)"#);
}

#[test]
fn providers_are_checked_against_the_configuration() {
    let config = config("");
    let refused = |line: &str| {
        let usage = rpc(line).launch(&config).unwrap_err();
        assert_eq!(usage.exit_code, 2);
        usage.text
    };
    let shown = [
        refused("agent --rpc --provider ollmaa"),
        refused("agent --rpc --provider openai"),
        refused("agent --rpc --provider ollama"),
    ];
    expect![[r#"
        error: --provider: there is no provider "ollmaa" (did you mean "ollama"?); there are ollama, scripted
        error: --provider: there is no provider "openai"; set $OPENAI_API_KEY to use openai; there are ollama, scripted
        error: provider ollama has no model of its own; name one with --model or in providers.ollama.model of the configuration
    "#]].assert_eq(&shown.concat());
}

#[test]
fn what_is_logged_is_said_by_flag_variable_or_file() {
    let configured = LogSettings {
        level: LogFilter::parse("error").unwrap(),
        format: LogFormat::Json,
    };
    let shown = |line: &str, variables: &[(&str, &str)]| {
        let common = rpc(line).common;
        let env = Environment::fixed(variables.iter().copied());
        let (settings, warning) = common.log_settings(&configured, &env);
        format!(
            "{} {:?} {:?}",
            settings.level.as_str(),
            settings.format,
            warning.is_some()
        )
    };
    let debug = [("RUST_LOG", "debug")];
    let foreign = [("RUST_LOG", "my_crate[span]=debug,loud")];
    assert_eq!(shown("agent --rpc", &[]), "error Json false");
    assert_eq!(shown("agent --rpc", &debug), "debug Json false");
    assert_eq!(
        shown("agent --rpc --log info --log-format text", &debug),
        "info Text false"
    );
    assert_eq!(shown("agent --rpc", &foreign), "error Json true");
}

#[test]
fn modes_are_checked_against_the_configuration() {
    let config = config("{default_provider: scripted, modes: {review: {based_on: plan}}}");
    let launched = rpc("agent --rpc --mode review").launch(&config).unwrap();
    assert_eq!(launched.mode.name(), "review");
    let usage = rpc("agent --rpc --mode atuo").launch(&config).unwrap_err();
    assert_eq!(usage.exit_code, 2);
    expect![[r#"
        error: --mode: unknown mode "atuo" (did you mean "auto"?); there are plan, ask, auto, full, review
    "#]].assert_eq(&usage.text);
}

//! The file, the environment and the defaults together.

mod errors;
mod mcp;
mod shipped;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use greenroom_protocol::session::{Cost, Effort, Mode, ModelChange};

use super::*;
use crate::provider::scripted::DEMO_NAME;

/// A folder with a configuration file in it.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn with(yaml: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.yaml"), yaml).unwrap();
        World { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("config.yaml")
    }

    fn load(&self, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::load(Some(&self.file()), None, &env(variables))
    }

    /// An error's text, with the folder shown as `@`.
    fn shown(&self, error: &ConfigError) -> String {
        let folder = self.folder.path().display().to_string();
        format!(
            "{} (exit {})",
            error.message.replace(&folder, "@"),
            error.exit_code
        )
    }
}

fn env(variables: &[(&str, &str)]) -> Environment {
    let usual = [("HOME", "/home/none")];
    Environment::fixed(usual.iter().chain(variables).copied())
}

fn load(yaml: &str) -> Config {
    World::with(yaml).load(&[]).unwrap()
}

fn names(config: &Config) -> String {
    format!(
        "{} (default {})",
        config.provider_names(),
        config.default_provider
    )
}

#[test]
fn nothing_at_all_gives_the_defaults() {
    let config = Config::load(None, None, &env(&[])).unwrap();
    assert!(!config.file_found);
    assert_eq!(names(&config), "scripted (default scripted)");
    assert_eq!(config.mode, Mode::Auto);
    assert_eq!(config.effort, None);
    assert_eq!(config.limits, Limits::default());
    assert_eq!(config.deadlines, Deadlines::default());
    assert_eq!(config.retries, Retries::default());
    assert_eq!(config.tools, ToolOptions::default());
    assert_eq!(config.input, InputSettings::default());
    assert_eq!(config.output, OutputSettings::default());
    assert_eq!(config.log, LogSettings::default());
    assert_eq!(config.journal, JournalSettings::default());
    assert_eq!(config.warnings, Vec::<String>::new());
    assert_eq!(
        config.places,
        Places {
            file: ConfigFile::Usual("/home/none/.config/greenroom/config.yaml".into()),
            home: "/home/none/.local/state/greenroom".into(),
            usual_folder: Some("/home/none/.config/greenroom".into()),
            user_home: Some("/home/none".into()),
        }
    );
}

#[test]
fn empty_files_are_fine() {
    for yaml in [
        "",
        "\n\n",
        "# nothing\n",
        "---\n",
        "{}",
        "limits:\nproviders:\n",
        "\u{feff}mode: auto\n",
    ] {
        assert_eq!(load(yaml).limits, Limits::default(), "{yaml:?}");
    }
}

#[test]
fn every_setting_arrives() {
    let config = load(
        "
mode: plan
effort: xhigh
limits: {max_steps: 7, turn_tokens: 1000, turn_cost_usd: 0.25, turn_seconds: 60, answer_tokens: 50}
deadlines: {connect: 1s, first_piece: 2m, stall: 1h, approval: 90s, question: 500ms}
retries: {attempts: 1, base: 10ms, cap: 20 ms}
tools: {shell_timeout: 5s, shell_timeout_max: 6s, output_cap_kb: 1, whole_output_mb: 2, kept_outputs_mb: 3, jobs: 4, job_output_kb: 5, env: [GOPATH, CARGO_HOME]}
input: {max_line_bytes: 1024}
output: {soft_bytes: 2048, hard_bytes: 4096}
log: {level: 'info,greenroom::store=debug', format: json}
journal: {cache_mb: 1}
",
    );
    assert_eq!(
        (config.mode, config.effort),
        (Mode::Plan, Some(Effort::XHigh))
    );
    assert_eq!(
        config.limits,
        Limits {
            max_steps: 7,
            turn_tokens: Some(1000),
            turn_cost: Some(Cost(250_000)),
            turn_time: Some(Duration::from_secs(60)),
            answer_tokens: Some(50),
            session_tokens: None,
            session_cost: None,
            when_met: WhenMet::End,
        }
    );
    assert_eq!(
        config.deadlines,
        Deadlines {
            connect: Duration::from_secs(1),
            first_piece: Duration::from_secs(120),
            stall: Duration::from_secs(3600),
            approval: Some(Duration::from_secs(90)),
            question: Some(Duration::from_millis(500)),
        }
    );
    assert_eq!(
        config.retries,
        Retries {
            attempts: 1,
            base: Duration::from_millis(10),
            cap: Duration::from_millis(20),
        }
    );
    assert_eq!(
        config.tools,
        ToolOptions {
            shell_timeout: Duration::from_secs(5),
            shell_timeout_max: Duration::from_secs(6),
            output_cap_kb: 1,
            whole_output_mb: 2,
            kept_outputs_mb: 3,
            jobs: 4,
            job_output_kb: 5,
            env: vec!["GOPATH".to_owned(), "CARGO_HOME".to_owned()],
        }
    );
    assert_eq!(config.input.max_line_bytes, 1024);
    assert_eq!(
        (config.output.soft_bytes, config.output.hard_bytes),
        (2048, 4096)
    );
    assert_eq!(config.log.level.as_str(), "info,greenroom::store=debug");
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.journal.cache_mb, 1);
}

#[test]
fn the_first_named_place_wins() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, mode: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("mode: {mode}\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let flag = at("flag.yaml", "plan");
    let variable = at("variable.yaml", "ask");
    at("xdg/greenroom/config.yaml", "full");
    let xdg = folder.path().join("xdg").to_str().unwrap().to_owned();
    let variables = [
        ("GREENROOM_CONFIG", variable.as_str()),
        ("XDG_CONFIG_HOME", &xdg),
    ];

    let mode = |flag: Option<&str>, variables: &[(&str, &str)]| {
        Config::load(flag.map(Path::new), None, &env(variables))
            .unwrap()
            .mode
    };
    assert_eq!(mode(Some(&flag), &variables), Mode::Plan);
    assert_eq!(mode(None, &variables), Mode::Ask);
    assert_eq!(mode(None, &variables[1..]), Mode::Full);
    assert_eq!(mode(None, &[]), Mode::Auto);
}

#[test]
fn the_state_has_a_place_or_an_error_says_how() {
    let home = |variables: &[(&str, &str)]| {
        Places::find(None, &Environment::fixed(variables.iter().copied())).map(|places| places.home)
    };
    let all = [
        ("GREENROOM_HOME", "/g"),
        ("XDG_STATE_HOME", "/x"),
        ("HOME", "/h"),
    ];
    assert_eq!(home(&all), Ok("/g".into()));
    assert_eq!(home(&all[1..]), Ok("/x/greenroom".into()));
    assert_eq!(home(&all[2..]), Ok("/h/.local/state/greenroom".into()));
    let relative = home(&[("GREENROOM_HOME", "state")]).unwrap();
    assert_eq!(relative, std::env::current_dir().unwrap().join("state"));
    // The base folders' specification: relative ones are ignored.
    let ignored = [("XDG_STATE_HOME", "x"), ("HOME", "/h")];
    assert_eq!(home(&ignored), Ok("/h/.local/state/greenroom".into()));
    let error = home(&[]).unwrap_err();
    assert!(error.message.contains("set $GREENROOM_HOME"), "{error}");
}

#[test]
fn scripts_make_the_scripted_provider_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().canonicalize().unwrap().join("play.yaml");
    fs::write(&script, "").unwrap();
    let script_text = script.to_str().unwrap();
    let played = |config: &Config| config.provider(SCRIPTED).unwrap().base_url.clone();

    let with_key = env(&[("OPENAI_API_KEY", "k")]);
    let config = Config::load(None, Some(&script), &with_key).unwrap();
    assert_eq!(names(&config), "openai, scripted (default scripted)");
    assert_eq!(played(&config), script_text);

    let by_variable = env(&[("OPENAI_API_KEY", "k"), ("GREENROOM_SCRIPT", script_text)]);
    let config = Config::load(None, None, &by_variable).unwrap();
    assert_eq!(config.default_provider, SCRIPTED);
    assert_eq!(played(&config), script_text);

    let demo = Config::load(None, Some(Path::new(DEMO_NAME)), &with_key).unwrap();
    assert_eq!(names(&demo), "openai, scripted (default scripted)");
    assert_eq!(played(&demo), DEMO_NAME);

    let missing = Config::load(None, Some(Path::new("/no/such.yaml")), &env(&[])).unwrap_err();
    assert_eq!(missing.exit_code, 2);
    assert!(
        missing
            .message
            .starts_with("--script: /no/such.yaml cannot be read"),
        "{missing}"
    );
    let a_folder = Config::load(None, Some(folder.path()), &env(&[])).unwrap_err();
    assert!(a_folder.message.ends_with("is not a file"), "{a_folder}");
}

#[test]
fn the_log_filter_keeps_libraries_quiet() {
    let shown = |text: &str| {
        let mut directives: Vec<String> = LogFilter::parse(text)
            .unwrap()
            .targets()
            .iter()
            .map(|(target, level)| format!("{target}={level}"))
            .collect();
        directives.sort();
        let targets = LogFilter::parse(text).unwrap().targets();
        format!(
            "{:?} {directives:?}",
            targets.default_level().map(|level| level.to_string())
        )
    };
    assert_eq!(shown("warn"), r#"Some("warn") ["rmcp=off"]"#);
    assert_eq!(
        shown("debug"),
        r#"Some("debug") ["ractor=warn", "rmcp=off"]"#
    );
    assert_eq!(
        shown("ractor=trace,info"),
        r#"Some("info") ["ractor=trace", "rmcp=off"]"#
    );
    assert_eq!(shown("warn,rmcp=debug"), r#"Some("warn") ["rmcp=debug"]"#);
    assert_eq!(shown(" off "), r#"Some("off") []"#);
}

#[test]
fn modes_of_ones_own_are_checked() {
    let config = World::with(
        "mode: review\nmodes:\n  review:\n    based_on: plan\n    system: \"Look. \"\n    tools: [shell]\n    effort: low\n",
    )
    .load(&[])
    .unwrap();
    assert_eq!(config.mode, Mode::Custom("review".into()));
    assert_eq!(&*config.modes.names(), "plan, ask, auto, full, review");
    let spec = config.modes.spec(&config.mode).unwrap();
    assert_eq!(spec.base, Mode::Plan);
    assert_eq!(spec.system.as_deref(), Some("Look."));
    assert_eq!(spec.model.effort, Some(Some(Effort::Low)));
    let refused = [
        "modes: {review: {}}",
        "modes: {full: {based_on: plan}}",
        "modes: {Review: {based_on: plan}}",
        "modes: {review: {based_on: plan, tools: []}}",
        "modes: {review: {based_on: plan, provider: nobody}}",
        "modes: {review: {based_on: sly}}",
        "{mode: reviev, modes: {review: {based_on: plan}}}",
    ]
    .map(|yaml| {
        let error = World::with(yaml).load(&[]).unwrap_err();
        error
            .message
            .split_once("config.yaml")
            .unwrap()
            .1
            .to_owned()
    });
    expect_test::expect![[r#"
        : modes.review.based_on is missing: name the mode that it builds on (plan, ask, auto or full)
        : modes: full is built in: choose another name
        : modes: "Review" is no name of a mode: use up to 40 of a-z, 0-9 and -
        : modes.review.tools names none: leave it out to offer all of them
        : modes.review.provider: there is no provider "nobody"; there are scripted
        :1: modes.review.based_on: unknown mode "sly"; there are plan, ask, auto, full
        : mode: unknown mode "reviev" (did you mean "review"?); there are plan, ask, auto, full, review"#]].assert_eq(&refused.join("\n"));
}

#[test]
fn titles_are_words_or_a_models() {
    let titled = |text: &str| load(text).title_model;
    assert_eq!(titled("titles: {model: small}"), None);
    let change = ModelChange {
        provider: Some("scripted".into()),
        ..ModelChange::default()
    };
    assert_eq!(
        titled("titles: {by: model, provider: scripted}"),
        Some(change)
    );
    let error = World::with("titles: {by: model, provider: script}").load(&[]);
    assert!(
        error
            .unwrap_err()
            .message
            .contains("titles.provider: there is no provider \"script\"")
    );
}

//! The file, the environment and the defaults together; the shipped file and
//! the schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use expect_test::expect;
use greenroom_protocol::session::{Cost, Effort, Mode};
use serde_json::Value;

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
tools: {shell_timeout: 5s, output_cap_kb: 1, env: [GOPATH, CARGO_HOME]}
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
            output_cap_kb: 1,
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
            @/config.yaml:1: mode: unknown mode "atuo" (did you mean "auto"?); there are plan, ask, auto, full (exit 1)
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
        "log: {level: loud}\n"
            @/config.yaml:1: log.level: unknown log level "loud"; there are off, error, warn, info, debug, trace, also by target as in "info,greenroom::provider=debug" (exit 1)
        "log: {format: xml}\n"
            @/config.yaml:1: log.format: unknown log format "xml"; there are text, json (exit 1)
        "mode: auto\nmode: plan\n"
            @/config.yaml:1: "mode" stands there twice (exit 1)
        "mode: [auto]\n"
            @/config.yaml:1: mode: invalid type: sequence, expected one of plan, ask, auto, full (exit 1)
        "a: b: c\n"
            @/config.yaml:1: unknown key "a"; there are providers, default_provider, mode, effort, limits, deadlines, retries, tools, input, output, log, journal (exit 1)
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
fn the_log_filter_keeps_the_actor_library_quiet() {
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
    assert_eq!(shown("warn"), r#"Some("warn") []"#);
    assert_eq!(shown("debug"), r#"Some("debug") ["ractor=warn"]"#);
    assert_eq!(
        shown("ractor=trace,info"),
        r#"Some("info") ["ractor=trace"]"#
    );
    assert_eq!(shown(" off "), r#"Some("off") []"#);
}

fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("config")
        .join(name);
    fs::read_to_string(path).unwrap()
}

fn schema() -> Value {
    serde_json::from_str(&shipped("config.schema.json")).unwrap()
}

#[test]
fn the_shipped_file_holds_the_defaults() {
    let shipped = format!("{:?}", load(&shipped("config.yaml")));
    let empty = format!("{:?}", load(""));
    let without_places = |text: &str| text.split_once("file_found").unwrap().1.to_owned();
    assert_eq!(without_places(&shipped), without_places(&empty));
}

#[test]
fn the_shipped_file_shows_every_key_and_its_examples_work() {
    let text = shipped("config.yaml");
    for (section, keys) in keys_of_schema() {
        for key in keys {
            let stands = |line: &str| {
                let line = line.trim_start_matches(['#', ' ']);
                line.starts_with(&format!("{key}:"))
            };
            assert!(text.lines().any(stands), "{section} {key}");
        }
    }
    // Every commented-out setting, taken in.
    let examples = [
        "default_provider: house\neffort: medium\n",
        "limits: {turn_tokens: 2000000, turn_cost_usd: 5, turn_seconds: 3600, answer_tokens: 32000}\n",
        "providers:\n  anthropic:\n    model: claude-sonnet-4-5\n  house:\n    wire: openai-chat\n    \
         base_url: https://models.example.com/v1\n    key_env: HOUSE_KEY\n    model: house-large\n    \
         headers:\n      X-Team: tools\n",
    ];
    load(&examples.concat());
}

/// Section (empty for the top) and its keys, as the schema has them.
fn keys_of_schema() -> Vec<(String, BTreeSet<String>)> {
    let schema = schema();
    let keys = |value: &Value| -> BTreeSet<String> {
        value["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let mut all = vec![(String::new(), keys(&schema))];
    for (name, section) in schema["properties"].as_object().unwrap() {
        if section["properties"].is_object() {
            all.push((name.clone(), keys(section)));
        }
    }
    all.push(("providers.x".to_owned(), keys(&schema["$defs"]["provider"])));
    all
}

#[test]
fn schema_and_reader_know_the_same_keys() {
    for (section, keys) in keys_of_schema() {
        // The reader lists what it knows when it meets what it does not know.
        let yaml = match section.split_once('.') {
            Some((outer, inner)) => format!("{outer}: {{{inner}: {{zzzzzzzzzzzz: 1}}}}"),
            None if section.is_empty() => "zzzzzzzzzzzz: 1".to_owned(),
            None => format!("{section}: {{zzzzzzzzzzzz: 1}}"),
        };
        let error = World::with(&yaml).load(&[]).unwrap_err();
        let known = error.message.split_once("; there are ").unwrap().1;
        let known: BTreeSet<String> = known.split(", ").map(str::to_owned).collect();
        assert_eq!(known, keys, "{section:?}");
    }
}

#[test]
fn the_defaults_and_examples_of_the_schema_are_taken() {
    let check = |section: &str, key: &str, property: &Value| {
        let values = property["examples"].as_array().cloned().unwrap_or_default();
        let mut values: Vec<Value> = values
            .into_iter()
            .chain(property.get("default").cloned())
            .collect();
        values.extend(property["enum"].as_array().cloned().unwrap_or_default());
        assert!(
            !values.is_empty() || property["properties"].is_object(),
            "{section} {key}"
        );
        for value in values {
            let mut setting = serde_json::json!({ key: value });
            if section == "providers.x" {
                let mut entry =
                    serde_json::json!({ "wire": "openai-chat", "base_url": "http://x" });
                entry[key] = value.clone();
                if value == "scripted" {
                    entry = serde_json::json!({ "wire": "scripted" });
                }
                setting = serde_json::json!({ "providers": { "x": entry } });
            } else if !section.is_empty() {
                setting = serde_json::json!({ section: setting });
            }
            if let Err(error) = World::with(&setting.to_string()).load(&[]) {
                panic!("{setting}: {error}");
            }
        }
    };
    let schema = schema();
    for (section, keys) in keys_of_schema() {
        let properties = match section.as_str() {
            "" => &schema["properties"],
            "providers.x" => &schema["$defs"]["provider"]["properties"],
            section => &schema["properties"][section]["properties"],
        };
        for key in keys {
            check(&section, &key, &properties[&key]);
        }
    }
}

#[test]
fn keys_remembered_without_their_section_are_sent_home() {
    for (section, keys) in keys_of_schema()
        .into_iter()
        .filter(|(section, _)| !section.is_empty())
    {
        for key in keys {
            let error = World::with(&format!("{key}: 1\n")).load(&[]).unwrap_err();
            let home = section.replace(".x", ".<name>");
            let names_home = error.message.ends_with(&format!("it belongs under {home}"));
            // A key that also looks like a slip of a top-level one is taken for that.
            assert!(
                names_home || error.message.contains("did you mean"),
                "{error}"
            );
        }
    }
}

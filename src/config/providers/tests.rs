//! Which providers there are, and where their keys come from.

mod more;

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};

use crate::config::{Config, ConfigError, Environment};

fn load_in(folder: &Path, yaml: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let file = folder.join("config.yaml");
    fs::write(&file, yaml).unwrap();
    let home = folder.to_str().unwrap();
    let usual = [("HOME", home)];
    let env = Environment::fixed(usual.iter().chain(variables).copied());
    Config::load(Some(&file), None, &env)
}

/// One line a provider: all of it, the key included (these are not real).
fn check(yaml: &str, variables: &[(&str, &str)], expected: Expect) {
    let folder = tempfile::tempdir().unwrap();
    let config = load_in(folder.path(), yaml, variables).unwrap();
    let mut shown = format!("default: {}\n", config.default_provider);
    for (provider, note) in config.providers.iter().zip(&config.provider_notes) {
        assert_eq!(provider.name, note.name);
        let key = provider.key.as_ref().map_or("-", |key| key.reveal());
        shown.push_str(&format!(
            "{} {:?} {:?} {:?} key {key} from {} headers {:?} ({:?}) {}\n",
            provider.name,
            provider.wire,
            provider.base_url,
            provider.model,
            note.key
                .as_ref()
                .map_or("-".to_owned(), |source| source.to_string()),
            provider.headers,
            note.origin,
            note.problem.as_deref().unwrap_or("fine"),
        ));
    }
    for warning in &config.warnings {
        shown.push_str(&format!("warning: {warning}\n"));
    }
    expected.assert_eq(&shown.replace(folder.path().to_str().unwrap(), "@"));
}

fn error(yaml: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let error = load_in(folder.path(), yaml, &[("OPENAI_API_KEY", "k")]).unwrap_err();
    assert_eq!(error.exit_code, 1);
    error.message.replace(folder.path().to_str().unwrap(), "@")
}

#[test]
fn the_usual_variables_are_enough() {
    check(
        "",
        &[("OPENAI_API_KEY", " k1\n"), ("ANTHROPIC_API_KEY", "k2")],
        expect![[r#"
            default: anthropic
            anthropic Anthropic "https://api.anthropic.com/v1" "claude-sonnet-5-5" key k2 from $ANTHROPIC_API_KEY headers [] (Environment) fine
            openai OpenAiChat "https://api.openai.com/v1" "gpt-5.6" key k1 from $OPENAI_API_KEY headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "",
        &[("OPENROUTER_API_KEY", "k3"), ("OLLAMA_HOST", "0.0.0.0")],
        expect![[r#"
            default: openrouter
            openrouter OpenAiChat "https://openrouter.ai/api/v1" "openrouter/auto" key k3 from $OPENROUTER_API_KEY headers [] (Environment) fine
            ollama OpenAiChat "http://127.0.0.1:11434/v1" "" key - from - headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "",
        &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")],
        expect![[r#"
            default: openai
            openai OpenAiChat "http://127.0.0.1:1/v1" "gpt-5.6" key - from - headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "",
        &[
            ("ANTHROPIC_BASE_URL", "https://proxy.example/x/"),
            ("ANTHROPIC_API_KEY", "k"),
        ],
        expect![[r#"
            default: anthropic
            anthropic Anthropic "https://proxy.example/x/v1" "claude-sonnet-5-5" key k from $ANTHROPIC_API_KEY headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "",
        &[("GEMINI_API_KEY", "k4")],
        expect![[r#"
            default: gemini
            gemini Gemini "https://generativelanguage.googleapis.com/v1beta" "gemini-2.5-pro" key k4 from $GEMINI_API_KEY headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "",
        &[("OPENAI_API_KEY", "")],
        expect![[r#"
        default: scripted
        scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
    "#]],
    );
}

#[test]
fn entries_add_to_what_the_name_stands_for() {
    check(
        "providers: {openai: {model: tiny}}",
        &[("OPENAI_API_KEY", "k")],
        expect![[r#"
            default: openai
            openai OpenAiChat "https://api.openai.com/v1" "tiny" key k from $OPENAI_API_KEY headers [] (File) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "providers: {openai: }",
        &[],
        expect![[r#"
            default: openai
            openai OpenAiChat "https://api.openai.com/v1" "gpt-5.6" key - from $OPENAI_API_KEY headers [] (File) $OPENAI_API_KEY is not set; put the key there
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
            warning: provider openai: $OPENAI_API_KEY is not set; put the key there
        "#]],
    );
    // Another wire that the address speaks leaves all else as it is.
    check(
        "providers: {openai: {wire: openai-responses}}",
        &[("OPENAI_API_KEY", "k")],
        expect![[r#"
            default: openai
            openai OpenAiResponses "https://api.openai.com/v1" "gpt-5.6" key k from $OPENAI_API_KEY headers [] (File) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    // An address of its own never gets the usual key unasked.
    check(
        "providers: {openai: {base_url: 'http://10.0.0.1/v1'}}",
        &[("OPENAI_API_KEY", "k")],
        expect![[r#"
            default: openai
            openai OpenAiChat "http://10.0.0.1/v1" "gpt-5.6" key - from - headers [] (File) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "providers: {openai: {base_url: 'http://10.0.0.1/v1', key_env: OPENAI_API_KEY}}",
        &[("OPENAI_API_KEY", "k")],
        expect![[r#"
            default: openai
            openai OpenAiChat "http://10.0.0.1/v1" "gpt-5.6" key k from $OPENAI_API_KEY headers [] (File) its key travels in the clear to http://10.0.0.1/v1; use https
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
            warning: provider openai: its key travels in the clear to http://10.0.0.1/v1; use https
        "#]],
    );
}

#[test]
fn entries_of_other_names_say_all_themselves() {
    let yaml = "
providers:
  house:
    wire: anthropic
    base_url: https://models.example/v1/
    key_env: HOUSE_KEY
    model: large
    headers: {X-Team: tools, x-b: ''}
  local: {wire: openai-chat, base_url: 'http://127.0.0.1:8080/v1'}
  plays: {wire: scripted, base_url: scripts/a.yaml}
default_provider: local
";
    check(
        yaml,
        &[("HOUSE_KEY", "k"), ("OPENAI_API_KEY", "k1")],
        expect![[r#"
            default: local
            house Anthropic "https://models.example/v1" "large" key k from $HOUSE_KEY headers [("X-Team", "tools"), ("x-b", "")] (File) fine
            local OpenAiChat "http://127.0.0.1:8080/v1" "" key - from - headers [] (File) fine
            plays Scripted "@/scripts/a.yaml" "scripted" key - from - headers [] (File) fine
            openai OpenAiChat "https://api.openai.com/v1" "gpt-5.6" key k1 from $OPENAI_API_KEY headers [] (Environment) fine
            scripted Scripted "" "scripted" key - from - headers [] (BuiltIn) fine
        "#]],
    );
    check(
        "providers: {scripted: {base_url: ~/a.yaml, model: m}}",
        &[],
        expect![[r#"
            default: scripted
            scripted Scripted "@/a.yaml" "m" key - from - headers [] (File) fine
        "#]],
    );
    check(
        "providers: {scripted: {base_url: 'builtin:demo'}}",
        &[],
        expect![[r#"
            default: scripted
            scripted Scripted "builtin:demo" "scripted" key - from - headers [] (File) fine
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn keys_may_be_files_beside_the_configuration() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("house.key");
    let yaml = "providers: {openai: {key_file: house.key}}";
    let read = || {
        let config = load_in(folder.path(), yaml, &[]).unwrap();
        let key = config.providers[0]
            .key
            .as_ref()
            .map(|key| key.reveal().to_owned());
        let problem = config.provider_notes[0].problem.clone().unwrap_or_default();
        (key, problem.replace(folder.path().to_str().unwrap(), "@"))
    };
    let with = |text: &str, mode: u32| {
        fs::write(&key, text).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        read()
    };
    let some = |key: &str| Some(key.to_owned());

    let (none, problem) = read();
    assert_eq!(none, None);
    assert!(
        problem.starts_with("@/house.key cannot be read: No such file"),
        "{problem}"
    );
    assert_eq!(with("k\n", 0o600), (some("k"), String::new()));
    let others = "others may read @/house.key; run chmod 600 @/house.key";
    assert_eq!(with("k\n", 0o644), (some("k"), others.to_owned()));
    let empty = "@/house.key is empty; put the key there";
    assert_eq!(with(" \n", 0o600), (None, empty.to_owned()));
    let more = "@/house.key holds more than a key: blanks, control or non-ASCII characters";
    assert_eq!(with("k\nhunter2\n", 0o600), (None, more.to_owned()));
    let long = "@/house.key is too long for a key";
    assert_eq!(with(&"k".repeat(20_000), 0o600), (None, long.to_owned()));
}

#[test]
fn the_default_providers_missing_key_is_a_warning() {
    let yaml = "providers: {openai: {key_env: NOT_SET}, anthropic: {key_env: NOT_SET_EITHER}}";
    let folder = tempfile::tempdir().unwrap();
    let config = load_in(folder.path(), yaml, &[]).unwrap();
    assert_eq!(
        config.warnings,
        ["provider openai: $NOT_SET is not set; put the key there"]
    );
}

#[test]
fn keys_in_the_file_are_refused_and_not_repeated() {
    let wrong = [
        "providers: {openai: {api_key: hunter2}}",
        "providers: {openai: {apiKey: hunter2}}",
        "providers: {openai: {key: hunter2}}",
        "providers: {openai: {token: hunter2}}",
        "providers: {openai: hunter2}",
        "providers: {openai: {key_env: sk-hunter2}}",
        "providers: {openai: {headers: {Authorization: Bearer hunter2}}}",
        "providers: {openai: {headers: {X-Api-Key: hunter2}}}",
        "providers: {gemini: {headers: {X-Goog-Api-Key: hunter2}}}",
        "providers: {openai: {headers: hunter2}}",
        "providers: {openai: {base_url: 'https://me:hunter2@x/v1'}}",
        "providers: {openai: {base_url: 'https://x/v1?key=hunter2'}}",
        "providers: hunter2",
        "limits: hunter2",
    ];
    for yaml in wrong {
        let error = error(yaml);
        assert!(!error.contains("hunter2"), "{yaml}: {error}");
    }
    let remedy = error("providers:\n  openai:\n    api-key: hunter2\n");
    expect![[r#"@/config.yaml:3: "api-key" in providers.openai: keys never stand in this file; name the environment variable that holds it with key_env, or a file of its own with key_file"#]].assert_eq(&remedy);
}

#[test]
fn wrong_entries_are_refused_with_the_setting() {
    let wrong = [
        "providers: {house: {base_url: 'http://x'}}",
        "providers: {house: {wire: openai, base_url: 'http://x'}}",
        "providers: {house: {wire: openai-chat}}",
        "providers: {openai: {wire: anthropic}}",
        "providers: {house: {wire: openai-chat, base_url: x}}",
        "providers: {House: {wire: openai-chat, base_url: 'http://x'}}",
        "providers: {scripted: {wire: anthropic}}",
        "providers: {scripted: {key_env: X}}",
        "providers: {openai: {key_env: X, key_file: y}}",
        "providers: {openai: {headers: {'a b': c}}}",
        "providers: {openai: {headers: {a: \"b\\nc\"}}}",
        "providers: {openai: {modle: x}}",
        "providers: {openai: {fallback: [opnai/x]}}",
        "providers: {openai: {fallback: [openai]}}",
        "providers: {openai: {fallback: [openai/x, openai/x]}}",
        "providers: {openai: {}, openai: {}}",
        "tools: {env: [OPENAI_API_KEY]}",
    ];
    let shown: String = wrong
        .map(|yaml| format!("{yaml}\n    {}\n", error(yaml)))
        .concat();
    expect![[r#"
        providers: {house: {base_url: 'http://x'}}
            @/config.yaml: providers.house: wire is missing; there are openai-chat, openai-responses, anthropic, gemini, scripted
        providers: {house: {wire: openai, base_url: 'http://x'}}
            @/config.yaml:1: providers.house.wire: unknown wire "openai"; there are openai-chat, openai-responses, anthropic, gemini, scripted
        providers: {house: {wire: openai-chat}}
            @/config.yaml: providers.house: base_url is missing, such as http://127.0.0.1:8080/v1
        providers: {openai: {wire: anthropic}}
            @/config.yaml: providers.openai: base_url is missing, such as http://127.0.0.1:8080/v1
        providers: {house: {wire: openai-chat, base_url: x}}
            @/config.yaml: providers.house: base_url: expected a URL that begins with http:// or https://
        providers: {House: {wire: openai-chat, base_url: 'http://x'}}
            @/config.yaml: providers.House: a provider's name is made of 1 to 40 of a-z, 0-9, - and _
        providers: {scripted: {wire: anthropic}}
            @/config.yaml: providers.scripted: this name is kept for the provider of wire scripted
        providers: {scripted: {key_env: X}}
            @/config.yaml: providers.scripted: a scripted provider takes no key and no headers
        providers: {openai: {key_env: X, key_file: y}}
            @/config.yaml: providers.openai: key_env and key_file exclude each other
        providers: {openai: {headers: {'a b': c}}}
            @/config.yaml: providers.openai: headers: "a b" is not a header's name
        providers: {openai: {headers: {a: "b\nc"}}}
            @/config.yaml: providers.openai: headers.a: the value must be one line of ASCII text
        providers: {openai: {modle: x}}
            @/config.yaml:1: unknown key "modle" in providers.openai (did you mean "model"?)
        providers: {openai: {fallback: [opnai/x]}}
            @/config.yaml: providers.openai: fallback: there is no provider "opnai" (did you mean "openai"?); there are openai, scripted; write provider/model
        providers: {openai: {fallback: [openai]}}
            @/config.yaml: providers.openai: fallback: "openai" is the provider itself; name another, or another model of it
        providers: {openai: {fallback: [openai/x, openai/x]}}
            @/config.yaml: providers.openai: fallback: "openai/x" stands there twice
        providers: {openai: {}, openai: {}}
            @/config.yaml:1: providers: "openai" stands there twice
        tools: {env: [OPENAI_API_KEY]}
            @/config.yaml: tools.env: OPENAI_API_KEY holds the key of provider openai, which commands never get; give them a variable of another name
    "#]].assert_eq(&shown);
}

#[test]
fn wrong_variables_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = load_in(
        folder.path(),
        "",
        &[("OPENAI_BASE_URL", "https://me:hunter2@x")],
    )
    .unwrap_err()
    .message;
    assert!(
        error.contains("$OPENAI_BASE_URL: a URL must hold no name or password"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn keys_show_in_no_debug_output() {
    let folder = tempfile::tempdir().unwrap();
    let config = load_in(folder.path(), "", &[("OPENAI_API_KEY", "hunter2")]).unwrap();
    assert_eq!(
        config.providers[0].key.as_ref().map(|key| key.reveal()),
        Some("hunter2")
    );
    assert!(!format!("{config:?}").contains("hunter2"));
    let env = Environment::fixed([("OPENAI_API_KEY", "hunter2")]);
    assert_eq!(format!("{env:?}"), r#"{"OPENAI_API_KEY"}"#);
}

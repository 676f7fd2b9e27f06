//! The shipped file and the schema say what the reader does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{World, load};

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
        "mcp:\n  github:\n    command: github-mcp-server\n    args: [stdio]\n    env:\n      \
         GITHUB_PERSONAL_ACCESS_TOKEN: ${HOME}\n    cwd: ~/\n    tools:\n      allow: [\"get_*\"]\n      \
         deny: [\"*_secret\"]\n    timeout_seconds: 120\n    start_timeout_seconds: 60\n    \
         output_cap_kb: 64\n    disabled: false\n  docs:\n    url: https://mcp.example.com/mcp\n    \
         transport: http\n    headers:\n      Authorization: Bearer ${HOME}\n",
        "limits: {turn_tokens: 2000000, turn_cost_usd: 5, turn_seconds: 3600, answer_tokens: 32000}\n",
        "providers:\n  anthropic:\n    model: claude-sonnet-5-5\n  house:\n    wire: openai-chat\n    \
         base_url: https://models.example.com/v1\n    key_env: HOUSE_KEY\n    model: house-large\n    \
         headers:\n      X-Team: tools\n    fallback: [anthropic/claude-haiku-5-5]\n",
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
    all.push(("modes.x".to_owned(), keys(&schema["$defs"]["mode"])));
    all.push(("mcp.x".to_owned(), keys(&schema["$defs"]["mcp_server"])));
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
            } else if section == "mcp.x" {
                let of_program = ["args", "env", "cwd"].contains(&key);
                let mut entry = match of_program {
                    true => serde_json::json!({ "command": "x" }),
                    false => serde_json::json!({ "url": "http://x" }),
                };
                if key == "command" {
                    entry = serde_json::json!({});
                }
                entry[key] = value.clone();
                setting = serde_json::json!({ "mcp": { "x": entry } });
            } else if section == "modes.x" {
                let mut entry = serde_json::json!({ "based_on": "plan" });
                entry[key] = value.clone();
                setting = serde_json::json!({ "modes": { "x": entry } });
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
            "modes.x" => &schema["$defs"]["mode"]["properties"],
            "mcp.x" => &schema["$defs"]["mcp_server"]["properties"],
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
        // A key that is one of the file's own stands where it should.
        let own = &keys_of_schema()[0].1;
        for key in keys.difference(own) {
            let error = World::with(&format!("{key}: 1\n")).load(&[]).unwrap_err();
            let home = section.replace(".x", ".<name>");
            let told = error.message.split_once("it belongs under ");
            let names_home =
                told.is_some_and(|(_, homes)| homes.split(" or ").any(|it| it == home));
            // A key that also looks like a slip of a top-level one is taken for that.
            assert!(
                names_home || error.message.contains("did you mean"),
                "{error}"
            );
        }
    }
}

//! What README.md shows works as it is shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use greenroom::config::{Config, Environment};
use serde_json::Value;

use crate::started::{GREENROOM, Place, text};

/// The text of a page of the repository.
fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The blocks of code of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    let mut blocks = Vec::new();
    for after in page.split(&start).skip(1) {
        let (block, _) = after.split_once("```").unwrap();
        blocks.push(block.to_owned());
    }
    blocks
}

/// The cells of the table under these headings, row by row.
fn rows(page: &str, headings: &str) -> Vec<Vec<String>> {
    let (_, table) = page.split_once(headings).expect(headings);
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect();
    rows.map(|row| {
        let mut cells: Vec<String> = cells(row);
        cells.retain(|cell| !cell.is_empty());
        cells
    })
    .collect()
}

/// The word in a cell, when it is code.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn its_links_lead_somewhere() {
    let mut seen = 0;
    for (name, folder) in [("README.md", ""), ("examples/README.md", "examples/")] {
        for after in page(name).split("](").skip(1) {
            let (target, _) = after.split_once(')').unwrap();
            let path = format!("{}/{folder}{target}", env!("CARGO_MANIFEST_DIR"));
            assert!(Path::new(&path).exists(), "{name} links to {target}");
            seen += 1;
        }
    }
    assert!(seen > 5);
}

#[test]
fn its_configuration_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    let blocks = blocks(&page("README.md"), "yaml");
    assert_eq!(blocks.len(), 2, "the second is of rules");
    fs::write(&file, &blocks[0]).unwrap();
    let env = Environment::fixed([("HOME", "/home/me"), ("HOUSE_KEY", "k")]);
    let config = Config::load(Some(&file), None, &env).unwrap();
    assert_eq!(config.default_provider, "house");
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[tokio::test]
async fn its_rules_are_taken() {
    let place = Place::new();
    let blocks = blocks(&page("README.md"), "yaml");
    fs::write(place.work().join("guard.yaml"), &blocks[1]).unwrap();
    let ended = place
        .run(GREENROOM, &["guard", "check", "guard.yaml"])
        .await;
    assert!(ended.output.contains("sound, 2 rules"), "{}", ended.output);
}

#[test]
fn its_variables_bring_the_providers_and_their_models() {
    let rows = rows(
        &page("README.md"),
        "| variable | provider | model without `--model` |",
    );
    assert_eq!(rows.len(), 5);
    for row in rows {
        let [variable, provider, model] = &row[..] else {
            panic!("three cells: {row:?}");
        };
        let variable = code(variable).unwrap();
        let env = Environment::fixed([("HOME", "/home/me"), (variable, "127.0.0.1:1")]);
        let config = Config::load(None, None, &env).unwrap();
        assert_eq!(Some(&*config.default_provider), code(provider));
        let default = config.provider(&config.default_provider).unwrap();
        assert_eq!(default.model, code(model).unwrap_or_default());
    }
}

#[tokio::test]
async fn its_flags_are_all_there_are() {
    let flags = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let flags = words.filter(|word| word.starts_with("--") && word.len() > 2);
        flags.map(str::to_owned).collect()
    };
    let shown = flags(&blocks(&page("README.md"), "sh")[1]);
    let help = Place::new().run(GREENROOM, &["agent", "--help"]).await;
    let (options, _) = help.output.split_once("\nExamples:").unwrap();
    let mut known = flags(options);
    for common in ["--config", "--log", "--log-format", "--help"] {
        assert!(known.remove(common), "{common}");
    }
    assert_eq!(shown, known);
}

/// The commands of the table are known, and so are those of the examples.
#[tokio::test]
async fn its_commands_are_understood() {
    let page = page("README.md");
    let mut lines = String::new();
    for row in rows(&page, "| command | fields | what it does |") {
        let name = code(&row[0]).unwrap();
        lines.push_str(&format!("{{\"type\":\"{name}\"}}\n"));
    }
    let of_table = lines.lines().count();
    for block in blocks(&page, "json") {
        lines.push_str(&block);
    }
    let place = Place::new();
    let arguments = ["agent", "--rpc", "--no-session"];
    let ended = place.run_typing(GREENROOM, &arguments, &lines).await;
    let responses: Vec<Value> = ended
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &Value| event["type"] == "response")
        .collect();
    assert_eq!((of_table, responses.len()), (15, lines.lines().count()));
    for response in &responses {
        let error = response["error"].as_str().unwrap_or_default();
        assert!(!error.contains("unknown"), "{response}");
        assert!(!error.contains("JSON"), "{response}");
    }
}

/// The line that needs no client.
#[cfg(unix)]
#[tokio::test]
async fn its_first_session_runs() {
    let place = Place::new();
    std::os::unix::fs::symlink(GREENROOM, place.work().join("greenroom")).unwrap();
    let blocks = blocks(&page("README.md"), "sh");
    let command = blocks
        .iter()
        .find(|block| block.starts_with("printf"))
        .unwrap();
    let command = format!("PATH={}:$PATH; {command}", text(&place.work()));
    let ended = place.run("sh", &["-c", &command]).await;
    assert_eq!((ended.code, &*ended.errors), (Some(0), ""));
    let types: Vec<String> = ended
        .output
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].to_string())
        .filter(|kind| kind != "\"text_delta\"")
        .collect();
    assert_eq!(
        types.join(" ").replace('"', ""),
        "session_start response message_end message_start message_end turn_end session_end"
    );
}

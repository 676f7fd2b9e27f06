//! The scripts that are shipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use greenroom_actors::ports::ModelFacts;
use greenroom_protocol::session::{CallRequest, Cost, Stop, Usage};
use serde_json::Value;

use super::{Conversation, provider, script};
use crate::provider::scripted::Scripted;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scripts"))
}

#[test]
fn all_examples_are_good_scripts() {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            assert_eq!(Scripted::check(path.to_str().unwrap()), Ok(()));
            names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    names.sort();
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    for name in &names {
        assert!(
            page.contains(&format!("| `{name}` |")),
            "{name} is on the page"
        );
    }
    assert_eq!(names.len(), 5);
    assert_eq!(Scripted::check(""), Ok(()));
    assert_eq!(Scripted::check("builtin:demo"), Ok(()));
}

#[test]
fn the_page_s_first_script_is_good() {
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    let (_, rest) = page.split_once("```yaml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let (file, _) = script(text);
    assert_eq!(Scripted::check(file.path().to_str().unwrap()), Ok(()));
}

#[test]
fn facts_name_the_model_and_what_it_holds() {
    let facts = |id: &str, window: u64, images: bool| ModelFacts {
        id: id.into(),
        context_window: Some(window),
        images,
        prices: Some(greenroom_actors::ports::Prices::default()),
    };
    assert_eq!(provider("").facts(""), facts("scripted", 200_000, true));
    assert_eq!(provider("").facts("other"), facts("other", 200_000, true));
    let (_file, small) =
        script("model: {context_window: 8000, images: false}\notherwise: [{say: a}]");
    assert_eq!(small.facts(""), facts("scripted", 8000, false));
    assert_eq!(
        provider("/nowhere").facts(""),
        facts("scripted", 200_000, true)
    );
}

#[tokio::test]
async fn the_seed_s_session_has_its_usage_and_its_words() {
    let model = provider(folder().join("seed_session.yaml").to_str().unwrap());
    let mut conversation = Conversation::with("run the tests");
    let first = conversation.step(&model, "ok \tapp\t0.21s\n").await;
    let second = conversation.step(&model, "").await;
    let usage = |input, output, cache_read, cost| {
        Some(Usage {
            input,
            output,
            cache_read,
            cache_write: 0,
            cost: Cost(cost),
            cost_unknown: false,
        })
    };
    let [call] = first.message.calls.as_slice() else {
        panic!("one call: {first:?}");
    };
    assert_eq!(
        (
            &*first.message.text,
            &*call.tool,
            &*call.provider_id,
            &*call.input.0
        ),
        ("", "shell", "toolu_01", r#"{"command":"go test ./..."}"#)
    );
    assert_eq!(first.usage, usage(2410, 38, 0, 12_700));
    assert_eq!(&*second.message.text, "All tests pass.");
    assert_eq!(
        (second.message.stop, second.usage),
        (Stop::End, usage(2502, 9, 2400, 2_100))
    );
}

#[tokio::test]
async fn the_builtin_script_says_words_back_and_names_the_remedy() {
    let answer = Conversation::with("good morning")
        .step(&provider(""), "")
        .await;
    assert!(answer.message.text.starts_with("You said: good morning\n"));
    assert!(answer.message.text.contains("ANTHROPIC_API_KEY"));
    let help = Conversation::with(" Help ").step(&provider(""), "").await;
    for line in help
        .message
        .text
        .lines()
        .filter(|line| line.starts_with("  "))
    {
        let (word, _) = line.trim().split_once("  ").unwrap();
        let model = provider("");
        let conversation = Conversation::with(word);
        let (sink, mut pieces) = tokio::sync::mpsc::channel(64);
        let work = tokio::spawn(model.call(conversation.request(), sink));
        let first = pieces.recv().await;
        work.abort();
        let echo = Some(greenroom_actors::ports::Chunk::Text("You".into()));
        assert_ne!(first, echo, "{word} has its own turn");
    }
}

/// Plays the demonstration in an empty folder with the least that its tools
/// must do. The real tools are run against it by the daemon's own tests.
#[tokio::test(start_paused = true)]
async fn the_demonstration_mends_its_bug() {
    let workspace = tempfile::tempdir().unwrap();
    let model = provider("builtin:demo");
    let mut conversation = Conversation::with("show me");
    let mut told = Vec::new();
    for _ in 0..20 {
        let answer = conversation.call(&model).await.1.unwrap();
        assert!(answer.usage.is_some());
        conversation.keep(&answer, |index| {
            let call = &answer.message.calls[index];
            let result = run(call, workspace.path());
            told.push(format!(
                "{}: {}",
                call.tool,
                result.lines().next().unwrap_or("")
            ));
            result
        });
        if answer.message.calls.is_empty() {
            assert!(answer.message.text.starts_with("That was a whole turn"));
            break;
        }
    }
    assert_eq!(
        told,
        [
            "update_plan: ",
            "write_file: ",
            "write_file: ",
            "list_files: ",
            "search: ",
            "shell: exit 1",
            "read_file: #!/bin/sh",
            "ask_user: ",
            "edit_file: ",
            "update_plan: ",
            "shell: exit 0",
            "update_plan: ",
        ]
    );
    let last = conversation.step(&model, "").await;
    assert_eq!(&*last.message.text, "Done.");
}

fn run(call: &CallRequest, workspace: &Path) -> String {
    let input: Value = serde_json::from_str(&call.input.0).unwrap();
    let text = |key: &str| input[key].as_str().unwrap();
    match &*call.tool {
        "write_file" => {
            let path = workspace.join(text("path"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text("content")).unwrap();
            String::new()
        }
        "read_file" => fs::read_to_string(workspace.join(text("path"))).unwrap(),
        "edit_file" => {
            let path = workspace.join(text("path"));
            let mut content = fs::read_to_string(&path).unwrap();
            for edit in input["edits"].as_array().unwrap() {
                let old = edit["old"].as_str().unwrap();
                assert_eq!(content.matches(old).count(), 1, "{old} is there once");
                content = content.replace(old, edit["new"].as_str().unwrap());
            }
            fs::write(path, content).unwrap();
            String::new()
        }
        "shell" => {
            let mut command = Command::new("sh");
            command.args(["-c", text("command")]).current_dir(workspace);
            let output = command.output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            format!("exit {}\n{printed}", output.status.code().unwrap())
        }
        "update_plan" | "ask_user" | "list_files" | "search" => String::new(),
        other => panic!("unknown tool {other}"),
    }
}

//! What files tell the model, from the file to the request that a real provider
//! sends.

use serde_json::Value;

use crate::mock_model::{Answer, MockModel, Reply};
use crate::started::{GREENROOM, Place};

#[tokio::test]
async fn a_projects_instructions_reach_the_model() {
    let mock = MockModel::start().await;
    let place = Place::new();
    std::fs::write(place.work().join("AGENTS.md"), "Say please. @style.md\n").unwrap();
    std::fs::write(place.work().join("style.md"), "Tabs, no spaces.\n").unwrap();
    let config = configured(&place, &mock);
    let arguments = ["agent", "--rpc", "--no-session", "--config", &config];
    let two = "{\"type\":\"prompt\",\"text\":\"hello\"}\n";
    for _ in 0..2 {
        mock.push(Reply::text("well"));
        let ended = place.run_typing(GREENROOM, &arguments, two).await;
        assert!(ended.output.contains("\"status\":\"ok\""), "{ended:?}");
    }
    let systems: Vec<String> = mock.requests().iter().map(|it| system(&it.body)).collect();
    let root = place.work().canonicalize().unwrap().display().to_string();
    let expected = format!(
        "<instructions file=\"{root}/AGENTS.md\">\nSay please. @style.md\n</instructions>\n\n\
         <instructions file=\"{root}/style.md\">\nTabs, no spaces.\n</instructions>"
    );
    assert!(systems[0].ends_with(&expected), "{}", systems[0]);
    // Else the provider's cache is of no use from session to session.
    assert_eq!(systems[0], systems[1]);
}

/// Skills are listed and can be loaded; where there are none, nothing of them
/// is told.
#[tokio::test]
async fn skills_are_told_and_loaded() {
    let mock = MockModel::start().await;
    let place = Place::new();
    let config = configured(&place, &mock);
    let arguments = ["agent", "--rpc", "--no-session", "--config", &config];
    let prompt = "{\"type\":\"prompt\",\"text\":\"hello\"}\n";
    mock.push(Reply::text("well"));
    place.run_typing(GREENROOM, &arguments, prompt).await;

    let folder = place.work().join(".greenroom/skills/release");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "---\nname: release\ndescription: Makes releases.\n---\nTag it first.\n";
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    let calls = Answer::new().call("call_1", "skill", &["{\"name\":\"release\"}"]);
    mock.push(Reply::answer(calls));
    mock.push(Reply::text("done"));
    place.run_typing(GREENROOM, &arguments, prompt).await;

    let requests = mock.requests();
    let offers = |body: &Value| body["tools"].to_string().contains("\"skill\"");
    assert!(!offers(&requests[0].body) && !system(&requests[0].body).contains("kills"));
    assert!(offers(&requests[1].body));
    assert!(system(&requests[1].body).contains("\n- release: Makes releases.\n"));
    assert!(
        requests[2].body["messages"]
            .to_string()
            .contains("Tag it first.")
    );
}

/// The path of a configuration whose model is the mock.
fn configured(place: &Place, mock: &MockModel) -> String {
    let config = place.temporary().join("config.yaml");
    let yaml = format!(
        "providers:\n  house: {{wire: openai-chat, base_url: \"{}/v1\", model: m}}\n",
        mock.url().trim_end_matches("/v1")
    );
    std::fs::write(&config, yaml).unwrap();
    config.display().to_string()
}

fn system(body: &Value) -> String {
    let first = &body["messages"][0];
    assert!(first["role"] == "system" || first["role"] == "developer");
    match &first["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap().to_owned(),
    }
}

//! What files tell the model, from the file to the request that a real provider
//! sends.

use serde_json::Value;

use crate::mock_model::{MockModel, Reply};
use crate::started::{GREENROOM, Place};

#[tokio::test]
async fn a_projects_instructions_reach_the_model() {
    let mock = MockModel::start().await;
    let place = Place::new();
    std::fs::write(place.work().join("AGENTS.md"), "Say please. @style.md\n").unwrap();
    std::fs::write(place.work().join("style.md"), "Tabs, no spaces.\n").unwrap();
    let config = place.temporary().join("config.yaml");
    let yaml = format!(
        "providers:\n  house: {{wire: openai-chat, base_url: \"{}/v1\", model: m}}\n",
        mock.url().trim_end_matches("/v1")
    );
    std::fs::write(&config, yaml).unwrap();
    let config = config.display().to_string();
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

fn system(body: &Value) -> String {
    let first = &body["messages"][0];
    assert!(first["role"] == "system" || first["role"] == "developer");
    match &first["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap().to_owned(),
    }
}

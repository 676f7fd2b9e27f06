use greenroom_actors::ports::{Action, Tools};
use greenroom_protocol::session::{Amendment, Category, Document};
use serde_json::json;

use super::super::call::failed;
use super::super::testing::Bench;

#[test]
fn tools_are_told_in_a_stable_order() {
    let specs = Bench::new().toolbox.specs();
    let told: Vec<(&str, Category)> = specs
        .iter()
        .map(|spec| (&*spec.name, spec.category))
        .collect();
    let expected = [
        ("read_file", Category::Read),
        ("list_files", Category::Read),
        ("find_files", Category::Read),
        ("search", Category::Read),
        ("edit_file", Category::Edit),
        ("write_file", Category::Edit),
        ("shell", Category::Shell),
        ("job_output", Category::Session),
        ("job_input", Category::Shell),
        ("job_kill", Category::Session),
        ("ask_user", Category::Session),
        ("update_plan", Category::Session),
        ("skill", Category::Session),
        ("task", Category::Agent),
        ("web_fetch", Category::Web),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn an_unknown_tool_is_a_fault_with_a_hint() {
    let bench = Bench::new();
    assert_eq!(
        bench.fault("read_fil", json!({})).await,
        "there is no tool `read_fil`: did you mean `read_file`?"
    );
    assert_eq!(
        bench.fault("xyz", json!({})).await,
        "there is no tool `xyz`: the tools are read_file, list_files, find_files, search, \
         edit_file, write_file, shell, job_output, job_input, job_kill, ask_user, update_plan, task"
    );
    let mut planned = bench.plan("list_files", json!({})).await.unwrap();
    planned.tool = "gone".into();
    assert!(bench.run_planned(planned, None).await.failed);
}

#[tokio::test]
async fn another_input_is_not_run_unjudged() {
    let bench = Bench::new();
    let planned = bench
        .plan("shell", json!({"command": "touch made"}))
        .await
        .unwrap();
    let other = Document(r#"{"command": "touch other"}"#.into());
    let ran = bench
        .run_planned(planned, Some(Amendment::Input(other)))
        .await;
    assert_eq!(
        ran,
        failed("nothing was run: an amended input has to be planned anew")
    );
    assert!(!bench.root().join("made").exists() && !bench.root().join("other").exists());
}

#[tokio::test]
async fn a_plan_with_a_foreign_action_is_not_run() {
    let bench = Bench::new();
    bench.put("f", "x");
    let calls = [
        ("read_file", json!({"path": "f"})),
        ("list_files", json!({})),
        ("find_files", json!({"pattern": "*"})),
        ("search", json!({"pattern": "x"})),
        ("shell", json!({"command": "true"})),
    ];
    for (tool, input) in calls {
        let mut planned = bench.plan(tool, input).await.unwrap();
        planned.action = Action::SetPlan(Vec::new());
        let ran = bench.run_planned(planned, None).await;
        assert!(ran.failed && !ran.text.is_empty(), "{tool}");
    }
}

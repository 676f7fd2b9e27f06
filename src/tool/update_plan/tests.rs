use serde_json::json;

use super::super::call::failed;
use super::super::testing::Bench;
use super::*;

#[tokio::test]
async fn reads_the_list() {
    let bench = Bench::new();
    let input = json!({"items": [
        {"text": "look", "status": "completed", "priority": "high"},
        {"text": "write", "status": "in_progress"},
        {"text": "test", "status": "pending", "priority": "low"},
    ]});
    let planned = bench.plan("update_plan", input).await.unwrap();
    let item = |text: &str, status, priority| PlanItem {
        text: text.into(),
        status,
        priority,
    };
    let expected = vec![
        item("look", PlanStatus::Completed, Priority::High),
        item("write", PlanStatus::InProgress, Priority::Medium),
        item("test", PlanStatus::Pending, Priority::Low),
    ];
    assert_eq!(planned.action, Action::SetPlan(expected));
    assert_eq!(
        (&*planned.summary, planned.category),
        ("3 items, 2 open", Category::Session)
    );
    let ran = bench.run_planned(planned, None).await;
    assert_eq!(
        ran,
        failed("the plan was not changed: plans are kept by the session")
    );
    let empty = bench
        .plan("update_plan", json!({"items": []}))
        .await
        .unwrap();
    assert_eq!(empty.action, Action::SetPlan(Vec::new()));
}

#[tokio::test]
async fn an_input_that_is_no_list_is_explained() {
    let bench = Bench::new();
    let faults = [
        (
            json!({}),
            "`items` is missing: it must be an array of {text, status} objects",
        ),
        (
            json!({"items": [{"text": "a"}]}),
            "`items[0].status` is missing: it must be one of `pending`, `in_progress`, `completed`",
        ),
        (
            json!({"items": [{"text": "a", "status": "done"}]}),
            "`items[0].status` must be one of `pending`, `in_progress`, `completed`, not the string \"done\"",
        ),
        (
            json!({"items": [{"text": "a", "status": "pending", "prio": "low"}]}),
            "`items[0].prio` is an unknown field: did you mean `priority`?",
        ),
    ];
    for (input, expected) in faults {
        assert_eq!(bench.fault("update_plan", input).await, expected);
    }
}

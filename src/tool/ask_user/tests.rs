use serde_json::json;

use super::super::call::failed;
use super::super::testing::Bench;
use super::*;

fn question(id: &str, text: &str, labels: &[&str], multiple: bool) -> Question {
    let choice = |label: &&str| Choice {
        label: Text::from(*label),
        description: None,
    };
    Question {
        id: id.into(),
        text: text.into(),
        choices: labels.iter().map(choice).collect(),
        multiple,
    }
}

#[tokio::test]
async fn reads_one_question_or_several() {
    let bench = Bench::new();
    let one = bench
        .plan(
            "ask_user",
            json!({"question": "Which?", "choices": ["a", "b"]}),
        )
        .await
        .unwrap();
    assert_eq!(*one.summary, *"Which?");
    assert_eq!(
        one.action,
        Action::Ask(vec![question("q0", "Which?", &["a", "b"], false)])
    );
    assert_eq!((one.category, one.touches.len()), (Category::Session, 0));
    let input = json!({"questions": [
        {"question": "Which?", "choices": ["a"], "multiple": true},
        {"question": "Why?"},
    ]});
    let two = bench.plan("ask_user", input).await.unwrap();
    assert_eq!(*two.summary, *"Which? (and 1 more)");
    let expected = vec![
        question("q0", "Which?", &["a"], true),
        question("q1", "Why?", &[], false),
    ];
    assert_eq!(two.action, Action::Ask(expected));
    let ran = bench.run_planned(two, None).await;
    assert_eq!(
        ran,
        failed("nobody was asked: questions are put by the session")
    );
}

#[tokio::test]
async fn choices_may_be_described() {
    let input = json!({"question": "Which?", "choices": [{"label": "a", "description": "first"}]});
    let planned = Bench::new().plan("ask_user", input).await.unwrap();
    let mut expected = question("q0", "Which?", &["a"], false);
    expected.choices[0].description = Some("first".into());
    assert_eq!(planned.action, Action::Ask(vec![expected]));
}

#[tokio::test]
async fn an_input_that_asks_nothing_is_explained() {
    let bench = Bench::new();
    let faults = [
        (json!({}), "`question` is missing: it must be a string"),
        (json!({"question": ""}), "`question` must not be empty"),
        (
            json!({"questions": []}),
            "`questions` must hold at least one question",
        ),
        (
            json!({"question": "a", "questions": [{"question": "b"}]}),
            "`questions` and `question` are both given: give one of them",
        ),
        (
            json!({"questions": [{"question": "b"}, {}]}),
            "`questions[1].question` is missing: it must be a string",
        ),
        (
            json!({"question": "a", "choices": [3]}),
            "`choices[0]` must be an object, not 3",
        ),
    ];
    for (input, expected) in faults {
        assert_eq!(bench.fault("ask_user", input).await, expected);
    }
}

//! What servers ask of us: people, the model, the workspace.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use greenroom::mcp::{Ask, Callers};
use greenroom_protocol::session::{Answer, Document, Question};
use serde_json::{Value, json};

use super::stage::{PATIENCE, Stage, call_with, hub, said};

pub fn answering(asked: &Arc<Mutex<Vec<Question>>>, answers: Option<Vec<Answer>>) -> Callers {
    let asked = asked.clone();
    let ask: Ask = Arc::new(move |questions| {
        asked.lock().unwrap().extend(questions);
        Box::pin(std::future::ready(answers.clone()))
    });
    Callers {
        output: None,
        ask: Some(ask),
    }
}

pub fn answer(text: &str) -> Answer {
    Answer {
        question: None,
        text: (!text.is_empty()).then(|| text.into()),
    }
}

#[tokio::test]
async fn a_form_becomes_questions_and_answers_what_it_asks_for() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let answers = ["Ada", "36", "Green", "yes"].map(answer).to_vec();
    let ran = call_with(&servers, "ask", "{}", answering(&asked, Some(answers))).await;
    let told: Value = serde_json::from_str(&ran.text).unwrap();
    let content = json!({"name": "Ada", "age": 36, "colour": "g", "sure": true});
    assert_eq!(told, json!({"action": "accept", "content": content}));
    let questions: Vec<(String, Vec<String>)> = (asked.lock().unwrap().iter())
        .map(|it| {
            let labels = it.choices.iter().map(|choice| choice.label.to_string());
            (format!("{} {}", it.id, it.text), labels.collect())
        })
        .collect();
    let expected = [
        ("q0 The MCP server s asks: Who?\nName", vec![]),
        ("q1 age: in years", vec![]),
        ("q2 colour", vec!["Red".to_owned(), "Green".to_owned()]),
        ("q3 sure", vec!["yes".to_owned(), "no".to_owned()]),
    ]
    .map(|(text, choices)| (text.to_owned(), choices));
    assert_eq!(questions, expected);
}

#[tokio::test]
async fn without_answers_that_fit_the_server_hears_no() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let asked = Arc::default();
    let cases = [
        (None, "cancel"),
        // The name is required; of the rest nothing is.
        (Some(vec![answer("")]), "decline"),
        (Some(vec![answer("Ada"), answer("old")]), "decline"),
        (Some(vec![answer("Ada")]), "accept"),
    ];
    for (answers, expected) in cases {
        let ran = call_with(&servers, "ask", "{}", answering(&asked, answers)).await;
        let told: Value = serde_json::from_str(&ran.text).unwrap();
        assert_eq!(told["action"], expected, "{told}");
    }
    // Nobody is there at all.
    let (text, _) = said(&servers, "ask", "{}").await;
    assert_eq!(text, r#"{"action": "cancel"}"#);
}

#[tokio::test]
async fn a_question_of_one_call_is_never_put_to_anothers_caller() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let other = servers.call("s", "hang", &Document::default(), Callers::default());
    let other = tokio::spawn(other);
    // It is on its way when the server has it.
    tokio::time::timeout(PATIENCE, async {
        said(&servers, "echo", "{}").await;
    })
    .await
    .unwrap();
    let callers = answering(&asked, Some(vec![answer("Ada")]));
    let ran = call_with(&servers, "ask", "{}", callers).await;
    assert_eq!(ran.text, r#"{"action": "cancel"}"#);
    assert!(asked.lock().unwrap().is_empty());
    other.abort();
}

#[tokio::test]
async fn a_persons_time_is_not_the_calls_and_ends_with_it() {
    let stage = Stage::new();
    let mut server = stage.server(&[]);
    server.timeout = Duration::from_millis(700);
    let servers = stage.ready(&hub(), &server).await;
    let slow: Ask = Arc::new(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            Some(vec![answer("yes")])
        })
    });
    let callers = Callers {
        output: None,
        ask: Some(slow),
    };
    let ran = call_with(&servers, "ask_for_ever", "{}", callers).await;
    assert_eq!((ran.text.as_str(), ran.failed), ("answered", false));
    // The question goes with the call that is dropped.
    let (open, ended) = tokio::sync::oneshot::channel::<()>();
    let open = Mutex::new(Some(open));
    let (begin, begun) = tokio::sync::oneshot::channel::<()>();
    let begin = Mutex::new(Some(begin));
    let never: Ask = Arc::new(move |_| {
        let open = open.lock().unwrap().take();
        if let Some(begin) = begin.lock().unwrap().take() {
            begin.send(()).unwrap();
        }
        Box::pin(async move {
            let _open = open;
            std::future::pending().await
        })
    });
    let callers = Callers {
        output: None,
        ask: Some(never),
    };
    let call = servers.call("s", "ask_for_ever", &Document::default(), callers);
    let call = tokio::spawn(call);
    tokio::time::timeout(PATIENCE, begun)
        .await
        .unwrap()
        .unwrap();
    call.abort();
    let ended = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert!(ended.is_err(), "the question's work was dropped");
}

#[tokio::test]
async fn the_model_is_lent_to_nobody_and_the_workspace_is_the_root() {
    let stage = Stage::new();
    let servers = stage.ready(&hub(), &stage.server(&[])).await;
    let (text, _) = said(&servers, "sample", "{}").await;
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        told["message"],
        "Greenroom lends its model to no server: sampling is not supported"
    );
    let (text, _) = said(&servers, "roots", "{}").await;
    let uri = format!("file://{}", stage.root().display());
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told, json!({"roots": [{"uri": uri}]}));
}

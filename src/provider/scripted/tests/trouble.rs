//! Failures, hangs and scripts that are broken.

use std::time::Duration;

use greenroom_actors::ports::{Chunk, ModelError};
use greenroom_protocol::session::{FailureKind, Source, Stop, Usage};

use super::{Conversation, provider, script, sums};

#[tokio::test]
async fn each_kind_of_failure_says_whether_it_may_pass() {
    let kinds = [
        ("overloaded", FailureKind::Overloaded, true),
        ("rate_limited", FailureKind::RateLimited, true),
        ("broken", FailureKind::Broken, true),
        ("stalled", FailureKind::Stalled, true),
        ("auth", FailureKind::Auth, false),
        ("quota", FailureKind::Quota, false),
        ("too_long", FailureKind::TooLong, false),
        ("invalid", FailureKind::Invalid, false),
    ];
    for (name, kind, retryable) in kinds {
        let (_file, model) = script(&format!(
            "otherwise: [{{fail: {{kind: {name}, message: no, retry_after_ms: 1500}}, \
             usage: {{input: 3}}}}]"
        ));
        let (chunks, answer) = Conversation::with("x").call(&model).await;
        assert_eq!(chunks, []);
        let expected = ModelError {
            kind,
            message: "no".into(),
            retry_after: Some(Duration::from_millis(1500)),
            retryable,
            usage: Some(Usage {
                input: 3,
                ..Usage::default()
            }),
        };
        assert_eq!(answer, Err(expected), "{name}");
    }
}

#[tokio::test]
async fn a_failure_comes_after_its_pieces() {
    let (_file, model) = script(
        "turns: [{when: far, steps: [{say: 'a b', fail: {kind: broken, after_pieces: 9}}]}]\n\
         otherwise: [{think: 'h m', say: 'a b c', call: [{tool: t}], \
         fail: {kind: broken, after_pieces: 4}}]",
    );
    let (chunks, answer) = Conversation::with("near").call(&model).await;
    assert_eq!(sums(&chunks), ("a b".into(), "h m".into()));
    assert_eq!(answer.unwrap_err().kind, FailureKind::Broken);

    let (chunks, answer) = Conversation::with("far").call(&model).await;
    assert_eq!(sums(&chunks), ("a b".into(), String::new()));
    assert_eq!(
        answer.unwrap_err().message,
        "the connection broke (as the script says)"
    );
}

#[tokio::test]
async fn times_are_counted_by_session_prompt_and_step() {
    let (_file, model) = script(
        "otherwise: [{say: one, fail: {kind: overloaded, times: 2}}, \
         {say: two, fail: {kind: overloaded, times: 1}}]",
    );
    let mut one = Conversation::new("one");
    let mut other = Conversation::new("other");
    let mut told = Vec::new();
    for conversation in [&mut one, &mut other] {
        for _ in 0..2 {
            conversation.user("x", Source::Prompt);
            for _ in 0..5 {
                match conversation.call(&model).await.1 {
                    Ok(answer) => {
                        told.push(answer.message.text.to_string());
                        conversation.keep(&answer, |_| String::new());
                    }
                    Err(error) => told.push(format!("{:?}", error.kind)),
                }
            }
        }
    }
    let turn = ["Overloaded", "Overloaded", "one", "Overloaded", "two"];
    assert_eq!(told, turn.repeat(4));
}

#[tokio::test]
async fn the_counters_are_bounded() {
    let (_file, model) = script("otherwise: [{say: one, fail: {kind: auth, times: 1}}]");
    for session in 0..5000 {
        let mut conversation = Conversation::new(&format!("s{session}"));
        conversation.user("x", Source::Prompt);
        conversation.call(&model).await.1.unwrap_err();
    }
    assert_eq!(model.fail_counts(), 4096);
}

#[tokio::test(start_paused = true)]
async fn a_hang_says_its_words_and_ends_only_by_being_dropped() {
    let (_file, model) = script("otherwise: [{say: 'a b', hang: true}]");
    let (sink, mut pieces) = tokio::sync::mpsc::channel(8);
    let work = model.call(Conversation::with("x").request(), sink);
    let waited = tokio::time::timeout(Duration::from_secs(86_400), work).await;
    assert!(waited.is_err());
    let mut chunks = Vec::new();
    while let Some(chunk) = pieces.recv().await {
        chunks.push(chunk);
    }
    assert_eq!(chunks, [Chunk::Text("a".into()), Chunk::Text(" b".into())]);
}

#[tokio::test]
async fn a_stop_is_told() {
    let (_file, model) = script(
        "turns:\n- {when: long, steps: [{say: a, stop: max_tokens, call: [{tool: t}]}]}\n\
         - {when: no, steps: [{say: a, stop: refusal}]}\n\
         - {when: late, steps: [{say: a, stop: refusal, fail: {kind: auth, times: 0}}]}",
    );
    for (prompt, stop) in [
        ("long", Stop::MaxTokens),
        ("no", Stop::Refusal),
        ("late", Stop::Refusal),
    ] {
        let (_, answer) = Conversation::with(prompt).call(&model).await;
        assert_eq!(answer.unwrap().message.stop, stop, "{prompt}");
    }
}

#[tokio::test]
async fn a_broken_script_fails_each_call_until_it_is_mended() {
    let (file, model) = script("otherwise:\n  - sya: a\n");
    let name = file.path().to_str().unwrap();
    for _ in 0..2 {
        let (chunks, answer) = Conversation::with("x").call(&model).await;
        assert_eq!(chunks, []);
        let said = format!(
            "script {name}, line 2: otherwise[0]: unknown key `sya`: the nearest known one is \
             `say` (examples/scripts/README.md lists all keys)"
        );
        assert_eq!(answer, Err(ModelError::lasting(FailureKind::Invalid, said)));
    }
    std::fs::write(file.path(), "otherwise: [{say: mended}]").unwrap();
    let (_, answer) = Conversation::with("x").call(&model).await;
    assert_eq!(&*answer.unwrap().message.text, "mended");
}

#[tokio::test]
async fn a_missing_script_fails_each_call() {
    let (_, answer) = Conversation::with("x")
        .call(&provider("/nowhere/none.yaml"))
        .await;
    let error = answer.unwrap_err();
    assert_eq!((error.kind, error.retryable), (FailureKind::Invalid, false));
    assert!(error.message.contains("/nowhere/none.yaml"), "{error}");
}

//! Which step answers, and what it streams.

use expect_test::expect;
use greenroom_actors::ports::{Chunk, ModelAnswer};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallRequest, Cost, Document, Source, Stop, Usage,
};
use proptest::prelude::*;

use super::{Conversation, provider, script, sums};
use crate::provider::scripted::delivery;

#[tokio::test]
async fn a_step_is_streamed_in_words_and_adds_up_to_its_answer() {
    let (_file, model) = script(
        r#"
        turns:
          - when: "run the tests"
            steps:
              - say: "Let me look."
                think: "They want tests."
                call:
                  - {tool: shell, input: {command: "go test ./...", deep: [{of: "{{prompt}}"}]}}
                  - {tool: read_file, input_text: "{not json", call_id: toolu_7}
                  - {tool: list_files}
                usage: {input: 2410, output: 38, cache_read: 7, cache_write: 5, cost: 0.0127}
        "#,
    );
    let (chunks, answer) = Conversation::with("Please RUN the tests")
        .call(&model)
        .await;
    let text = |piece: &str| Chunk::Text(piece.into());
    let thinking = |piece: &str| Chunk::Thinking(piece.into());
    assert_eq!(
        chunks,
        [
            thinking("They"),
            thinking(" want"),
            thinking(" tests."),
            text("Let"),
            text(" me"),
            text(" look."),
            Chunk::CallDrafted("shell".into()),
            Chunk::CallDrafted("read_file".into()),
            Chunk::CallDrafted("list_files".into()),
        ]
    );
    let call = |id: &str, tool: &str, input: &str| CallRequest {
        id: CallId::new(id),
        provider_id: id.into(),
        tool: tool.into(),
        input: Document(input.into()),
    };
    assert_eq!(
        answer,
        Ok(ModelAnswer {
            message: AssistantMessage {
                text: "Let me look.".into(),
                thinking: "They want tests.".into(),
                calls: vec![
                    call(
                        "call_01",
                        "shell",
                        r#"{"command":"go test ./...","deep":[{"of":"Please RUN the tests"}]}"#
                    ),
                    call("toolu_7", "read_file", "{not json"),
                    call("call_03", "list_files", "{}"),
                ],
                raw: None,
                stop: Stop::Calls,
            },
            usage: Some(Usage {
                input: 2410,
                output: 38,
                cache_read: 7,
                cache_write: 5,
                cost: Cost(12_700),
                cost_unknown: false,
            }),
        })
    );
}

#[tokio::test]
async fn the_first_turn_that_takes_the_prompt_answers() {
    let (_file, model) = script(
        r#"
        turns:
          - {when: {prompt: 3, contains: b}, steps: [{say: "third, with b"}]}
          - {when: {is: " Alpha "}, steps: [{say: "is"}]}
          - {when: alpha, steps: [{say: "contains"}]}
          - {when: {any: true, prompt: 2}, steps: [{say: "second"}]}
        otherwise: [{say: "otherwise"}]
        "#,
    );
    let mut conversation = Conversation::new("s");
    let mut said = Vec::new();
    for prompt in ["ALPHA", "x", "abc", "xyz", "the alphabet"] {
        conversation.user(prompt, Source::Prompt);
        let answer = conversation.step(&model, "").await;
        said.push(answer.message.text.to_string());
    }
    assert_eq!(
        said,
        ["is", "second", "third, with b", "otherwise", "contains"]
    );
}

const THREE: &str = "turns: [{when: go, steps: [\
    {say: one, call: [{tool: t}]}, {say: two, call: [{tool: t}, {tool: t}]}, \
    {say: 'three {{last_result}}'}]}]";

#[tokio::test]
async fn steps_follow_the_answers_since_the_prompt_whatever_else_is_said() {
    let (_file, model) = script(THREE);
    let mut conversation = Conversation::with("go");
    let mut said = Vec::new();
    for source in [
        Some(Source::Steer),
        Some(Source::FollowUp),
        Some(Source::Agent),
        None,
        Some(Source::Prompt),
        None,
    ] {
        let answer = conversation.step(&model, "got it").await;
        let ids: Vec<&str> = answer
            .message
            .calls
            .iter()
            .map(|call| call.id.as_str())
            .collect();
        said.push(format!("{} {ids:?}", answer.message.text));
        if let Some(source) = source {
            conversation.user("go elsewhere", source);
        }
    }
    expect![[r#"
        one ["call_01"]
        two ["call_02", "call_03"]
        three got it []
        Done. []
        Done. []
        one ["call_04"]"#]]
    .assert_eq(&said.join("\n"));
}

#[tokio::test]
async fn a_cut_answer_is_played_again() {
    let (_file, model) = script(THREE);
    let mut conversation = Conversation::with("go");
    conversation.step(&model, "").await;
    for stop in [Stop::Failed, Stop::Interrupted, Stop::Aborted] {
        conversation.keep_cut("tw", stop);
        let (_, answer) = conversation.call(&model).await;
        assert_eq!(&*answer.unwrap().message.text, "two", "after {stop:?}");
    }
}

#[tokio::test]
async fn another_process_goes_on_at_the_same_step() {
    let (file, model) = script(THREE);
    let mut conversation = Conversation::with("go");
    conversation.step(&model, "").await;
    let reopened = provider(file.path().to_str().unwrap());
    let answer = conversation.step(&reopened, "").await;
    assert_eq!(&*answer.message.text, "two");
}

#[tokio::test]
async fn a_turn_without_a_step_ends() {
    let (_file, model) = script(
        "turns: [{when: once, steps: [{say: one}]}, \
         {when: always, steps: [{say: one}, {say: more, repeat: true}]}]",
    );
    let mut said = Vec::new();
    for prompt in ["once", "always", "never heard of"] {
        let mut conversation = Conversation::with(prompt);
        for _ in 0..3 {
            let answer = conversation.step(&model, "").await;
            assert_eq!(answer.message.stop, Stop::End);
            said.push(answer.message.text.to_string());
        }
    }
    expect![[r#"
        one
        Done.
        Done.
        one
        more
        more
        No turn of the script takes this prompt: add one to `turns`, or add `otherwise`.
        No turn of the script takes this prompt: add one to `turns`, or add `otherwise`.
        No turn of the script takes this prompt: add one to `turns`, or add `otherwise`."#]]
    .assert_eq(&said.join("\n"));
}

#[tokio::test]
async fn the_latest_word_stands_for_a_prompt_that_a_compaction_took() {
    let (_file, model) = script(THREE);
    let mut conversation = Conversation::new("s");
    conversation.user("go on", Source::FollowUp);
    let answer = conversation.step(&model, "").await;
    assert_eq!(&*answer.message.text, "one");
}

#[tokio::test]
async fn templates_are_filled_once() {
    let (_file, model) = script(
        "otherwise: [{call: [{tool: t}]}, \
         {say: '{{ prompt }}|{{last_result}}|{{other}}|{{|{{prompt', \
          think: '{{prompt}}', call: [{tool: t, input: {'{{prompt}}': '{{last_result}}', n: 1}}]}]",
    );
    let mut conversation = Conversation::with("{{last_result}}");
    conversation.step(&model, "{{prompt}}").await;
    let (chunks, answer) = conversation.call(&model).await;
    let message = answer.unwrap().message;
    assert_eq!(
        (
            &*message.text,
            &*message.thinking,
            &*message.calls[0].input.0
        ),
        (
            "{{last_result}}|{{prompt}}|{{other}}|{{|{{prompt",
            "{{last_result}}",
            r#"{"{{prompt}}":"{{prompt}}","n":1}"#,
        )
    );
    let (text, thinking) = sums(&chunks);
    assert_eq!((&*text, &*thinking), (&*message.text, &*message.thinking));
}

#[tokio::test]
async fn a_burst_follows_the_text_piece_by_piece() {
    let (_file, model) = script("otherwise: [{say: 'a b', pieces: 20000, piece: é}]");
    let (chunks, answer) = Conversation::with("x").call(&model).await;
    let mut expected = vec![Chunk::Text("a".into()), Chunk::Text(" b".into())];
    expected.extend((0..20_000).map(|_| Chunk::Text("é".into())));
    assert!(chunks == expected);
    let text = answer.unwrap().message.text;
    assert_eq!(*text, format!("a b{}", "é".repeat(20_000)));
}

#[tokio::test(start_paused = true)]
async fn pieces_keep_their_pace_and_the_first_its_delay() {
    let (_file, model) =
        script("otherwise: [{delay_ms: 1000, pace_ms: 20, pieces: 501, piece: x}]");
    let conversation = Conversation::with("x");
    let (sink, mut pieces) = tokio::sync::mpsc::channel(1000);
    let start = tokio::time::Instant::now();
    let work = tokio::spawn(model.call(conversation.request(), sink));
    let mut at = Vec::new();
    while pieces.recv().await.is_some() {
        at.push(start.elapsed().as_millis() as u64);
    }
    let expected: Vec<u64> = (0..501).map(|piece| 1000 + 20 * piece).collect();
    assert_eq!(at, expected);
    assert_eq!(work.await.unwrap().unwrap().message.text.len(), 501);
}

#[tokio::test]
async fn nobody_listening_does_not_hold_the_answer_up() {
    let (_file, model) = script("otherwise: [{say: 'a b c', pace_ms: 60000}]");
    let (sink, pieces) = tokio::sync::mpsc::channel(1);
    drop(pieces);
    let answer = model.call(Conversation::with("x").request(), sink).await;
    assert_eq!(&*answer.unwrap().message.text, "a b c");
}

proptest! {
    #[test]
    fn pieces_add_up_to_the_text(text in "(\\PC|[ \\n\\té]){0,200}") {
        let pieces: Vec<&str> = delivery::pieces(&text).collect();
        prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
        prop_assert_eq!(pieces.concat(), text);
    }
}

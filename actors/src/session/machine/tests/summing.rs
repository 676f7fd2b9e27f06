//! Turns that sum up.

use std::sync::Arc;

use expect_test::expect;
use greenroom_protocol::session::{Command, FailureKind};

use super::stage::Stage;
use crate::ports::{ModelError, ModelFacts};
use crate::session::{Input, Settings, WorkId};

/// An answer is told as 12 tokens: with that, little room is left.
fn narrow(settings: &mut Settings) {
    settings.facts = Arc::new(|choice| {
        Some(ModelFacts {
            id: choice.model.clone(),
            context_window: Some(14),
            images: true,
            prices: None,
        })
    });
    settings.limits.compaction_keeps = 1;
}

fn failed(work: u64, kind: FailureKind) -> Input {
    Input::ModelAnswered {
        work: WorkId(work),
        result: Err(ModelError::lasting(kind, "no")),
    }
}

/// Two messages, and a third prompt behind them.
fn third() -> Stage {
    let mut stage = Stage::with(narrow);
    stage.prompt("one").answers("1").mark().prompt("two");
    stage
}

#[test]
fn a_turn_sums_up_before_its_next_step_and_goes_on() {
    third()
        .says("the user")
        .answers("the user said one")
        .mark()
        .answers("2")
        .check(expect![[r#"
            tell 16 TextAdded { entry: EntryId(5), text: "2" }
            timer Checkpoint(WorkId(3)) in 1s
            tell 17 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 18 MessageEnded { entry: EntryId(5), message: AssistantMessage { text: "2", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 19 TurnEnded { turn: TurnId(2), outcome: Completed, steps: 1, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn the_summary_is_asked_for_once_and_put_in_its_place() {
    third().answers("the user said one").check(expect![[r#"
        answer 2 Ok(Started(TurnId(2)))
        start turn
        tell 10 TurnStarted { turn: TurnId(2), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
        tell 11 UserMessage { entry: EntryId(3), content: Content { parts: [Text("two")] }, source: Prompt }
        tell 12 CompactionStarted { reason: Threshold, context: 12 }
        call model 2 with 3 messages
        tell 13 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
        tell 14 CompactionEnded { compacted: Some(Compacted { entry: EntryId(4), summary: "the user said one", keeps_from: Some(EntryId(3)) }), context: 17, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, failure: None }
        tell 15 MessageStarted { entry: EntryId(5) }
        call model 3 with 2 messages
    "#]]);
}

#[test]
fn without_a_summary_the_turn_goes_on_all_the_same() {
    third()
        .mark()
        .input(failed(2, FailureKind::Overloaded))
        .check(expect![[r#"
            tell 13 CompactionEnded { compacted: None, context: 12, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, failure: Some(Failure { kind: Overloaded, message: "no" }) }
            tell 14 MessageStarted { entry: EntryId(4) }
            call model 3 with 3 messages
        "#]]);
}

#[test]
fn an_abort_ends_the_summary_and_the_turn() {
    third().mark().ask(Command::Abort).check(expect![[r#"
        answer 3 Ok(Done)
        tell 13 CompactionEnded { compacted: None, context: 12, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, failure: Some(Failure { kind: Aborted, message: "the turn was ended; the conversation is as before" }) }
        stop turn
        tell 14 TurnEnded { turn: TurnId(2), outcome: Aborted(Client), steps: 0, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn a_call_that_is_too_long_is_tried_once_more_behind_a_summary() {
    let mut stage = Stage::with(|settings| {
        settings.limits.compaction_keeps = 1;
    });
    stage
        .prompt("one")
        .answers("1")
        .prompt("two")
        .mark()
        .input(failed(2, FailureKind::TooLong))
        .answers("the user said one")
        .input(failed(4, FailureKind::TooLong))
        .check(expect![[r#"
            tell 13 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "", thinking: "", calls: [], raw: None, stop: Failed } }
            tell 14 CompactionStarted { reason: Overflow, context: 12 }
            call model 3 with 3 messages
            tell 15 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 16 CompactionEnded { compacted: Some(Compacted { entry: EntryId(5), summary: "the user said one", keeps_from: Some(EntryId(3)) }), context: 17, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, failure: None }
            tell 17 MessageStarted { entry: EntryId(6) }
            call model 4 with 2 messages
            tell 18 MessageEnded { entry: EntryId(6), message: AssistantMessage { text: "", thinking: "", calls: [], raw: None, stop: Failed } }
            stop turn
            tell 19 TurnEnded { turn: TurnId(2), outcome: Failed(Failure { kind: TooLong, message: "no" }), steps: 2, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn the_open_plan_stays_word_for_word() {
    let mut stage = Stage::with(narrow);
    stage.prompt("one").calls(&[("plan", "mend it")]);
    stage.judged("c1", "plan", "mend it").answers("1");
    stage.prompt("two").mark();
    stage.answers("the user said one").check(expect![[r#"
        tell 21 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
        tell 22 CompactionEnded { compacted: Some(Compacted { entry: EntryId(6), summary: "the user said one\n\nThe plan as it stands:\n- [ ] mend it", keeps_from: Some(EntryId(5)) }), context: 27, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, failure: None }
        tell 23 MessageStarted { entry: EntryId(7) }
        call model 4 with 2 messages
    "#]]);
}

/// A provider that never tells what it read is summed up for by a guess, also
/// when it was once before.
#[test]
fn without_usage_the_size_is_guessed_each_time() {
    let mut stage = Stage::with(narrow);
    let mut summaries = 0;
    for _ in 0..6 {
        stage.mark().prompt("a prompt of some thirty letters");
        if stage.taken().contains("CompactionStarted") {
            summaries += 1;
            stage.answers_silently("in short: x");
        }
        stage.answers_silently("an answer of some thirty letters");
    }
    assert_eq!(summaries, 5);
}

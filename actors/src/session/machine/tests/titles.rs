//! Titles: the first words, and a model's.

use expect_test::expect;
use greenroom_protocol::session::{FailureKind, ModelChange};

use super::stage::Stage;
use crate::ports::ModelError;
use crate::session::{Input, Settings};
use crate::testing;

fn by_a_model(settings: &mut Settings) {
    settings.title_model = Some(ModelChange {
        model: Some("small".into()),
        ..ModelChange::default()
    });
}

fn written(text: &str) -> Input {
    Input::TitleWritten(Box::new(Ok(testing::answer(text))))
}

#[test]
fn a_model_is_asked_once_and_its_title_is_told_behind_the_turn() {
    Stage::with(by_a_model)
        .prompt("mend the parser")
        .input(written("\n\"Parser repair\"\n"))
        .mark()
        .answers("done")
        .prompt("and now the lexer")
        .check(expect![[r#"
            tell 6 TextAdded { entry: EntryId(2), text: "done" }
            timer Checkpoint(WorkId(1)) in 1s
            tell 7 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 8 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "done", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 9 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
            tell 10 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 11 Titled { title: "Parser repair" }
            answer 2 Ok(Started(TurnId(2)))
            start turn
            tell 12 TurnStarted { turn: TurnId(2), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
            tell 13 UserMessage { entry: EntryId(3), content: Content { parts: [Text("and now the lexer")] }, source: Prompt }
            tell 14 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn a_title_that_comes_later_is_told_at_once() {
    Stage::with(by_a_model)
        .prompt("mend the parser")
        .answers("done")
        .mark()
        .input(written("Parser repair"))
        .input(written("Another"))
        .check(expect![[r#"
            tell 10 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 11 Titled { title: "Parser repair" }
        "#]]);
}

#[test]
fn without_a_title_of_the_model_the_first_words_stay() {
    Stage::with(by_a_model)
        .prompt("mend the parser")
        .answers("done")
        .mark()
        .input(Input::TitleWritten(Box::new(Err(ModelError::passing(
            FailureKind::Overloaded,
            "too much to do",
        )))))
        .check(expect![[r#""#]]);
}

//! Turns that meet a limit on what they may use.

use std::sync::Arc;

use expect_test::expect;
use greenroom_protocol::session::{AgentId, Answer, CallId, Command, Cost, Happening, Usage};

use super::stage::Stage;
use crate::ports::{ModelFacts, Prices};
use crate::session::{Input, Settings, WorkId};
use crate::testing;

/// A dollar a turn; a token read costs a cent.
fn a_dollar(settings: &mut Settings) {
    settings.facts = Arc::new(|choice| {
        Some(ModelFacts {
            id: choice.model.clone(),
            context_window: None,
            images: true,
            prices: Some(Prices {
                input: 10_000_000_000,
                output: 0,
                cached: 0,
            }),
        })
    });
    settings.limits.turn_cost = Some(Cost(1_000_000));
}

fn asks(settings: &mut Settings) {
    a_dollar(settings);
    settings.limits.asks_to_raise = true;
}

/// One step that cost 95 cents, with 12 tokens in front of the next.
fn dear(change: impl FnOnce(&mut Settings)) -> Stage {
    let mut stage = Stage::with(change);
    stage.prompt("go");
    let mut answer = testing::calls(&[("nothing", "x")]);
    answer.usage = Some(Usage {
        input: 10,
        output: 2,
        cost: Cost(950_000),
        ..Usage::default()
    });
    stage.input(Input::ModelAnswered {
        work: WorkId(1),
        result: Ok(answer),
    });
    stage.mark().judged("c1", "nothing", "x");
    stage
}

fn reply(stage: &mut Stage, text: &str) {
    stage.mark().ask(Command::Reply {
        call: CallId::new("c2"),
        answers: vec![Answer {
            question: None,
            text: Some(text.into()),
        }],
    });
}

#[test]
fn the_call_that_would_pass_the_cap_is_not_made() {
    dear(a_dollar).check(expect![[r#"
        tell 8 CallStarted(Call { id: CallId(c1), tool: "nothing", category: Session, summary: "nothing", input: Document("x") })
        tell 9 CallEnded(CallResult { call: CallId(c1), tool: "nothing", end: Failed, text: "there is no tool \"nothing\"", images: [], exit_code: None, truncated: false, duration_ms: 0 })
        tell 10 BatchEnded { entry: EntryId(3) }
        stop turn
        tell 11 TurnEnded { turn: TurnId(1), outcome: Limit(Cost), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(950000), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn the_turn_asks_and_goes_on_with_as_much_again() {
    let mut stage = dear(asks);
    stage.check(expect![[r#"
        tell 8 CallStarted(Call { id: CallId(c1), tool: "nothing", category: Session, summary: "nothing", input: Document("x") })
        tell 9 CallEnded(CallResult { call: CallId(c1), tool: "nothing", end: Failed, text: "there is no tool \"nothing\"", images: [], exit_code: None, truncated: false, duration_ms: 0 })
        tell 10 BatchEnded { entry: EntryId(3) }
        tell 11 QuestionAsked(Ask { call: CallId(c2), questions: [Question { id: "q0", text: "This turn has used $0.95 of $1.00, and the next step costs about $0.18. Go on with as much again?", choices: [Choice { label: "Go on", description: Some("The limit is raised by as much as it was.") }, Choice { label: "Stop", description: Some("The turn ends here.") }], multiple: false }], asked_by: [], deadline: None })
    "#]]);
    reply(&mut stage, "go on");
    stage.check(expect![[r#"
        answer 2 Ok(Done)
        tell 12 QuestionSettled { call: CallId(c2), answered: true, by: Client }
        tell 13 MessageStarted { entry: EntryId(4) }
        call model 2 with 3 messages
    "#]]);
}

#[test]
fn another_answer_ends_the_turn() {
    let mut stage = dear(asks);
    reply(&mut stage, "Stop");
    stage.check(expect![[r#"
        answer 2 Ok(Done)
        tell 12 QuestionSettled { call: CallId(c2), answered: true, by: Client }
        stop turn
        tell 13 TurnEnded { turn: TurnId(1), outcome: Limit(Cost), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(950000), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn an_abort_withdraws_the_question() {
    let mut stage = dear(asks);
    stage.mark().ask(Command::Abort).check(expect![[r#"
        answer 2 Ok(Done)
        tell 12 QuestionSettled { call: CallId(c2), answered: false, by: Abort }
        stop turn
        tell 13 TurnEnded { turn: TurnId(1), outcome: Aborted(Client), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(950000), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn a_limit_on_the_session_holds_over_turns() {
    let mut stage = Stage::with(|settings| settings.limits.session_tokens = Some(20));
    stage.prompt("one").answers("1").prompt("two").answers("2");
    stage.mark().prompt("three").check(expect![[r#"
        answer 3 Ok(Started(TurnId(3)))
        start turn
        tell 17 TurnStarted { turn: TurnId(3), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
        tell 18 UserMessage { entry: EntryId(5), content: Content { parts: [Text("three")] }, source: Prompt }
        stop turn
        tell 19 TurnEnded { turn: TurnId(3), outcome: Limit(SessionTokens), steps: 0, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn a_price_that_is_not_known_is_said_once() {
    let mut stage = Stage::with(|settings| settings.limits.session_cost = Some(Cost(1_000_000)));
    stage.prompt("one").check(expect![[r#"
        answer 1 Ok(Started(TurnId(1)))
        start turn
        tell 2 TurnStarted { turn: TurnId(1), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
        tell 3 Titled { title: "one" }
        tell 4 UserMessage { entry: EntryId(1), content: Content { parts: [Text("one")] }, source: Prompt }
        tell 5 Noticed { text: "the price of model \"\" is not known, so the limit on money can't be kept: what it costs is not counted; set a limit on tokens, or its price in models.yaml" }
        tell 6 MessageStarted { entry: EntryId(2) }
        call model 1 with 1 messages
    "#]]);
    stage
        .answers("1")
        .mark()
        .prompt("two")
        .check(expect![[r#"
            answer 2 Ok(Started(TurnId(2)))
            start turn
            tell 11 TurnStarted { turn: TurnId(2), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
            tell 12 UserMessage { entry: EntryId(3), content: Content { parts: [Text("two")] }, source: Prompt }
            tell 13 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

/// Two sub-agents run, of which one has used so many cents.
fn spent_by_an_agent(cents: u64, change: impl FnOnce(&mut Settings)) -> Stage {
    let mut stage = Stage::with(change);
    stage
        .prompt("go")
        .calls(&[("task", "look"), ("task", "back")]);
    stage
        .judged("c1", "task", "look")
        .judged("c2", "task", "back");
    stage.mark().input(Input::AgentSaid {
        agent: AgentId::new("S1-a1"),
        happening: Arc::new(Happening::Used {
            usage: Usage {
                cost: Cost(cents * 10_000),
                ..Usage::default()
            },
        }),
    });
    stage
}

#[test]
fn what_works_beside_the_turn_is_stopped_when_it_used_too_much() {
    let mut stage = spent_by_an_agent(250, |settings| {
        settings.limits.session_cost = Some(Cost(1_000_000));
    });
    stage.check(expect![[r#"
        tell 18 AgentSaid { path: [AgentId(S1-a1)], happening: Used { usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(2500000), cost_unknown: false } } }
        stop agent S1-a1
        tell 19 AgentEnded { agent: AgentId(S1-a1), outcome: Limit(SessionCost), text: "", usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(2500000), cost_unknown: false } }
        stop agent S1-a2
        tell 20 AgentEnded { agent: AgentId(S1-a2), outcome: Limit(SessionCost), text: "", usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
        tell 21 CallEnded(CallResult { call: CallId(c1), tool: "task", end: Failed, text: "It met a limit (money of the session) before it ended.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
        tell 22 BatchEnded { entry: EntryId(3) }
        stop turn
        tell 23 TurnEnded { turn: TurnId(1), outcome: Limit(SessionCost), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
    "#]]);
}

#[test]
fn as_much_again_counts_from_what_was_used() {
    let mut stage = spent_by_an_agent(250, asks);
    stage.mark().ask(Command::Reply {
        call: CallId::new("c3"),
        answers: vec![Answer {
            question: None,
            text: Some("go on".into()),
        }],
    });
    stage.check(expect![[r#"
        answer 2 Ok(Done)
        tell 23 QuestionSettled { call: CallId(c3), answered: true, by: Client }
        tell 24 UserMessage { entry: EntryId(4), content: Content { parts: [Text("The sub-agent general (back) has ended.\n\nIt met a limit (money) before it ended.")] }, source: Agent }
        tell 25 MessageStarted { entry: EntryId(5) }
        call model 2 with 4 messages
    "#]]);
}

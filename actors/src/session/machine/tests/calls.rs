//! Calls of one answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use greenroom_protocol::session::{
    Answer, AnswerPolicy, CallId, Command, Content, Mode, Scope, Verdict,
};

use super::stage::Stage;
use crate::modes::{ModeSpec, Modes};
use crate::session::{Input, Judged, Settings};

const ALLOW: Verdict = Verdict::Allow(Scope::Once);

#[test]
fn a_call_asks_runs_and_its_result_goes_to_the_model() {
    Stage::new()
        .prompt("run the tests")
        .calls(&[("shell", "make test")])
        .mark()
        .judged("c1", "shell", "make test")
        .decide("c1", ALLOW)
        .ran("c1")
        .answers("All tests pass.")
        .check(expect![[r#"
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "make test", input: Document("make test") })
            tell 9 CallJudged { call: CallId(c1), ruling: Ask, rule: "a test" }
            tell 10 ApprovalAsked(Approval { call: CallId(c1), tool: "shell", category: Shell, summary: "make test", command: Some("make test"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            answer 2 Ok(Done)
            tell 11 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
            tell 12 CallRunning { call: CallId(c1), tool: "shell" }
            run c1 shell
            tell 13 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 14 BatchEnded { entry: EntryId(3) }
            tell 15 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            tell 16 TextAdded { entry: EntryId(4), text: "All tests pass." }
            timer Checkpoint(WorkId(2)) in 1s
            tell 17 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 18 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "All tests pass.", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 19 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 2, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn calls_are_told_in_order_and_ask_side_by_side() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "one"), ("shell", "two"), ("read", "three")])
        .mark()
        .judged("c2", "shell", "two")
        .check(expect![[""]])
        .judged("c1", "shell", "one")
        .check(expect![[r#"
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "one", input: Document("one") })
            tell 9 CallJudged { call: CallId(c1), ruling: Ask, rule: "a test" }
            tell 10 ApprovalAsked(Approval { call: CallId(c1), tool: "shell", category: Shell, summary: "one", command: Some("one"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            tell 11 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "two", input: Document("two") })
            tell 12 CallJudged { call: CallId(c2), ruling: Ask, rule: "a test" }
            tell 13 ApprovalAsked(Approval { call: CallId(c2), tool: "shell", category: Shell, summary: "two", command: Some("two"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            judge c3 read
        "#]])
        .judged("c3", "read", "three")
        .check(expect![[r#"
            tell 14 CallStarted(Call { id: CallId(c3), tool: "read", category: Read, summary: "three", input: Document("three") })
            tell 15 CallJudged { call: CallId(c3), ruling: Allow, rule: "a test" }
            tell 16 CallRunning { call: CallId(c3), tool: "read" }
            run c3 read
        "#]])
        .decide("c2", ALLOW)
        .check(expect![[r#"
            answer 2 Ok(Done)
            tell 17 ApprovalSettled(Settlement { call: CallId(c2), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
        "#]])
        .decide("c1", ALLOW)
        .ran("c3")
        .ran("c1")
        .ran("c2")
        .check(expect![[r#"
            answer 3 Ok(Done)
            tell 18 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
            tell 19 CallEnded(CallResult { call: CallId(c3), tool: "read", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 20 CallRunning { call: CallId(c1), tool: "shell" }
            run c1 shell
            tell 21 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 22 CallRunning { call: CallId(c2), tool: "shell" }
            run c2 shell
            tell 23 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 24 BatchEnded { entry: EntryId(3) }
            tell 25 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

/// The second would be planned on what the first is about to change.
#[test]
fn an_edit_is_planned_when_the_change_before_it_is_done() {
    let allow_edits = |settings: &mut Settings| settings.answers = AnswerPolicy::AllowEdits;
    Stage::with(allow_edits)
        .prompt("go")
        .mark()
        .calls(&[("edit", "a"), ("read", "a"), ("edit", "a again")])
        .judged("c1", "edit", "a")
        .mark()
        .ran("c1")
        .check(expect![[r#"
            tell 13 CallEnded(CallResult { call: CallId(c1), tool: "edit", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            judge c2 read
            judge c3 edit
        "#]])
        .judged("c2", "read", "a")
        .judged("c3", "edit", "a again")
        .check(expect![[r#"
            tell 14 CallStarted(Call { id: CallId(c2), tool: "read", category: Read, summary: "a", input: Document("a") })
            tell 15 CallJudged { call: CallId(c2), ruling: Allow, rule: "a test" }
            tell 16 CallRunning { call: CallId(c2), tool: "read" }
            run c2 read
            tell 17 CallStarted(Call { id: CallId(c3), tool: "edit", category: Edit, summary: "a again", input: Document("a again") })
            tell 18 CallJudged { call: CallId(c3), ruling: Ask, rule: "a test" }
            tell 19 ApprovalAsked(Approval { call: CallId(c3), tool: "edit", category: Edit, summary: "a again", command: None, paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            tell 20 ApprovalSettled(Settlement { call: CallId(c3), tool: "edit", allowed: true, by: Policy, scope: Once, note: None, amended: false })
        "#]]);
}

#[test]
fn a_refusal_for_the_session_covers_the_same_call() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "make"), ("shell", "make")])
        .judged("c1", "shell", "make")
        .decide("c1", Verdict::Deny(Scope::Session))
        .mark()
        .judged("c2", "shell", "make")
        .check(expect![[r#"
            tell 13 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "make", input: Document("make") })
            tell 14 CallJudged { call: CallId(c2), ruling: Deny, rule: "refused for the session; else a test asks" }
            tell 15 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Denied, text: "Denied: the user refused such calls for the rest of the session.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 16 BatchEnded { entry: EntryId(3) }
            tell 17 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn a_judgement_that_breaks_counts_as_deny() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "make")])
        .mark()
        .input(Input::CallJudged {
            call: CallId::new("c1"),
            judged: Judged::Broken,
            warnings: None,
        })
        .check(expect![[r#"
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "shell", input: Document("make") })
            tell 9 CallJudged { call: CallId(c1), ruling: Deny, rule: "a failure inside" }
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Denied, text: "Denied: this call could not be judged.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 11 BatchEnded { entry: EntryId(3) }
            tell 12 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn a_steer_skips_calls_that_have_not_begun() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "one"), ("shell", "two")])
        .judged("c1", "shell", "one")
        .decide("c1", ALLOW)
        .mark()
        .ask(Command::Steer(Content::text("rather not")))
        .ran("c1")
        .check(expect![[r#"
            answer 3 Ok(Queued)
            tell 13 Queued { content: Content { parts: [Text("rather not")] }, source: Steer, sizes: QueueSizes { steers: 1, follow_ups: 0 } }
            tell 14 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "shell", input: Document("two") })
            tell 15 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Skipped, text: "Skipped: the user sent a message before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 16 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 17 BatchEnded { entry: EntryId(3) }
            tell 18 UserMessage { entry: EntryId(4), content: Content { parts: [Text("rather not")] }, source: Steer }
            tell 19 MessageStarted { entry: EntryId(5) }
            call model 2 with 4 messages
        "#]]);
}

#[test]
fn a_question_is_answered_once() {
    let reply = |question: Option<&str>| Command::Reply {
        call: CallId::new("c1"),
        answers: vec![Answer {
            question: question.map(Into::into),
            text: Some("sqlite".into()),
        }],
    };
    Stage::new()
        .prompt("go")
        .calls(&[("ask", "which?")])
        .judged("c1", "ask", "which?")
        .mark()
        .ask(reply(Some("q9")))
        .ask(reply(None))
        .ask(reply(None))
        .check(expect![[r#"
            answer 2 Err(NoSuchPartOfQuestion(CallId(c1), "q9"))
            answer 3 Ok(Done)
            tell 11 QuestionSettled { call: CallId(c1), answered: true, by: Client }
            tell 12 CallEnded(CallResult { call: CallId(c1), tool: "ask", end: Done, text: "sqlite", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 13 BatchEnded { entry: EntryId(3) }
            tell 14 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            answer 4 Err(NoSuchQuestion(CallId(c1)))
        "#]]);
}

#[test]
fn what_cannot_run_has_a_result_all_the_same() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "deny this"), ("nothing", "x"), ("read", "bad")])
        .mark()
        .judged("c1", "shell", "deny this")
        .judged("c2", "nothing", "x")
        .judged("c3", "read", "bad")
        .check(expect![[r#"
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "deny this", input: Document("deny this") })
            tell 9 CallJudged { call: CallId(c1), ruling: Deny, rule: "test deny[0]" }
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Denied, text: "Denied: a rule says so", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            judge c2 nothing
            judge c3 read
            tell 11 CallStarted(Call { id: CallId(c2), tool: "nothing", category: Session, summary: "nothing", input: Document("x") })
            tell 12 CallEnded(CallResult { call: CallId(c2), tool: "nothing", end: Failed, text: "there is no tool \"nothing\"", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 13 CallStarted(Call { id: CallId(c3), tool: "read", category: Read, summary: "read", input: Document("bad") })
            tell 14 CallEnded(CallResult { call: CallId(c3), tool: "read", end: Failed, text: "the input is no good", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 15 BatchEnded { entry: EntryId(3) }
            tell 16 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn a_grant_for_the_session_covers_the_same_call() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "make")])
        .judged("c1", "shell", "make")
        .decide("c1", Verdict::Allow(Scope::Session))
        .ran("c1")
        .calls(&[("shell", "make")])
        .mark()
        .judged("c2", "shell", "make")
        .check(expect![[r#"
            tell 18 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "make", input: Document("make") })
            tell 19 CallJudged { call: CallId(c2), ruling: Allow, rule: "grant g1; else a test asks" }
            tell 20 CallRunning { call: CallId(c2), tool: "shell" }
            run c2 shell
        "#]]);
}

#[test]
fn a_policy_that_allows_is_told_and_asks_nobody() {
    Stage::with(|settings| {
        settings.answers = AnswerPolicy::AllowEdits;
    })
    .prompt("go")
    .calls(&[("edit", "a.rs"), ("shell", "make")])
    .mark()
    .judged("c1", "edit", "a.rs")
    .judged("c2", "shell", "make")
    .check(expect![[r#"
        tell 8 CallStarted(Call { id: CallId(c1), tool: "edit", category: Edit, summary: "a.rs", input: Document("a.rs") })
        tell 9 CallJudged { call: CallId(c1), ruling: Ask, rule: "a test" }
        tell 10 ApprovalAsked(Approval { call: CallId(c1), tool: "edit", category: Edit, summary: "a.rs", command: None, paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
        tell 11 ApprovalSettled(Settlement { call: CallId(c1), tool: "edit", allowed: true, by: Policy, scope: Once, note: None, amended: false })
        tell 12 CallRunning { call: CallId(c1), tool: "edit" }
        run c1 edit
        tell 13 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "make", input: Document("make") })
        tell 14 CallJudged { call: CallId(c2), ruling: Ask, rule: "a test" }
        tell 15 ApprovalAsked(Approval { call: CallId(c2), tool: "shell", category: Shell, summary: "make", command: Some("make"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
    "#]]);
}

#[test]
fn warnings_of_the_guard_are_told_once() {
    let mut stage = Stage::new();
    stage
        .prompt("go")
        .calls(&[("read", "a"), ("read", "b"), ("read", "c"), ("read", "d")]);
    let mut warn = |call: &str, warnings: Option<&[&str]>| {
        let warnings = warnings.map(|texts| texts.iter().map(|text| (*text).into()).collect());
        stage.mark().input(Input::CallJudged {
            call: CallId::new(call),
            judged: Judged::Broken,
            warnings,
        });
        let told = stage.taken();
        let notices = told.lines().filter(|line| line.contains("Noticed"));
        notices.map(str::trim).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"tell 8 Noticed { text: "broken" }"#]].assert_eq(&warn("c1", Some(&["broken"])));
    expect![""].assert_eq(&warn("c2", None));
    expect![[r#"tell 15 Noticed { text: "gone" }"#]]
        .assert_eq(&warn("c3", Some(&["broken", "gone"])));
    expect![[r#"tell 19 Noticed { text: "the guard's rules are in order again" }"#]]
        .assert_eq(&warn("c4", Some(&[])));
}

#[test]
fn a_tool_that_the_mode_does_not_offer_is_denied_and_recorded() {
    let review = ModeSpec {
        tools: Some(vec!["read".into()]),
        ..ModeSpec::default()
    };
    let mut stage = Stage::with(|settings| {
        settings.modes = Arc::new(Modes::new([("review".into(), review)].into()));
        settings.mode = Some(Mode::named("review"));
    });
    stage
        .prompt("go")
        .mark()
        .calls(&[("shell", "make"), ("read", "a")])
        .judged("c2", "read", "a")
        .check(expect![[r#"
            tell 6 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 7 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "", thinking: "", calls: [CallRequest { id: CallId(c1), provider_id: "p0", tool: "shell", input: Document("make") }, CallRequest { id: CallId(c2), provider_id: "p1", tool: "read", input: Document("a") }], raw: None, stop: Calls } }
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "shell", input: Document("make") })
            tell 9 CallJudged { call: CallId(c1), ruling: Deny, rule: "mode review" }
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Failed, text: "mode review has no tool \"shell\"; there are read", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            judge c2 read
            tell 11 CallStarted(Call { id: CallId(c2), tool: "read", category: Read, summary: "a", input: Document("a") })
            tell 12 CallJudged { call: CallId(c2), ruling: Allow, rule: "a test" }
            tell 13 CallRunning { call: CallId(c2), tool: "read" }
            run c2 read
        "#]]);
}

#[test]
fn a_call_that_the_mode_does_not_offer_ends_and_the_turn_goes_on() {
    let mut stage = Stage::with(|settings| {
        let spec = ModeSpec {
            tools: Some(vec!["read".into()]),
            ..ModeSpec::default()
        };
        let custom = BTreeMap::from([("review".into(), spec)]);
        settings.modes = Arc::new(Modes::new(custom));
        settings.mode = Some(Mode::named("review"));
    });
    stage.prompt("go").mark();
    stage
        .calls(&[("shell", "make"), ("edit", "it")])
        .check(expect![[r#"
            tell 6 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 7 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "", thinking: "", calls: [CallRequest { id: CallId(c1), provider_id: "p0", tool: "shell", input: Document("make") }, CallRequest { id: CallId(c2), provider_id: "p1", tool: "edit", input: Document("it") }], raw: None, stop: Calls } }
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "shell", input: Document("make") })
            tell 9 CallJudged { call: CallId(c1), ruling: Deny, rule: "mode review" }
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Failed, text: "mode review has no tool \"shell\"; there are read", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 11 CallStarted(Call { id: CallId(c2), tool: "edit", category: Edit, summary: "edit", input: Document("it") })
            tell 12 CallJudged { call: CallId(c2), ruling: Deny, rule: "mode review" }
            tell 13 CallEnded(CallResult { call: CallId(c2), tool: "edit", end: Failed, text: "mode review has no tool \"edit\"; there are read", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 14 BatchEnded { entry: EntryId(3) }
            tell 15 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn a_sub_agent_has_no_tools_but_those_of_its_kind() {
    let mut stage = Stage::with(|settings| settings.only_tools = Some(vec!["read".into()]));
    stage.prompt("go").mark();
    stage
        .calls(&[("shell", "make"), ("read", "it")])
        .check(expect![[r#"
            tell 6 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 7 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "", thinking: "", calls: [CallRequest { id: CallId(c1), provider_id: "p0", tool: "shell", input: Document("make") }, CallRequest { id: CallId(c2), provider_id: "p1", tool: "read", input: Document("it") }], raw: None, stop: Calls } }
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "shell", input: Document("make") })
            tell 9 CallJudged { call: CallId(c1), ruling: Deny, rule: "the kind of sub-agent" }
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Failed, text: "this sub-agent has no tool \"shell\"; there are read", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            judge c2 read
        "#]]);
}

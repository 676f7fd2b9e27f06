//! Snapshots: inputs in, effects out.

use expect_test::{Expect, expect};
use greenroom_protocol::session::{
    Answer, CallId, Command, Content, Decision, Scope, Ticket, Verdict,
};

use super::*;
use crate::ports::{Act, Chunk, Guard, Judgement};
use crate::session::{Judged, WorkId};
use crate::testing::{self, FakeGuard};

/// A session in a test: a shorter word for each input.
struct Stage {
    session: Session,
    lines: String,
    tickets: u64,
    work: u64,
}

impl Stage {
    fn new() -> Stage {
        Stage::with(|_| ())
    }

    fn with(change: impl FnOnce(&mut Settings)) -> Stage {
        let mut settings = testing::settings("S1");
        change(&mut settings);
        let (session, _) = Session::open(settings, Millis(1000));
        Stage {
            session,
            lines: String::new(),
            tickets: 0,
            work: 0,
        }
    }

    fn input(&mut self, input: Input) -> &mut Stage {
        for effect in self.session.handle(Millis(1000), input) {
            self.lines += &crate::testing::line(&effect);
            self.lines += "\n";
            if let Effect::CallModel { work, .. } = effect {
                self.work = work.0;
            }
        }
        self
    }

    fn ask(&mut self, command: Command) -> &mut Stage {
        self.tickets += 1;
        self.input(Input::Asked {
            by: SubscriberId(1),
            ticket: Ticket(self.tickets),
            command,
        })
    }

    fn prompt(&mut self, text: &str) -> &mut Stage {
        self.ask(Command::Prompt(Content::text(text)))
    }

    fn says(&mut self, text: &str) -> &mut Stage {
        let work = WorkId(self.work);
        let chunks = vec![Chunk::Text(text.to_owned())];
        self.input(Input::ModelSaid { work, chunks })
    }

    fn answers(&mut self, text: &str) -> &mut Stage {
        let work = WorkId(self.work);
        let result = Ok(testing::answer(text));
        self.input(Input::ModelAnswered { work, result })
    }

    fn calls(&mut self, calls: &[(&str, &str)]) -> &mut Stage {
        let work = WorkId(self.work);
        let result = Ok(testing::calls(calls));
        self.input(Input::ModelAnswered { work, result })
    }

    /// The call is planned and judged as the fake guard does.
    fn judged(&mut self, call: &str, tool: &str, input: &str) -> &mut Stage {
        let judged = judged(tool, input);
        let call = CallId::new(call);
        self.input(Input::CallJudged { call, judged })
    }

    fn ran(&mut self, call: &str) -> &mut Stage {
        let ran = crate::ports::Ran {
            text: "ok".to_owned(),
            ..Default::default()
        };
        let call = CallId::new(call);
        self.input(Input::ToolRan { call, ran })
    }

    fn decide(&mut self, call: &str, verdict: Verdict) -> &mut Stage {
        self.ask(Command::Decide {
            call: CallId::new(call),
            decision: Decision {
                verdict,
                note: None,
                amendment: None,
            },
        })
    }

    /// From here on effects are compared.
    fn mark(&mut self) -> &mut Stage {
        self.lines.clear();
        self
    }

    #[track_caller]
    fn check(&mut self, expected: Expect) -> &mut Stage {
        expected.assert_eq(&std::mem::take(&mut self.lines));
        self
    }
}

fn judged(tool: &str, input: &str) -> Judged {
    let document = greenroom_protocol::session::Document(input.into());
    match testing::plan(tool, &document) {
        Err(fault) => Judged::Fault(fault),
        Ok(planned) => {
            let act = Act {
                call: &planned,
                mode: Default::default(),
                root: Default::default(),
            };
            let judgement: Judgement = FakeGuard.judge(&act);
            let likeness = FakeGuard.likeness(&act);
            Judged::Planned {
                judgement,
                likeness,
                planned: Box::new(planned),
            }
        }
    }
}

const ALLOW: Verdict = Verdict::Allow(Scope::Once);

#[test]
fn a_prompt_is_answered_before_its_turn_starts() {
    Stage::new()
        .prompt("hi")
        .says("hel")
        .says("lo")
        .answers("hello")
        .check(expect![[r#"
            answer 1 Ok(Started(TurnId(1)))
            start turn
            tell 2 TurnStarted { turn: TurnId(1), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
            tell 3 Titled { title: "hi" }
            tell 4 UserMessage { entry: EntryId(1), content: Content { parts: [Text("hi")] }, source: Prompt }
            tell 5 MessageStarted { entry: EntryId(2) }
            call model 1 with 1 messages
            tell 6 TextAdded { entry: EntryId(2), text: "hel" }
            timer Checkpoint(WorkId(1)) in 1s
            tell 7 TextAdded { entry: EntryId(2), text: "lo" }
            tell 8 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 9 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "hello", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 10 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn a_second_prompt_is_refused_until_the_turn_ends() {
    Stage::new()
        .prompt("hi")
        .mark()
        .prompt("again")
        .check(expect![[r#"
        answer 2 Err(TurnRunning)
    "#]]);
}

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
            tell 9 ApprovalAsked(Approval { call: CallId(c1), tool: "shell", category: Shell, summary: "make test", command: Some("make test"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            answer 2 Ok(Done)
            tell 10 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
            tell 11 CallRunning { call: CallId(c1), tool: "shell" }
            run c1 shell
            tell 12 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 13 BatchEnded { entry: EntryId(3) }
            tell 14 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            tell 15 TextAdded { entry: EntryId(4), text: "All tests pass." }
            timer Checkpoint(WorkId(2)) in 1s
            tell 16 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 17 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "All tests pass.", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 18 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 2, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn calls_are_told_in_order_and_ask_side_by_side() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "one"), ("shell", "two"), ("read", "three")])
        .mark()
        .judged("c3", "read", "three")
        .judged("c2", "shell", "two")
        .check(expect![[""]])
        .judged("c1", "shell", "one")
        .check(expect![[r#"
            tell 8 CallStarted(Call { id: CallId(c1), tool: "shell", category: Shell, summary: "one", input: Document("one") })
            tell 9 ApprovalAsked(Approval { call: CallId(c1), tool: "shell", category: Shell, summary: "one", command: Some("one"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            tell 10 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "two", input: Document("two") })
            tell 11 ApprovalAsked(Approval { call: CallId(c2), tool: "shell", category: Shell, summary: "two", command: Some("two"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
            tell 12 CallStarted(Call { id: CallId(c3), tool: "read", category: Read, summary: "three", input: Document("three") })
            tell 13 CallRunning { call: CallId(c3), tool: "read" }
            run c3 read
        "#]])
        .decide("c2", ALLOW)
        .check(expect![[r#"
            answer 2 Ok(Done)
            tell 14 ApprovalSettled(Settlement { call: CallId(c2), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
        "#]])
        .decide("c1", ALLOW)
        .ran("c3")
        .ran("c1")
        .ran("c2")
        .check(expect![[r#"
            answer 3 Ok(Done)
            tell 15 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: true, by: Client, scope: Once, note: None, amended: false })
            tell 16 CallEnded(CallResult { call: CallId(c3), tool: "read", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 17 CallRunning { call: CallId(c1), tool: "shell" }
            run c1 shell
            tell 18 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 19 CallRunning { call: CallId(c2), tool: "shell" }
            run c2 shell
            tell 20 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 21 BatchEnded { entry: EntryId(3) }
            tell 22 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
        "#]]);
}

#[test]
fn an_abort_closes_everything_at_once() {
    Stage::new()
        .prompt("go")
        .calls(&[("read", "one"), ("shell", "two"), ("ask", "which?"), ("shell", "four")])
        .judged("c1", "read", "one")
        .judged("c2", "shell", "two")
        .judged("c3", "ask", "which?")
        .mark()
        .ask(Command::Abort)
        .check(expect![[r#"
            answer 2 Ok(Done)
            tell 14 CallEnded(CallResult { call: CallId(c1), tool: "read", end: Aborted, text: "Stopped before it ended: the turn was ended. It may have had effects.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 15 ApprovalSettled(Settlement { call: CallId(c2), tool: "shell", allowed: false, by: Abort, scope: Once, note: None, amended: false })
            tell 16 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 17 QuestionSettled { call: CallId(c3), answered: false, by: Abort }
            tell 18 CallEnded(CallResult { call: CallId(c3), tool: "ask", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 19 CallStarted(Call { id: CallId(c4), tool: "shell", category: Shell, summary: "shell", input: Document("four") })
            tell 20 CallEnded(CallResult { call: CallId(c4), tool: "shell", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 21 BatchEnded { entry: EntryId(3) }
            stop turn
            tell 22 TurnEnded { turn: TurnId(1), outcome: Aborted(Client), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]])
        .ran("c1")
        .check(expect![[""]]);
}

#[test]
fn an_abort_keeps_what_the_model_has_said() {
    Stage::new()
        .prompt("hi")
        .says("half a ")
        .mark()
        .ask(Command::Abort)
        .answers("half a sentence")
        .check(expect![[r#"
            answer 2 Ok(Done)
            tell 7 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "half a ", thinking: "", calls: [], raw: None, stop: Aborted } }
            stop turn
            tell 8 TurnEnded { turn: TurnId(1), outcome: Aborted(Client), steps: 1, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
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
            tell 12 Queued { content: Content { parts: [Text("rather not")] }, source: Steer, sizes: QueueSizes { steers: 1, follow_ups: 0 } }
            tell 13 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "shell", input: Document("two") })
            tell 14 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Skipped, text: "Skipped: the user sent a message before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 15 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 16 BatchEnded { entry: EntryId(3) }
            tell 17 UserMessage { entry: EntryId(4), content: Content { parts: [Text("rather not")] }, source: Steer }
            tell 18 MessageStarted { entry: EntryId(5) }
            call model 2 with 4 messages
        "#]]);
}

#[test]
fn a_follow_up_goes_on_in_the_same_turn() {
    Stage::new()
        .prompt("go")
        .ask(Command::FollowUp(Content::text("and then?")))
        .mark()
        .answers("done")
        .answers("that is all")
        .check(expect![[r#"
            tell 7 TextAdded { entry: EntryId(2), text: "done" }
            timer Checkpoint(WorkId(1)) in 1s
            tell 8 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 9 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "done", thinking: "", calls: [], raw: None, stop: End } }
            tell 10 UserMessage { entry: EntryId(3), content: Content { parts: [Text("and then?")] }, source: FollowUp }
            tell 11 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            tell 12 TextAdded { entry: EntryId(4), text: "that is all" }
            timer Checkpoint(WorkId(2)) in 1s
            tell 13 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 14 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "that is all", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 15 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 2, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn a_steer_while_idle_waits_for_the_prompt() {
    Stage::new()
        .ask(Command::Steer(Content::text("be brief")))
        .prompt("hi")
        .check(expect![[r#"
            answer 1 Ok(Queued)
            tell 2 Queued { content: Content { parts: [Text("be brief")] }, source: Steer, sizes: QueueSizes { steers: 1, follow_ups: 0 } }
            answer 2 Ok(Started(TurnId(1)))
            start turn
            tell 3 TurnStarted { turn: TurnId(1), mode: Auto, model: ModelChoice { provider: "scripted", model: "", effort: None } }
            tell 4 Titled { title: "hi" }
            tell 5 UserMessage { entry: EntryId(1), content: Content { parts: [Text("hi")] }, source: Prompt }
            tell 6 UserMessage { entry: EntryId(2), content: Content { parts: [Text("be brief")] }, source: Steer }
            tell 7 MessageStarted { entry: EntryId(3) }
            call model 1 with 2 messages
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
            tell 10 QuestionSettled { call: CallId(c1), answered: true, by: Client }
            tell 11 CallEnded(CallResult { call: CallId(c1), tool: "ask", end: Done, text: "sqlite", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 12 BatchEnded { entry: EntryId(3) }
            tell 13 MessageStarted { entry: EntryId(4) }
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
            tell 9 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Denied, text: "Denied: a rule says so", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 10 CallStarted(Call { id: CallId(c2), tool: "nothing", category: Session, summary: "nothing", input: Document("x") })
            tell 11 CallEnded(CallResult { call: CallId(c2), tool: "nothing", end: Failed, text: "there is no tool \"nothing\"", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 12 CallStarted(Call { id: CallId(c3), tool: "read", category: Read, summary: "read", input: Document("bad") })
            tell 13 CallEnded(CallResult { call: CallId(c3), tool: "read", end: Failed, text: "the input is no good", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 14 BatchEnded { entry: EntryId(3) }
            tell 15 MessageStarted { entry: EntryId(4) }
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
            tell 17 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "make", input: Document("make") })
            tell 18 CallRunning { call: CallId(c2), tool: "shell" }
            run c2 shell
        "#]]);
}

#[test]
fn a_policy_that_allows_is_told_and_asks_nobody() {
    Stage::with(|settings| {
        settings.answers = greenroom_protocol::session::AnswerPolicy::AllowEdits;
    })
    .prompt("go")
    .calls(&[("edit", "a.rs"), ("shell", "make")])
    .mark()
    .judged("c1", "edit", "a.rs")
    .judged("c2", "shell", "make")
    .check(expect![[r#"
        tell 8 CallStarted(Call { id: CallId(c1), tool: "edit", category: Edit, summary: "a.rs", input: Document("a.rs") })
        tell 9 ApprovalAsked(Approval { call: CallId(c1), tool: "edit", category: Edit, summary: "a.rs", command: None, paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
        tell 10 ApprovalSettled(Settlement { call: CallId(c1), tool: "edit", allowed: true, by: Policy, scope: Once, note: None, amended: false })
        tell 11 CallRunning { call: CallId(c1), tool: "edit" }
        run c1 edit
        tell 12 CallStarted(Call { id: CallId(c2), tool: "shell", category: Shell, summary: "make", input: Document("make") })
        tell 13 ApprovalAsked(Approval { call: CallId(c2), tool: "shell", category: Shell, summary: "make", command: Some("make"), paths: [], edits: [], reason: "it is a test", scopes: [Once, Session], asked_by: [], deadline: None })
    "#]]);
}

#[test]
fn the_step_limit_ends_the_turn_with_its_reason() {
    Stage::with(|settings| settings.limits.steps = 1)
        .prompt("go")
        .calls(&[("read", "a")])
        .judged("c1", "read", "a")
        .mark()
        .ran("c1")
        .check(expect![[r#"
            tell 10 CallEnded(CallResult { call: CallId(c1), tool: "read", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 11 BatchEnded { entry: EntryId(3) }
            stop turn
            tell 12 TurnEnded { turn: TurnId(1), outcome: Limit(Steps), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

#[test]
fn the_last_client_leaves_and_nobody_can_answer() {
    Stage::new()
        .prompt("go")
        .calls(&[("shell", "make")])
        .judged("c1", "shell", "make")
        .mark()
        .input(Input::ClientLeaves {
            by: SubscriberId(1),
            abort: None,
            last: true,
        })
        .answers("then not")
        .check(expect![[r#"
            tell 10 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: false, by: ClientsGone, scope: Once, note: None, amended: false })
            tell 11 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Refused, text: "Not run: nobody is there who could answer.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 12 BatchEnded { entry: EntryId(3) }
            tell 13 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            tell 14 TextAdded { entry: EntryId(4), text: "then not" }
            timer Checkpoint(WorkId(2)) in 1s
            tell 15 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 16 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "then not", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 17 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 2, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
            left 1
        "#]]);
}

#[test]
fn a_failed_journal_ends_the_turn_and_refuses_the_next() {
    Stage::new()
        .prompt("hi")
        .mark()
        .input(Input::StorageFailed {
            reason: "no space left".into(),
        })
        .prompt("again")
        .check(expect![[r#"
            tell 6 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "", thinking: "", calls: [], raw: None, stop: Failed } }
            stop turn
            tell 7 TurnEnded { turn: TurnId(1), outcome: Failed(Failure { kind: Storage, message: "no space left" }), steps: 1, usage: Usage { input: 0, output: 0, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
            answer 2 Err(Storage("no space left"))
        "#]]);
}

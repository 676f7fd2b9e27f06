//! Turns: admitted, steered, aborted, at their limits.

use expect_test::expect;
use greenroom_protocol::session::{Command, Content, SubscriberId};

use super::stage::Stage;
use crate::session::Input;

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
            tell 17 CallEnded(CallResult { call: CallId(c1), tool: "read", end: Aborted, text: "Stopped before it ended: the turn was ended. It may have had effects.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 18 ApprovalSettled(Settlement { call: CallId(c2), tool: "shell", allowed: false, by: Abort, scope: Once, note: None, amended: false })
            tell 19 CallEnded(CallResult { call: CallId(c2), tool: "shell", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 20 QuestionSettled { call: CallId(c3), answered: false, by: Abort }
            tell 21 CallEnded(CallResult { call: CallId(c3), tool: "ask", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 22 CallStarted(Call { id: CallId(c4), tool: "shell", category: Shell, summary: "shell", input: Document("four") })
            tell 23 CallEnded(CallResult { call: CallId(c4), tool: "shell", end: Aborted, text: "Not run: the turn was ended before this call began.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 24 BatchEnded { entry: EntryId(3) }
            stop turn
            tell 25 TurnEnded { turn: TurnId(1), outcome: Aborted(Client), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
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
fn the_step_limit_ends_the_turn_with_its_reason() {
    Stage::with(|settings| settings.limits.steps = 1)
        .prompt("go")
        .calls(&[("read", "a")])
        .judged("c1", "read", "a")
        .mark()
        .ran("c1")
        .check(expect![[r#"
            tell 11 CallEnded(CallResult { call: CallId(c1), tool: "read", end: Done, text: "ok", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 12 BatchEnded { entry: EntryId(3) }
            stop turn
            tell 13 TurnEnded { turn: TurnId(1), outcome: Limit(Steps), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
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
            tell 11 ApprovalSettled(Settlement { call: CallId(c1), tool: "shell", allowed: false, by: ClientsGone, scope: Once, note: None, amended: false })
            tell 12 CallEnded(CallResult { call: CallId(c1), tool: "shell", end: Refused, text: "Not run: nobody is there who could answer.", images: [], exit_code: None, truncated: false, duration_ms: 0 })
            tell 13 BatchEnded { entry: EntryId(3) }
            tell 14 MessageStarted { entry: EntryId(4) }
            call model 2 with 3 messages
            tell 15 TextAdded { entry: EntryId(4), text: "then not" }
            timer Checkpoint(WorkId(2)) in 1s
            tell 16 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 17 MessageEnded { entry: EntryId(4), message: AssistantMessage { text: "then not", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 18 TurnEnded { turn: TurnId(1), outcome: Completed, steps: 2, usage: Usage { input: 20, output: 4, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
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

#[test]
fn a_limit_keeps_what_nobody_would_answer() {
    Stage::with(|settings| settings.limits.steps = 1)
        .prompt("go")
        .ask(Command::FollowUp(Content::text("and then?")))
        .mark()
        .answers("done")
        .check(expect![[r#"
            tell 7 TextAdded { entry: EntryId(2), text: "done" }
            timer Checkpoint(WorkId(1)) in 1s
            tell 8 Used { usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false } }
            tell 9 MessageEnded { entry: EntryId(2), message: AssistantMessage { text: "done", thinking: "", calls: [], raw: None, stop: End } }
            stop turn
            tell 10 TurnEnded { turn: TurnId(1), outcome: Limit(Steps), steps: 1, usage: Usage { input: 10, output: 2, cache_read: 0, cache_write: 0, cost: Cost(0), cost_unknown: false }, duration_ms: 0 }
        "#]]);
}

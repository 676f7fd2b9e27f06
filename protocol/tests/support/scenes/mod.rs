//! What may happen in a session, once for all wires. Each scene becomes a
//! golden file of each wire.

mod agents;
mod calls;
mod states;
mod turns;

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::Stage;
use super::values::*;

pub type Scene = fn(&mut dyn Stage);

/// By the names of their files.
pub const SCENES: &[(&str, Scene)] = &[
    ("scene_sample", sample),
    ("scene_edits", calls::edits),
    ("scene_calls", calls::calls),
    ("scene_questions", calls::questions),
    ("scene_failures", turns::failures),
    ("scene_endings", turns::endings),
    ("scene_queue", turns::queue),
    ("scene_answers", states::answers),
    ("scene_refusals", states::refusals),
    ("scene_joining", states::joining),
    ("scene_forking", states::forking),
    ("scene_agents", agents::agents),
    ("scene_extras", turns::extras),
    ("scene_separators", states::separators),
];

/// The session that seed 000 shows, and the same on the other wire.
pub fn sample(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    stage.say(
        r#"{"id":"1","type":"prompt","text":"run the tests"}"#,
        r#"{"type":"prompt","message":"run the tests","id":"1"}"#,
    );
    stage.answer(Ok(Reply::Started(TurnId(1))));
    stage.tell(turn_started());
    stage.tell(user(1, "run the tests", Source::Prompt));
    stage.tell(message_started(2));
    stage.tell(Happening::CallDrafted {
        tool: text("shell"),
    });
    stage.tell(Happening::Used {
        usage: usage(2410, 38, 0, 12_700),
    });
    stage.tell(message_ended(2, "", Stop::Calls));
    stage.tell(call_started(shell("toolu_01", "go test ./...")));
    let approval = shell_approval("toolu_01", "go test ./...");
    stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    stage.say(
        r#"{"id":"2","type":"approve","call_id":"toolu_01","allow":true}"#,
        r#"{"type":"permission_response","requestId":"toolu_01","approve":true}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ApprovalSettled(settled(
        "toolu_01",
        true,
        SettledBy::Client,
    )));
    stage.tell(call_running("toolu_01"));
    stage.tell(Happening::CallOutput {
        call: call_id("toolu_01"),
        stream: OutputStream::Stdout,
        text: text("ok \tapp\t0.21s\n"),
    });
    stage.tell(call_ended(ended(
        "toolu_01",
        CallEnd::Done,
        "ok \tapp\t0.21s\n",
    )));
    stage.tell(batch_ended(3));
    stage.tell(message_started(4));
    stage.tell(text_added(4, "All tests pass."));
    stage.tell(Happening::Used {
        usage: usage(2502, 9, 2400, 2_100),
    });
    stage.tell(message_ended(4, "All tests pass.", Stop::End));
    stage.tell(Happening::TurnEnded {
        turn: TurnId(1),
        outcome: Outcome::Completed,
        steps: 2,
        usage: usage(4912, 47, 2400, 14_800),
        duration_ms: 4321,
    });
    stage.farewell(0);
}

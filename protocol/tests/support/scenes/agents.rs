//! Sub-agents: what clients hear of them, and what they may say to them.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::super::values::*;
use super::super::{NOON, Stage};

/// One that has another work for it, asks, and is steered.
pub fn agents(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let (one, two) = (AgentId::new("S-a1"), AgentId::new("S-a1-a1"));
    let started = |agent: &AgentId, call: &str, background| Happening::AgentStarted {
        agent: agent.clone(),
        call: call_id(call),
        name: text("explore"),
        task: text("look around"),
        background,
    };
    let ended = |agent: &AgentId| Happening::AgentEnded {
        agent: agent.clone(),
        outcome: Outcome::Completed,
        text: text("Nothing here."),
        usage: usage(5, 1, 0, 10),
    };
    let said = |path: &[&AgentId], happening| Happening::AgentSaid {
        path: path.iter().map(|it| (*it).clone()).collect(),
        happening: Arc::new(happening),
    };
    stage.tell(started(&one, "c1", true));
    stage.tell(said(&[&one], started(&two, "c1.1", false)));
    stage.tell(said(&[&one, &two], call_started(shell("c1.1.1", "make"))));
    let approval = Approval {
        asked_by: vec![one.clone(), two.clone()],
        ..shell_approval("c1.1.1", "make")
    };
    let asked = Happening::ApprovalAsked(Arc::new(approval));
    stage.tell(said(&[&one, &two], asked));
    stage.say(
        r#"{"id":1,"type":"approve","call_id":"c1.1.1","allow":true}"#,
        r#"{"type":"permission_response","requestId":"c1.1.1","approve":true}"#,
    );
    stage.answer(Ok(Reply::Done));
    let settled = Happening::ApprovalSettled(settled("c1.1.1", true, SettledBy::Client));
    stage.tell(said(&[&one, &two], settled));
    stage.tell(said(&[&one, &two], call_running("c1.1.1")));
    let result = super::super::values::ended("c1.1.1", CallEnd::Done, "made");
    stage.tell(said(&[&one, &two], call_ended(result)));
    let used = Happening::Used {
        usage: usage(5, 1, 0, 10),
    };
    stage.tell(said(&[&one, &two], used));
    let noticed = Happening::Noticed {
        text: text("a sub-agent did not take a message"),
    };
    stage.tell(said(&[&one], noticed));
    stage.tell(said(&[&one], ended(&two)));
    stage.remark("The state, a steer, the messages, an end.");
    let mut state = new_session();
    state.agents = vec![AgentInFlight {
        agent: one.clone(),
        call: call_id("c1"),
        name: text("explore"),
        task: text("look around"),
        background: true,
        started: Millis(NOON),
        usage: usage(5, 1, 0, 10),
        steps: 1,
    }];
    stage.say(
        r#"{"id":2,"type":"get_state"}"#,
        r#"{"type":"get_state","id":"2"}"#,
    );
    stage.answer(Ok(Reply::State(Box::new(state))));
    stage.say(
        r#"{"id":3,"type":"steer","agent":"S-a1","text":"rather so"}"#,
        r#"{"type":"get_state","id":"3"}"#,
    );
    stage.answer(Ok(Reply::Queued));
    stage.say(
        r#"{"id":4,"type":"agent_messages","agent":"S-a1","limit":3}"#,
        r#"{"type":"get_messages","id":"4"}"#,
    );
    stage.answer(Ok(Reply::Messages(messages())));
    stage.say(
        r#"{"id":5,"type":"abort","agent":"S-a1"}"#,
        r#"{"type":"get_state","id":"5"}"#,
    );
    stage.answer(Err(Refusal::NoSuchAgent(one.clone())));
    stage.tell(ended(&one));
    stage.farewell(0);
}

fn messages() -> Vec<Message> {
    let at = Millis(NOON);
    let answer = AssistantMessage {
        text: text("Let me see."),
        calls: vec![CallRequest {
            id: call_id("c1.1"),
            provider_id: text("toolu_1"),
            tool: text("shell"),
            input: Document(text(r#"{"command": "make"}"#)),
        }],
        stop: Stop::Calls,
        ..AssistantMessage::default()
    };
    vec![
        Message::User {
            entry: EntryId(1),
            at,
            content: Content::text("look around"),
            source: Source::Prompt,
        },
        Message::Assistant {
            entry: EntryId(2),
            at,
            message: Arc::new(answer),
        },
        Message::Results {
            entry: EntryId(3),
            at,
            results: vec![Arc::new(super::super::values::ended(
                "c1.1",
                CallEnd::Failed,
                "no rule",
            ))],
        },
    ]
}

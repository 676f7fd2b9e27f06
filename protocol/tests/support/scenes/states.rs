//! What is answered and refused, and what a client that joins is told.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::super::values::*;
use super::super::{NOON, Stage};

/// Answers that return something.
pub fn answers(stage: &mut dyn Stage) {
    stage.greet(&Snapshot {
        opening: Opening::Resumed,
        info: SessionInfo {
            title: text("Tests"),
            ..info()
        },
        ..new_session()
    });
    let busy = Snapshot {
        info: SessionInfo {
            title: text("Fix the tests"),
            model: ModelChoice {
                provider: text("openrouter"),
                model: text("nvidia/nemotron-3-super-120b-a12b:free"),
                effort: Some(Effort::High),
            },
            status: Status::Waiting,
            context: 16_800,
            usage: Usage {
                cost_unknown: true,
                ..usage(4912, 47, 2400, 14_800)
            },
            ..info()
        },
        turn: Some(TurnInFlight {
            turn: TurnId(3),
            started: Millis(NOON),
            steps: 1,
            entry: None,
            text: text(""),
            thinking: text(""),
            calls: vec![],
        }),
        approvals: vec![shell_approval("toolu_01", "go test")],
        questions: vec![Ask {
            call: call_id("toolu_02"),
            questions: vec![],
            asked_by: vec![],
            deadline: None,
        }],
        messages: 5,
        ..new_session()
    };
    let ask = r#"{"id":1,"type":"get_state"}"#;
    stage.say(ask, ask);
    stage.answer(Ok(Reply::State(Box::new(busy))));
    for status in [Status::Idle, Status::Failed, Status::Running] {
        let info = SessionInfo {
            status,
            saved: false,
            context_window: None,
            ..info()
        };
        stage.say(r#"{"type":"get_state"}"#, r#"{"type":"get_state"}"#);
        stage.answer(Ok(Reply::State(Box::new(Snapshot {
            info,
            ..new_session()
        }))));
    }
    stage.say(r#"{"type":"list_sessions"}"#, "");
    stage.answer(Ok(Reply::Sessions(vec![
        listing("S2"),
        SessionListing {
            parent: Some(SessionId::new("S1")),
            fork_of: Some((SessionId::new("S0"), EntryId(4))),
            status: Status::Failed,
            ..listing("S3")
        },
    ])));
    stage.say(r#"{"type":"export","format":"md"}"#, "");
    stage.answer(Ok(Reply::Exported {
        path: text("/home/me/Downloads/greenroom-S1.md"),
        redacted: vec![text("2 anthropic key")],
    }));
    stage.say("", r#"{"type":"get_messages","limit":4}"#);
    stage.answer(Ok(Reply::Messages(conversation())));
    stage.say("", r#"{"type":"reset"}"#);
    stage.answer(Ok(Reply::Reset(SessionId::new("20261106-120000-abc235"))));
    stage.tell(Happening::ConversationReset);
    stage.farewell(0);
}

fn listing(id: &str) -> SessionListing {
    SessionListing {
        id: SessionId::new(id),
        title: text("Fix the tests"),
        mode: Mode::Auto,
        model: model(),
        root: text("/home/me/app"),
        parent: None,
        fork_of: None,
        status: Status::Idle,
        updated: Millis(NOON),
        turns: 3,
        usage: usage(4912, 47, 2400, 14_800),
    }
}

/// The client goes on in a fork: the start of that comes before the answer.
pub fn forking(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    stage.say(r#"{"id":1,"type":"fork","entry":"4"}"#, "");
    let forked = Snapshot {
        info: SessionInfo {
            id: SessionId::new("20261106-130000-bcd345"),
            title: text("Fix the tests"),
            fork_of: Some((info().id, EntryId(4))),
            ..info()
        },
        grants: vec![Grant {
            name: text("g1"),
            covers: text("cargo test"),
        }],
        ..new_session()
    };
    stage.greet(&forked);
    stage.answer(Ok(Reply::Forked(Box::new(forked.clone()))));
    stage.say(r#"{"id":2,"type":"get_state"}"#, "");
    stage.answer(Ok(Reply::State(Box::new(forked))));
    stage.say(r#"{"id":3,"type":"revoke","grant":"g1"}"#, "");
    stage.answer(Ok(Reply::Done));
    stage.farewell(0);
}

fn conversation() -> Vec<Message> {
    let at = Millis(NOON);
    let message = AssistantMessage {
        text: text("I look."),
        calls: vec![CallRequest {
            id: call_id("c_1"),
            provider_id: text("toolu_01"),
            tool: text("shell"),
            input: Document(text("{\"command\": \"ls\"}")),
        }],
        stop: Stop::Calls,
        ..AssistantMessage::default()
    };
    vec![
        Message::User {
            entry: EntryId(1),
            at,
            content: Content {
                parts: vec![
                    Part::Mention(Mention {
                        path: text("a.go"),
                        lines: None,
                    }),
                    Part::Text(text("what is here?")),
                    Part::Image(picture()),
                ],
            },
            source: Source::Prompt,
        },
        Message::Assistant {
            entry: EntryId(2),
            at,
            message: Arc::new(message),
        },
        Message::Results {
            entry: EntryId(3),
            at,
            results: vec![
                Arc::new(ended("c_1", CallEnd::Done, "a.go\n")),
                Arc::new(ended("c_2", CallEnd::Refused, "no")),
            ],
        },
        Message::Assistant {
            entry: EntryId(4),
            at,
            message: Arc::new(AssistantMessage {
                text: text("One file."),
                ..AssistantMessage::default()
            }),
        },
    ]
}

/// Every refusal.
pub fn refusals(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let call = || call_id("toolu_01");
    let refusals = [
        Refusal::TurnRunning,
        Refusal::NothingToSend,
        Refusal::NoSuchApproval(call()),
        Refusal::NoSuchQuestion(call()),
        Refusal::NoSuchPartOfQuestion(call(), text("q7")),
        Refusal::UnknownProvider {
            name: text("x"),
            known: text("anthropic, openai"),
        },
        Refusal::UnknownMode {
            name: text("sly"),
            known: text("plan, ask, auto, full"),
        },
        Refusal::NoSuchEntry(EntryId(7)),
        Refusal::BadImage {
            number: 2,
            reason: text("it has over 100 megapixels"),
        },
        Refusal::QueueFull {
            messages: 100,
            megabytes: 64,
        },
        Refusal::Withdrawn,
        Refusal::Storage(text("no space left on the disk")),
        Refusal::Busy(Busy::Compacting),
        Refusal::Busy(Busy::Moving),
        Refusal::NothingToCompact,
        Refusal::NotCompacted(text("it was aborted")),
        Refusal::NotExported(text("/out is no folder")),
        Refusal::NoSuchGrant(text("g7")),
        Refusal::Ended,
        Refusal::Internal,
    ];
    for refusal in refusals {
        stage.say(
            r#"{"id":1,"type":"prompt","text":"hi"}"#,
            r#"{"id":1,"type":"prompt","message":"hi"}"#,
        );
        stage.answer(Err(refusal));
    }
    stage.farewell(0);
}

/// A client that comes in the middle of a turn.
pub fn joining(stage: &mut dyn Stage) {
    let flying = |id: &str, running| CallInFlight {
        call: Call {
            id: call_id(id),
            tool: text("shell"),
            category: Category::Shell,
            summary: text("make"),
            input: Document(text(r#"{"command":"make"}"#)),
        },
        running,
    };
    stage.greet(&Snapshot {
        opening: Opening::ResumedAfterInterruption,
        turn: Some(TurnInFlight {
            turn: TurnId(3),
            started: Millis(NOON),
            steps: 1,
            entry: Some(EntryId(7)),
            text: text("All te"),
            thinking: text("Hm."),
            calls: vec![flying("c_1", true), flying("c_2", false)],
        }),
        approvals: vec![shell_approval("c_2", "make")],
        questions: vec![Ask {
            call: call_id("c_3"),
            questions: vec![Question {
                id: text("q0"),
                text: text("Now?"),
                choices: vec![],
                multiple: false,
            }],
            asked_by: vec![],
            deadline: None,
        }],
        ..new_session()
    });
    stage.tell(text_added(7, "sts pass."));
    stage.tell(message_ended(7, "All tests pass.", Stop::End));
    stage.tell(Happening::ApprovalSettled(settled(
        "c_2",
        false,
        SettledBy::Abort,
    )));
    stage.tell(call_running("c_1"));
    stage.tell(call_ended(ended("c_1", CallEnd::Done, "ok")));
    stage.farewell(0);
}

/// Characters at which some line readers cut stand in every kind of text.
pub fn separators(stage: &mut dyn Stage) {
    let cut = "a\u{2028}b\u{2029}c\r\nd\u{85}";
    stage.greet(&Snapshot {
        info: SessionInfo {
            root: text(cut),
            title: text(cut),
            ..info()
        },
        opening: Opening::Resumed,
        ..new_session()
    });
    stage.say(
        "{\"id\":\"\u{2028}\",\"type\":\"\u{2029}\"}",
        "{\"id\":\"\u{2028}\",\"type\":\"\u{2029}\"}",
    );
    stage.tell(turn_started());
    stage.tell(user(1, cut, Source::Prompt));
    stage.tell(message_started(2));
    stage.tell(text_added(2, cut));
    stage.tell(message_ended(2, cut, Stop::Calls));
    stage.tell(call_started(Call {
        summary: text(cut),
        input: Document(text("{\"a\":\"\u{2028}\"}")),
        ..shell(cut, "x")
    }));
    stage.tell(Happening::ApprovalAsked(Arc::new(shell_approval(cut, cut))));
    stage.tell(call_ended(ended(cut, CallEnd::Denied, cut)));
    stage.tell(turn_ended(Outcome::Failed(failure(
        FailureKind::Internal,
        cut,
    ))));
    stage.farewell(0);
}

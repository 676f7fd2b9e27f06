//! What may happen in a session, once for all wires. Each scene becomes a
//! golden file of each wire.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::Stage;
use super::values::*;

pub type Scene = fn(&mut dyn Stage);

/// By the names of their files.
pub const SCENES: &[(&str, Scene)] = &[
    ("scene_sample", sample),
    ("scene_edits", edits),
    ("scene_calls", calls),
    ("scene_questions", questions),
    ("scene_failures", failures),
    ("scene_endings", endings),
    ("scene_queue", queue),
    ("scene_answers", answers),
    ("scene_refusals", refusals),
    ("scene_joining", joining),
    ("scene_extras", extras),
    ("scene_separators", separators),
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

/// Approvals of edits: what is planned, and what is decided about it.
fn edits(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let planned = |path: &str, kind, before: Option<&str>, after: Option<&str>| PlannedEdit {
        path: text(path),
        kind,
        before: before.map(text),
        after: after.map(text),
    };
    let approval = Approval {
        tool: text("edit_file"),
        category: Category::Edit,
        summary: text("main.go and two more"),
        command: None,
        paths: vec![text("/home/me/app/main.go")],
        edits: vec![
            planned("main.go", EditKind::Modified, Some("a\n"), Some("b\n")),
            planned("new.go", EditKind::Created, None, Some("package main\n")),
            planned("old.go", EditKind::Deleted, Some("gone\n"), None),
        ],
        scopes: vec![Scope::Once, Scope::Session, Scope::Project, Scope::User],
        deadline: Some(Millis(super::NOON + 60_000)),
        ..shell_approval("toolu_03", "")
    };
    stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    stage.say(
        r#"{"type":"approve","call_id":"toolu_03","allow":true,"for_session":true,"edits":[{"path":"main.go","content":"package main\n"}]}"#,
        r#"{"type":"permission_response","requestId":"toolu_03","decision":"allow_session"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ApprovalSettled(Settlement {
        tool: text("edit_file"),
        scope: Scope::Session,
        amended: true,
        ..settled("toolu_03", true, SettledBy::Client)
    }));
    for (path, kind) in [
        ("main.go", EditKind::Modified),
        ("new.go", EditKind::Created),
        ("/tmp/old.go", EditKind::Deleted),
    ] {
        stage.tell(Happening::FileChanged {
            call: call_id("toolu_03"),
            path: text(path),
            kind,
        });
    }
    stage.remark("Sub-agents ask through the same words.");
    let approval = Approval {
        asked_by: vec![AgentId::new("S1"), AgentId::new("S2")],
        scopes: vec![Scope::Once],
        ..shell_approval("c_9", "rm -r build")
    };
    stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    stage.say(
        r#"{"type":"approve","call_id":"c_9","allow":false,"note":"keep it"}"#,
        r#"{"type":"permission_response","requestId":"c_9","allowed":false,"note":"keep it"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ApprovalSettled(Settlement {
        note: Some(text("keep it")),
        ..settled("c_9", false, SettledBy::Client)
    }));
    stage.farewell(0);
}

/// All ways in which a call may end, and who settles approvals.
fn calls(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let ends = [
        CallEnd::Done,
        CallEnd::Failed,
        CallEnd::Denied,
        CallEnd::Refused,
        CallEnd::Skipped,
        CallEnd::Aborted,
        CallEnd::Unknown,
    ];
    for (index, end) in ends.into_iter().enumerate() {
        let id = format!("c_{index}");
        stage.tell(call_started(shell(&id, "make")));
        if matches!(end, CallEnd::Done | CallEnd::Failed) {
            stage.tell(call_running(&id));
        }
        stage.tell(call_ended(CallResult {
            exit_code: (end == CallEnd::Failed).then_some(-2),
            truncated: end == CallEnd::Done,
            images: if end == CallEnd::Done {
                vec![picture()]
            } else {
                vec![]
            },
            ..ended(&id, end, "what the model reads")
        }));
    }
    stage.tell(batch_ended(9));
    stage.remark("An input that is no JSON, and one with line ends between its tokens.");
    for (id, input) in [("c_8", "{\"command\":"), ("c_9", "{\r\n  \"a b\": 1.0\n}")] {
        stage.tell(call_started(Call {
            input: Document(text(input)),
            ..shell(id, "make")
        }));
        stage.tell(call_running(id));
        stage.tell(call_ended(ended(id, CallEnd::Failed, "no")));
    }
    let by = [
        SettledBy::Client,
        SettledBy::Policy,
        SettledBy::Abort,
        SettledBy::ClientsGone,
        SettledBy::Deadline,
        SettledBy::Restart,
    ];
    for (index, by) in by.into_iter().enumerate() {
        let id = format!("a_{index}");
        stage.tell(Happening::ApprovalAsked(Arc::new(shell_approval(
            &id, "make",
        ))));
        stage.tell(Happening::ApprovalSettled(settled(&id, false, by)));
    }
    let categories = [
        Category::Read,
        Category::Edit,
        Category::Web,
        Category::Mcp,
        Category::Agent,
        Category::Session,
    ];
    for category in categories {
        let approval = Approval {
            category,
            command: None,
            paths: vec![],
            ..shell_approval("x", "what it does")
        };
        stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    }
    stage.farewell(0);
}

/// Questions, one and several.
fn questions(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let question = |id: &str, asked: &str, choices: &[(&str, Option<&str>)]| Question {
        id: text(id),
        text: text(asked),
        choices: choices
            .iter()
            .map(|(label, description)| Choice {
                label: text(label),
                description: description.map(text),
            })
            .collect(),
        multiple: false,
    };
    let ask = |id: &str, questions| Ask {
        call: call_id(id),
        questions,
        asked_by: vec![],
        deadline: None,
    };
    let asked = "Which database should the tests use?";
    let one = ask("toolu_04", vec![question("q0", asked, &[])]);
    stage.tell(Happening::QuestionAsked(Arc::new(one)));
    stage.say(
        r#"{"id":1,"type":"answer","call_id":"toolu_04","text":"Postgres"}"#,
        r#"{"id":1,"type":"question_response","requestId":"toolu_04","answer":"Postgres"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::QuestionSettled {
        call: call_id("toolu_04"),
        answered: true,
        by: SettledBy::Client,
    });
    let choices = [("Postgres", Some("as in production")), ("SQLite", None)];
    let several = Ask {
        asked_by: vec![AgentId::new("S2")],
        deadline: Some(Millis(super::NOON + 60_000)),
        ..ask(
            "toolu_05",
            vec![
                question("q0", asked, &choices),
                Question {
                    multiple: true,
                    ..question("q1", "Where do they run?", &[("here", None)])
                },
            ],
        )
    };
    stage.tell(Happening::QuestionAsked(Arc::new(several)));
    stage.say(
        r#"{"id":2,"type":"answer","call_id":"toolu_05","answers":[{"question":"q1","text":"here"},{"question":"q0"}]}"#,
        r#"{"id":2,"type":"question_response","requestId":"toolu_05","answers":[{"id":"q1","answer":"here"},{"id":"q0"}]}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::QuestionSettled {
        call: call_id("toolu_05"),
        answered: false,
        by: SettledBy::Abort,
    });
    stage.farewell(130);
}

/// What fails, and how it is told.
fn failures(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let kinds = [
        FailureKind::RateLimited,
        FailureKind::Overloaded,
        FailureKind::Auth,
        FailureKind::Quota,
        FailureKind::TooLong,
        FailureKind::Invalid,
        FailureKind::Broken,
        FailureKind::Stalled,
        FailureKind::Storage,
        FailureKind::Internal,
    ];
    for kind in kinds {
        stage.tell(turn_started());
        stage.tell(user(1, "hello", Source::Prompt));
        stage.tell(Happening::Retrying {
            attempt: 1,
            attempts: 3,
            after_ms: 1500,
            failure: failure(kind, "it failed; try again"),
        });
        stage.tell(turn_ended(Outcome::Failed(failure(kind, "it failed"))));
    }
    stage.remark("A model that stops in the middle: the text so far is the message.");
    stage.tell(turn_started());
    stage.tell(user(1, "hello", Source::Prompt));
    stage.tell(message_started(2));
    stage.tell(text_added(2, "All te"));
    stage.tell(message_ended(2, "All te", Stop::Failed));
    stage.tell(turn_ended(Outcome::Failed(failure(
        FailureKind::Broken,
        "the stream broke",
    ))));
    stage.farewell(1);
}

/// All ways in which a turn may end but by a failure.
fn endings(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let outcomes = [
        Outcome::Aborted(AbortedBy::Client),
        Outcome::Aborted(AbortedBy::ClientGone),
        Outcome::Aborted(AbortedBy::Signal),
        Outcome::Aborted(AbortedBy::Reset),
        Outcome::Aborted(AbortedBy::Close),
        Outcome::Refused,
        Outcome::Limit(LimitKind::Steps),
        Outcome::Limit(LimitKind::AnswerLength),
        Outcome::Limit(LimitKind::Tokens),
        Outcome::Limit(LimitKind::Cost),
        Outcome::Limit(LimitKind::Time),
        Outcome::Interrupted(Interruption::Crash),
        Outcome::Interrupted(Interruption::Restart),
        Outcome::Interrupted(Interruption::Shutdown),
    ];
    for outcome in outcomes {
        stage.tell(turn_started());
        stage.tell(turn_ended(outcome));
    }
    let stops = [
        Stop::MaxTokens,
        Stop::Refusal,
        Stop::Aborted,
        Stop::Interrupted,
    ];
    for stop in stops {
        stage.tell(message_started(2));
        stage.tell(message_ended(2, "", stop));
    }
    stage.farewell(130);
}

/// Steers and follow-ups.
fn queue(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let sizes = QueueSizes {
        steers: 1,
        follow_ups: 0,
    };
    stage.say(r#"{"id":1,"type":"steer","text":"use make"}"#, "");
    stage.answer(Ok(Reply::Queued));
    stage.tell(Happening::Queued {
        content: Content::text("use make"),
        source: Source::Steer,
        sizes,
    });
    stage.say(
        r#"{"id":2,"type":"follow_up","images":[{"data":"/9j/+w=="}]}"#,
        "",
    );
    stage.answer(Ok(Reply::Queued));
    stage.tell(turn_started());
    stage.tell(user(1, "build it", Source::Prompt));
    stage.tell(user(2, "use make", Source::Steer));
    stage.tell(Happening::UserMessage {
        entry: EntryId(3),
        content: Content {
            parts: vec![
                Part::Text(text("like this")),
                Part::Image(picture()),
                Part::Mention(Mention {
                    path: text("a.go"),
                    lines: None,
                }),
                Part::Text(text("or that")),
            ],
        },
        source: Source::FollowUp,
    });
    stage.tell(user(4, "the agent is done", Source::Agent));
    stage.say(r#"{"id":3,"type":"abort"}"#, r#"{"id":3,"type":"abort"}"#);
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::QueueDropped);
    stage.tell(turn_ended(Outcome::Aborted(AbortedBy::Client)));
    stage.farewell(0);
}

/// Answers that return something.
fn answers(stage: &mut dyn Stage) {
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
            started: Millis(super::NOON),
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
    stage.say("", r#"{"type":"get_messages","limit":4}"#);
    stage.answer(Ok(Reply::Messages(conversation())));
    stage.say("", r#"{"type":"reset"}"#);
    stage.answer(Ok(Reply::Reset(SessionId::new("20261106-120000-abc235"))));
    stage.tell(Happening::ConversationReset);
    stage.farewell(0);
}

fn conversation() -> Vec<Message> {
    let at = Millis(super::NOON);
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
fn refusals(stage: &mut dyn Stage) {
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
        Refusal::NoSuchEntry(EntryId(7)),
        Refusal::BadImage {
            number: 2,
            reason: text("it has over 100 megapixels"),
        },
        Refusal::TooManyCommands { limit: 64 },
        Refusal::QueueFull { limit: 100 },
        Refusal::Storage(text("no space left on the disk")),
        Refusal::NotSupported(Feature::Compaction),
        Refusal::NotSupported(Feature::Fork),
        Refusal::NotSupported(Feature::Rewind),
        Refusal::NotSupported(Feature::SessionList),
        Refusal::NotSupported(Feature::Export),
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
fn joining(stage: &mut dyn Stage) {
    let flying = |id: &str, running| CallInFlight {
        call: call_id(id),
        tool: text("shell"),
        category: Category::Shell,
        running,
    };
    stage.greet(&Snapshot {
        opening: Opening::ResumedAfterInterruption,
        turn: Some(TurnInFlight {
            turn: TurnId(3),
            started: Millis(super::NOON),
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

/// What only some wires tell.
fn extras(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let other_model = ModelChoice {
        provider: text("openai"),
        model: text("gpt-9"),
        effort: Some(Effort::XHigh),
    };
    stage.say(
        r#"{"type":"set_model","provider":"openai","model":"gpt-9","effort":"xhigh"}"#,
        "",
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ModelChanged {
        model: other_model.clone(),
    });
    stage.tell(Happening::ModeChanged { mode: Mode::Plan });
    stage.tell(Happening::TurnStarted {
        turn: TurnId(1),
        mode: Mode::Plan,
        model: other_model,
    });
    stage.tell(user(1, "think", Source::Prompt));
    stage.tell(message_started(2));
    stage.tell(Happening::ThinkingAdded {
        entry: EntryId(2),
        text: text("Hm."),
    });
    stage.tell(text_added(2, "Yes"));
    stage.tell(text_added(2, "."));
    stage.tell(Happening::Checkpoint {
        entry: EntryId(2),
        text: text("Yes."),
        thinking: text("Hm."),
    });
    stage.tell(message_ended(2, "Yes.", Stop::End));
    let item = |what: &str, status, priority| PlanItem {
        text: text(what),
        status,
        priority,
    };
    stage.tell(Happening::PlanChanged {
        items: vec![
            item("look", PlanStatus::Completed, Priority::High),
            item("think", PlanStatus::InProgress, Priority::Medium),
            item("write", PlanStatus::Pending, Priority::Low),
        ],
    });
    stage.tell(Happening::Noticed {
        text: text("the price of this model is not known"),
    });
    stage.tell(Happening::CompactionStarted { context: 90_000 });
    stage.tell(Happening::CompactionEnded {
        entry: Some(EntryId(3)),
        context: 9_000,
        failure: None,
    });
    stage.tell(Happening::CompactionStarted { context: 91_000 });
    stage.tell(Happening::CompactionEnded {
        entry: None,
        context: 91_000,
        failure: Some(failure(FailureKind::Stalled, "nothing came for 60 s")),
    });
    stage.tell(Happening::AgentStarted {
        agent: AgentId::new("S2"),
        call: call_id("c_1"),
        task: text("look around"),
        background: true,
    });
    stage.tell(Happening::AgentEnded {
        agent: AgentId::new("S2"),
        outcome: Outcome::Completed,
        text: text("Nothing here."),
        usage: usage(5, 1, 0, 10),
    });
    stage.tell(Happening::Opened {
        root: text("/home/me/app"),
        mode: Mode::Auto,
        model: model(),
        fork_of: None,
        parent: None,
    });
    stage.tell(Happening::Resumed);
    stage.tell(Happening::Titled {
        title: text("Thinking"),
    });
    stage.tell(turn_ended(Outcome::Completed));
    stage.farewell(0);
}

/// Characters at which some line readers cut stand in every kind of text.
fn separators(stage: &mut dyn Stage) {
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

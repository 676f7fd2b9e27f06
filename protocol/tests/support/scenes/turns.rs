//! Turns: how they fail and end, and what happens beside the calls in them.

use greenroom_protocol::session::*;

use super::super::Stage;
use super::super::values::*;

/// What fails, and how it is told.
pub fn failures(stage: &mut dyn Stage) {
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
pub fn endings(stage: &mut dyn Stage) {
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
pub fn queue(stage: &mut dyn Stage) {
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

/// What only some wires tell.
pub fn extras(stage: &mut dyn Stage) {
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
    stage.tell(Happening::CompactionStarted {
        reason: CompactionReason::Manual,
        context: 90_000,
    });
    stage.tell(Happening::CompactionEnded {
        compacted: Some(Compacted {
            entry: EntryId(3),
            summary: text("Tests were mended."),
            keeps_from: Some(EntryId(2)),
        }),
        context: 9_000,
        usage: usage(90_000, 400, 0, 30_000),
        failure: None,
    });
    stage.tell(Happening::CompactionStarted {
        reason: CompactionReason::Threshold,
        context: 91_000,
    });
    stage.tell(Happening::CompactionEnded {
        compacted: None,
        context: 91_000,
        usage: Usage::default(),
        failure: Some(failure(FailureKind::Stalled, "nothing came for 60 s")),
    });
    stage.tell(Happening::AgentStarted {
        agent: AgentId::new("S2"),
        call: call_id("c_1"),
        name: text("explore"),
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
    stage.tell(Happening::Rewound { to: EntryId(1) });
    stage.tell(Happening::CallJudged {
        call: call_id("c_1"),
        ruling: Ruling::Allow,
        rule: text("mode auto"),
    });
    stage.tell(Happening::Titled {
        title: text("Thinking"),
    });
    stage.tell(turn_ended(Outcome::Completed));
    stage.farewell(0);
}

//! One of each: the events of `golden/`. A released version's golden file is
//! never written again, so that what stands here for version 1 stays.

mod agents;

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::blob::INLINE_LIMIT;

/// The events of `golden/v1`, in its order: each durable happening at least
/// once, and each name that a file may hold.
pub(super) fn version_1() -> Vec<Event> {
    let numbered = |(seq, happening)| Event {
        seq,
        at: Millis(1_790_000_000_000 + seq),
        happening,
    };
    (1u64..).zip(happenings()).map(numbered).collect()
}

fn happenings() -> Vec<Happening> {
    let mut all = opening();
    all.extend(conversation());
    all.extend(calls());
    all.extend(agents::agents());
    all.extend(ends());
    all
}

fn text(text: &str) -> Text {
    Text::from(text)
}

fn model(effort: Option<Effort>) -> ModelChoice {
    ModelChoice {
        provider: text("anthropic"),
        model: text("a-model"),
        effort,
    }
}

fn usage() -> Usage {
    Usage {
        input: 1,
        output: 2,
        cache_read: 3,
        cache_write: u64::MAX,
        cost: Cost(1_500_000),
        cost_unknown: true,
    }
}

fn image(format: ImageFormat) -> Image {
    let bytes: Arc<[u8]> = Arc::from(*b"\x89PNG\r\n\x1a\n");
    Image { format, bytes }
}

fn failure(kind: FailureKind) -> Failure {
    Failure {
        kind,
        message: text("the provider asks to slow down: try again later"),
    }
}

fn opening() -> Vec<Happening> {
    let mut all = vec![
        Happening::Opened {
            root: text("/home/user/work \"quoted\" \u{1f600}"),
            mode: Mode::Auto,
            model: model(None),
            fork_of: Some((SessionId::new("20260101-101010-abcdef"), EntryId(7))),
            parent: Some(SessionId::new("20260101-101010-ghijkl")),
        },
        Happening::Opened {
            root: text("/"),
            mode: Mode::Plan,
            model: model(Some(Effort::High)),
            fork_of: None,
            parent: None,
        },
        Happening::Resumed,
        Happening::Titled {
            title: text("mend the build"),
        },
    ];
    all.extend(Mode::BUILT_IN.map(|mode| Happening::ModeChanged { mode }));
    all.extend(Effort::ALL.map(|effort| Happening::ModelChanged {
        model: model(Some(effort)),
    }));
    all
}

fn conversation() -> Vec<Happening> {
    let content = Content {
        parts: vec![
            Part::Text(text("look at this\n")),
            Part::Image(image(ImageFormat::Png)),
            Part::Image(image(ImageFormat::Jpeg)),
            Part::Image(image(ImageFormat::Gif)),
            Part::Image(image(ImageFormat::Webp)),
            Part::Mention(Mention {
                path: text("src/main.rs"),
                lines: Some((1, 20)),
            }),
            Part::Mention(Mention {
                path: text("src/lib.rs"),
                lines: None,
            }),
            Part::Resource(Resource {
                name: text("file:///tmp/unsaved"),
                text: Text::from("x".repeat(INLINE_LIMIT + 1)),
            }),
        ],
    };
    let mut all = vec![Happening::TurnStarted {
        turn: TurnId(1),
        mode: Mode::Full,
        model: model(None),
    }];
    for source in [
        Source::Prompt,
        Source::Steer,
        Source::FollowUp,
        Source::Agent,
    ] {
        all.push(Happening::Queued {
            content: Content::text("go on"),
            source,
            sizes: QueueSizes {
                steers: 1,
                follow_ups: 2,
            },
        });
    }
    all.extend([
        Happening::UserMessage {
            entry: EntryId(1),
            content,
            source: Source::Prompt,
        },
        Happening::QueueDropped,
        Happening::MessageStarted { entry: EntryId(2) },
        Happening::Checkpoint {
            entry: EntryId(2),
            text: text("so f"),
            thinking: text("hm"),
        },
        Happening::Used { usage: usage() },
    ]);
    let stops = [
        Stop::End,
        Stop::Calls,
        Stop::MaxTokens,
        Stop::Refusal,
        Stop::Aborted,
        Stop::Failed,
        Stop::Interrupted,
    ];
    all.extend(stops.map(|stop| Happening::MessageEnded {
        entry: EntryId(2),
        message: Arc::new(message(stop)),
    }));
    all
}

fn message(stop: Stop) -> AssistantMessage {
    if stop != Stop::Calls {
        return AssistantMessage {
            stop,
            ..AssistantMessage::default()
        };
    }
    AssistantMessage {
        text: text("so far"),
        thinking: text("hm."),
        calls: vec![CallRequest {
            id: CallId::new("c1"),
            provider_id: text("toolu_01"),
            tool: text("shell"),
            input: Document(text("{\"command\": \"ls\"")),
        }],
        raw: Some(ProviderBlocks {
            wire: text("anthropic"),
            json: Document(text("[{\"type\":\"thinking\"}]")),
        }),
        stop,
    }
}

fn calls() -> Vec<Happening> {
    let call = CallId::new("c1");
    let mut all = Vec::new();
    for category in [
        Category::Read,
        Category::Edit,
        Category::Shell,
        Category::Web,
        Category::Mcp,
        Category::Agent,
        Category::Session,
    ] {
        all.push(Happening::CallStarted(Call {
            id: call.clone(),
            tool: text("shell"),
            category,
            summary: text("ls"),
            input: Document::default(),
        }));
    }
    all.push(Happening::ApprovalAsked(Arc::new(approval(call.clone()))));
    for by in [
        SettledBy::Client,
        SettledBy::Policy,
        SettledBy::Abort,
        SettledBy::ClientsGone,
        SettledBy::Deadline,
        SettledBy::Restart,
    ] {
        all.push(Happening::ApprovalSettled(Settlement {
            call: call.clone(),
            tool: text("shell"),
            allowed: by == SettledBy::Client,
            by,
            scope: Scope::Once,
            note: (by == SettledBy::Policy).then(|| text("as configured")),
            amended: false,
        }));
    }
    all.extend([
        Happening::QuestionAsked(Arc::new(Ask {
            call: call.clone(),
            questions: vec![Question {
                id: text("q0"),
                text: text("which?"),
                choices: vec![Choice {
                    label: text("this"),
                    description: None,
                }],
                multiple: true,
            }],
            asked_by: Vec::new(),
            deadline: None,
        })),
        Happening::QuestionSettled {
            call: call.clone(),
            answered: true,
            by: SettledBy::Client,
        },
        Happening::CallRunning {
            call: call.clone(),
            tool: text("shell"),
        },
        Happening::FileChanged {
            call: call.clone(),
            path: text("a.txt"),
            kind: EditKind::Created,
            diff: Some(text("@@ -0,0 +1 @@\n+new\n")),
        },
    ]);
    for end in [
        CallEnd::Done,
        CallEnd::Failed,
        CallEnd::Denied,
        CallEnd::Refused,
        CallEnd::Skipped,
        CallEnd::Aborted,
        CallEnd::Unknown,
    ] {
        all.push(Happening::CallEnded(Arc::new(CallResult {
            call: call.clone(),
            tool: text("shell"),
            end,
            text: text("a.txt\n"),
            images: vec![image(ImageFormat::Png)],
            exit_code: (end == CallEnd::Failed).then_some(-1),
            truncated: end == CallEnd::Done,
            duration_ms: 12,
        })));
    }
    all.push(Happening::BatchEnded { entry: EntryId(3) });
    all
}

fn approval(call: CallId) -> Approval {
    let edit = |kind, before: Option<&str>, after: Option<&str>| PlannedEdit {
        path: text("a.txt"),
        kind,
        before: before.map(text),
        after: after.map(text),
    };
    Approval {
        call,
        tool: text("edit"),
        category: Category::Edit,
        summary: text("a.txt"),
        command: Some(text("ls")),
        paths: vec![text("/work/a.txt")],
        edits: vec![
            edit(EditKind::Created, None, Some("new")),
            edit(EditKind::Modified, Some("old"), Some("new")),
            edit(EditKind::Deleted, Some("old"), None),
        ],
        reason: text("mode ask"),
        scopes: vec![Scope::Once, Scope::Session, Scope::Project, Scope::User],
        asked_by: vec![AgentId::new("20260101-101010-mnopqr")],
        deadline: Some(Millis(5)),
    }
}

fn ends() -> Vec<Happening> {
    use FailureKind::*;
    let failures = [
        RateLimited,
        Overloaded,
        Auth,
        Quota,
        TooLong,
        Invalid,
        Broken,
        Stalled,
        Storage,
        Internal,
    ];
    let aborts = [
        AbortedBy::Client,
        AbortedBy::ClientGone,
        AbortedBy::Signal,
        AbortedBy::Reset,
        AbortedBy::Close,
    ];
    let limits = [
        LimitKind::Steps,
        LimitKind::AnswerLength,
        LimitKind::Tokens,
        LimitKind::Cost,
        LimitKind::Time,
    ];
    let interruptions = [
        Interruption::Crash,
        Interruption::Restart,
        Interruption::Shutdown,
    ];
    let mut outcomes = vec![Outcome::Completed, Outcome::Refused];
    outcomes.extend(aborts.map(Outcome::Aborted));
    outcomes.extend(failures.map(|kind| Outcome::Failed(failure(kind))));
    outcomes.extend(limits.map(Outcome::Limit));
    outcomes.extend(interruptions.map(Outcome::Interrupted));
    let end = |outcome| Happening::TurnEnded {
        turn: TurnId(1),
        outcome,
        steps: 2,
        usage: usage(),
        duration_ms: 1234,
    };
    outcomes.into_iter().map(end).collect()
}

//! Any durable event there can be, for tests.

use std::sync::Arc;

use greenroom_protocol::session::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use words::*;

mod words;

/// Any durable event.
pub(in crate::store) fn event() -> impl Strategy<Value = Event> {
    (any::<u64>(), any::<u64>(), happening()).prop_map(|(seq, at, happening)| Event {
        seq,
        at: Millis(at),
        happening,
    })
}

/// Any durable happening. That none is left out is checked by a test.
pub(in crate::store) fn happening() -> BoxedStrategy<Happening> {
    use Happening as H;
    let opening = (
        text(),
        mode(),
        model(),
        option::of((id(), entry())),
        option::of(id()),
    );
    let opened = opening.prop_map(|(root, mode, model, fork, parent)| H::Opened {
        root,
        mode,
        model,
        fork_of: fork.map(|(session, entry)| (SessionId::new(session), entry)),
        parent: parent.map(SessionId::new),
    });
    let conversation = prop_oneof![
        text().prop_map(|title| H::Titled { title }),
        (turn(), mode(), model()).prop_map(|(turn, mode, model)| H::TurnStarted {
            turn,
            mode,
            model
        }),
        (entry(), content(), source()).prop_map(|(entry, content, source)| H::UserMessage {
            entry,
            content,
            source
        }),
        (content(), source(), any::<usize>(), any::<usize>()).prop_map(
            |(content, source, steers, follow_ups)| H::Queued {
                content,
                source,
                sizes: QueueSizes { steers, follow_ups },
            }
        ),
        entry().prop_map(|entry| H::MessageStarted { entry }),
        (entry(), text(), text()).prop_map(|(entry, text, thinking)| H::Checkpoint {
            entry,
            text,
            thinking
        }),
        usage().prop_map(|usage| H::Used { usage }),
        (entry(), message()).prop_map(|(entry, message)| H::MessageEnded {
            entry,
            message: Arc::new(message)
        }),
        entry().prop_map(|entry| H::BatchEnded { entry }),
        vec(plan_item(), 0..3).prop_map(|items| H::PlanChanged { items }),
    ];
    let calls = prop_oneof![
        call().prop_map(H::CallStarted),
        approval().prop_map(|approval| H::ApprovalAsked(Arc::new(approval))),
        settlement().prop_map(H::ApprovalSettled),
        ask().prop_map(|ask| H::QuestionAsked(Arc::new(ask))),
        (call_id(), any::<bool>(), settled_by())
            .prop_map(|(call, answered, by)| H::QuestionSettled { call, answered, by }),
        (call_id(), text()).prop_map(|(call, tool)| H::CallRunning { call, tool }),
        (call_id(), text(), edit_kind(), option::of(text())).prop_map(
            |(call, path, kind, diff)| {
                H::FileChanged {
                    call,
                    path,
                    kind,
                    diff,
                }
            }
        ),
        result().prop_map(|result| H::CallEnded(Arc::new(result))),
    ];
    let rest = prop_oneof![
        select(vec![H::Resumed, H::QueueDropped, H::ConversationReset]),
        mode().prop_map(|mode| H::ModeChanged { mode }),
        model().prop_map(|model| H::ModelChanged { model }),
        (
            option::of((entry(), text(), option::of(entry()))),
            any::<u64>(),
            usage(),
            option::of(failure())
        )
            .prop_map(|(compacted, context, usage, failure)| H::CompactionEnded {
                compacted: compacted.map(|(entry, summary, keeps_from)| Compacted {
                    entry,
                    summary,
                    keeps_from,
                }),
                context,
                usage,
                failure,
            }),
        entry().prop_map(|to| H::Rewound { to }),
        (
            call_id(),
            select(vec![Ruling::Allow, Ruling::Ask, Ruling::Deny]),
            text()
        )
            .prop_map(|(call, ruling, rule)| H::CallJudged { call, ruling, rule }),
        (id(), call_id(), text(), text(), any::<bool>()).prop_map(
            |(agent, call, name, task, background)| H::AgentStarted {
                agent: AgentId::new(agent),
                call,
                name,
                task,
                background,
            }
        ),
        (id(), outcome(), text(), usage()).prop_map(|(agent, outcome, text, usage)| {
            H::AgentEnded {
                agent: AgentId::new(agent),
                outcome,
                text,
                usage,
            }
        }),
        (turn(), outcome(), any::<u32>(), usage(), any::<u64>()).prop_map(
            |(turn, outcome, steps, usage, duration_ms)| H::TurnEnded {
                turn,
                outcome,
                steps,
                usage,
                duration_ms,
            }
        ),
    ];
    prop_oneof![1 => opened, 10 => conversation, 8 => calls, 9 => rest].boxed()
}

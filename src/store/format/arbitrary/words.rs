//! Any of the words that happenings are made of.

use std::sync::Arc;

use greenroom_protocol::session::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::blob::INLINE_LIMIT;

/// Mostly short, at times just around the limit of what stands in a record.
pub(super) fn text() -> BoxedStrategy<Text> {
    let around = (
        INLINE_LIMIT - 2..INLINE_LIMIT + 3,
        select(vec!["a", "é", "\"", "\0"]),
    );
    prop_oneof![
        40 => any::<String>().prop_map(Text::from),
        1 => around.prop_map(|(len, piece)| Text::from(piece.repeat(len / piece.len() + 1))),
    ]
    .boxed()
}

pub(super) fn id() -> impl Strategy<Value = String> {
    any::<String>()
}

pub(super) fn call_id() -> impl Strategy<Value = CallId> {
    id().prop_map(CallId::new)
}

pub(super) fn agents() -> impl Strategy<Value = Vec<AgentId>> {
    vec(id().prop_map(AgentId::new), 0..3)
}

pub(super) fn entry() -> impl Strategy<Value = EntryId> {
    any::<u64>().prop_map(EntryId)
}

pub(super) fn turn() -> impl Strategy<Value = TurnId> {
    any::<u64>().prop_map(TurnId)
}

pub(super) fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![
        4 => select(Mode::BUILT_IN.to_vec()),
        1 => id().prop_map(|name| Mode::named(&name)),
    ]
}

pub(super) fn model() -> impl Strategy<Value = ModelChoice> {
    let effort = option::of(select(Effort::ALL.to_vec()));
    (text(), text(), effort).prop_map(|(provider, model, effort)| ModelChoice {
        provider,
        model,
        effort,
    })
}

pub(super) fn usage() -> impl Strategy<Value = Usage> {
    any::<([u64; 5], bool)>().prop_map(
        |([input, output, cache_read, cache_write, cost], cost_unknown)| Usage {
            input,
            output,
            cache_read,
            cache_write,
            cost: Cost(cost),
            cost_unknown,
        },
    )
}

pub(super) fn source() -> impl Strategy<Value = Source> {
    select(vec![
        Source::Prompt,
        Source::Steer,
        Source::FollowUp,
        Source::Agent,
    ])
}

pub(super) fn content() -> impl Strategy<Value = Content> {
    let part = prop_oneof![
        text().prop_map(Part::Text),
        image().prop_map(Part::Image),
        (text(), option::of(any::<(u32, u32)>()))
            .prop_map(|(path, lines)| Part::Mention(Mention { path, lines })),
        (text(), text()).prop_map(|(name, text)| Part::Resource(Resource { name, text })),
    ];
    vec(part, 0..4).prop_map(|parts| Content { parts })
}

pub(super) fn image() -> impl Strategy<Value = Image> {
    use ImageFormat::*;
    let bytes = vec(any::<u8>(), 0..40).prop_map(Arc::from);
    (select(vec![Png, Jpeg, Gif, Webp]), bytes).prop_map(|(format, bytes)| Image { format, bytes })
}

pub(super) fn message() -> impl Strategy<Value = AssistantMessage> {
    use Stop::*;
    let request = (call_id(), text(), text(), text()).prop_map(|(id, provider_id, tool, input)| {
        CallRequest {
            id,
            provider_id,
            tool,
            input: Document(input),
        }
    });
    let raw = (text(), text()).prop_map(|(wire, json)| ProviderBlocks {
        wire,
        json: Document(json),
    });
    let stop = select(vec![
        End,
        Calls,
        MaxTokens,
        Refusal,
        Aborted,
        Failed,
        Interrupted,
    ]);
    (text(), text(), vec(request, 0..3), option::of(raw), stop).prop_map(
        |(text, thinking, calls, raw, stop)| AssistantMessage {
            text,
            thinking,
            calls,
            raw,
            stop,
        },
    )
}

pub(super) fn category() -> impl Strategy<Value = Category> {
    use Category::*;
    select(vec![Read, Edit, Shell, Web, Mcp, Agent, Session])
}

pub(super) fn call() -> impl Strategy<Value = Call> {
    (call_id(), text(), category(), text(), text()).prop_map(
        |(id, tool, category, summary, input)| Call {
            id,
            tool,
            category,
            summary,
            input: Document(input),
        },
    )
}

pub(super) fn result() -> impl Strategy<Value = CallResult> {
    use CallEnd::*;
    let end = select(vec![
        Done, Failed, Denied, Refused, Skipped, Aborted, Unknown,
    ]);
    let numbers = any::<(Option<i32>, bool, u64)>();
    (call_id(), text(), end, text(), vec(image(), 0..3), numbers).prop_map(
        |(call, tool, end, text, images, (exit_code, truncated, duration_ms))| CallResult {
            call,
            tool,
            end,
            text,
            images,
            exit_code,
            truncated,
            duration_ms,
        },
    )
}

pub(super) fn edit_kind() -> impl Strategy<Value = EditKind> {
    select(vec![
        EditKind::Created,
        EditKind::Modified,
        EditKind::Deleted,
    ])
}

pub(super) fn scope() -> impl Strategy<Value = Scope> {
    select(vec![
        Scope::Once,
        Scope::Session,
        Scope::Project,
        Scope::User,
    ])
}

pub(super) fn settled_by() -> impl Strategy<Value = SettledBy> {
    use SettledBy::*;
    select(vec![Client, Policy, Abort, ClientsGone, Deadline, Restart])
}

pub(super) fn deadline() -> impl Strategy<Value = Option<Millis>> {
    option::of(any::<u64>().prop_map(Millis))
}

pub(super) fn approval() -> impl Strategy<Value = Approval> {
    let edit = (text(), edit_kind(), option::of(text()), option::of(text())).prop_map(
        |(path, kind, before, after)| PlannedEdit {
            path,
            kind,
            before,
            after,
        },
    );
    let about = (
        option::of(text()),
        vec(text(), 0..3),
        vec(edit, 0..3),
        text(),
        vec(scope(), 0..5),
    );
    (call(), about, agents(), deadline()).prop_map(
        |(call, (command, paths, edits, reason, scopes), asked_by, deadline)| Approval {
            call: call.id,
            tool: call.tool,
            category: call.category,
            summary: call.summary,
            command,
            paths,
            edits,
            reason,
            scopes,
            asked_by,
            deadline,
        },
    )
}

pub(super) fn settlement() -> impl Strategy<Value = Settlement> {
    let flags = any::<(bool, bool)>();
    (
        call_id(),
        text(),
        flags,
        settled_by(),
        scope(),
        option::of(text()),
    )
        .prop_map(
            |(call, tool, (allowed, amended), by, scope, note)| Settlement {
                call,
                tool,
                allowed,
                by,
                scope,
                note,
                amended,
            },
        )
}

pub(super) fn ask() -> impl Strategy<Value = Ask> {
    let choice =
        (text(), option::of(text())).prop_map(|(label, description)| Choice { label, description });
    let question = (text(), text(), vec(choice, 0..3), any::<bool>()).prop_map(
        |(id, text, choices, multiple)| Question {
            id,
            text,
            choices,
            multiple,
        },
    );
    (call_id(), vec(question, 0..3), agents(), deadline()).prop_map(
        |(call, questions, asked_by, deadline)| Ask {
            call,
            questions,
            asked_by,
            deadline,
        },
    )
}

pub(super) fn plan_item() -> impl Strategy<Value = PlanItem> {
    let status = select(vec![
        PlanStatus::Pending,
        PlanStatus::InProgress,
        PlanStatus::Completed,
    ]);
    let priority = select(vec![Priority::High, Priority::Medium, Priority::Low]);
    (text(), status, priority).prop_map(|(text, status, priority)| PlanItem {
        text,
        status,
        priority,
    })
}

pub(super) fn failure() -> impl Strategy<Value = Failure> {
    use FailureKind::*;
    let kind = select(vec![
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
    ]);
    (kind, text()).prop_map(|(kind, message)| Failure { kind, message })
}

pub(super) fn outcome() -> impl Strategy<Value = Outcome> {
    use LimitKind::*;
    let aborted = select(vec![
        AbortedBy::Client,
        AbortedBy::ClientGone,
        AbortedBy::Signal,
        AbortedBy::Reset,
        AbortedBy::Close,
    ]);
    let interrupted = select(vec![
        Interruption::Crash,
        Interruption::Restart,
        Interruption::Shutdown,
    ]);
    prop_oneof![
        select(vec![Outcome::Completed, Outcome::Refused]),
        aborted.prop_map(Outcome::Aborted),
        failure().prop_map(Outcome::Failed),
        select(vec![Steps, AnswerLength, Tokens, Cost, Time]).prop_map(Outcome::Limit),
        interrupted.prop_map(Outcome::Interrupted),
    ]
}

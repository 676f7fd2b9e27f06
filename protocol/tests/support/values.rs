//! Values of the vocabulary, short to write.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::NOON;

pub fn text(text: &str) -> Text {
    Text::from(text)
}

pub fn call_id(name: &str) -> CallId {
    CallId::new(name)
}

pub fn model() -> ModelChoice {
    ModelChoice {
        provider: text("anthropic"),
        model: text(""),
        effort: None,
    }
}

pub fn info() -> SessionInfo {
    SessionInfo {
        id: SessionId::new("20261106-120000-abc234"),
        title: text(""),
        root: text("/home/me/app"),
        mode: Mode::Auto,
        model: model(),
        status: Status::Idle,
        saved: true,
        context: 0,
        context_window: Some(128_000),
        usage: Usage::default(),
        turns: 0,
        created: Millis(NOON),
        fork_of: None,
    }
}

/// A new session in which nothing has happened.
pub fn new_session() -> Snapshot {
    Snapshot {
        info: info(),
        seq: 0,
        turn: None,
        approvals: vec![],
        questions: vec![],
        queue: QueueSizes::default(),
        plan: vec![],
        messages: 0,
        opening: Opening::New,
        grants: vec![],
        agents: vec![],
    }
}

/// The usage of the seed's sample: its cost is in micro-dollars.
pub fn usage(input: u64, output: u64, cache_read: u64, cost: u64) -> Usage {
    Usage {
        input,
        output,
        cache_read,
        cache_write: 0,
        cost: Cost(cost),
        cost_unknown: false,
    }
}

pub fn turn_started() -> Happening {
    Happening::TurnStarted {
        turn: TurnId(1),
        mode: Mode::Auto,
        model: model(),
    }
}

pub fn turn_ended(outcome: Outcome) -> Happening {
    Happening::TurnEnded {
        turn: TurnId(1),
        outcome,
        steps: 1,
        usage: usage(10, 2, 0, 100),
        duration_ms: 1200,
    }
}

pub fn user(entry: u64, said: &str, source: Source) -> Happening {
    Happening::UserMessage {
        entry: EntryId(entry),
        content: Content::text(said),
        source,
    }
}

pub fn message_started(entry: u64) -> Happening {
    let entry = EntryId(entry);
    Happening::MessageStarted { entry }
}

pub fn text_added(entry: u64, piece: &str) -> Happening {
    Happening::TextAdded {
        entry: EntryId(entry),
        text: text(piece),
    }
}

pub fn message_ended(entry: u64, said: &str, stop: Stop) -> Happening {
    let message = AssistantMessage {
        text: text(said),
        stop,
        ..AssistantMessage::default()
    };
    Happening::MessageEnded {
        entry: EntryId(entry),
        message: Arc::new(message),
    }
}

/// A shell call.
pub fn shell(id: &str, command: &str) -> Call {
    Call {
        id: call_id(id),
        tool: text("shell"),
        category: Category::Shell,
        summary: text(command),
        input: Document(text(&format!("{{\"command\": \"{command}\"}}"))),
    }
}

/// The approval that a shell call needs.
pub fn shell_approval(id: &str, command: &str) -> Approval {
    Approval {
        call: call_id(id),
        tool: text("shell"),
        category: Category::Shell,
        summary: text(command),
        command: Some(text(command)),
        paths: vec![text("/home/me/app")],
        edits: vec![],
        reason: text("mode auto asks for shell commands"),
        scopes: vec![Scope::Once, Scope::Session],
        asked_by: vec![],
        deadline: None,
    }
}

pub fn settled(id: &str, allowed: bool, by: SettledBy) -> Settlement {
    Settlement {
        call: call_id(id),
        tool: text("shell"),
        allowed,
        by,
        scope: Scope::Once,
        note: None,
        amended: false,
    }
}

pub fn ended(id: &str, end: CallEnd, said: &str) -> CallResult {
    CallResult {
        call: call_id(id),
        tool: text("shell"),
        end,
        text: text(said),
        images: vec![],
        exit_code: None,
        truncated: false,
        duration_ms: 150,
    }
}

pub fn call_started(call: Call) -> Happening {
    Happening::CallStarted(call)
}

pub fn call_running(id: &str) -> Happening {
    Happening::CallRunning {
        call: call_id(id),
        tool: text("shell"),
    }
}

pub fn call_ended(result: CallResult) -> Happening {
    Happening::CallEnded(Arc::new(result))
}

pub fn batch_ended(entry: u64) -> Happening {
    let entry = EntryId(entry);
    Happening::BatchEnded { entry }
}

pub fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure {
        kind,
        message: text(message),
    }
}

/// The smallest things that pass for a JPEG and a GIF.
pub fn picture() -> Image {
    Image {
        format: ImageFormat::Jpeg,
        bytes: [0xff, 0xd8, 0xff, 0xfb].as_slice().into(),
    }
}

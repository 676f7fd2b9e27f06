//! The stored form of events: one line a happening. Read as `words`.

use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, Approval, Ask, AssistantMessage, Call, CallId, CallResult, Compacted, Content,
    EditKind, EntryId, Event, Failure, Happening, Millis, Mode, ModelChoice, Outcome, PlanItem,
    QueueSizes, Ruling, SessionId, SettledBy, Settlement, Source, Text, TurnId, Usage,
};
use serde::{Deserialize, Serialize};

use super::stored::{Stored, stored_enum, stored_struct};
use super::{Attachments, BlobSource, FormatError};

stored_struct! {
    Event as EventRecord { seq <- seq: u64, at <- at: Millis, what <- happening: Happening }
}

stored_enum! {
    Happening as HappeningRecord {
        Opened = "opened" {
            root <- root: Text,
            mode <- mode: Mode,
            model <- model: ModelChoice,
            fork_of <- fork_of: Option<(SessionId, EntryId)>,
            parent <- parent: Option<SessionId>,
        },
        Resumed = "resumed" {},
        Titled = "titled" { title <- title: Text },
        TurnStarted = "turn_started" {
            turn <- turn: TurnId,
            mode <- mode: Mode,
            model <- model: ModelChoice,
        },
        UserMessage = "user_message" {
            entry <- entry: EntryId,
            content <- content: Content,
            source <- source: Source,
        },
        Queued = "queued" {
            content <- content: Content,
            source <- source: Source,
            sizes <- sizes: QueueSizes,
        },
        QueueDropped = "queue_dropped" {},
        MessageStarted = "message_started" { entry <- entry: EntryId },
        Checkpoint = "checkpoint" {
            entry <- entry: EntryId,
            text <- text: Text,
            thinking <- thinking: Text,
        },
        Used = "used" { usage <- usage: Usage },
        MessageEnded = "message_ended" {
            entry <- entry: EntryId,
            message <- message: Arc<AssistantMessage>,
        },
        CallStarted = "call_started" { call <- 0: Call },
        ApprovalAsked = "approval_asked" { approval <- 0: Arc<Approval> },
        ApprovalSettled = "approval_settled" { settlement <- 0: Settlement },
        QuestionAsked = "question_asked" { ask <- 0: Arc<Ask> },
        QuestionSettled = "question_settled" {
            call <- call: CallId,
            answered <- answered: bool,
            by <- by: SettledBy,
        },
        CallRunning = "call_running" { call <- call: CallId, tool <- tool: Text },
        FileChanged = "file_changed" {
            call <- call: CallId,
            path <- path: Text,
            kind <- kind: EditKind,
            diff <- diff: Option<Text>,
        },
        CallEnded = "call_ended" { result <- 0: Arc<CallResult> },
        BatchEnded = "batch_ended" { entry <- entry: EntryId },
        PlanChanged = "plan_changed" { items <- items: Vec<PlanItem> },
        ModeChanged = "mode_changed" { mode <- mode: Mode },
        ModelChanged = "model_changed" { model <- model: ModelChoice },
        CompactionEnded = "compaction_ended" {
            compacted <- compacted: Option<Compacted>,
            context <- context: u64,
            usage <- usage: Usage,
            failure <- failure: Option<Failure>,
        },
        Rewound = "rewound" { to <- to: EntryId },
        CallJudged = "call_judged" {
            call <- call: CallId,
            ruling <- ruling: Ruling,
            rule <- rule: Text,
        },
        AgentStarted = "agent_started" {
            agent <- agent: AgentId,
            call <- call: CallId,
            name <- name: Text,
            task <- task: Text,
            background <- background: bool,
        },
        AgentEnded = "agent_ended" {
            agent <- agent: AgentId,
            outcome <- outcome: Outcome,
            text <- text: Text,
            usage <- usage: Usage,
        },
        ConversationReset = "conversation_reset" {},
        TurnEnded = "turn_ended" {
            turn <- turn: TurnId,
            outcome <- outcome: Outcome,
            steps <- steps: u32,
            usage <- usage: Usage,
            duration_ms <- duration_ms: u64,
        },
    }
    never {
        TextAdded, ThinkingAdded, CallDrafted, CallOutput, Retrying, Noticed, CompactionStarted,
        AgentSaid, Throttled,
    }
}

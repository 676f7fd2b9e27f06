//! The stored form of everything that events are made of.
//!
//! Left of an arrow, and in quotes, stands what files say: it stays as it is
//! whatever the vocabulary calls the thing now.

use std::sync::Arc;

use greenroom_protocol::session::{
    AbortedBy, AgentId, Approval, Ask, AssistantMessage, Call, CallEnd, CallId, CallRequest,
    CallResult, Category, Choice, Compacted, Content, Cost, Document, EditKind, Effort, EntryId,
    Failure, FailureKind, Image, ImageFormat, Interruption, LimitKind, Mention, Millis, Mode,
    ModelChoice, Outcome, Part, PlanItem, PlanStatus, PlannedEdit, Priority, ProviderBlocks,
    Question, QueueSizes, Resource, Ruling, Scope, SessionId, SessionListing, SettledBy,
    Settlement, Source, Status, Stop, Text, Usage,
};
use serde::{Deserialize, Serialize};

use super::stored::{Stored, stored_enum, stored_names, stored_struct};
use super::{Attachments, BlobSource, FormatError};

// What a turn uses.

stored_names! {
    Effort as EffortName {
        Off = "off",
        Low = "low",
        Medium = "medium",
        High = "high",
        XHigh = "xhigh",
        Max = "max",
    }
}

stored_struct! {
    ModelChoice as ModelChoiceRecord {
        provider <- provider: Text,
        model <- model: Text,
        effort <- effort: Option<Effort>,
    }
}

stored_struct! {
    Usage as UsageRecord {
        input <- input: u64,
        output <- output: u64,
        cache_read <- cache_read: u64,
        cache_write <- cache_write: u64,
        cost <- cost: Cost,
        cost_unknown <- cost_unknown: bool,
    }
}

// What people give.

stored_struct! { Content as ContentRecord { parts <- parts: Vec<Part> } }

stored_enum! {
    Part as PartRecord {
        Text = "text" { text <- 0: Text },
        Image = "image" { image <- 0: Image },
        Mention = "mention" { mention <- 0: Mention },
        Resource = "resource" { resource <- 0: Resource },
    }
}

stored_struct! { Image as ImageRecord { format <- format: ImageFormat, bytes <- bytes: Arc<[u8]> } }

stored_names! {
    ImageFormat as ImageFormatName { Png = "png", Jpeg = "jpeg", Gif = "gif", Webp = "webp" }
}

stored_struct! {
    Mention as MentionRecord { path <- path: Text, lines <- lines: Option<(u32, u32)> }
}

stored_struct! { Resource as ResourceRecord { name <- name: Text, text <- text: Text } }

stored_names! {
    Source as SourceName {
        Prompt = "prompt",
        Steer = "steer",
        FollowUp = "follow_up",
        Agent = "agent",
        Summary = "summary",
    }
}

stored_struct! {
    QueueSizes as QueueSizesRecord { steers <- steers: usize, follow_ups <- follow_ups: usize }
}

stored_struct! {
    Compacted as CompactedRecord {
        entry <- entry: EntryId,
        summary <- summary: Text,
        keeps_from <- keeps_from: Option<EntryId>,
    }
}

// What the model gives.

stored_struct! {
    AssistantMessage as AssistantMessageRecord {
        text <- text: Text,
        thinking <- thinking: Text,
        calls <- calls: Vec<CallRequest>,
        raw <- raw: Option<ProviderBlocks>,
        stop <- stop: Stop,
    }
}

stored_struct! {
    CallRequest as CallRequestRecord {
        id <- id: CallId,
        provider_id <- provider_id: Text,
        tool <- tool: Text,
        input <- input: Document,
    }
}

stored_struct! {
    ProviderBlocks as ProviderBlocksRecord { wire <- wire: Text, json <- json: Document }
}

stored_names! {
    Stop as StopName {
        End = "end",
        Calls = "calls",
        MaxTokens = "max_tokens",
        Refusal = "refusal",
        Aborted = "aborted",
        Failed = "failed",
        Interrupted = "interrupted",
    }
}

// Calls.

stored_struct! {
    Call as CallRecord {
        id <- id: CallId,
        tool <- tool: Text,
        category <- category: Category,
        summary <- summary: Text,
        input <- input: Document,
    }
}

stored_names! {
    Category as CategoryName {
        Read = "read",
        Edit = "edit",
        Shell = "shell",
        Web = "web",
        Mcp = "mcp",
        Agent = "agent",
        Session = "session",
    }
}

stored_struct! {
    CallResult as CallResultRecord {
        call <- call: CallId,
        tool <- tool: Text,
        end <- end: CallEnd,
        text <- text: Text,
        images <- images: Vec<Image>,
        exit_code <- exit_code: Option<i32>,
        truncated <- truncated: bool,
        duration_ms <- duration_ms: u64,
    }
}

stored_names! {
    CallEnd as CallEndName {
        Done = "done",
        Failed = "failed",
        Denied = "denied",
        Refused = "refused",
        Skipped = "skipped",
        Aborted = "aborted",
        Unknown = "unknown",
    }
}

// Approvals and questions.

stored_struct! {
    Approval as ApprovalRecord {
        call <- call: CallId,
        tool <- tool: Text,
        category <- category: Category,
        summary <- summary: Text,
        command <- command: Option<Text>,
        paths <- paths: Vec<Text>,
        edits <- edits: Vec<PlannedEdit>,
        reason <- reason: Text,
        scopes <- scopes: Vec<Scope>,
        asked_by <- asked_by: Vec<AgentId>,
        deadline <- deadline: Option<Millis>,
    }
}

stored_struct! {
    PlannedEdit as PlannedEditRecord {
        path <- path: Text,
        kind <- kind: EditKind,
        before <- before: Option<Text>,
        after <- after: Option<Text>,
    }
}

stored_names! {
    EditKind as EditKindName { Created = "created", Modified = "modified", Deleted = "deleted" }
}

stored_names! {
    Scope as ScopeName { Once = "once", Session = "session", Project = "project", User = "user" }
}

stored_struct! {
    Settlement as SettlementRecord {
        call <- call: CallId,
        tool <- tool: Text,
        allowed <- allowed: bool,
        by <- by: SettledBy,
        scope <- scope: Scope,
        note <- note: Option<Text>,
        amended <- amended: bool,
    }
}

stored_names! { Ruling as RulingName { Allow = "allow", Ask = "ask", Deny = "deny" } }

stored_names! {
    SettledBy as SettledByName {
        Client = "client",
        Policy = "policy",
        Abort = "abort",
        ClientsGone = "clients_gone",
        Deadline = "deadline",
        Restart = "restart",
    }
}

stored_struct! {
    Ask as AskRecord {
        call <- call: CallId,
        questions <- questions: Vec<Question>,
        asked_by <- asked_by: Vec<AgentId>,
        deadline <- deadline: Option<Millis>,
    }
}

stored_struct! {
    Question as QuestionRecord {
        id <- id: Text,
        text <- text: Text,
        choices <- choices: Vec<Choice>,
        multiple <- multiple: bool,
    }
}

stored_struct! {
    Choice as ChoiceRecord { label <- label: Text, description <- description: Option<Text> }
}

// What lists show.

stored_struct! {
    SessionListing as ListingRecord {
        id <- id: SessionId,
        title <- title: Text,
        mode <- mode: Mode,
        model <- model: ModelChoice,
        root <- root: Text,
        parent <- parent: Option<SessionId>,
        fork_of <- fork_of: Option<(SessionId, EntryId)>,
        status <- status: Status,
        updated <- updated: Millis,
        turns <- turns: u64,
        usage <- usage: Usage,
    }
}

stored_names! {
    Status as StatusName {
        Idle = "idle",
        Running = "running",
        Waiting = "waiting",
        Failed = "failed",
    }
}

// The plan.

stored_struct! {
    PlanItem as PlanItemRecord {
        text <- text: Text,
        status <- status: PlanStatus,
        priority <- priority: Priority,
    }
}

stored_names! {
    PlanStatus as PlanStatusName {
        Pending = "pending",
        InProgress = "in_progress",
        Completed = "completed",
    }
}

stored_names! { Priority as PriorityName { High = "high", Medium = "medium", Low = "low" } }

// How turns end.

stored_enum! {
    Outcome as OutcomeRecord {
        Completed = "completed" {},
        Aborted = "aborted" { by <- 0: AbortedBy },
        Refused = "refused" {},
        Failed = "failed" { failure <- 0: Failure },
        Limit = "limit" { kind <- 0: LimitKind },
        Interrupted = "interrupted" { by <- 0: Interruption },
    }
}

stored_names! {
    AbortedBy as AbortedByName {
        Client = "client",
        ClientGone = "client_gone",
        Signal = "signal",
        Reset = "reset",
        Close = "close",
    }
}

stored_struct! { Failure as FailureRecord { kind <- kind: FailureKind, message <- message: Text } }

stored_names! {
    FailureKind as FailureKindName {
        RateLimited = "rate_limited",
        Overloaded = "overloaded",
        Auth = "auth",
        Quota = "quota",
        TooLong = "too_long",
        Invalid = "invalid",
        Broken = "broken",
        Stalled = "stalled",
        Storage = "storage",
        Aborted = "aborted",
        Internal = "internal",
    }
}

stored_names! {
    LimitKind as LimitKindName {
        Steps = "steps",
        AnswerLength = "answer_length",
        Tokens = "tokens",
        Cost = "cost",
        Time = "time",
        SessionTokens = "session_tokens",
        SessionCost = "session_cost",
    }
}

stored_names! {
    Interruption as InterruptionName { Crash = "crash", Restart = "restart", Shutdown = "shutdown" }
}

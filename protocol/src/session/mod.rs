//! The vocabulary of a session, in no wire's words and without JSON.
//!
//! Commands are imperatives ([`Command`]), events are past ([`Happening`]),
//! refusals are states of affairs ([`Refusal`]). Ids are newtypes. A [`Text`]
//! is something that somebody wrote; nothing is ever matched against it.
//!
//! The journal is the durable events in order, so whatever a session must
//! still know after a crash stands in an event.

mod agent;
mod approval;
mod call;
mod command;
mod compaction;
mod content;
mod event;
mod ids;
mod message;
mod model;
mod money;
mod outcome;
mod plan;
mod question;
mod refusal;
mod reply;
mod snapshot;

pub use agent::{AgentInFlight, AgentOrder};
pub use approval::{
    Amendment, AnswerPolicy, Approval, Decision, EditKind, FileEdit, PlannedEdit, Ruling, Scope,
    SettledBy, Settlement, Verdict,
};
pub use call::{Call, CallEnd, CallResult, Category, Document, OutputStream};
pub use command::{Command, ExportFormat, ExportRequest, ModelChange};
pub use compaction::{Compacted, CompactionReason};
pub use content::{Content, Image, ImageFormat, Mention, Part, Resource};
pub use event::{Event, Happening};
pub use ids::{AgentId, CallId, EntryId, Millis, SessionId, SubscriberId, Ticket, TurnId};
pub use message::{AssistantMessage, CallRequest, Message, ProviderBlocks, Source, Stop};
pub use model::{Effort, Mode, ModelChoice};
pub use money::{Cost, Usage};
pub use outcome::{AbortedBy, Failure, FailureKind, Interruption, LimitKind, Outcome};
pub use plan::{PlanItem, PlanStatus, Priority};
pub use question::{Answer, Ask, Choice, Question};
pub use refusal::{Busy, Refusal};
pub use reply::Reply;
pub use snapshot::{
    CallInFlight, Grant, Opening, QueueSizes, SessionInfo, SessionListing, Snapshot, Status,
    TurnInFlight,
};

use std::sync::Arc;

/// Text that somebody wrote. Shared, because one text goes to the journal, to
/// every subscriber and to the next model call.
pub type Text = Arc<str>;

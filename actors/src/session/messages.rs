//! What a session's actor is started with and told.

use std::sync::Arc;

use greenroom_protocol::session::{AbortedBy, Command, Interruption, SubscriberId, Ticket};

use ractor::ActorRef;
use tokio::sync::watch;

use super::input::{Input, Timer};
use super::load::Loaded;
use super::machine::Session;
use super::reports::Permit;
use super::settings::Settings;
use crate::journal::RecordId;
use crate::outbox::Outbox;
use crate::ports::StoreError;

/// What a session is told.
pub enum SessionMsg {
    /// A client joins: it gets the state, then every later event.
    Join {
        /// Its name.
        client: SubscriberId,
        /// Its path.
        outbox: Outbox,
    },
    /// A client asks.
    Ask {
        /// Who.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// What.
        command: Command,
    },
    /// A client leaves. It gets [`crate::outbox::Out::Left`] when nothing more will come.
    Leave {
        /// Who.
        client: SubscriberId,
        /// What happens to the running turn.
        how: Leave,
    },
    /// A worker of the turn reports.
    Report {
        /// What.
        input: Input,
        /// Until it is handled.
        permit: Permit,
    },
    /// A timer.
    Timer(Timer),
    /// All records up to this one are durable.
    Recorded(RecordId),
    /// Records could not be written.
    RecordFailed {
        /// The last of them.
        record: RecordId,
        /// Why.
        error: StoreError,
    },
    /// The journal was read again after it failed.
    Reloaded(Result<Option<Loaded>, StoreError>),
    /// Work beside turns is done.
    Done(Input),
    /// A client comes from the session that this one is a fork of.
    Arrive {
        /// Its name.
        client: SubscriberId,
        /// Its path.
        outbox: Outbox,
        /// The fork's number: it is answered here.
        ticket: Ticket,
    },
}

/// What a leaving client means for the running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It runs to its end.
    AfterTurn,
    /// It is aborted.
    Abort(AbortedBy),
}

/// What a session starts from.
pub enum Seed {
    /// Nothing: it is new.
    New,
    /// Its journal, and why it was left.
    Journal(Loaded, Interruption),
    /// The session as it is, and recorded so.
    Fork(Box<Session>),
}

/// The session's actor and its number, for its clients.
pub type CurrentActor = Arc<watch::Sender<(u32, ActorRef<SessionMsg>)>>;

/// What a session's actor is started with.
pub struct Start {
    /// Its settings.
    pub settings: Settings,
    /// What it starts from.
    pub seed: Seed,
    /// Clients that an earlier actor of this session had.
    pub clients: Vec<(SubscriberId, Outbox)>,
    /// How many actors this session had before, in this process.
    pub generation: u32,
    /// Where clients find the session's actor; nothing for its first one.
    pub current: Option<CurrentActor>,
}

//! What a session's machine is told, and what it wants done.

use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{
    AbortedBy, AgentId, Amendment, CallId, Command, Content, Event, ExportRequest, Failure,
    Happening, Message, Millis, Mode, Outcome, OutputStream, Refusal, Reply, SessionId,
    SessionListing, SubscriberId, Text, Ticket, TurnId, Usage,
};

use super::machine::Session;
use super::settings::Settings;
use super::tree::Tree;

use crate::ports::{
    Chunk, ExportFault, Exported, JobEnded, Judgement, Likeness, ModelAnswer, ModelError,
    ModelRequest, PlannedCall, Ran, StoreError, ToolFault, ToolSpec,
};

/// One piece of model work. Reports of work that is over are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WorkId(pub u64);

/// What a session is told. The name says where it comes from.
#[derive(Debug)]
pub enum Input {
    /// A client asks.
    Asked {
        /// Who.
        by: SubscriberId,
        /// Under which number it wants the answer.
        ticket: Ticket,
        /// What.
        command: Command,
    },
    /// A client leaves: it will ask nothing more.
    ClientLeaves {
        /// Who.
        by: SubscriberId,
        /// Stop the running turn, or let it end by itself.
        abort: Option<AbortedBy>,
        /// Nobody else is there who could answer.
        last: bool,
    },
    /// The model call brings pieces.
    ModelSaid {
        /// Which call.
        work: WorkId,
        /// In order.
        chunks: Vec<Chunk>,
    },
    /// The model call will be tried again.
    ModelRetries {
        /// Which call.
        work: WorkId,
        /// The try that failed, from 1.
        attempt: u32,
        /// Tries in all.
        attempts: u32,
        /// Until the next try.
        after: Duration,
        /// What failed.
        failure: Failure,
        /// What was used all the same.
        usage: Option<Usage>,
    },
    /// The model call is over.
    ModelAnswered {
        /// Which call.
        work: WorkId,
        /// How.
        result: Result<ModelAnswer, ModelError>,
    },
    /// A call was planned and judged.
    CallJudged {
        /// Which.
        call: CallId,
        /// What came of it.
        judged: Judged,
        /// What the guard warns of now; nothing when it was not asked.
        warnings: Option<Vec<Text>>,
    },
    /// A tool brings output.
    ToolSaid {
        /// Which call.
        call: CallId,
        /// In order.
        pieces: Vec<(OutputStream, String)>,
    },
    /// A tool is done.
    ToolRan {
        /// Which call.
        call: CallId,
        /// What it gave.
        ran: Ran,
    },
    /// A timer that an effect set.
    TimeCame(Timer),
    /// The journal could not be written: what was decided since the last record
    /// is not told.
    StorageFailed {
        /// Why, in words.
        reason: Text,
    },
    /// One of the turn's actors failed.
    TurnFailed,
    /// The session's journal was read for [`Effect::ReadTree`].
    TreeRead {
        /// All its entries, or why it could not be read.
        tree: Result<Box<Tree>, Text>,
        /// What a fork is opened with.
        fresh: Box<Settings>,
    },
    /// The fork's journal was begun, or why it could not be.
    ForkRecorded(Result<(), Text>),
    /// The store has told its sessions.
    Listed {
        /// Who asked.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// What came of it.
        result: Result<Vec<SessionListing>, StoreError>,
    },
    /// An export is over.
    Exported {
        /// Who asked.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// What came of it.
        result: Result<Exported, ExportFault>,
    },
    /// Something happened in a sub-agent.
    AgentSaid {
        /// In which.
        agent: AgentId,
        /// What.
        happening: Arc<Happening>,
    },
    /// A sub-agent has ended.
    AgentEnded {
        /// Which.
        agent: AgentId,
        /// How its turn ended.
        outcome: Outcome,
        /// Its last message.
        text: Text,
    },
    /// The journal of a sub-agent was read.
    MessagesRead {
        /// Who asked.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// Whose.
        session: SessionId,
        /// Its conversation; nothing when there is none.
        result: Result<Option<Vec<Message>>, StoreError>,
    },
    /// A command in the background has ended.
    JobEnded(JobEnded),
    /// The tools that the session has besides are others now.
    ToolsChanged {
        /// All of them, in a stable order.
        specs: Vec<ToolSpec>,
        /// What people should know of them.
        notices: Vec<Text>,
    },
    /// A model has written a title, or has not.
    TitleWritten(Box<Result<ModelAnswer, ModelError>>),
}

/// What came of judging a call.
#[derive(Debug)]
pub enum Judged {
    /// It was understood.
    Planned {
        /// What it would do.
        planned: Box<PlannedCall>,
        /// Whether it may.
        judgement: Judgement,
        /// What a wider grant would cover.
        likeness: Option<Likeness>,
    },
    /// It was not: the model reads why.
    Fault(ToolFault),
    /// Planning or judging failed inside: that counts as deny.
    Broken,
}

/// What a timer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Timer {
    /// The running answer is to be checkpointed.
    Checkpoint(WorkId),
    /// The turn's time is over.
    TurnTime(TurnId),
    /// A call has waited long enough for its approval or its answer.
    Deadline(CallId),
}

/// What a session wants done, in this order.
#[derive(Debug)]
pub enum Effect {
    /// The one answer to a command.
    Answer {
        /// To whom.
        to: SubscriberId,
        /// Its number.
        ticket: Ticket,
        /// What.
        outcome: Result<Reply, Refusal>,
        /// When.
        at: Millis,
    },
    /// Record it if it is durable, then tell every subscriber.
    Tell(Arc<Event>),
    /// Start the turn's actors.
    StartTurn,
    /// Call the model.
    CallModel {
        /// Under this number.
        work: WorkId,
        /// What.
        request: Box<ModelRequest>,
    },
    /// Plan and judge a call.
    Judge {
        /// Which.
        call: CallId,
        /// The tool.
        tool: Text,
        /// Its input.
        input: greenroom_protocol::session::Document,
        /// In this mode.
        mode: Mode,
    },
    /// Run a call; not before all that was told is recorded.
    RunTool {
        /// Which.
        call: CallId,
        /// As it was judged.
        planned: Box<PlannedCall>,
        /// As it was changed by who allowed it.
        amendment: Option<Amendment>,
        /// In this mode.
        mode: Mode,
    },
    /// Open the session of a sub-agent, and prompt it; not before all that was
    /// told is recorded.
    StartAgent {
        /// Its name.
        agent: AgentId,
        /// Its settings.
        settings: Box<Settings>,
        /// What it is told.
        prompt: Content,
        /// Nobody is there who could answer what it asks.
        unattended: bool,
    },
    /// Pass a command on to a sub-agent.
    TellAgent {
        /// To which.
        agent: AgentId,
        /// What.
        command: Command,
    },
    /// Nobody is left who could answer what sub-agents ask.
    LeaveAgents,
    /// Stop a sub-agent at once.
    StopAgent {
        /// Which.
        agent: AgentId,
    },
    /// Read the conversation of a sub-agent, behind all that was told.
    ReadMessages {
        /// Who wants it.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// Whose.
        session: SessionId,
        /// At most so many messages, counted from the end; nothing means all.
        limit: Option<usize>,
    },
    /// Stop all work of the turn at once, and end its actors.
    StopTurn,
    /// Come back after a while.
    SetTimer {
        /// What for.
        timer: Timer,
        /// From now.
        after: Duration,
    },
    /// Nothing more will come for this client.
    Left {
        /// Who.
        client: SubscriberId,
    },
    /// Read the session's whole journal, behind all that was told.
    ReadTree,
    /// Begin the journal of a new session, and keep the session for a
    /// [`Effect::HandOver`].
    RecordFork {
        /// The session, as it is behind its first events.
        session: Box<Session>,
        /// These events.
        effects: Vec<Effect>,
    },
    /// The client goes on in the session that was recorded: it joins there, and
    /// is answered there.
    HandOver {
        /// Who.
        client: SubscriberId,
        /// The fork's number.
        ticket: Ticket,
    },
    /// Ask the store for its sessions.
    List {
        /// Who wants them.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// Of this workspace alone.
        root: Option<Text>,
    },
    /// Write the session to a file, behind all that was told.
    Export {
        /// Who wants it.
        by: SubscriberId,
        /// Under which number.
        ticket: Ticket,
        /// As what, and where to.
        request: ExportRequest,
    },
    /// Have a model write a title, beside the turn.
    AskTitle(Box<ModelRequest>),
}

//! What happened in a session.

use std::sync::Arc;

use super::{
    AgentId, Approval, Ask, AssistantMessage, Call, CallId, CallResult, Compacted,
    CompactionReason, Content, EditKind, EntryId, Failure, Millis, Mode, ModelChoice, Outcome,
    OutputStream, PlanItem, QueueSizes, Ruling, SessionId, SettledBy, Settlement, Source, Text,
    TurnId, Usage,
};

/// One happening, with its place in the session's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// From 1, per session, never reused; gaps are possible after a restart.
    pub seq: u64,
    /// By the session's clock; never decreases.
    pub at: Millis,
    /// What happened.
    pub happening: Happening,
}

/// What happened. The order in one turn is
/// `TurnStarted UserMessage+ (MessageStarted (TextAdded|ThinkingAdded|CallDrafted)*
/// Used? MessageEnded (per call: CallStarted CallJudged? (ApprovalAsked
/// ApprovalSettled | QuestionAsked QuestionSettled)? CallRunning? CallOutput* CallEnded)*
/// BatchEnded? UserMessage*)+ TurnEnded`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// The session was made. The first event of every journal.
    Opened {
        /// The workspace: an absolute path.
        root: Text,
        /// What the first turn uses.
        mode: Mode,
        /// What the first turn uses.
        model: ModelChoice,
        /// The session that it continues, of a fork.
        fork_of: Option<(SessionId, EntryId)>,
        /// The session that started it, of a sub-agent.
        parent: Option<SessionId>,
    },
    /// A process took the session up again.
    Resumed,
    /// It has a (new) title.
    Titled {
        /// A short text for people.
        title: Text,
    },
    /// A turn was admitted.
    TurnStarted {
        /// Its name.
        turn: TurnId,
        /// What it uses, from its first to its last step.
        mode: Mode,
        /// What it uses, from its first to its last step.
        model: ModelChoice,
    },
    /// A message was given to the model.
    UserMessage {
        /// Its name in the conversation.
        entry: EntryId,
        /// What was said.
        content: Content,
        /// How it came.
        source: Source,
    },
    /// A message waits in the queue.
    Queued {
        /// What was said.
        content: Content,
        /// Steer or follow-up.
        source: Source,
        /// The queue after it.
        sizes: QueueSizes,
    },
    /// All queued messages were dropped (abort, reset).
    QueueDropped,
    /// The model begins to answer.
    MessageStarted {
        /// Its name in the conversation.
        entry: EntryId,
    },
    /// A piece of the answer. The pieces joined are the message's text.
    TextAdded {
        /// The message that is being written.
        entry: EntryId,
        /// The piece, never empty.
        text: Text,
    },
    /// A piece of readable thinking.
    ThinkingAdded {
        /// The message that is being written.
        entry: EntryId,
        /// The piece, never empty.
        text: Text,
    },
    /// The model begins to write a call; its input is not known yet.
    CallDrafted {
        /// The tool's name.
        tool: Text,
    },
    /// For the journal alone: what the running message grew by since the last
    /// checkpoint, so that a crash loses little.
    Checkpoint {
        /// The message that is being written.
        entry: EntryId,
        /// Its text since the last checkpoint.
        text: Text,
        /// Its thinking since the last checkpoint.
        thinking: Text,
    },
    /// What one model call used.
    Used {
        /// This call's, not a sum.
        usage: Usage,
    },
    /// The answer is whole, or was cut: its `stop` tells.
    MessageEnded {
        /// Its name in the conversation.
        entry: EntryId,
        /// All of it.
        message: Arc<AssistantMessage>,
    },
    /// A call of the answer is taken up.
    CallStarted(Call),
    /// The call waits for a decision.
    ApprovalAsked(Arc<Approval>),
    /// The decision is there.
    ApprovalSettled(Settlement),
    /// The call waits for an answer.
    QuestionAsked(Arc<Ask>),
    /// The question is answered, or will never be.
    QuestionSettled {
        /// The call that waited.
        call: CallId,
        /// False when it was withdrawn.
        answered: bool,
        /// Who or what settled it.
        by: SettledBy,
    },
    /// The tool is about to run: from here on it may have effects.
    CallRunning {
        /// Which call.
        call: CallId,
        /// Its tool.
        tool: Text,
    },
    /// A piece of a running tool's output.
    CallOutput {
        /// Which call.
        call: CallId,
        /// Which stream.
        stream: OutputStream,
        /// The piece.
        text: Text,
    },
    /// A file was written.
    FileChanged {
        /// The call that did it.
        call: CallId,
        /// Relative to the workspace; absolute when it lies outside.
        path: Text,
        /// What happened to it.
        kind: EditKind,
        /// The change as a unified diff without file names; nothing when it is
        /// too long to be read by anybody.
        diff: Option<Text>,
    },
    /// The call has its result.
    CallEnded(Arc<CallResult>),
    /// All calls of the answer have results; they are one entry.
    BatchEnded {
        /// Its name in the conversation.
        entry: EntryId,
    },
    /// The agent's plan changed; the whole list.
    PlanChanged {
        /// The list.
        items: Vec<PlanItem>,
    },
    /// The mode of the next turn changed.
    ModeChanged {
        /// From now on.
        mode: Mode,
    },
    /// The model of the next turn changed.
    ModelChanged {
        /// From now on.
        model: ModelChoice,
    },
    /// A model call failed before anything came, and will be tried again.
    Retrying {
        /// The try that failed, from 1.
        attempt: u32,
        /// How many there will be at most.
        attempts: u32,
        /// When the next begins, in milliseconds from now.
        after_ms: u64,
        /// What failed.
        failure: Failure,
    },
    /// The model call waits for the limit of its provider, which all sessions of
    /// one key share. What the model says ends it.
    Throttled {
        /// When the wait began.
        since: Millis,
        /// When it ends at the earliest, as far as that is known.
        until: Option<Millis>,
    },
    /// Something that people should know.
    Noticed {
        /// In words.
        text: Text,
    },
    /// The conversation is being summarised.
    CompactionStarted {
        /// Who or what wanted it.
        reason: CompactionReason,
        /// Tokens before.
        context: u64,
    },
    /// The conversation was summarised, or stays as it was. The summary is a
    /// new entry behind the head: the old ones stay, and a rewind to one of
    /// them undoes it.
    CompactionEnded {
        /// What came of it; nothing when it failed.
        compacted: Option<Compacted>,
        /// Tokens after, about.
        context: u64,
        /// What it used: the sum of its model calls.
        usage: Usage,
        /// What failed.
        failure: Option<Failure>,
    },
    /// The head of the conversation moved back to an entry. Nothing is
    /// destroyed: what lay behind it is another branch now.
    Rewound {
        /// The last entry that stays.
        to: EntryId,
    },
    /// A call was judged by the rules and the mode, before anybody was asked:
    /// the audit trail.
    CallJudged {
        /// Which call.
        call: CallId,
        /// What was said.
        ruling: Ruling,
        /// The rule that said it: its file, list and number, the mode, or the
        /// grant.
        rule: Text,
    },
    /// A sub-agent began.
    AgentStarted {
        /// Its session.
        agent: AgentId,
        /// The call that started it.
        call: CallId,
        /// Its definition's name.
        name: Text,
        /// What it is to do, in a few words.
        task: Text,
        /// The turn goes on without waiting for it.
        background: bool,
    },
    /// Something happened in a sub-agent that those who look at its starter must
    /// know: calls, approvals, questions, usage, failures, its own sub-agents.
    /// Never nested, and never recorded here: the sub-agent's journal has it.
    AgentSaid {
        /// From the outermost sub-agent to the one in which it happened.
        path: Arc<[AgentId]>,
        /// What.
        happening: Arc<Happening>,
    },
    /// A sub-agent ended.
    AgentEnded {
        /// Its session.
        agent: AgentId,
        /// How its turn ended.
        outcome: Outcome,
        /// Its last message.
        text: Text,
        /// What it used, its own sub-agents included.
        usage: Usage,
    },
    /// The conversation begins anew, empty.
    ConversationReset,
    /// The turn is over: nothing of it follows.
    TurnEnded {
        /// Its name.
        turn: TurnId,
        /// Why.
        outcome: Outcome,
        /// Model calls that it made.
        steps: u32,
        /// The sum over its model calls.
        usage: Usage,
        /// From admission to end, in milliseconds.
        duration_ms: u64,
    },
}

impl Happening {
    /// True for what must be in the journal before anybody is told. The rest
    /// (pieces, notices) lives in memory only; what pieces add up to stands in
    /// a durable event.
    pub fn is_durable(&self) -> bool {
        !matches!(
            self,
            Happening::CompactionStarted { .. }
                | Happening::TextAdded { .. }
                | Happening::ThinkingAdded { .. }
                | Happening::CallDrafted { .. }
                | Happening::CallOutput { .. }
                | Happening::Retrying { .. }
                | Happening::Throttled { .. }
                | Happening::Noticed { .. }
                | Happening::AgentSaid { .. }
        )
    }
}

//! Every limit and deadline of the tree, by name. Configuration fills them in.

use std::time::Duration;

use greenroom_protocol::session::Cost;

/// What one session may take.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Model calls in one turn. Default 100.
    pub steps: u32,
    /// Tokens in one answer. Default none: the provider's own.
    pub answer_tokens: Option<u32>,
    /// Tokens in one turn, all kinds. Default none.
    pub turn_tokens: Option<u64>,
    /// Money in one turn. Default none.
    pub turn_cost: Option<Cost>,
    /// Tokens in the whole session, all kinds. Default none.
    pub session_tokens: Option<u64>,
    /// Money in the whole session. Default none.
    pub session_cost: Option<Cost>,
    /// Whether a turn that meets a limit on steps, tokens or money asks to go on
    /// with as much again; if not, it ends. Default no.
    pub asks_to_raise: bool,
    /// Wall time of one turn. Default none.
    pub turn_time: Option<Duration>,
    /// Messages that may wait in the queue. Default 100.
    pub queued: usize,
    /// Bytes that may wait in the queue. Default 64 MiB.
    pub queued_bytes: usize,
    /// Read-only calls side by side. Default 8.
    pub parallel_reads: usize,
    /// Bytes of a running answer after which it is checkpointed. Default 16 KiB.
    pub checkpoint_bytes: usize,
    /// Time after which a running answer is checkpointed. Default 1 s.
    pub checkpoint_every: Duration,
    /// How long an approval waits. Default none: for ever.
    pub approval_deadline: Option<Duration>,
    /// How long a question waits. Default none: for ever.
    pub question_deadline: Option<Duration>,
    /// Messages at the end of the conversation that a compaction keeps word for
    /// word; an answer and its results stay together. Default 4.
    pub compaction_keeps: usize,
    /// From how much of the model's window on a turn sums up before its next
    /// step, in percent. Default 80; nothing: never by itself.
    pub compact_at: Option<u8>,
    /// Sub-agents of one session that run at once. Default 8.
    pub agents: usize,
    /// How deep sub-agents may start others: 1, and the session's own may not.
    /// Default 3; 0: there are none.
    pub agent_depth: u32,
    /// Whether the end of work in the background starts a turn when none runs;
    /// if not, the next prompt brings it along. Default no.
    pub wakes: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 100,
            answer_tokens: None,
            turn_tokens: None,
            turn_cost: None,
            session_tokens: None,
            session_cost: None,
            asks_to_raise: false,
            turn_time: None,
            queued: 100,
            queued_bytes: 64 << 20,
            parallel_reads: 8,
            checkpoint_bytes: 16 << 10,
            checkpoint_every: Duration::from_secs(1),
            approval_deadline: None,
            question_deadline: None,
            compaction_keeps: 4,
            compact_at: Some(80),
            agents: 8,
            agent_depth: 3,
            wakes: false,
        }
    }
}

/// How a model call is tried again, and when it counts as stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPolicy {
    /// Tries in all. Default 5.
    pub attempts: u32,
    /// The wait before the second try; doubles from try to try, with jitter.
    /// Default 500 ms.
    pub base: Duration,
    /// The longest wait that we choose ourselves. Default 30 s.
    pub cap: Duration,
    /// The longest wait that a provider may ask for; a longer one fails the
    /// call at once. Default 5 min.
    pub longest_retry_after: Duration,
    /// To the first piece of an answer. Default 120 s.
    pub first_piece: Duration,
    /// Between two pieces. Default 60 s.
    pub stall: Duration,
    /// In the line for the provider's limit. Default 1 h.
    pub longest_throttled: Duration,
}

impl Default for CallPolicy {
    fn default() -> CallPolicy {
        CallPolicy {
            attempts: 5,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(30),
            longest_retry_after: Duration::from_secs(300),
            first_piece: Duration::from_secs(120),
            stall: Duration::from_secs(60),
            longest_throttled: Duration::from_secs(3600),
        }
    }
}

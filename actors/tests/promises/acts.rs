//! What the world may do next.

use proptest::collection::vec;
use proptest::prelude::*;

/// What the world may do next.
#[derive(Debug, Clone)]
pub enum Move {
    Prompt,
    Steer,
    FollowUp,
    Abort,
    Reset,
    SetMode(bool),
    GetState,
    Compact,
    /// From one of the entries that there ever were, or from the head.
    Fork(Option<usize>),
    Rewind(usize),
    List,
    Export,
    /// What takes its time comes back.
    Returns {
        ok: bool,
    },
    Decide {
        which: usize,
        allow: bool,
        session: bool,
    },
    DecideOnAnother,
    Reply {
        which: usize,
    },
    ModelSays,
    ModelEnds(End),
    Judge {
        which: usize,
    },
    ToolEnds {
        which: usize,
        failed: bool,
    },
    ToolSays {
        which: usize,
    },
    AgentSays {
        which: usize,
        what: usize,
    },
    AgentEnds {
        which: usize,
        completed: bool,
    },
    SteerAgent {
        which: usize,
    },
    InterruptAgent {
        which: usize,
    },
    Checkpoint,
    LateReport,
    TurnFails,
    Crash,
}

#[derive(Debug, Clone)]
pub enum End {
    Text,
    Calls(Vec<(&'static str, &'static str)>),
    Failure,
    TooLong,
    Nothing,
}

fn call() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        Just(("read", "look")),
        Just(("edit", "change")),
        Just(("shell", "make")),
        Just(("shell", "deny")),
        Just(("ask", "which?")),
        Just(("read", "bad")),
        Just(("nothing", "x")),
        Just(("task", "look")),
        Just(("task", "back")),
    ]
}

fn act() -> impl Strategy<Value = Move> {
    let end = prop_oneof![
        3 => Just(End::Text),
        4 => vec(call(), 1..4).prop_map(End::Calls),
        1 => Just(End::Failure),
        1 => Just(End::TooLong),
        1 => Just(End::Nothing),
    ];
    prop_oneof![
        6 => Just(Move::Prompt),
        2 => Just(Move::Steer),
        2 => Just(Move::FollowUp),
        1 => Just(Move::Abort),
        1 => Just(Move::Reset),
        1 => any::<bool>().prop_map(Move::SetMode),
        1 => Just(Move::GetState),
        3 => Just(Move::Compact),
        1 => proptest::option::of(0..40_usize).prop_map(Move::Fork),
        2 => (0..40_usize).prop_map(Move::Rewind),
        1 => Just(Move::List),
        1 => Just(Move::Export),
        4 => proptest::bool::weighted(0.8).prop_map(|ok| Move::Returns { ok }),
        6 => (0..4_usize, any::<bool>(), any::<bool>())
            .prop_map(|(which, allow, session)| Move::Decide { which, allow, session }),
        1 => Just(Move::DecideOnAnother),
        3 => (0..4_usize).prop_map(|which| Move::Reply { which }),
        4 => Just(Move::ModelSays),
        6 => end.prop_map(Move::ModelEnds),
        8 => (0..4_usize).prop_map(|which| Move::Judge { which }),
        6 => (0..4_usize, any::<bool>())
            .prop_map(|(which, failed)| Move::ToolEnds { which, failed }),
        2 => (0..4_usize).prop_map(|which| Move::ToolSays { which }),
        6 => (0..4_usize, 0..6_usize)
            .prop_map(|(which, what)| Move::AgentSays { which, what }),
        3 => (0..4_usize, any::<bool>())
            .prop_map(|(which, completed)| Move::AgentEnds { which, completed }),
        1 => (0..4_usize).prop_map(|which| Move::SteerAgent { which }),
        1 => (0..4_usize).prop_map(|which| Move::InterruptAgent { which }),
        1 => Just(Move::Checkpoint),
        1 => Just(Move::LateReport),
        1 => Just(Move::TurnFails),
        1 => Just(Move::Crash),
    ]
}

/// A turn with sub-agents that say something.
fn delegating() -> impl Strategy<Value = Vec<Move>> {
    let tasks = vec(
        prop_oneof![Just(("task", "look")), Just(("task", "back"))],
        1..4,
    );
    let says = vec((0..4_usize, 0..6_usize), 0..12);
    (tasks, says).prop_map(|(tasks, says)| {
        let judgements = vec![Move::Judge { which: 0 }; tasks.len()];
        let says = says.into_iter();
        let says = says.map(|(which, what)| Move::AgentSays { which, what });
        let begun = vec![Move::Prompt, Move::ModelEnds(End::Calls(tasks))];
        [begun, judgements, says.collect()].concat()
    })
}

/// What belongs together, more often than chance would put it together:
/// conversations must grow long enough to be summed up.
pub fn acts() -> impl Strategy<Value = Vec<Move>> {
    let returns = || Move::Returns { ok: true };
    let some = prop_oneof![
        8 => act().prop_map(|act| vec![act]),
        2 => Just(vec![Move::Prompt, Move::ModelSays, Move::ModelEnds(End::Text)]),
        1 => Just(vec![Move::Compact, Move::ModelSays, Move::ModelEnds(End::Text)]),
        2 => delegating(),
        1 => (0..40_usize).prop_map(move |which| vec![Move::Rewind(which), returns()]),
        1 => proptest::option::of(0..40_usize)
            .prop_map(move |which| vec![Move::Fork(which), returns(), returns()]),
    ];
    vec(some, 1..50).prop_map(|some| some.concat())
}

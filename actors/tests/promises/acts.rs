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
    ]
}

pub fn act() -> impl Strategy<Value = Move> {
    let end = prop_oneof![
        3 => Just(End::Text),
        4 => vec(call(), 1..4).prop_map(End::Calls),
        1 => Just(End::Failure),
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
        1 => Just(Move::Checkpoint),
        1 => Just(Move::LateReport),
        1 => Just(Move::TurnFails),
        1 => Just(Move::Crash),
    ]
}

//! One turn: model call, tool calls, model call, until there is nothing more.
//!
//! `machine` decides the steps, `batch` the calls of one answer and `asking`
//! what each needs before it may run; all sit inside the session's machine.
//! `actor` supervises the model call, `call` is the call with its tries and
//! deadlines.

mod actor;
mod answer;
mod asking;
mod batch;
mod call;
mod calls;
mod delegating;
mod machine;
mod pausing;
mod rebuilt;
mod slot;
mod summing_up;
mod telling;
mod words;

pub use actor::{TurnActor, TurnMsg};
pub use machine::{Progress, Turn};

pub(crate) use rebuilt::CutTurn;

//! All live sessions: opens them, starts failed ones anew from the journal
//! within a limit.

mod actor;
mod handle;

pub use actor::{SessionsActor, SessionsMsg};
pub use handle::SessionHandle;

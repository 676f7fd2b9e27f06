//! Who may answer what.
//!
//! `machine` holds the open approvals and questions and the grants, and settles
//! each exactly once; it sits inside the session's machine, so that an answer
//! and its consequence are one step. `actor` has calls planned and judged: that
//! waits on files and may fail, and a failure counts as deny.

mod actor;
mod machine;

pub use actor::{ApprovalsActor, ApprovalsMsg};
pub use machine::Approvals;

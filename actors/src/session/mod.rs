//! One session: `machine` decides, `actor` does.
//!
//! The session is the sequencer: it alone numbers events, writes the journal
//! and fills outboxes, so order on the wire is the order of its effects. What a
//! turn decides ([`crate::turn`]) and who may answer ([`crate::approvals`]) are
//! machines inside this one, so that an abort, an approval and the end of a
//! turn are one step each, with nothing in flight between two actors.

mod actor;
mod agents;
mod asides;
mod beside;
mod budget;
mod carry_out;
mod clients;
mod commands;
mod compaction;
mod core;
mod estimate;
mod extras;
mod gate;
mod input;
mod jobs;
mod load;
mod machine;
mod messages;
mod moving;
mod pool;
mod queue;
mod rebuild;
mod reports;
mod settings;
mod snapshot;
mod storage;
mod summing;
mod titling;
mod toolset;
mod tree;
mod turn_actors;
mod work;

pub use actor::SessionActor;
pub use input::{Effect, Input, Judged, Timer, WorkId};
pub use load::{Loaded, load};
pub use machine::Session;
pub use messages::{CurrentActor, Leave, Seed, SessionMsg, Start};
pub use reports::{Permit, Reports};
pub use settings::{Facts, Fallback, Lineage, Settings};
pub use tree::{Node, Tree};

pub(crate) use core::Core;
pub(crate) use summing::Summing;
pub(crate) use toolset::stands_for;

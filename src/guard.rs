//! What may run without asking: rules of files, the policy of the modes where no
//! rule speaks, and a floor that neither goes below.
//!
//! - [`policy`] is the port; [`files`] loads rules and keeps them fresh,
//!   [`trust`] knows which files of projects are trusted.
//! - [`survey`] looks at the files for people.
//! - [`rules`] reads a file, [`matching`] holds its patterns.
//! - [`evaluate`] decides about a call, [`shell`] reads command lines for it,
//!   [`modes`] and [`floor`] say what holds without rules.
//! - [`decision`] is what comes out, [`grants`] what a yes may cover.
//!
//! No input can make a judgement panic. `docs/guard.md` is for users.

mod decision;
mod evaluate;
mod files;
mod floor;
mod grants;
mod links;
mod matching;
mod modes;
mod policy;
mod rules;
pub mod shell;
mod source;
mod survey;
mod trust;

pub use decision::{Blame, Decision, Verdict};
pub use evaluate::{Call, Scene};
pub use files::{PROJECT_FILE, RuleFiles, USER_FILE};
pub use floor::is_credential;
pub use links::{DiskLinks, Links, NoLinks};
pub use matching::{Place, Trail};
pub use modes::Base;
pub use policy::GuardPolicy;
pub use rules::{List, Origin, Outline, Outlined, RuleFile, Rules, RulesError};
pub use survey::{State, Survey, Surveyed};
pub use trust::{Digest, TrustList, digest_of};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

//! The agent's own list of what is to do.

use super::Text;

/// One item. The list is always told whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanItem {
    /// What is to do.
    pub text: Text,
    /// How far it is.
    pub status: PlanStatus,
    /// How much it matters.
    pub priority: Priority,
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PlanStatus {
    Pending,
    InProgress,
    Completed,
}

/// How much an item matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

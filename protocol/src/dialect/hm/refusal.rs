//! A refusal in this wire's words: lower case, no full stop. Clients may match
//! the first of them, which the wire's own page shows.

use crate::session::{Busy, Refusal};

pub(super) fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TurnRunning => "a turn is running; steer it or queue a follow-up".to_owned(),
        Refusal::NothingToSend => "nothing to send".to_owned(),
        Refusal::NoSuchApproval(_) => "that call is not waiting for approval".to_owned(),
        Refusal::NoSuchQuestion(_) => "that call is not waiting for an answer".to_owned(),
        Refusal::NoSuchPartOfQuestion(_, question) => {
            format!("that call asked no question {question:?}")
        }
        Refusal::UnknownProvider { name, known } => {
            format!("unknown provider {name:?}; known are {known}")
        }
        Refusal::UnknownMode { name, known } => {
            format!("unknown mode {name:?}; known are {known}")
        }
        Refusal::NoSuchEntry(_) => "no such entry".to_owned(),
        Refusal::BadImage { number, reason } => format!("image {number} cannot be used: {reason}"),
        Refusal::QueueFull {
            messages,
            megabytes,
        } => format!("the queue is full (at most {messages} messages and {megabytes} MB)"),
        Refusal::Withdrawn => "withdrawn by the abort behind it".to_owned(),
        Refusal::Storage(reason) => format!("the session cannot be saved: {reason}"),
        Refusal::Busy(Busy::Compacting) => "compaction is under way".to_owned(),
        Refusal::Busy(Busy::Moving) => "a fork or a rewind is under way".to_owned(),
        Refusal::NothingToCompact => "nothing to compact".to_owned(),
        Refusal::NotCompacted(reason) => format!("not compacted: {reason}"),
        Refusal::NotExported(reason) => format!("not exported: {reason}"),
        Refusal::NoSuchGrant(name) => format!("no such grant: {name}"),
        Refusal::NoSuchAgent(_) => "no such sub-agent".to_owned(),
        Refusal::Ended => "the session has ended".to_owned(),
        Refusal::Internal => "an internal fault; the log has more".to_owned(),
    }
}

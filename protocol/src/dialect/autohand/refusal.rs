//! A refusal in this wire's words.

use crate::session::Refusal;

pub(super) fn words(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TurnRunning => "Agent is already processing a request".to_owned(),
        Refusal::NothingToSend => "Nothing to send: \"message\" is empty".to_owned(),
        Refusal::NoSuchApproval(call) => format!("No pending permission request: {call}"),
        Refusal::NoSuchQuestion(call) => format!("No pending question: {call}"),
        Refusal::NoSuchPartOfQuestion(call, question) => {
            format!("Request {call} has no question: {question}")
        }
        Refusal::UnknownProvider { name, known } => {
            format!("Unknown provider: {name} (known: {known})")
        }
        Refusal::UnknownMode { name, known } => format!("Unknown mode: {name} (known: {known})"),
        Refusal::NoSuchEntry(entry) => format!("No such message: {entry}"),
        Refusal::BadImage { number, reason } => format!("Image {number} cannot be used: {reason}"),
        Refusal::QueueFull {
            messages,
            megabytes,
        } => format!("The queue is full (at most {messages} messages and {megabytes} MB)"),
        Refusal::Withdrawn => "Withdrawn by the abort behind it".to_owned(),
        Refusal::Storage(reason) => format!("The session cannot be saved: {reason}"),
        Refusal::Busy(busy) => format!("Try again later: {busy} is under way"),
        Refusal::NothingToCompact => "Nothing to compact".to_owned(),
        Refusal::NotCompacted(reason) => format!("Compaction failed: {reason}"),
        Refusal::NotExported(reason) => format!("Export failed: {reason}"),
        Refusal::NoSuchAgent(agent) => format!("No such sub-agent: {agent}"),
        Refusal::NoSuchGrant(name) => format!("No such grant: {name}"),
        Refusal::Ended => "The session has ended".to_owned(),
        Refusal::Internal => "Internal error; the log has more".to_owned(),
    }
}

//! What the model reads of calls that did not run, or not to their end.

use greenroom_protocol::session::{AgentId, Answer, Ask, SettledBy, Text};

pub(super) const UNJUDGED: &str = "Denied: this call could not be judged.";
pub(super) const REFUSED_BEFORE: &str =
    "Denied: the user refused such calls for the rest of the session.";
pub(super) const SKIPPED: &str = "Skipped: the user sent a message before this call began.";
pub(super) const STOPPED: &str =
    "Stopped before it ended: the turn was ended. It may have had effects.";
pub(super) const NEVER_STARTED: &str = "Not run: the turn was ended before this call began.";
pub(super) const OUTCOME_UNKNOWN: &str = "The outcome is unknown: the process that ran this call is gone. \
     It may have had effects; look before you repeat it.";

pub(super) fn nobody_answered(by: SettledBy) -> &'static str {
    match by {
        SettledBy::Deadline => "Not run: nobody answered in time.",
        _ => "Not run: nobody is there who could answer.",
    }
}

/// Of a call that goes on without the turn.
pub(super) fn begun_in_background(agent: &AgentId) -> String {
    format!("The sub-agent {agent} works in the background. Its report will come as a message.")
}

/// Of a call that somebody refused.
pub(super) fn refusal_text(note: Option<&Text>) -> String {
    match note {
        Some(note) if !note.is_empty() => format!("The user refused this call: {note}"),
        _ => "The user refused this call. Don't repeat it; ask or find another way.".to_owned(),
    }
}

/// Of a question that was answered.
pub(super) fn answer_text(ask: &Ask, answers: &[Answer]) -> String {
    let mut rest: Vec<&Answer> = answers.iter().collect();
    let mut lines = Vec::new();
    for question in &ask.questions {
        let position = rest.iter().position(|answer| match &answer.question {
            Some(name) => *name == question.id,
            None => true,
        });
        let text = position.and_then(|position| rest.remove(position).text.clone());
        let text = text.as_deref().unwrap_or("(not answered)");
        if ask.questions.len() == 1 {
            return text.to_owned();
        }
        lines.push(format!("{}\n{text}", question.text));
    }
    lines.join("\n\n")
}

//! Watches one child session as a client of it, and tells its starter what
//! matters there.

use std::sync::Arc;

use greenroom_protocol::session::{
    AbortedBy, AgentId, Failure, FailureKind, Happening, Interruption, Outcome, Refusal, Stop,
    Text, Ticket,
};

use crate::outbox::{Out, OutboxReader};
use crate::session::{Input, Leave, Reports, SessionMsg};
use crate::sessions::SessionHandle;

/// The number of the prompt.
pub(super) const PROMPT: Ticket = Ticket(0);
/// The number of everything that is passed on later.
pub(super) const ORDER: Ticket = Ticket(1);

/// Reads until the child's turn ends, or can't go on. When this is dropped
/// before, the child is stopped.
pub(super) async fn watch(
    agent: AgentId,
    handle: SessionHandle,
    mut reader: OutboxReader,
    reports: Reports,
) {
    let stop = StopOnDrop(handle);
    let mut text = Text::from("");
    let mut outs = Vec::new();
    let outcome = loop {
        outs.clear();
        reader.take(&mut outs, 1).await;
        let Some(out) = outs.pop() else {
            continue;
        };
        match out {
            Out::Happened(event) => match &event.happening {
                Happening::TurnEnded { outcome, .. } => break outcome.clone(),
                Happening::MessageEnded { message, .. } => {
                    let is_cut = !matches!(message.stop, Stop::End | Stop::Calls | Stop::MaxTokens);
                    if !message.text.trim().is_empty() && !is_cut {
                        text = message.text.clone();
                    }
                }
                happening if concerns_starter(happening) => {
                    let said = Input::AgentSaid {
                        agent: agent.clone(),
                        happening: Arc::new(happening.clone()),
                    };
                    reports.send(said).await;
                }
                _ => (),
            },
            Out::Answered {
                ticket: PROMPT,
                outcome: Err(refusal),
                ..
            } => break broken(&refusal.to_string()),
            Out::Answered {
                outcome: Err(refusal),
                ..
            } => {
                if let Some(happening) = not_taken(&refusal) {
                    let agent = agent.clone();
                    let happening = Arc::new(happening);
                    reports.send(Input::AgentSaid { agent, happening }).await;
                }
            }
            Out::Restarted { .. } => break Outcome::Interrupted(Interruption::Restart),
            Out::Closed { reason } => break broken(&reason),
            Out::Joined { .. } | Out::Answered { .. } | Out::Left | Out::Moved(_) => (),
        }
    };
    drop(stop);
    let ended = Input::AgentEnded {
        agent,
        outcome,
        text,
    };
    reports.send(ended).await;
}

/// Whether those who look at the starter must know.
fn concerns_starter(happening: &Happening) -> bool {
    matches!(
        happening,
        Happening::CallStarted(_)
            | Happening::CallRunning { .. }
            | Happening::CallEnded(_)
            | Happening::ApprovalAsked(_)
            | Happening::ApprovalSettled(_)
            | Happening::QuestionAsked(_)
            | Happening::QuestionSettled { .. }
            | Happening::Used { .. }
            | Happening::Retrying { .. }
            | Happening::Throttled { .. }
            | Happening::Noticed { .. }
            | Happening::AgentStarted { .. }
            | Happening::AgentSaid { .. }
            | Happening::AgentEnded { .. }
    )
}

/// A message that came too late or was too much. Decisions that came too late
/// need no word: what settled them before is told.
fn not_taken(refusal: &Refusal) -> Option<Happening> {
    match refusal {
        Refusal::NoSuchApproval(_) | Refusal::NoSuchQuestion(_) => None,
        refusal => {
            let text = format!("a sub-agent did not take a message: {refusal}").into();
            Some(Happening::Noticed { text })
        }
    }
}

fn broken(reason: &str) -> Outcome {
    Outcome::Failed(Failure {
        kind: FailureKind::Internal,
        message: reason.into(),
    })
}

/// The child's last client leaves, whatever happens: a turn that runs is
/// stopped, and the child's actors end.
struct StopOnDrop(SessionHandle);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        let client = self.0.client();
        let how = Leave::Abort(AbortedBy::Close);
        self.0.send(SessionMsg::Leave { client, how });
    }
}

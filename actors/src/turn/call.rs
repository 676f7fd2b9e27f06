//! One model call with its tries and deadlines.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use greenroom_protocol::session::{Failure, FailureKind};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::limits::CallPolicy;
use crate::ports::{Chunk, Model, ModelAnswer, ModelError, ModelRequest};
use crate::session::{Fallback, Input, Reports, WorkId};

/// Pieces that wait between the provider's stream and the session.
const PIECES_WAITING: usize = 128;

/// Calls the model until it gives a whole answer or the tries are used up, and
/// reports everything to the session. A call is tried again only when nothing
/// of it was delivered.
/// Where it is not to be had, the next model that is configured in its place is
/// called.
pub(super) async fn call(
    model: Arc<dyn Model>,
    mut request: ModelRequest,
    (policy, fallback): (CallPolicy, Fallback),
    work: WorkId,
    reports: Reports,
) {
    let mut attempt = 1;
    let mut tried = vec![request.model.clone()];
    let result = loop {
        let mut delivered = false;
        let result = try_once(&*model, &request, &policy, work, &reports, &mut delivered).await;
        let Err(error) = result else {
            break result;
        };
        let wait = wait_before_next(&policy, attempt, &error);
        let wait = wait.filter(|_| error.retryable && !delivered);
        let (wait, error) = match wait {
            Some(wait) => (wait, error),
            None => {
                let next = match delivered {
                    false => fallback(&tried, error.kind),
                    true => None,
                };
                let Some(next) = next else {
                    break Err(error);
                };
                let message = format!(
                    "{}; {}/{} is asked in its place",
                    error.message, next.provider, next.model
                );
                request.model = next.clone();
                tried.push(next);
                // The first of its tries follows.
                attempt = 0;
                (Duration::ZERO, ModelError { message, ..error })
            }
        };
        let retries = Input::ModelRetries {
            work,
            attempt: attempt.max(1),
            attempts: policy.attempts,
            after: wait,
            failure: Failure {
                kind: error.kind,
                message: error.message.into(),
            },
            usage: error.usage,
        };
        reports.send(retries).await;
        tokio::time::sleep(wait).await;
        attempt += 1;
    };
    // The session adds to the conversation next: while this is held it would
    // have to copy it.
    drop(request);
    reports.send(Input::ModelAnswered { work, result }).await;
}

async fn try_once(
    model: &dyn Model,
    request: &ModelRequest,
    policy: &CallPolicy,
    work: WorkId,
    reports: &Reports,
    delivered: &mut bool,
) -> Result<ModelAnswer, ModelError> {
    let (sink, mut pieces) = mpsc::channel(PIECES_WAITING);
    let mut answering = model.call(request.clone(), sink);
    let mut chunks = Vec::new();
    let mut open = true;
    let mut deadline = Instant::now() + policy.first_piece;
    let mut timer = std::pin::pin!(tokio::time::sleep_until(deadline));
    loop {
        tokio::select! {
            biased;
            count = pieces.recv_many(&mut chunks, PIECES_WAITING), if open => {
                open = count > 0;
                deadline = deadline_after(&chunks, policy);
                // Pieces come often: a later deadline is for when it goes off.
                if deadline < timer.deadline() {
                    timer.as_mut().reset(deadline);
                }
                report_pieces(work, reports, &mut chunks, delivered).await;
            }
            result = &mut answering => {
                while let Ok(chunk) = pieces.try_recv() {
                    chunks.push(chunk);
                }
                report_pieces(work, reports, &mut chunks, delivered).await;
                return result;
            }
            () = &mut timer => {
                if deadline <= Instant::now() {
                    return Err(stalled(policy, *delivered));
                }
                timer.as_mut().reset(deadline);
            }
        }
    }
}

/// When the next piece must be there. Whoever waits for the provider's limit has
/// asked nothing yet.
fn deadline_after(chunks: &[Chunk], policy: &CallPolicy) -> Instant {
    let now = Instant::now();
    now + match chunks.last() {
        Some(Chunk::Throttled { .. }) => policy.longest_throttled,
        Some(Chunk::Admitted) => policy.first_piece,
        _ => policy.stall,
    }
}

async fn report_pieces(
    work: WorkId,
    reports: &Reports,
    chunks: &mut Vec<Chunk>,
    delivered: &mut bool,
) {
    chunks.retain(|chunk| !matches!(chunk, Chunk::Alive | Chunk::Admitted));
    if chunks.is_empty() {
        return;
    }
    let is_wait = |chunk: &Chunk| matches!(chunk, Chunk::Throttled { .. });
    *delivered |= !chunks.iter().all(is_wait);
    let chunks = std::mem::take(chunks);
    reports.send(Input::ModelSaid { work, chunks }).await;
}

fn stalled(policy: &CallPolicy, delivered: bool) -> ModelError {
    let wait = if delivered {
        policy.stall
    } else {
        policy.first_piece
    };
    ModelError::passing(
        FailureKind::Stalled,
        format!("the model sent nothing for {}; try again", in_words(wait)),
    )
}

fn in_words(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

/// How long to wait before the next try; nothing when there is none.
fn wait_before_next(policy: &CallPolicy, attempt: u32, error: &ModelError) -> Option<Duration> {
    if attempt >= policy.attempts {
        return None;
    }
    if let Some(asked) = error.retry_after {
        return (asked <= policy.longest_retry_after).then_some(asked);
    }
    let doubled = policy.base.saturating_mul(1 << (attempt - 1).min(16));
    let most = doubled.min(policy.cap);
    // Between half and all of it, so that many sessions don't come back at once.
    let random = RandomState::new().hash_one(attempt) as u32;
    Some(most / 2 + (most / 2).mul_f64(f64::from(random) / f64::from(u32::MAX)))
}

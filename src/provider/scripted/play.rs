//! Plays the step that is due.

use std::future;
use std::sync::Mutex;
use std::time::Duration;

use greenroom_actors::ports::{Chunk, ChunkSink, ModelAnswer, ModelError, ModelRequest};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallRequest, Document, FailureKind, Stop, Text,
};
use tokio::time::sleep;

use super::delivery::Delivery;
use super::fails::{FailCounts, FailKey};
use super::locked;
use super::moment::{Moment, Place};
use super::script::{Ending, Fail, Input, Script, Step};
use super::template::Values;

/// The answer when a turn has no step left: each turn must end.
const NO_STEP_LEFT: &str = "Done.";
/// The answer when nothing in the script is for the prompt.
const NO_TURN: &str =
    "No turn of the script takes this prompt: add one to `turns`, or add `otherwise`.";

/// Makes one call.
pub(super) async fn answer(
    script: &Script,
    request: &ModelRequest,
    fails: &Mutex<FailCounts>,
    sink: &ChunkSink,
) -> Result<ModelAnswer, ModelError> {
    let moment = Moment::of(&request.messages);
    match script.step(&moment) {
        Ok((place, step)) => {
            let key = FailKey {
                session: request.session.clone(),
                prompt: moment.entry,
                place,
            };
            perform(step, &moment, key, fails, sink).await
        }
        Err(text) => Ok(plain(text, sink).await),
    }
}

/// An answer of this text, which no step gave.
async fn plain(text: &str, sink: &ChunkSink) -> ModelAnswer {
    let mut delivery = Delivery::new(sink, Duration::ZERO, u64::MAX);
    delivery.words(text, Chunk::Text).await;
    ModelAnswer {
        message: AssistantMessage {
            text: Text::from(text),
            ..AssistantMessage::default()
        },
        usage: None,
    }
}

impl Script {
    /// The step for this moment; else the text that stands for one.
    fn step(&self, moment: &Moment) -> Result<(Place, &Step), &'static str> {
        let turn = self
            .turns
            .iter()
            .position(|turn| turn.when.takes(&moment.prompt, moment.prompts));
        let steps = match turn.and_then(|index| self.turns.get(index)) {
            Some(turn) => &turn.steps,
            None => self.otherwise.as_ref().ok_or(NO_TURN)?,
        };
        if let Some(step) = steps.get(moment.step) {
            return Ok(((turn, moment.step), step));
        }
        match steps.last() {
            Some(last) if last.repeat => Ok(((turn, moment.step), last)),
            _ => Err(NO_STEP_LEFT),
        }
    }
}

async fn perform(
    step: &Step,
    moment: &Moment,
    key: FailKey,
    fails: &Mutex<FailCounts>,
    sink: &ChunkSink,
) -> Result<ModelAnswer, ModelError> {
    let (stop, fail) = match &step.ending {
        Ending::Whole(stop) => (*stop, None),
        Ending::Hang => (Stop::End, None),
        Ending::Fail(fail) => (
            fail.then,
            Some(fail).filter(|fail| is_due(fail, key, fails)),
        ),
    };
    if !step.delay.is_zero() {
        sleep(step.delay).await;
    }
    let most = fail.map_or(u64::MAX, |fail| fail.after_pieces);
    let mut delivery = Delivery::new(sink, step.pace, most);
    let message = deliver(step, stop, moment, &mut delivery).await;
    if let Some(fail) = fail {
        return Err(ModelError {
            kind: fail.kind,
            message: fail.message.clone(),
            retry_after: fail.retry_after,
            retryable: may_pass(fail.kind),
            usage: step.usage,
        });
    }
    if step.ending == Ending::Hang {
        // The caller's deadline or abort drops this.
        future::pending::<()>().await;
    }
    Ok(ModelAnswer {
        message,
        usage: step.usage,
    })
}

fn is_due(fail: &Fail, key: FailKey, fails: &Mutex<FailCounts>) -> bool {
    match fail.times {
        None => true,
        Some(times) => locked(fails).count(key, times),
    }
}

fn may_pass(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::RateLimited
            | FailureKind::Overloaded
            | FailureKind::Broken
            | FailureKind::Stalled
    )
}

/// Streams a step and gives what it adds up to.
async fn deliver(
    step: &Step,
    stop: Stop,
    moment: &Moment,
    delivery: &mut Delivery<'_>,
) -> AssistantMessage {
    let values = Values {
        prompt: &moment.prompt,
        last_result: &moment.last_result,
    };
    let thinking = values.fill(&step.think);
    let mut text = values.fill(&step.say);
    delivery.words(&thinking, Chunk::Thinking).await;
    delivery.words(&text, Chunk::Text).await;
    delivery.burst(&step.burst.piece, step.burst.pieces).await;
    text.push_str(&step.burst.piece.repeat(step.burst.pieces as usize));

    let mut calls = Vec::with_capacity(step.calls.len());
    for (index, call) in step.calls.iter().enumerate() {
        let tool = Text::from(call.tool.as_str());
        delivery.send(Chunk::CallDrafted(tool.clone())).await;
        let provider_id = match &call.call_id {
            Some(id) => Text::from(id.as_str()),
            None => format!("call_{:02}", moment.calls + index + 1).into(),
        };
        let input = match &call.input {
            Input::Json(value) => values.fill_json(value).to_string(),
            Input::Verbatim(text) => text.clone(),
        };
        calls.push(CallRequest {
            id: CallId::new(provider_id.clone()),
            provider_id,
            tool,
            input: Document(input.into()),
        });
    }
    AssistantMessage {
        text: text.into(),
        thinking: thinking.into(),
        calls,
        raw: None,
        stop,
    }
}

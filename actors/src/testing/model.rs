//! A model that says what it was told to say.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use greenroom_protocol::session::{
    AssistantMessage, CallRequest, Document, FailureKind, ModelChoice, Stop, Usage,
};

use crate::ports::{
    Chunk, ChunkSink, Model, ModelAnswer, ModelError, ModelFacts, ModelRequest, Work,
};

/// One answer to one call.
#[derive(Debug, Clone)]
pub enum Line {
    /// Says this, piece by piece, and ends so.
    Says(Vec<Chunk>, ModelAnswer),
    /// Fails so, before anything came.
    Fails(ModelError),
    /// Says this, then fails so.
    Breaks(Vec<Chunk>, ModelError),
    /// Says this, then nothing any more.
    Hangs(Vec<Chunk>),
    /// Fails inside.
    Panics,
}

/// Plays lines in order; when none is left it fails for good.
#[derive(Debug)]
pub struct ScriptedModel {
    lines: Mutex<VecDeque<Line>>,
}

impl ScriptedModel {
    /// A model with these lines.
    pub fn new(lines: impl IntoIterator<Item = Line>) -> ScriptedModel {
        ScriptedModel {
            lines: Mutex::new(lines.into_iter().collect()),
        }
    }
}

impl Model for ScriptedModel {
    fn call(&self, _: ModelRequest, sink: ChunkSink) -> Work<Result<ModelAnswer, ModelError>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = lines.pop_front();
        Box::pin(async move {
            let say = async |chunks: Vec<Chunk>| {
                for chunk in chunks {
                    let _ = sink.send(chunk).await;
                }
            };
            match line {
                Some(Line::Says(chunks, answer)) => {
                    say(chunks).await;
                    Ok(answer)
                }
                Some(Line::Fails(error)) => Err(error),
                Some(Line::Breaks(chunks, error)) => {
                    say(chunks).await;
                    Err(error)
                }
                Some(Line::Hangs(chunks)) => {
                    say(chunks).await;
                    std::future::pending().await
                }
                #[expect(clippy::panic, reason = "this is what it is for")]
                Some(Line::Panics) => panic!("scripted panic"),
                None => Err(ModelError::lasting(
                    FailureKind::Invalid,
                    "the script has ended",
                )),
            }
        })
    }

    fn facts(&self, _: &ModelChoice) -> Option<ModelFacts> {
        Some(ModelFacts::default())
    }
}

/// An answer of this text.
pub fn answer(text: &str) -> ModelAnswer {
    ModelAnswer {
        message: AssistantMessage {
            text: text.into(),
            ..AssistantMessage::default()
        },
        usage: Some(Usage {
            input: 10,
            output: 2,
            ..Usage::default()
        }),
    }
}

/// An answer of these calls: tool and input.
pub fn calls(calls: &[(&str, &str)]) -> ModelAnswer {
    let mut answer = answer("");
    answer.message.stop = Stop::Calls;
    answer.message.calls = calls
        .iter()
        .enumerate()
        .map(|(number, (tool, input))| CallRequest {
            id: greenroom_protocol::session::CallId::new("unset"),
            provider_id: format!("p{number}").into(),
            tool: (*tool).into(),
            input: Document((*input).into()),
        })
        .collect();
    answer
}

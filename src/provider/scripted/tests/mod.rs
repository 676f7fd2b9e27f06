//! A conversation that is played against a script, without a session.

mod examples;
mod format;
mod playing;
mod trouble;

use std::io::Write;
use std::sync::Arc;

use greenroom_actors::ports::{Chunk, ModelAnswer, ModelError, ModelRequest};
use greenroom_protocol::session::{
    CallEnd, CallResult, Content, EntryId, Message, Millis, ModelChoice, SessionId, Source, Stop,
};
use tempfile::NamedTempFile;
use tokio::sync::mpsc;

use super::Scripted;
use crate::provider::{ProviderConfig, Wire};

/// A provider that plays this text. The file lives as long as the first value.
fn script(text: &str) -> (NamedTempFile, Scripted) {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let model = provider(file.path().to_str().unwrap());
    (file, model)
}

fn provider(base_url: &str) -> Scripted {
    Scripted::from_config(&ProviderConfig {
        name: "scripted".into(),
        wire: Wire::Scripted,
        base_url: base_url.into(),
        key: None,
        model: String::new(),
        headers: Vec::new(),
    })
}

/// A conversation, as a session would keep it.
struct Conversation {
    session: SessionId,
    messages: Vec<Message>,
}

impl Conversation {
    fn new(session: &str) -> Conversation {
        Conversation {
            session: SessionId::new(session),
            messages: Vec::new(),
        }
    }

    /// One that begins with this prompt.
    fn with(prompt: &str) -> Conversation {
        let mut conversation = Conversation::new("20261201-000000-aaaaaa");
        conversation.user(prompt, Source::Prompt);
        conversation
    }

    fn user(&mut self, text: &str, source: Source) {
        self.messages.push(Message::User {
            entry: self.next_entry(),
            at: Millis(0),
            content: Content::text(text),
            source,
        });
    }

    fn next_entry(&self) -> EntryId {
        EntryId(self.messages.len() as u64 + 1)
    }

    /// Makes one call and keeps a whole answer, with a result of this text for
    /// each call of it.
    async fn step(&mut self, model: &Scripted, result: &str) -> ModelAnswer {
        let (_, answer) = self.call(model).await;
        let answer = answer.unwrap();
        self.keep(&answer, |_| result.to_owned());
        answer
    }

    /// Makes one call; keeps nothing.
    async fn call(&self, model: &Scripted) -> (Vec<Chunk>, Result<ModelAnswer, ModelError>) {
        let (sink, mut pieces) = mpsc::channel(8);
        let work = model.call(self.request(), sink);
        let collect = async {
            let mut chunks = Vec::new();
            while let Some(chunk) = pieces.recv().await {
                chunks.push(chunk);
            }
            chunks
        };
        let (answer, chunks) = tokio::join!(work, collect);
        (chunks, answer)
    }

    fn request(&self) -> ModelRequest {
        ModelRequest {
            session: self.session.clone(),
            depth: 0,
            model: ModelChoice {
                provider: "scripted".into(),
                model: "".into(),
                effort: None,
            },
            system: "".into(),
            messages: Arc::new(self.messages.clone()),
            tools: Arc::from([]),
            answer_tokens: None,
        }
    }

    /// Adds an answer and the results of its calls.
    fn keep(&mut self, answer: &ModelAnswer, mut run: impl FnMut(usize) -> String) {
        self.messages.push(Message::Assistant {
            entry: self.next_entry(),
            at: Millis(0),
            message: Arc::new(answer.message.clone()),
        });
        if answer.message.calls.is_empty() {
            return;
        }
        let results = answer.message.calls.iter().enumerate();
        let results = results
            .map(|(index, call)| {
                Arc::new(CallResult {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    end: CallEnd::Done,
                    text: run(index).into(),
                    images: Vec::new(),
                    exit_code: None,
                    truncated: false,
                    duration_ms: 0,
                })
            })
            .collect();
        self.messages.push(Message::Results {
            entry: self.next_entry(),
            at: Millis(0),
            results,
        });
    }

    /// Adds an answer that was cut.
    fn keep_cut(&mut self, text: &str, stop: Stop) {
        let mut answer = ModelAnswer::default();
        answer.message.text = text.into();
        answer.message.stop = stop;
        self.keep(&answer, |_| String::new());
    }
}

/// What the text chunks and the thinking chunks add up to.
fn sums(chunks: &[Chunk]) -> (String, String) {
    let (mut text, mut thinking) = (String::new(), String::new());
    for chunk in chunks {
        match chunk {
            Chunk::Text(piece) => text.push_str(piece),
            Chunk::Thinking(piece) => thinking.push_str(piece),
            Chunk::CallDrafted(_) | Chunk::Throttled { .. } | Chunk::Admitted | Chunk::Alive => {}
        }
    }
    (text, thinking)
}

//! All configured providers behind the one port.

use std::sync::Arc;

use greenroom_actors::ports::{
    ChunkSink, Model, ModelAnswer, ModelError, ModelFacts, ModelRequest, Prices, Work,
};
use greenroom_protocol::session::{FailureKind, ModelChoice, Text};

use super::anthropic::Anthropic;
use super::gemini::Gemini;
use super::governor::Governor;
use super::http::Http;
use super::listing::{self, ModelListing};
use super::openai::OpenAi;
use super::peer::Peer;
use super::reachable::reachable;
use super::responses::Responses;
use super::scripted::Scripted;
use super::{Adapter, Checked, HttpSettings, ProviderConfig, Wire, catalogue};

/// All configured providers. They share one HTTP client, which is made at the
/// first call.
pub struct Providers {
    http: Arc<Http>,
    providers: Vec<Provider>,
    /// Whether requests wait for limits that providers have named.
    governed: bool,
}

struct Provider {
    wire: Wire,
    peer: Arc<Peer>,
    adapter: Box<dyn Adapter>,
}

impl Providers {
    /// Takes the configuration over. Of two providers with one name the first
    /// counts. Opens no connection and reads no certificate.
    pub fn new(configs: Vec<ProviderConfig>, http: HttpSettings) -> Providers {
        let http = Arc::new(Http::new(http));
        let governor = Governor::default();
        let provider = |config: ProviderConfig| {
            let key = config.key.as_ref().map(|key| key.reveal());
            let gate = governor.gate(&config.base_url, key);
            let peer = Arc::new(Peer::behind(gate, config.clone()));
            let (own, shared) = (Arc::clone(&peer), Arc::clone(&http));
            let adapter: Box<dyn Adapter> = match config.wire {
                Wire::Anthropic => Box::new(Anthropic::new(own, shared)),
                Wire::OpenAiChat => Box::new(OpenAi::new(own, shared)),
                Wire::OpenAiResponses => Box::new(Responses::new(own, shared)),
                Wire::Gemini => Box::new(Gemini::new(own, shared)),
                Wire::Scripted => Box::new(Scripted::from_config(&config)),
            };
            Provider {
                wire: config.wire,
                peer,
                adapter,
            }
        };
        let providers = configs.into_iter().map(provider).collect();
        let governed = true;
        Providers {
            http,
            providers,
            governed,
        }
    }

    /// The same, each call by itself: none waits because another was refused. For
    /// those who want to see how providers refuse.
    pub fn ungoverned(configs: Vec<ProviderConfig>, http: HttpSettings) -> Providers {
        Providers {
            governed: false,
            ..Providers::new(configs, http)
        }
    }

    /// The names of the configured providers, in their order.
    pub fn names(&self) -> Vec<&str> {
        let names = self.providers.iter().map(|provider| provider.peer.name());
        names.collect()
    }

    /// Asks a provider for its models, to see whether address and key are
    /// right. Gives a line for a person either way; an error's says what to do
    /// next. Takes at most five seconds.
    pub async fn reachable(&self, name: &str) -> Result<String, String> {
        let Some(provider) = self.find(name) else {
            return Err(self.unknown(name).message);
        };
        match provider.wire {
            Wire::Scripted => Ok("plays a script, needs no network".into()),
            wire => reachable(&self.http, wire, &provider.peer).await,
        }
    }

    /// What the catalogue knows of a provider's models, without asking anybody;
    /// the configured one first. Nothing when the provider is not configured.
    pub fn known_models(&self, name: &str) -> Option<Vec<ModelListing>> {
        let provider = self.find(name)?;
        Some(listing::known(provider.wire, &provider.peer))
    }

    /// Asks a provider for its models. What the catalogue knows of them is added.
    /// A scripted provider lists what [`Providers::known_models`] does.
    pub fn list_models(&self, name: &str) -> Work<Result<Vec<ModelListing>, ModelError>> {
        let Some(provider) = self.find(name) else {
            let error = self.unknown(name);
            return Box::pin(async { Err(error) });
        };
        let (wire, peer) = (provider.wire, Arc::clone(&provider.peer));
        let http = Arc::clone(&self.http);
        Box::pin(async move {
            match wire {
                Wire::Scripted => Ok(listing::known(wire, &peer)),
                _ => listing::live(&http, wire, &peer).await,
            }
        })
    }

    /// Checks a model's id against its provider, without asking anybody; an empty
    /// one stands for the configured one. Nothing when the provider is not
    /// configured, or has no model.
    pub fn check_model(&self, name: &str, model: &str) -> Option<Checked> {
        let provider = self.find(name)?;
        let model = provider.resolve(&model.into());
        (!model.is_empty()).then(|| catalogue::check(provider.wire, provider.peer.host(), &model))
    }

    fn find(&self, name: &str) -> Option<&Provider> {
        let mut providers = self.providers.iter();
        providers.find(|provider| provider.peer.name() == name)
    }

    fn unknown(&self, name: &str) -> ModelError {
        let known = self.names().join(", ");
        let message = format!("no provider `{name}` is configured; there are: {known}");
        ModelError::lasting(FailureKind::Invalid, message)
    }
}

impl Model for Providers {
    fn call(
        &self,
        mut request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        let Some(provider) = self.find(&request.model.provider) else {
            let error = self.unknown(&request.model.provider);
            return Box::pin(async { Err(error) });
        };
        request.model.model = provider.resolve(&request.model.model);
        if request.model.model.is_empty() && provider.wire != Wire::Scripted {
            let message = format!(
                "provider `{}` has no model: set one for the session or in the configuration",
                provider.peer.name()
            );
            let error = ModelError::lasting(FailureKind::Invalid, message);
            return Box::pin(async { Err(error) });
        }
        if provider.wire == Wire::Scripted || !self.governed {
            return provider.adapter.call(request, sink);
        }
        let gate = provider.peer.gate().clone();
        let (session, depth) = (request.session.clone(), request.depth);
        // Not begun before the gate lets it through.
        let call = provider.adapter.call(request, sink.clone());
        Box::pin(async move {
            gate.pass(&session, depth, &sink).await?;
            // Or the sink would look as if somebody still wrote to it.
            drop(sink);
            let answer = call.await;
            match &answer {
                Err(error) if error.kind == FailureKind::RateLimited => {
                    gate.refused(error.retry_after);
                }
                Err(error) if error.kind == FailureKind::Overloaded => {
                    if let Some(after) = error.retry_after {
                        gate.refused(Some(after));
                    }
                }
                _ => (),
            }
            answer
        })
    }

    fn facts(&self, choice: &ModelChoice) -> Option<ModelFacts> {
        let provider = self.find(&choice.provider)?;
        let id = provider.resolve(&choice.model);
        if let Some(facts) = provider.adapter.facts(&id) {
            return Some(facts);
        }
        let known = catalogue::find(&id);
        Some(ModelFacts {
            context_window: known.map(|entry| entry.context),
            // A server refuses what it can't read; not sending would be worse.
            images: known.is_none_or(|entry| entry.images),
            prices: match provider.peer.is_local() {
                true => Some(Prices::default()),
                false => known.and_then(|entry| entry.prices()),
            },
            id,
        })
    }
}

impl Provider {
    /// An empty model is the configured one.
    fn resolve(&self, model: &Text) -> Text {
        match model.is_empty() {
            true => self.peer.default_model().into(),
            false => model.clone(),
        }
    }
}

impl Adapter for Scripted {
    fn call(
        &self,
        request: ModelRequest,
        sink: ChunkSink,
    ) -> Work<Result<ModelAnswer, ModelError>> {
        Scripted::call(self, request, sink)
    }

    fn facts(&self, model: &str) -> Option<ModelFacts> {
        Some(Scripted::facts(self, model))
    }
}

#[cfg(test)]
mod tests;

//! The models of a provider: those that the catalogue knows, and those that the
//! provider itself lists.

use std::time::Duration;

use greenroom_actors::ports::ModelError;
use greenroom_protocol::session::FailureKind;
use serde::Deserialize;

use super::catalogue::{self, Entry, Vendor};
use super::http::Http;
use super::peer::Peer;
use super::{Wire, gemini};

/// As much of one page is read, in bytes.
const PAGE: usize = 4 * 1024 * 1024;

/// Pages of one list. Far more than any provider has.
const PAGES: usize = 20;

/// How long the whole list may take.
const DEADLINE: Duration = Duration::from_secs(15);

/// One model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelListing {
    /// What requests call it.
    pub id: String,
    /// What people call it, when the provider says so.
    pub name: Option<String>,
    /// Tokens that fit, when known.
    pub context: Option<u64>,
    /// Tokens of the longest answer, when known.
    pub output: Option<u64>,
    /// Whether pictures may be sent, when known.
    pub images: Option<bool>,
    /// The words for effort that it takes, weakest first.
    pub efforts: Vec<String>,
    /// Micro-dollars per million tokens read and written, when known.
    pub price: Option<(u64, u64)>,
}

impl ModelListing {
    /// Adds what the catalogue knows to what the provider said.
    fn completed(mut self) -> ModelListing {
        if let Some(entry) = catalogue::find(gemini::bare_model(&self.id)) {
            let known = ModelListing::from(entry);
            self.context = self.context.or(known.context);
            self.output = self.output.or(known.output);
            self.images = self.images.or(known.images);
            self.efforts = known.efforts;
            self.price = known.price;
        }
        self
    }
}

impl From<&Entry> for ModelListing {
    fn from(entry: &Entry) -> ModelListing {
        ModelListing {
            id: entry.id().to_owned(),
            name: None,
            context: Some(entry.context),
            output: Some(entry.output),
            images: Some(entry.images),
            efforts: entry.efforts.clone(),
            price: entry.price(),
        }
    }
}

/// What the catalogue knows of a provider's models, without asking anybody: of a
/// vendor's own service all of the vendor's, else the user's own additions; and
/// the configured one in any case, first.
pub fn known(wire: Wire, peer: &Peer) -> Vec<ModelListing> {
    let vendor = Vendor::of_provider(wire, peer.host());
    let is_shown = |entry: &&Entry| Vendor::of_entry(entry) == vendor && !entry.id().ends_with('*');
    let mut models: Vec<ModelListing> = catalogue::all()
        .filter(is_shown)
        .map(ModelListing::from)
        .collect();
    let configured = peer.default_model();
    if !configured.is_empty() {
        models.retain(|model| model.id != configured);
        let id = configured.to_owned();
        let first = ModelListing {
            id,
            ..ModelListing::default()
        };
        models.insert(0, first.completed());
    }
    models
}

/// Asks a provider for its models. Takes at most 15 seconds.
pub async fn live(http: &Http, wire: Wire, peer: &Peer) -> Result<Vec<ModelListing>, ModelError> {
    let asked = tokio::time::timeout(DEADLINE, pages(http, wire, peer)).await;
    asked.unwrap_or_else(|_| {
        let message = format!(
            "provider `{}` at {} gives no list of models within {} s; check the network and base_url",
            peer.name(),
            peer.shown_url(),
            DEADLINE.as_secs()
        );
        Err(ModelError::passing(FailureKind::Stalled, message))
    })
}

async fn pages(http: &Http, wire: Wire, peer: &Peer) -> Result<Vec<ModelListing>, ModelError> {
    let first = match wire {
        Wire::Anthropic => "models?limit=1000",
        Wire::Gemini => "models?pageSize=1000",
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Scripted => "models",
    };
    let mut path = first.to_owned();
    let mut models = Vec::new();
    for _ in 0..PAGES {
        let mut body = http.get(peer, &path).await?;
        let bytes = body.read_at_most(PAGE).await;
        let page: Page = serde_json::from_slice(&bytes).map_err(|_| no_list(peer))?;
        let next = page.next(wire);
        models.extend(page.listings().ok_or_else(|| no_list(peer))?);
        match next {
            Some(next) => path = format!("{first}&{next}"),
            None => break,
        }
    }
    Ok(models.into_iter().map(ModelListing::completed).collect())
}

fn no_list(peer: &Peer) -> ModelError {
    let message = format!(
        "provider `{}` at {} answers, but with no list of models; check base_url, which often ends with /v1",
        peer.name(),
        peer.shown_url()
    );
    ModelError::lasting(FailureKind::Invalid, message)
}

/// A page in the form of any wire.
#[derive(Debug, Deserialize)]
struct Page {
    /// OpenAI, Anthropic.
    data: Option<Vec<Listed>>,
    /// Gemini.
    models: Option<Vec<GeminiListed>>,
    has_more: Option<bool>,
    last_id: Option<String>,
    #[serde(rename = "nextPageToken")]
    next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    /// Anthropic.
    display_name: Option<String>,
    /// OpenRouter.
    name: Option<String>,
    context_length: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiListed {
    name: String,
    display_name: Option<String>,
    input_token_limit: Option<u64>,
    output_token_limit: Option<u64>,
    supported_generation_methods: Option<Vec<String>>,
}

impl Page {
    /// What the next page is asked for with.
    fn next(&self, wire: Wire) -> Option<String> {
        let (name, value) = match wire {
            Wire::Anthropic if self.has_more == Some(true) => ("after_id", self.last_id.as_ref()?),
            Wire::Gemini => ("pageToken", self.next_page_token.as_ref()?),
            _ => return None,
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~=:/+".contains(c);
        (!value.is_empty() && value.chars().all(is_plain))
            .then(|| format!("{name}={}", value.replace('+', "%2B")))
    }

    /// Its models; nothing when it is no list. Those that don't answer (Gemini
    /// lists them too) are left out.
    fn listings(self) -> Option<Vec<ModelListing>> {
        if let Some(data) = self.data {
            let listing = |listed: Listed| ModelListing {
                id: listed.id,
                name: listed.display_name.or(listed.name),
                context: listed.context_length,
                ..ModelListing::default()
            };
            return Some(data.into_iter().map(listing).collect());
        }
        let answers = |listed: &GeminiListed| {
            let methods = listed.supported_generation_methods.as_ref();
            methods.is_none_or(|all| all.iter().any(|method| method == "generateContent"))
        };
        let listing = |listed: GeminiListed| ModelListing {
            id: gemini::bare_model(&listed.name).to_owned(),
            name: listed.display_name,
            context: listed.input_token_limit,
            output: listed.output_token_limit,
            ..ModelListing::default()
        };
        let models = self.models?.into_iter().filter(answers);
        Some(models.map(listing).collect())
    }
}

#[cfg(test)]
mod tests;

//! What every wire needs to write a conversation down: names of calls that the
//! provider accepts, files and texts as words, inputs that are JSON.
//!
//! All of it depends only on what came before in the conversation, so that the
//! beginning of a request stays the same from step to step.

use std::collections::HashSet;

use greenroom_actors::ports::{ModelError, ToolSpec};
use greenroom_protocol::session::{
    AssistantMessage, CallId, CallResult, EntryId, FailureKind, Mention, ProviderBlocks, Resource,
};
use serde::Serialize;
use serde_json::value::RawValue;

/// The longest name of a call or a tool that all providers take.
const LONGEST_NAME: usize = 64;

/// Which of our calls goes by which name at the provider.
#[derive(Debug, Default)]
pub struct CallNames {
    used: HashSet<String>,
    /// The calls of the last assistant message, in order.
    last: Vec<(CallId, String)>,
}

impl CallNames {
    /// Names the calls of a message that goes back verbatim: as they are.
    pub fn keep(&mut self, message: &AssistantMessage) {
        self.assign(message, |_, name| name.to_owned());
    }

    /// Names the calls of a message that is written anew. Another provider's
    /// names may hold characters that this one refuses, or repeat.
    pub fn renew(&mut self, entry: EntryId, message: &AssistantMessage) {
        self.assign(message, |used, name| {
            let plain = plain_name(name, "call");
            if !used.contains(&plain) {
                return plain;
            }
            let mut stem = plain;
            stem.truncate(LONGEST_NAME / 2);
            let numbered = (0..).map(|n| format!("{stem}_{entry}_{n}"));
            numbered
                .into_iter()
                .find(|name| !used.contains(name))
                .unwrap_or(stem)
        });
    }

    /// The names of the last message's calls, in order.
    pub fn last(&self) -> impl Iterator<Item = &str> {
        self.last.iter().map(|(_, name)| name.as_str())
    }

    /// The name under which a result of the last message's calls goes back.
    pub fn of<'a>(&'a self, result: &'a CallResult) -> &'a str {
        let found = self.last.iter().find(|(call, _)| *call == result.call);
        found.map_or(result.call.as_str(), |(_, name)| name)
    }

    fn assign(
        &mut self,
        message: &AssistantMessage,
        choose: impl Fn(&HashSet<String>, &str) -> String,
    ) {
        self.last.clear();
        for call in &message.calls {
            let name = choose(&self.used, &call.provider_id);
            self.used.insert(name.clone());
            self.last.push((call.id.clone(), name));
        }
    }
}

/// A name of letters, digits, `_` and `-`, not empty and not too long.
pub fn plain_name(name: &str, fallback: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .take(LONGEST_NAME)
        .collect();
    match plain.is_empty() {
        true => fallback.to_owned(),
        false => plain,
    }
}

/// A call's input as a JSON object: what the model wrote, or `{}` when that
/// can't be read.
pub fn object_or_empty(input: &str) -> &RawValue {
    let is_object = input.trim_start().starts_with('{');
    let parsed = match is_object {
        true => serde_json::from_str::<&RawValue>(input).ok(),
        false => None,
    };
    // The document is JSON; should it not be, null is.
    parsed
        .or_else(|| serde_json::from_str("{}").ok())
        .unwrap_or(RawValue::NULL)
}

/// A tool's schema, verbatim.
pub fn schema(spec: &ToolSpec) -> Result<&RawValue, ModelError> {
    serde_json::from_str(&spec.schema.0).map_err(|error| {
        let message = format!("the schema of tool `{}` is no JSON: {error}", spec.name);
        ModelError::lasting(FailureKind::Internal, message)
    })
}

/// A request's body.
pub fn to_json(body: &impl Serialize) -> Result<Vec<u8>, ModelError> {
    serde_json::to_vec(body).map_err(|error| {
        let message = format!("the request cannot be written: {error}");
        ModelError::lasting(FailureKind::Internal, message)
    })
}

/// The provider's own blocks, when they bear this mark (see
/// [`super::peer::Peer::mark`]), or the bare name of its wire.
pub fn raw_for<'a>(message: &'a AssistantMessage, mark: &str) -> Option<&'a str> {
    let ProviderBlocks { wire, json } = message.raw.as_ref()?;
    let bare = mark.split(':').next();
    (**wire == *mark || Some(&**wire) == bare).then_some(&*json.0)
}

/// A file that the user points at, as words.
pub fn mention_text(mention: &Mention) -> String {
    let path = &mention.path;
    match mention.lines {
        None => format!("[file: {path}]"),
        Some((first, last)) if first == last => format!("[file: {path}, line {first}]"),
        Some((first, last)) => format!("[file: {path}, lines {first}-{last}]"),
    }
}

/// A text that the user sends along, as a fenced block under its name. The
/// fence is longer than any in the text.
pub fn resource_text(resource: &Resource) -> String {
    let Resource { name, text } = resource;
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let line_feed = if text.ends_with('\n') { "" } else { "\n" };
    format!("[{name}]\n{fence}\n{text}{line_feed}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// What stands for a picture that the model cannot see.
pub const NO_PICTURE: &str = "[a picture was left out: this model takes none]";

/// What a tool gave, as words; some servers refuse empty ones.
pub fn result_text(result: &CallResult) -> &str {
    match result.text.trim().is_empty() {
        true => "(no output)",
        false => &result.text,
    }
}

#[cfg(test)]
mod tests;

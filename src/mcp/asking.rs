//! Puts what a server needs to know to whoever can tell: a person, or us.

use std::collections::BTreeMap;
use std::path::Path;

use greenroom_protocol::session::Question;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputResponses,
};
use serde_json::{Value, json};

use super::elicit::{Ask, Form};
use super::mask::Mask;

/// As many questions of one server are open at once, or of one call in one
/// round.
pub(super) const MOST_QUESTIONS: usize = 4;

/// A server that asks.
pub(super) struct Asker<'a> {
    pub server: &'a str,
    pub mask: &'a Mask,
    pub root: &'a Path,
}

impl Asker<'_> {
    /// Puts a form to a person. Without one, the question is cancelled; a form
    /// that nobody can be asked is declined.
    pub async fn put(&self, ask: Option<&Ask>, request: &ElicitRequestParams) -> ElicitResult {
        let Some(ask) = ask else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        let Some(form) = Form::of(self.server, request) else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let masked = |mut question: Question| {
            question.text = self.mask.now(&question.text).into();
            question
        };
        let questions = form.questions.iter().cloned().map(masked);
        form.result(ask(questions.collect()).await)
    }

    /// What a call needs to go on; or why it cannot have it.
    pub async fn answers(
        &self,
        requests: InputRequests,
        ask: Option<&Ask>,
    ) -> Result<InputResponses, String> {
        if requests.len() > MOST_QUESTIONS {
            return Err(format!("it asks more than {MOST_QUESTIONS} things at once"));
        }
        let mut answers = BTreeMap::new();
        for (key, request) in requests {
            let answer = match request {
                InputRequest::Elicitation(request) => {
                    let result = self.put(ask, &request.params).await;
                    serde_json::to_value(result).map_err(|fault| fault.to_string())?
                }
                InputRequest::ListRoots(_) => json!({"roots": roots(self.root)}),
                _ => {
                    return Err("it wants a model, and Greenroom lends its own to no server".into());
                }
            };
            answers.insert(key, answer);
        }
        Ok(answers)
    }
}

/// The workspace as the one root.
pub(super) fn roots(root: &Path) -> Vec<Value> {
    let url = reqwest::Url::from_file_path(root);
    url.into_iter()
        .map(|url| json!({"uri": url.to_string()}))
        .collect()
}

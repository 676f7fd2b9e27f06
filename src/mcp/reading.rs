//! Resources and prompts: read, and put into words.

use std::sync::Arc;

use greenroom_actors::ports::Ran;
use rmcp::model::{
    ClientRequest, ContentBlock, GetPromptRequest, GetPromptRequestParams, ReadResourceRequest,
    ReadResourceRequestParams, ResourceContents, Role, ServerResult,
};
use serde_json::{Map, Value};

use super::call::{Callers, ask};
use super::connection::Connection;
use super::result::{self, failed, head_and_tail};

/// Reads a resource.
pub(super) async fn resource(connection: Arc<Connection>, uri: String) -> Ran {
    let params = ReadResourceRequestParams::new(uri);
    let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
    let (mask, most) = (&connection.mask, connection.config.output_bytes);
    match ask(&connection, request, Callers::default()).await {
        Ok(ServerResult::ReadResourceResult(read)) => {
            result::contents(read.contents, mask, most).await
        }
        Ok(_) => failed("the MCP server's answer is no resource"),
        Err(fault) => failed(fault),
    }
}

/// A prompt, filled in, as one text. Pictures and sound in it are left out.
pub(super) async fn prompt(
    connection: Arc<Connection>,
    name: String,
    arguments: Vec<(String, String)>,
) -> Result<String, String> {
    let arguments: Map<String, Value> = (arguments.into_iter())
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let params = GetPromptRequestParams::new(name).with_arguments(arguments);
    let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
    let answer = ask(&connection, request, Callers::default()).await?;
    let ServerResult::GetPromptResult(prompt) = answer else {
        return Err("the MCP server's answer is no prompt".into());
    };
    let mut texts = Vec::new();
    for message in prompt.messages {
        let Some(text) = text_of(message.content) else {
            continue;
        };
        texts.push(match message.role {
            Role::User => text,
            _ => format!("[an answer of the assistant]\n{text}"),
        });
    }
    let text = connection.mask.text(texts.join("\n\n")).await;
    Ok(head_and_tail(text, connection.config.output_bytes).0)
}

fn text_of(content: ContentBlock) -> Option<String> {
    match content {
        ContentBlock::Text(text) => Some(text.text),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                Some(format!("[resource {uri}]\n{text}"))
            }
            _ => None,
        },
        ContentBlock::ResourceLink(link) => Some(format!("[resource {}]", link.uri)),
        _ => None,
    }
}

//! What a server answers becomes what a model reads: text, cut to size with a
//! word on what is missing, and pictures that are some.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use greenroom_actors::ports::Ran;
use greenroom_protocol::session::{Content, Image, ImageFormat, Part};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use super::mask::Mask;
use crate::images;

/// As many pictures of one call go to the model.
const MOST_IMAGES: usize = 8;

/// The result of a call. `most` is how many bytes of text the model reads.
pub(super) async fn ran(result: CallToolResult, mask: &Mask, most: usize) -> Ran {
    let failed = result.is_error == Some(true);
    let mut said = Said::default();
    let has_content = !result.content.is_empty();
    for block in result.content {
        said.block(block);
    }
    // The text is to say the same; without one, this is all there is.
    if let Some(value) = result.structured_content.filter(|_| !has_content) {
        said.line(pretty(&value));
    }
    said.finish(mask, most, failed).await
}

/// The contents of a resource, in the same form.
pub(super) async fn contents(contents: Vec<ResourceContents>, mask: &Mask, most: usize) -> Ran {
    let mut said = Said::default();
    for part in contents {
        said.resource(part);
    }
    said.finish(mask, most, false).await
}

/// A failure in words.
pub(super) fn failed(text: impl Into<String>) -> Ran {
    Ran {
        text: text.into(),
        failed: true,
        ..Ran::default()
    }
}

/// A text's head and tail, with a word on what is missing between; and whether
/// anything is.
pub(super) fn head_and_tail(text: String, most: usize) -> (String, bool) {
    if text.len() <= most {
        return (text, false);
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - (most - head));
    let missing = tail - head;
    let (start, end) = (text.get(..head), text.get(tail..));
    let (start, end) = (start.unwrap_or_default(), end.unwrap_or_default());
    (
        format!("{start}\n[… {missing} bytes left out here …]\n{end}"),
        true,
    )
}

/// What was said so far.
#[derive(Default)]
struct Said {
    text: String,
    images: Vec<Image>,
    /// Pictures beyond the most.
    more_images: usize,
}

impl Said {
    fn block(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.line(text.text),
            ContentBlock::Image(image) => self.image(&image.data, "a picture"),
            ContentBlock::Audio(audio) => {
                let (kind, length) = (short(&audio.mime_type), audio.data.len() / 4 * 3);
                self.line(format!(
                    "[sound, {kind}, {length} bytes: models do not hear it here]"
                ));
            }
            ContentBlock::Resource(embedded) => self.resource(embedded.resource),
            ContentBlock::ResourceLink(link) => {
                let about = link.description.or(link.title).unwrap_or(link.name);
                self.line(format!("[resource {}: {about}]", link.uri));
            }
            #[allow(unreachable_patterns)]
            _ => self.line("[content of a kind that is not known here]".into()),
        }
    }

    fn resource(&mut self, contents: ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                self.line(format!("[resource {uri}]\n{text}"));
            }
            ResourceContents::BlobResourceContents {
                uri,
                mime_type,
                blob,
                ..
            } => {
                let kind = mime_type.unwrap_or_else(|| "no media type".into());
                match BASE64_STANDARD.decode(&blob) {
                    Ok(bytes) if ImageFormat::sniff(&bytes).is_some() => {
                        self.line(format!("[resource {uri}]"));
                        self.picture(&bytes);
                    }
                    Ok(bytes) => self.line(format!(
                        "[resource {uri}: {} bytes, {}; no text]",
                        bytes.len(),
                        short(&kind)
                    )),
                    Err(_) => self.line(format!("[resource {uri}: its bytes are unreadable]")),
                }
            }
            #[allow(unreachable_patterns)]
            _ => self.line("[a resource of a kind that is not known here]".into()),
        }
    }

    fn image(&mut self, data: &str, what: &str) {
        match BASE64_STANDARD.decode(data) {
            Ok(bytes) if ImageFormat::sniff(&bytes).is_some() => self.picture(&bytes),
            _ => self.line(format!("[{what} that is none: no PNG, JPEG, GIF or WebP]")),
        }
    }

    /// Takes a picture whose first bytes say which.
    fn picture(&mut self, bytes: &[u8]) {
        let Some(format) = ImageFormat::sniff(bytes) else {
            return;
        };
        if self.images.len() >= MOST_IMAGES {
            self.more_images += 1;
            return;
        }
        self.images.push(Image {
            format,
            bytes: bytes.into(),
        });
    }

    fn line(&mut self, text: String) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&text);
    }

    async fn finish(mut self, mask: &Mask, most: usize, failed: bool) -> Ran {
        let mut images = Vec::new();
        for image in std::mem::take(&mut self.images) {
            let content = Content {
                parts: vec![Part::Image(image)],
            };
            // It decodes each to its end, and scales what is too large.
            match images::prepare(content).await {
                Ok(content) => images.extend(content.parts.into_iter().filter_map(picture_of)),
                Err(_) => self.line("[a picture that cannot be read]".into()),
            }
        }
        if self.more_images > 0 {
            let more = self.more_images;
            self.line(format!("[{more} more pictures are left out]"));
        }
        let masked = mask.text(self.text).await;
        let (mut text, truncated) = head_and_tail(masked, most);
        if text.trim().is_empty() && images.is_empty() {
            text = match failed {
                true => "[it failed and did not say why]".into(),
                false => "[no output]".into(),
            };
        }
        Ran {
            text,
            failed,
            truncated: truncated || self.more_images > 0,
            images,
            ..Ran::default()
        }
    }
}

fn picture_of(part: Part) -> Option<Image> {
    match part {
        Part::Image(image) => Some(image),
        _ => None,
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests;

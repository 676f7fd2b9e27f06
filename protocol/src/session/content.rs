//! What a person (or a tool) gives to the model: text, pictures, files.

use std::fmt;
use std::sync::Arc;

use super::Text;

/// A message's content, in order. Empty content is never sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The pieces, in the order in which the model reads them.
    pub parts: Vec<Part>,
}

/// One piece of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Plain text.
    Text(Text),
    /// A picture, by its bytes.
    Image(Image),
    /// A file of the workspace that the client points at.
    Mention(Mention),
    /// A text that the client holds itself, such as an unsaved buffer.
    Resource(Resource),
}

/// A picture. Clients' declared types are ignored: the bytes tell.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What the bytes say that it is.
    pub format: ImageFormat,
    /// The encoded file.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({:?}, {} bytes)", self.format, self.bytes.len())
    }
}

/// The picture formats that models take (seed 000).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// `89 50 4E 47 0D 0A 1A 0A`
    Png,
    /// `FF D8 FF`
    Jpeg,
    /// `GIF87a` or `GIF89a`
    Gif,
    /// `RIFF....WEBP`
    Webp,
}

impl ImageFormat {
    /// Tells the format by the first bytes, or nothing when it is none of them.
    pub fn sniff(bytes: &[u8]) -> Option<ImageFormat> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(ImageFormat::Png)
        } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            Some(ImageFormat::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(ImageFormat::Gif)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(ImageFormat::Webp)
        } else {
            None
        }
    }

    /// `image/png` and so on.
    pub fn media_type(self) -> &'static str {
        match self {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
            ImageFormat::Gif => "image/gif",
            ImageFormat::Webp => "image/webp",
        }
    }
}

/// A file that the client points at; the model gets its path (and may read it).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// As the client wrote it: relative to the workspace, or absolute.
    pub path: Text,
    /// First and last line, from 1, when only a part is meant.
    pub lines: Option<(u32, u32)>,
}

/// A text with a name that the client sends along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Where it comes from, in the client's words (a URI or a path).
    pub name: Text,
    /// The text itself.
    pub text: Text,
}

impl Content {
    /// Content of one text.
    pub fn text(text: impl Into<Text>) -> Content {
        Content {
            parts: vec![Part::Text(text.into())],
        }
    }

    /// True when there is nothing that a model could read.
    pub fn is_empty(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Text(text) if text.trim().is_empty()))
    }

    /// The text parts joined by blank lines; shared when there is just one.
    pub fn joined_text(&self) -> Text {
        let mut texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        });
        match (texts.next(), texts.next()) {
            (None, _) => Text::from(""),
            (Some(one), None) => one.clone(),
            (Some(one), Some(two)) => {
                let mut all = format!("{one}\n\n{two}");
                for text in texts {
                    all.push_str("\n\n");
                    all.push_str(text);
                }
                all.into()
            }
        }
    }

    /// How many bytes it holds, about.
    pub fn weight(&self) -> usize {
        let weights = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.len(),
            Part::Image(image) => image.bytes.len(),
            Part::Mention(mention) => mention.path.len(),
            Part::Resource(resource) => resource.name.len() + resource.text.len(),
        });
        weights.sum()
    }

    /// How many pictures it holds.
    pub fn image_count(&self) -> usize {
        let is_image = |part: &&Part| matches!(part, Part::Image(_));
        self.parts.iter().filter(is_image).count()
    }
}

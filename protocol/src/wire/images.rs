//! Pictures as clients send them: base64 in a field of a list's objects. Only
//! the first bytes are judged here; decoding comes later, elsewhere.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

use crate::session::{Image, ImageFormat};

use super::fault::Unfit;
use super::object::Object;

/// More pictures than this in one message are refused.
pub const MOST_IMAGES: usize = 100;

/// Some data is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("image {number} is not a PNG, JPEG, GIF or WebP")]
pub struct ImageFault {
    /// Which one, from 1, as a person counts.
    pub number: usize,
}

/// The pictures of a field such as `[{"data":"<base64>"}]`, in order.
pub fn read_images(object: &Object<'_>, name: &str) -> Result<Vec<Image>, Unfit> {
    let entries = object.objects(name, MOST_IMAGES, &["data"])?;
    let mut images = Vec::new();
    for (index, entry) in entries.unwrap_or_default().iter().enumerate() {
        let Some(data) = entry.string("data")? else {
            entry.need_text("data")?;
            continue;
        };
        let fault = ImageFault { number: index + 1 };
        images.push(image(&data).ok_or(fault)?);
    }
    Ok(images)
}

/// The picture that some base64 is. Either alphabet, with or without padding,
/// spaces, or the head of a data URL.
fn image(data: &str) -> Option<Image> {
    let data = without_spaces(without_head(data));
    let bytes = engine(&data).decode(data.as_bytes()).ok()?;
    let format = ImageFormat::sniff(&bytes)?;
    Some(Image {
        format,
        bytes: bytes.into(),
    })
}

/// Without `data:image/png;base64,`. The type named there tells nothing.
fn without_head(data: &str) -> &str {
    let data = data.trim_ascii_start();
    let is_url = |head: &[u8]| head.eq_ignore_ascii_case(b"data:");
    if !data.as_bytes().get(..5).is_some_and(is_url) {
        return data;
    }
    match data.split_once(";base64,") {
        Some((_, payload)) => payload,
        None => data,
    }
}

fn without_spaces(data: &str) -> Cow<'_, str> {
    let is_space = |c: char| c.is_ascii_whitespace();
    if !data.contains(is_space) {
        return Cow::Borrowed(data);
    }
    let mut kept = String::with_capacity(data.len());
    kept.extend(data.split(is_space));
    Cow::Owned(kept)
}

fn engine(data: &str) -> &'static GeneralPurpose {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const fn lenient(alphabet: &Alphabet) -> GeneralPurpose {
        GeneralPurpose::new(alphabet, LENIENT)
    }
    static STANDARD_ENGINE: GeneralPurpose = lenient(&STANDARD);
    static URL_ENGINE: GeneralPurpose = lenient(&URL_SAFE);
    if memchr::memchr2(b'-', b'_', data.as_bytes()).is_some() {
        &URL_ENGINE
    } else {
        &STANDARD_ENGINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<Image>, String> {
        let line = format!("{{\"images\":{json}}}");
        let object = Object::read(&line, &["images"]).unwrap();
        read_images(&object, "images").map_err(|unfit| unfit.0)
    }

    fn one(data: &str) -> Result<Vec<Image>, String> {
        read(&format!(r#"[{{"data":"{data}"}}]"#))
    }

    fn jpeg(bytes: &[u8]) -> Result<Vec<Image>, String> {
        let format = ImageFormat::Jpeg;
        let bytes = bytes.into();
        Ok(vec![Image { format, bytes }])
    }

    #[test]
    fn base64_is_taken_in_all_its_spellings() {
        let bytes = jpeg(&[0xff, 0xd8, 0xff, 0xfb]);
        for data in [
            "/9j/+w==",
            "/9j/+w",
            "/9j/+w=",
            "_9j_-w==",
            "_9j_-w",
            r"\/9j\/\n +w =\t=",
            "data:image/png;base64,/9j/+w==",
            r" DATA:;base64,\r\n_9j_-w",
        ] {
            assert_eq!(one(data), bytes, "{data}");
        }
    }

    #[test]
    fn the_bytes_tell_the_format() {
        let formats = |json| read(json).map(|images| images.iter().map(|i| i.format).collect());
        let json = r#"[
            {"data":"iVBORw0KGgo=","mimeType":"image/gif"},
            {"data":"R0lGODlh"}, {"data":"UklGRgAAAABXRUJQ"}
        ]"#;
        let expected = vec![ImageFormat::Png, ImageFormat::Gif, ImageFormat::Webp];
        assert_eq!(formats(json), Ok(expected));
        assert_eq!(formats("null"), Ok(vec![]));
        assert_eq!(formats("[]"), Ok(vec![]));
    }

    #[test]
    fn refusals_name_the_image() {
        let second = r#"[{"data":"/9j/"},{"data":"aGVsbG8="}]"#;
        let not_one = "image 2 is not a PNG, JPEG, GIF or WebP";
        assert_eq!(read(second), Err(not_one.to_owned()));
        for data in [
            "",
            "====",
            "/9j/+w===!",
            "/9j-_w",
            "data:image/png,/9j/",
            "\u{e4}",
        ] {
            let refusal = one(data).unwrap_err();
            assert_eq!(refusal, not_one.replace('2', "1"), "{data}");
        }
        let refusal = |json| read(json).unwrap_err();
        assert_eq!(refusal("5"), r#""images" must be a list"#);
        assert_eq!(refusal("[5]"), r#""images[0]" must be an object"#);
        assert_eq!(refusal("[{}]"), r#""images[0].data" is missing"#);
        assert_eq!(
            refusal(r#"[{"data":[]}]"#),
            r#""images[0].data" must be a string"#
        );
        let many = format!("[{}{{}}]", "{},".repeat(MOST_IMAGES));
        assert_eq!(refusal(&many), r#""images" has more than 100 entries"#);
    }
}

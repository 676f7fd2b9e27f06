//! Lines of the daemon, as far as a bench looks into them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Every line begins so.
const HEAD: &[u8] = br#"{"v":1,"type":""#;

/// A parsed line.
#[derive(Debug, Deserialize)]
pub(super) struct Frame<'a> {
    /// `response`, `turn_end` and so on.
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// The session that it belongs to.
    #[serde(borrow)]
    pub session: Cow<'a, str>,
    /// A response's.
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    /// A response's.
    #[serde(default)]
    pub ok: Option<bool>,
    /// A refused response's.
    #[serde(default)]
    pub error: Option<String>,
    /// A piece's, or a message's.
    #[serde(default)]
    pub text: Option<String>,
    /// A turn's end's.
    #[serde(default)]
    pub status: Option<String>,
}

impl<'a> Frame<'a> {
    /// Parses a line; nothing when it is none of the daemon's.
    pub fn read(line: &'a [u8]) -> Option<Frame<'a>> {
        serde_json::from_slice(line).ok()
    }

    /// A response's `id`, when it is a number.
    pub fn number(&self) -> Option<usize> {
        self.id?.get().parse().ok()
    }
}

/// A line's type, without parsing the line: floods are told apart by it.
pub(super) fn kind(line: &[u8]) -> &[u8] {
    let rest = line.strip_prefix(HEAD).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'"');
    rest.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_by_its_head() {
        let line = br#"{"v":1,"type":"response","session":"s","id":17,"ok":true}"#;
        assert_eq!(kind(line), b"response");
        assert_eq!(kind(br#"{"v":1,"type":"cut"#), b"");
        assert_eq!(kind(b"noise"), b"");
        let frame = Frame::read(line).unwrap();
        let found = (
            frame.kind.as_ref(),
            frame.session.as_ref(),
            frame.number(),
            frame.ok,
        );
        assert_eq!(found, ("response", "s", Some(17), Some(true)));
    }
}

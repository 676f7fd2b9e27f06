//! The client's own name of a command: any JSON value.

use serde_json::value::RawValue;

use super::document::compact;

/// A command's id as the client spelt it, so that big numbers, `1.0` and
/// escapes come back as they went in. Only spaces between tokens are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawId(Box<str>);

impl RawId {
    /// `null`: the id of a line that has none that could be read.
    pub fn null() -> RawId {
        RawId("null".into())
    }

    /// Takes it over from a command.
    pub fn new(json: &RawValue) -> RawId {
        let mut bytes = Vec::new();
        compact(&mut bytes, json.get());
        RawId(String::from_utf8_lossy(&bytes).into())
    }

    /// JSON, without line ends.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spelling_comes_back() {
        let unchanged = [
            "null",
            "true",
            "1.0",
            "1e400",
            "-0",
            "12345678901234567890123",
            r#""\u0041\/ \ud800""#,
            r#"{"b":[1,{"a":null}],"b":2}"#,
        ];
        for json in unchanged {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(RawId::new(raw).as_json(), json);
        }
        let raw: &RawValue = serde_json::from_str("[ 1,\r\n \"a b\u{2028}\" ]").unwrap();
        assert_eq!(RawId::new(raw).as_json(), r#"[1,"a b\u2028"]"#);
    }
}

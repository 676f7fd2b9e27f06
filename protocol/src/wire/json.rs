//! Writes JSON into bytes, with no tree in between. What is written holds no
//! line end of any kind: CR and LF stand only escaped, and so do U+2028 and
//! U+2029, at which some clients' line readers cut.

use crate::session::{Cost, Document, Millis};

use super::document;
use super::escape::string;
use super::time::write_time;

/// Appends one object; `write` adds its fields.
pub fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut Fields<'_>)) {
    out.push(b'{');
    write(&mut Fields { out, first: true });
    out.push(b'}');
}

/// The fields of an object that is being written, in the order of the calls.
/// Names are the wire's own words: they need no escapes.
#[derive(Debug)]
pub struct Fields<'b> {
    out: &'b mut Vec<u8>,
    first: bool,
}

impl Fields<'_> {
    /// A field whose value `write` appends: it must be JSON.
    pub fn value(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        let opening: &[u8] = if self.first { b"\"" } else { b",\"" };
        self.first = false;
        self.out.extend_from_slice(opening);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        write(self.out);
        self
    }

    /// A string.
    pub fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.value(name, |out| string(out, text))
    }

    /// A string, left out when there is none.
    pub fn some_text(&mut self, name: &str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    /// `true` or `false`.
    pub fn flag(&mut self, name: &str, flag: bool) -> &mut Self {
        let word: &[u8] = if flag { b"true" } else { b"false" };
        self.value(name, |out| out.extend_from_slice(word))
    }

    /// `true`, left out when false.
    pub fn mark(&mut self, name: &str, flag: bool) -> &mut Self {
        if flag { self.flag(name, true) } else { self }
    }

    /// A whole number.
    pub fn number(&mut self, name: &str, number: u64) -> &mut Self {
        self.value(name, |out| integer(out, number))
    }

    /// A whole number with a sign.
    pub fn signed(&mut self, name: &str, number: i64) -> &mut Self {
        self.value(name, |out| {
            if number < 0 {
                out.push(b'-');
            }
            integer(out, number.unsigned_abs());
        })
    }

    /// US dollars, as the shortest decimal.
    pub fn cost(&mut self, name: &str, cost: Cost) -> &mut Self {
        self.value(name, |out| decimal(out, cost.0, 1_000_000))
    }

    /// Seconds from milliseconds, as the shortest decimal.
    pub fn seconds(&mut self, name: &str, ms: u64) -> &mut Self {
        self.value(name, |out| decimal(out, ms, 1000))
    }

    /// A time, as RFC 3339.
    pub fn time(&mut self, name: &str, at: Millis) -> &mut Self {
        self.value(name, |out| {
            out.push(b'"');
            write_time(out, at);
            out.push(b'"');
        })
    }

    /// JSON that is already without line ends.
    pub fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.value(name, |out| out.extend_from_slice(json.as_bytes()))
    }

    /// A document of the model; as a string when it is no JSON.
    pub fn document(&mut self, name: &str, document: &Document) -> &mut Self {
        self.value(name, |out| document::write(out, document))
    }

    /// An object.
    pub fn object(&mut self, name: &str, write: impl FnOnce(&mut Fields<'_>)) -> &mut Self {
        self.value(name, |out| object(out, write))
    }

    /// A list of strings.
    pub fn texts<'t>(&mut self, name: &str, texts: impl IntoIterator<Item = &'t str>) -> &mut Self {
        self.value(name, |out| list(out, texts, string))
    }

    /// A list of objects; `write` adds the fields of one.
    pub fn objects<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Fields<'_>, T),
    ) -> &mut Self {
        self.value(name, |out| {
            list(out, items, |out, item| {
                object(out, |fields| write(fields, item));
            });
        })
    }
}

fn list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if 0 < index {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

/// Appends a whole number.
pub fn integer(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends `parts` of `whole` (a power of ten) as the shortest decimal: no
/// exponent, no zeros at the end, and exactly the sum that was counted.
fn decimal(out: &mut Vec<u8>, parts: u64, whole: u64) {
    integer(out, parts / whole);
    let mut rest = parts % whole;
    if rest == 0 {
        return;
    }
    out.push(b'.');
    let mut place = whole / 10;
    while rest != 0 {
        out.push(b'0' + (rest / place) as u8);
        rest %= place;
        place /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Fields<'_>)) -> String {
        let mut out = Vec::new();
        object(&mut out, write);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn costs_are_shortest_decimals() {
        let cases = [
            (0, "0"),
            (1, "0.000001"),
            (2_100, "0.0021"),
            (12_700, "0.0127"),
            (14_800, "0.0148"),
            (100_000, "0.1"),
            (1_000_000, "1"),
            (12_000_010, "12.00001"),
            (u64::MAX, "18446744073709.551615"),
        ];
        for (micros, expected) in cases {
            let got = written(|f| {
                f.cost("c", Cost(micros));
            });
            assert_eq!(got, format!("{{\"c\":{expected}}}"));
        }
    }

    #[test]
    fn fields_keep_their_order_and_nest() {
        let got = written(|f| {
            f.number("n", u64::MAX)
                .signed("s", i64::MIN)
                .flag("f", false);
            f.mark("absent", false).some_text("absent", None);
            f.mark("m", true).seconds("w", 1_250).raw("r", "[1]");
            f.object("o", |_| ());
            f.texts("t", ["a", "b"]);
            f.objects("l", [1, 2], |f, n| {
                f.number("n", n);
            });
            f.time("at", Millis(1));
        });
        let expected = concat!(
            r#"{"n":18446744073709551615,"s":-9223372036854775808,"f":false,"m":true,"#,
            r#""w":1.25,"r":[1],"o":{},"t":["a","b"],"l":[{"n":1},{"n":2}],"#,
            r#""at":"1970-01-01T00:00:00.001Z"}"#
        );
        assert_eq!(got, expected);
    }
}

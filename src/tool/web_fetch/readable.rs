//! What came, as text that a model reads.

use std::collections::HashMap;

use encoding_rs::{Encoding, UTF_8};

/// As far into a page its own word for its charset is looked for, in bytes.
const META_BYTES: usize = 1024;

/// As many elements of a page may be open at once.
const MOST_DEPTH: usize = 1_000;

/// Elements without an end tag, or whose end tag may be left out.
const CLOSED_BY_PARSER: [&str; 25] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
    "option", "p", "param", "path", "source", "tbody", "td", "th", "thead", "tr", "track", "wbr",
];

/// The width that text of pages is set to, in columns.
const WIDTH: usize = 100;

/// The bytes as text, by the kind that the server named. The error says what
/// else they are.
pub(super) fn readable(bytes: &[u8], content_type: &str) -> Result<String, String> {
    let kind = content_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    if kind == "text/html" || kind == "application/xhtml+xml" {
        return page(&decoded(bytes, content_type, true));
    }
    let is_text = kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || [
            "application/json",
            "application/xml",
            "application/javascript",
            "application/yaml",
            "application/toml",
        ]
        .contains(&kind.as_str());
    match kind.as_str() {
        _ if is_text => Ok(decoded(bytes, content_type, false)),
        "" | "application/octet-stream" if looks_like_text(bytes) => {
            Ok(decoded(bytes, content_type, false))
        }
        "" => Err("it is not text, and the server does not say what it is".to_owned()),
        other => Err(format!("it is {}, which is not text", tame(other))),
    }
}

/// A word of the server's, short and without control characters.
pub(super) fn tame(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

fn page(html: &str) -> Result<String, String> {
    if is_too_deep(html) {
        return Err(format!(
            "it is a page that nests more than {MOST_DEPTH} elements deep"
        ));
    }
    html2text::config::plain()
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), WIDTH)
        .map_err(|error| format!("it is a page that cannot be read: {error}"))
}

/// Whether more elements are open at once than a page for people has. A parser
/// needs the square of the depth in time, and its thread can't be stopped. Tags
/// that are seldom closed are not counted, for a parser closes them itself.
fn is_too_deep(html: &str) -> bool {
    let mut depth = 0_usize;
    // By name, so that an end tag of nothing open does not hide what is.
    let mut open: HashMap<String, usize> = HashMap::new();
    for behind in html.split('<').skip(1) {
        let (closes, name) = match behind.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, behind),
        };
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let name = name.split(is_end).next().unwrap_or_default();
        if name.is_empty()
            || CLOSED_BY_PARSER
                .iter()
                .any(|own| name.eq_ignore_ascii_case(own))
        {
            continue;
        }
        let of_name = open.entry(name.to_ascii_lowercase()).or_default();
        match closes {
            false => {
                *of_name += 1;
                depth += 1;
            }
            true if *of_name > 0 => {
                *of_name -= 1;
                depth = depth.saturating_sub(1);
            }
            true => (),
        }
        if depth > MOST_DEPTH {
            return true;
        }
    }
    false
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..META_BYTES).unwrap_or(bytes);
    !head.contains(&0)
}

/// A byte order mark wins, then the header, then the page's own word; else it
/// is UTF-8.
fn decoded(bytes: &[u8], content_type: &str, is_page: bool) -> String {
    let by_header = charset(content_type.as_bytes());
    let by_page = || {
        let head = bytes.get(..META_BYTES).unwrap_or(bytes);
        is_page.then(|| charset(head)).flatten()
    };
    let encoding = by_header.or_else(by_page).unwrap_or(UTF_8);
    encoding.decode(bytes).0.into_owned()
}

/// The encoding that stands behind the first `charset=`.
fn charset(text: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    let (_, behind) = text.split_once("charset=")?;
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/');
    let label = behind
        .trim_start_matches(['"', '\''])
        .split(is_end)
        .next()?;
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_text_and_other_things_words() {
        let html = b"<html><head><title>t</title><style>p{}</style></head><body><h1>Top</h1>\
            <p>One <b>two</b>.</p><script>evil()</script></body></html>";
        let text = readable(html, "text/html").unwrap();
        assert_eq!(text.trim(), "# Top\n\nOne **two**.");
        assert_eq!(
            readable(b"{\"a\":1}", "application/json").unwrap(),
            "{\"a\":1}"
        );
        let picture = readable(b"\x89PNG\0", "image/png").unwrap_err();
        assert_eq!(picture, "it is image/png, which is not text");
        assert!(readable(b"a\0b", "").is_err());
    }

    #[test]
    fn the_charset_is_the_headers_or_the_pages() {
        let latin = b"caf\xe9";
        assert_eq!(
            readable(latin, "text/plain; charset=ISO-8859-1").unwrap(),
            "caf\u{e9}"
        );
        let page = b"<meta charset=\"windows-1252\"><p>caf\xe9</p>";
        assert_eq!(readable(page, "text/html").unwrap().trim(), "caf\u{e9}");
    }

    #[test]
    fn a_page_nested_without_end_is_refused() {
        let deep = "<div>".repeat(50_000);
        let why = readable(deep.as_bytes(), "text/html").unwrap_err();
        assert_eq!(why, "it is a page that nests more than 1000 elements deep");
        let hidden = "<div></x>".repeat(50_000);
        assert!(readable(hidden.as_bytes(), "text/html").is_err());
        let wide = "<div>x</div><br><p>y".repeat(2_000);
        assert!(readable(wide.as_bytes(), "text/html").is_ok());
    }
}

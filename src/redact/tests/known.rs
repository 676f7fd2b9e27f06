//! Values that the process knows.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::*;
use crate::redact::{Known, from_environment};
use crate::secret::Secret;

fn knowing(value: &str) -> Redactor {
    Redactor::new([Known::nameless(Secret::new(value.to_owned()))])
}

#[test]
fn a_known_value_is_found_in_every_spelling() {
    let vectors = vectors();
    let value = joined(&vectors["known"]["value"]);
    let kind = vectors["known"]["kind"].as_str().unwrap();
    let redactor = knowing(&value);
    let percent = |upper: bool| -> String {
        let mark = |byte: u8| match (byte.is_ascii_alphanumeric(), upper) {
            (true, _) => char::from(byte).to_string(),
            (false, true) => format!("%{byte:02X}"),
            (false, false) => format!("%{byte:02x}"),
        };
        value.bytes().map(mark).collect()
    };
    let spellings = [
        value.clone(),
        percent(true),
        percent(false),
        value.replace('/', "\\/"),
        value.replace('/', "\\u002f"),
        STANDARD.encode(&value),
        STANDARD_NO_PAD.encode(&value),
        URL_SAFE_NO_PAD.encode(&value),
        STANDARD.encode(format!("user:{value}")),
        STANDARD.encode(format!("me:{value}@x")),
        URL_SAFE_NO_PAD.encode(format!("{value}:x")),
        value.replacen("Value", "Val\u{1b}[0mue", 1),
    ];
    for spelling in spellings {
        for (before, after) in SURROUNDINGS {
            let text = format!("{before}{spelling}{after}");
            let (out, lines) = redacted(&redactor, &text);
            assert_eq!(lines, [format!("1 {kind}")], "{text}");
            assert!(out.starts_with(before) && out.ends_with(after), "{out}");
        }
    }
}

#[test]
fn nothing_is_left_of_what_holds_known_values() {
    let redactor = knowing("KnownVal1");
    let token = ["sk-", "proj-abcdefKnownVal1REMAINSabcKnownVal1TAILTAIL"].concat();
    let (out, lines) = redacted(&redactor, &format!("a {token} b"));
    assert_eq!(out, "a [redacted: known secret][redacted: known secret] b");
    assert_eq!(lines, ["2 known secret"]);
}

#[test]
fn the_first_of_two_equal_values_gives_the_kind() {
    let value = || Secret::new("Equal-Value-1".to_owned());
    let redactor = Redactor::new([
        Known::new("my provider key", value()),
        Known::nameless(value()),
    ]);
    assert_eq!(
        redacted(&redactor, "Equal-Value-1").0,
        "[redacted: my provider key]"
    );
}

#[test]
fn a_kind_cannot_end_its_mark() {
    let value = Secret::new("Equal-Value-1".to_owned());
    let redactor = Redactor::new([Known::new("My]\nkey=é", value)]);
    assert_eq!(
        redacted(&redactor, "Equal-Value-1").0,
        "[redacted: my--key--]"
    );
}

#[test]
fn short_values_are_not_looked_for() {
    let (out, lines) = redacted(&knowing(" seven77 "), "seven77 c2V2ZW43Nw");
    assert_eq!((out.as_str(), lines), ("seven77 c2V2ZW43Nw", vec![]));
    assert_eq!(
        redacted(&knowing("eight888\n"), "eight888").1,
        ["1 known secret"]
    );
}

#[test]
fn no_value_is_printed() {
    let known = Known::nameless(Secret::new("Never-Printed-1".to_owned()));
    let shown = format!("{known:?} {:?}", Redactor::new([known.clone()]));
    assert_eq!(
        shown,
        r#"Known { kind: "known secret", value: Secret(…) } Redactor { kinds: ["known secret"], .. }"#
    );
}

#[test]
fn names_of_variables_tell_which_hold_secrets() {
    let secrets = [
        ("OPENAI_API_KEY", "planted-value-1"),
        ("GH_TOKEN", "planted-value-2"),
        ("db_password", "planted-value-3"),
        ("MYSQL_PASSWD", "planted-value-4"),
        (
            "AWS_ACCESSKEYS",
            "/pLanted1aB3xK9/planted-value-5/pLanted1aB3xK9qq",
        ),
        ("GPG_PASSPHRASE", "plantedmanywordswithoutblanks"),
        ("SOME_CREDENTIALS", "Plantedword"),
    ];
    let none = [
        ("KEYBOARD_LAYOUT", "innocent-value-1"),
        ("SECRET_FILE", "/run/secrets/innocent-1"),
        ("KEY_FILE", "~/.ssh/innocent-1"),
        ("KEY_DRIVE", "C:\\keys\\innocent-1"),
        ("TOKEN_LIMIT", "1000000000"),
        ("SECRET_RATIO", "-0.12345678"),
        ("SHORT_KEY", "abc"),
        ("PASSWORD_PROMPT", "false"),
        ("PASSWORD_STORE", "gnomekeyring"),
        ("HOME", "/home/innocent-value"),
    ];
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let variables = secrets.into_iter().chain(none).map(owned);
    let redactor = Redactor::new(from_environment(variables));
    for (name, value) in secrets {
        assert_eq!(redacted(&redactor, value).1, ["1 known secret"], "{name}");
    }
    for (name, value) in none {
        assert_eq!(
            redacted(&redactor, value),
            (value.to_owned(), vec![]),
            "{name}"
        );
    }
}

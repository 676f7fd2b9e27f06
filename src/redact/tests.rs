use std::borrow::Cow;
use std::path::Path;

use proptest::prelude::*;
use serde_yaml::Value;

use super::known::Known;
use super::{Redactor, Tally, from_environment};
use crate::secret::Secret;

const VECTORS: &str = include_str!("../../tests/vectors/secrets_vectors.yaml");

fn vectors() -> Value {
    serde_yaml::from_str(VECTORS).unwrap()
}

/// A sample as the vectors spell it: parts that are joined.
fn joined(parts: &Value) -> String {
    let part = |part: &Value| match part {
        Value::String(text) => text.clone(),
        map => {
            let count = map["n"].as_u64().unwrap() as usize;
            match map.get("r") {
                Some(repeated) => repeated.as_str().unwrap().repeat(count),
                None => map["c"]
                    .as_str()
                    .unwrap()
                    .chars()
                    .cycle()
                    .take(count)
                    .collect(),
            }
        }
    };
    parts.as_sequence().unwrap().iter().map(part).collect()
}

fn redacted(redactor: &Redactor, text: &str) -> (String, Vec<String>) {
    let mut tally = Tally::default();
    let redacted = redactor.redact(text, &mut tally).into_owned();
    let mut again = Tally::default();
    let twice = redactor.redact(&redacted, &mut again).into_owned();
    assert_eq!(twice, redacted, "a second run changes nothing");
    assert_eq!(again, Tally::default());
    (redacted, tally.lines())
}

const SURROUNDINGS: [(&str, &str); 5] = [
    ("", ""),
    ("see ", " there"),
    ("\n", "\n"),
    ("(\"", "\")"),
    ("a: <", ">."),
];

#[test]
fn every_shape_is_found_and_nothing_else() {
    let redactor = Redactor::default();
    let vectors = vectors();
    let mut samples = 0;
    for shape in vectors["shapes"].as_sequence().unwrap() {
        let kind = shape["kind"].as_str().unwrap();
        for sample in shape["pos"].as_sequence().unwrap() {
            let (parts, left) = match sample {
                Value::Mapping(_) => (&sample["parts"], sample["left"].as_str().unwrap_or("")),
                parts => (parts, ""),
            };
            let secret = joined(parts);
            for (before, after) in SURROUNDINGS {
                // A key without its end takes the rest with it.
                let text = format!("{before}{secret}{after}");
                let (out, lines) = redacted(&redactor, &text);
                assert_eq!(lines, [format!("1 {kind}")], "{text}");
                assert!(out.contains(&format!("[redacted: {kind}]")), "{out}");
                assert!(out.contains(left) && out.starts_with(before), "{out}");
                samples += 1;
            }
        }
        for sample in shape["neg"].as_sequence().unwrap() {
            let harmless = joined(sample);
            for (before, after) in SURROUNDINGS {
                let text = format!("{before}{harmless}{after}");
                assert_eq!(redacted(&redactor, &text), (text, vec![]), "{kind}");
                samples += 1;
            }
        }
    }
    assert!(samples >= 680, "{samples}");
}

#[test]
fn whole_texts_are_counted_by_kind() {
    let redactor = Redactor::default();
    for whole in vectors()["whole_text"].as_sequence().unwrap() {
        let (_, lines) = redacted(&redactor, &joined(&whole["parts"]));
        let expected = whole["redacted"].as_sequence().unwrap();
        let expected: Vec<&str> = expected.iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(lines, expected);
    }
}

#[test]
fn a_known_value_is_found_in_every_spelling() {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    let vectors = vectors();
    let value = joined(&vectors["known"]["value"]);
    let kind = vectors["known"]["kind"].as_str().unwrap();
    let redactor = Redactor::new([Known::nameless(Secret::new(value.clone()))]);
    let percent: String = value
        .bytes()
        .map(|byte| match byte.is_ascii_alphanumeric() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    let spellings = [
        value.clone(),
        percent.clone(),
        percent
            .replace("%2B", "%2b")
            .replace("%2F", "%2f")
            .replace("%3D", "%3d"),
        value.replace('/', "\\/"),
        STANDARD.encode(&value),
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
fn names_of_variables_tell_which_hold_secrets() {
    let variables = [
        ("OPENAI_API_KEY", "planted-value-1"),
        ("GH_TOKEN", "planted-value-2"),
        ("db_password", "planted-value-3"),
        ("KEYBOARD_LAYOUT", "innocent-value-1"),
        ("SECRET_FILE", "/run/secrets/innocent"),
        ("TOKEN_LIMIT", "1000000000"),
        ("SHORT_KEY", "abc"),
        ("PASSWORD_STORE", "gnomekeyring"),
        ("HOME", "/home/innocent-value"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let redactor = Redactor::new(from_environment(variables.clone()));
    let text = variables.map(|(_, value)| value).join(" ");
    let (out, lines) = redacted(&redactor, &text);
    assert_eq!(lines, ["3 known secret"]);
    assert!(
        !out.contains("planted") && out.contains("innocent-value-1"),
        "{out}"
    );
}

#[test]
fn documents_are_decoded_first() {
    let token = format!("ghp_{}", "aB3".repeat(13));
    let hidden: String = token
        .chars()
        .map(|it| format!("\\u{:04x}", u32::from(it)))
        .collect();
    let json = format!(
        r#"{{ "a" : [1.50, "{hidden}", 1e400, null], "a": true, "{token}": {{"x": "y\u0041"}} }}"#
    );
    let redactor = Redactor::default();
    let mut tally = Tally::default();
    let out = redactor.redact_json(&json, &mut tally);
    assert_eq!(
        out,
        r#"{"a":[1.50,"[redacted: github token]",1e400,null],"a":true,"[redacted: github token]":{"x":"y\u0041"}}"#
    );
    assert_eq!(tally.lines(), ["2 github token"]);
    let broken = format!("{{\"a\": \"{token}");
    let mut tally = Tally::default();
    assert!(!redactor.redact_json(&broken, &mut tally).contains(&token));
    assert_eq!(tally.lines(), ["1 github token"]);
}

/// Of our own sources only what is there to be found is found.
#[test]
fn sources_raise_no_false_alarm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let redactor = Redactor::default();
    let mut alarms = Vec::new();
    for folder in [
        "src",
        "protocol/src",
        "actors/src",
        "docs",
        "examples",
        "config",
    ] {
        let walk = ignore::Walk::new(root.join(folder));
        for file in walk
            .map(|entry| entry.unwrap())
            .filter(|it| it.path().is_file())
        {
            let Ok(text) = std::fs::read_to_string(file.path()) else {
                continue;
            };
            let mut tally = Tally::default();
            if let Cow::Owned(_) = redactor.redact(&text, &mut tally) {
                let path = file.path().strip_prefix(root).unwrap();
                alarms.push(format!("{} {}", path.display(), tally.lines().join(", ")));
            }
        }
    }
    alarms.sort();
    expect_test::expect![[r#"
        src/config/providers/tests.rs 2 password in address
        src/config/providers/url.rs 1 password in address"#]]
    .assert_eq(&alarms.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_known_value_never_stays(
        // An open code before the value could take its first letters.
        before in "[a-z \"\\\\\\[m=:/é]{0,40}",
        after in "[a-z \"\\\\\u{1b}\\[m=:/é]{0,40}",
        value in "[A-Za-z0-9+/=:é-]{8,30}",
        cut in any::<prop::sample::Index>(),
    ) {
        let redactor = Redactor::new([Known::nameless(Secret::new(value.clone()))]);
        let mut colourful = value.clone();
        let cuts: Vec<usize> = value.char_indices().map(|(at, _)| at).collect();
        colourful.insert_str(*cut.get(&cuts), "\u{1b}[31m");
        for spelled in [&value, &colourful] {
            let text = format!("{before}{spelled}{after}");
            let mut tally = Tally::default();
            let out = redactor.redact(&text, &mut tally).into_owned();
            prop_assert!(!out.contains(spelled.as_str()), "{out}");
            let mut again = Tally::default();
            prop_assert_eq!(&redactor.redact(&out, &mut again), &out);
            let json = serde_json::Value::from(text).to_string();
            let mut tally = Tally::default();
            let out = redactor.redact_json(&json, &mut tally);
            let decoded: String = serde_json::from_str(&out).unwrap();
            prop_assert!(!decoded.contains(spelled.as_str()), "{decoded}");
        }
    }

    #[test]
    fn any_text_is_borne(text in any::<String>(), json in "[\\[\\]{}\":,a-z0-9\\\\u ]{0,60}") {
        let redactor = Redactor::default();
        let mut tally = Tally::default();
        let once = redactor.redact(&text, &mut tally).into_owned();
        prop_assert_eq!(&redactor.redact(&once, &mut tally), &once);
        redactor.redact_json(&json, &mut tally);
    }
}

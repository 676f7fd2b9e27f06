//! JSON documents.

use super::*;

fn check(json: &str, expected: &str, lines: &[&str]) {
    let redactor = Redactor::default();
    let mut tally = Tally::default();
    let out = redactor.redact_json(json, &mut tally);
    assert_eq!(out, expected);
    assert_eq!(tally.lines(), lines);
    let mut again = Tally::default();
    assert_eq!(redactor.redact_json(&out, &mut again), expected);
    assert_eq!(again, Tally::default());
}

#[test]
fn documents_are_decoded_first_and_keep_their_spelling() {
    let token = format!("ghp_{}", "aB3".repeat(13));
    let hidden: String = token
        .chars()
        .map(|it| format!("\\u{:04x}", u32::from(it)))
        .collect();
    check(
        &format!(
            "{{ \"a\" : [1.50,\n\"{hidden}\", 1e400, -0, null], \"a\": true, \"{token}\": {{\"\\u0041x\": \"y\\u0041 \\ud83d\"}} }}"
        ),
        r#"{"a":[1.50,"[redacted: github token]",1e400,-0,null],"a":true,"[redacted: github token]":{"\u0041x":"y\u0041 \ud83d"}}"#,
        &["2 github token"],
    );
}

#[test]
fn what_stands_around_a_secret_is_escaped_anew() {
    let token = format!("ghp_{}", "a".repeat(36));
    check(
        &format!(r#"["\"a\"\n{token}\u00e9\\\ud83d\ude00"]"#),
        "[\"\\\"a\\\"\\n[redacted: github token]é\\\\😀\"]",
        &["1 github token"],
    );
}

#[test]
fn a_name_tells_what_its_value_is() {
    // In pieces: this file is to hold no line that looks like a secret.
    let value = ["q7Rt-", "Zk29!", "mPx4"].concat();
    let document = |key: &str, header: &str, password: &str| {
        format!(
            r#"{{"x-api-key":"{key}","headers":{{"Authorization":"Bearer {header}"}},"db_password":"{password}","password":"changeme-now","max_tokens":4096,"tokens":["{value}"],"note":"{value}"}}"#
        )
    };
    check(
        &document("k1k2k3k4k5k6k7k8k9", "abcdefgh12345", &value),
        &document(
            "[redacted: api key header]",
            "[redacted: authorization header]",
            "[redacted: secret value]",
        ),
        &[
            "1 api key header",
            "1 authorization header",
            "1 secret value",
        ],
    );
}

#[test]
fn every_sample_is_found_as_a_value_and_as_a_name() {
    for sample in positive_samples() {
        let quoted = serde_json::Value::from(sample.text.as_str()).to_string();
        let mut tally = Tally::default();
        let json = format!("{{{quoted}: [{quoted}]}}");
        let out = Redactor::default().redact_json(&json, &mut tally);
        assert_eq!(tally.lines(), [format!("2 {}", sample.kind)], "{json}");
        assert!(
            serde_json::from_str::<serde_json::Value>(&out).is_ok(),
            "{out}"
        );
    }
}

#[test]
fn depth_is_no_hiding_place() {
    let token = format!("ghp_{}", "a".repeat(36));
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    check(
        &format!("{open}\"{token}\"{close}"),
        &format!("{open}\"[redacted: github token]\"{close}"),
        &["1 github token"],
    );
}

#[test]
fn what_is_no_json_is_text() {
    let token = format!("ghp_{}", "a".repeat(36));
    check(
        &format!("{{\"a\":  \"x\\n{token}"),
        "{\"a\":  \"x\\n[redacted: github token]",
        &["1 github token"],
    );
    check("", "", &[]);
    check("\"\\", "\"\\", &[]);
}

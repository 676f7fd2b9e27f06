//! Secrets that codes, escapes or other secrets hide.

use super::*;

/// Every character as an escape.
fn spelled(text: &str, escape: impl Fn(char) -> String) -> String {
    text.chars().map(escape).collect()
}

/// A disguise must not change what is found.
fn check_disguise(disguise: impl Fn(&str) -> String) {
    let redactor = Redactor::default();
    for sample in positive_samples() {
        let hidden = disguise(&sample.text);
        let text = format!("see {hidden} there");
        let (out, lines) = redacted(&redactor, &text);
        assert_eq!(lines, [format!("1 {}", sample.kind)], "{text}");
        assert!(out.starts_with("see ") && out.ends_with(" there"), "{out}");
        assert!(!out.contains(&hidden), "{out}");
    }
}

#[test]
fn behind_escapes_of_json() {
    check_disguise(|secret| spelled(secret, |mark| format!("\\u{:04X}", u32::from(mark))));
    check_disguise(|secret| spelled(secret, |mark| format!("\\x{:02x}", u32::from(mark))));
}

#[test]
fn behind_escapes_in_escapes() {
    check_disguise(|secret| spelled(secret, |mark| format!("\\\\u{:04x}", u32::from(mark))));
}

#[test]
fn behind_percents() {
    check_disguise(|secret| spelled(secret, |mark| format!("%{:02X}", u32::from(mark))));
}

#[test]
fn behind_codes_of_a_terminal() {
    let codes = [
        "\u{1b}[31m",
        "\u{1b}[38;5;196m",
        "\u{1b}(B\u{1b}[m",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]8;;\u{1b}\\",
        "\u{9b}1m",
        "\\u001b[0m",
    ];
    for code in codes {
        check_disguise(|secret| {
            let (head, tail) = secret.split_at(secret.len() / 2);
            format!("{code}{head}{code}{tail}{code}")
        });
    }
}

#[test]
fn a_token_behind_another_is_found_too() {
    let redactor = Redactor::default();
    let google = |fill: &str| format!("AIza{}", fill.repeat(35));
    let github = format!("ghp_{}", "a".repeat(36));
    let glued = format!("{} {}:{github}", google("Y"), google("Z"));
    let (out, _) = redacted(&redactor, &glued);
    assert_eq!(
        out,
        "[redacted: google key] [redacted: google key]:[redacted: github token]"
    );
    let known = Redactor::new([crate::redact::Known::nameless(crate::secret::Secret::new(
        "Known-1-Value".to_owned(),
    ))]);
    // As parts of one word neither would be a token; beside a mark both are.
    let glued = format!("AKIA{}Known-1-Value{github}", "Q".repeat(16));
    assert_eq!(
        redacted(&known, &glued),
        (
            "[redacted: aws access key][redacted: known secret][redacted: github token]".to_owned(),
            ["1 known secret", "1 aws access key", "1 github token"]
                .map(str::to_owned)
                .to_vec()
        )
    );
}

#[test]
fn a_placeholder_hides_nothing_behind_it() {
    let redactor = Redactor::default();
    assert_eq!(
        redacted(
            &redactor,
            &["token=your_token&sec", "ret=q7RtZk29mPx4Vv"].concat()
        )
        .0,
        "token=your_token&secret=[redacted: secret value]"
    );
}

#[test]
fn source_code_is_no_value_of_a_name() {
    let redactor = Redactor::default();
    let code = [
        "fn parse(tokens: &TokenStream) -> A",
        "paren_token: parenthesized!(content in input),",
        "let tokens = quote_spanned! {span=>",
        "colon2_token: node.colon2_token,",
        "brace_token: &self.brace2_token,",
        "const A_TOKEN: _bindgen_ty_5 = _bindgen_ty_5::A_TOKEN;",
        "TrafficSecret => \"CLIENT_TRAFFIC_SECRET_0\"",
        "private_key: x25519_generate_private_key",
    ];
    for line in code {
        assert_eq!(redacted(&redactor, line), (line.to_owned(), vec![]));
    }
    let values = [
        "parenthesized!4(content",
        "&TokenStream9x2",
        "node.colon2_tokenK7",
        "_bindgen_ty_5xQ",
        "CLIENT_9F3K2_S0",
        "q7Rt_Zk29_key/m",
    ];
    for value in values {
        let (out, lines) = redacted(&redactor, &format!("password = {value}"));
        assert!(
            out.starts_with("password = [redacted: secret value]"),
            "{out}"
        );
        assert_eq!(lines, ["1 secret value"]);
    }
}

#[test]
fn a_long_value_goes_to_its_end() {
    let redactor = Redactor::default();
    let text = format!("password={} next", "aB3x9Kq7".repeat(100));
    assert_eq!(
        redacted(&redactor, &text).0,
        "password=[redacted: secret value] next"
    );
}

#[test]
fn a_cut_token_goes() {
    let redactor = Redactor::default();
    let cut = |kind: &str, beginning: &str, fill: &str, count: usize| {
        let text = format!("x {beginning}{}", fill.repeat(count));
        let (out, lines) = redacted(&redactor, &text);
        assert_eq!(out, format!("x [redacted: {kind}]"));
        assert_eq!(lines, [format!("1 {kind}")]);
    };
    cut("google key", "AIza", "Z", 28);
    cut("npm token", "npm_", "n", 25);
    cut("digitalocean token", "dop_v1_", "0e", 20);
    cut("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ", "z", 30);
    let beginning = ["-----BEGIN PRIV", "ATE KEY-----\n"].concat();
    cut("private key", &beginning, "A b\n", 40);
}

#[test]
fn only_marks_of_known_kinds_are_marks() {
    let redactor = Redactor::new([crate::redact::Known::nameless(crate::secret::Secret::new(
        "redacted".to_owned(),
    ))]);
    let (out, lines) = redacted(&redactor, "[redacted: jwt] [redacted: else] redacted");
    assert_eq!(
        out,
        "[redacted: jwt] [[redacted: known secret]: else] [redacted: known secret]"
    );
    assert_eq!(lines, ["2 known secret"]);
}

#[test]
fn a_text_without_secrets_is_borrowed() {
    let mut tally = Tally::default();
    let text = "plain \\n \u{1b}[1mtoken\u{1b}[0m %20 keys";
    let out = Redactor::default().redact(text, &mut tally);
    assert!(matches!(out, std::borrow::Cow::Borrowed(same) if same == text));
    assert_eq!(tally.lines(), Vec::<String>::new());
}

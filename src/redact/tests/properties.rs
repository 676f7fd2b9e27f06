//! What holds for any text.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::*;
use crate::redact::Known;
use crate::secret::Secret;

/// Spells a value in one of the ways that must not hide it.
fn disguised(value: &str, way: usize, cut: &prop::sample::Index) -> String {
    let each = |escape: &dyn Fn(u8) -> String| value.bytes().map(escape).collect::<String>();
    let cuts: Vec<usize> = value.char_indices().map(|(at, _)| at).collect();
    let (head, tail) = value.split_at(*cut.get(&cuts));
    match way {
        0 => value.to_owned(),
        1 => format!("{head}\u{1b}[31m{tail}"),
        2 => serde_json::Value::from(value).to_string(),
        3 => each(&|byte| format!("%{byte:02X}")),
        4 => STANDARD.encode(value),
        5 => STANDARD.encode(format!("{tail}:{value}:{head}")),
        6 => URL_SAFE_NO_PAD.encode(format!("{head}:{value}")),
        _ => value
            .chars()
            .map(|mark| format!("\\u{:04x}", u32::from(mark)))
            .collect(),
    }
}

/// A piece of a token, a whole one, or something else.
fn piece() -> impl Strategy<Value = String> {
    let samples: Vec<String> = positive_samples().into_iter().map(|it| it.text).collect();
    prop_oneof![
        3 => prop::sample::select(samples.clone()),
        2 => (prop::sample::select(samples), any::<prop::sample::Index>()).prop_map(|(text, cut)| {
            text[..cut.index(text.len())].to_owned()
        }),
        2 => prop::sample::select(vec![
            "Known-Value+1", "Known/Value=2", "\u{1b}[31m", "\\n", "%3D", "=", ": ", "\"", "token",
            "password=", "[redacted: jwt]", "[redacted: ", "]", " ", "@x", "://", "a", "é",
        ]).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_known_value_never_stays(
        // An open code before the value could take its first letters.
        before in "[a-z \"\\[m=:/é]{0,40}",
        after in "[a-z \"\\\\\u{1b}\\[m=:/é]{0,40}",
        value in "[A-Za-z0-9+/=:é-]{8,30}",
        way in 0..8_usize,
        cut in any::<prop::sample::Index>(),
    ) {
        let redactor = Redactor::new([Known::nameless(Secret::new(value.clone()))]);
        let spelled = disguised(&value, way, &cut);
        let text = format!("{before}{spelled}{after}");
        let mut tally = Tally::default();
        let out = redactor.redact(&text, &mut tally).into_owned();
        prop_assert!(!out.contains(&value) && !out.contains(&spelled), "{out}");
        prop_assert!(out.contains("[redacted: "), "{out}");
        let mut again = Tally::default();
        prop_assert_eq!(&redactor.redact(&out, &mut again), &out);
        prop_assert_eq!(again, Tally::default());

        let json = serde_json::json!({before: [text]}).to_string();
        let mut tally = Tally::default();
        let out = redactor.redact_json(&json, &mut tally);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        prop_assert!(!out.contains(&value) && !out.contains(&spelled), "{out}");
    }

    #[test]
    fn a_second_run_changes_nothing_of_glued_tokens(
        pieces in prop::collection::vec(piece(), 0..10),
        named in any::<bool>(),
    ) {
        let known = |value: &str| Known::nameless(Secret::new(value.to_owned()));
        let redactor = Redactor::new([known("Known-Value+1"), known("Known/Value=2")]);
        let text = pieces.concat();
        let mut tally = Tally::default();
        let once = redactor.redact(&text, &mut tally).into_owned();
        prop_assert!(!once.contains("Known-Value+1") && !once.contains("Known/Value=2"), "{once}");
        let mut again = Tally::default();
        prop_assert_eq!(&redactor.redact(&once, &mut again), &once);
        prop_assert_eq!(again, Tally::default());

        let json = match named {
            true => serde_json::json!({"api_key": text}),
            false => serde_json::json!([text]),
        };
        let once = redactor.redact_json(&json.to_string(), &mut tally);
        let mut again = Tally::default();
        prop_assert_eq!(&redactor.redact_json(&once, &mut again), &once);
        prop_assert_eq!(again, Tally::default());
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

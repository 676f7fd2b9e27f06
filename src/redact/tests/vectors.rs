//! Every sample of the shared vectors.

use super::*;
use crate::redact::shapes::SHAPES;

#[test]
fn the_table_has_the_kinds_of_the_vectors_in_their_order() {
    let vectors = vectors();
    let shapes = vectors["shapes"].as_sequence().unwrap();
    let expected: Vec<&str> = shapes
        .iter()
        .map(|shape| shape["kind"].as_str().unwrap())
        .collect();
    let mut kinds: Vec<&str> = SHAPES.iter().map(|shape| shape.kind).collect();
    kinds.dedup();
    assert_eq!(kinds, expected);
    assert_eq!(kinds.len(), 46);
}

#[test]
fn every_shape_is_found() {
    let redactor = Redactor::default();
    for sample in positive_samples() {
        for (before, after) in SURROUNDINGS {
            let text = format!("{before}{}{after}", sample.text);
            let (out, lines) = redacted(&redactor, &text);
            assert_eq!(lines, [format!("1 {}", sample.kind)], "{text}");
            let mark = format!("[redacted: {}]", sample.kind);
            assert!(out.contains(&mark), "{out}");
            assert!(
                out.contains(&sample.left) && out.starts_with(before),
                "{out}"
            );
            // No shape of the vectors takes what stands around it.
            assert!(out.ends_with(after), "{out}");
        }
    }
}

#[test]
fn what_only_resembles_a_shape_stays_byte_for_byte() {
    let redactor = Redactor::default();
    let vectors = vectors();
    for shape in vectors["shapes"].as_sequence().unwrap() {
        for sample in shape["neg"].as_sequence().unwrap() {
            let harmless = joined(sample);
            for (before, after) in SURROUNDINGS {
                let text = format!("{before}{harmless}{after}");
                assert_eq!(redacted(&redactor, &text), (text, vec![]));
            }
        }
    }
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

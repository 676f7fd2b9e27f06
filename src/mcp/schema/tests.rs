use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn made(schema: Value) -> Result<Value, String> {
    harmless(&schema).map(|document| serde_json::from_str(&document.0).unwrap())
}

#[test]
fn good_schemas_stay_as_they_are_but_for_what_no_provider_takes() {
    let good = json!({"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}]}},
        "$defs": {"x": {"type": "string"}}, "required": ["a"]});
    assert_eq!(made(good.clone()), Ok(good));
    assert_eq!(
        made(json!({})),
        Ok(json!({"type": "object", "properties": {}}))
    );
    let top = json!({"$schema": "s", "type": "object", "oneOf": [{}],
        "properties": {"a": {"properties": {"$ref": {}}}}});
    assert_eq!(
        made(top),
        Ok(json!({"type": "object",
        "properties": {"a": {"properties": {"$ref": {}}}}}))
    );
}

#[test]
fn references_may_meet_but_not_in_a_circle() {
    let twice = json!({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {}}});
    assert!(made(twice).is_ok());
    let circles = [
        json!({"properties": {"a": {"$ref": "#"}}}),
        json!({"properties": {"a": {"$ref": "#/properties/a"}}}),
        json!({"properties": {"a": {"items": {"$ref": "#/properties/a"}}}}),
        json!({"$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}}),
    ];
    for schema in circles {
        let expected = Err("its schema refers to itself in a circle".to_owned());
        assert_eq!(made(schema.clone()), expected, "{schema}");
    }
}

/// Each doubles what the next stands for: followed anew each time it would take
/// 2³⁰ steps.
#[test]
fn references_that_double_are_followed_once_each() {
    let mut definitions = serde_json::Map::new();
    for n in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(
            format!("d{n}"),
            json!({"properties": {"a": next, "b": next}}),
        );
    }
    definitions.insert("d30".into(), json!({}));
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    assert!(made(schema).is_ok());
}

proptest! {
    /// Whatever it is, it is refused or an object that providers take.
    #[test]
    fn any_document_is_harmless_or_refused(value in documents()) {
        if let Ok(schema) = made(value) {
            prop_assert_eq!(&schema["type"], "object");
            prop_assert!(schema["properties"].is_object());
            prop_assert!(schema.to_string().len() <= MOST_BYTES);
        }
    }
}

fn documents() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "type",
        "properties",
        "$ref",
        "$defs",
        "items",
        "anyOf",
        "a",
    ]);
    let texts = prop::sample::select(vec![
        "object",
        "#",
        "#/a",
        "#/$defs/a",
        "#/properties/a",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        texts.prop_map(Value::from)
    ];
    leaf.prop_recursive(6, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names.clone(), inner, 0..5).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

use serde_json::{Value, json};

use super::translated;

fn of(property: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"x": property}});
    translated(&schema).unwrap()["properties"]["x"].clone()
}

#[test]
fn what_the_service_does_not_take_is_said_otherwise_or_left_out() {
    for (schema, expected) in [
        (
            json!({"type": "string", "description": "d", "examples": ["e"], "default": "x"}),
            json!({"type": "string", "description": "d"}),
        ),
        (
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "nullable": true}),
        ),
        (
            json!({"type": ["string", "integer"], "description": "d", "minimum": 1}),
            json!({"anyOf": [{"type": "string", "minimum": 1}, {"type": "integer", "minimum": 1}], "description": "d"}),
        ),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "d"}),
            json!({"type": "integer", "description": "d", "nullable": true}),
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}),
        ),
        (
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]}),
        ),
        (
            json!({"const": "x"}),
            json!({"type": "string", "enum": ["x"]}),
        ),
        (
            json!({"type": "string", "enum": ["a", "", null]}),
            json!({"type": "string", "enum": ["a"]}),
        ),
        (
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "integer"}),
        ),
        (
            json!({"type": "string", "format": "uri"}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "date-time"}),
        ),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            json!({"items": {"type": "integer", "exclusiveMinimum": 0}}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            json!({"type": "object"}),
        ),
        (
            json!({"type": "object", "properties": {"a": true}, "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ),
        (json!(true), json!({"type": "string"})),
        (json!({}), json!({"type": "string"})),
        (json!({"$ref": "#/nowhere"}), json!({"type": "string"})),
    ] {
        assert_eq!(of(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn references_are_followed_and_those_without_end_are_ended() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "$defs": {"leaf": {"type": "integer"}, "tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}}},
        "properties": {"leaf": {"$ref": "#/$defs/leaf", "description": "d"}, "tree": {"$ref": "#/$defs/tree"}},
    });
    let translated = translated(&schema).unwrap();
    assert_eq!(
        translated["properties"]["leaf"],
        json!({"type": "integer", "description": "d"})
    );
    assert!(!translated.to_string().contains('$'));
}

#[test]
fn schemas_that_multiply_stay_small() {
    let mut definitions = serde_json::Map::new();
    for number in 0..12 {
        let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
        let fields = json!({"a": next, "b": next, "c": next, "d": next});
        definitions.insert(
            format!("d{number}"),
            json!({"type": "object", "properties": fields}),
        );
    }
    let schema = json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}});
    let translated = translated(&schema).unwrap().to_string();
    assert!(translated.len() < 500_000, "{}", translated.len());
}

#[test]
fn an_input_without_fields_has_no_schema() {
    for schema in [
        json!({}),
        json!(true),
        json!({"type": "object", "properties": {}}),
    ] {
        assert_eq!(translated(&schema), None);
    }
}

use std::cell::Cell;

use super::*;

fn fields(json: &str) -> Fields {
    Fields::read(&Document(json.into())).unwrap()
}

fn fault<T>(result: Result<T, ToolFault>) -> String {
    match result {
        Ok(_) => panic!("it was taken"),
        Err(fault) => fault.0,
    }
}

#[test]
fn an_input_is_an_object_or_nothing() {
    assert!(fields(" ").finish().is_ok());
    assert!(fields("{}").finish().is_ok());
    let not = |json: &str| fault(Fields::read(&Document(json.into())));
    assert_eq!(not("[1]"), "the input must be a JSON object, not an array");
    assert_eq!(
        not("{\"a\":"),
        "the input is not valid JSON: EOF while parsing a value at line 1 column 5"
    );
}

#[test]
fn a_wrong_kind_names_the_field_and_what_it_must_be() {
    let json = r#"{"a": 3, "b": "yes", "c": -1, "d": "[1]", "e": {}, "f": "x"}"#;
    let mut fields = fields(json);
    assert_eq!(fault(fields.text("a")), "`a` must be a string, not 3");
    assert_eq!(
        fault(fields.flag("b")),
        "`b` must be true or false, not the string \"yes\""
    );
    assert_eq!(
        fault(fields.count("c", 0..=9)),
        "`c` must be a whole number from 0 to 9, not -1"
    );
    assert_eq!(
        fault(fields.list("d", 9)),
        "`d` is a string that holds JSON: give the array itself, not quoted"
    );
    assert_eq!(
        fault(fields.list("e", 9)),
        "`e` must be an array, not an object"
    );
    assert_eq!(
        fault(fields.word("f", &[("on", true), ("off", false)])),
        "`f` must be one of `on`, `off`, not the string \"x\""
    );
}

#[test]
fn numbers_may_be_written_with_a_point() {
    let mut fields = fields(r#"{"a": 3.0, "b": 3.5, "c": null}"#);
    assert_eq!(fields.count("a", 0..=9).unwrap(), Some(3));
    assert!(fields.count("b", 0..=9).is_err());
    assert_eq!(fields.count("c", 0..=9).unwrap(), None);
}

#[test]
fn missing_and_unknown_fields_find_each_other() {
    let mut misspelt = fields(r#"{"pathh": "x"}"#);
    assert_eq!(
        fault(misspelt.text("path")),
        "`path` is missing (a string); `pathh` is unknown"
    );
    let mut unknown = fields(r#"{"ofset": 3}"#);
    unknown.count("offset", 1..=9).unwrap();
    unknown.count("limit", 1..=9).unwrap();
    assert_eq!(
        fault(unknown.finish()),
        "`ofset` is an unknown field: did you mean `offset`?"
    );
    let mut far = fields(r#"{"zzz": 3}"#);
    far.flag("offset").unwrap();
    assert_eq!(
        fault(far.finish()),
        "`zzz` is an unknown field: the fields are `offset`"
    );
}

#[test]
fn items_of_lists_are_named_by_their_place() {
    let mut outer = fields(r#"{"edits": [{"old": 1}, "x"]}"#);
    let mut elements = outer.list("edits", 9).unwrap().into_iter();
    let mut first = elements.next().unwrap().fields().unwrap();
    assert_eq!(
        fault(first.text("old")),
        "`edits[0].old` must be a string, not 1"
    );
    assert_eq!(
        fault(elements.next().unwrap().fields()),
        "`edits[1]` must be an object, not the string \"x\""
    );
    let mut many = fields(r#"{"edits": [1, 2, 3]}"#);
    assert_eq!(
        fault(many.list("edits", 2)),
        "`edits` holds 3 items: at most 2 are taken"
    );
}

/// Schemas are written by hand: each must be JSON, and its fields must be just
/// those that the tool takes.
#[test]
fn schemas_hold_the_fields_that_tools_take() {
    let bench = super::super::testing::Bench::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let checked = Cell::new(0);
    for spec in greenroom_actors::ports::Tools::specs(&bench.toolbox).iter() {
        let schema: Value = serde_json::from_str(&spec.schema.0).unwrap();
        assert_eq!(schema["additionalProperties"], false, "{}", spec.name);
        let properties = schema["properties"].as_object().unwrap();
        // A value of a wrong kind is a fault of a field that is taken.
        for name in properties.keys() {
            let mut input = Map::new();
            for required in schema["required"].as_array().unwrap_or(&Vec::new()) {
                input.insert(required.as_str().unwrap().into(), "x".into());
            }
            input.insert(name.clone(), serde_json::json!([[]]));
            let plan = bench.plan(&spec.name, Value::Object(input));
            let told = runtime.block_on(plan).unwrap_err().0;
            assert!(!told.contains("unknown field"), "{}: {told}", spec.name);
            checked.set(checked.get() + 1);
        }
        let mut input = Map::new();
        input.insert("no_such_field".into(), 1.into());
        assert!(
            runtime
                .block_on(bench.plan(&spec.name, Value::Object(input)))
                .is_err()
        );
    }
    assert!(checked.get() > 15);
}

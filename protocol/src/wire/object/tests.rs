use std::fmt;

use super::*;

const NAMES: &[&str] = &["id", "a", "b", "list"];

fn read(line: &str) -> Result<Object<'_>, NotAnObject> {
    Object::read(line, NAMES)
}

/// The words of a field's fault.
fn fault<T: fmt::Debug>(result: Result<T, FieldFault>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_last_of_two_counts_and_null_is_not_given() {
    let object = read(r#" {"a":1, "x":{"a":5}, "\u0061": "two", "b":7, "b":null} "#).unwrap();
    assert_eq!(object.string("a"), Ok(Some("two".into())));
    assert_eq!(object.number("b"), Ok(None));
    assert!(object.has("a"));
    assert!(!object.has("b"));
    assert!(!object.has("list"));
    assert_eq!(object.id(), None);
}

#[test]
fn a_null_id_is_an_id() {
    let id = |line| read(line).unwrap().id();
    assert_eq!(id(r#"{"id":null}"#), Some(RawId::null()));
    assert_eq!(id(r#"{"id":1,"id":null}"#), Some(RawId::null()));
    assert_eq!(id(r#"{"id": [1, 2] }"#).unwrap().as_json(), "[1,2]");
}

#[test]
fn faults_name_the_field() {
    let object = read(r#"{"a":5,"b":"\ud83d","list":{}}"#).unwrap();
    assert_eq!(fault(object.text("a")), r#""a" must be a string"#);
    assert_eq!(fault(object.flag("a")), r#""a" must be true or false"#);
    assert_eq!(
        fault(object.number("b")),
        r#""b" must be a whole number from 0"#
    );
    assert_eq!(
        fault(object.text("b")),
        r#""b" holds half of a surrogate pair"#
    );
    assert_eq!(
        fault(object.objects("list", 9, NAMES)),
        r#""list" must be a list"#
    );
    assert_eq!(fault(object.object("a", NAMES)), r#""a" must be an object"#);
    let object = read(r#"{"b":""}"#).unwrap();
    assert_eq!(fault(object.need_text("a")), r#""a" is missing"#);
    assert_eq!(fault(object.need_flag("a")), r#""a" is missing"#);
    assert_eq!(fault(object.need_name("b")), r#""b" must not be empty"#);
    assert_eq!(object.need_text("b").unwrap().as_ref(), "");
}

#[test]
fn faults_in_lists_say_which_entry() {
    let object = read(r#"{"list":[{"a":"x"},{"a":1}, [] ]}"#).unwrap();
    assert_eq!(
        fault(object.objects("list", 9, NAMES)),
        r#""list[2]" must be an object"#
    );
    assert_eq!(
        fault(object.objects("list", 2, NAMES)),
        r#""list" has more than 2 entries"#
    );
    let object = read(r#"{"list":[{"a":"x"},{"a":1}]}"#).unwrap();
    let entries = object.objects("list", 2, NAMES).unwrap().unwrap();
    assert_eq!(entries[0].need_name("a").unwrap().as_ref(), "x");
    assert_eq!(
        fault(entries[1].need_name("a")),
        r#""list[1].a" must be a string"#
    );
    assert_eq!(
        fault(entries[1].need_name("b")),
        r#""list[1].b" is missing"#
    );
    let names = |line| read(line).unwrap().list_of_names("list", 2);
    assert_eq!(
        names(r#"{"list":["x","y"]}"#),
        Ok(Some(vec!["x".into(), "y".into()]))
    );
    assert_eq!(names(r#"{}"#), Ok(None));
    assert_eq!(
        fault(names(r#"{"list":["x",""]}"#)),
        r#""list[1]" must not be empty"#
    );
    assert_eq!(
        fault(names(r#"{"list":["x",1]}"#)),
        r#""list[1]" must be a string"#
    );
}

#[test]
fn numbers_are_whole() {
    let number = |json: &str| read(&format!(r#"{{"a":{json}}}"#)).unwrap().number("a");
    assert_eq!(number("18446744073709551615"), Ok(Some(u64::MAX)));
    for other in ["-1", "1.0", "1e2", "18446744073709551616", "\"1\"", "[]"] {
        assert!(number(other).is_err(), "{other}");
    }
}

#[test]
fn what_is_no_object_is_told_apart() {
    for other in ["5", "null", "\"x\"", "[]", "true", "[{}]"] {
        assert_eq!(read(other).unwrap_err(), NotAnObject::OtherJson, "{other}");
    }
    for no_json in [
        "",
        "x",
        "{",
        "{}}",
        "{} {}",
        "{\"a\":01}",
        "{\"a\":\"\n\"}",
        "{a:1}",
        "{\"a\":1,}",
    ] {
        let error = read(no_json).unwrap_err();
        assert!(
            matches!(error, NotAnObject::NotJson(_)),
            "{no_json}: {error:?}"
        );
    }
    let nested = |depth: usize| {
        let line = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        read(&line).map(|_| ())
    };
    assert_eq!(nested(127), Ok(()));
    assert_eq!(nested(128), Err(NotAnObject::TooDeep));
    assert_eq!(nested(1_000_000), Err(NotAnObject::TooDeep));
}

#[test]
fn texts_without_escapes_are_borrowed() {
    let object = read(r#"{"a":"plain \u00e4","b":"plain"}"#).unwrap();
    assert!(matches!(object.string("a"), Ok(Some(Cow::Owned(text))) if text == "plain ä"));
    assert!(matches!(
        object.string("b"),
        Ok(Some(Cow::Borrowed("plain")))
    ));
}

#[test]
fn a_name_that_is_no_text_is_ignored() {
    let object = read(r#"{"\ud800":1,"a":"x","\ud800":{"b":2}}"#).unwrap();
    assert_eq!(object.string("a"), Ok(Some("x".into())));
}

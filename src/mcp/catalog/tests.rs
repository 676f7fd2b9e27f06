use serde_json::json;

use super::*;

#[test]
fn descriptions_lose_control_characters_and_their_end() {
    let long = "ä".repeat(LONGEST_DESCRIPTION);
    let entries = [
        json!({"name": "b", "description": "a\u{1b}[31m\nb\0"}),
        json!({"name": "a", "description": long}),
        json!({"name": "c", "description": 5}),
    ];
    let mut notices = Vec::new();
    let tools = tools(&entries, &mut notices);
    assert_eq!(&*tools[0].name, "a");
    assert!(
        tools[0].description.len() <= LONGEST_DESCRIPTION + 8
            && tools[0].description.ends_with("ä […]")
    );
    assert_eq!(
        (&*tools[1].description, &*tools[2].description),
        ("a[31m\nb", "c")
    );
    assert!(notices.is_empty());
}

#[test]
fn a_tool_that_is_listed_twice_is_there_once() {
    let entries = [
        json!({"name": "a", "description": "first"}),
        json!({"name": "a", "description": "second"}),
    ];
    let mut notices = Vec::new();
    let tools = tools(&entries, &mut notices);
    let seen: Vec<&str> = tools.iter().map(|tool| &*tool.description).collect();
    assert_eq!(seen, ["first"]);
    assert_eq!(
        notices,
        ["the tool \"a\" is listed twice; the first counts".into()]
    );
}

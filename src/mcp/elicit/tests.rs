use rmcp::model::ElicitRequestParams;
use serde_json::json;

use super::*;

fn form(schema: Value) -> Option<Form> {
    let request = json!({"mode": "form", "message": "Which?", "requestedSchema": schema});
    let request: ElicitRequestParams = serde_json::from_value(request).unwrap();
    Form::of("s", &request)
}

fn answered(form: &Form, texts: &[(Option<&str>, Option<&str>)]) -> Value {
    let answers = texts.iter().map(|(question, text)| Answer {
        question: question.map(Text::from),
        text: text.map(Text::from),
    });
    serde_json::to_value(form.result(Some(answers.collect()))).unwrap()
}

#[test]
fn several_choices_may_be_taken_by_label_or_value() {
    let form = form(
        json!({"type": "object", "properties": {"c": {"type": "array",
        "items": {"anyOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green, dark"}]}}}}),
    );
    let form = form.unwrap();
    assert!(form.questions[0].multiple);
    let cases = [
        ("Red", json!(["r"])),
        ("r\nGreen, dark", json!(["r", "g"])),
        ("Green, dark", json!(["g"])),
        ("", json!([])),
    ];
    for (text, expected) in cases {
        let told = answered(&form, &[(None, Some(text))]);
        assert_eq!(
            told,
            json!({"action": "accept", "content": {"c": expected}}),
            "{text}"
        );
    }
    assert_eq!(
        answered(&form, &[(None, Some("Blue"))]),
        json!({"action": "decline"})
    );
}

#[test]
fn answers_find_their_questions() {
    let form = form(json!({"type": "object", "properties":
        {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "boolean"}}}));
    let form = form.unwrap();
    let told = answered(
        &form,
        &[
            (Some("q2"), Some("NO")),
            (None, Some(" x ")),
            (None, Some("-1.5")),
        ],
    );
    let content = json!({"a": " x ", "b": -1.5, "c": false});
    assert_eq!(told, json!({"action": "accept", "content": content}));
    let none = answered(&form, &[(Some("q9"), Some("x"))]);
    assert_eq!(none, json!({"action": "accept", "content": {}}));
}

#[test]
fn an_address_or_a_form_without_fields_asks_whether_one_agrees() {
    let request =
        json!({"mode": "url", "message": "Sign in", "url": "https://h/x", "elicitationId": "1"});
    let request: ElicitRequestParams = serde_json::from_value(request).unwrap();
    let url = Form::of("s", &request).unwrap();
    let text = "The MCP server s asks: Sign in\nOpen this address yourself: https://h/x";
    assert_eq!(&*url.questions[0].text, text);
    let empty = form(json!({"type": "object", "properties": {}})).unwrap();
    for form in [url, empty] {
        let told = |text| answered(&form, &[(None, Some(text))])["action"].clone();
        assert_eq!(
            (told("yes"), told("no"), told("hm")),
            ("accept".into(), "decline".into(), "decline".into())
        );
        assert_eq!(form.result(None).action, ElicitationAction::Cancel);
    }
}

#[test]
fn a_form_that_is_too_much_is_none() {
    let properties: Map<String, Value> = (0..17)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    assert!(form(json!({"type": "object", "properties": properties})).is_none());
    let many: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    assert!(
        form(json!({"type": "object", "properties": {"a": {"type": "string", "enum": many}}}))
            .is_none()
    );
}

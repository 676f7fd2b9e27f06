use super::*;

fn plan(tool: &str, input: &str) -> Option<Result<ResourceCall, String>> {
    let planned = ResourceCall::plan(tool, &Document(input.into()));
    planned.map(|it| it.map_err(|fault| fault.0))
}

#[test]
fn inputs_are_read_and_named_for_the_guard() {
    let of_all = plan(LIST_RESOURCES, "{}").unwrap().unwrap();
    let of_one = plan(LIST_RESOURCES, r#"{"server": "s", "contains": "x"}"#)
        .unwrap()
        .unwrap();
    let one = plan(READ_RESOURCE, r#"{"server": "s", "uri": "x://a/b"}"#)
        .unwrap()
        .unwrap();
    let targets = [of_all, of_one, one].map(|it| it.target());
    assert_eq!(targets, ["*/*", "s/*", "s/x://a/b"]);
    assert_eq!(plan("mcp__s__x", "{}"), None);
    let faults = [
        ("[]", "the input is no JSON object"),
        (
            r#"{"uri": "x"}"#,
            "`server` is missing: name it, as it is listed",
        ),
        (r#"{"server": "s", "uri": 5}"#, "`uri` must be a text"),
        (
            r#"{"server": "s", "url": "x"}"#,
            "there is no \"url\": there are server and uri",
        ),
    ];
    for (input, fault) in faults {
        assert_eq!(
            plan(READ_RESOURCE, input),
            Some(Err(fault.into())),
            "{input}"
        );
    }
}

#[test]
fn a_long_list_is_cut_and_says_so() {
    let resource = |n: usize| ServerResource {
        uri: format!("x://{n}").into(),
        name: format!("x://{n}").into(),
        description: None,
        media_type: None,
        template: false,
    };
    let all: Vec<_> = (0..205).map(|n| (Text::from("s"), resource(n))).collect();
    let ran = listed(&all, None);
    assert!(
        ran.truncated
            && ran
                .text
                .ends_with("\n[5 more: narrow it with `server` or `contains`]")
    );
    assert_eq!(listed(&all, Some("//7")).text.lines().count(), 11);
    assert_eq!(listed(&[], None).text, "[nothing to read]");
    let named = ServerResource {
        name: "A".into(),
        description: Some("first\nsecond".into()),
        template: true,
        ..resource(1)
    };
    assert_eq!(
        listed(&[("s".into(), named)], None).text,
        "s: x://1 (A) [a template] - first"
    );
}

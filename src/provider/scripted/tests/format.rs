//! What is said about scripts that are wrong, and that the page lists exactly
//! the keys that there are.

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::provider::scripted::{Scripted, fault};

fn check(text: &str, expected: Expect) {
    let said = fault::parse("s.yaml", text).unwrap_err();
    let said = said
        .strip_suffix(" (examples/scripts/README.md lists all keys)")
        .expect("the remedy");
    expected.assert_eq(said);
}

#[test]
fn an_unknown_key_is_told_with_its_line_and_the_nearest_known_one() {
    check(
        "turns:\n  - when: x\n    steps:\n      - say: a\n        dealy_ms: 3\n",
        expect![
            "script s.yaml, line 5: turns[0].steps[0]: unknown key `dealy_ms`: the nearest known one is `delay_ms`"
        ],
    );
    check(
        "otherwise:\n  - sya: a\n",
        expect![
            "script s.yaml, line 2: otherwise[0]: unknown key `sya`: the nearest known one is `say`"
        ],
    );
    check(
        "otherwise: [{say: a}]\nturn: []\n",
        expect!["script s.yaml, line 2: unknown key `turn`: the nearest known one is `turns`"],
    );
    check(
        "turns:\n  - when: {si: a}\n    steps: [{say: a}]\n",
        expect![
            "script s.yaml, line 2: turns[0].when: unknown key `si`: the nearest known one is `is`"
        ],
    );
    check(
        "otherwise:\n  - call: [{tol: shell}]\n",
        expect![
            "script s.yaml, line 2: otherwise[0].call[0]: unknown key `tol`: the nearest known one is `tool`"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    usage:\n      input: 1\n      cash_read: 2\n",
        expect![
            "script s.yaml, line 5: otherwise[0].usage: unknown key `cash_read`: the nearest known one is `cache_read`"
        ],
    );
    check(
        "otherwise:\n  - fail: {kind: overloadde}\n",
        expect![
            "script s.yaml, line 2: otherwise[0].fail.kind: unknown value `overloadde`: the nearest known one is `overloaded`"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    stop: max_token\n",
        expect![
            "script s.yaml, line 3: otherwise[0].stop: unknown value `max_token`: the nearest known one is `max_tokens`"
        ],
    );
    check(
        "otherwise:\n  - xylophone: 1\n",
        expect![
            "script s.yaml, line 2: otherwise[0]: unknown key `xylophone`: known are say, think, call, usage, delay_ms, pace_ms, pieces, piece, fail, hang, stop, repeat"
        ],
    );
}

#[test]
fn a_step_that_could_never_play_is_told() {
    check(
        "",
        expect!["script s.yaml: a script needs `turns` or `otherwise`"],
    );
    check(
        "model: {images: false}\n",
        expect!["script s.yaml: a script needs `turns` or `otherwise`"],
    );
    check(
        "otherwise: []\n",
        expect!["script s.yaml: `otherwise` needs at least one step"],
    );
    check(
        "turns:\n  - when: x\n    steps: []\n",
        expect!["script s.yaml, line 2: turns: `steps` needs at least one step"],
    );
    check(
        "turns:\n  - when: x\n",
        expect!["script s.yaml, line 2: turns[0]: missing field `steps`"],
    );
    check(
        "turns:\n  - when: ' '\n    steps: [{say: a}]\n",
        expect![
            "script s.yaml, line 2: turns[0].when: `when` is empty: write {any: true} to take every prompt"
        ],
    );
    check(
        "turns:\n  - when: {}\n    steps: [{say: a}]\n",
        expect![
            "script s.yaml, line 2: turns[0].when: `when` has no condition: write {any: true} to take every prompt"
        ],
    );
    check(
        "turns:\n  - when: {any: false}\n    steps: [{say: a}]\n",
        expect![
            "script s.yaml, line 2: turns[0].when: `any` can only be true: leave it out instead"
        ],
    );
    check(
        "turns:\n  - when: {prompt: 0}\n    steps: [{say: a}]\n",
        expect![
            "script s.yaml, line 2: turns[0].when.prompt: invalid value: integer `0`, expected a nonzero usize"
        ],
    );
    check(
        "otherwise:\n  - delay_ms: 1\n",
        expect![
            "script s.yaml, line 2: otherwise: a step needs one of `say`, `think`, `call`, `pieces`, `fail`, `hang`"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    repeat: true\n  - say: b\n",
        expect!["script s.yaml: `repeat` is for the last step: the ones after it would never play"],
    );
    check(
        "otherwise:\n  - hang: true\n    fail: {kind: auth}\n",
        expect!["script s.yaml, line 2: otherwise: a step has `fail` or `hang`, not both"],
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_told() {
    check(
        "otherwise:\n  - say: [12]\n",
        expect![
            "script s.yaml, line 2: otherwise[0].say: invalid type: sequence, expected a string"
        ],
    );
    check(
        "otherwise:\n  - call: {tool: shell}\n",
        expect!["script s.yaml, line 2: otherwise[0].call: invalid type: map, expected a sequence"],
    );
    check(
        "otherwise:\n  - call: [{tool: shell, input: [1]}]\n",
        expect![
            "script s.yaml, line 2: otherwise[0].call: `input` is a map of the tool's fields: use `input_text` for anything else"
        ],
    );
    check(
        "otherwise:\n  - call: [{tool: shell, input: {}, input_text: x}]\n",
        expect![
            "script s.yaml, line 2: otherwise[0].call: a call has `input` or `input_text`, not both"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    delay_ms: -1\n",
        expect![
            "script s.yaml, line 3: otherwise[0].delay_ms: invalid type: integer `-1`, expected u64"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    pace_ms: 86400001\n",
        expect![
            "script s.yaml, line 2: otherwise: `pace_ms` is over 86400000 (one day): lower it, or use `hang`"
        ],
    );
    check(
        "otherwise:\n  - piece: x\n",
        expect!["script s.yaml, line 2: otherwise: `piece` needs `pieces`, their number"],
    );
    check(
        "otherwise:\n  - {pieces: 1, piece: ''}\n",
        expect![
            "script s.yaml, line 2: otherwise: `piece` is empty: give it a text or leave it out"
        ],
    );
    check(
        "otherwise:\n  - {pieces: 99999999}\n",
        expect![
            "script s.yaml, line 2: otherwise: `pieces` times `piece` is over 67108864 bytes: lower `pieces`"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    usage: {cost: -0.1}\n",
        expect![
            "script s.yaml, line 2: otherwise: `usage.cost` is in dollars, from 0 to 1000000: it can't be -0.1"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    usage: {cost: .nan}\n",
        expect![
            "script s.yaml, line 2: otherwise: `usage.cost` is in dollars, from 0 to 1000000: it can't be NaN"
        ],
    );
    check(
        "otherwise:\n  - say: a\n    say: b\n",
        expect!["script s.yaml, line 2: otherwise[0]: duplicate field `say`"],
    );
    check(
        "otherwise:\n  - say: \"a\n",
        expect![
            "script s.yaml, line 3: found unexpected end of stream at line 3 column 1, while scanning a quoted scalar at line 2 column 10"
        ],
    );
}

#[test]
fn a_script_that_cannot_be_read_is_told_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.yaml");
    let said = |path: &std::path::Path| {
        let place = folder.path().to_str().unwrap();
        let said = Scripted::check(path.to_str().unwrap()).unwrap_err();
        said.replace(place, "/tmp/x")
    };
    expect!["script /tmp/x/none.yaml can't be read (No such file or directory (os error 2)): give base_url the path of a script, `builtin:demo`, or nothing for the built-in one"].assert_eq(&said(&missing));
    expect!["script /tmp/x is no regular file: give base_url the path of a script, `builtin:demo`, or nothing for the built-in one"].assert_eq(&said(folder.path()));

    let long = folder.path().join("long.yaml");
    std::fs::File::create(&long)
        .and_then(|file| file.set_len(super::super::LONGEST_SCRIPT + 1))
        .unwrap();
    expect![
        "script /tmp/x/long.yaml is longer than 16777216 bytes: write long answers with `pieces`"
    ]
    .assert_eq(&said(&long));

    let bytes = folder.path().join("bytes.yaml");
    std::fs::write(&bytes, b"otherwise: [{say: \"\xff\"}]").unwrap();
    expect!["script /tmp/x/bytes.yaml can't be read (stream did not contain valid UTF-8): give base_url the path of a script, `builtin:demo`, or nothing for the built-in one"].assert_eq(&said(&bytes));
}

#[test]
fn the_page_lists_exactly_the_keys_that_there_are() {
    let page = include_str!("../../../../examples/scripts/README.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (schema, _) = rest.split_once("```").unwrap();
    let schema: Value = serde_json::from_str(schema).unwrap();
    let places = [
        ("", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1"),
        (
            "/properties/model",
            "model: {zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}",
        ),
        (
            "/properties/turns/items",
            "turns: [{zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}]",
        ),
        (
            "/$defs/when/oneOf/1",
            "turns: [{when: {zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}}]",
        ),
        (
            "/$defs/step",
            "otherwise: [{zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}]",
        ),
        (
            "/$defs/call",
            "otherwise: [{call: [{zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}]}]",
        ),
        (
            "/$defs/usage",
            "otherwise: [{usage: {zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}}]",
        ),
        (
            "/$defs/fail",
            "otherwise: [{fail: {zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz: 1}}]",
        ),
    ];
    for (place, text) in places {
        let properties = schema.pointer(&format!("{place}/properties")).unwrap();
        let documented = sorted(properties.as_object().unwrap().keys().cloned().collect());
        assert_eq!(known(text), documented, "{place}");
        // The tables name each key as well.
        for key in documented {
            let in_a_table = page.contains(&format!("| `{key}` |"))
                || page.contains(&format!("| `model.{key}` |"))
                || key == "model";
            assert!(in_a_table, "{key}");
        }
    }
    let kinds = schema.pointer("/$defs/fail/properties/kind/enum").unwrap();
    let kinds = kinds.as_array().unwrap().iter();
    let documented = sorted(kinds.map(|kind| kind.as_str().unwrap().into()).collect());
    assert_eq!(
        known("otherwise: [{fail: {kind: zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz}}]"),
        documented
    );
}

/// The keys that the parser knows where this text has one that it doesn't.
fn known(text: &str) -> Vec<String> {
    let said = fault::parse("s", text).unwrap_err();
    let (_, rest) = said.split_once("known are ").expect("a list of known keys");
    let (list, _) = rest.split_once(" (").unwrap();
    sorted(list.split(", ").map(str::to_owned).collect())
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

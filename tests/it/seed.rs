//! The example session of hm's page (seed 000): its lines, in its order, with
//! its fields; more fields are allowed.

use serde_json::{Value, json};

use crate::support::Stage;

/// The page's lines as it prints them, the header's fields left out but for the
/// type. `tool_result` is shown as the command of the test gives it.
const SEED: &str = r#"
< {"type":"session_start","root":"/home/me/app","mode":"auto","provider":"anthropic","model":"","resumed":false,"prompt":""}
> {"id":"1","type":"prompt","text":"run the tests"}
< {"type":"response","id":"1","command":"prompt","ok":true}
< {"type":"message_end","role":"user","text":"run the tests"}
< {"type":"message_start","role":"assistant"}
< {"type":"tool_start","tool":"shell"}
< {"type":"usage","input":2410,"output":38,"cache_read":0,"cache_write":0,"cost":0.0127}
< {"type":"message_end","role":"assistant","text":""}
< {"type":"tool_call","tool":"shell","call_id":"toolu_01","summary":"go test ./...","input":{"command":"go test ./..."}}
< {"type":"approval_needed","call_id":"toolu_01","tool":"shell","category":"shell","summary":"go test ./...","command":"go test ./..."}
> {"id":"2","type":"approve","call_id":"toolu_01","allow":true}
< {"type":"response","id":"2","command":"approve","ok":true}
< {"type":"approval","call_id":"toolu_01","tool":"shell","allow":true}
< {"type":"tool_result","tool":"shell","call_id":"toolu_01","text":"ok \tapp\t0.21s\n","is_error":false}
< {"type":"message_end","role":"tool","text":""}
< {"type":"message_start","role":"assistant"}
< {"type":"text_delta","text":"All tests pass."}
< {"type":"usage","input":2502,"output":9,"cache_read":2400,"cache_write":0,"cost":0.0021}
< {"type":"message_end","role":"assistant","text":"All tests pass."}
< {"type":"turn_end"}
< {"type":"session_end","answer":"All tests pass.","exit_code":0,"refused":[],"usage":{"input":4912,"output":47,"cache_read":2400,"cache_write":0,"cost":0.0148}}
"#;

#[test]
fn the_seeds_session_is_played() {
    let stage = Stage::new()
        .example("seed_session.yaml")
        .program("go", r"printf 'ok \tapp\t0.21s\n'");
    let mut host = stage.start();
    let mut seed = Vec::new();
    for line in SEED.trim().lines() {
        match line.split_at(2) {
            ("> ", sent) => {
                // The page's call id is the provider's: ours is our own.
                host.send_line(&sent.replace("toolu_01", "c1"));
            }
            (_, told) => {
                seed.push(serde_json::from_str::<Value>(told).unwrap());
                let kind = told_type(&seed);
                if kind == "approval_needed" || kind == "turn_end" {
                    host.wait_type(&kind);
                }
            }
        }
    }
    let ended = host.finish();
    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.stderr, "");
    let told: Vec<Value> = merged(ended.lines.into_iter().map(|line| line.json));
    assert_eq!(told.len(), seed.len(), "{told:#?}");
    for (seed, told) in seed.iter().zip(&told) {
        let mut wanted = seed.clone();
        adapt(&mut wanted, &stage);
        assert_eq!(projected(&wanted, told), wanted, "{told}");
        assert_order(&wanted, told);
    }
}

fn told_type(seed: &[Value]) -> String {
    let last = seed.last().unwrap();
    last["type"].as_str().unwrap().to_owned()
}

/// What the page's machine had and ours has not: its folder, its provider, the
/// provider's call ids.
fn adapt(line: &mut Value, stage: &Stage) {
    if line["type"] == "session_start" {
        line["root"] = json!(stage.workspace());
        line["provider"] = json!("scripted");
    }
    if line.get("call_id").is_some() {
        line["call_id"] = json!("c1");
    }
}

/// Neighbouring pieces of one text as one: the page shows them so.
fn merged(lines: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::new();
    for line in lines {
        match merged.last_mut() {
            Some(last) if last["type"] == "text_delta" && line["type"] == "text_delta" => {
                let text = format!(
                    "{}{}",
                    last["text"].as_str().unwrap(),
                    line["text"].as_str().unwrap()
                );
                last["text"] = json!(text);
            }
            _ => merged.push(line),
        }
    }
    merged
}

/// Of a told line, the fields that the page shows.
fn projected(wanted: &Value, told: &Value) -> Value {
    let fields = wanted.as_object().unwrap();
    let shown = |name: &String| (name.clone(), told[name].clone());
    Value::Object(fields.keys().map(shown).collect())
}

/// The page's fields stand in its order, whatever stands between.
fn assert_order(wanted: &Value, told: &Value) {
    let wanted: Vec<&String> = wanted.as_object().unwrap().keys().collect();
    let mut names: Vec<&String> = told.as_object().unwrap().keys().collect();
    names.retain(|name| wanted.contains(name));
    assert_eq!(names, wanted);
}

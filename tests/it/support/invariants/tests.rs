//! The checker itself: a good trace passes, and each broken promise is told.

use super::*;

/// A whole trace: `>` lines are sent, all others came. The header is added.
fn judged(trace: &str) -> Result<(), String> {
    let mut checker = Checker::new(Wire::Hm);
    for line in trace.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if let Some(sent) = line.strip_prefix("> ") {
            checker.sent(format!("{sent}\n").as_bytes());
            continue;
        }
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = if rest.is_empty() {
            String::new()
        } else {
            format!(",{rest}")
        };
        let text = format!(
            r#"{{"v":1,"type":"{kind}","session":"S","time":"2026-11-06T09:15:00.000Z"{rest}}}"#
        );
        let json = serde_json::from_str(&text).expect(&text);
        checker.line(&Line { text, json })?;
    }
    checker.end(End::Exit(0))
}

const USAGE: &str = r#""usage":{"input":1,"output":2,"cache_read":0,"cache_write":0,"cost":0.5}"#;

fn good() -> String {
    format!(
        r#"
        session_start "root":"/w"
        > {{"id":"1","type":"prompt","text":"go"}}
        response "id":"1","command":"prompt","ok":true
        message_end "role":"user","text":"go","id":"1","source":"prompt"
        message_start "role":"assistant","id":"2"
        text_delta "text":"Let "
        text_delta "text":"me."
        tool_start "tool":"shell"
        usage "input":1,"output":2,"cache_read":0,"cache_write":0,"cost":0.5
        message_end "role":"assistant","text":"Let me.","id":"2","stop":"tools"
        tool_call "tool":"shell","call_id":"c1","summary":"ls","input":{{}}
        approval_needed "call_id":"c1","tool":"shell","summary":"ls"
        > {{"id":"2","type":"get_state"}}
        response "id":"2","command":"get_state","ok":true,"data":{{"session":{{"running":true,"status":"waiting"}},"running":true,"pending_approvals":["c1"],"pending_questions":[]}}
        > {{"id":"3","type":"approve","call_id":"c1","allow":false}}
        response "id":"3","command":"approve","ok":true
        approval "call_id":"c1","tool":"shell","allow":false,"by":"client"
        tool_result "tool":"shell","call_id":"c1","text":"no","is_error":true
        message_end "role":"tool","text":"","id":"3"
        message_start "role":"assistant","id":"4"
        message_end "role":"assistant","text":"","id":"4","stop":"end"
        turn_end "status":"ok","steps":2,{USAGE}
        session_end "answer":"Let me.","exit_code":0,"refused":[{{"call_id":"c1","tool":"shell","summary":"ls","by":"client"}}],{USAGE}
        "#
    )
}

#[test]
fn a_good_trace_passes() {
    assert_eq!(judged(&good()), Ok(()));
}

#[test]
fn each_broken_promise_is_told() {
    // What is replaced, by what, and what is said of it.
    let cases = [
        (r#""text":"me.""#, r#""text":"you.""#, "its pieces are"),
        (r#"text_delta "text":"Let ""#, "", "its pieces are"),
        (
            r#""id":"3","command""#,
            r#""id":"9","command""#,
            "an answer to nothing",
        ),
        (
            r#""pending_approvals":["c1"]"#,
            r#""pending_approvals":[]"#,
            "`pending_approvals`",
        ),
        (
            r#""allow":false,"by":"client""#,
            r#""allow":true,"by":"client""#,
            "no response before",
        ),
        (
            r#"response "id":"3","command":"approve","ok":true"#,
            "",
            "no response before",
        ),
        (
            r#""allow":false,"by":"client""#,
            r#""allow":true,"by":"flag""#,
            "between the flag's pair",
        ),
        (
            r#""text":"no","is_error":true"#,
            r#""text":"no","is_error":false"#,
            "was refused, yet ran",
        ),
        (
            r#"tool_result "tool":"shell","call_id":"c1","text":"no","is_error":true"#,
            "",
            "calls are without a result",
        ),
        (
            r#"message_end "role":"tool","text":"","id":"3""#,
            "",
            "a message before the last one",
        ),
        (
            r#""status":"ok","steps":2"#,
            r#""status":"ok","steps":1"#,
            "`steps` should be 2",
        ),
        (
            r#""answer":"Let me.""#,
            r#""answer":"""#,
            "`answer` should be",
        ),
        (r#""exit_code":0"#, r#""exit_code":1"#, "exit code 0, but"),
        (
            r#""by":"client"}]"#,
            r#""by":"guard"}]"#,
            "`refused` should be",
        ),
        (r#"tool_start "tool":"shell""#, "", "it stopped for no call"),
        (
            r#""id":"4","stop""#,
            r#""id":"5","stop""#,
            "entry 5 comes after entry 4",
        ),
        (r#"session_start "root":"/w""#, "", "the first line is not"),
        (
            r#""text":"go","id":"1""#,
            r#""text":"stop","id":"1""#,
            "the prompt was",
        ),
    ];
    for (from, to, told) in cases {
        let good = good();
        assert!(good.contains(from), "{from}");
        let broken = good.replacen(from, to, 1);
        let said = judged(&broken).expect_err(from);
        assert!(said.contains(told), "{from} -> {to}: {said}");
    }
}

#[test]
fn a_missing_answer_and_a_late_line_are_told() {
    let unanswered = good() + "\n> {\"id\":\"4\",\"type\":\"abort\"}";
    assert!(judged(&unanswered).unwrap_err().contains("no answer came"));
    let late = good() + "\nnotice \"text\":\"late\"";
    assert!(judged(&late).unwrap_err().contains("after `session_end`"));
}

/// Steers, follow-ups and aborts, on a turn without calls.
fn queued(middle: &str) -> Result<(), String> {
    judged(&format!(
        r#"
        session_start "root":"/w"
        > {{"id":"1","type":"prompt","text":"go"}}
        response "id":"1","command":"prompt","ok":true
        message_end "role":"user","text":"go","id":"1","source":"prompt"
        message_start "role":"assistant","id":"2"
        > {{"id":"2","type":"steer","text":"left"}}
        response "id":"2","command":"steer","ok":true
        {middle}
        session_end "answer":"","exit_code":0,"refused":[],"usage":{{"input":0,"output":0,"cache_read":0,"cache_write":0,"cost":0}}
        "#
    ))
}

#[test]
fn queued_messages_are_delivered_or_dropped() {
    const NONE: &str = r#""usage":{"input":0,"output":0,"cache_read":0,"cache_write":0,"cost":0}"#;
    let end = r#"message_end "role":"assistant","text":"","id":"2","stop":"end""#;
    let steer = r#"message_end "role":"user","text":"left","id":"3","source":"steer""#;
    let again = r#"message_start "role":"assistant","id":"4"
        message_end "role":"assistant","text":"","id":"4","stop":"end""#;
    let turn_end = |steps: u32| format!(r#"turn_end "status":"ok","steps":{steps},{NONE}"#);
    let whole = format!("{end}\n{steer}\n{again}\n{}", turn_end(2));
    assert_eq!(queued(&whole), Ok(()));
    let lost = format!("{end}\n{}", turn_end(1));
    assert!(queued(&lost).unwrap_err().contains("while something waits"));
    let twice = format!("{end}\n{steer}\n{steer}");
    assert!(queued(&twice).is_err());
    let aborted = format!(
        r#"> {{"id":"3","type":"abort"}}
        response "id":"3","command":"abort","ok":true
        message_end "role":"assistant","text":"","id":"2","stop":"aborted"
        turn_end "status":"aborted","steps":1,{NONE}"#
    );
    assert_eq!(queued(&aborted), Ok(()));
    let deaf = aborted.replace("message_end", "text_delta \"text\":\"more\"\nmessage_end");
    assert!(queued(&deaf).unwrap_err().contains("after an abort"));
}

//! Lines that no text file can hold: each gets one refusal or the right result,
//! and nothing else is harmed.

use serde_json::json;

use crate::support::{Host, Stage};

/// Sends bytes that are one line, and gives the one response that they get:
/// its text, behind the header.
fn response_to(host: &mut Host, line: &[u8]) -> String {
    host.send_bytes(line);
    host.send_bytes(b"\n");
    host.wait_type("response");
    let text = host.lines().last().unwrap().text.clone();
    // Nothing follows it: the next response is the next line's.
    let at = text.find("\"time\":").unwrap();
    let header_end = at + text[at..].find(',').unwrap() + 1;
    text[header_end..].to_owned()
}

fn host() -> (Stage, Host) {
    let stage = Stage::playing(r#"otherwise: [{say: "{{prompt}}"}]"#);
    let host = stage.start();
    (stage, host)
}

#[test]
fn what_is_no_command_is_refused() {
    let (_stage, mut host) = host();
    let deep = |open: &str, close: &str| {
        let nested = format!("{}{}", open.repeat(10_000), close.repeat(10_000));
        format!(r#"{{"id":"deep","type":"prompt","text":{nested}}}"#).into_bytes()
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "not UTF-8",
            b"{\"id\":\"1\",\"type\":\"abort\",\"x\":\"\xff\xfe\"}".to_vec(),
        ),
        (
            "cut in mid-character",
            b"{\"id\":\"1\",\"type\":\"abort\xc3".to_vec(),
        ),
        ("a NUL", b"\0".to_vec()),
        (
            "NULs between",
            b"{\"id\":\"1\"\0,\"type\":\"abort\"}".to_vec(),
        ),
        (
            "a raw NUL in a text",
            b"{\"id\":\"1\",\"type\":\"prompt\",\"text\":\"a\0b\"}".to_vec(),
        ),
        (
            "a byte order mark",
            b"\xef\xbb\xbf{\"id\":\"1\",\"type\":\"abort\"}".to_vec(),
        ),
        (
            "two values",
            b"{\"type\":\"abort\"}{\"type\":\"abort\"}".to_vec(),
        ),
        ("deep lists", deep("[", "]")),
        ("deep objects", deep("{\"a\":", "}").into_iter().collect()),
        ("deep and open", vec![b'['; 10_000]),
        ("a lone CR", b"{\"type\":\r\"abort\"}\r \r".to_vec()),
        ("infinity", b"{\"id\":Infinity,\"type\":\"abort\"}".to_vec()),
        ("a comment", b"{\"type\":\"abort\"} // now".to_vec()),
        ("single quotes", b"{'type':'abort'}".to_vec()),
    ];
    let mut answers = 0;
    for (name, line) in &cases {
        let response = response_to(&mut host, line);
        // JSON's white space has CR in it.
        if *name == "a lone CR" {
            assert_eq!(response, r#""command":"abort","ok":true}"#);
        } else {
            let refusal = r#""id":null,"command":"","ok":false,"error":"not a JSON object"#;
            assert!(response.starts_with(refusal), "{name}: {response}");
        }
        answers += 1;
        host.send(json!({"id": answers, "type": "get_state"}));
        let alive = host.wait_type("response");
        assert_eq!(alive["data"]["running"], false, "{name}");
    }
    let responses = host
        .lines()
        .iter()
        .filter(|it| it.json["type"] == "response");
    assert_eq!(responses.count(), 2 * cases.len());
    host.finish();
}

#[test]
fn ids_come_back_as_they_went() {
    let (_stage, mut host) = host();
    let long = format!("\"{}\"", "i".repeat(100_000));
    let ids = [
        "1",
        "-0",
        "1.0",
        "1e400",
        "-1E-7",
        "12345678901234567890123",
        "0.1000000000000000055511151231257827",
        "true",
        "null",
        "\"\"",
        r#""\u0041""#,
        r#""\ud83d\ude80 \ud800 \" \/""#,
        "\"h\u{e9}\"",
        "[1,[2,{\"a\":null}]]",
        r#"{"b":1,"a":1,"b":2}"#,
        &long,
    ];
    for id in ids {
        let line = format!(r#"{{"id":{id},"type":"abort"}}"#);
        let wanted = format!(r#""id":{id},"command":"abort","ok":true}}"#);
        assert_eq!(response_to(&mut host, line.as_bytes()), wanted);
        let refused = format!(r#"{{"type":"nonsense","id":{id}}}"#);
        let response = response_to(&mut host, refused.as_bytes());
        let wanted = format!(r#""id":{id},"command":"nonsense","ok":false"#);
        assert!(response.starts_with(&wanted), "{response}");
    }
    // White space between tokens goes, that in strings stays; separators that a
    // client could take for the end of a line are written as escapes.
    let spaced = "{ \"id\" : [ 1 ,\t{ \"a b\" : \" \" } ] , \"type\":\"abort\"}";
    let wanted = r#""id":[1,{"a b":" "}],"command":"abort","ok":true}"#;
    assert_eq!(response_to(&mut host, spaced.as_bytes()), wanted);
    let separated = "{\"id\":\"\u{2028}\u{2029}\",\"type\":\"abort\"}";
    let wanted = r#""id":"\u2028\u2029","command":"abort","ok":true}"#;
    assert_eq!(response_to(&mut host, separated.as_bytes()), wanted);
    host.finish();
}

#[test]
fn line_ends_are_lf_and_crlf_and_blank_lines_are_nothing() {
    let (_stage, mut host) = host();
    host.send_bytes(b"\n\r\n  \t \n\n{\"id\":\"1\",\"type\":\"abort\"}\r\n\n");
    host.answer("1");
    host.send_bytes(b"{\"id\":\"2\",\"type\":\"abort\"}\n{\"id\":\"3\",\"type\":\"abort\"}\n");
    host.answer("3");
    let responses = host
        .lines()
        .iter()
        .filter(|it| it.json["type"] == "response");
    assert_eq!(responses.count(), 3);
    host.finish();
}

/// Every character may stand in a text, escaped or not; what comes back is one
/// line, with no raw separator in it.
#[test]
fn every_character_makes_the_way_there_and_back() {
    let (_stage, mut host) = host();
    let all: Vec<char> = (0..=0xffff_u32)
        .chain((0x1f600..0x1f680).chain([0x10ffff, 0xe0001, 0x2fa1d]))
        .filter_map(char::from_u32)
        // The script's templates are no matter of this test.
        .filter(|c| *c != '{')
        .collect();
    for (number, chunk) in all.chunks(8192).enumerate() {
        let text: String = chunk.iter().collect();
        let raw = json!({"id": number, "type": "prompt", "text": text}).to_string();
        // Once as serde writes it, once all in escapes.
        let escaped: String = text
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect();
        let escaped = format!(r#"{{"id":"e{number}","type":"prompt","text":"{escaped}"}}"#);
        for line in [raw, escaped] {
            host.send_line(&line);
            let told = host.wait("the prompt", |line| line["role"] == "user");
            assert!(told["text"] == text.as_str(), "chunk {number}");
            let answered = host.wait("the answer", |line| {
                line["type"] == "message_end" && line["role"] == "assistant"
            });
            assert!(answered["text"] == text.as_str(), "chunk {number}");
            host.wait_type("turn_end");
        }
    }
    for line in host.lines() {
        let raw = [
            '\u{2028}', '\u{2029}', '\r', '\u{85}', '\u{c}', '\u{b}', '\u{1b}', '\u{7}',
        ];
        // NEL ends a line for nobody who reads JSON lines; the others might.
        let found = line
            .text
            .chars()
            .find(|c| raw.contains(c) && *c != '\u{85}');
        assert_eq!(found, None);
    }
    assert_eq!(host.finish().code, Some(0));
}

#[test]
fn autohands_wire_refuses_the_same_lines() {
    let stage = Stage::playing(r#"otherwise: [{say: "Yes."}]"#).autohand();
    let mut host = stage.start();
    let lines: [&[u8]; 5] = [
        b"\xff",
        b"\0",
        b"[[[[",
        b"{\"type\":\"prompt\",\"message\":\"\\ud800\"}",
        b"nonsense",
    ];
    for line in lines {
        host.send_bytes(line);
        host.send_bytes(b"\n");
        assert_eq!(host.wait_type("response")["success"], false);
    }
    let answer = host.ask(json!({"id": 1e300, "type": "prompt", "message": "hello"}));
    assert_eq!(answer["success"], true);
    host.wait_type("turn_end");
    host.finish();
}

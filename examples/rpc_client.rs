//! A small client of `greenroom agent --rpc` in Rust: the standard library and
//! `serde_json`.
//!
//! ```text
//! cargo run --example rpc_client -- PROGRAM PROMPT [FLAGS OF THE AGENT...]
//! ```
//!
//! It asks on the terminal before a call that needs approval, and passes the
//! agent's questions on. `rpc_client.py` shows more: aborts, notes, scopes.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for a terminal"
)]

use std::error::Error;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(program), Some(prompt)) = (args.next(), args.next()) else {
        return Err("usage: rpc_client PROGRAM PROMPT [FLAGS OF THE AGENT...]".into());
    };
    let mut agent = Command::new(program)
        .args(["agent", "--rpc"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    // Dropped, and so closed, at the end of the turn: the agent then ends.
    let mut input = agent.stdin.take();
    let output = BufReader::new(agent.stdout.take().ok_or("no pipe")?);
    let mut completed = false;
    for line in output.lines() {
        let event: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| event[key].as_str().unwrap_or_default();
        let reply = match text("type") {
            "session_start" => Some(json!({"id": 1, "type": "prompt", "text": prompt})),
            "approval_needed" => {
                let allow = ask(&format!("! {}: {} [y/n]", text("tool"), text("summary")))? == "y";
                Some(json!({"type": "approve", "call_id": event["call_id"], "allow": allow}))
            }
            "question" => {
                let answer = ask(&format!("? {}", text("text")))?;
                Some(json!({"type": "answer", "call_id": event["call_id"], "text": answer}))
            }
            _ => None,
        };
        if let (Some(reply), Some(input)) = (reply, &mut input) {
            writeln!(input, "{reply}")?;
        }
        match text("type") {
            "text_delta" => {
                print!("{}", text("text"));
                stdout().flush()?;
            }
            "message_end" if text("role") == "assistant" && !text("text").is_empty() => println!(),
            "tool_call" => eprintln!("* {}: {}", text("tool"), text("summary")),
            "response" if event["ok"] == false => {
                eprintln!("{}: {}", text("command"), text("error"));
                if event["id"] == 1 {
                    input = None;
                }
            }
            "turn_end" => {
                eprintln!("turn ended: {}", text("status"));
                completed = text("status") == "ok";
                input = None;
            }
            _ => (),
        }
    }
    let ended_well = agent.wait()?.success();
    Ok(ExitCode::from(u8::from(!(completed && ended_well))))
}

/// What the person types, without blanks around it; nothing at the end of the
/// input.
fn ask(question: &str) -> Result<String, Box<dyn Error>> {
    eprint!("{question} ");
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

//! One JSON object a line, for programs: `docs/export.md` lists the fields.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use greenroom_protocol::session::{
    Content, Cost, Image, ImageFormat, ModelChoice, Part, PlanStatus, Usage,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::job::{Format, Head, Position};
use super::story::{CallStory, Item, What};
use super::words;

/// The version of the lines: it changes when a field changes its meaning.
const VERSION: u32 = 1;

/// The writer.
pub(super) struct JsonLines;

impl Format for JsonLines {
    fn head(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        let sessions = head.members.iter().map(|member| {
            let (origin, entry) = match &member.fork_of {
                Some((origin, entry)) => (json!(origin.as_str()), json!(entry.0)),
                None => (Value::Null, Value::Null),
            };
            json!({"id": member.id.as_str(), "fork_of": origin, "entry": entry})
        });
        line(
            out,
            &json!({
                "type": "session",
                "v": VERSION,
                "id": head.session.as_str(),
                "title": &*head.title,
                "root": &*head.root,
                "mode": head.mode.name(),
                "model": head.model.as_ref().map(model),
                "created": words::time(head.created),
                "updated": words::time(head.updated),
                "turns": head.turns,
                "usage": usage(&head.usage),
                "all_branches": head.all_branches,
                "images": head.images,
                "sessions": sessions.collect::<Vec<_>>(),
            }),
        )
    }

    fn item(&mut self, item: &Item, at: &Position, out: &mut dyn Write) -> io::Result<()> {
        let value = match item {
            Item::Entry(entry) => {
                let mut fields = json!({
                    "type": "entry",
                    "id": entry.id.text(),
                    "parent": at.parent.map(|parent| parent.text()),
                    "on_path": at.on_path,
                    "time": words::time(entry.at),
                });
                add(&mut fields, what(&entry.what));
                fields
            }
            Item::TurnEnded {
                outcome,
                steps,
                usage: used,
                duration_ms,
            } => json!({
                "type": "turn_end",
                "outcome": words::outcome(outcome),
                "steps": steps,
                "usage": usage(used),
                "duration_ms": duration_ms,
            }),
            Item::Plan(items) => {
                let items = items
                    .iter()
                    .map(|item| json!({"text": &*item.text, "status": status(item.status)}));
                json!({"type": "plan", "items": items.collect::<Vec<_>>()})
            }
        };
        line(out, &value)
    }

    fn foot(&mut self, entries: usize, redacted: &[String], out: &mut dyn Write) -> io::Result<()> {
        line(
            out,
            &json!({"type": "end", "entries": entries, "redacted": redacted}),
        )
    }
}

fn line(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn add(fields: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (fields, more) {
        fields.extend(more);
    }
}

fn what(what: &What) -> Value {
    match what {
        What::User { content, source } => json!({
            "role": "user",
            "source": source.name(),
            "content": parts(content),
        }),
        What::Assistant {
            message,
            model: used,
        } => {
            let calls = message.calls.iter().map(|call| {
                json!({
                    "id": call.id.as_str(),
                    "tool": &*call.tool,
                    "input": document(&call.input.0),
                })
            });
            json!({
                "role": "assistant",
                "text": &*message.text,
                "thinking": &*message.thinking,
                "calls": calls.collect::<Vec<_>>(),
                "model": used.as_ref().map(model),
            })
        }
        What::Results(stories) => json!({
            "role": "tool",
            "results": stories.iter().map(result).collect::<Vec<_>>(),
        }),
        What::Summary(compacted) => json!({
            "role": "summary",
            "text": &*compacted.summary,
            "keeps_from": compacted.keeps_from.map(|entry| entry.0),
        }),
    }
}

fn parts(content: &Content) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"text": &**text}),
        Part::Image(image) => json!({"image": picture(image)}),
        Part::Mention(mention) => json!({"mention": &*mention.path, "lines": mention.lines}),
        Part::Resource(resource) => {
            json!({"resource": &*resource.name, "text": &*resource.text})
        }
    };
    content.parts.iter().map(part).collect()
}

fn picture(image: &Image) -> Value {
    let kind = match image.format {
        ImageFormat::Png => "image/png",
        ImageFormat::Jpeg => "image/jpeg",
        ImageFormat::Gif => "image/gif",
        ImageFormat::Webp => "image/webp",
    };
    json!({"type": kind, "data": STANDARD.encode(&image.bytes)})
}

/// A document as it is; what is none as a text.
fn document(text: &str) -> Value {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
        Err(_) => Value::from(text),
    }
}

fn result(story: &CallStory) -> Value {
    let mut fields = json!({});
    if let Some(call) = &story.call {
        add(
            &mut fields,
            json!({
                "call": call.id.as_str(),
                "tool": &*call.tool,
                "summary": &*call.summary,
                "input": document(&call.input.0),
            }),
        );
    }
    if let Some((ruling, rule)) = &story.judged {
        add(
            &mut fields,
            json!({"ruling": ruling.name(), "rule": &**rule}),
        );
    }
    if let Some(approval) = &story.approval {
        add(&mut fields, json!({"asked": &*approval.reason}));
    }
    if let Some(settled) = &story.settled {
        add(
            &mut fields,
            json!({
                "allowed": settled.allowed,
                "settled_by": words::settled_by(settled.by),
                "scope": words::scope(settled.scope),
                "note": settled.note.as_deref(),
                "amended": settled.amended,
            }),
        );
    }
    if let Some(ask) = &story.question {
        let questions: Vec<&str> = ask.questions.iter().map(|it| &*it.text).collect();
        add(&mut fields, json!({"questions": questions}));
    }
    if !story.changes.is_empty() {
        let changes = story.changes.iter().map(|change| {
            json!({
                "path": &*change.path,
                "kind": words::kind(change.kind),
                "diff": change.diff.as_deref(),
            })
        });
        add(&mut fields, json!({"changes": changes.collect::<Vec<_>>()}));
    }
    if let Some(result) = &story.result {
        add(
            &mut fields,
            json!({
                "end": words::end(result.end),
                "text": &*result.text,
                "images": result.images.iter().map(picture).collect::<Vec<_>>(),
                "exit_code": result.exit_code,
                "truncated": result.truncated,
                "duration_ms": result.duration_ms,
            }),
        );
    }
    fields
}

fn model(model: &ModelChoice) -> Value {
    json!({
        "provider": &*model.provider,
        "model": &*model.model,
        "effort": model.effort.map(|effort| effort.name()),
    })
}

fn usage(usage: &Usage) -> Value {
    let Cost(micros) = usage.cost;
    json!({
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "cost": micros as f64 / 1e6,
        "cost_unknown": usage.cost_unknown,
    })
}

fn status(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Pending => "pending",
        PlanStatus::InProgress => "in_progress",
        PlanStatus::Completed => "completed",
    }
}

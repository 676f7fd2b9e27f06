//! Markdown for people. What a transcript holds stands in fences or quotes that
//! it cannot leave.

use std::io::{self, Write};

use greenroom_protocol::session::{Content, Part, PlanStatus};

use super::job::{Format, Head, Position};
use super::story::{CallStory, Entry, Item, What};
use super::tree::Id;
use super::words;

/// The writer.
#[derive(Default)]
pub(super) struct Markdown {
    /// The entry that was written last.
    last: Option<Id>,
}

impl Format for Markdown {
    fn head(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        let title = match head.title.trim() {
            "" => "Session",
            title => title,
        };
        writeln!(out, "# {}\n", one_line(title))?;
        writeln!(out, "- Session: `{}`", head.session)?;
        writeln!(out, "- Workspace: {}", code(&head.root))?;
        writeln!(out, "- Mode: {}", head.mode.name())?;
        if let Some(model) = &head.model {
            writeln!(
                out,
                "- Model: {} {}",
                one_line(&model.provider),
                one_line(&model.model)
            )?;
        }
        writeln!(
            out,
            "- From {} to {} (UTC)",
            words::time(head.created),
            words::time(head.updated)
        )?;
        writeln!(out, "- Turns: {}, {}", head.turns, words::cost(&head.usage))?;
        for member in &head.members {
            if let Some((origin, entry)) = &member.fork_of {
                writeln!(
                    out,
                    "- `{}` goes on from `{origin}`, entry {entry}",
                    member.id
                )?;
            }
        }
        if head.images > 0 {
            writeln!(out, "- {} pictures are left out here", head.images)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Item, at: &Position, out: &mut dyn Write) -> io::Result<()> {
        match item {
            Item::Entry(entry) => self.entry(entry, at, out),
            Item::TurnEnded {
                outcome,
                steps,
                usage,
                duration_ms,
            } => writeln!(
                out,
                "\n*{}; {steps} steps, {}, {}*",
                one_line(&words::outcome(outcome)),
                words::duration(*duration_ms),
                words::cost(usage)
            ),
            Item::Plan(items) => {
                writeln!(out, "\nPlan:\n")?;
                for item in items {
                    let mark = match item.status {
                        PlanStatus::Pending => "[ ]",
                        PlanStatus::InProgress => "[ ] (now)",
                        PlanStatus::Completed => "[x]",
                    };
                    writeln!(out, "- {mark} {}", one_line(&item.text))?;
                }
                Ok(())
            }
        }
    }

    fn foot(&mut self, entries: usize, redacted: &[String], out: &mut dyn Write) -> io::Result<()> {
        let taken_out = match redacted.is_empty() {
            true => "nothing".to_owned(),
            false => redacted.join(", "),
        };
        writeln!(out, "\n---\n\n{entries} entries; taken out: {taken_out}")
    }
}

impl Markdown {
    fn entry(&mut self, entry: &Entry, at: &Position, out: &mut dyn Write) -> io::Result<()> {
        let who = match &entry.what {
            What::User { source, .. } => match source.name() {
                "prompt" => "User".to_owned(),
                source => format!("User ({})", source.replace('_', " ")),
            },
            What::Assistant { .. } => "Assistant".to_owned(),
            What::Results(_) => "Tools".to_owned(),
            What::Summary(_) => "Summary of what came before".to_owned(),
        };
        let off = if at.on_path { "" } else { ", another branch" };
        writeln!(
            out,
            "\n## {who} #{}{off} <small>{}</small>",
            entry.id.text(),
            words::time(entry.at)
        )?;
        if self.last != at.parent {
            match at.parent {
                Some(parent) => writeln!(out, "\n*Goes on from #{}.*", parent.text())?,
                None => writeln!(out, "\n*Begins anew.*")?,
            }
        }
        self.last = Some(entry.id);
        match &entry.what {
            What::User { content, .. } => user(content, out),
            What::Assistant { message, .. } => {
                if !message.thinking.trim().is_empty() {
                    writeln!(out, "\nThinking:\n")?;
                    quote(&message.thinking, out)?;
                }
                quote(&message.text, out)
            }
            What::Results(stories) => stories.iter().try_for_each(|story| call(story, out)),
            What::Summary(compacted) => quote(&compacted.summary, out),
        }
    }
}

fn user(content: &Content, out: &mut dyn Write) -> io::Result<()> {
    for part in &content.parts {
        match part {
            Part::Text(text) => quote(text, out)?,
            Part::Image(_) => writeln!(out, "\n(a picture)")?,
            Part::Mention(mention) => writeln!(out, "\nFile: {}", code(&mention.path))?,
            Part::Resource(resource) => {
                writeln!(out, "\n{}:", one_line(&resource.name))?;
                fence("", &resource.text, out)?;
            }
        }
    }
    Ok(())
}

fn call(story: &CallStory, out: &mut dyn Write) -> io::Result<()> {
    if let Some(call) = &story.call {
        writeln!(
            out,
            "\n### {} {}",
            one_line(&call.tool),
            code(&call.summary)
        )?;
        fence("json", &call.input.0, out)?;
    }
    decided(story, out)?;
    for question in story.question.iter().flat_map(|ask| &ask.questions) {
        quote(&question.text, out)?;
    }
    for change in &story.changes {
        writeln!(out, "\n{} {}", words::kind(change.kind), code(&change.path))?;
        if let Some(diff) = &change.diff {
            fence("diff", diff, out)?;
        }
    }
    if let Some(result) = &story.result {
        write!(out, "\n{}", words::end(result.end))?;
        if let Some(code) = result.exit_code {
            write!(out, ", exit code {code}")?;
        }
        writeln!(out, ", {}:", words::duration(result.duration_ms))?;
        fence("", &result.text, out)?;
    }
    Ok(())
}

/// What ruled, why it was asked, and who answered what.
fn decided(story: &CallStory, out: &mut dyn Write) -> io::Result<()> {
    if let Some((ruling, rule)) = &story.judged {
        writeln!(out, "\nRuled: {} by {}", ruling.name(), one_line(rule))?;
    }
    if let Some(approval) = &story.approval {
        writeln!(out, "\nAsked: {}", one_line(&approval.reason))?;
    }
    let Some(settled) = &story.settled else {
        return Ok(());
    };
    let verdict = if settled.allowed {
        "Allowed"
    } else {
        "Refused"
    };
    let by = words::settled_by(settled.by);
    write!(out, "\n{verdict} by {by}{}", words::lasting(settled.scope))?;
    if settled.amended {
        write!(out, ", changed")?;
    }
    if let Some(note) = &settled.note {
        write!(out, ": {}", one_line(note))?;
    }
    writeln!(out)
}

/// Text that was said: quoted, so that its headings and rules stay inside.
fn quote(text: &str, out: &mut dyn Write) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    for line in text.lines() {
        writeln!(out, "> {line}")?;
    }
    Ok(())
}

/// Text as it is, in a fence longer than any inside.
fn fence(kind: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut longest = 0;
    let mut run = 0;
    for mark in text.chars() {
        run = if mark == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write!(out, "\n{fence}{kind}\n{text}{end}{fence}\n")
}

fn code(text: &str) -> String {
    format!("`{}`", one_line(text).replace('`', "'"))
}

/// One line that begins no construct: of a heading or a list.
fn one_line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.replace('<', "&lt;")
}

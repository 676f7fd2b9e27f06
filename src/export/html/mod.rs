//! One page for a browser, with all that it needs inside.
//!
//! The page's policy allows its own style and its own script by their hashes,
//! pictures that stand in it, and nothing else: whatever a transcript holds is
//! text (`escape`), and messages are marked up by us (`markup`). Without the
//! script the page tells all entries in order; with it, one branch at a time.

mod calls;
mod escape;
mod markup;

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use greenroom_protocol::session::{
    Content, Image, ImageFormat, Outcome, Part, PlanItem, PlanStatus,
};
use ring::digest::{SHA256, digest};

use super::job::{Format, Head, Position};
use super::story::{Entry, Item, What};
use super::tree::Id;
use super::words;
use escape::{escaped, push};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The writer.
#[derive(Default)]
pub(super) struct Html {
    /// The entry that was written last.
    last: Option<Id>,
}

impl Format for Html {
    fn head(&mut self, head: &Head, out: &mut dyn Write) -> io::Result<()> {
        let title = match head.title.trim() {
            "" => "Session",
            title => title,
        };
        let title = escaped(title);
        let (style, script) = (hash(STYLE), hash(SCRIPT));
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
        )?;
        facts(head, out)?;
        if head.outline.len() > 1 {
            outline(&head.outline, out)?;
        }
        out.write_all(
            b"<div class=\"bar\" hidden><button type=\"button\" data-act=\"open\">Open all calls\
              </button><button type=\"button\" data-act=\"close\">Fold all calls</button></div>\n\
              </header>\n<main>\n",
        )
    }

    fn item(&mut self, item: &Item, at: &Position, out: &mut dyn Write) -> io::Result<()> {
        let mut page = String::new();
        match item {
            Item::Entry(entry) => self.entry(entry, at, &mut page),
            Item::TurnEnded {
                outcome,
                steps,
                usage,
                duration_ms,
            } => {
                let class = match outcome {
                    Outcome::Completed => "turn",
                    _ => "turn bad",
                };
                page.push_str(&format!("<p class=\"{class}\">"));
                push(&words::outcome(outcome), &mut page);
                page.push_str(&format!(
                    " · {steps} {} · {} · {}</p>\n",
                    if *steps == 1 { "step" } else { "steps" },
                    words::duration(*duration_ms),
                    words::cost(usage)
                ));
            }
            Item::Plan(items) => plan(items, &mut page),
        }
        out.write_all(page.as_bytes())
    }

    fn foot(&mut self, entries: usize, redacted: &[String], out: &mut dyn Write) -> io::Result<()> {
        let taken_out = match redacted.is_empty() {
            true => "No secrets were found in it.".to_owned(),
            false => format!("Taken out: {}.", redacted.join(", ")),
        };
        write!(
            out,
            "</main>\n<footer>\n<p>{entries} entries. {}</p>\n</footer>\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n",
            escaped(&taken_out)
        )
    }
}

/// A hash as content policies name it.
fn hash(text: &str) -> String {
    STANDARD.encode(digest(&SHA256, text.as_bytes()))
}

fn facts(head: &Head, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![
        ("Session", head.session.to_string()),
        ("Workspace", head.root.to_string()),
        ("Mode", head.mode.name().to_owned()),
    ];
    if let Some(model) = &head.model {
        let effort = model.effort.map_or("", |effort| effort.name());
        let named = [&*model.provider, &*model.model, effort];
        let named: Vec<&str> = named.into_iter().filter(|it| !it.is_empty()).collect();
        rows.push(("Model", named.join(" · ")));
    }
    rows.push((
        "Time",
        format!(
            "{} – {} UTC",
            words::time(head.created),
            words::time(head.updated)
        ),
    ));
    let used = &head.usage;
    rows.push((
        "Used",
        format!(
            "{} turns · {} tokens in, {} out · {}",
            head.turns,
            used.input + used.cache_read + used.cache_write,
            used.output,
            words::cost(used)
        ),
    ));
    for member in &head.members {
        if let Some((origin, entry)) = &member.fork_of {
            rows.push((
                "Fork",
                format!("{} goes on from {origin}, entry {entry}", member.id),
            ));
        }
    }
    if head.images > 0 {
        rows.push((
            "Pictures",
            format!("{}; nothing is taken out of pictures", head.images),
        ));
    }
    out.write_all(b"<dl>\n")?;
    for (name, value) in rows {
        writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(&value))?;
    }
    out.write_all(b"</dl>\n")
}

fn outline(
    prompts: &[(Id, greenroom_protocol::session::Text)],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "<nav class=\"outline\" aria-label=\"Prompts\"><details><summary>{} prompts</summary><ol>",
        prompts.len()
    )?;
    for (id, line) in prompts {
        writeln!(
            out,
            "<li><a href=\"#e{}\">{}</a></li>",
            id.text(),
            escaped(line)
        )?;
    }
    out.write_all(b"</ol></details></nav>\n")
}

impl Html {
    fn entry(&mut self, entry: &Entry, at: &Position, page: &mut String) {
        let (class, who) = match &entry.what {
            What::User { source, .. } => (
                "user",
                match source.name() {
                    "prompt" => "User".to_owned(),
                    source => format!("User · {}", source.replace('_', " ")),
                },
            ),
            What::Assistant { .. } => ("assistant", "Assistant".to_owned()),
            What::Results(_) => ("tools", "Tools".to_owned()),
            What::Summary(_) => ("summary", "Summary of what came before".to_owned()),
        };
        let id = entry.id.text();
        let parent = at.parent.map(Id::text).unwrap_or_default();
        let on_path = if at.on_path { "yes" } else { "no" };
        page.push_str(&format!(
            "<article class=\"{class}\" id=\"e{id}\" data-id=\"{id}\" data-parent=\"{parent}\" \
             data-path=\"{on_path}\">\n<header><strong>{who}</strong>"
        ));
        if let What::Assistant {
            model: Some(model), ..
        } = &entry.what
        {
            page.push_str("<span>");
            push(&model.model, page);
            page.push_str("</span>");
        }
        page.push_str(&format!(
            "<a class=\"tail\" href=\"#e{id}\">#{id}</a><time>{}</time></header>\n",
            words::time(entry.at)
        ));
        if self.last != at.parent {
            page.push_str("<p class=\"from\">");
            match at.parent {
                Some(_) => page.push_str(&format!(
                    "Goes on from <a href=\"#e{parent}\">#{parent}</a>"
                )),
                None => page.push_str("Begins anew"),
            }
            page.push_str("</p>\n");
        }
        self.last = Some(entry.id);
        match &entry.what {
            What::User { content, .. } => user(content, page),
            What::Assistant { message, .. } => {
                if !message.thinking.trim().is_empty() {
                    page.push_str("<details class=\"call\"><summary>Thinking</summary>");
                    text(&message.thinking, page);
                    page.push_str("</details>\n");
                }
                text(&message.text, page);
            }
            What::Results(stories) => stories.iter().for_each(|story| calls::call(story, page)),
            What::Summary(compacted) => text(&compacted.summary, page),
        }
        page.push_str("</article>\n");
    }
}

fn text(message: &str, page: &mut String) {
    if message.trim().is_empty() {
        return;
    }
    page.push_str("<div class=\"text\">");
    markup::render(message, page);
    page.push_str("</div>\n");
}

fn user(content: &Content, page: &mut String) {
    for part in &content.parts {
        match part {
            Part::Text(said) => text(said, page),
            Part::Image(image) => picture(image, page),
            Part::Mention(mention) => {
                page.push_str("<p>File <code>");
                push(&mention.path, page);
                page.push_str("</code></p>\n");
            }
            Part::Resource(resource) => {
                page.push_str("<details class=\"call\"><summary>");
                push(&resource.name, page);
                page.push_str("</summary><pre>");
                push(&resource.text, page);
                page.push_str("</pre></details>\n");
            }
        }
    }
}

fn picture(image: &Image, page: &mut String) {
    let kind = match image.format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpeg",
        ImageFormat::Gif => "gif",
        ImageFormat::Webp => "webp",
    };
    page.push_str(&format!(
        "<img alt=\"picture\" src=\"data:image/{kind};base64,"
    ));
    STANDARD.encode_string(&image.bytes, page);
    page.push_str("\">\n");
}

fn plan(items: &[PlanItem], page: &mut String) {
    page.push_str("<ul class=\"plan\">\n");
    for item in items {
        let (class, mark) = match item.status {
            PlanStatus::Pending => ("", "☐"),
            PlanStatus::InProgress => ("now", "▸"),
            PlanStatus::Completed => ("done", "☑"),
        };
        page.push_str(&format!("<li class=\"{class}\">{mark} "));
        push(&item.text, page);
        page.push_str("</li>\n");
    }
    page.push_str("</ul>\n");
}

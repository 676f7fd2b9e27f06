//! Markdown of a message, as a page may show it: no markup of its own, no
//! picture that would be loaded, no link but to the web and to mail.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::escape::push;

/// Appends a message.
pub(super) fn render(text: &str, out: &mut String) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut in_head = false;
    // Links inside links are none in HTML; each end meets its own beginning.
    let mut links: Vec<bool> = Vec::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => start(&tag, &mut links, &mut in_head, out),
            Event::End(tag) => end(tag, &mut links, &mut in_head, out),
            // What looks like markup is text.
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => push(&text, out),
            Event::Code(text) => {
                out.push_str("<code>");
                push(&text, out);
                out.push_str("</code>");
            }
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>"),
            Event::Rule => out.push_str("<hr>"),
            Event::TaskListMarker(done) => out.push_str(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                push(&text, out)
            }
        }
    }
}

fn start(tag: &Tag<'_>, links: &mut Vec<bool>, in_head: &mut bool, out: &mut String) {
    match tag {
        Tag::Paragraph => out.push_str("<p>"),
        Tag::Heading { level, .. } => out.push_str(&format!("<{}>", heading(*level))),
        Tag::BlockQuote(_) => out.push_str("<blockquote>"),
        Tag::CodeBlock(kind) => {
            if let CodeBlockKind::Fenced(language) = kind
                && !language.is_empty()
            {
                out.push_str("<p class=\"label\">");
                push(language, out);
                out.push_str("</p>");
            }
            out.push_str("<pre><code>");
        }
        Tag::List(Some(first)) => out.push_str(&format!("<ol start=\"{first}\">")),
        Tag::List(None) => out.push_str("<ul>"),
        Tag::Item => out.push_str("<li>"),
        Tag::Table(_) => out.push_str("<table>"),
        Tag::TableHead => {
            *in_head = true;
            out.push_str("<tr>");
        }
        Tag::TableRow => out.push_str("<tr>"),
        Tag::TableCell => out.push_str(if *in_head { "<th>" } else { "<td>" }),
        Tag::Emphasis => out.push_str("<em>"),
        Tag::Strong => out.push_str("<strong>"),
        Tag::Strikethrough => out.push_str("<del>"),
        Tag::Link { dest_url, .. } => {
            let opens = may_be_linked(dest_url) && !links.contains(&true);
            links.push(opens);
            if opens {
                out.push_str("<a rel=\"noreferrer noopener\" href=\"");
                push(dest_url, out);
                out.push_str("\">");
            }
        }
        Tag::Image { dest_url, .. } => {
            out.push_str("[picture: ");
            push(dest_url, out);
            out.push(' ');
        }
        _ => (),
    }
}

fn end(tag: TagEnd, links: &mut Vec<bool>, in_head: &mut bool, out: &mut String) {
    match tag {
        TagEnd::Paragraph => out.push_str("</p>"),
        TagEnd::Heading(level) => out.push_str(&format!("</{}>", heading(level))),
        TagEnd::BlockQuote(_) => out.push_str("</blockquote>"),
        TagEnd::CodeBlock => out.push_str("</code></pre>"),
        TagEnd::List(true) => out.push_str("</ol>"),
        TagEnd::List(false) => out.push_str("</ul>"),
        TagEnd::Item => out.push_str("</li>"),
        TagEnd::Table => out.push_str("</table>"),
        TagEnd::TableHead => {
            *in_head = false;
            out.push_str("</tr>");
        }
        TagEnd::TableRow => out.push_str("</tr>"),
        TagEnd::TableCell => out.push_str(if *in_head { "</th>" } else { "</td>" }),
        TagEnd::Emphasis => out.push_str("</em>"),
        TagEnd::Strong => out.push_str("</strong>"),
        TagEnd::Strikethrough => out.push_str("</del>"),
        TagEnd::Link if links.pop() == Some(true) => out.push_str("</a>"),
        TagEnd::Image => out.push(']'),
        _ => (),
    }
}

/// A page's own headings stand above those of messages.
fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h3",
        HeadingLevel::H2 => "h4",
        _ => "h5",
    }
}

fn may_be_linked(address: &str) -> bool {
    let address = address.trim_start().to_ascii_lowercase();
    ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
}

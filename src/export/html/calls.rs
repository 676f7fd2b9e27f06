//! A call in the page: folded, with what was asked and what came of it.

use greenroom_protocol::session::CallEnd;

use super::escape::push;
use super::picture;
use crate::export::story::CallStory;
use crate::export::words;

pub(super) fn call(story: &CallStory, page: &mut String) {
    page.push_str("<details class=\"call\"><summary><strong>");
    if let Some(call) = &story.call {
        push(&call.tool, page);
        page.push_str("</strong><code>");
        push(&call.summary, page);
        page.push_str("</code>");
    } else {
        page.push_str("call</strong>");
    }
    facts(story, page);
    page.push_str("</summary>\n");
    if let Some(call) = &story.call {
        labelled("Input", page);
        pre(&call.input.0, page);
    }
    asked(story, page);
    for question in story.question.iter().flat_map(|ask| &ask.questions) {
        labelled("Question", page);
        page.push_str("<p>");
        push(&question.text, page);
        page.push_str("</p>\n");
    }
    for change in &story.changes {
        page.push_str(&format!(
            "<p class=\"label\">{} <code>",
            words::kind(change.kind)
        ));
        push(&change.path, page);
        page.push_str("</code></p>\n");
        if let Some(diff) = &change.diff {
            coloured(diff, page);
        }
    }
    if let Some(result) = &story.result {
        labelled("Result", page);
        pre(&result.text, page);
        result.images.iter().for_each(|image| picture(image, page));
    }
    page.push_str("</details>\n");
}

/// How it ended, at the end of the line that stays when it is folded.
fn facts(story: &CallStory, page: &mut String) {
    let Some(result) = &story.result else {
        return;
    };
    let class = match result.end {
        CallEnd::Done => "",
        CallEnd::Skipped | CallEnd::Aborted => " wait",
        CallEnd::Failed | CallEnd::Denied | CallEnd::Refused | CallEnd::Unknown => " bad",
    };
    page.push_str(&format!(
        "<span class=\"facts{class}\">{}",
        words::end(result.end)
    ));
    if let Some(code) = result.exit_code {
        page.push_str(&format!(" · exit {code}"));
    }
    if !story.changes.is_empty() {
        page.push_str(&format!(" · {} changed", story.changes.len()));
    }
    page.push_str(&format!(
        " · {}</span>",
        words::duration(result.duration_ms)
    ));
}

/// Who decided, and why it was asked.
fn asked(story: &CallStory, page: &mut String) {
    if let Some((ruling, rule)) = &story.judged {
        page.push_str(&format!("<p class=\"label\">Ruled: {} by ", ruling.name()));
        push(rule, page);
        page.push_str("</p>\n");
    }
    if let Some(approval) = &story.approval {
        page.push_str("<p class=\"label\">Asked: ");
        push(&approval.reason, page);
        page.push_str("</p>\n");
    }
    if let Some(settled) = &story.settled {
        let verdict = if settled.allowed {
            "Allowed"
        } else {
            "Refused"
        };
        page.push_str(&format!(
            "<p class=\"label\">{verdict} by {}{}",
            words::settled_by(settled.by),
            words::lasting(settled.scope)
        ));
        if settled.amended {
            page.push_str(", changed");
        }
        if let Some(note) = &settled.note {
            page.push_str(": ");
            push(note, page);
        }
        page.push_str("</p>\n");
    }
}

fn labelled(label: &str, page: &mut String) {
    page.push_str(&format!("<p class=\"label\">{label}</p>\n"));
}

fn pre(text: &str, page: &mut String) {
    page.push_str("<pre>");
    push(text, page);
    page.push_str("</pre>\n");
}

fn coloured(diff: &str, page: &mut String) {
    page.push_str("<pre class=\"diff\">");
    for line in diff.lines() {
        let class = match line.as_bytes().first() {
            Some(b'+') => "add",
            Some(b'-') => "del",
            Some(b'@') => "hunk",
            _ => "",
        };
        if class.is_empty() {
            push(line, page);
            page.push('\n');
        } else {
            page.push_str(&format!("<span class=\"{class}\">"));
            push(line, page);
            page.push_str("</span>");
        }
    }
    page.push_str("</pre>\n");
}

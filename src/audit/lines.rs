//! Decisions for people: a line each, in columns, under the session that they
//! belong to.

use greenroom_protocol::session::{Millis, Scope, SessionId};

use super::record::Record;

/// The widest that the columns before the last become, in characters.
const WIDEST_TOOL: usize = 16;
const WIDEST_SUMMARY: usize = 60;
/// What the summary keeps of a narrow line.
const NARROWEST_SUMMARY: usize = 16;

/// Writes decisions line by line.
pub struct Lines {
    /// Where a line is cut; nothing when it never is.
    width: Option<usize>,
    place: usize,
    tool: usize,
    summary: usize,
    told: Option<SessionId>,
}

impl Lines {
    /// Columns for these decisions. `width` is the terminal's; a line is never
    /// wrapped.
    pub fn of(decisions: &[Record], width: Option<usize>) -> Lines {
        let widest = |column: fn(&Record) -> String| {
            let widths = decisions
                .iter()
                .map(|record| column(record).chars().count());
            widths.max().unwrap_or(0)
        };
        let place = widest(place);
        let tool = widest(|it| one_line(&it.tool)).min(WIDEST_TOOL);
        // The half of what a line has left.
        let room = width.map(|width| width.saturating_sub(fixed(place, tool)) / 2);
        let room = room.unwrap_or(WIDEST_SUMMARY);
        Lines {
            width,
            place,
            tool,
            summary: widest(|it| one_line(&it.summary))
                .min(room.clamp(NARROWEST_SUMMARY, WIDEST_SUMMARY)),
            told: None,
        }
    }

    /// The line of a decision with its end, behind the line that names its
    /// session when that is another one than before.
    pub fn line(&mut self, record: &Record) -> String {
        let mut text = String::new();
        if self.told.as_ref() != Some(&record.session) {
            if self.told.is_some() {
                text.push('\n');
            }
            let mut head = format!("session {} in {}", record.session, one_line(&record.root));
            if let Some(parent) = &record.parent {
                head.push_str(&format!(", started by {parent}"));
            }
            self.push(&head, &mut text);
            self.told = Some(record.session.clone());
        }
        let line = format!(
            "{}  {:<7}  {:<8}  {:<place$}  {:<tool$}  {:<summary$}  {}",
            time(record.at),
            record.verdict.name(),
            record.by.name(),
            place(record),
            cut(&one_line(&record.tool), self.tool),
            cut(&one_line(&record.summary), self.summary),
            reason(record),
            place = self.place,
            tool = self.tool,
            summary = self.summary,
        );
        self.push(&line, &mut text);
        text
    }

    fn push(&self, line: &str, text: &mut String) {
        let line = line.trim_end();
        match self.width {
            Some(width) => text.push_str(&cut(line, width)),
            None => text.push_str(line),
        }
        text.push('\n');
    }
}

/// What stands before the summary.
fn fixed(place: usize, tool: usize) -> usize {
    19 + 2 + 7 + 2 + 8 + 2 + place + 2 + tool + 2
}

/// `t3 c7`: the turn and the call.
fn place(record: &Record) -> String {
    match record.turn {
        Some(turn) => format!("t{turn} {}", record.call),
        None => record.call.to_string(),
    }
}

/// What ruled, why, and what was answered.
fn reason(record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    // Many a reason names what ruled.
    let label = record.rule.split(" on ").next().unwrap_or_default();
    let is_said = record.why.contains(label);
    for text in [(!is_said).then_some(&record.rule), Some(&record.why)] {
        parts.extend(text.map(|text| one_line(text)).filter(|it| !it.is_empty()));
    }
    if let Some(answer) = &record.answer {
        if answer.amended {
            parts.push("changed".to_owned());
        }
        parts.extend(lasting(answer.scope).map(str::to_owned));
        if let Some(note) = &answer.note {
            parts.push(format!("{:?}", one_line(note)));
        }
    }
    parts.join("; ")
}

/// How long an answer holds, when longer than for its call.
fn lasting(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Once => None,
        Scope::Session => Some("for the session"),
        Scope::Project => Some("for the project"),
        Scope::User => Some("for the user"),
    }
}

/// `2026-12-01 08:00:05`, UTC.
fn time(at: Millis) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(millis) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => "unknown".to_owned(),
    }
}

/// What others wrote may have several lines, and control characters that a
/// terminal would act on.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(is_unseen, "?")
}

/// Control characters, and those that turn the direction of what follows.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// At most so many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

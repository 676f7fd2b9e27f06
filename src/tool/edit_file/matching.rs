//! One replacement in a text: exact first, then apart from blanks.

use super::loose;

/// What is to be replaced by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    /// Not empty.
    pub old: String,
    /// Different from `old`.
    pub new: String,
    /// At every place.
    pub all: bool,
}

/// A text with a replacement made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Applied {
    /// The new text.
    pub text: String,
    /// At how many places.
    pub places: usize,
    /// Whether blanks were forgiven.
    pub forgiven: bool,
}

/// Why a replacement cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// `old` stands nowhere.
    Nowhere,
    /// What comes of it would be too large.
    TooLarge,
    /// It stands at several places, on these lines (from 1; the first few).
    Several {
        /// The first lines.
        lines: Vec<usize>,
        /// Whether that is so only apart from blanks.
        forgiven: bool,
    },
}

/// The most places that are told of.
const TOLD: usize = 10;

/// Makes the replacement, with the text's own line endings. What comes of it has
/// at most `most` bytes: a small edit of many places may add up to anything.
pub(super) fn apply(text: &str, edit: &Replacement, most: usize) -> Result<Applied, Mismatch> {
    let ending = Ending::of(text);
    let old = ending.put_into(&edit.old);
    // The text's own endings first: in a CRLF file, a bare `\n` at the head of
    // `old` would match the second half of an ending.
    if let Some(found) = exact(text, &old, &ending.put_into(&edit.new), edit.all, most) {
        return found;
    }
    if old != edit.old
        && let Some(found) = exact(text, &edit.old, &edit.new, edit.all, most)
    {
        return found;
    }
    let found = loose::places(text, &edit.old);
    match found.as_slice() {
        [] => Err(Mismatch::Nowhere),
        [place] => {
            if text.len().saturating_add(place.longest(&edit.new)) > most {
                return Err(Mismatch::TooLarge);
            }
            let (range, new) = place.replacement(text, &edit.old, &edit.new);
            let mut after = text.to_owned();
            after.replace_range(range, &ending.put_into(&new));
            Ok(Applied {
                text: after,
                places: 1,
                forgiven: true,
            })
        }
        several => Err(Mismatch::Several {
            lines: several.iter().take(TOLD).map(|place| place.line).collect(),
            forgiven: true,
        }),
    }
}

/// Replaces `old` as it is written; nothing when it stands nowhere.
fn exact(
    text: &str,
    old: &str,
    new: &str,
    all: bool,
    most: usize,
) -> Option<Result<Applied, Mismatch>> {
    let first = text.find(old)?;
    let places = if all { text.matches(old).count() } else { 1 };
    let rest = text.len() - places * old.len();
    if rest.saturating_add(places.saturating_mul(new.len())) > most {
        return Some(Err(Mismatch::TooLarge));
    }
    if all {
        return Some(Ok(Applied {
            text: text.replace(old, new),
            places,
            forgiven: false,
        }));
    }
    let starts = overlapping(text, old, first);
    if starts.len() > 1 {
        return Some(Err(Mismatch::Several {
            lines: starts.iter().map(|start| line_of(text, *start)).collect(),
            forgiven: false,
        }));
    }
    let mut after = text.to_owned();
    after.replace_range(first..first + old.len(), new);
    Some(Ok(Applied {
        text: after,
        places: 1,
        forgiven: false,
    }))
}

/// Where `old` starts, overlapping places included: `aa` is twice in `aaa`.
fn overlapping(text: &str, old: &str, first: usize) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut starts = vec![first];
    let mut from = first + step;
    while starts.len() < TOLD
        && let Some(found) = text.get(from..).and_then(|rest| rest.find(old))
    {
        starts.push(from + found);
        from += found + step;
    }
    starts
}

/// The line (from 1) that a byte lies on.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// How most of a text's lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Lf,
    CrLf,
    /// There is only one line: nothing to go by.
    Unknown,
}

impl Ending {
    fn of(text: &str) -> Ending {
        let all = text.matches('\n').count();
        let crlf = text.matches("\r\n").count();
        match all {
            0 => Ending::Unknown,
            _ if crlf > all - crlf => Ending::CrLf,
            _ => Ending::Lf,
        }
    }

    fn put_into(self, text: &str) -> String {
        match self {
            Ending::Unknown => text.to_owned(),
            Ending::Lf => text.replace("\r\n", "\n"),
            Ending::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}

//! Places where whole lines match apart from blanks: at their ends, or all
//! indented by the same.

use std::ops::Range;

/// A place where lines match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoosePlace {
    /// The first line, from 1.
    pub line: usize,
    shift: Shift,
    /// The bytes of the lines, without the last one's ending.
    body: Range<usize>,
    /// How long the last line's ending is.
    ending: usize,
}

/// How the text's lines are indented, seen from the lines looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shift {
    /// By this more.
    More(String),
    /// By this less.
    Less(String),
}

/// Every place where all lines of `old` match; those that differ only at line
/// ends, if there are any, or else those with another indentation.
pub(super) fn places(text: &str, old: &str) -> Vec<LoosePlace> {
    let wanted: Vec<&str> = lines(old).map(str::trim_end).collect();
    let Some(key) = wanted.iter().position(|line| !line.is_empty()) else {
        return Vec::new();
    };
    let starts = line_starts(text);
    let key_line = wanted.get(key).map_or("", |line| line.trim_start());
    let mut found = Vec::new();
    for at in 0..starts.len() {
        if line(text, &starts, at).trim() != key_line || at < key {
            continue;
        }
        if let Some(shift) = shift_at(text, &starts, at - key, &wanted) {
            found.push(place(text, &starts, at - key, wanted.len(), shift));
        }
    }
    let same = |place: &LoosePlace| place.shift == Shift::More(String::new());
    if found.iter().any(same) {
        found.retain(same);
    }
    found
}

impl LoosePlace {
    /// The most bytes that the replacement may have: each line ends and is
    /// indented as the place is.
    pub fn longest(&self, new: &str) -> usize {
        let lines = new.matches('\n').count() + 1;
        let more = match &self.shift {
            Shift::More(more) => more.len() + 1,
            Shift::Less(_) => 1,
        };
        new.len().saturating_add(lines.saturating_mul(more))
    }

    /// The bytes to replace, and what `new` is there: indented as the place is.
    pub fn replacement(&self, text: &str, old: &str, new: &str) -> (Range<usize>, String) {
        let mut shifted = String::with_capacity(new.len());
        for line in new.split_inclusive('\n') {
            shifted.push_str(&self.shift.apply(line));
        }
        let mut range = self.body.clone();
        if old.ends_with('\n') {
            range.end = (range.end + self.ending).min(text.len());
            // The text's last line had no ending: it gets none now.
            if self.ending == 0 && shifted.ends_with('\n') {
                shifted.pop();
                if shifted.ends_with('\r') {
                    shifted.pop();
                }
            }
        }
        (range, shifted)
    }
}

impl Shift {
    /// The shift from one line to another with the same letters.
    fn between(wanted: &str, there: &str) -> Option<Shift> {
        let wanted = indentation(wanted);
        let there = indentation(there);
        if let Some(more) = there.strip_suffix(wanted) {
            Some(Shift::More(more.to_owned()))
        } else {
            let less = wanted.strip_suffix(there)?;
            Some(Shift::Less(less.to_owned()))
        }
    }

    fn apply(&self, line: &str) -> String {
        if line.trim().is_empty() {
            return line.to_owned();
        }
        match self {
            Shift::More(more) => format!("{more}{line}"),
            Shift::Less(less) => match line.strip_prefix(less.as_str()) {
                Some(rest) => rest.to_owned(),
                // Indented by even less than the shift: to the margin.
                None => line.trim_start().to_owned(),
            },
        }
    }
}

/// The one shift that makes all wanted lines match from line `first` on.
fn shift_at(text: &str, starts: &[u32], first: usize, wanted: &[&str]) -> Option<Shift> {
    if first + wanted.len() > starts.len() {
        return None;
    }
    let mut shift: Option<Shift> = None;
    for (offset, wanted) in wanted.iter().enumerate() {
        let there = line(text, starts, first + offset).trim_end();
        if there.trim_start() != wanted.trim_start() {
            return None;
        }
        if there.is_empty() {
            continue;
        }
        let here = Shift::between(wanted, there)?;
        match &shift {
            None => shift = Some(here),
            Some(same) if *same == here => {}
            Some(_) => return None,
        }
    }
    shift
}

fn place(text: &str, starts: &[u32], first: usize, count: usize, shift: Shift) -> LoosePlace {
    let last = line_range(text, starts, first + count - 1);
    let whole = text.get(last.clone()).unwrap_or_default();
    let bare = whole.strip_suffix('\n').unwrap_or(whole);
    let bare = bare.strip_suffix('\r').unwrap_or(bare);
    let ending = match whole.ends_with('\n') {
        true => whole.len() - bare.len(),
        false => 0,
    };
    LoosePlace {
        line: first + 1,
        shift,
        body: line_range(text, starts, first).start..last.end - ending,
        ending,
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n')
}

fn indentation(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len())
        .unwrap_or_default()
}

/// Where lines start. Small numbers, since a text may be all line ends.
fn line_starts(text: &str) -> Vec<u32> {
    let after_ends = text.match_indices('\n').map(|(end, _)| end + 1);
    std::iter::once(0)
        .chain(after_ends.filter(|start| *start < text.len()))
        .filter_map(|start| u32::try_from(start).ok())
        .collect()
}

fn line<'a>(text: &'a str, starts: &[u32], at: usize) -> &'a str {
    text.get(line_range(text, starts, at)).unwrap_or_default()
}

fn line_range(text: &str, starts: &[u32], at: usize) -> Range<usize> {
    let bound = |at: usize| starts.get(at).map_or(text.len(), |start| *start as usize);
    bound(at)..bound(at + 1)
}

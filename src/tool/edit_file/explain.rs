//! Why a replacement failed, with the lines that were probably meant.

use std::fmt::Write as _;
use std::time::Duration;

use similar::TextDiff;

use super::super::text::short_line;
use super::matching::{Mismatch, Replacement, line_of};

/// Lines that are compared at all, and bytes of each: a failed edit of a huge
/// file must not cost seconds.
const COMPARED_LINES: usize = 20_000;
const COMPARED_BYTES: usize = 200;
/// After this a comparison of two blocks is content with a rough answer.
const COMPARED_TIME: Duration = Duration::from_millis(50);
/// Lines that are shown, and bytes of each.
const SHOWN_LINES: usize = 12;
const SHOWN_BYTES: usize = 200;
/// Below this likeness nothing is shown.
const LIKE: f32 = 0.5;

/// In words, for the model.
pub(super) fn mismatch(text: &str, edit: &Replacement, mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Several { lines, forgiven } => {
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            let lines = lines.join(", ");
            match forgiven {
                true => format!(
                    "stands nowhere exactly, and apart from blanks at several places (lines \
                     {lines}): copy it exactly, with more lines around it"
                ),
                false => format!(
                    "stands at several places (lines {lines}): take more lines around it, or set \
                     `all` to replace every one"
                ),
            }
        }
        Mismatch::TooLarge => "would make the file too large".into(),
        Mismatch::Nowhere => nowhere(text, edit),
    }
}

fn nowhere(text: &str, edit: &Replacement) -> String {
    let mut why = String::from("does not stand in the file");
    let new = edit.new.trim();
    // Short texts stand anywhere by chance.
    if new.len() >= 8
        && let Some(at) = text.find(new)
    {
        let line = line_of(text, at);
        let _ = write!(
            why,
            "; the new text does, at line {line}: maybe it was edited already"
        );
        return why;
    }
    let Some(near) = nearest(text, &edit.old) else {
        let lines = text.lines().count();
        let _ = write!(why, " ({lines} lines), nor anything like it: read it again");
        return why;
    };
    let _ = write!(why, "; most like it is, at line {}:", near.first + 1);
    let wanted = edit.old.lines().count().max(1);
    for (offset, line) in near.lines.iter().take(SHOWN_LINES).enumerate() {
        let line = short_line(line, SHOWN_BYTES);
        let _ = write!(why, "\n{:>5} | {line}", near.first + 1 + offset);
    }
    if wanted > SHOWN_LINES {
        let _ = write!(why, "\n      … {} lines more", wanted - SHOWN_LINES);
    }
    why
}

struct Near<'a> {
    /// From 0.
    first: usize,
    lines: Vec<&'a str>,
    likeness: f32,
}

/// The lines that are most like a text. The line of it that tells most is
/// looked for first, by pairs of letters; then whole blocks are compared.
fn nearest<'a>(text: &'a str, old: &str) -> Option<Near<'a>> {
    let old: Vec<&str> = old.lines().collect();
    let key = (0..old.len()).max_by_key(|at| old.get(*at).map_or(0, |line| line.trim().len()))?;
    let wanted = Pairs::of(old.get(key)?);
    let lines: Vec<&str> = text.lines().take(COMPARED_LINES).collect();
    let mut best: Vec<(f32, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let likeness = wanted.likeness(&Pairs::of(line));
        let worst = best.last().map_or(0.0, |(worst, _)| *worst);
        if likeness > 0.3 && (best.len() < 5 || likeness > worst) {
            best.push((likeness, at));
            best.sort_by(|one, two| two.0.total_cmp(&one.0));
            best.truncate(5);
        }
    }
    let blocks = best.iter().filter_map(|(_, at)| {
        let first = at.saturating_sub(key);
        let block: Vec<&str> = lines.iter().skip(first).take(old.len()).copied().collect();
        let likeness = block_likeness(&old, &block);
        (likeness >= LIKE).then_some(Near {
            first,
            lines: block,
            likeness,
        })
    });
    blocks.reduce(|one, two| {
        if two.likeness > one.likeness {
            two
        } else {
            one
        }
    })
}

fn block_likeness(old: &[&str], block: &[&str]) -> f32 {
    let pack = |lines: &[&str]| {
        let short = lines.iter().take(20).map(|line| head(line.trim()));
        short.collect::<Vec<&str>>().join("\n")
    };
    let (old, block) = (pack(old), pack(block));
    TextDiff::configure()
        .timeout(COMPARED_TIME)
        .diff_chars(&old, &block)
        .ratio()
}

fn head(line: &str) -> &str {
    let end = line.floor_char_boundary(COMPARED_BYTES);
    line.get(..end).unwrap_or_default()
}

/// The pairs of neighbouring bytes in a line, sorted.
struct Pairs(Vec<(u8, u8)>);

impl Pairs {
    fn of(line: &str) -> Pairs {
        let bytes = head(line.trim()).as_bytes();
        let next = bytes.iter().skip(1);
        let mut pairs: Vec<(u8, u8)> = bytes.iter().copied().zip(next.copied()).collect();
        pairs.sort_unstable();
        Pairs(pairs)
    }

    /// From 0 (nothing in common) to 1 (the same pairs).
    fn likeness(&self, other: &Pairs) -> f32 {
        let total = self.0.len() + other.0.len();
        if total == 0 {
            return 0.0;
        }
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(left), Some(right)) = (one.peek(), two.peek()) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    one.next();
                    two.next();
                }
            }
        }
        2.0 * shared as f32 / total as f32
    }
}

//! Parsing, and what is said about a script that doesn't parse: where, what,
//! and the nearest known key.

use super::script::Script;

/// Parses a script; `name` is how errors call it.
pub(super) fn parse(name: &str, text: &str) -> Result<Script, String> {
    serde_yaml::from_str(text).map_err(|error| worded(name, &error))
}

fn worded(name: &str, error: &serde_yaml::Error) -> String {
    let said = error.to_string();
    let (place, what) = match error.location() {
        Some(at) => {
            let tail = format!(" at line {} column {}", at.line(), at.column());
            let what = said.strip_suffix(&tail).unwrap_or(&said).to_owned();
            (format!("{name}, line {}", at.line()), what)
        }
        None => (name.to_owned(), said),
    };
    let what = with_nearest(&what).unwrap_or(what);
    format!("script {place}: {what} (examples/scripts/README.md lists all keys)")
}

/// Serde names an unknown field or variant and all known ones, each in
/// backticks. The nearest known one helps more than the list; the list stays
/// when none is near.
fn with_nearest(said: &str) -> Option<String> {
    let (noun, at) = [("unknown field `", "key"), ("unknown variant `", "value")]
        .into_iter()
        .find_map(|(words, noun)| Some((noun, (said.find(words)?, words.len()))))?;
    let (path, rest) = said.split_at_checked(at.0)?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    let near = known
        .iter()
        .map(|key| (distance(unknown, key), key))
        .min()
        .filter(|(distance, key)| *distance <= key.len().max(unknown.len()) / 2);
    let hint = match near {
        Some((_, key)) => format!("the nearest known one is `{key}`"),
        None => format!("known are {}", known.join(", ")),
    };
    Some(format!("{path}unknown {noun} `{unknown}`: {hint}"))
}

/// How many letters must be put in, taken out, changed or swapped with their
/// neighbour to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let width = other.len() + 1;
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..width).collect();
    let mut previous = None;
    for (line, letter) in one.chars().enumerate() {
        let mut next = vec![line + 1];
        let mut before = None;
        for (column, wanted) in other.iter().enumerate() {
            let cell =
                |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let change = cell(&row, column) + usize::from(letter != *wanted);
            let mut least = change
                .min(cell(&row, column + 1) + 1)
                .min(cell(&next, column) + 1);
            if previous == Some(*wanted) && before == Some(letter) {
                least = least.min(cell(&above, column.wrapping_sub(1)) + 1);
            }
            next.push(least);
            before = Some(*wanted);
        }
        above = std::mem::replace(&mut row, next);
        previous = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

//! On which line of its file each rule begins. The YAML reader tells places of
//! errors alone, so a file that is sound is looked at once more.

use super::List;

/// The lines, from 1, of the rules of a list. Nothing when they do not stand
/// in the file as people write it: a number that is not sure is none.
pub(super) fn of_list(text: &str, list: List, rules: usize) -> Option<Vec<usize>> {
    let mut lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .zip(1..)
        .filter(|(line, _)| !is_blank(line));
    let (_, (flow, at)) = lines.by_ref().find_map(|(line, at)| {
        let rest = line.strip_prefix(list.name())?.strip_prefix(':')?;
        Some(((), (rest.trim(), at)))
    })?;
    let found = match flow.is_empty() || flow.starts_with('#') {
        true => of_block(lines),
        // All of them on the line of the key.
        false => match flow.starts_with('[') && ends(flow) {
            true => vec![at; rules],
            false => return None,
        },
    };
    (found.len() == rules).then_some(found)
}

/// Items that begin with a hyphen, all of them as far in as the first.
fn of_block<'a>(lines: impl Iterator<Item = (&'a str, usize)>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut depth = None;
    for (line, at) in lines {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let is_item = rest == "-" || rest.starts_with("- ");
        if indent == 0 && !is_item {
            break;
        }
        if is_item && *depth.get_or_insert(indent) == indent {
            found.push(at);
        }
    }
    found
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Whether a list that begins here also ends here.
fn ends(flow: &str) -> bool {
    let flow = flow.split(" #").next().unwrap_or_default();
    flow.trim_end().ends_with(']')
}

//! "Did you mean …": the nearest of some known names.

/// The known name that `given` was most likely meant to be; nothing when none
/// is near. Case, `-` and `_` count little.
pub(crate) fn nearest<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = plain(given);
    let allowed = (given.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (distance(&given, &plain(name)), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// ` (did you mean "x"?)` or nothing, to be added to a message.
pub(crate) fn hint<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(given, known) {
        Some(name) => format!(" (did you mean {name:?}?)"),
        None => String::new(),
    }
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// Edits between two names, where swapping two neighbours is one edit.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).collect();
    let right: Vec<char> = right.chars().take(64).collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, &l) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &r) in right.iter().enumerate() {
            let mut best = (last[column] + usize::from(l != r))
                .min(last[column + 1] + 1)
                .min(current[column] + 1);
            let swapped = row > 0 && column > 0 && l == right[column - 1] && left[row - 1] == r;
            if swapped {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_understood() {
        let known = ["max_steps", "turn_tokens", "turn_seconds", "mode"];
        let cases = [
            ("max_step", Some("max_steps")),
            ("maxSteps", Some("max_steps")),
            ("max-steps", Some("max_steps")),
            ("MODE", Some("mode")),
            ("mdoe", Some("mode")),
            ("turn_second", Some("turn_seconds")),
            ("temperature", None),
            ("x", None),
            ("", None),
        ];
        for (given, expected) in cases {
            assert_eq!(nearest(given, known), expected, "{given:?}");
        }
    }

    #[test]
    fn distances_count_edits_and_swaps() {
        let cases = [
            ("", "", 0),
            ("a", "", 1),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
        ];
        for (left, right, expected) in cases {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn a_hint_is_a_clause_or_nothing() {
        assert_eq!(hint("atuo", ["auto", "ask"]), " (did you mean \"auto\"?)");
        assert_eq!(hint("everything", ["auto", "ask"]), "");
    }
}

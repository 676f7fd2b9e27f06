//! The files that a text names: `@docs/style.md`, at the start of a word, and
//! not in code.

/// The names, in the order of the text.
pub(super) fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if in_fence {
            continue;
        }
        // Every second part stands between back-quotes.
        for prose in line.split('`').step_by(2) {
            names.extend(prose.split_whitespace().filter_map(name_of));
        }
    }
    names
}

/// The path in a word such as `(@docs/style.md).`
fn name_of(word: &str) -> Option<String> {
    let word = word.trim_start_matches(['(', '[', '"', '\'', '-', '*']);
    let name = word.strip_prefix('@')?;
    let name = name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '*']);
    (!name.is_empty()).then(|| name.to_owned())
}

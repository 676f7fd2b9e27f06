//! Words of text that cannot be read exactly, under several readings.

use super::is_deceptive;

/// No text is looked at beyond this many bytes: unreadable it is anyway.
const LOOKED_AT: usize = 64 * 1024;

/// Lists of words that a text might stand for: as it stands, with the usual
/// disguises of blanks undone, and each of them without its quotes. They show
/// what a text may run; that something is missing proves nothing.
pub fn suspects(text: &str) -> Vec<Vec<String>> {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let plain = text[..end].replace("\\\n", "");
    let undisguised = plain
        .replace("${IFS}", " ")
        .replace("$IFS$9", " ")
        .replace("$IFS", " ")
        .replace("$'\\n'", "\n")
        .replace("$'", "'")
        .replace("$\"", "\"");
    let mut readings = vec![plain, undisguised];
    for at in 0..readings.len() {
        let unquoted = readings[at].replace(['\'', '"', '\\'], "");
        readings.push(unquoted);
    }
    // `alias.x=!rm -r y`: git's mark of a command.
    if text.contains('!') {
        readings.push(readings[2].replace("=!", " ").replace('!', " "));
    }
    readings.dedup();
    readings.iter().map(|reading| words(reading)).collect()
}

fn words(reading: &str) -> Vec<String> {
    let between = |c: char| c.is_whitespace() || ";&|()`<>${},".contains(c) || is_deceptive(c);
    reading
        .split(between)
        .map(|word| word.trim_matches(['"', '\'', '\\', '!']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

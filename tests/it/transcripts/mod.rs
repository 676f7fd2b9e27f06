//! Whole dialogues over the real binary, one a file.
//!
//! | line | meaning |
//! |---|---|
//! | `# …` | a comment |
//! | `@ …` | a line of the script that the model plays, or the name of an example |
//! | `& …` | a line of the configuration |
//! | `$ …` | flags |
//! | `+ path "text"` | a file of the workspace; its content is a JSON string |
//! | `% program script` | a program that commands find first |
//! | `> …` | a line is sent; neighbours go in one write |
//! | `! eof`, `! SIGINT`, `! SIGTERM` | the input ends, a signal comes |
//! | `! touch path` | a file of the workspace appears |
//! | `~ type [n]` | what is waited for then, instead of the answer to the last line sent: the n-th line of a type; `~ "id"`: a response |
//! | `~ by call` | calls run side by side, so their lines are shown call by call |
//! | `< …` | must have come by then |
//! | `= 0` | the exit code |
//!
//! `UPDATE_EXPECT=1` rewrites `<` and `=` lines. Ids, times, durations and
//! folders are replaced by names, see `normal`.

mod file;
mod normal;
mod play;

use std::path::Path;

use crate::support::invariants::Wire;
use crate::support::repository;

#[test]
fn hm() {
    check_all("hm", Wire::Hm);
}

#[test]
fn autohand() {
    check_all("autohand", Wire::Autohand);
}

fn check_all(folder: &str, wire: Wire) {
    let folder = repository().join("tests/transcripts").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder:?} has no transcript");
    // `TRANSCRIPT=approve` plays those alone whose name has it.
    if let Ok(only) = std::env::var("TRANSCRIPT") {
        files.retain(|file| file.to_string_lossy().contains(&only));
    }
    // Two at a time: one waits for its process while the other works.
    let (one, other) = files.split_at(files.len() / 2);
    let failed: Vec<String> = std::thread::scope(|scope| {
        let halves = [one, other].map(|half| scope.spawn(move || check_each(half, wire)));
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

fn check_each(files: &[std::path::PathBuf], wire: Wire) -> Vec<String> {
    files
        .iter()
        .filter_map(|path| check(path, wire).err())
        .collect()
}

/// Plays one transcript; in words how it differs.
fn check(path: &Path, wire: Wire) -> Result<(), String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let file = file::File::read(&text).map_err(|error| format!("{name}: {error}"))?;
    let played = std::panic::catch_unwind(|| play::play(&file, wire));
    let played = played.map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        format!("{name}: {said}")
    })?;
    let played = file.with(&played);
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|it| it == "1") {
        std::fs::write(path, played).unwrap();
        return Ok(());
    }
    match first_difference(&text, &played) {
        None => Ok(()),
        Some(difference) => Err(format!("{name}:{difference}")),
    }
}

fn first_difference(wanted: &str, came: &str) -> Option<String> {
    let (mut wanted, mut came) = (wanted.lines(), came.lines());
    let mut number = 1;
    loop {
        match (wanted.next(), came.next()) {
            (None, None) => return None,
            (one, other) if one == other => number += 1,
            (one, other) => {
                let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
                let (one, other) = (shown(one), shown(other));
                return Some(format!("{number}\n  wanted {one}\n  came   {other}"));
            }
        }
    }
}

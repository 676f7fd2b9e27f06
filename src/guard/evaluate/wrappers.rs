//! Commands in commands: `timeout 9 go test`, `sudo rm`, `sh -c '…'`.

use super::programs::{KEEP_FOR_LATER, carries_commands, is_shell};
use crate::guard::matching::base_name;

/// No more words than this are tried as beginnings of commands.
pub(super) const MOST_SUFFIXES: usize = 200;

/// A command, taken apart as far as is known.
pub(super) struct Peeled<'a> {
    /// Every command that may be run, the outermost first.
    pub layers: Vec<&'a [&'a str]>,
    /// The innermost that is certainly what is run.
    pub inner: &'a [&'a str],
    /// A script that a shell is given.
    pub script: Option<Script>,
    /// Arguments in which a script may stand.
    pub texts: &'a [&'a str],
    /// Whether it keeps its arguments to run them later.
    pub later: bool,
    /// Whether not all of it was looked at.
    pub too_long: bool,
}

/// A script that a shell is given.
pub(super) struct Script {
    pub text: String,
    /// Whether it is certain that this and nothing else is run.
    pub certain: bool,
}

/// Takes a command apart. `argv` must not be empty.
pub(super) fn peel<'a>(argv: &'a [&'a str]) -> Peeled<'a> {
    let mut peeled = Peeled {
        layers: vec![argv],
        inner: argv,
        script: None,
        texts: &[],
        later: false,
        too_long: false,
    };
    let mut current = argv;
    // As long as every wrapper is known to run exactly what follows it.
    while let Some((program, words)) = current.split_first() {
        let name = base_name(program).to_ascii_lowercase();
        let exact = **program == name;
        peeled.inner = current;
        if is_shell(&name) {
            peeled.script = script(words, exact);
            peeled.texts = words;
            try_suffixes(&mut peeled, words);
            return peeled;
        }
        if name == "eval" {
            let text = words.join(" ");
            let certain = false;
            peeled.script = Some(Script { text, certain });
            return peeled;
        }
        if KEEP_FOR_LATER.contains(&name.as_str()) {
            peeled.texts = words;
            peeled.later = true;
            return peeled;
        }
        match transparent(&name, words) {
            Some(behind) if exact && behind < words.len() => {
                current = &words[behind..];
                peeled.layers.push(current);
            }
            _ => {
                if carries_commands(&name, current) {
                    peeled.texts = words;
                    try_suffixes(&mut peeled, words);
                }
                return peeled;
            }
        }
    }
    peeled
}

/// Every word may begin a command.
fn try_suffixes<'a>(peeled: &mut Peeled<'a>, words: &'a [&'a str]) {
    peeled.too_long |= words.len() > MOST_SUFFIXES;
    let starts = (0..words.len()).take(MOST_SUFFIXES);
    peeled.layers.extend(starts.map(|at| &words[at..]));
}

/// How many words of a wrapper's own stand before the command that it runs;
/// nothing when that is not certain.
fn transparent(name: &str, words: &[&str]) -> Option<usize> {
    let first = words.first()?;
    match name {
        "nohup" | "noglob" | "time" => (!first.starts_with('-')).then_some(0),
        "nice" if *first == "-n" => {
            let level = words.get(1)?.parse::<i32>();
            level.is_ok().then_some(2)
        }
        "nice" => (!first.starts_with('-')).then_some(0),
        "timeout" => {
            const FLAGS: &[&str] = &["--foreground", "--preserve-status", "-v", "--verbose"];
            const WITH_VALUE: &[&str] = &["-k", "-s", "--kill-after", "--signal"];
            let mut at = 0;
            while let Some(word) = words.get(at) {
                match word {
                    word if FLAGS.contains(word) => at += 1,
                    word if WITH_VALUE.contains(word) => at += 2,
                    _ => break,
                }
            }
            is_duration(words.get(at)?).then_some(at + 1)
        }
        "stdbuf" => {
            let is_buffering = |word: &&&str| {
                let mut letters = word.chars();
                letters.next() == Some('-')
                    && matches!(letters.next(), Some('i' | 'o' | 'e'))
                    && matches!(letters.as_str(), "0" | "L")
            };
            Some(words.iter().take_while(is_buffering).count()).filter(|count| *count > 0)
        }
        _ => None,
    }
}

fn is_duration(word: &str) -> bool {
    let number = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(word);
    let digits = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    digits && number.parse::<f64>().is_ok()
}

/// The script of `sh -c script`.
fn script(words: &[&str], exact: bool) -> Option<Script> {
    let is_command =
        |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let at = words.iter().position(is_command)?;
    let text = (*words.get(at + 1)?).to_owned();
    let plain = at == 0 && words.len() == 2 && matches!(words.first(), Some(&"-c" | &"-lc"));
    Some(Script {
        text,
        certain: plain && exact,
    })
}

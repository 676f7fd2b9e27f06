//! What a grant for the session covers: keys that are equal for like calls, and
//! the same in words.

use greenroom_actors::ports::Likeness;

use super::evaluate::Scene;
use super::matching::Address;
use super::shell::{self, Direction, Join, Simple, Word};

/// Edits in the same folders.
pub(super) fn edits<'a>(paths: impl Iterator<Item = &'a str>) -> Likeness {
    let folder = |path: &'a str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders: Vec<&str> = paths.map(folder).collect();
    folders.sort_unstable();
    folders.dedup();
    let named = |folder: &&str| match *folder {
        "" => "/".to_owned(),
        folder => shown(folder),
    };
    let names: Vec<String> = folders.iter().map(named).collect();
    Likeness {
        key: format!("edit\0{}", folders.join("\0")).into(),
        covers: format!("edits in {}", names.join(", ")).into(),
    }
}

/// Requests to the same host.
pub(super) fn host(address: &Address) -> Likeness {
    Likeness {
        key: format!("web\0{}", address.host).into(),
        covers: format!("requests to {}", shown(&address.host)).into(),
    }
}

/// Calls of the same tool of the same server.
pub(super) fn mcp(name: &str) -> Likeness {
    Likeness {
        key: format!("mcp\0{name}").into(),
        covers: format!("calls of {}", shown(name)).into(),
    }
}

/// Sub-agents of the same kind, whatever they are to do: what they do is judged
/// by itself.
pub(super) fn agent(name: &str) -> Likeness {
    Likeness {
        key: format!("agent\0{name}").into(),
        covers: format!("sub-agents of the kind {}", shown(name)).into(),
    }
}

/// The same commands in the same folder; of a few programs the same sub-command
/// with any harmless arguments. Of a line that cannot be read: the line itself,
/// but then no grant is offered.
pub(super) fn shell(scene: &Scene<'_>, line: &str, cwd: &str) -> Likeness {
    let mut key = format!("shell\0{cwd}");
    let mut covers = String::new();
    let Ok(commands) = shell::read(line, scene.dialect) else {
        return Likeness {
            key: format!("{key}\0{line}").into(),
            covers: shown(line).into(),
        };
    };
    for command in &commands {
        let head = familiar(scene, command, cwd);
        let words = match head {
            Some(head) => familiar_key(command, head),
            None => exact_key(command),
        };
        // No word holds a control character but tab and newline.
        key.push('\0');
        key.push_str(&words.join("\u{1}"));
        covers.push_str(operator(command.join));
        covers.push_str(&match head {
            Some(head) => format!("{} …", listed(head)),
            None => exact_words(command),
        });
    }
    if cwd != scene.root {
        covers.push_str(" in ");
        covers.push_str(&shown(cwd));
    }
    Likeness {
        key: key.into(),
        covers: covers.into(),
    }
}

/// A command to the letter.
fn exact_key(command: &Simple) -> Vec<String> {
    let mut words = vec![format!("{:?}", command.join)];
    words.extend(
        command
            .assignments
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    // Apart, so that no argument is taken for an assignment.
    words.push(String::new());
    words.extend(command.argv.iter().map(|word| word.text.clone()));
    let redirect = |it: &shell::Redirect| format!("{:?}\u{2}{}", it.direction, it.target.text);
    words.extend(command.redirects.iter().map(redirect));
    words
}

/// A command that begins so, with any harmless arguments.
fn familiar_key(command: &Simple, head: &[Word]) -> Vec<String> {
    let mut words = vec![format!("{:?}", command.join), "…".to_owned()];
    words.extend(head.iter().map(|word| word.text.clone()));
    words
}

/// A command to the letter, for people.
fn exact_words(command: &Simple) -> String {
    let assigned = command.assignments.iter();
    let mut words: Vec<String> = assigned
        .map(|(name, value)| format!("{name}={}", shown(value)))
        .collect();
    words.extend(command.argv.iter().map(|word| shown(&word.text)));
    let redirect = |it: &shell::Redirect| {
        let sign = match it.direction {
            Direction::From => '<',
            Direction::To => '>',
        };
        format!("{sign} {}", shown(&it.target.text))
    };
    words.extend(command.redirects.iter().map(redirect));
    words.join(" ")
}

fn listed(words: &[Word]) -> String {
    let words: Vec<String> = words.iter().map(|word| shown(&word.text)).collect();
    words.join(" ")
}

fn operator(join: Join) -> &'static str {
    match join {
        Join::First => "",
        Join::And => " && ",
        Join::Or => " || ",
        Join::Then => "; ",
        Join::Background => " & ",
        Join::Pipe => " | ",
    }
}

/// A text as it stands when nothing in it could be mistaken, else in quotes.
fn shown(text: &str) -> String {
    let clear = |c: char| c.is_alphanumeric() || "-_./:=,@%+~".contains(c);
    match !text.is_empty() && text.chars().all(clear) {
        true => text.to_owned(),
        false => format!("{text:?}"),
    }
}

/// Programs and sub-commands that are granted with any harmless arguments.
const FAMILIAR: &[(&str, &[&str])] = &[
    (
        "go",
        &["build", "test", "vet", "fmt", "list", "doc", "version"],
    ),
    (
        "cargo",
        &[
            "build", "test", "check", "clippy", "fmt", "doc", "bench", "tree", "metadata",
        ],
    ),
    ("git", &["status", "diff", "log"]),
];

/// Options of these that run other programs, write elsewhere or read other
/// configuration.
const HARMFUL: &[&str] = &[
    "-exec",
    "-toolexec",
    "-vettool",
    "-o",
    "-C",
    "-modfile",
    "-overlay",
    "-outputdir",
    "-ldflags",
    "-gcflags",
    "-asmflags",
    "-gccgoflags",
    "-compiler",
    "-pkgdir",
    "--config",
    "-Z",
    "--target-dir",
    "--manifest-path",
    "--output",
    "--ext-diff",
    "--textconv",
    "--no-index",
    "--out-dir",
    "--artifact-dir",
    "--prefix",
    "--script-shell",
    "-mod",
    "-test",
];

/// `go test` of `go test ./x`; nothing when the arguments are not harmless.
fn familiar<'c>(scene: &Scene<'_>, command: &'c Simple, cwd: &str) -> Option<&'c [Word]> {
    if !command.assignments.is_empty() || !command.redirects.is_empty() {
        return None;
    }
    let argv: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    let (kept, rest) = match argv.as_slice() {
        ["npm", "run", script, rest @ ..] if !script.starts_with('-') => (3, rest),
        [program, sub, rest @ ..] => {
            let known = FAMILIAR.iter().find(|(name, _)| name == program)?;
            known.1.contains(sub).then_some((2, rest))?
        }
        _ => return None,
    };
    let harmful = |word: &&str| {
        let name = word.split('=').next().unwrap_or(word);
        let single = name.strip_prefix('-').unwrap_or(name);
        HARMFUL.iter().any(|it| {
            *it == name || *it == single || it.starts_with(name) && name.starts_with("--")
        })
    };
    let harmless = !rest.iter().any(harmful)
        && !command.argv.iter().any(|word| word.glob)
        && rest.iter().all(|word| scene.lies_inside(word, cwd));
    match harmless {
        true => command.argv.get(..kept),
        false => None,
    }
}

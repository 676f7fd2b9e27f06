//! What a grant for the session covers, as keys that are equal for like calls.

use super::evaluate::Scene;
use super::matching::Address;
use super::shell::{self, Simple};

/// Edits in the same folders.
pub(super) fn edits<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let folder = |path: &'a str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut folders: Vec<&str> = paths.map(folder).collect();
    folders.sort_unstable();
    folders.dedup();
    format!("edit\0{}", folders.join("\0"))
}

/// Requests to the same host.
pub(super) fn host(address: &Address) -> String {
    format!("web\0{}", address.host)
}

/// Calls of the same tool of the same server.
pub(super) fn mcp(name: &str) -> String {
    format!("mcp\0{name}")
}

/// The same commands in the same folder; of a few programs the same sub-command
/// with any harmless arguments. Of a line that cannot be read: the line itself,
/// but then no grant is offered.
pub(super) fn shell(scene: &Scene<'_>, line: &str, cwd: &str) -> String {
    let mut key = format!("shell\0{cwd}");
    let Ok(commands) = shell::read(line, scene.dialect) else {
        return format!("{key}\0{line}");
    };
    for command in &commands {
        let words = match familiar(scene, command, cwd) {
            Some(words) => words,
            None => exact(command),
        };
        // No word holds a control character but tab and newline.
        key.push('\0');
        key.push_str(&words.join("\u{1}"));
    }
    key
}

/// A command to the letter.
fn exact(command: &Simple) -> Vec<String> {
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
fn familiar(scene: &Scene<'_>, command: &Simple, cwd: &str) -> Option<Vec<String>> {
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
    harmless.then(|| {
        let mut words = vec![format!("{:?}", command.join), "…".to_owned()];
        words.extend(argv.iter().take(kept).map(|word| (*word).to_owned()));
        words
    })
}

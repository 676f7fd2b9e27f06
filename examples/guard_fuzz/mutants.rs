//! Do random changes make an allowed command do what no rule allows?

use greenroom::guard::{Call, Scene, Verdict};
use greenroom_protocol::session::Mode;
use tokio::time::Instant;

use crate::rules::{BASE, pick, read};
use crate::stubs::{Shell, World};

const SEEDS: &[&str] = &[
    "go test ./...",
    "go build ./... && go test ./...",
    "git status",
    "git diff --stat HEAD",
    "cat src/a | head -n 3",
    "grep -n x src/a",
    "find . -name '*.go'",
    "npm run lint",
    "make check",
    "echo done",
    "sort src/a",
    "CI=1 go vet ./...",
    "timeout 9 go test",
    "nice -n 5 go test",
    "cd src && ls",
    "go test 2>&1 | wc -l",
    "ls > /dev/null",
    "bash -c 'go test'",
    "git commit -m 'a b'",
];

const INSERTED: &[&str] = &[
    ";",
    "&",
    "|",
    "&&",
    "||",
    "\n",
    "\r",
    " ",
    "\t",
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "#",
    "~",
    "*",
    "?",
    "[",
    "]",
    "!",
    "=",
    "-",
    "/",
    ".",
    "..",
    "é",
    "\u{200b}",
    "\u{a0}",
    "\u{b}",
    "evil",
    " evil ",
    ";evil",
    "|evil",
    "$(evil)",
    "`evil`",
    ">f9",
    " rm -rf x",
    "curl x",
    "-exec evil",
    "--output=f9",
    "-o f9",
    "A=1 ",
    "PATH=. ",
    "\\\n",
    "2>f9",
    "&>f9",
    "<(evil)",
    "$'",
    "env ",
    "sudo ",
    "xargs ",
    "sh -c evil",
    "/etc/shadow",
    "../..",
    "~/.ssh/id",
    "{a,b}",
    "-C /",
];

pub fn run(world: &World, until: Instant) -> usize {
    let rules = read(BASE);
    let root = world.root();
    let root = root.to_str().expect("plain text");
    let scene = Scene::plain(&rules, Mode::Ask, root, Some("/h"));
    let (mut tried, mut allowed, mut wrong) = (0, 0, 0);
    world.clean();
    let before = world.files();
    while Instant::now() < until {
        let line = mutant(pick(SEEDS));
        tried += 1;
        let decision = scene.decide(
            "shell",
            &Call::Shell {
                line: &line,
                cwd: root,
            },
        );
        if decision.verdict != Verdict::Allow {
            continue;
        }
        allowed += 1;
        let ran = world.run(Shell::Bash, &line);
        let outside: Vec<_> = ran.iter().filter(|call| !is_allowed(call)).collect();
        let written = world.files() != before;
        if !outside.is_empty() || written {
            wrong += 1;
            println!("  {line:?} ran {outside:?}, wrote: {written}");
            world.clean();
        }
    }
    println!("mutants: {tried} lines, {allowed} still allowed, {wrong} did what no rule allows");
    wrong
}

fn mutant(seed: &str) -> String {
    let mut chars: Vec<char> = seed.chars().collect();
    for _ in 0..fastrand::usize(1..4) {
        let at = fastrand::usize(..=chars.len());
        match fastrand::u8(..6) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 => {
                let from = fastrand::usize(..=chars.len());
                chars.swap_remove_range(at, from);
            }
            _ => {
                chars.splice(at..at, pick(INSERTED).chars());
            }
        }
    }
    chars.into_iter().collect()
}

/// Whether a part of a word is the name `.env`, or is glued to options as such.
fn names_env(word: &str) -> bool {
    let glued = |part: &str| {
        let options = part.strip_prefix('-').unwrap_or_default();
        options.trim_start_matches(|c: char| c.is_ascii_alphanumeric()) == ".env"
    };
    let mut parts = word.split(['/', '=', ':']);
    parts.any(|part| part == ".env" || glued(part))
}

trait SwapRange {
    fn swap_remove_range(&mut self, one: usize, other: usize);
}

impl SwapRange for Vec<char> {
    /// Takes a piece out, and puts it at the end.
    fn swap_remove_range(&mut self, one: usize, other: usize) {
        let piece: Vec<char> = self.drain(one.min(other)..one.max(other)).collect();
        self.extend(piece);
    }
}

/// What the rules allow, said a second time by other means.
fn is_allowed(call: &[String]) -> bool {
    let words: Vec<&str> = call.iter().map(String::as_str).collect();
    let banned = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let away = words.iter().any(|word| {
        word.starts_with("/etc")
            || word.contains("/h/.ssh")
            || names_env(word)
            || *word == "../.."
            || word.starts_with("../../")
    });
    match words.as_slice() {
        ["go", "test" | "build" | "vet", ..] => true,
        ["git", "status" | "diff" | "log" | "show" | "commit", ..] => {
            !banned(&["--output", "--ext-diff", "--textconv", "--no-index"])
                && !words.iter().any(|word| word.starts_with("--output="))
        }
        ["ls" | "cat" | "head" | "wc" | "grep", ..] => !away,
        ["find", ..] => !away && !banned(&["-exec", "-execdir", "-ok", "-delete", "-fprint"]),
        ["npm", "run", "lint", ..] | ["make", "check"] => true,
        ["sort", ..] => {
            let output = |word: &&str| {
                let name = word.split('=').next().unwrap_or(word);
                word.starts_with("-o") || (name.len() > 2 && "--output".starts_with(name))
            };
            !away && !words.iter().any(output)
        }
        // A script of a word that is allowed by itself.
        ["sh", "-c" | "-lc", script] => script.starts_with("go test"),
        // The wrappers are programs of ours here, so they do not run what follows.
        ["timeout" | "nice" | "nohup", rest @ ..] => {
            let inner = [
                "go", "git", "ls", "cat", "head", "wc", "grep", "find", "npm", "make", "sort",
                "echo", "nice", "nohup", "timeout", "cd", "bash",
            ];
            rest.iter().any(|word| inner.contains(word))
        }
        _ => false,
    }
}

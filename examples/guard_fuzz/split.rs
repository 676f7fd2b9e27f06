//! Does the recogniser split lines as the shells do?

use greenroom::guard::shell::{self, Dialect, Join, Simple};
use tokio::time::Instant;

use crate::rules::pick;
use crate::stubs::{PROGRAMS, Shell, World};

const PIECES: &[&str] = &[
    "aa",
    "bb",
    "cc",
    "aa ",
    "bb ",
    "cc ",
    " ",
    "\t",
    "\n",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "'",
    "\"",
    "\\",
    "\\\n",
    "#",
    " #",
    "a",
    "b",
    "é",
    "-x",
    "--y=z",
    "=",
    "A=1 ",
    "B=",
    "{}",
    "{",
    "}",
    "~",
    "~/a",
    "*",
    "?",
    "[",
    "<f1",
    ">f2",
    " 2>f3 ",
    ">>f2",
    ">|f2",
    "&>f2",
    "2>&1",
    ">&2",
    "<&-",
    "/dev/null",
    ">",
    "<",
    "12>f2",
    "2",
    "1",
    "!",
    ",",
    ":",
    "+",
    "^",
    "%",
    "@",
    "$",
    "`",
    "(",
    ")",
    "''",
    "\"\"",
    "'a b'",
    "\"c d\"",
    "\\ ",
    "\\'",
    "\"\\\"\"",
    "\"\\x\"",
    "if",
    "done",
    "\u{b}",
    "\u{c}",
    "\r",
    "\u{a0}",
    "\u{200b}",
];

pub fn run(world: &World, with: Shell, until: Instant) -> usize {
    let dialect = match with {
        Shell::Bash => Dialect::Bash,
        Shell::Dash => Dialect::Posix,
    };
    let (mut lines, mut accepted, mut exact, mut different) = (0, 0, 0, 0);
    while Instant::now() < until {
        // Most random lines are refused, which costs nothing.
        let line = line();
        lines += 1;
        let Ok(commands) = shell::read(&line, dialect) else {
            continue;
        };
        let globs = commands
            .iter()
            .any(|it| it.argv.iter().any(|word| word.glob));
        let ran_by_name = commands.iter().any(|it| !it.argv.is_empty());
        if globs || !ran_by_name {
            continue;
        }
        accepted += 1;
        // What runs in the background is waited for.
        let mut ran = world.run(with, &format!("{line}\nwait"));
        let mut said: Vec<Vec<String>> = commands.iter().filter_map(argv).collect();
        let all = all_run(&commands);
        exact += usize::from(all);
        ran.sort();
        said.sort();
        let fine = match all {
            true => ran == said,
            false => ran.iter().all(|call| said.contains(call)),
        };
        if !fine {
            different += 1;
            println!("  {line:?}: ran {ran:?}, said {said:?}");
        }
        if accepted % 500 == 0 {
            world.clean();
        }
    }
    world.clean();
    println!(
        "split by {}: {lines} lines, {accepted} accepted and run, {exact} of them compared call by \
         call, {different} different",
        with.name()
    );
    different
}

fn line() -> String {
    let mut line = String::from(pick(&["aa ", "bb ", "cc ", "A=1 aa ", ""]));
    for _ in 0..fastrand::usize(1..12) {
        line.push_str(pick(PIECES));
        if fastrand::u8(..) < 60 {
            line.push_str(pick(&[" ", "aa", "; bb ", " && cc "]));
        }
    }
    line
}

fn argv(command: &Simple) -> Option<Vec<String>> {
    let words = command.argv.iter().map(|word| match word.tilde {
        true => word.text.replacen('~', "/h", 1),
        false => word.text.clone(),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then_some(words)
}

/// Whether every command certainly runs: nothing fails before it.
fn all_run(commands: &[Simple]) -> bool {
    commands.iter().all(|command| {
        let known = match command.argv.first() {
            None => true,
            Some(name) => PROGRAMS.contains(&name.text.as_str()),
        };
        let targets = command
            .redirects
            .iter()
            .all(|it| matches!(it.target.text.as_str(), "f1" | "/dev/null"));
        command.join != Join::Or && known && targets
    })
}

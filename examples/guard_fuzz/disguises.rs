//! Do forbidden commands in disguise run unasked where all else is allowed?

use greenroom::guard::{Call, Scene, Verdict};
use greenroom_protocol::session::Mode;
use tokio::time::Instant;

use crate::rules::{OPEN, pick, read};
use crate::stubs::{Shell, World};

/// `@` stands for the forbidden command.
const CONTEXTS: &[&str] = &[
    "@",
    " @",
    "aa; @",
    "aa && @",
    "aa || @",
    "false || @",
    "aa | @",
    "@ | aa",
    "aa & @",
    "aa\n@",
    "(@)",
    "{ @; }",
    "! @",
    "$(@)",
    "`@`",
    "aa $(@)",
    "aa \"$(@)\"",
    "aa \"`@`\"",
    "aa <(@)",
    "if true; then @; fi",
    "for x in a; do @; done",
    "while @; do break; done",
    "until @; do break; done",
    "case a in a) @;; esac",
    "f() { @; }; f",
    "eval '@'",
    "eval \"@\"",
    "sh -c '@'; @",
    "A=1 @",
    "A=1 B=2 @",
    ">f2 @",
    "@ >f2",
    "2>/dev/null @",
    "command @",
    "builtin command @",
    "exec @",
    "time @",
    "time -p @",
    "coproc @",
    "trap '@' EXIT",
    "aa # x\n@",
    "aa <<E\nx\nE\n@",
    "cat <<E\n$(@)\nE",
    "[[ -n $(@) ]]",
    "((1)) && @",
    "x=$(@)",
    "x=`@`; aa",
    "a=(1 $(@))",
    "echo ${x:-$(@)}",
    "aa &>f2; @",
    "true && { aa; @; }",
    "\\\n@",
    "set -- a; @",
    "wait; @",
    "shopt -s expand_aliases; alias z='@'\nz",
    "function g { @; }; g",
    "select x in a; do @; break; done <<<1",
    "cd src && @",
    "cd src; @",
    "pushd src; @",
];

pub fn run(world: &World, until: Instant) -> usize {
    let rules = read(OPEN);
    let root = world.root();
    let root = root.to_str().expect("plain text");
    let scene = Scene::plain(&rules, Mode::Ask, root, Some("/h"));
    let (mut tried, mut real, mut denied, mut asked, mut unasked) = (0, 0, 0, 0, 0);
    while Instant::now() < until {
        let line = pick(CONTEXTS).replace('@', &forbidden());
        tried += 1;
        let verdict = scene
            .decide(
                "shell",
                &Call::Shell {
                    line: &line,
                    cwd: root,
                },
            )
            .verdict;
        let ran = world.run(Shell::Bash, &line);
        if !ran.iter().any(|call| is_forbidden(call)) {
            continue;
        }
        real += 1;
        match verdict {
            Verdict::Deny => denied += 1,
            Verdict::Ask => asked += 1,
            Verdict::Allow => {
                unasked += 1;
                println!("  {line:?} would run {ran:?}");
            }
        }
    }
    println!(
        "disguises: {tried} lines, {real} of them ran what is forbidden: {denied} denied, {asked} \
         asked, {unasked} would run unasked"
    );
    unasked
}

fn is_forbidden(call: &[String]) -> bool {
    let recursive = |word: &String| {
        let short = word.starts_with('-') && !word.starts_with("--");
        (short && word.contains(['r', 'R']))
            || (word.len() > 2 && "--recursive".starts_with(word.as_str()))
    };
    match call.first().map(String::as_str) {
        Some("rm") => call.iter().skip(1).any(recursive),
        Some("curl") => true,
        Some(_) => call.iter().any(|word| word.starts_with("/h/.ssh")),
        None => false,
    }
}

fn forbidden() -> String {
    let words: &[&str] = match fastrand::u8(..4) {
        0 => &["rm", "-r", "x"],
        1 => &["rm", "x", "--rec"],
        2 => &["curl", "x.example"],
        _ => &["cat", "/h/.ssh/id"],
    };
    let disguised = words.iter().map(|word| disguise(word));
    disguised
        .collect::<Vec<_>>()
        .join(pick(&[" ", "  ", "\t", " \\\n ", "${IFS}", "$IFS"]))
}

fn disguise(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    match fastrand::u8(..17) {
        0 => format!("'{word}'"),
        1 => format!("\"{word}\""),
        2 => format!("\\{word}"),
        3 => format!("{first}''{rest}"),
        4 => format!("{first}\"{rest}\""),
        5 => format!("{first}\\\n{rest}"),
        6 => format!("$'{word}'"),
        7 => {
            let hex = word.bytes().map(|byte| format!("\\x{byte:02x}"));
            format!("$'{}'", hex.collect::<String>())
        }
        8 => format!("${{u:-{word}}}"),
        9 => format!("{first}$@{rest}"),
        10 => format!("$(echo {word})"),
        11 => format!("`echo {word}`"),
        12 => format!("{first}${{u}}{rest}"),
        13 => format!("$\"{word}\""),
        14 => format!("{{{word},}}"),
        _ => word.to_owned(),
    }
}

//! Command lines: what each of their commands does, and where.

use greenroom_protocol::session::Category;

use super::Scene;
use super::programs::{MOVE, Use};
use super::tally::Tally;
use super::words::MOST_WORDS;
use crate::guard::decision::{Blame, excerpt};
use crate::guard::grants;
use crate::guard::matching::{ShellPattern, Trail};
use crate::guard::modes::Base;
use crate::guard::rules::{Opaque, Rule, Subject};
use crate::guard::shell::{self, Join, Simple};

/// Scripts in scripts are read to this depth.
const DEEPEST: usize = 4;

/// No more words behind a suspect one are looked at.
const SUSPECT_WINDOW: usize = 512;

/// Where a command runs.
pub(super) struct Folders {
    /// The folder, when it is certain.
    pub certain: Option<String>,
    /// Every folder that it may be, for suspicion.
    pub possible: Vec<String>,
}

/// A line that is being decided about.
pub(super) struct Reading {
    /// Whether every command is allowed: a rule says so, or mode full.
    pub wide: bool,
    pub depth: usize,
}

impl<'a> Scene<'a> {
    pub(super) fn shell(&self, line: &str, cwd: &str, by_tool: bool, tally: &mut Tally) {
        let trail = Trail::new(cwd);
        if !trail.is_in(self.root) {
            if self.mode != Base::Full {
                let reason = format!("{} lies outside the workspace", excerpt(trail.text()));
                tally.ask(Blame::Outside, reason);
            }
            tally.once_only();
        }
        if let Some(ground) = self.floor.ground(std::path::Path::new(trail.text()), true) {
            let reason = ground.reason(std::path::Path::new(trail.text()));
            match ground.is_final() {
                true => tally.deny(Blame::Floor, reason),
                false => tally.ask(Blame::Floor, reason),
            }
        }
        for rule in self.deny().filter(|rule| is_any(rule)) {
            tally.deny_by(rule, excerpt(line));
        }
        for rule in self.ask().filter(|rule| is_any(rule)) {
            tally.ask_by(rule, excerpt(line));
        }
        let any = self.allow().find(|rule| is_any(rule));
        let reading = Reading {
            wide: any.is_some() || by_tool || self.mode == Base::Full,
            depth: 0,
        };
        if let Some(rule) = any {
            tally.allow_by(rule);
        }
        self.line(line, trail.text(), &reading, tally);
        tally.offer(|| grants::shell(self, line, trail.text()));
    }

    /// Every command of a line or script.
    pub(super) fn line(&self, line: &str, cwd: &str, reading: &Reading, tally: &mut Tally) {
        if tally.is_denied() {
            return;
        }
        let read = match reading.depth > DEEPEST {
            true => Err(shell::Opaque("scripts in scripts in scripts")),
            false => shell::read(line, self.dialect),
        };
        let commands = match read {
            Ok(commands) => commands,
            Err(why) => {
                self.suspect(line, &[cwd.to_owned()], tally);
                return self.unreadable(why.0, reading.wide, tally);
            }
        };
        if commands.is_empty() {
            return tally.ask(Blame::Malformed, "the command is empty");
        }
        let mut folders = Folders {
            certain: Some(cwd.to_owned()),
            possible: vec![cwd.to_owned()],
        };
        let mut moved = false;
        for (at, command) in commands.iter().enumerate() {
            if moved && !matches!(command.join, Join::First | Join::And) {
                folders.certain = None;
            }
            self.simple(command, &folders, reading, tally);
            let piped = commands
                .get(at + 1)
                .is_some_and(|next| next.join == Join::Pipe);
            moved |= self.follow(command, piped, &mut folders);
        }
    }

    /// Follows a command that changes the folder; whether it may.
    fn follow(&self, command: &Simple, piped: bool, folders: &mut Folders) -> bool {
        let argv = &command.argv;
        let moves = |word: &shell::Word| MOVE.contains(&word.text.as_str());
        // Behind `command`, `builtin` and their like too.
        let Some(at) = argv.iter().take(4).position(moves) else {
            return false;
        };
        let to = &argv[at + 1..];
        let home = self.home.unwrap_or("/");
        let targets: Vec<&str> = match to.is_empty() {
            true => vec![home],
            false => to.iter().map(|word| word.text.as_str()).take(4).collect(),
        };
        let known = folders.possible.len();
        for from in 0..known.min(8) {
            for target in &targets {
                let folder = self.place(target, &folders.possible[from]).resolved;
                let folder = folder.text().to_owned();
                if !folders.possible.contains(&folder) && folders.possible.len() < 32 {
                    folders.possible.push(folder);
                }
            }
        }
        // Not certain that it is run, or in a shell of its own.
        let alone = !piped && !matches!(command.join, Join::Or | Join::Pipe);
        folders.certain = match (folders.certain.take(), to) {
            (Some(from), [target])
                if alone
                    && at == 0
                    && argv[0].text == "cd"
                    && !target.text.starts_with('-')
                    && !target.glob =>
            {
                Some(self.place(&target.text, &from).resolved.text().to_owned())
            }
            _ => None,
        };
        true
    }

    /// A command that cannot be read runs only where everything may and nothing
    /// is forbidden, unless the rules say otherwise.
    pub(super) fn unreadable(&self, why: &'static str, wide: bool, tally: &mut Tally) {
        let reason = || format!("the command cannot be read exactly: {why}");
        match self.rules.opaque {
            Opaque::Deny => return tally.deny(Blame::Unreadable(why), reason()),
            Opaque::Allow if wide => return,
            _ => {}
        }
        if !wide || self.rules.denies_commands(self.terms()) {
            // Where no rule would be slipped past it is the mode that asks.
            tally.ask(Blame::Unreadable(why), reason());
        }
    }

    /// Looks at every part of an unreadable text that may be a command or a path.
    pub(super) fn suspect(&self, text: &str, folders: &[String], tally: &mut Tally) {
        for words in shell::suspects(text) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for at in 0..words.len() {
                let end = words.len().min(at + SUSPECT_WINDOW);
                self.forbidden(&words[at..end], tally);
                if at < MOST_WORDS {
                    self.word(words[at], folders, Use::Unknown, tally);
                }
                if tally.is_denied() {
                    return;
                }
            }
        }
    }

    /// Whether a rule stops a command.
    pub(super) fn forbidden(&self, argv: &[&str], tally: &mut Tally) {
        let on = || excerpt(&argv[..argv.len().min(12)].join(" "));
        for rule in self.deny().filter(|rule| stops(rule, argv)) {
            tally.deny_by(rule, on());
        }
        for rule in self.ask().filter(|rule| stops(rule, argv)) {
            tally.ask_by(rule, on());
        }
    }

    /// Asks because no rule allows a command.
    pub(super) fn unproven(&self, tally: &mut Tally) {
        self.by_mode(Category::Shell, true, tally);
    }
}

/// The pattern of a rule about commands.
pub(super) fn pattern(rule: &Rule) -> Option<&ShellPattern> {
    match &rule.subject {
        Subject::Shell(pattern) => Some(pattern),
        _ => None,
    }
}

fn is_any(rule: &Rule) -> bool {
    pattern(rule).is_some_and(|pattern| pattern.any)
}

fn stops(rule: &Rule, argv: &[&str]) -> bool {
    pattern(rule).is_some_and(|pattern| !pattern.any && pattern.loose(argv))
}

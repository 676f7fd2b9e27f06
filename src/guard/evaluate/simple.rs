//! One command of a line.

use super::Scene;
use super::programs::{
    MOVE, RUN_OTHERS, SAFE_VARIABLES, Use, hands_texts_to_shell, reads_script_from_input, usage,
};
use super::shell::{Folders, Reading, pattern};
use super::tally::Tally;
use super::words::MOST_WORDS;
use super::wrappers::{Peeled, Script, peel};
use crate::guard::decision::{Blame, excerpt};
use crate::guard::matching::{ShellPattern, base_name};
use crate::guard::shell::{Direction, Redirect, Simple, Word};

/// Devices that anything may be sent to.
const FREE_TARGETS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl Scene<'_> {
    pub(super) fn simple(
        &self,
        command: &Simple,
        folders: &Folders,
        reading: &Reading,
        tally: &mut Tally,
    ) {
        let mut unsafe_variable = false;
        for (name, value) in &command.assignments {
            self.word(value, &folders.possible, Use::Reads, tally);
            if !self.is_safe(name) && !reading.wide {
                unsafe_variable = true;
                let reason = format!("{} changes how programs run", excerpt(name));
                tally.ask(Blame::Mode(self.mode), reason);
            }
        }
        for redirect in &command.redirects {
            self.redirect(redirect, folders, tally);
        }
        let argv: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
        if argv.is_empty() {
            return;
        }
        let peeled = peel(&argv);
        for layer in &peeled.layers {
            self.forbidden(layer, tally);
        }
        self.look_at_words(&command.argv, &peeled, folders, tally);
        if tally.is_denied() {
            return;
        }
        if peeled.later {
            self.unreadable("it runs its argument later", reading.wide, tally);
        }
        if self.hides_script(&peeled) {
            self.unreadable("a script in its arguments", reading.wide, tally);
        }
        if let Some(script) = &peeled.script {
            self.script(script, folders, reading, tally);
            if script.certain {
                return;
            }
        }
        let (program, words) = peeled.inner.split_first().unwrap_or((&"", &[]));
        let name = base_name(program).to_ascii_lowercase();
        if peeled.script.is_none() && reads_script_from_input(&name, words) {
            let why = "an interpreter reads its script from its input";
            self.unreadable(why, reading.wide, tally);
        }
        if !reading.wide && !unsafe_variable {
            self.prove(&command.argv, &peeled, folders, tally);
        }
    }

    fn is_safe(&self, variable: &str) -> bool {
        SAFE_VARIABLES.contains(&variable) || self.rules.env_safe.iter().any(|it| it == variable)
    }

    fn redirect(&self, redirect: &Redirect, folders: &Folders, tally: &mut Tally) {
        let target = redirect.target.text.as_str();
        if FREE_TARGETS.contains(&target) {
            return;
        }
        let write = redirect.direction == Direction::To;
        if let Some(folder) = &folders.certain {
            return self.file(&self.place(target, folder), write, false, tally);
        }
        for folder in &folders.possible {
            self.file(&self.place(target, folder), write, false, tally);
        }
        let reason = format!(
            "{} is redirected to after a change of folder",
            excerpt(target)
        );
        tally.ask(Blame::Mode(self.mode), reason);
    }

    /// Looks for paths and scripts in the words of a command.
    fn look_at_words(
        &self,
        argv: &[Word],
        peeled: &Peeled<'_>,
        folders: &Folders,
        tally: &mut Tally,
    ) {
        let inner = peeled.inner.first().copied().unwrap_or_default();
        let usage = usage(&base_name(inner).to_ascii_lowercase());
        for word in argv.iter().take(MOST_WORDS).skip(1) {
            self.word(&word.text, &folders.possible, usage, tally);
            if word.glob {
                self.glob(&word.text, &folders.possible, usage, tally);
            }
        }
        if peeled.too_long || argv.len() > MOST_WORDS {
            tally.ask(
                Blame::Unreadable("too many words"),
                "the command has too many words",
            );
        }
        self.look_at_texts(peeled, folders, tally);
    }

    /// Looks for commands in arguments that may be scripts.
    fn look_at_texts(&self, peeled: &Peeled<'_>, folders: &Folders, tally: &mut Tally) {
        const MARKS: &[char] = &[
            ' ', '\t', '\n', ';', '|', '&', '(', '$', '`', '{', '<', '>', '\'', '"', '\\',
        ];
        for text in peeled.texts.iter().take(MOST_WORDS) {
            if !peeled.later && !text.contains(MARKS) {
                continue;
            }
            self.suspect(text, &folders.possible, tally);
            // `-Srm -r x` and its like.
            let mut letters = text.chars();
            if letters.next() == Some('-') && letters.next().is_some() {
                self.suspect(letters.as_str(), &folders.possible, tally);
            }
        }
    }

    /// Whether an argument that a shell will read hides what it runs.
    fn hides_script(&self, peeled: &Peeled<'_>) -> bool {
        let Some(program) = peeled.inner.first() else {
            return false;
        };
        let name = base_name(program).to_ascii_lowercase();
        let hides = |text: &str| text.contains(['$', '`', '{', '\\']);
        peeled.script.is_none()
            && hands_texts_to_shell(&name, peeled.texts)
            && peeled
                .texts
                .iter()
                .take(MOST_WORDS)
                .any(|text| hides(text) && *text != "{}")
    }

    fn script(&self, script: &Script, folders: &Folders, reading: &Reading, tally: &mut Tally) {
        let inner = Reading {
            wide: reading.wide,
            depth: reading.depth + 1,
        };
        let known = folders.certain.as_ref();
        let Some(folder) = known.or(folders.possible.first()) else {
            return;
        };
        self.line(&script.text, folder, &inner, tally);
        if known.is_none() && !reading.wide {
            let reason = "a script runs after a change of folder";
            tally.ask(Blame::Mode(self.mode), reason);
        }
    }

    /// Wants an allow rule that certainly covers the command.
    fn prove(&self, words: &[Word], peeled: &Peeled<'_>, folders: &Folders, tally: &mut Tally) {
        // A pattern of files may become an option, or name what is protected.
        if let Some(word) = words.iter().skip(1).find(|word| word.glob) {
            let may = match word.may_become_option() {
                true => "could become an option",
                false => "could name a protected file",
            };
            let reason = format!("the pattern {} {may}", excerpt(&word.text));
            return tally.ask(Blame::Unreadable("pattern of files"), reason);
        }
        let inner = peeled.inner;
        let Some(program) = inner.first() else {
            return;
        };
        if MOVE.contains(program) {
            return self.moves(inner, folders, tally);
        }
        let runs_others = RUN_OTHERS.contains(program);
        let covers = |pattern: &ShellPattern| {
            (!runs_others || pattern.exact)
                && pattern.strict(inner)
                && (!pattern.inside || self.stays_inside(pattern.behind_fixed(inner), folders))
        };
        match self.allow().find(|rule| pattern(rule).is_some_and(covers)) {
            Some(rule) => tally.allow_by(rule),
            None => self.unproven(tally),
        }
    }

    fn stays_inside(&self, words: &[&str], folders: &Folders) -> bool {
        let Some(folder) = &folders.certain else {
            return false;
        };
        words.iter().all(|word| self.lies_inside(word, folder))
    }

    /// `cd` to a folder of the workspace needs no rule.
    fn moves(&self, argv: &[&str], folders: &Folders, tally: &mut Tally) {
        let inside = match (&folders.certain, argv) {
            (Some(folder), ["cd", target]) if !target.starts_with('-') => {
                self.place(target, folder).is_inside(self.ground())
            }
            _ => false,
        };
        if !inside {
            let reason = "it leaves the folder of the call";
            tally.ask(Blame::Outside, reason);
        }
    }
}

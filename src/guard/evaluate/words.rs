//! Paths in the words of commands.

use std::path::Path;

use super::Scene;
use super::programs::Use;
use super::tally::Tally;
use crate::guard::decision::{Blame, excerpt};
use crate::guard::floor::may_be_credential;
use crate::guard::matching::{GLOB, PathPattern, Place};
use crate::guard::rules::Subject;

/// No more words of one command are looked at.
pub(super) const MOST_WORDS: usize = 256;

/// A value is looked for behind no more short options of one word.
const MOST_GLUED: usize = 6;

/// What of a word may be a path: the word; the value of `--x=value`; what is
/// glued to short options; the parts of `a=b`, `@file` and `from:to`.
pub(super) fn candidates(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some(long) = word.strip_prefix("--") {
        if let Some((_, value)) = long.split_once('=') {
            found.push(value);
        }
    } else if let Some(short) = word.strip_prefix('-') {
        // Behind one option or behind several: `-fx`, `-nHfx`.
        let mut rest = short.chars();
        for at in 0..MOST_GLUED {
            match rest.next() {
                Some(letter) if at == 0 || letter.is_ascii_alphanumeric() => {}
                _ => break,
            }
            found.push(rest.as_str().trim_start_matches('='));
        }
        if let Some(at) = short.find(['/', '~', '.']) {
            found.push(&short[at..]);
        }
    } else {
        found.push(word);
        if let Some((_, value)) = word.split_once('=') {
            found.push(value);
        }
        if let Some(file) = word.strip_prefix('@') {
            found.push(file);
        }
    }
    if word.contains(':') {
        found.extend(word.split(':').map(|part| part.trim_start_matches("//")));
        found.extend(word.split(':').filter(|part| part.starts_with("//")));
    }
    found.retain(|candidate| !candidate.is_empty());
    found
}

impl Scene<'_> {
    /// Looks whether a word names a path that a rule or the floor protects.
    pub(super) fn word(&self, word: &str, folders: &[String], usage: Use, tally: &mut Tally) {
        for candidate in candidates(word) {
            for folder in folders {
                let place = self.place(candidate, folder);
                self.word_place(&place, usage, tally);
                let is_path = candidate.contains('/') || candidate.starts_with(['~', '.']);
                if is_path && !place.is_inside(self.ground()) {
                    // A grant for the workspace must not reach beyond it.
                    tally.once_only();
                }
            }
        }
    }

    fn word_place(&self, place: &Place, usage: Use, tally: &mut Tally) {
        let on = || excerpt(place.named.text());
        for rule in self.deny() {
            match &rule.subject {
                Subject::Read(patterns) if self.any_loose(patterns, place) => {
                    tally.deny_by(rule, on());
                }
                Subject::Edit(patterns)
                    if usage != Use::Reads && self.any_loose(patterns, place) =>
                {
                    match usage {
                        Use::Writes => tally.deny_by(rule, on()),
                        // Whether it would be changed is not known.
                        _ => tally.ask_by(rule, on()),
                    }
                }
                _ => {}
            }
        }
        for rule in self.ask() {
            let hit = match &rule.subject {
                Subject::Read(patterns) => self.any_loose(patterns, place),
                Subject::Edit(patterns) => usage != Use::Reads && self.any_loose(patterns, place),
                _ => false,
            };
            if hit {
                tally.ask_by(rule, on());
            }
        }
        let write = usage == Use::Writes;
        for trail in place.trails() {
            let path = Path::new(trail.text());
            let Some(ground) = self.floor.ground(path, write) else {
                continue;
            };
            match ground.is_final() {
                true => tally.deny(Blame::Floor, ground.reason(path)),
                false => tally.ask(Blame::Floor, ground.reason(path)),
            }
        }
    }

    /// Asks about a pattern of files that may stand for a protected one.
    pub(super) fn glob(&self, word: &str, folders: &[String], usage: Use, tally: &mut Tally) {
        for candidate in candidates(word).into_iter().filter(|it| it.contains(GLOB)) {
            for folder in folders {
                self.glob_place(&self.place(candidate, folder), usage, tally);
            }
        }
    }

    fn glob_place(&self, place: &Place, usage: Use, tally: &mut Tally) {
        let may = |patterns: &[PathPattern]| {
            let ground = self.ground();
            patterns
                .iter()
                .any(|pattern| pattern.loose_glob(&place.named, ground))
        };
        for rule in self.deny().chain(self.ask()) {
            let hit = match &rule.subject {
                Subject::Read(patterns) => may(patterns),
                Subject::Edit(patterns) => usage != Use::Reads && may(patterns),
                _ => false,
            };
            if hit {
                tally.ask_by(rule, excerpt(place.named.text()));
            }
        }
        if may_be_credential(place.named.text()) {
            let shown = excerpt(place.named.text());
            tally.ask(
                Blame::Floor,
                format!("{shown} may stand for a file with credentials"),
            );
        }
    }

    /// Whether every part of a word that may be a path lies in the workspace.
    pub(in crate::guard) fn lies_inside(&self, word: &str, folder: &str) -> bool {
        let inside = |path: &str| self.place(path, folder).is_inside(self.ground());
        candidates(word).into_iter().all(inside)
    }
}

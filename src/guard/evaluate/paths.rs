//! Files that a call reads or writes, by itself or by a redirection.

use std::path::Path;

use greenroom_protocol::session::Category;

use super::Scene;
use super::tally::Tally;
use crate::guard::decision::{Blame, excerpt};
use crate::guard::grants;
use crate::guard::matching::{PathPattern, Place, Trail};
use crate::guard::rules::{Rule, Subject};
use crate::guard::shell::is_deceptive;

impl<'a> Scene<'a> {
    pub(super) fn paths(
        &self,
        edit: bool,
        places: &[(Place, bool)],
        by_tool: bool,
        tally: &mut Tally,
    ) {
        if places.is_empty() {
            // Only what a call says that it touches is proof.
            let category = if edit { Category::Edit } else { Category::Read };
            if !by_tool {
                self.by_mode(category, false, tally);
            }
            tally.once_only();
        }
        for (place, write) in places {
            self.file(place, edit || *write, by_tool, tally);
            if *write && !edit {
                // A tool that says that it reads must not write unasked.
                self.by_mode(Category::Read, false, tally);
                tally.once_only();
            }
        }
        if edit {
            let written = places.iter().map(|(place, _)| place.resolved.text());
            tally.offer(|| grants::edits(written));
        }
    }

    /// One file.
    pub(super) fn file(&self, place: &Place, write: bool, by_tool: bool, tally: &mut Tally) {
        let shown = excerpt(place.named.text());
        if place.named.text().contains('\0') {
            tally.deny(Blame::Malformed, "the path holds a NUL character");
            return;
        }
        if place.trails().any(|it| it.text().chars().any(is_deceptive)) {
            let reason = format!("{shown} holds a control or invisible character");
            tally.ask(Blame::Malformed, reason);
        }
        for rule in self
            .deny()
            .filter(|rule| self.names_file(rule, place, write))
        {
            tally.deny_by(rule, shown.clone());
        }
        for rule in self
            .ask()
            .filter(|rule| self.names_file(rule, place, write))
        {
            tally.ask_by(rule, shown.clone());
        }
        let allowing = self.allow().find(|rule| self.covers(rule, place, write));
        if let Some(rule) = allowing {
            tally.allow_by(rule);
        }
        let floor = self.below_floor(place, write, allowing.is_some(), tally);
        if allowing.is_some() || by_tool || floor {
            return;
        }
        let category = if write {
            Category::Edit
        } else {
            Category::Read
        };
        // The mode goes by where a path leads, as the tools do.
        if place.resolved.is_in(self.root) {
            return self.by_mode(category, true, tally);
        }
        match crate::guard::modes::standing(self.mode, category, false) {
            crate::guard::modes::Standing::Asks => {
                let reason = format!("{} lies outside the workspace", self.outside(place));
                tally.ask(Blame::Outside, reason);
            }
            _ => self.by_mode(category, false, tally),
        }
    }

    /// Whether the floor protects a file; says so.
    fn below_floor(&self, place: &Place, write: bool, allowed: bool, tally: &mut Tally) -> bool {
        let ground = |trail: &'_ Trail| {
            let path = Path::new(trail.text());
            self.floor
                .ground(path, write)
                .map(|ground| (ground, path.to_owned()))
        };
        let Some((ground, path)) = place.trails().filter_map(ground).min() else {
            return false;
        };
        if allowed && ground.yields_to_rules() {
            return false;
        }
        match ground.is_final() {
            true => tally.deny(Blame::Floor, ground.reason(&path)),
            // A mode that forbids the act forbids it here too.
            false if write => {
                self.only_denial(tally);
                tally.ask(Blame::Floor, ground.reason(&path));
            }
            false => tally.ask(Blame::Floor, ground.reason(&path)),
        }
        true
    }

    fn only_denial(&self, tally: &mut Tally) {
        use crate::guard::modes::{Standing, denial, standing};
        if standing(self.mode, Category::Edit, true) == Standing::Denied {
            tally.deny_mode(denial(self.mode, Category::Edit));
        }
    }

    /// The form of a path that lies outside.
    fn outside<'p>(&self, place: &'p Place) -> &'p str {
        match place.named.is_in(self.root) {
            // Where a circle of links leads cannot be shown.
            true if !place.resolved.text().contains('\0') => place.resolved.text(),
            _ => place.named.text(),
        }
    }

    /// Whether a rule that stops calls may mean this file.
    fn names_file(&self, rule: &Rule, place: &Place, write: bool) -> bool {
        match &rule.subject {
            Subject::Read(patterns) => self.any_loose(patterns, place),
            Subject::Edit(patterns) => write && self.any_loose(patterns, place),
            _ => false,
        }
    }

    pub(super) fn any_loose(&self, patterns: &[PathPattern], place: &Place) -> bool {
        let ground = self.ground();
        patterns.iter().any(|pattern| pattern.loose(place, ground))
    }

    /// Whether a rule certainly covers this file, in both of its forms.
    fn covers(&self, rule: &Rule, place: &Place, write: bool) -> bool {
        let patterns = match &rule.subject {
            Subject::Edit(patterns) => patterns,
            // Who may write may read.
            Subject::Read(patterns) if !write => patterns,
            _ => return false,
        };
        let fits = |trail: &Trail| {
            let ground = self.ground();
            patterns.iter().any(|pattern| pattern.strict(trail, ground))
        };
        place.trails().all(fits)
    }

    /// A path in a command, seen from a folder.
    pub(super) fn place(&self, path: &str, folder: &str) -> Place {
        let from_home = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                // Without a known home it is somewhere outside.
                Some(format!("{}{rest}", self.home.unwrap_or("/")))
            }
            _ => None,
        };
        let path = from_home.as_deref().unwrap_or(path);
        let named = match path.starts_with('/') {
            true => Trail::new(path),
            false => Trail::new(&format!("{folder}/{path}")),
        };
        let resolved = self.links.resolve(folder, path);
        let resolved = resolved.map_or_else(Trail::lost, |path| Trail::new(&path));
        Place { named, resolved }
    }
}

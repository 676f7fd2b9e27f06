//! Patterns of paths.

use std::borrow::Cow;

use super::name::fits;
use super::place::{Ground, Place, Trail, below};

/// A pattern of paths. It covers what fits it, and everything below that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    from: From,
    parts: Vec<Part>,
    folded: Vec<Part>,
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// `/x`, `~/x`.
    Top,
    /// `./x`, `a/b`.
    Workspace,
    /// `x`: a name at any depth.
    Anywhere,
}

/// What makes a word of a command a pattern.
pub(in crate::guard) const GLOB: [char; 3] = ['*', '?', '['];

/// Whether a part of a pattern takes a name.
type Takes = fn(&Part, &str) -> bool;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Name(String),
    /// With `*` or `?`, which stay in one part.
    Wild(String),
    /// `**`: any number of parts.
    Deep,
}

impl PathPattern {
    /// Reads a pattern. The error says what is wrong with it.
    pub fn new(text: &str, home: Option<&str>) -> Result<PathPattern, String> {
        let (from, rest) = if let Some(rest) = text.strip_prefix("~/") {
            let home = home.ok_or("there is no home folder: set $HOME, or write the whole path")?;
            (From::Top, format!("{home}/{rest}"))
        } else if text == "~" {
            let home = home.ok_or("there is no home folder: set $HOME, or write the whole path")?;
            (From::Top, home.to_owned())
        } else if text.starts_with('~') {
            return Err("only ~/ is known, not the homes of others; write the whole path".into());
        } else if text.starts_with('/') {
            (From::Top, text.to_owned())
        } else if let Some(rest) = text.strip_prefix("./") {
            (From::Workspace, rest.to_owned())
        } else if text.trim_end_matches('/').contains('/') {
            (From::Workspace, text.to_owned())
        } else {
            (From::Anywhere, text.to_owned())
        };
        let mut parts = Vec::new();
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err("`..` is not followed; write where it leads".into()),
                "**" => parts.push(Part::Deep),
                part if part.contains("**") => {
                    return Err("`**` stands alone between slashes; within a name write `*`".into());
                }
                part if part.contains(['*', '?']) => parts.push(Part::Wild(part.to_owned())),
                part => parts.push(Part::Name(part.to_owned())),
            }
        }
        // All below is covered in any case, and `x/**` covers `x` as well.
        while parts.len() > 1 && parts.last() == Some(&Part::Deep) {
            parts.pop();
        }
        if parts.is_empty() && from != From::Top && text != "./" && text != "." {
            return Err("it names no path".into());
        }
        let from = match text {
            "." => From::Workspace,
            _ => from,
        };
        let folded = parts.iter().map(Part::folded).collect();
        Ok(PathPattern {
            from,
            parts,
            folded,
        })
    }

    /// Whether a path may be meant, in one of its two forms and in any case.
    pub fn loose(&self, place: &Place, ground: Ground<'_>) -> bool {
        // Lower case may have other lengths, which `?` would notice.
        let exact = |trail: &Trail| !trail.is_folded() && self.strict(trail, ground);
        let mut trails = place.trails();
        trails.any(|trail| self.loose_trail(trail, ground, Part::takes) || exact(trail))
    }

    /// Whether a pattern of a command, such as `.ss*/id`, may stand for a path that
    /// is meant.
    pub fn loose_glob(&self, glob: &Trail, ground: Ground<'_>) -> bool {
        self.loose_trail(glob, ground, Part::may_take)
    }

    fn loose_trail(&self, trail: &Trail, ground: Ground<'_>, takes: Takes) -> bool {
        let path = trail.folded();
        // Lower case may have another length, so the rest is folded by itself.
        let rest = below(trail.text(), ground.root);
        let rest = rest.map(|rest| match trail.is_folded() {
            true => Cow::Borrowed(rest),
            false => Cow::Owned(rest.to_lowercase()),
        });
        match (self.from, rest.as_deref()) {
            (From::Top, _) => covers(&self.folded, path, takes),
            (From::Workspace, Some(rest)) => covers(&self.folded, rest, takes),
            (From::Workspace, None) => false,
            (From::Anywhere, Some(rest)) => anywhere(&self.folded, rest, takes),
            (From::Anywhere, None) => anywhere(&self.folded, path, takes),
        }
    }

    /// Whether a path fits to the letter.
    pub fn strict(&self, trail: &Trail, ground: Ground<'_>) -> bool {
        let path = trail.text();
        match self.from {
            From::Top => covers(&self.parts, path, Part::takes),
            From::Workspace => {
                below(path, ground.root).is_some_and(|it| covers(&self.parts, it, Part::takes))
            }
            From::Anywhere => {
                below(path, ground.root).is_some_and(|it| anywhere(&self.parts, it, Part::takes))
            }
        }
    }
}

impl Part {
    fn folded(&self) -> Part {
        match self {
            Part::Name(name) => Part::Name(name.to_lowercase()),
            Part::Wild(name) => Part::Wild(name.to_lowercase()),
            Part::Deep => Part::Deep,
        }
    }

    fn takes(&self, name: &str) -> bool {
        match self {
            Part::Name(own) => own == name,
            Part::Wild(own) => fits(own, name),
            Part::Deep => true,
        }
    }

    /// As `takes`, of a name that may itself be a pattern.
    fn may_take(&self, name: &str) -> bool {
        match self {
            Part::Name(own) if name.contains(GLOB) => may_stand_for(name, own),
            // Two patterns: some name may fit both.
            Part::Wild(own) if name.contains(GLOB) => {
                !own.starts_with('.') || name.starts_with(['.', '['])
            }
            part => part.takes(name),
        }
    }
}

/// Whether the shell may put a name in the place of a pattern. Only a dot stands
/// for the dot that a name begins with.
pub(in crate::guard) fn may_stand_for(glob: &str, name: &str) -> bool {
    if name.starts_with('.') && !glob.starts_with(['.', '[']) {
        return false;
    }
    match glob.find('[') {
        // Sets of characters are not looked into.
        Some(_) => {
            let end = glob.find(['*', '?', '[']).unwrap_or(glob.len());
            name.starts_with(&glob[..end])
        }
        None => fits(glob, name),
    }
}

fn anywhere(parts: &[Part], path: &str, takes: Takes) -> bool {
    // A name alone: one part, or `**`.
    let Some(part) = parts.first() else {
        return false;
    };
    *part == Part::Deep || names(path).any(|name| takes(part, name))
}

/// Whether a path fits a pattern or lies below what does. Keeps the last `**`
/// to come back to, so the time is bounded by the product of the lengths.
fn covers(parts: &[Part], path: &str, takes: Takes) -> bool {
    let mut part = 0;
    let mut ahead = names(path);
    let mut back = None;
    loop {
        match parts.get(part) {
            None => return true,
            Some(Part::Deep) => {
                part += 1;
                back = Some((part, ahead.clone()));
                continue;
            }
            Some(wanted) => {
                if ahead.next().is_some_and(|name| takes(wanted, name)) {
                    part += 1;
                    continue;
                }
            }
        }
        let Some((behind, mut from)) = back.take() else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        part = behind;
        ahead = from.clone();
        back = Some((behind, from));
    }
}

fn names(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|name| !name.is_empty())
}

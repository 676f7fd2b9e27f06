//! Names of tools as models see them: `mcp__server__tool`, in the characters
//! and the length that every provider takes.

use std::collections::HashSet;

/// The longest name that every provider takes.
const LONGEST: usize = 64;

/// Gives names, none of them twice.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// The name of a server's tool. One that had to be changed ends with eight
    /// digits made of what it was, so that it stays the same whatever else there
    /// is.
    pub fn give(&mut self, server: &str, tool: &str) -> String {
        let plain = format!("mcp__{server}__{tool}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let fits = plain.len() <= LONGEST && plain.chars().all(is_plain);
        // `a__b` and `c`, or `a` and `b__c`?
        let is_clear = !server.contains("__") && !server.ends_with('_') && !tool.starts_with('_');
        if fits && is_clear && self.taken.insert(plain.clone()) {
            return plain;
        }
        let escaped: String = plain
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        for round in 0_u32.. {
            let mark = mark(server, tool, round);
            let kept = escaped.get(..escaped.len().min(LONGEST - mark.len()));
            let name = format!("{}{mark}", kept.unwrap_or_default());
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
        plain
    }
}

fn mark(server: &str, tool: &str, round: u32) -> String {
    let mut digest = crc32fast::Hasher::new();
    digest.update(server.as_bytes());
    digest.update(&[0]);
    digest.update(tool.as_bytes());
    if round > 0 {
        digest.update(&round.to_le_bytes());
    }
    format!("_{:08x}", digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_providers_take_and_never_twice() {
        let long = "x".repeat(100);
        let pairs = [
            ("github", "get_issue"),
            ("my server", "look.up"),
            ("a__b", "c"),
            ("a", "b__c"),
            ("a", "b__c"),
            ("größe", "größe"),
            ("s", long.as_str()),
            ("", ""),
        ];
        let give = || {
            let mut names = Names::default();
            pairs.map(|(server, tool)| names.give(server, tool))
        };
        let given = give();
        assert_eq!(given, give());
        assert_eq!(given[0], "mcp__github__get_issue");
        assert_eq!(given[3], "mcp__a__b__c");
        let all: HashSet<&String> = given.iter().collect();
        assert_eq!(all.len(), given.len(), "{given:?}");
        for name in &given {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(
                (1..=64).contains(&name.len()) && name.chars().all(plain),
                "{name}"
            );
        }
    }

    #[test]
    fn a_changed_name_does_not_depend_on_the_others() {
        let alone = Names::default().give("my server", "x");
        let mut names = Names::default();
        names.give("other", "y");
        assert_eq!(names.give("my server", "x"), alone);
    }
}

use std::collections::{BTreeMap, BTreeSet};

use greenroom_protocol::session::{Compacted, EntryId, ExportFormat, Happening, Usage};
use proptest::prelude::*;

use super::{Scribe, Shelf, told};

#[derive(Debug, Clone)]
enum Act {
    Prompt,
    Calls,
    Rewind(prop::sample::Index),
    Reset,
    Compact,
    Fork(prop::sample::Index),
    Switch(prop::sample::Index),
}

fn act() -> impl Strategy<Value = Act> {
    use prop::sample::Index;
    prop_oneof![
        6 => Just(Act::Prompt),
        3 => Just(Act::Calls),
        2 => any::<Index>().prop_map(Act::Rewind),
        1 => Just(Act::Reset),
        1 => Just(Act::Compact),
        2 => any::<Index>().prop_map(Act::Fork),
        1 => any::<Index>().prop_map(Act::Switch),
    ]
}

/// A tree that is grown beside the events that tell it.
struct Grown {
    scribes: Vec<Scribe>,
    /// Each session's head, and the entries that it may name.
    heads: Vec<Option<String>>,
    names: Vec<BTreeMap<u64, String>>,
    parents: BTreeMap<String, Option<String>>,
    now: usize,
}

impl Grown {
    fn new() -> Grown {
        Grown {
            scribes: vec![Scribe::new("S1", None)],
            heads: vec![None],
            names: vec![BTreeMap::new()],
            parents: BTreeMap::new(),
            now: 0,
        }
    }

    fn grew(&mut self, entry: EntryId) {
        let name = match self.now {
            0 => entry.to_string(),
            now => format!("{}.{entry}", now + 1),
        };
        self.parents
            .insert(name.clone(), self.heads[self.now].clone());
        self.names[self.now].insert(entry.0, name.clone());
        self.heads[self.now] = Some(name);
    }

    fn way(&self, session: usize) -> BTreeSet<String> {
        let mut way = BTreeSet::new();
        let mut at = self.heads[session].clone();
        while let Some(name) = at {
            at = self.parents[&name].clone();
            way.insert(name);
        }
        way
    }

    fn act(&mut self, act: &Act) {
        let now = self.now;
        let pick = |names: &BTreeMap<u64, String>, which: &prop::sample::Index| {
            let names: Vec<(u64, String)> = names.iter().map(|(a, b)| (*a, b.clone())).collect();
            (!names.is_empty()).then(|| which.get(&names).clone())
        };
        match act {
            Act::Prompt => {
                let entry = self.scribes[now].user("prompt");
                self.grew(entry);
                let entry = self.scribes[now].assistant("answer", &[]);
                self.grew(entry);
                self.scribes[now].turn_end();
            }
            Act::Calls => {
                let entry = self.scribes[now].assistant("calling", &["c1"]);
                self.grew(entry);
                self.scribes[now].call("c1", "ls", "a.txt");
                let entry = self.scribes[now].batch();
                self.grew(entry);
            }
            Act::Rewind(which) => {
                let Some((to, name)) = pick(&self.names[now], which) else {
                    return;
                };
                self.scribes[now].tell(Happening::Rewound { to: EntryId(to) });
                self.heads[now] = Some(name);
            }
            Act::Reset => {
                self.scribes[now].tell(Happening::ConversationReset);
                self.heads[now] = None;
            }
            Act::Compact => {
                let entry = self.scribes[now].next();
                self.scribes[now].tell(Happening::CompactionEnded {
                    compacted: Some(Compacted {
                        entry,
                        summary: "all".into(),
                        keeps_from: None,
                    }),
                    context: 1,
                    usage: Usage::default(),
                    failure: None,
                });
                self.grew(entry);
            }
            Act::Fork(which) => {
                let Some((from, name)) = pick(&self.names[now], which) else {
                    return;
                };
                let origin = self.scribes[now].member.id.clone();
                let id = format!("S{}", self.scribes.len() + 1);
                self.scribes
                    .push(Scribe::new(&id, Some((origin, EntryId(from)))));
                // What lies on the way may be named in the fork.
                let mut way = BTreeSet::new();
                let mut at = Some(name.clone());
                while let Some(name) = at {
                    at = self.parents[&name].clone();
                    way.insert(name);
                }
                let names = self.names[now]
                    .iter()
                    .filter(|(_, name)| way.contains(*name));
                self.names
                    .push(names.map(|(a, b)| (*a, b.clone())).collect());
                self.heads.push(Some(name));
                self.now = self.scribes.len() - 1;
            }
            Act::Switch(which) => self.now = which.index(self.scribes.len()),
        }
    }
}

/// Id, parent and whether it is on the way, of each entry of JSON lines.
fn entries(lines: &str) -> Vec<(String, Option<String>, bool)> {
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    lines
        .filter(|line| line["type"] == "entry")
        .map(|line| {
            (
                text(&line["id"]).unwrap(),
                text(&line["parent"]),
                line["on_path"] == true,
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn trees_of_any_shape_are_told_whole(acts in prop::collection::vec(act(), 1..40)) {
        let mut grown = Grown::new();
        for act in &acts {
            grown.act(act);
        }
        let own = grown.now;
        let way = grown.way(own);
        let parents = grown.parents.clone();
        let shelf = Shelf(grown.scribes.into_iter().map(Scribe::done).collect());
        let name = shelf.0[own].0.id.to_string();
        let (lines, count, _) = told(&shelf, &name, ExportFormat::JsonLines, true);
        let all = entries(&lines);
        prop_assert_eq!(count, all.len());
        let told_parents: BTreeMap<_, _> = all.iter().map(|it| (it.0.clone(), it.1.clone())).collect();
        prop_assert_eq!(told_parents.len(), all.len(), "each once");
        prop_assert_eq!(told_parents, parents);
        for (id, _, on_path) in &all {
            prop_assert_eq!(*on_path, way.contains(id));
        }
        let (_, count, _) = told(&shelf, &name, ExportFormat::Html, true);
        prop_assert_eq!(count, all.len());
        // The family is smaller, so that forks have other numbers: the way has
        // as many entries.
        let (lines, ..) = told(&shelf, &name, ExportFormat::JsonLines, false);
        let on_way = entries(&lines);
        prop_assert_eq!(on_way.len(), way.len());
        prop_assert!(on_way.iter().all(|it| it.2));
        let mut last = None;
        for (id, parent, _) in on_way {
            prop_assert_eq!(&parent, &last, "a line, one behind the other");
            last = Some(id);
        }
    }
}

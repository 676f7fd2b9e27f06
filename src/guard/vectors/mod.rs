//! The project's vectors: every call of `guard_vectors.yaml` against its set of
//! rules, in a fixture of links.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use greenroom_protocol::session::Mode;
use serde::Deserialize;
use serde_yaml::Value;

use super::decision::{Blame, Decision, Verdict};
use super::evaluate::{Call, Scene};
use super::floor::Floor;
use super::links::{Links, Step, follow};
use super::matching::{Place, Trail};
use super::rules::{Origin, RuleFile, Rules};
use super::shell::Dialect;
use crate::guard::modes::Base;

mod random;

const VECTORS: &str = include_str!("guard_vectors.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    root: String,
    home: String,
    links: HashMap<String, String>,
    sets: HashMap<String, Value>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: String,
    set: String,
    mode: Option<String>,
    #[serde(default)]
    sub: bool,
    #[serde(default)]
    unattended: bool,
    call: HashMap<String, Value>,
    want: String,
    rule: Option<String>,
    #[serde(rename = "note")]
    _note: Option<String>,
}

/// The fixture: links, and the sets of rules.
pub(super) struct Fixture {
    pub root: String,
    pub home: String,
    pub rules: HashMap<String, Rules>,
    pub floor: Floor,
    links: FixtureLinks,
}

struct FixtureLinks(HashMap<String, String>);

impl Links for FixtureLinks {
    fn resolve(&self, folder: &str, path: &str) -> Option<String> {
        let look = |path: &Path| match self.0.get(path.to_str().unwrap()) {
            Some(target) => Step::Link(PathBuf::from(target)),
            None => Step::Plain,
        };
        follow(folder, path, look)
    }
}

fn file() -> File {
    serde_yaml::from_str(VECTORS).unwrap()
}

impl Fixture {
    pub fn new() -> Fixture {
        let file = file();
        let home = file.home.clone();
        let rules = |set: &Value| {
            let text = serde_yaml::to_string(set).unwrap();
            let text = match text.trim() {
                "{}" => "version: 1".to_owned(),
                text => format!("version: 1\n{text}"),
            };
            let parsed = RuleFile::parse(&text, Path::new("set"), Origin::User, Some(&home));
            Rules::of([&parsed.unwrap()])
        };
        Fixture {
            rules: file
                .sets
                .iter()
                .map(|(name, set)| (name.clone(), rules(set)))
                .collect(),
            root: file.root,
            home: file.home,
            floor: Floor::default(),
            links: FixtureLinks(file.links),
        }
    }

    pub fn scene(&self, set: &str, mode: Mode) -> Scene<'_> {
        Scene {
            rules: &self.rules[set],
            mode: Base::of(&mode),
            named: Base::of(&mode).name(),
            sub_agent: false,
            root: &self.root,
            home: Some(&self.home),
            links: &self.links,
            floor: &self.floor,
            dialect: Dialect::Bash,
        }
    }

    pub fn shell(&self, set: &str, mode: Mode, line: &str) -> Decision {
        let cwd = &self.root;
        self.scene(set, mode)
            .decide("shell", &Call::Shell { line, cwd })
    }

    fn places(&self, paths: &Value, edit: bool) -> Vec<(Place, bool)> {
        let place = |path: &Value| {
            let path = path.as_str().unwrap();
            let whole = match path.starts_with('/') {
                true => path.to_owned(),
                false => format!("{}/{path}", self.root),
            };
            let resolved = self.links.resolve(&self.root, path);
            let place = Place {
                named: Trail::new(&whole),
                resolved: resolved.map_or_else(Trail::lost, |path| Trail::new(&path)),
            };
            (place, edit)
        };
        paths.as_sequence().unwrap().iter().map(place).collect()
    }

    fn decide(&self, vector: &Vector) -> Decision {
        let mode = Mode::named(vector.mode.as_deref().unwrap_or("ask"));
        let mut scene = self.scene(&vector.set, mode);
        scene.sub_agent = vector.sub;
        let text = |key: &str| vector.call[key].as_str().unwrap();
        let tool = text("tool");
        let name;
        let call = match tool {
            "shell" => Call::Shell {
                line: text("command"),
                cwd: &self.root,
            },
            "edit" | "read" => Call::Paths {
                edit: tool == "edit",
                places: self.places(&vector.call["paths"], tool == "edit"),
            },
            "web" => Call::Web(Some(text("url"))),
            "mcp" => {
                name = format!("{}/{}", text("server"), text("name"));
                Call::Mcp(Some(&name))
            }
            // Nothing is known of it.
            _ => Call::Mcp(None),
        };
        scene.decide(tool, &call)
    }
}

#[test]
fn every_vector_is_decided_as_it_should_be() {
    let (fixture, file) = (Fixture::new(), file());
    let mut wrong = Vec::new();
    for vector in &file.vectors {
        let mut decision = fixture.decide(vector);
        if vector.unattended {
            decision = decision.unattended();
        }
        let got = match decision.verdict {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        };
        let blamed = match &decision.by {
            Blame::Rules { labels, .. } => labels.join(","),
            other => other.to_string(),
        };
        let rule = vector.rule.as_deref().map(|rule| {
            let (list, index) = rule.split_once('/').unwrap();
            format!("user {list}[{index}]")
        });
        if got != vector.want || rule.is_some_and(|rule| rule != blamed) {
            let (id, call, want) = (&vector.id, &vector.call, &vector.want);
            wrong.push(format!(
                "{id} {call:?}: want {want}, got {got} by {blamed}: {}",
                decision.reason
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(file.vectors.len(), 149);
}

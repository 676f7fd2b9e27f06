//! The guard as the port of the actor tree.

use std::path::{Path, PathBuf};

use greenroom_actors::ports::{Act, Guard, Judgement, Likeness, Touch};
use greenroom_protocol::session::{Category, Scope, Text};

use super::decision::{Blame, Decision, Verdict};
use super::evaluate::{Call, Scene};
use super::files::RuleFiles;
use super::floor::Floor;
use super::links::{DiskLinks, Links};
use super::matching::{Place, Trail};
use super::modes::Base;
use super::shell::Dialect;

/// Judges by rule files, by modes where no rule speaks, and by a floor that
/// neither goes below.
pub struct GuardPolicy {
    files: RuleFiles,
    floor: Floor,
    links: Box<dyn Links>,
    dialect: Dialect,
    lack: Option<&'static str>,
}

impl GuardPolicy {
    /// A guard with these rule files that protects these files and folders of
    /// Greenroom itself (its config and state): absolute, with links resolved,
    /// as touches are.
    pub fn new(files: RuleFiles, own: Vec<PathBuf>) -> GuardPolicy {
        // As the host of commands chooses its interpreter.
        let dialect = match Path::new("/bin/bash").exists() {
            true => Dialect::Bash,
            false => Dialect::Posix,
        };
        GuardPolicy {
            files,
            floor: Floor { own },
            links: Box::new(DiskLinks),
            dialect,
            lack: None,
        }
    }

    /// The same where something that the settings ask for does not keep
    /// commands, in words: then none of them runs by itself.
    pub fn lacking(self, lack: Option<&'static str>) -> GuardPolicy {
        GuardPolicy { lack, ..self }
    }

    /// Reads the rules of a workspace, so that a broken file is known before
    /// anything runs there.
    pub fn check(&self, root: &Path) -> Result<(), super::RulesError> {
        self.files.rules(root).map(|_| ())
    }

    /// The rule files.
    pub fn files(&self) -> &RuleFiles {
        &self.files
    }

    /// The whole decision on a call.
    pub fn decide(&self, act: &Act<'_>) -> Decision {
        let rules = match self.files.rules(&act.root) {
            Ok(rules) => rules,
            Err(error) => {
                return Decision {
                    verdict: Verdict::Deny,
                    by: Blame::BrokenRules,
                    reason: format!("nothing runs before the guard's rules are corrected: {error}"),
                    grant: None,
                };
            }
        };
        let root = act.root.to_string_lossy();
        let scene = Scene {
            rules: &rules,
            mode: Base::of(&act.mode),
            named: act.named,
            sub_agent: act.sub_agent,
            root: &root,
            home: self.files.home(),
            links: &*self.links,
            floor: &self.floor,
            dialect: self.dialect,
        };
        let call = act.call;
        let cwd = call
            .touches
            .first()
            .map(|touch| touch.path.to_string_lossy());
        let target = call.target.as_deref();
        let question = match call.category {
            Category::Shell => Call::Shell {
                line: call.command.as_deref().unwrap_or_default(),
                // A command that does not say where it runs is nowhere inside.
                cwd: cwd.as_deref().unwrap_or("/"),
            },
            Category::Edit | Category::Read => Call::Paths {
                edit: call.category == Category::Edit,
                places: call.touches.iter().map(place).collect(),
            },
            Category::Web => Call::Web(target),
            Category::Mcp => Call::Mcp(target),
            Category::Agent => Call::Agent(target),
            Category::Session => Call::Session,
        };
        let decision = scene.decide(&call.tool, &question);
        match (self.lack, call.category, decision.verdict) {
            (Some(lack), Category::Shell, Verdict::Allow) => Decision {
                verdict: Verdict::Ask,
                by: Blame::NoSandbox,
                reason: lack.to_owned(),
                grant: None,
            },
            _ => decision,
        }
    }
}

impl Guard for GuardPolicy {
    fn judge(&self, act: &Act<'_>) -> Judgement {
        let decision = self.decide(act);
        let by = Text::from(decision.by.to_string());
        let reason = Text::from(decision.reason);
        match decision.verdict {
            Verdict::Allow => Judgement::Allow { by },
            Verdict::Deny => Judgement::Deny { reason, by },
            Verdict::Ask => {
                let mut scopes = vec![Scope::Once];
                if decision.grant.is_some() {
                    scopes.push(Scope::Session);
                }
                Judgement::Ask { reason, scopes, by }
            }
        }
    }

    fn likeness(&self, act: &Act<'_>) -> Option<Likeness> {
        self.decide(act).grant
    }

    fn warnings(&self, root: &Path) -> Vec<Text> {
        self.files.warnings(root)
    }
}

/// A path as a tool planned it.
fn place(touch: &Touch) -> (Place, bool) {
    let trail = |path: &Path| Trail::new(&path.to_string_lossy());
    let place = Place {
        named: trail(&touch.named),
        resolved: trail(&touch.path),
    };
    (place, touch.write)
}

//! A shelf of journals in memory, and a scribe that fills it.

mod files;
mod formats;
mod page;
mod trees;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use greenroom_protocol::session::*;

use super::job::tell;
use super::redacting::Counting;
use super::{Export, Journals, Member, Places};
use crate::redact::{Redactor, Tally};

/// Journals in memory.
#[derive(Default, Clone)]
struct Shelf(Vec<(Member, Vec<Event>)>);

impl Journals for Shelf {
    fn family(&self, of: &SessionId, all: bool) -> Result<Vec<Member>, String> {
        let members = self.0.iter().map(|(member, _)| member.clone());
        if all {
            return Ok(members.collect());
        }
        let mut way = BTreeSet::from([of.clone()]);
        let mut kept: Vec<Member> = Vec::new();
        for member in members.rev() {
            if way.contains(&member.id) {
                way.extend(member.fork_of.iter().map(|(origin, _)| origin.clone()));
                kept.insert(0, member);
            }
        }
        Ok(kept)
    }

    fn read(
        &self,
        session: &SessionId,
        visit: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let (_, events) = self
            .0
            .iter()
            .find(|(member, _)| member.id == *session)
            .unwrap();
        for event in events {
            if visit(event.clone()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Tells a session's events, one after another.
struct Scribe {
    member: Member,
    events: Vec<Event>,
    entry: u64,
}

impl Scribe {
    fn new(id: &str, fork_of: Option<(SessionId, EntryId)>) -> Scribe {
        let entry = fork_of.as_ref().map_or(0, |(_, entry)| entry.0);
        let member = Member {
            id: SessionId::new(id),
            fork_of: fork_of.clone(),
        };
        let mut scribe = Scribe {
            member,
            events: Vec::new(),
            entry,
        };
        scribe.tell(Happening::Opened {
            root: "/w".into(),
            mode: Mode::Auto,
            model: ModelChoice {
                provider: "house".into(),
                model: "large".into(),
                effort: None,
            },
            fork_of,
            parent: None,
        });
        scribe
    }

    fn tell(&mut self, happening: Happening) {
        let seq = self.events.len() as u64 + 1;
        let at = Millis(1_793_966_400_000 + seq * 1_000);
        self.events.push(Event { seq, at, happening });
    }

    fn next(&mut self) -> EntryId {
        self.entry += 1;
        EntryId(self.entry)
    }

    fn user(&mut self, text: &str) -> EntryId {
        let entry = self.next();
        self.tell(Happening::UserMessage {
            entry,
            content: Content::text(text),
            source: Source::Prompt,
        });
        entry
    }

    fn assistant(&mut self, text: &str, calls: &[&str]) -> EntryId {
        let entry = self.next();
        let request = |id: &&str| CallRequest {
            id: CallId::new(*id),
            provider_id: "p".into(),
            tool: "shell".into(),
            input: Document("{}".into()),
        };
        self.tell(Happening::MessageEnded {
            entry,
            message: Arc::new(AssistantMessage {
                text: text.into(),
                thinking: "Hm.".into(),
                calls: calls.iter().map(request).collect(),
                ..AssistantMessage::default()
            }),
        });
        entry
    }

    fn call(&mut self, id: &str, summary: &str, text: &str) {
        let call = CallId::new(id);
        self.tell(Happening::CallStarted(Call {
            id: call.clone(),
            tool: "shell".into(),
            category: Category::Shell,
            summary: summary.into(),
            input: Document(serde_json::json!({ "command": summary }).to_string().into()),
        }));
        self.tell(Happening::CallJudged {
            call: call.clone(),
            ruling: Ruling::Ask,
            rule: "mode auto".into(),
        });
        self.tell(Happening::ApprovalSettled(Settlement {
            call: call.clone(),
            tool: "shell".into(),
            allowed: true,
            by: SettledBy::Client,
            scope: Scope::Once,
            note: Some(text.into()),
            amended: false,
        }));
        self.tell(Happening::FileChanged {
            call: call.clone(),
            path: text.into(),
            kind: EditKind::Modified,
            diff: Some(format!("@@ -1 +1 @@\n-old\n+{text}\n").into()),
        });
        self.tell(Happening::CallEnded(Arc::new(CallResult {
            call,
            tool: "shell".into(),
            end: CallEnd::Done,
            text: text.into(),
            images: Vec::new(),
            exit_code: Some(0),
            truncated: false,
            duration_ms: 1_250,
        })));
    }

    fn batch(&mut self) -> EntryId {
        let entry = self.next();
        self.tell(Happening::BatchEnded { entry });
        entry
    }

    fn turn_end(&mut self) {
        self.tell(Happening::TurnEnded {
            turn: TurnId(1),
            outcome: Outcome::Completed,
            steps: 2,
            usage: Usage {
                input: 10,
                cost: Cost(12_700),
                ..Usage::default()
            },
            duration_ms: 62_000,
        });
    }

    fn done(self) -> (Member, Vec<Event>) {
        (self.member, self.events)
    }
}

fn told(
    shelf: &Shelf,
    session: &str,
    format: ExportFormat,
    all: bool,
) -> (String, usize, Vec<String>) {
    let request = ExportRequest {
        format,
        path: None,
        all_branches: all,
    };
    let mut redact = Counting {
        redactor: Arc::new(Redactor::default()),
        tally: Tally::default(),
    };
    let mut out = Vec::new();
    let export = Export {
        session: &SessionId::new(session),
        request: &request,
        root: Path::new("/w"),
        places: &Places::default(),
        cancelled: &AtomicBool::new(false),
    };
    let (redacted, entries) = tell(shelf, &mut redact, &export, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), entries, redacted)
}

fn story(secret: &str) -> Shelf {
    let mut scribe = Scribe::new("S1", None);
    scribe.tell(Happening::Titled {
        title: format!("Mend <it> {secret}").into(),
    });
    let first = scribe.user(&format!("# Mend it\n```` {secret}"));
    scribe.assistant(&format!("I *look*. {secret}"), &["c1"]);
    scribe.call("c1", &format!("ls {secret}"), &format!("a.txt {secret}"));
    scribe.batch();
    scribe.assistant("Done.", &[]);
    scribe.turn_end();
    scribe.tell(Happening::Rewound { to: first });
    scribe.assistant("Otherwise.", &[]);
    Shelf(vec![scribe.done()])
}

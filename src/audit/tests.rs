//! A journal of every kind of record.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::{By, Latest, Lines, Record, Trail, Verdict, Wanted, When, json_line};

mod rulings;
mod shown;

/// Tells a session's events, one a second.
struct Scribe {
    trail: Trail,
    seq: u64,
    whole: Vec<Record>,
}

impl Scribe {
    fn new(session: &str) -> Scribe {
        Scribe {
            trail: Trail::new(SessionId::new(session)),
            seq: 0,
            whole: Vec::new(),
        }
    }

    fn tell(&mut self, happening: Happening) {
        self.seq += 1;
        let at = Millis(1_793_966_400_000 + self.seq * 1_000);
        let seq = self.seq;
        let event = Event { seq, at, happening };
        self.trail.take(&event, &mut self.whole);
    }

    fn opened(&mut self) {
        self.tell(Happening::Opened {
            root: "/w".into(),
            mode: Mode::Auto,
            model: model(),
            fork_of: None,
            parent: None,
        });
    }

    fn turn(&mut self, turn: u64) {
        self.tell(Happening::TurnStarted {
            turn: TurnId(turn),
            mode: Mode::Auto,
            model: model(),
        });
    }

    fn call(&mut self, id: &str, summary: &str) {
        self.tell(Happening::CallStarted(Call {
            id: CallId::new(id),
            tool: "shell".into(),
            category: Category::Shell,
            summary: summary.into(),
            input: Document::default(),
        }));
    }

    fn judged(&mut self, id: &str, ruling: Ruling, rule: &str) {
        let rule = rule.into();
        let call = CallId::new(id);
        self.tell(Happening::CallJudged { call, ruling, rule });
    }

    fn asked(&mut self, id: &str, reason: &str) {
        self.tell(Happening::ApprovalAsked(Arc::new(Approval {
            call: CallId::new(id),
            tool: "shell".into(),
            category: Category::Shell,
            summary: "as asked".into(),
            command: None,
            paths: Vec::new(),
            edits: Vec::new(),
            reason: reason.into(),
            scopes: vec![Scope::Once],
            asked_by: Vec::new(),
            deadline: None,
        })));
    }

    fn settled(&mut self, id: &str, allowed: bool, by: SettledBy, note: Option<&str>) {
        self.tell(Happening::ApprovalSettled(Settlement {
            call: CallId::new(id),
            tool: "shell".into(),
            allowed,
            by,
            scope: Scope::Once,
            note: note.map(Text::from),
            amended: false,
        }));
    }

    fn ended(&mut self, id: &str, end: CallEnd, text: &str) {
        self.tell(Happening::CallEnded(Arc::new(CallResult {
            call: CallId::new(id),
            tool: "shell".into(),
            end,
            text: text.into(),
            images: Vec::new(),
            exit_code: None,
            truncated: false,
            duration_ms: 0,
        })));
    }

    fn done(mut self) -> Vec<Record> {
        self.trail.finish(&mut self.whole);
        self.whole
    }
}

fn model() -> ModelChoice {
    ModelChoice {
        provider: "p".into(),
        model: "m".into(),
        effort: None,
    }
}

/// Allowed by a rule, denied by another, asked and answered, asked and cut.
fn story() -> Vec<Record> {
    let mut scribe = Scribe::new("20261106-091500-k3x7qa");
    scribe.opened();
    scribe.turn(1);
    scribe.call("c1", "ls");
    scribe.judged("c1", Ruling::Allow, "shipped allow[0]");
    scribe.ended("c1", CallEnd::Done, "a");
    scribe.call("c2", "git push -f");
    scribe.judged(
        "c2",
        Ruling::Deny,
        "user deny[2] \"no force\" on git push -f",
    );
    scribe.ended("c2", CallEnd::Denied, "Denied: ask a person");
    scribe.call("c3", "make\n\u{1b}[31mtest");
    scribe.judged("c3", Ruling::Ask, "mode auto");
    scribe.asked(
        "c3",
        "in mode auto shell commands are not run without asking",
    );
    scribe.settled("c3", true, SettledBy::Client, Some("go on"));
    scribe.ended("c3", CallEnd::Done, "ok");
    scribe.call("c4", "make install");
    scribe.judged("c4", Ruling::Ask, "mode auto");
    scribe.asked(
        "c4",
        "in mode auto shell commands are not run without asking",
    );
    scribe.done()
}

//! What events come to.

use super::{Verdict, *};
use crate::guard::Blame;

fn verdicts(decisions: &[Record]) -> Vec<(String, Verdict, By, String)> {
    let shown = |it: &Record| (it.call.to_string(), it.verdict, it.by, it.why.to_string());
    decisions.iter().map(shown).collect()
}

fn row(call: &str, verdict: Verdict, by: By, why: &str) -> (String, Verdict, By, String) {
    (call.to_owned(), verdict, by, why.to_owned())
}

#[test]
fn each_call_has_its_decision() {
    let asked = "in mode auto shell commands are not run without asking";
    let expected = [
        row("c1", Verdict::Allowed, By::Rule, ""),
        row("c2", Verdict::Denied, By::Rule, "ask a person"),
        row("c3", Verdict::Allowed, By::Client, asked),
        row("c4", Verdict::Asked, By::Mode, asked),
    ];
    assert_eq!(verdicts(&story()), expected);
}

#[test]
fn a_decision_is_whole() {
    let record = story().swap_remove(2);
    let expected = Record {
        at: Millis(1_793_966_410_000),
        seq: 10,
        session: SessionId::new("20261106-091500-k3x7qa"),
        parent: None,
        root: "/w".into(),
        turn: Some(TurnId(1)),
        mode: "auto".into(),
        call: CallId::new("c3"),
        tool: "shell".into(),
        category: Some(Category::Shell),
        summary: "make\n\u{1b}[31mtest".into(),
        ruling: Ruling::Ask,
        rule: "mode auto".into(),
        why: "in mode auto shell commands are not run without asking".into(),
        verdict: Verdict::Allowed,
        by: By::Client,
        answer: Some(super::super::record::Answer {
            at: Millis(1_793_966_412_000),
            scope: Scope::Once,
            note: Some("go on".into()),
            amended: false,
        }),
    };
    assert_eq!(record, expected);
}

#[test]
fn journals_without_rulings_tell_what_was_asked() {
    let mut scribe = Scribe::new("s");
    scribe.asked("c1", "why");
    scribe.settled("c1", false, SettledBy::Deadline, None);
    // Of a question nobody heard of there is nothing to tell.
    scribe.settled("c2", true, SettledBy::Client, None);
    let decisions = scribe.done();
    assert_eq!(
        verdicts(&decisions),
        [row("c1", Verdict::Denied, By::Deadline, "why")]
    );
    assert_eq!(&*decisions[0].summary, "as asked");
}

#[test]
fn an_amended_call_has_both_decisions() {
    let mut scribe = Scribe::new("s");
    scribe.call("c1", "make");
    scribe.judged("c1", Ruling::Ask, "mode auto");
    scribe.asked("c1", "why");
    scribe.settled("c1", true, SettledBy::Client, None);
    scribe.judged(
        "c1",
        Ruling::Allow,
        "allowed as amended; else mode auto asks",
    );
    let expected = [
        row("c1", Verdict::Allowed, By::Client, "why"),
        row("c1", Verdict::Allowed, By::Client, ""),
    ];
    assert_eq!(verdicts(&scribe.done()), expected);
}

#[test]
fn a_turns_end_leaves_nothing_open() {
    let mut scribe = Scribe::new("s");
    scribe.turn(1);
    scribe.call("c1", "make");
    scribe.judged("c1", Ruling::Ask, "floor");
    scribe.tell(Happening::TurnEnded {
        turn: TurnId(1),
        outcome: Outcome::Completed,
        steps: 1,
        usage: Usage::default(),
        duration_ms: 1,
    });
    assert_eq!(
        verdicts(&scribe.whole),
        [row("c1", Verdict::Asked, By::Floor, "")]
    );
    assert_eq!(scribe.done().len(), 1);
}

/// The guard's own words, so that a change of them is seen here.
#[test]
fn blames_are_told_apart() {
    let rules = |label: &str| Blame::Rules {
        labels: vec![label.into()],
        on: String::new(),
    };
    let base = |mode: Mode| Blame::Mode(crate::guard::Base::of(&mode));
    let cases = [
        (rules("user deny[0]"), By::Rule),
        (rules("project ask[1] \"mode auto\""), By::Rule),
        (rules("shipped allow[2]"), By::Rule),
        (base(Mode::Plan), By::Mode),
        (base(Mode::Full), By::Mode),
        (Blame::Floor, By::Floor),
        (Blame::Unreadable("a loop"), By::Guard),
        (Blame::Outside, By::Guard),
        (Blame::Malformed, By::Guard),
        (Blame::BrokenRules, By::Guard),
    ];
    for (blame, by) in cases {
        assert_eq!(By::of_ruling(&blame.to_string()), by, "{blame}");
    }
    // The turn's words; `actors/src/turn/asking.rs` has them.
    for (rule, by) in [
        ("grant g1; else mode auto asks", By::Grant),
        ("refused for the session; else floor asks", By::Grant),
        ("allowed as amended; else floor asks", By::Client),
        ("a failure inside", By::Guard),
    ] {
        assert_eq!(By::of_ruling(rule), by, "{rule}");
    }
}

#[test]
fn a_mode_that_does_not_offer_a_tool_denies_it() {
    let mut scribe = Scribe::new("s");
    scribe.call("c1", "shell");
    scribe.judged("c1", Ruling::Deny, "mode review");
    scribe.ended("c1", CallEnd::Failed, "mode review has no tool \"shell\"");
    let why = "mode review has no tool \"shell\"";
    assert_eq!(
        verdicts(&scribe.done()),
        [row("c1", Verdict::Denied, By::Mode, why)]
    );
}

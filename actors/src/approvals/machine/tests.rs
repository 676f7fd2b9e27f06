use greenroom_protocol::session::{Category, Question};

use super::*;

fn approval(call: &str, scopes: &[Scope]) -> Arc<Approval> {
    Arc::new(Approval {
        call: CallId::new(call),
        tool: "shell".into(),
        category: Category::Shell,
        summary: "make".into(),
        command: Some("make".into()),
        paths: vec![],
        edits: vec![],
        reason: "mode auto asks".into(),
        scopes: scopes.to_vec(),
        asked_by: vec![],
        deadline: None,
    })
}

fn like(key: &str, covers: &str) -> Likeness {
    Likeness {
        key: key.into(),
        covers: covers.into(),
    }
}

fn allow(scope: Scope) -> Decision {
    Decision {
        verdict: Verdict::Allow(scope),
        note: None,
        amendment: None,
    }
}

#[test]
fn an_approval_is_settled_once() {
    let mut approvals = Approvals::default();
    let call = CallId::new("c1");
    assert_eq!(
        approvals.check_decision(&call),
        Err(Refusal::NoSuchApproval(call.clone()))
    );
    approvals.ask(approval("c1", &[Scope::Once]), None);
    assert_eq!(approvals.check_decision(&call), Ok(()));
    assert!(
        approvals
            .decide(&call, &allow(Scope::Once))
            .unwrap()
            .allowed
    );
    assert_eq!(approvals.decide(&call, &allow(Scope::Once)), None);
    assert_eq!(approvals.withdraw(&call, SettledBy::Abort), None);
    assert!(approvals.is_empty());
}

#[test]
fn a_scope_that_was_not_offered_counts_as_once() {
    let mut approvals = Approvals::default();
    let likeness = like("shell:make", "make");
    approvals.ask(approval("c1", &[Scope::Once]), Some(likeness.clone()));
    let settled = approvals.decide(&CallId::new("c1"), &allow(Scope::Session));
    assert_eq!(settled.unwrap().scope, Scope::Once);
    assert!(!approvals.covers(Some(&likeness.key)));
}

#[test]
fn a_grant_covers_calls_of_its_likeness_only() {
    let mut approvals = Approvals::default();
    let likeness = like("shell:make", "make, whatever it makes");
    let scopes = [Scope::Once, Scope::Session];
    approvals.ask(approval("c1", &scopes), Some(likeness.clone()));
    approvals.decide(&CallId::new("c1"), &allow(Scope::Session));
    let granted = Grant {
        name: "g1".into(),
        covers: likeness.covers,
    };
    assert_eq!(approvals.granted(), [granted]);
    assert!(approvals.covers(Some(&likeness.key)));
    assert!(!approvals.covers(Some(&Text::from("shell:make clean"))));
    assert!(!approvals.covers(None));
}

#[test]
fn answers_must_name_questions_that_were_asked() {
    let mut approvals = Approvals::default();
    let call = CallId::new("c1");
    approvals.ask_question(Arc::new(Ask {
        call: call.clone(),
        questions: vec![Question {
            id: "q0".into(),
            text: "which?".into(),
            choices: vec![],
            multiple: false,
        }],
        asked_by: vec![],
        deadline: None,
    }));
    let answer = |question: &str| Answer {
        question: Some(question.into()),
        text: Some("this".into()),
    };
    assert_eq!(approvals.check_answers(&call, &[answer("q0")]), Ok(()));
    assert_eq!(
        approvals.check_answers(&call, &[answer("q7")]),
        Err(Refusal::NoSuchPartOfQuestion(call.clone(), "q7".into()))
    );
    assert!(approvals.close_question(&call).is_some());
    assert_eq!(
        approvals.check_answers(&call, &[]),
        Err(Refusal::NoSuchQuestion(call))
    );
}

#[test]
fn files_amend_edits_only() {
    let mut approvals = Approvals::default();
    approvals.ask(approval("c1", &[Scope::Once]), None);
    let decision = Decision {
        amendment: Some(Amendment::Files(vec![])),
        ..allow(Scope::Once)
    };
    let settled = approvals.decide(&CallId::new("c1"), &decision);
    assert!(
        !settled.unwrap().amended,
        "a shell call has no files to change"
    );
}

//! Calls: asked about, run, ended; and the questions that they put.

use std::sync::Arc;

use greenroom_protocol::session::*;

use super::super::values::*;
use super::super::{NOON, Stage};

/// Approvals of edits: what is planned, and what is decided about it.
pub fn edits(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let planned = |path: &str, kind, before: Option<&str>, after: Option<&str>| PlannedEdit {
        path: text(path),
        kind,
        before: before.map(text),
        after: after.map(text),
    };
    let approval = Approval {
        tool: text("edit_file"),
        category: Category::Edit,
        summary: text("main.go and two more"),
        command: None,
        paths: vec![text("/home/me/app/main.go")],
        edits: vec![
            planned("main.go", EditKind::Modified, Some("a\n"), Some("b\n")),
            planned("new.go", EditKind::Created, None, Some("package main\n")),
            planned("old.go", EditKind::Deleted, Some("gone\n"), None),
        ],
        scopes: vec![Scope::Once, Scope::Session, Scope::Project, Scope::User],
        deadline: Some(Millis(NOON + 60_000)),
        ..shell_approval("toolu_03", "")
    };
    stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    stage.say(
        r#"{"type":"approve","call_id":"toolu_03","allow":true,"for_session":true,"edits":[{"path":"main.go","content":"package main\n"}]}"#,
        r#"{"type":"permission_response","requestId":"toolu_03","decision":"allow_session"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ApprovalSettled(Settlement {
        tool: text("edit_file"),
        scope: Scope::Session,
        amended: true,
        ..settled("toolu_03", true, SettledBy::Client)
    }));
    for (path, kind) in [
        ("main.go", EditKind::Modified),
        ("new.go", EditKind::Created),
        ("/tmp/old.go", EditKind::Deleted),
    ] {
        stage.tell(Happening::FileChanged {
            call: call_id("toolu_03"),
            path: text(path),
            kind,
            diff: (kind == EditKind::Modified).then(|| text("@@ -1 +1 @@\n-one\n+two\n")),
        });
    }
    stage.remark("Sub-agents ask through the same words.");
    let approval = Approval {
        asked_by: vec![AgentId::new("S1"), AgentId::new("S2")],
        scopes: vec![Scope::Once],
        ..shell_approval("c_9", "rm -r build")
    };
    stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    stage.say(
        r#"{"type":"approve","call_id":"c_9","allow":false,"note":"keep it"}"#,
        r#"{"type":"permission_response","requestId":"c_9","allowed":false,"note":"keep it"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::ApprovalSettled(Settlement {
        note: Some(text("keep it")),
        ..settled("c_9", false, SettledBy::Client)
    }));
    stage.farewell(0);
}

/// All ways in which a call may end, and who settles approvals.
pub fn calls(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let ends = [
        CallEnd::Done,
        CallEnd::Failed,
        CallEnd::Denied,
        CallEnd::Refused,
        CallEnd::Skipped,
        CallEnd::Aborted,
        CallEnd::Unknown,
    ];
    for (index, end) in ends.into_iter().enumerate() {
        let id = format!("c_{index}");
        stage.tell(call_started(shell(&id, "make")));
        if matches!(end, CallEnd::Done | CallEnd::Failed) {
            stage.tell(call_running(&id));
        }
        stage.tell(call_ended(CallResult {
            exit_code: (end == CallEnd::Failed).then_some(-2),
            truncated: end == CallEnd::Done,
            images: if end == CallEnd::Done {
                vec![picture()]
            } else {
                vec![]
            },
            ..ended(&id, end, "what the model reads")
        }));
    }
    stage.tell(batch_ended(9));
    stage.remark("An input that is no JSON, and one with line ends between its tokens.");
    for (id, input) in [("c_8", "{\"command\":"), ("c_9", "{\r\n  \"a b\": 1.0\n}")] {
        stage.tell(call_started(Call {
            input: Document(text(input)),
            ..shell(id, "make")
        }));
        stage.tell(call_running(id));
        stage.tell(call_ended(ended(id, CallEnd::Failed, "no")));
    }
    let by = [
        SettledBy::Client,
        SettledBy::Policy,
        SettledBy::Abort,
        SettledBy::ClientsGone,
        SettledBy::Deadline,
        SettledBy::Restart,
    ];
    for (index, by) in by.into_iter().enumerate() {
        let id = format!("a_{index}");
        stage.tell(Happening::ApprovalAsked(Arc::new(shell_approval(
            &id, "make",
        ))));
        stage.tell(Happening::ApprovalSettled(settled(&id, false, by)));
    }
    let categories = [
        Category::Read,
        Category::Edit,
        Category::Web,
        Category::Mcp,
        Category::Agent,
        Category::Session,
    ];
    for category in categories {
        let approval = Approval {
            category,
            command: None,
            paths: vec![],
            ..shell_approval("x", "what it does")
        };
        stage.tell(Happening::ApprovalAsked(Arc::new(approval)));
    }
    stage.farewell(0);
}

/// Questions, one and several.
pub fn questions(stage: &mut dyn Stage) {
    stage.greet(&new_session());
    let question = |id: &str, asked: &str, choices: &[(&str, Option<&str>)]| Question {
        id: text(id),
        text: text(asked),
        choices: choices
            .iter()
            .map(|(label, description)| Choice {
                label: text(label),
                description: description.map(text),
            })
            .collect(),
        multiple: false,
    };
    let ask = |id: &str, questions| Ask {
        call: call_id(id),
        questions,
        asked_by: vec![],
        deadline: None,
    };
    let asked = "Which database should the tests use?";
    let one = ask("toolu_04", vec![question("q0", asked, &[])]);
    stage.tell(Happening::QuestionAsked(Arc::new(one)));
    stage.say(
        r#"{"id":1,"type":"answer","call_id":"toolu_04","text":"Postgres"}"#,
        r#"{"id":1,"type":"question_response","requestId":"toolu_04","answer":"Postgres"}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::QuestionSettled {
        call: call_id("toolu_04"),
        answered: true,
        by: SettledBy::Client,
    });
    let choices = [("Postgres", Some("as in production")), ("SQLite", None)];
    let several = Ask {
        asked_by: vec![AgentId::new("S2")],
        deadline: Some(Millis(NOON + 60_000)),
        ..ask(
            "toolu_05",
            vec![
                question("q0", asked, &choices),
                Question {
                    multiple: true,
                    ..question("q1", "Where do they run?", &[("here", None)])
                },
            ],
        )
    };
    stage.tell(Happening::QuestionAsked(Arc::new(several)));
    stage.say(
        r#"{"id":2,"type":"answer","call_id":"toolu_05","answers":[{"question":"q1","text":"here"},{"question":"q0"}]}"#,
        r#"{"id":2,"type":"question_response","requestId":"toolu_05","answers":[{"id":"q1","answer":"here"},{"id":"q0"}]}"#,
    );
    stage.answer(Ok(Reply::Done));
    stage.tell(Happening::QuestionSettled {
        call: call_id("toolu_05"),
        answered: false,
        by: SettledBy::Abort,
    });
    stage.farewell(130);
}

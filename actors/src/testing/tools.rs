//! Tools that do nothing real, and a guard for them.

use std::sync::Arc;

use greenroom_protocol::session::{
    Amendment, CallId, Category, Document, OutputStream, PlanItem, PlanStatus, Priority, Question,
    Scope,
};

use crate::ports::{
    Act, Action, AgentTask, Guard, Judgement, Likeness, OutputSink, PlannedCall, Ran, ToolContext,
    ToolFault, ToolSpec, Tools, Work,
};

/// `read`, `edit`, `shell`, `ask`, `plan` and `task` (with `back` in the background). The input is their summary, and says what
/// they do: `hang`, `panic`, `fail`, `bad` (can't be planned), `deny`.
#[derive(Debug)]
pub struct FakeTools;

/// What the fake tools are.
pub fn specs() -> Arc<[ToolSpec]> {
    let spec = |name: &str, category| ToolSpec {
        name: name.into(),
        description: "For tests.".into(),
        schema: Document::default(),
        category,
    };
    [
        spec("read", Category::Read),
        spec("edit", Category::Edit),
        spec("shell", Category::Shell),
        spec("ask", Category::Session),
        spec("task", Category::Agent),
        spec("plan", Category::Session),
    ]
    .into()
}

/// Plans a call of a fake tool.
pub fn plan(tool: &str, input: &Document) -> Result<PlannedCall, ToolFault> {
    if input.0.contains("bad") {
        return Err(ToolFault("the input is no good".to_owned()));
    }
    let specs = specs();
    let spec = specs.iter().find(|spec| &*spec.name == tool);
    let Some(spec) = spec else {
        return Err(ToolFault(format!("there is no tool {tool:?}")));
    };
    let question = || Question {
        id: "q0".into(),
        text: input.0.clone(),
        choices: Vec::new(),
        multiple: false,
    };
    Ok(PlannedCall {
        tool: tool.into(),
        category: spec.category,
        summary: input.0.clone(),
        command: (tool == "shell").then(|| input.0.clone()),
        target: None,
        touches: Vec::new(),
        edits: Vec::new(),
        action: match tool {
            "ask" => Action::Ask(vec![question()]),
            "plan" => Action::SetPlan(vec![PlanItem {
                text: input.0.clone(),
                status: PlanStatus::Pending,
                priority: Priority::Medium,
            }]),
            "task" => Action::Delegate(AgentTask {
                name: "general".into(),
                task: input.0.clone(),
                prompt: input.0.clone(),
                background: input.0.contains("back"),
            }),
            _ => Action::Run(input.clone()),
        },
    })
}

impl Tools for FakeTools {
    fn specs(&self) -> Arc<[ToolSpec]> {
        specs()
    }

    fn plan(
        &self,
        tool: &str,
        input: &Document,
        _: &ToolContext,
    ) -> Work<Result<PlannedCall, ToolFault>> {
        let planned = plan(tool, input);
        Box::pin(async { planned })
    }

    fn run(
        &self,
        _: CallId,
        planned: PlannedCall,
        _: Option<Amendment>,
        _: ToolContext,
        output: OutputSink,
    ) -> Work<Ran> {
        Box::pin(async move {
            let what = planned.summary;
            let _ = output
                .send((OutputStream::Stdout, format!("doing {what}\n")))
                .await;
            if what.contains("hang") {
                std::future::pending::<()>().await;
            }
            #[expect(clippy::panic, reason = "this is what it is for")]
            if what.contains("panic") {
                panic!("scripted panic of a tool");
            }
            Ran {
                text: format!("did {what}"),
                failed: what.contains("fail"),
                ..Ran::default()
            }
        })
    }
}

/// Reads, session tools and sub-agents run, edits and commands ask, `deny` is denied.
#[derive(Debug)]
pub struct FakeGuard;

impl Guard for FakeGuard {
    fn judge(&self, act: &Act<'_>) -> Judgement {
        if act.call.summary.contains("deny") {
            return Judgement::Deny {
                reason: "a rule says so".into(),
                by: "test deny[0]".into(),
            };
        }
        match act.call.category {
            Category::Read | Category::Session | Category::Agent => Judgement::Allow {
                by: "a test".into(),
            },
            _ => Judgement::Ask {
                reason: "it is a test".into(),
                scopes: vec![Scope::Once, Scope::Session],
                by: "a test".into(),
            },
        }
    }

    fn likeness(&self, act: &Act<'_>) -> Option<Likeness> {
        Some(Likeness {
            key: format!("{}:{}", act.call.tool, act.call.summary).into(),
            covers: act.call.summary.clone(),
        })
    }
}

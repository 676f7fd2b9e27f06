//! What must happen, in which order.

use serde_json::Value;

/// A moment of the demonstration that must not be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Started,
    PromptAccepted,
    PromptHeard,
    Planned,
    FileWritten,
    ApprovalAsked,
    ApprovalGranted,
    TestFailed,
    QuestionAsked,
    SteerAccepted,
    QuestionAnswered,
    SteerHeard,
    FileEdited,
    TestPassed,
    FinalAnswer,
    TurnEnded,
    SessionEnded,
}

use Moment::*;

/// All of them, in their order.
const STORY: &[Moment] = &[
    Started,
    PromptAccepted,
    PromptHeard,
    Planned,
    FileWritten,
    FileWritten,
    ApprovalAsked,
    ApprovalGranted,
    TestFailed,
    QuestionAsked,
    SteerAccepted,
    QuestionAnswered,
    SteerHeard,
    FileEdited,
    TestPassed,
    FinalAnswer,
    TurnEnded,
    SessionEnded,
];

/// The `id` of each command that the host sends.
pub(super) const PROMPT: &str = "prompt-1";
pub(super) const APPROVE: &str = "approve-1";
pub(super) const STEER: &str = "steer-1";
pub(super) const ANSWER: &str = "answer-1";

/// How far the story is.
#[derive(Debug, Default)]
pub(super) struct Story {
    told: usize,
    planned: bool,
}

impl Story {
    /// What is waited for, in words.
    pub fn awaited(&self) -> &'static str {
        STORY
            .get(self.told)
            .map_or("the end", |moment| name(*moment))
    }

    /// Takes an event. The error says what came instead of what was due.
    pub fn take(&mut self, event: &Value) -> Result<(), String> {
        let moment = match moment(event)? {
            // The plan is told again with each change.
            Some(Planned) if self.planned => None,
            moment => moment,
        };
        let Some(moment) = moment else { return Ok(()) };
        if STORY.get(self.told) != Some(&moment) {
            return Err(format!("{} came before {}", name(moment), self.awaited()));
        }
        self.planned |= moment == Planned;
        self.told += 1;
        Ok(())
    }

    /// Whether nothing is missing.
    pub fn is_over(&self) -> bool {
        self.told == STORY.len()
    }
}

/// The moment that an event stands for. What may not happen at all is an error.
fn moment(event: &Value) -> Result<Option<Moment>, String> {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let is = |key: &str| event[key].as_bool() == Some(true);
    Ok(match text("type") {
        "session_start" => Some(Started),
        "response" if !is("ok") => {
            let (command, error) = (text("command"), text("error"));
            return Err(format!("the agent refused {command}: {error}"));
        }
        "response" => match text("id") {
            PROMPT => Some(PromptAccepted),
            STEER => Some(SteerAccepted),
            _ => None,
        },
        "plan" => Some(Planned),
        "message_end" => match (text("role"), text("source"), text("stop")) {
            ("user", "prompt", _) => Some(PromptHeard),
            ("user", "steer", _) => Some(SteerHeard),
            ("assistant", _, "end") => Some(FinalAnswer),
            _ => None,
        },
        "approval_needed" => Some(ApprovalAsked),
        "approval" if is("allow") && text("by") == "client" => Some(ApprovalGranted),
        "approval" => return Err("the approval was settled otherwise than by the host".into()),
        "question" => Some(QuestionAsked),
        "tool_result" => result(event)?,
        "error" => return Err(format!("an error: {}", text("message"))),
        "turn_end" if text("status") == "ok" => Some(TurnEnded),
        "turn_end" => return Err(format!("the turn ended as {}", text("status"))),
        "session_end" => Some(SessionEnded),
        _ => None,
    })
}

fn result(event: &Value) -> Result<Option<Moment>, String> {
    let tool = event["tool"].as_str().unwrap_or_default();
    let failed = event["is_error"].as_bool() != Some(false);
    match (tool, failed, event["exit_code"].as_i64()) {
        ("shell", true, Some(1)) => Ok(Some(TestFailed)),
        ("shell", false, Some(0)) => Ok(Some(TestPassed)),
        ("write_file", false, _) => Ok(Some(FileWritten)),
        ("edit_file", false, _) => Ok(Some(FileEdited)),
        ("ask_user", false, _) => Ok(Some(QuestionAnswered)),
        (_, false, _) => Ok(None),
        _ => Err(format!("{tool} failed: {}", event["text"])),
    }
}

fn name(moment: Moment) -> &'static str {
    match moment {
        Started => "session_start",
        PromptAccepted => "the response to the prompt",
        PromptHeard => "the prompt in the conversation",
        Planned => "the plan",
        FileWritten => "a written file",
        ApprovalAsked => "the request for an approval",
        ApprovalGranted => "the approval",
        TestFailed => "the test that fails",
        QuestionAsked => "the question",
        SteerAccepted => "the response to the steer",
        QuestionAnswered => "the answer to the question",
        SteerHeard => "the steer in the conversation",
        FileEdited => "the edit",
        TestPassed => "the test that passes",
        FinalAnswer => "the final answer",
        TurnEnded => "the end of the turn",
        SessionEnded => "session_end",
    }
}

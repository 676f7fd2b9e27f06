//! The calls of one answer: each is told once, asked about at most once, and
//! has one result.

use serde_json::Value;

use super::must;
use super::tally::Tally;

/// The calls of one answer.
#[derive(Debug)]
pub struct Batch {
    /// How many calls the answer has.
    pub due: usize,
    /// A steer waits: calls that are told from now on are skipped.
    pub steered: bool,
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    id: String,
    tool: Value,
    summary: Value,
    /// Told when a steer waited already.
    must_be_skipped: bool,
    approval: Step,
    /// What the approval showed.
    shown: Value,
    /// What the client's decision was, until `approval` tells it.
    decided: Option<bool>,
    allowed: Option<bool>,
    question: Step,
    done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Never,
    Open,
    Closed,
}

impl Batch {
    pub fn new(due: usize, steered: bool) -> Batch {
        Batch {
            due,
            steered,
            calls: Vec::new(),
        }
    }

    pub fn is_done(&self) -> bool {
        self.calls.len() == self.due && self.calls.iter().all(|call| call.done)
    }

    pub fn open_approvals(&self) -> Vec<String> {
        let open = self
            .calls
            .iter()
            .filter(|it| it.approval == Step::Open && it.decided.is_none());
        open.map(|it| it.id.clone()).collect()
    }

    pub fn open_questions(&self) -> Vec<String> {
        let open = self.calls.iter().filter(|call| call.question == Step::Open);
        open.map(|it| it.id.clone()).collect()
    }

    pub fn started(&mut self, id: &str, json: &Value) -> Result<(), String> {
        must(self.calls.len() < self.due, || {
            "more calls than the answer has".to_owned()
        })?;
        self.calls.push(Call {
            id: id.to_owned(),
            tool: json["tool"].clone(),
            summary: json["summary"].clone(),
            must_be_skipped: self.steered,
            approval: Step::Never,
            shown: Value::Null,
            decided: None,
            allowed: None,
            question: Step::Never,
            done: false,
        });
        Ok(())
    }

    pub fn asked(&mut self, id: &str, json: &Value) -> Result<(), String> {
        let call = self.open_call(id)?;
        must(call.approval == Step::Never, || {
            format!("{id} is asked about twice")
        })?;
        must(!call.must_be_skipped, || {
            format!("{id} is to be skipped, yet asked about")
        })?;
        call.approval = Step::Open;
        call.shown = json["summary"].clone();
        Ok(())
    }

    pub fn decided(&mut self, id: &str, allow: bool) {
        if let Ok(call) = self.open_call(id) {
            call.decided = Some(allow);
        }
    }

    pub fn settled(&mut self, id: &str, json: &Value, tally: &mut Tally) -> Result<(), String> {
        let call = self.open_call(id)?;
        must(call.approval == Step::Open, || {
            format!("{id} was not asked about")
        })?;
        let allow = json["allow"] == true;
        let by = json["by"].as_str().unwrap_or_default();
        match (by, call.decided) {
            ("client", Some(decided)) if decided == allow => (),
            ("client", _) => return Err(format!("no response before this `approval` of {id}")),
            (_, Some(_)) => return Err(format!("{id} was decided, yet settled by {by}")),
            ("flag", None) => must(allow, || "a flag refuses".to_owned())?,
            ("abort" | "eof" | "deadline", None) => must(!allow, || format!("{by} allows"))?,
            _ => return Err(format!("settled by {by:?}")),
        }
        call.approval = Step::Closed;
        call.decided = None;
        call.allowed = Some(allow);
        if !allow {
            tally.refused(id, &call.tool, &call.shown, by);
        }
        Ok(())
    }

    pub fn question(&mut self, id: &str) -> Result<(), String> {
        let call = self.open_call(id)?;
        must(call.question == Step::Never, || format!("{id} asks twice"))?;
        call.question = Step::Open;
        Ok(())
    }

    pub fn answered(&mut self, id: &str) {
        if let Ok(call) = self.open_call(id) {
            call.question = Step::Closed;
        }
    }

    pub fn ended(
        &mut self,
        id: &str,
        json: &Value,
        aborted: bool,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let call = self.open_call(id)?;
        let failed = json["is_error"] == true;
        must(json["tool"] == call.tool, || {
            format!("{id} was another tool")
        })?;
        must(call.approval != Step::Open, || {
            format!("{id} ends before its `approval`")
        })?;
        must(call.allowed != Some(false) || failed, || {
            format!("{id} was refused, yet ran")
        })?;
        must(call.question != Step::Open || failed, || {
            format!("{id} had no answer, yet is fine")
        })?;
        must(!aborted || failed, || {
            format!("{id} is fine after the abort")
        })?;
        if call.must_be_skipped {
            must(json["skipped"] == true, || {
                format!("{id} ran though a steer waited")
            })?;
        }
        if json["denied"] == true {
            must(failed && call.approval == Step::Never, || {
                format!("{id} is denied, so nobody is asked")
            })?;
            tally.refused(id, &call.tool, &call.summary, "guard");
        }
        call.question = match call.question {
            Step::Open => Step::Closed,
            other => other,
        };
        call.done = true;
        Ok(())
    }

    fn open_call(&mut self, id: &str) -> Result<&mut Call, String> {
        match self.calls.iter_mut().find(|call| call.id == id) {
            Some(call) if !call.done => Ok(call),
            Some(_) => Err(format!("{id} has its result already")),
            None => Err(format!("no `tool_call` before this of {id:?}")),
        }
    }
}

//! Sub-agents: each begins once and ends once, and what is told of it stands
//! between, with each of its calls ended and each approval settled.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::must;
use super::tally::{Tally, Usage};

/// Those that run, by the ids of their sessions.
#[derive(Debug, Default)]
pub struct Agents {
    running: BTreeMap<String, Agent>,
    ever: BTreeSet<String>,
}

#[derive(Debug)]
struct Agent {
    starter: String,
    calls: BTreeMap<String, Call>,
}

#[derive(Debug)]
struct Call {
    tool: Value,
    summary: Value,
    approval: Approval,
    question_open: bool,
}

#[derive(Debug, PartialEq)]
enum Approval {
    Never,
    Open(Value),
    Decided(Value, bool),
    Settled,
}

impl Agents {
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        let calls = || self.running.values().flat_map(|agent| &agent.calls);
        let approvals = calls().filter(|(_, call)| matches!(call.approval, Approval::Open(_)));
        let questions = calls().filter(|(_, call)| call.question_open);
        (
            approvals.map(|(id, _)| id.clone()).collect(),
            questions.map(|(id, _)| id.clone()).collect(),
        )
    }

    pub fn approved(&mut self, call: &str, allow: bool) {
        if let Some(call) = self.call(call)
            && let Approval::Open(shown) = &call.approval
        {
            call.approval = Approval::Decided(shown.clone(), allow);
        }
    }

    pub fn answered(&mut self, call: &str) {
        if let Some(call) = self.call(call) {
            call.question_open = false;
        }
    }

    fn call(&mut self, id: &str) -> Option<&mut Call> {
        let mut agents = self.running.values_mut();
        agents.find_map(|agent| agent.calls.get_mut(id))
    }

    /// `agent_start` or `agent_end` of that session's.
    pub fn begins_or_ends(&mut self, session: &str, json: &Value) -> Result<(), String> {
        let name = json["agent"].as_str().unwrap_or_default();
        if json["type"] == "agent_start" {
            must(self.ever.insert(name.to_owned()), || {
                format!("{name} begins twice")
            })?;
            let starter = session.to_owned();
            let calls = BTreeMap::new();
            self.running
                .insert(name.to_owned(), Agent { starter, calls });
            return Ok(());
        }
        let Some(agent) = self.running.remove(name) else {
            return Err(format!("{name} ends, and does not run"));
        };
        must(agent.starter == session, || {
            format!("{name} was started by {}", agent.starter)
        })?;
        must(agent.calls.is_empty(), || {
            format!("{name} ends with open calls: {:?}", agent.calls.keys())
        })?;
        let below = self.running.values().find(|it| it.starter == name);
        must(below.is_none(), || format!("{name} ends before its own"))
    }

    /// A line of a sub-agent.
    pub fn line(
        &mut self,
        json: &Value,
        tally: &mut Tally,
        known: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let session = json["session"].as_str().unwrap_or_default();
        let Some(agent) = self.running.get_mut(session) else {
            return Err(format!("a line of {session}, which does not run"));
        };
        must(json["parent"] == agent.starter.as_str(), || {
            format!("{session} was started by {}", agent.starter)
        })?;
        let kind = json["type"].as_str().unwrap_or_default();
        match kind {
            "agent_start" | "agent_end" => return self.begins_or_ends(session, json),
            "error" | "notice" => return Ok(()),
            "usage" => {
                tally.usage.add(Usage::read(json));
                return Ok(());
            }
            _ => (),
        }
        let id = json["call_id"].as_str().unwrap_or_default().to_owned();
        if kind == "tool_call" {
            must(known.insert(id.clone()), || format!("{id} was used before"))?;
            let call = Call {
                tool: json["tool"].clone(),
                summary: json["summary"].clone(),
                approval: Approval::Never,
                question_open: false,
            };
            agent.calls.insert(id, call);
            return Ok(());
        }
        let Some(call) = agent.calls.get_mut(&id) else {
            return Err(format!("`{kind}` of {id:?}, which is not open"));
        };
        match kind {
            "approval_needed" => {
                must(call.approval == Approval::Never, || {
                    format!("{id} is asked about twice")
                })?;
                must(json["agent"] == session, || {
                    format!("{id} is asked about by {}", json["agent"])
                })?;
                call.approval = Approval::Open(json["summary"].clone());
            }
            "approval" => {
                let allow = json["allow"] == true;
                let by = json["by"].as_str().unwrap_or_default();
                let before = std::mem::replace(&mut call.approval, Approval::Settled);
                let shown = match (by, before) {
                    ("client", Approval::Decided(shown, decided)) if decided == allow => shown,
                    ("flag", Approval::Open(shown)) if allow => shown,
                    ("abort" | "eof" | "deadline", Approval::Open(shown)) if !allow => shown,
                    // It was decided, and stopped before it heard so.
                    ("abort", Approval::Decided(shown, _)) if !allow => shown,
                    (by, before) => return Err(format!("{id}: {before:?}, settled by {by}")),
                };
                if !allow {
                    tally.refused(&id, &call.tool, &shown, by);
                }
            }
            "question" => call.question_open = true,
            "tool_result" => {
                must(
                    matches!(call.approval, Approval::Never | Approval::Settled),
                    || format!("{id} ends before its `approval`"),
                )?;
                if json["denied"] == true {
                    tally.refused(&id, &call.tool, &call.summary, "guard");
                }
                agent.calls.remove(&id);
            }
            _ => return Err(format!("an event `{kind}` of a sub-agent")),
        }
        Ok(())
    }
}

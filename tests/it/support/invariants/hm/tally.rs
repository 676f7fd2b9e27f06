//! What `session_end` must tell: the sum of what was told.

use serde_json::{Value, json};

use super::must;

/// `input`, `output`, `cache_read`, `cache_write`, and the cost in millionths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Usage([i64; 5]);

impl Usage {
    pub fn read(json: &Value) -> Usage {
        let number = |name: &str| json[name].as_i64().unwrap_or(-1);
        let cost = json["cost"].as_f64().unwrap_or(-1.0);
        Usage([
            number("input"),
            number("output"),
            number("cache_read"),
            number("cache_write"),
            (cost * 1e6).round() as i64,
        ])
    }

    pub fn add(&mut self, other: Usage) {
        for (sum, part) in self.0.iter_mut().zip(other.0) {
            *sum += part;
        }
    }
}

/// Of all turns.
#[derive(Debug, Default)]
pub struct Tally {
    pub usage: Usage,
    pub answer: String,
    pub refused: Vec<Value>,
}

impl Tally {
    pub fn refused(&mut self, call: &str, tool: &Value, summary: &Value, by: &str) {
        self.refused
            .push(json!({"call_id": call, "tool": tool, "summary": summary, "by": by}));
    }

    /// A `session_end`.
    pub fn check(&self, json: &Value) -> Result<(), String> {
        must(json["answer"] == self.answer.as_str(), || {
            format!("`answer` should be {:?}", self.answer)
        })?;
        let told = Usage::read(&json["usage"]);
        must(told == self.usage, || {
            format!("`usage` is {told:?}, its events add up to {:?}", self.usage)
        })?;
        let listed = &self.refused[..self.refused.len().min(1000)];
        must(json["refused"] == Value::from(listed.to_vec()), || {
            format!("`refused` should be {listed:?}")
        })
    }
}

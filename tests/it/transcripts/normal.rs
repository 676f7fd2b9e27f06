//! What differs from run to run, replaced by names that do not.

use std::path::Path;

use serde_json::Value;

use crate::support::Line;

/// Replaces what differs.
pub struct Normal {
    folders: Vec<(String, &'static str)>,
    sessions: Vec<String>,
}

impl Normal {
    pub fn new(workspace: &Path, state: &Path, session: String) -> Normal {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Normal {
            folders: vec![(text(workspace), "/w"), (text(state), "/state")],
            sessions: vec![session],
        }
    }

    /// A fork begins: it is `S2`, the next one `S3`.
    fn learn(&mut self, line: &Value) {
        let Some(session) = line["session"].as_str() else {
            return;
        };
        if line["type"] == "session_start" && !self.sessions.iter().any(|it| it == session) {
            self.sessions.push(session.to_owned());
        }
    }

    /// A line with names for what differs: sessions are `S1`, `S2`, folders are
    /// `/w` and `/state`, times are `T`, durations 0. hm's header, which is the
    /// same in every line, is left out but for the type.
    pub fn line(&mut self, line: &Line) -> String {
        self.learn(&line.json);
        let mut json = line.json.clone();
        if let Some(fields) = json.as_object_mut()
            && fields.contains_key("v")
        {
            for name in ["v", "session", "time"] {
                fields.shift_remove(name);
            }
        }
        self.value("", &mut json);
        let mut text = json.to_string();
        // Editors and tools may take these for ends of lines, or hide them.
        for separator in ['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'] {
            let escaped = format!("\\u{:04x}", u32::from(separator));
            text = text.replace(separator, &escaped);
        }
        text
    }

    fn value(&self, name: &str, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.value(name, value);
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.value(name, value);
                }
            }
            Value::String(text) if ["timestamp", "deadline", "updated"].contains(&name) => {
                *text = "T".to_owned();
            }
            Value::String(text) => {
                for (index, session) in self.sessions.iter().enumerate() {
                    *text = text.replace(session, &format!("S{}", index + 1));
                }
                for (folder, name) in &self.folders {
                    *text = text.replace(folder, name);
                }
            }
            Value::Number(_) if ["duration", "durationMs"].contains(&name) => {
                *value = Value::from(0);
            }
            _ => (),
        }
    }
}

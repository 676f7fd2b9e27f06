//! Takes known secrets out of what servers say.

use std::borrow::Cow;
use std::sync::Arc;

use crate::redact::{Redactor, Tally};

/// Longer texts are looked through on a blocking thread.
const LONG: usize = 64 << 10;
/// The longest reason that is told, in bytes.
const LONGEST_REASON: usize = 500;

/// What is taken out: a server's own secrets, and those of the process.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    own: Arc<Redactor>,
    all: Option<Arc<Redactor>>,
}

impl Mask {
    pub fn new(own: Redactor, all: Option<Arc<Redactor>>) -> Mask {
        Mask {
            own: Arc::new(own),
            all,
        }
    }

    /// A text of any length.
    pub async fn text(&self, text: String) -> String {
        if text.len() <= LONG {
            return self.now(&text);
        }
        let mask = self.clone();
        let work = tokio::task::spawn_blocking(move || mask.now(&text));
        // What could not be looked through is not shown.
        work.await
            .unwrap_or_else(|_| "[the output could not be looked through for secrets]".into())
    }

    /// A short text, at once.
    pub fn now(&self, text: &str) -> String {
        let mut tally = Tally::default();
        let own = self.own.redact(text, &mut tally);
        match &self.all {
            Some(all) => all.redact(&own, &mut tally).into_owned(),
            None => own.into_owned(),
        }
    }

    /// What somebody else gave as a reason: one line, short, without secrets.
    pub fn reason(&self, text: &str) -> String {
        // Looked through as far as it may be told, and a secret's length more.
        let text: Cow<'_, str> = match text.get(..text.floor_char_boundary(16 * LONGEST_REASON)) {
            Some(start) => start.into(),
            None => text.into(),
        };
        let masked = self.now(&text);
        let line: Vec<&str> = masked.split_whitespace().collect();
        let line: String = (line.join(" ").chars())
            .filter(|c| !c.is_control())
            .collect();
        match line.split_at(line.floor_char_boundary(LONGEST_REASON)) {
            (all, "") => all.to_owned(),
            (start, _) => format!("{start} …"),
        }
    }
}

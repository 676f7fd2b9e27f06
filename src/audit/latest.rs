//! The latest decisions, so many at most.

use std::collections::BTreeMap;

use greenroom_protocol::session::{Millis, SessionId};

use super::record::Record;

/// Keeps the latest ones in the order of their times, whatever the order in
/// which they come.
pub struct Latest {
    most: usize,
    kept: BTreeMap<(Millis, SessionId, u64), Record>,
    left_out: u64,
}

impl Latest {
    /// Keeps `most`, at least one.
    pub fn new(most: usize) -> Latest {
        Latest {
            most: most.max(1),
            kept: BTreeMap::new(),
            left_out: 0,
        }
    }

    /// Takes one; it is cleaned only if it is kept.
    pub fn take(&mut self, mut record: Record, clean: impl FnOnce(&mut Record)) {
        let key = (record.at, record.session.clone(), record.seq);
        let is_full = self.kept.len() >= self.most;
        if is_full {
            self.left_out += 1;
            let earliest = self.kept.first_key_value();
            if earliest.is_some_and(|(earliest, _)| *earliest >= key) {
                return;
            }
            self.kept.pop_first();
        }
        clean(&mut record);
        self.kept.insert(key, record);
    }

    /// How many earlier ones had no room.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The kept ones, the earliest first.
    pub fn into_records(self) -> Vec<Record> {
        self.kept.into_values().collect()
    }
}

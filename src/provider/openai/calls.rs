//! The calls of an answer, from pieces that name them by a number.

use serde_json::Value;

use super::chunk::CallPiece;
use crate::provider::call::CallDraft;

/// Calls of one answer. Far more than any model writes.
const MAX_CALLS: usize = 1_000;

/// The calls as far as they are written.
#[derive(Debug, Default)]
pub struct Calls {
    slots: Vec<Slot>,
}

#[derive(Debug)]
struct Slot {
    /// The number that pieces name it by.
    index: u64,
    draft: CallDraft,
    extra: Option<Value>,
}

impl Calls {
    /// Adds a piece. Gives the tool's name when it is told for the first time.
    pub fn add(&mut self, piece: CallPiece) -> Result<Option<String>, &'static str> {
        let id = piece.id.unwrap_or_default();
        let function = piece.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let at = match self.slot_of(piece.index, &id, &name) {
            Some(at) => at,
            None if self.slots.len() >= MAX_CALLS => return Err("it holds too many calls"),
            None => {
                let index = piece.index.unwrap_or(self.slots.len() as u64);
                self.slots.push(Slot {
                    index,
                    draft: CallDraft::default(),
                    extra: None,
                });
                self.slots.len() - 1
            }
        };
        let Some(slot) = self.slots.get_mut(at) else {
            return Ok(None);
        };
        slot.extra = piece.extra_content.or(slot.extra.take());
        if slot.draft.id.is_empty() {
            slot.draft.id = id;
        }
        match function.arguments {
            Some(Value::String(text)) => slot.draft.input.push_str(&text),
            Some(whole @ Value::Object(_)) => slot.draft.input.push_str(&whole.to_string()),
            _ => {}
        }
        if name.is_empty() || !slot.draft.tool.is_empty() {
            return Ok(None);
        }
        slot.draft.tool = name;
        Ok(Some(slot.draft.tool.clone()))
    }

    /// Where a piece belongs; nothing when it begins a call. Some servers give
    /// all calls the same number, or none: then a name tells a new one.
    fn slot_of(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let at = match index {
            Some(index) => self.slots.iter().rposition(|slot| slot.index == index)?,
            None => self.slots.len().checked_sub(1)?,
        };
        let draft = &self.slots.get(at)?.draft;
        let begins_another = !name.is_empty()
            && !draft.tool.is_empty()
            && match id.is_empty() || draft.id.is_empty() {
                true => is_whole(&draft.input),
                false => id != draft.id,
            };
        (!begins_another).then_some(at)
    }

    /// The calls, in the order in which they began.
    pub fn drafts(&self) -> Vec<CallDraft> {
        self.slots.iter().map(|slot| slot.draft.clone()).collect()
    }

    /// What else must come back with each call, in the same order.
    pub fn extras(&self) -> impl Iterator<Item = Option<&Value>> {
        self.slots.iter().map(|slot| slot.extra.as_ref())
    }
}

/// Whether an input is complete. Asked only of servers that tell calls apart
/// by nothing else.
fn is_whole(input: &str) -> bool {
    input.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(input).is_ok()
}

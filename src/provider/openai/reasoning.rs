//! OpenRouter's `reasoning_details`: pieces of thinking, some signed or
//! encrypted, which must come back as whole blocks in their order.

use serde_json::{Map, Value};

/// Fields whose pieces are joined; of others the last one counts.
const JOINED: [&str; 3] = ["text", "summary", "data"];

/// The blocks as far as they are written.
#[derive(Debug, Default)]
pub struct Details {
    blocks: Vec<Map<String, Value>>,
}

impl Details {
    /// Adds pieces.
    pub fn add(&mut self, pieces: Vec<Value>) {
        for piece in pieces {
            let Value::Object(piece) = piece else {
                continue;
            };
            match self.blocks.last_mut() {
                Some(last) if belongs(last, &piece) => join(last, piece),
                _ => self.blocks.push(piece),
            }
        }
    }

    /// The blocks, if any came.
    pub fn json(&self) -> Option<Value> {
        let blocks = self.blocks.iter().cloned().map(Value::Object);
        (!self.blocks.is_empty()).then(|| blocks.collect())
    }
}

fn belongs(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    ["type", "index"]
        .iter()
        .all(|field| last.get(*field) == piece.get(*field))
}

fn join(last: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        if value.is_null() {
            continue;
        }
        match (last.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) if JOINED.contains(&&*name) => {
                text.push_str(&more);
            }
            (_, value) => {
                last.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_a_block_are_joined_and_blocks_kept_apart() {
        let mut details = Details::default();
        assert_eq!(details.json(), None);
        details.add(vec![
            json!({"type": "reasoning.text", "text": "a", "signature": null, "index": 0}),
        ]);
        details.add(vec![
            json!({"type": "reasoning.text", "text": "b", "index": 0}),
            json!({"type": "reasoning.text", "signature": "sig", "index": 0}),
            json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
        ]);
        let expected = json!([
            {"type": "reasoning.text", "text": "ab", "signature": "sig", "index": 0},
            {"type": "reasoning.encrypted", "data": "x", "index": 1},
        ]);
        assert_eq!(details.json(), Some(expected));
    }
}

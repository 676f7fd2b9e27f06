//! The texts of several blocks as one: what comes from different blocks is
//! parted by a blank line, pieces of one block are not.

/// A text that grows block by block.
#[derive(Debug, Default)]
pub struct Joined<K> {
    text: String,
    /// The block that the last piece came from.
    last: Option<K>,
}

impl<K: PartialEq> Joined<K> {
    /// Adds a piece of a block; gives what a reader must add.
    pub fn add(&mut self, block: K, piece: &str) -> String {
        let is_parted = self.last.as_ref().is_some_and(|last| *last != block);
        let piece = match is_parted && !self.text.ends_with('\n') {
            true => format!("\n\n{piece}"),
            false => piece.to_owned(),
        };
        self.last = Some(block);
        self.text.push_str(&piece);
        piece
    }

    /// All of it.
    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_different_blocks_are_parted() {
        let mut joined = Joined::default();
        let pieces = [(1, "a"), (1, "b"), (2, "c\n"), (3, "d")];
        let told = pieces.map(|(block, piece)| joined.add(block, piece));
        assert_eq!(told, ["a", "b", "\n\nc\n", "d"]);
        assert_eq!(joined.into_text(), told.concat());
    }
}

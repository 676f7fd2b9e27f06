//! Looks for many known values at once, in one pass over the text.

use std::ops::Range;

use zeroize::Zeroizing;

/// Bits of the filter that most places of a text fail.
const FILTER_BITS: usize = 1 << 16;

/// Values to look for, each of at least four bytes.
#[derive(Default)]
pub(super) struct Needles {
    /// By their first bytes, the longest of the same beginning first.
    needles: Vec<Needle>,
    /// One bit a hash of first bytes.
    filter: Zeroizing<Vec<u64>>,
}

struct Needle {
    first: Zeroizing<[u8; 4]>,
    text: Zeroizing<String>,
    owner: usize,
}

impl Needles {
    /// What is looked for, and whose it is. Of two that are equal the first
    /// counts; those that are too short are left out.
    pub fn new(texts: impl IntoIterator<Item = (Zeroizing<String>, usize)>) -> Needles {
        let needle = |(text, owner): (Zeroizing<String>, usize)| {
            let first = Zeroizing::new(*text.as_bytes().first_chunk()?);
            Some(Needle { first, text, owner })
        };
        let mut needles: Vec<Needle> = texts.into_iter().filter_map(needle).collect();
        needles.sort_by(|a, b| {
            let by_first = a.first.cmp(&b.first);
            let by_length = b.text.len().cmp(&a.text.len());
            by_first.then(by_length).then_with(|| a.text.cmp(&b.text))
        });
        needles.dedup_by(|later, earlier| later.text == earlier.text);
        let mut filter = Zeroizing::new(vec![0; FILTER_BITS / 64]);
        for needle in &needles {
            let bit = hash(&needle.first);
            if let Some(word) = filter.get_mut(bit / 64) {
                *word |= 1 << (bit % 64);
            }
        }
        Needles { needles, filter }
    }

    /// Every place where one of them stands, and whose it is. Places may
    /// overlap.
    pub fn find(&self, text: &str, mut found: impl FnMut(Range<usize>, usize)) {
        if self.needles.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        for (at, window) in bytes.array_windows::<4>().enumerate() {
            if !self.may_begin(window) {
                continue;
            }
            let from = self
                .needles
                .partition_point(|needle| *needle.first < *window);
            let candidates = self.needles.iter().skip(from);
            let rest = bytes.get(at..).unwrap_or_default();
            let whole = candidates
                .take_while(|needle| *needle.first == *window)
                .find(|needle| rest.starts_with(needle.text.as_bytes()));
            if let Some(needle) = whole {
                found(at..at + needle.text.len(), needle.owner);
            }
        }
    }

    fn may_begin(&self, first: &[u8; 4]) -> bool {
        let bit = hash(first);
        let word = self.filter.get(bit / 64).copied().unwrap_or_default();
        word >> (bit % 64) & 1 == 1
    }
}

/// Spreads four bytes over the filter's bits.
fn hash(first: &[u8; 4]) -> usize {
    let mixed = u32::from_le_bytes(*first).wrapping_mul(0x9e37_79b1);
    (mixed >> 16) as usize % FILTER_BITS
}

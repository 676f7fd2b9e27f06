//! The places of a text that are to be taken out: apart from each other, each
//! under one kind.

use std::collections::BTreeMap;
use std::ops::Range;

/// A place that was found. The lower rank is the more exact kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found<'k> {
    pub range: Range<usize>,
    pub rank: usize,
    pub kind: &'k str,
}

/// Places by where they begin.
#[derive(Debug, Default)]
pub(super) struct Places<'k>(BTreeMap<usize, Found<'k>>);

impl<'k> Places<'k> {
    /// True when nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in order of the text.
    pub fn into_ordered(self) -> impl Iterator<Item = Found<'k>> {
        self.0.into_values()
    }

    /// Adds a place. One that meets others becomes part of them: all that any of
    /// them covers goes, and counts under the more exact kind.
    pub fn add(&mut self, new: Found<'k>) {
        if new.range.is_empty() {
            return;
        }
        let before = self.0.range(..new.range.end).rev();
        let met: Vec<usize> = before
            .take_while(|(_, place)| new.range.start < place.range.end)
            .map(|(start, _)| *start)
            .collect();
        let mut met: Vec<Found<'k>> = met
            .iter()
            .rev()
            .filter_map(|at| self.0.remove(at))
            .collect();
        let start = met
            .first()
            .map_or(new.range.start, |first| first.range.start);
        let end = met.last().map_or(new.range.end, |last| last.range.end);
        let (start, end) = (start.min(new.range.start), end.max(new.range.end));
        if met.iter().all(|place| new.rank < place.rank) {
            met = vec![new];
        }
        self.spread(met, start..end);
    }

    /// Puts places back so that they cover all of a range: what lies between two
    /// of them goes with the first. They stay two in the count.
    fn spread(&mut self, places: Vec<Found<'k>>, over: Range<usize>) {
        let ends: Vec<usize> = places.iter().skip(1).map(|next| next.range.start).collect();
        let ends = ends.into_iter().chain([over.end]);
        let mut start = over.start;
        for (mut place, end) in places.into_iter().zip(ends) {
            place.range = start..end;
            self.0.insert(start, place);
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(added: &[(Range<usize>, usize, &'static str)]) -> Vec<(Range<usize>, &'static str)> {
        let mut places = Places::default();
        for (range, rank, kind) in added {
            places.add(Found {
                range: range.clone(),
                rank: *rank,
                kind,
            });
        }
        let ordered = places.into_ordered();
        ordered.map(|found| (found.range, found.kind)).collect()
    }

    #[test]
    fn places_that_only_touch_stay_apart() {
        let places = placed(&[
            (4..6, 1, "b"),
            (0..2, 1, "a"),
            (2..4, 2, "c"),
            (9..9, 0, "none"),
        ]);
        assert_eq!(places, [(0..2, "a"), (2..4, "c"), (4..6, "b")]);
    }

    #[test]
    fn an_overlap_is_one_place_under_the_more_exact_kind() {
        assert_eq!(placed(&[(0..5, 1, "a"), (3..9, 2, "b")]), [(0..9, "a")]);
        assert_eq!(placed(&[(0..5, 2, "b"), (3..9, 1, "a")]), [(0..9, "a")]);
        assert_eq!(placed(&[(2..5, 1, "a"), (0..9, 1, "b")]), [(0..9, "a")]);
    }

    #[test]
    fn what_lies_between_two_goes_too() {
        let exact = [(2..4, 1, "a"), (6..8, 2, "b")];
        let wide = |rank| [exact.to_vec(), vec![(0..10, rank, "wide")]].concat();
        assert_eq!(placed(&wide(3)), [(0..6, "a"), (6..10, "b")]);
        assert_eq!(placed(&wide(0)), [(0..10, "wide")]);
    }
}

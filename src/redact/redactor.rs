//! Finds secrets and puts marks in their places.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::known::Known;
use super::mark;
use super::needles::Needles;
use super::places::{Found, Places};
use super::shape_finder::ShapeFinder;
use super::shapes::SHAPES;
use super::tally::Tally;
use super::view::{DECODERS, View};

/// A secret that is taken out may bare another that was glued to it. After so
/// many rounds the text is taken as it is; a second is rare, a third unheard of.
const ROUNDS: usize = 8;

/// Takes secrets out of texts: `[redacted: anthropic key]` stands in the place
/// of one. What it gives it leaves alone when it is given it again. Linear in
/// the length of the text.
#[derive(Default)]
pub struct Redactor {
    kinds: Vec<String>,
    needles: Needles,
    /// Shapes are not looked for.
    only_known: bool,
}

impl Redactor {
    /// A redactor that looks for these values, and for whatever is shaped like
    /// a secret. Of two equal values the first gives the kind.
    pub fn new(known: impl IntoIterator<Item = Known>) -> Redactor {
        let mut kinds = Vec::new();
        let mut spelled = Vec::new();
        for (owner, known) in known.into_iter().enumerate() {
            kinds.push(known.kind().to_owned());
            spelled.extend(known.spellings().into_iter().map(|text| (text, owner)));
        }
        Redactor {
            kinds,
            needles: Needles::new(spelled),
            only_known: false,
        }
    }

    /// A redactor that looks for these values alone, in all their spellings:
    /// for text that has a form of its own, which a guess could break.
    pub fn only_known(known: impl IntoIterator<Item = Known>) -> Redactor {
        Redactor {
            only_known: true,
            ..Redactor::new(known)
        }
    }

    /// The text without secrets; each place is counted. Borrowed when there is
    /// none.
    pub fn redact<'a>(&self, text: &'a str, tally: &mut Tally) -> Cow<'a, str> {
        self.rounds(text, tally, |text| self.look(text))
    }

    /// The same for the value that stands under a name, which may tell what it
    /// is. The name itself is not looked at.
    pub(super) fn redact_named<'a>(
        &self,
        name: &str,
        value: &'a str,
        tally: &mut Tally,
    ) -> Cow<'a, str> {
        let context = format!("{name}: ");
        self.rounds(value, tally, |value| {
            let mut places = Places::default();
            for found in self.look(&format!("{context}{value}")).into_ordered() {
                let start = found.range.start.saturating_sub(context.len());
                let end = found.range.end.saturating_sub(context.len());
                places.add(Found {
                    range: start..end,
                    ..found
                });
            }
            places
        })
    }

    fn rounds<'a, 'k>(
        &'k self,
        text: &'a str,
        tally: &mut Tally,
        look: impl Fn(&str) -> Places<'k>,
    ) -> Cow<'a, str> {
        let mut redacted = Cow::Borrowed(text);
        for _ in 0..ROUNDS {
            let places = look(&redacted);
            if places.is_empty() {
                break;
            }
            redacted = Cow::Owned(replaced(&redacted, places, tally));
        }
        redacted
    }

    /// All places of a text, as it stands and with its escapes taken off. The
    /// marks of an earlier run are left alone.
    fn look<'k>(&'k self, text: &str) -> Places<'k> {
        let is_kind = |kind: &str| {
            self.kinds.iter().any(|known| known == kind)
                || SHAPES.iter().any(|shape| shape.kind == kind)
        };
        let marks = mark::all(text, is_kind);
        let is_marked = |range: &Range<usize>| {
            let next = marks.partition_point(|mark| mark.end < range.end);
            marks
                .get(next)
                .is_some_and(|mark| mark.start <= range.start)
        };
        let mut places = Places::default();
        let mut add = |found: Found<'k>| {
            if !is_marked(&found.range) {
                places.add(found);
            }
        };
        self.find(text, &mut add);
        let mut views: Vec<View> = Vec::new();
        for decode in DECODERS {
            let decoded = decode(views.last().map_or(text, View::text));
            let Some(view) = decoded else { continue };
            views.push(view);
            let Some(view) = views.last() else { continue };
            self.find(view.text(), &mut |found| {
                let through = views.iter().rev();
                let range = through.fold(found.range, |range, view| view.original(range));
                add(Found { range, ..found });
            });
        }
        places
    }

    fn find<'k>(&'k self, text: &str, found: &mut impl FnMut(Found<'k>)) {
        self.needles.find(text, |range, owner| {
            let kind = self.kinds.get(owner).map_or("known secret", String::as_str);
            found(Found {
                range,
                rank: 0,
                kind,
            });
        });
        if self.only_known {
            return;
        }
        let Some(shapes) = ShapeFinder::get() else {
            return;
        };
        shapes.find(text, |range, shape, index| {
            found(Found {
                range,
                rank: index + 1,
                kind: shape.kind,
            });
        });
    }
}

impl fmt::Debug for Redactor {
    /// The kinds that it knows, never a value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Redactor");
        shown.field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

fn replaced(text: &str, places: Places<'_>, tally: &mut Tally) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut from = 0;
    for place in places.into_ordered() {
        redacted.push_str(text.get(from..place.range.start).unwrap_or_default());
        mark::push(&mut redacted, place.kind);
        tally.count(place.kind);
        from = place.range.end;
    }
    redacted.push_str(text.get(from..).unwrap_or_default());
    redacted
}

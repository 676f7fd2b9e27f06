//! Finds secrets and puts a mark in their place.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem;
use regex::Regex;
use zeroize::Zeroizing;

use super::known::Known;
use super::plain::Plain;
use super::shapes::{SHAPES, Shape};
use super::tally::Tally;

/// Takes secrets out of texts: `[redacted: anthropic key]` stands in the place
/// of one. What it gives it leaves alone when it is given it again. Linear in
/// the length of the text.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Vec<(String, Vec<Zeroizing<String>>)>,
}

/// A place that is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found<'a> {
    start: usize,
    end: usize,
    kind: &'a str,
}

/// The shapes, made ready once.
struct Ready {
    /// All words of all shapes, and whose each is.
    words: AhoCorasick,
    owners: Vec<usize>,
    shapes: Vec<(Regex, Option<Regex>, &'static Shape)>,
}

static READY: LazyLock<Option<Ready>> = LazyLock::new(|| match Ready::new() {
    Ok(ready) => Some(ready),
    Err(error) => {
        tracing::error!(%error, "shapes of secrets cannot be looked for");
        None
    }
});

impl Redactor {
    /// A redactor that looks for these values, and for whatever is shaped like
    /// a secret.
    pub fn new(known: impl IntoIterator<Item = Known>) -> Redactor {
        let spelled = known.into_iter().map(|known| {
            let spellings = known.spellings();
            (known.kind().to_owned(), spellings)
        });
        Redactor {
            known: spelled.collect(),
        }
    }

    /// The text without secrets; each place is counted.
    pub fn redact<'a>(&self, text: &'a str, tally: &mut Tally) -> Cow<'a, str> {
        let mut places = Places::default();
        self.find(text, |place| places.add(place));
        if let Some(plain) = Plain::of(text) {
            // Also as it stands: what looks like a code may be none.
            self.find(plain.text(), |place| {
                let (start, end) = plain.original((place.start, place.end));
                places.add(Found {
                    start,
                    end,
                    ..place
                });
            });
        }
        if places.0.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut from = 0;
        for place in places.0 {
            redacted.push_str(text.get(from..place.start).unwrap_or_default());
            redacted.push_str("[redacted: ");
            redacted.push_str(place.kind);
            redacted.push(']');
            tally.count(place.kind);
            from = place.end;
        }
        redacted.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(redacted)
    }

    /// All places, the known ones first; they may overlap.
    fn find<'a>(&'a self, text: &str, mut found: impl FnMut(Found<'a>)) {
        for (kind, spellings) in &self.known {
            for spelling in spellings {
                for start in memmem::find_iter(text.as_bytes(), spelling.as_bytes()) {
                    let end = start + spelling.len();
                    found(Found { start, end, kind });
                }
            }
        }
        if let Some(ready) = &*READY {
            ready.find(text, &mut found);
        }
    }
}

impl Ready {
    fn new() -> Result<Ready, Box<dyn std::error::Error>> {
        let mut words = Vec::new();
        let mut owners = Vec::new();
        let mut shapes = Vec::new();
        for (index, shape) in SHAPES.iter().enumerate() {
            for word in shape.words {
                words.push(*word);
                owners.push(index);
            }
            let skip = shape.skip.map(Regex::new).transpose()?;
            shapes.push((Regex::new(shape.expression)?, skip, shape));
        }
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words)?;
        Ok(Ready {
            words,
            owners,
            shapes,
        })
    }

    fn find<'a>(&self, text: &str, found: &mut impl FnMut(Found<'a>)) {
        let mut may_be = vec![false; self.shapes.len()];
        for word in self.words.find_overlapping_iter(text) {
            let owner = self.owners.get(word.pattern().as_usize());
            if let Some(flag) = owner.and_then(|owner| may_be.get_mut(*owner)) {
                *flag = true;
            }
        }
        for ((expression, skip, shape), _) in self.shapes.iter().zip(may_be).filter(|it| it.1) {
            for captures in expression.captures_iter(text) {
                let Some(whole) = captures.get(0) else {
                    continue;
                };
                let secret = captures.name("s").unwrap_or(whole);
                let value = secret.as_str();
                let is_none = skip.as_ref().is_some_and(|skip| skip.is_match(value));
                let is_dull = shape
                    .least_entropy
                    .is_some_and(|least| entropy(value) < least);
                if !is_none && !is_dull {
                    found(Found {
                        start: secret.start(),
                        end: secret.end(),
                        kind: shape.kind,
                    });
                }
            }
        }
    }
}

/// Places in order, apart from each other.
#[derive(Default)]
struct Places<'a>(Vec<Found<'a>>);

impl<'a> Places<'a> {
    /// A place that meets earlier ones becomes part of them, under the name of
    /// the first of them.
    fn add(&mut self, new: Found<'a>) {
        let places = &mut self.0;
        let first = places.partition_point(|place| place.end <= new.start);
        let last = places.partition_point(|place| place.start < new.end);
        let Some(met) = places.get(first..last).filter(|met| !met.is_empty()) else {
            places.insert(first, new);
            return;
        };
        let (start, end) = (met[0].start, met[met.len() - 1].end);
        // Two that were apart, and known by themselves, stay apart.
        if met.len() > 1 {
            return;
        }
        let joined = Found {
            start: start.min(new.start),
            end: end.max(new.end),
            kind: met[0].kind,
        };
        places[first] = joined;
    }
}

/// Bits a byte, after Shannon.
fn entropy(text: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = text.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}

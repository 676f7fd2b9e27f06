//! Finds what is shaped like a secret. One pass looks for the shapes' words;
//! an expression is tried only beside one of its words, and only there, so the
//! time is linear in the text and ordinary text costs little.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};

use super::entropy::entropy;
use super::shapes::{Begins, SHAPES, Shape};

/// The shapes, made ready once.
pub(super) struct ShapeFinder {
    words: AhoCorasick,
    /// The shapes of each word, as places in `shapes`.
    owners: Vec<Vec<usize>>,
    shapes: Vec<Ready>,
}

/// A shape with its expressions compiled.
struct Ready {
    expression: Regex,
    skip: Option<Regex>,
    code: Option<Regex>,
    shape: &'static Shape,
}

static FINDER: LazyLock<Option<ShapeFinder>> = LazyLock::new(|| match ShapeFinder::new() {
    Ok(finder) => Some(finder),
    // They are constants: a test finds this before anybody else does.
    Err(error) => {
        tracing::error!(%error, "shapes of secrets cannot be looked for");
        None
    }
});

impl ShapeFinder {
    /// The one of this process. Nothing when a shape is written wrongly.
    pub fn get() -> Option<&'static ShapeFinder> {
        FINDER.as_ref()
    }

    fn new() -> Result<ShapeFinder, Box<dyn std::error::Error>> {
        let mut words: Vec<&str> = Vec::new();
        let mut owners: Vec<Vec<usize>> = Vec::new();
        let mut shapes = Vec::new();
        for (index, shape) in SHAPES.iter().enumerate() {
            for word in shape.words {
                match words
                    .iter()
                    .zip(&mut owners)
                    .find(|(known, _)| *known == word)
                {
                    Some((_, owners)) => owners.push(index),
                    None => {
                        words.push(word);
                        owners.push(vec![index]);
                    }
                }
            }
            shapes.push(Ready {
                expression: compiled(&format!(r"\A(?:{})", shape.expression))?,
                skip: shape.skip.map(compiled).transpose()?,
                code: shape.code.map(compiled).transpose()?,
                shape,
            });
        }
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(aho_corasick::AhoCorasickKind::DFA))
            .build(words)?;
        Ok(ShapeFinder {
            words,
            owners,
            shapes,
        })
    }

    /// All places, each with its shape and that shape's rank. Places of two
    /// shapes may overlap.
    pub fn find(&self, text: &str, mut found: impl FnMut(Range<usize>, &'static Shape, usize)) {
        let text = text.as_bytes();
        // Where the last place of each shape ended.
        let mut ends = vec![0; self.shapes.len()];
        for word in self.words.find_overlapping_iter(text) {
            let owners = self.owners.get(word.pattern().as_usize());
            for index in owners.into_iter().flatten() {
                let (Some(ready), Some(end)) = (self.shapes.get(*index), ends.get_mut(*index))
                else {
                    continue;
                };
                if let Some(place) = ready.find(text, word.range(), *end) {
                    *end = place.end;
                    found(place, ready.shape, *index);
                }
            }
        }
    }
}

/// Bytes and ASCII classes only: what secrets are made of, and the fast way.
fn compiled(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).unicode(false).build()
}

impl Ready {
    /// The secret beside a word, unless it would begin before `from`, where the
    /// last one of this shape ended: trying those would take squared time.
    fn find(&self, text: &[u8], word: Range<usize>, from: usize) -> Option<Range<usize>> {
        // A secret that was just found hides what follows it no more than a
        // blank does.
        let is_start = |at: usize| at == from || (from < at && is_boundary(text, at));
        match self.shape.begins {
            Begins::Word if !is_start(word.start) => None,
            Begins::Anywhere if word.start < from => None,
            Begins::Word | Begins::Anywhere => self.at(text, word.start),
            Begins::Before(most, least) => (least..=most)
                .rev()
                .filter_map(|before| word.start.checked_sub(before))
                .filter(|at| is_start(*at))
                .find_map(|at| self.at(text, at)),
            Begins::Run(beginning) => {
                let run = run_start(text, word.start).max(from)..word.start;
                let starts = memchr::memmem::find_iter(text.get(run.clone())?, beginning);
                let mut starts = starts.map(|start| run.start + start);
                self.at(text, starts.find(|at| is_start(*at))?)
            }
        }
    }

    /// The secret of a match that begins here.
    fn at(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let rest = text.get(at..)?;
        // Most places end here; groups cost more.
        let whole = self.expression.find(rest)?;
        let secret = match self.expression.captures_len() {
            1 => whole.range(),
            _ => self.expression.captures(rest)?.name("s")?.range(),
        };
        let value = rest.get(secret.clone())?;
        let is = |none: &Option<Regex>, text| none.as_ref().is_some_and(|it| it.is_match(text));
        if is(&self.skip, value) || is(&self.code, rest.get(secret.start..)?) {
            return None;
        }
        let mut end = secret.end;
        if let Some(least) = self.shape.least_entropy {
            if entropy(value) < least {
                return None;
            }
            let tail = rest.get(end..)?.iter();
            end += tail.take_while(|byte| continues_value(**byte)).count();
        }
        Some(at + secret.start..at + end)
    }
}

/// True unless a word goes on here that began before.
fn is_boundary(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    !before.is_some_and(|byte| is_word(*byte)) || !text.get(at).is_some_and(|byte| is_word(*byte))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where the run of letters, digits, `-` and `_` before a place begins.
fn run_start(text: &[u8], end: usize) -> usize {
    let before = text.get(..end).unwrap_or_default();
    let outside = before
        .iter()
        .rposition(|byte| !is_word(*byte) && *byte != b'-');
    outside.map_or(0, |outside| outside + 1)
}

/// What the value of a `name=value` may hold.
fn continues_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.+/~=@!%^&*#-".contains(&byte)
}

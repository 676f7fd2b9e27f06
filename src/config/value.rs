//! Values that check themselves while they are read, so that an error knows
//! the line. Messages say what is taken, and never repeat what was found where
//! that may be a key.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use greenroom_protocol::session::Cost;
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// The longest time that may be configured: longer ones are meant as "off".
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A length of time: a number with its unit (`500ms`, `10s`, `2m`, `1h`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Span(pub Duration);

/// A [`Span`], or `off`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpanOrOff(pub Option<Duration>);

/// A whole number between two bounds, both included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole<const MIN: u64, const MAX: u64>(pub u64);

/// An amount of US dollars, above zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dollars(pub Cost);

/// Reads `500ms`, `10s`, `2m`, `1h`.
pub(super) fn read_span(text: &str) -> Result<Duration, &'static str> {
    const FORM: &str = "expected a time with its unit, such as 500ms, 10s, 2m or 1h";
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit()).ok_or(FORM)?;
    let (number, unit) = text.split_at(split);
    let number: u64 = number.parse().map_err(|_| FORM)?;
    let millis = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(FORM),
    };
    let span = Duration::from_millis(number.saturating_mul(millis));
    if span.is_zero() {
        return Err("the time must be above zero");
    }
    if span > LONGEST {
        return Err("the time must be at most 720h");
    }
    Ok(span)
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
        let expecting = "a time with its unit, such as 500ms, 10s, 2m or 1h";
        from.deserialize_any(Reader::new(expecting, |found| match found {
            Found::Text(text) => Ok(Span(read_span(text)?)),
            _ => Err("expected a time with its unit, such as 500ms, 10s, 2m or 1h".into()),
        }))
    }
}

impl<'de> Deserialize<'de> for SpanOrOff {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SpanOrOff, D::Error> {
        let expecting = "a time with its unit, such as 10s or 2m, or off";
        from.deserialize_any(Reader::new(expecting, |found| match found {
            Found::Text("off" | "none" | "never") | Found::Bool(false) => Ok(SpanOrOff(None)),
            Found::Text(text) => match read_span(text) {
                Ok(span) => Ok(SpanOrOff(Some(span))),
                Err(reason) => Err(format!("{reason}, or off")),
            },
            _ => Err("expected a time with its unit, such as 10s or 2m, or off".into()),
        }))
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader::new("a whole number", |found| match found {
            Found::Whole(number) if (MIN..=MAX).contains(&number) => Ok(Whole(number)),
            _ if MAX == u64::MAX => Err(format!("expected a whole number from {MIN} up")),
            _ => Err(format!("expected a whole number from {MIN} to {MAX}")),
        }))
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Dollars, D::Error> {
        from.deserialize_any(Reader::new("an amount of US dollars", |found| {
            let dollars = match found {
                Found::Whole(number) => number as f64,
                Found::Float(number) => number,
                _ => f64::NAN,
            };
            // A range holds no NaN.
            if (0.000_001..=1e6).contains(&dollars) {
                return Ok(Dollars(Cost((dollars * 1e6).round() as u64)));
            }
            Err("expected an amount of US dollars above 0, such as 2.5".into())
        }))
    }
}

/// What stands in the file.
pub(super) enum Found<'a> {
    Text(&'a str),
    Whole(u64),
    Float(f64),
    Bool(bool),
    Else,
}

/// A visitor that takes any scalar, so that wrong ones get our own words, with
/// the place of the scalar itself.
pub(super) struct Reader<T, F> {
    expecting: String,
    read: F,
    gives: PhantomData<T>,
}

impl<T, F> Reader<T, F>
where
    F: FnOnce(Found<'_>) -> Result<T, String>,
{
    pub(super) fn new(expecting: impl Into<String>, read: F) -> Reader<T, F> {
        Reader {
            expecting: expecting.into(),
            read,
            gives: PhantomData,
        }
    }

    fn take<E: de::Error>(self, found: Found<'_>) -> Result<T, E> {
        (self.read)(found).map_err(E::custom)
    }
}

impl<'de, T, F> Visitor<'de> for Reader<T, F>
where
    F: FnOnce(Found<'_>) -> Result<T, String>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expecting)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        self.take(Found::Text(text))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.take(Found::Whole(number))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<T, E> {
        self.take(Found::Else)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.take(Found::Float(number))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
        self.take(Found::Bool(value))
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        self.take(Found::Else)
    }
}

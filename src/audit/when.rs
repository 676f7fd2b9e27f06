//! A time, as an operator writes it.

use greenroom_protocol::session::Millis;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time that may be told from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// This time.
    At(Millis),
    /// So many milliseconds before now.
    Ago(u64),
}

impl When {
    /// Reads `90s`, `30m`, `2h`, `7d` and `2w` (before now), `2026-12-01`,
    /// `2026-12-01T08:00` and `2026-12-01 08:00:05` (UTC), and times with `Z`
    /// or an offset.
    pub fn parse(text: &str) -> Result<When, String> {
        let read = ago(text).or_else(|| moment(text));
        read.ok_or_else(|| {
            "expected a time before now (90s, 30m, 2h, 7d, 2w), or a day or time in UTC \
             (2026-12-01, 2026-12-01T08:00)"
                .to_owned()
        })
    }

    /// The time that it is, seen from now.
    pub fn seen_from(self, now: Millis) -> Millis {
        match self {
            When::At(at) => at,
            When::Ago(ms) => Millis(now.0.saturating_sub(ms)),
        }
    }
}

fn ago(text: &str) -> Option<When> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return None,
    };
    let number = text.strip_suffix(unit)?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let count: u64 = number.parse().ok().filter(|_| is_plain)?;
    let ms = count.checked_mul(seconds)?.checked_mul(1_000)?;
    Some(When::Ago(ms))
}

fn moment(text: &str) -> Option<When> {
    let at = text.parse::<Timestamp>().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
        Some(zoned.timestamp())
    })?;
    let ms = u64::try_from(at.as_millisecond()).ok()?;
    Some(When::At(Millis(ms)))
}

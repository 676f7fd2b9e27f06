//! Times as wires write them: RFC 3339, UTC, milliseconds.

use jiff::{Timestamp, tz::Offset};

use crate::session::Millis;

/// Writes the times of one connection's frames. They never decrease, whatever
/// the clock does, and the part up to the second is formatted once a second.
#[derive(Debug, Default)]
pub struct Stamps {
    last: Millis,
    second: Option<u64>,
    /// `2026-11-06T12:00:00.`
    prefix: Vec<u8>,
}

impl Stamps {
    /// Appends the time, or that of the frame before when it is later, without
    /// quotes.
    pub fn write(&mut self, out: &mut Vec<u8>, at: Millis) {
        self.last = self.last.max(at);
        let (second, thousandths) = split(self.last);
        if self.second != Some(second) {
            self.prefix.clear();
            write_second(&mut self.prefix, second);
            self.second = Some(second);
        }
        out.extend_from_slice(&self.prefix);
        write_thousandths(out, thousandths);
    }
}

/// Appends a time as `2026-11-06T12:00:00.000Z`, without quotes. Times past the
/// year 9999 are written as its end.
pub fn write_time(out: &mut Vec<u8>, at: Millis) {
    let (second, thousandths) = split(at);
    write_second(out, second);
    write_thousandths(out, thousandths);
}

fn split(at: Millis) -> (u64, u64) {
    let last_second = Timestamp::MAX.as_second().unsigned_abs();
    let second = at.0 / 1000;
    if second < last_second {
        (second, at.0 % 1000)
    } else {
        (last_second, 999)
    }
}

fn write_second(out: &mut Vec<u8>, second: u64) {
    let second = i64::try_from(second).unwrap_or(i64::MAX);
    let timestamp = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
    let time = Offset::UTC.to_datetime(timestamp);
    digits(out, time.year().unsigned_abs().into(), 1000);
    for (sign, value) in [
        (b'-', time.month()),
        (b'-', time.day()),
        (b'T', time.hour()),
        (b':', time.minute()),
        (b':', time.second()),
    ] {
        out.push(sign);
        digits(out, value.unsigned_abs().into(), 10);
    }
    out.push(b'.');
}

fn write_thousandths(out: &mut Vec<u8>, thousandths: u64) {
    digits(out, thousandths, 100);
    out.push(b'Z');
}

/// The digits from the one worth `highest` down to the last.
fn digits(out: &mut Vec<u8>, value: u64, highest: u64) {
    let mut place = highest;
    while 0 < place {
        let digit = value / place % 10;
        out.push(b'0' + digit as u8);
        place /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Millis = Millis(1_793_966_400_000);

    fn time(at: Millis) -> String {
        let mut out = Vec::new();
        write_time(&mut out, at);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_have_milliseconds_and_a_z() {
        assert_eq!(time(NOON), "2026-11-06T12:00:00.000Z");
        assert_eq!(time(Millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(Millis(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        assert_eq!(time(Millis(u64::MAX)), "9999-12-30T22:00:00.999Z");
    }

    #[test]
    fn stamps_agree_with_times_and_never_go_back() {
        let mut stamps = Stamps::default();
        let mut stamp = |at: u64| {
            let mut out = Vec::new();
            stamps.write(&mut out, Millis(NOON.0 + at));
            String::from_utf8(out).unwrap()
        };
        assert_eq!(stamp(0), "2026-11-06T12:00:00.000Z");
        assert_eq!(stamp(999), "2026-11-06T12:00:00.999Z");
        assert_eq!(stamp(61_001), "2026-11-06T12:01:01.001Z");
        assert_eq!(stamp(5), "2026-11-06T12:01:01.001Z");
        assert_eq!(stamp(61_002), "2026-11-06T12:01:01.002Z");
    }
}

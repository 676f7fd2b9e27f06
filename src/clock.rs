//! Time of day and new names: the [`Clock`] and [`Ids`] ports on this machine.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use greenroom_actors::ports::{Clock, Ids};
use greenroom_protocol::session::{Millis, SessionId};

#[cfg(test)]
mod tests;

/// The machine's time of day. The only place that asks for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that tells the time of day"
        )]
        let now = SystemTime::now();
        // A clock before 1970 is wrong anyway.
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Names by the time of day and a number that this process uses once, and
/// others most likely not.
#[derive(Debug)]
pub struct SystemIds<C = SystemClock> {
    clock: C,
    next: AtomicU32,
    /// Odd, so that stepping meets every number before one comes again.
    step: u32,
}

/// Bits of the number: six characters of five bits.
const BITS: u32 = 30;

/// RFC 4648 in lower case: no 0, 1, 8 and 9, which are easily misread.
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

impl SystemIds {
    /// Names by the machine's time, from a random number on.
    pub fn new() -> SystemIds {
        SystemIds::with_clock(SystemClock)
    }
}

impl Default for SystemIds {
    fn default() -> SystemIds {
        SystemIds::new()
    }
}

impl<C: Clock> SystemIds<C> {
    /// Names by another clock, for tests.
    pub fn with_clock(clock: C) -> SystemIds<C> {
        SystemIds {
            clock,
            next: AtomicU32::new(fastrand::u32(..)),
            step: fastrand::u32(..) | 1,
        }
    }
}

impl<C: Clock> Ids for SystemIds<C> {
    fn session(&self) -> SessionId {
        let number = self.next.fetch_add(self.step, Ordering::Relaxed);
        SessionId::new(format!(
            "{}-{}",
            date_and_time(self.clock.now()),
            base32(number)
        ))
    }
}

/// `YYYYMMDD-HHMMSS`, UTC. A time that no calendar has is told as 1970.
fn date_and_time(now: Millis) -> String {
    let millis = i64::try_from(now.0).unwrap_or_default();
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    time.strftime("%Y%m%d-%H%M%S").to_string()
}

/// The lower 30 bits in six characters.
fn base32(number: u32) -> String {
    (0..BITS / 5)
        .rev()
        .map(|place| char::from(BASE32[(number >> (place * 5)) as usize & 31]))
        .collect()
}

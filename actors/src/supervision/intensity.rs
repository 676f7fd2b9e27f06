//! How many restarts are too many.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Allows `limit` restarts within `period`, as OTP's supervisors do.
#[derive(Debug)]
pub struct Intensity {
    limit: usize,
    period: Duration,
    restarts: VecDeque<Instant>,
}

impl Intensity {
    /// At most `limit` restarts in any `period`.
    pub fn new(limit: usize, period: Duration) -> Intensity {
        Intensity {
            limit,
            period,
            restarts: VecDeque::new(),
        }
    }

    /// Counts a restart at `now`. False when it is one too many.
    pub fn allows(&mut self, now: Instant) -> bool {
        while let Some(first) = self.restarts.front() {
            if now.duration_since(*first) <= self.period {
                break;
            }
            self.restarts.pop_front();
        }
        if self.restarts.len() >= self.limit {
            return false;
        }
        self.restarts.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_limit_holds_in_any_period() {
        let mut intensity = Intensity::new(2, Duration::from_secs(5));
        let start = Instant::now();
        assert!(intensity.allows(start));
        assert!(intensity.allows(start + Duration::from_secs(4)));
        assert!(!intensity.allows(start + Duration::from_secs(5)));
        assert!(intensity.allows(start + Duration::from_secs(6)));
        assert!(!intensity.allows(start + Duration::from_secs(7)));
    }
}

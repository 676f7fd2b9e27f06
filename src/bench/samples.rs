//! Times of many runs.

use std::time::Duration;

/// Times in milliseconds, in any order. What is asked of none at all is 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    pub fn add(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1e3);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The time that a share (0 to 1) of the runs did not pass: the nearest
    /// rank, so always one that was measured.
    pub fn share(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
    }

    pub fn p50(&self) -> f64 {
        self.share(0.5)
    }

    pub fn p99(&self) -> f64 {
        self.share(0.99)
    }

    pub fn best(&self) -> f64 {
        self.share(0.0)
    }

    pub fn worst(&self) -> f64 {
        self.share(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_nearest_ranks() {
        let mut samples = Samples::default();
        assert_eq!(samples.p99(), 0.0);
        for ms in (1..=100).rev() {
            samples.add(Duration::from_millis(ms));
        }
        let found = [
            samples.best(),
            samples.p50(),
            samples.p99(),
            samples.worst(),
        ];
        assert_eq!(found, [1.0, 50.0, 99.0, 100.0]);
        assert_eq!(samples.len(), 100);
    }
}

//! When the next request may go, as far as the provider let us know.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::header::HeaderMap;
use tokio::time::Instant;

/// Requests are remembered for so long.
const MEMORY: Duration = Duration::from_secs(60);
/// So many at most.
const MOST_REMEMBERED: usize = 4096;
/// Without a word of the provider a refusal holds all back for so long.
const UNNAMED: Duration = Duration::from_secs(1);
/// A provider that names a longer time is asked again after this one.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// After so long without a refusal the learned limit is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(300);
/// What a refusal does to a limit that was learned before.
const SLOWER: f64 = 1.25;
/// What a taken request does to it.
const FASTER: f64 = 0.99;

/// What is known of a limit. At first nothing: requests go at once.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When the last requests went.
    went: VecDeque<Instant>,
    /// The learned time between two requests.
    every: Option<Duration>,
    /// Nothing goes before this.
    closed_until: Option<Instant>,
    last_refusal: Option<Instant>,
}

impl Pace {
    /// When the next request may go: now, or later.
    pub fn next(&self, now: Instant) -> Instant {
        let closed = self.closed_until.unwrap_or(now);
        let paced = match (self.every, self.went.back()) {
            (Some(every), Some(last)) => *last + every,
            _ => now,
        };
        now.max(closed).max(paced)
    }

    pub fn went(&mut self, now: Instant) {
        let old = |went: &Instant| now.duration_since(*went) > MEMORY;
        while self.went.front().is_some_and(old) || self.went.len() >= MOST_REMEMBERED {
            self.went.pop_front();
        }
        self.went.push_back(now);
        let quiet = |last: Instant| now.duration_since(last) > FORGOTTEN;
        if self.last_refusal.is_some_and(quiet) {
            self.every = None;
            self.last_refusal = None;
        }
    }

    /// A request was refused: it did not count, and those before it were as many
    /// as the limit takes in the time that the provider names.
    pub fn refused(&mut self, now: Instant, retry_after: Option<Duration>) {
        let named = retry_after.unwrap_or(UNNAMED).min(LONGEST);
        let until = now + named;
        // Requests that were on the way together are refused for one reason.
        let same = self.closed_until.is_some_and(|closed| closed > now);
        self.closed_until = Some(self.closed_until.map_or(until, |known| known.max(until)));
        self.went.pop_back();
        if same {
            return;
        }
        let span = named.clamp(Duration::from_secs(1), MEMORY);
        let lately = self.went.iter().rev();
        let count = lately.take_while(|went| now.duration_since(**went) <= span);
        let learned = span.div_f64(count.count().max(1) as f64);
        self.every = Some(match self.every {
            // It was kept, and was too fast all the same.
            Some(every) => learned.max(every.mul_f64(SLOWER)).min(MEMORY),
            None => learned,
        });
        self.last_refusal = Some(now);
    }

    /// A request was taken; its headers may say that it was the last one for a
    /// while.
    pub fn taken(&mut self, now: Instant, headers: &HeaderMap) {
        self.every = self.every.map(|every| every.mul_f64(FASTER));
        if let Some(wait) = used_up(headers) {
            let until = now + wait.min(LONGEST);
            self.closed_until = Some(self.closed_until.map_or(until, |known| known.max(until)));
        }
    }
}

/// How long nothing is left, when the headers say that nothing is.
fn used_up(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let kinds = [
        (
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        ),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ];
    let waits = kinds.into_iter().filter_map(|(remaining, reset)| {
        let left: f64 = text(remaining)?.trim().parse().ok()?;
        match left < 1.0 {
            true => span(text(reset)?),
            false => None,
        }
    });
    waits.max()
}

/// `1s`, `6m0s`, `20ms`, `1.5s`, or plain seconds.
fn span(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|mark: char| !mark.is_ascii_digit() && mark != '.')?;
        let (number, after) = rest.split_at(digits);
        let end = after.find(|mark: char| mark.is_ascii_digit());
        let (unit, next) = after.split_at(end.unwrap_or(after.len()));
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let part = number.parse::<f64>().ok()? * seconds;
        total = total.checked_add(Duration::try_from_secs_f64(part).ok()?)?;
        rest = next;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_providers_write_them() {
        let cases = [
            ("1s", Some(1000)),
            ("6m0s", Some(360_000)),
            ("20ms", Some(20)),
            ("1.5s", Some(1500)),
            ("2", Some(2000)),
            ("1h2m3s", Some(3_723_000)),
            ("soon", None),
            ("3 parsecs", None),
            ("-1", None),
        ];
        for (text, expected) in cases {
            let read = span(text).map(|it| it.as_millis() as u64);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_is_learned_from_what_went_before_it() {
        let mut pace = Pace::default();
        let start = Instant::now();
        for _ in 0..11 {
            assert_eq!(pace.next(start), start);
            pace.went(start);
        }
        pace.refused(start, Some(Duration::from_secs(1)));
        assert_eq!(pace.next(start), start + Duration::from_secs(1));
        assert_eq!(pace.every, Some(Duration::from_millis(100)));
        let later = start + FORGOTTEN + Duration::from_secs(2);
        pace.went(later);
        assert_eq!(pace.next(later), later);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_request_that_is_left_closes_the_gate() {
        let mut pace = Pace::default();
        let now = Instant::now();
        let mut headers = HeaderMap::new();
        headers.insert("x-ratelimit-remaining-requests", "1".parse().unwrap());
        headers.insert("x-ratelimit-reset-requests", "6s".parse().unwrap());
        pace.taken(now, &headers);
        assert_eq!(pace.next(now), now);
        headers.insert("x-ratelimit-remaining-requests", "0".parse().unwrap());
        pace.taken(now, &headers);
        assert_eq!(pace.next(now), now + Duration::from_secs(6));
    }
}

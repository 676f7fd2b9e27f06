use std::collections::HashSet;

use super::*;

/// A clock that stands.
struct At(u64);

impl Clock for At {
    fn now(&self) -> Millis {
        Millis(self.0)
    }
}

#[test]
fn ids_are_dates_in_utc_with_six_characters() {
    let ids = SystemIds {
        clock: At(1_794_006_900_123),
        next: AtomicU32::new(0b00001_00010_00011_11001_11010_11111),
        step: 1,
    };
    assert_eq!(ids.session().as_str(), "20261106-231500-bcdz27");
    assert_eq!(ids.session().as_str(), "20261106-231500-bcdz3a");
}

#[test]
fn times_that_no_calendar_has_do_no_harm() {
    assert_eq!(date_and_time(Millis(0)), "19700101-000000");
    assert_eq!(date_and_time(Millis(u64::MAX)), "19700101-000000");
    assert_eq!(
        date_and_time(Millis(253_402_207_200_000)),
        "99991230-220000"
    );
}

#[test]
fn no_id_comes_twice_in_a_process() {
    let ids = SystemIds::with_clock(At(0));
    let many: HashSet<SessionId> = (0..100_000).map(|_| ids.session()).collect();
    assert_eq!(many.len(), 100_000);
}

#[test]
fn processes_begin_at_different_numbers() {
    let starts: HashSet<SessionId> = (0..50)
        .map(|_| SystemIds::with_clock(At(0)).session())
        .collect();
    assert!(starts.len() > 45, "{}", starts.len());
}

#[test]
fn the_clock_goes() {
    // 2024-01-01; a machine that is set earlier would fail everywhere.
    assert!(SystemClock.now() > Millis(1_704_067_200_000));
}

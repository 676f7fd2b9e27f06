#![cfg(unix)]

use std::time::Duration;

use rustix::process::{getpid, kill_process};
use tokio::time::timeout;

use super::*;

/// One test for all of them: signals belong to the whole process.
#[tokio::test]
async fn signals_arrive_as_values() {
    let mut signals = Signals::listen().unwrap();
    let cases = [
        (rustix::process::Signal::INT, Signal::Interrupt),
        (rustix::process::Signal::TERM, Signal::Terminate),
        (rustix::process::Signal::INT, Signal::Interrupt),
    ];
    for (sent, expected) in cases {
        kill_process(getpid(), sent).unwrap();
        let told = timeout(Duration::from_secs(20), signals.next()).await;
        assert_eq!(told, Ok(expected));
    }
    if signals.hang_up.is_some() {
        kill_process(getpid(), rustix::process::Signal::HUP).unwrap();
        let told = timeout(Duration::from_secs(20), signals.next()).await;
        assert_eq!(told, Ok(Signal::HangUp));
    }
}

#[test]
fn an_ignored_hang_up_is_seen() {
    let status =
        |mask: &str| format!("Name:\tgreenroom\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\n");
    assert!(ignores_hang_up(&status("0000000000001001")));
    assert!(!ignores_hang_up(&status("0000000000001000")));
    assert!(!ignores_hang_up(&status("")));
    assert!(!ignores_hang_up("Name:\tgreenroom\n"));
}

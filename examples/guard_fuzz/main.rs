//! Tries the guard against real shells, for as long as one likes:
//!
//! ```sh
//! cargo run --release --example guard_fuzz -- 120   # seconds for each part
//! ```
//!
//! - `split`: of random lines, those that the recogniser accepts are run by bash
//!   and dash with programs that note their arguments; these must be the words
//!   that the recogniser said.
//! - `disguises`: forbidden commands in disguise. Those that really run must be
//!   denied or asked about, under rules that allow everything else.
//! - `mutants`: allowed commands with random changes. Those that are still
//!   allowed must run nothing outside the rules and write no file.
//! - `speed`: the time of one decision.
//!
//! Figures of a run are in `docs/guard.md`. The exit code is 1 when
//! anything was found.

// A program for people, not a part of the daemon.
#![allow(clippy::print_stdout, clippy::expect_used)]

mod disguises;
mod mutants;
mod rules;
mod speed;
mod split;
mod stubs;

use std::time::Duration;

use tokio::time::Instant;

fn main() {
    // The same program plays every command that the shells run.
    if stubs::play() {
        return;
    }
    let seconds = std::env::args().nth(1).and_then(|it| it.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(10));
    let world = stubs::World::new();
    let mut findings = 0;
    for dialect in [stubs::Shell::Bash, stubs::Shell::Dash] {
        findings += split::run(&world, dialect, Instant::now() + time);
    }
    findings += disguises::run(&world, Instant::now() + time);
    findings += mutants::run(&world, Instant::now() + time);
    speed::run();
    speed::port();
    world.remove();
    if findings > 0 {
        println!("{findings} findings");
        std::process::exit(1);
    }
}

//! All measures in order, and the exit code.

use std::io::Write;

use super::machine::Machine;
use super::report::Report;
use super::site::Site;
use super::stop::Stop;
use super::trouble::Trouble;
use super::{aborts, deltas, figure::Figure, flood, lines, memory, requests, start, tools, turns};
use crate::cli::BenchOptions;

/// Measures into the list; what was measured before a trouble counts.
type Measure = fn(&Site, &mut Vec<Figure>) -> Result<(), Trouble>;

const MEASURES: &[(&str, Measure)] = &[
    ("start", start::measure),
    ("turns", turns::measure),
    ("tools", tools::measure),
    ("deltas", deltas::measure),
    ("flood", flood::measure),
    ("requests", requests::measure),
    ("aborts", aborts::measure),
    ("lines", lines::measure),
    ("memory", memory::measure),
];

/// Measures this executable and prints the figures. Returns the exit code: 0
/// when all was measured and kept its promises (whether or not the bars were
/// met), 1 when not, 130 when a signal ended it.
pub fn run(options: &BenchOptions) -> u8 {
    let stop = Stop::listen();
    let config = options.common.config.as_deref();
    let site = match Site::new(config, options.quick, stop.clone()) {
        Ok(site) => site,
        Err(error) => {
            say(&format!("error: the bench cannot begin: {error}"));
            return 1;
        }
    };
    let mut report = Report {
        machine: Machine::here(site.folder()),
        quick: options.quick,
        figures: Vec::new(),
        troubles: Vec::new(),
    };
    for (name, measure) in MEASURES {
        say(&format!("measuring: {name}"));
        let outcome = site
            .check()
            .and_then(|()| measure(&site, &mut report.figures));
        match outcome {
            Ok(()) => (),
            Err(Trouble::Stopped) => return 130,
            Err(trouble) => report.troubles.push((name, trouble)),
        }
    }
    drop(site);
    let text = match options.json {
        true => report.json(),
        false => report.table(),
    };
    let printed = std::io::stdout().write_all(text.as_bytes());
    u8::from(printed.is_err() || !report.troubles.is_empty())
}

/// For people, on standard error; nobody need be there.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

//! From the start of the process to its first line.

use std::path::Path;

use tokio::time::Instant;

use super::figure::Figure;
use super::host::Host;
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

const BAR_MS: f64 = 15.0;
/// Bytes of each prompt that fills the journal.
const PROMPT_BYTES: usize = 60_000;

/// Starts in an empty home, with a journal of some size, with that journal's
/// session, and without a journal.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let runs = site.pick(5, 20);
    let empty = |run: usize| site.home(&format!("start-{run}"));
    let first = starts(site, runs, |run| (empty(run), vec![]))?;
    tell(
        figures,
        ["start.empty.p50", "start.empty.best"],
        "start → first event, empty home",
        &first,
    );

    let home = site.home("start-used");
    let (session, note) = fill(site, &home)?;
    let used = starts(site, runs, |_| (home.clone(), vec![]))?;
    tell(
        figures,
        ["start.used.p50", "start.used.best"],
        "start → first event, used journal",
        &used,
    );
    note_last(figures, &note);

    let flags = vec!["--session", session.as_str()];
    let resumed = starts(site, runs, |_| (home.clone(), flags.clone()))?;
    let what = "start → first event, going on with that session";
    let figure = Figure::new("start.resumed.p50", what, resumed.p50(), "ms");
    figures.push(figure.runs(runs));

    let memory = starts(site, runs, |_| (home.clone(), vec!["--no-session"]))?;
    tell(
        figures,
        ["start.ephemeral.p50", "start.ephemeral.best"],
        "start → first event, --no-session",
        &memory,
    );
    Ok(())
}

fn starts<'a>(
    site: &Site,
    runs: usize,
    place: impl Fn(usize) -> (std::path::PathBuf, Vec<&'a str>),
) -> Result<Samples, Trouble> {
    let mut samples = Samples::default();
    for run in 0..runs {
        site.check()?;
        let (home, flags) = place(run);
        let command = site.session(&home, &flags);
        let began = Instant::now();
        let (host, _) = Host::greeted(command, &site.stop)?;
        samples.add(began.elapsed());
        host.finish()?;
    }
    Ok(samples)
}

fn tell(figures: &mut Vec<Figure>, names: [&'static str; 2], what: &str, samples: &Samples) {
    let values = [("p50", samples.p50()), ("best", samples.best())];
    for (name, (share, value)) in names.into_iter().zip(values) {
        let figure = Figure::new(name, format!("{what}, {share}"), value, "ms");
        figures.push(figure.at_most(BAR_MS).runs(samples.len()));
    }
}

fn note_last(figures: &mut [Figure], note: &str) {
    for figure in figures.iter_mut().rev().take(2) {
        note.clone_into(&mut figure.note);
    }
}

/// Fills a journal by one long session; returns the session's name and what is
/// in the journal.
fn fill(site: &Site, home: &Path) -> Result<(String, String), Trouble> {
    let turns = site.pick(20, 100);
    let (mut host, session) = Host::greeted(site.session(home, &[]), &site.stop)?;
    for turn in 0..turns {
        site.check()?;
        // Each of them new: equal long texts are stored once.
        let line = format!("line {turn} of a pasted log; ");
        host.turn(&line.repeat(PROMPT_BYTES / line.len()))?;
    }
    host.finish()?;
    let journal = std::fs::metadata(home.join("journal.redb"));
    let size = journal.map_or(0.0, |journal| journal.len() as f64 / 1e6);
    Ok((session, format!("{size:.1} MB, {turns} turns before")))
}

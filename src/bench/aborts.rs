//! From an abort to the end of its turn, whatever hangs.

use std::time::Duration;

use tokio::time::Instant;

use super::figure::Figure;
use super::host::{Host, PATIENCE};
use super::process::working_in;
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

const BAR_MS: f64 = 50.0;
/// What a stopped tool may take to be gone: it is told politely, and killed two
/// seconds later.
const GONE_SECONDS: f64 = 3.0;

/// Aborts of a model, a tool, an approval and a question that hang.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let runs = site.pick(3, 10);
    // The tools first: while the others are measured, they are being killed.
    let home = site.home("aborts-tool");
    let command = site.session(&home, &["--approve", "all"]);
    let (mut host, _) = Host::greeted(command, &site.stop)?;
    let times = aborts(site, &mut host, "stubborn", "tool_call", runs)?;
    let last = Instant::now();
    let what = "a tool that ignores TERM";
    figures.push(worst("abort.tool", what, &times));

    let home = site.home("aborts");
    let (mut other, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    let cases = [
        ("abort.model", "hang", "text_delta", "a model that hangs"),
        (
            "abort.approval",
            "tool",
            "approval_needed",
            "an open approval",
        ),
        ("abort.question", "question", "question", "an open question"),
    ];
    for (name, prompt, hangs, what) in cases {
        let times = aborts(site, &mut other, prompt, hangs, runs)?;
        figures.push(worst(name, what, &times));
    }
    other.finish()?;

    let gone = wait_until_gone(site, last)?;
    let what = "the same tool: until nothing of it runs any more";
    let figure = Figure::new("abort.gone", what, gone.as_secs_f64(), "s");
    figures.push(
        figure
            .at_most(GONE_SECONDS)
            .note("after the last of the aborts"),
    );
    host.finish()
}

fn worst(name: &'static str, what: &str, times: &Samples) -> Figure {
    let what = format!("abort → end of turn, {what}, the slowest");
    let figure = Figure::new(name, what, times.worst(), "ms");
    figure.at_most(BAR_MS).runs(times.len())
}

fn aborts(
    site: &Site,
    host: &mut Host,
    prompt: &str,
    hangs: &str,
    runs: usize,
) -> Result<Samples, Trouble> {
    let mut samples = Samples::default();
    for _ in 0..runs {
        site.check()?;
        host.prompt(prompt)?;
        host.until(hangs, |_| ())?;
        if prompt == "stubborn" {
            wait_until_ready(site)?;
        }
        let began = Instant::now();
        host.send(r#"{"type":"abort"}"#)?;
        host.turn_ends("aborted")?;
        samples.add(began.elapsed());
    }
    Ok(samples)
}

/// The stubborn tool writes a file when all of its processes run.
fn wait_until_ready(site: &Site) -> Result<(), Trouble> {
    let ready = site.workspace().join("ready");
    let deadline = Instant::now() + PATIENCE;
    while std::fs::remove_file(&ready).is_err() {
        site.stop.check()?;
        if Instant::now() >= deadline {
            return Err(Trouble::broken("the tool did not start in time"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn wait_until_gone(site: &Site, since: Instant) -> Result<Duration, Trouble> {
    loop {
        site.stop.check()?;
        let left = working_in(&site.workspace())?;
        let time = since.elapsed();
        if left.is_empty() {
            return Ok(time);
        }
        if time > PATIENCE {
            let what = format!("{} processes of an aborted tool still run", left.len());
            return Err(Trouble::broken(what));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

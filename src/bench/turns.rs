//! A turn without tools: what it takes over the model's own time.

use std::time::Duration;

use tokio::time::Instant;

use super::figure::Figure;
use super::host::Host;
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

/// What the slow script waits.
const MODEL: Duration = Duration::from_millis(20);

/// Durable turns, with a model that answers at once and with one that takes
/// its time, in which commits can hide.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("turns");
    let (mut host, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    host.turn("warm up")?;

    let runs = site.pick(100, 1000);
    let before = host.process().cpu();
    let at_once = turns(site, &mut host, "go on", runs)?;
    let after = host.process().cpu();
    let p50 = Figure::new(
        "turn.p50",
        "no-tool turn, durable, p50",
        at_once.p50(),
        "ms",
    );
    figures.push(p50.at_most(1.0).runs(runs));
    let p99 = Figure::new(
        "turn.p99",
        "no-tool turn, durable, p99",
        at_once.p99(),
        "ms",
    );
    figures.push(p99.at_most(5.0).runs(runs));

    let slow_runs = site.pick(10, 100);
    let alone = timers(site, slow_runs)?;
    let slow = turns(site, &mut host, "slow", slow_runs)?;
    let note = format!("the timer alone takes {:.2} ms", alone.p50());
    let what = "no-tool turn over a model of 20 ms";
    let over = slow.p50() - alone.p50();
    let p50 = Figure::new("turn_20.p50", format!("{what}, p50"), over, "ms");
    figures.push(p50.at_most(1.0).runs(slow_runs).note(&note));
    let over = slow.p99() - alone.p50();
    let p99 = Figure::new("turn_20.p99", format!("{what}, p99"), over, "ms");
    figures.push(p99.at_most(5.0).runs(slow_runs).note(&note));
    host.finish()?;

    let cpu = after?.since(&before?).as_secs_f64() * 1e3 / runs as f64;
    let figure = Figure::new("turn.cpu", "no-tool turn, CPU", cpu, "ms");
    figures.push(figure.at_most(1.0).runs(runs));
    Ok(())
}

/// What the script's wait takes by itself, with the same kind of timer: those
/// step by a millisecond, and end behind their time.
fn timers(site: &Site, runs: usize) -> Result<Samples, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| Trouble::unmeasured(format!("no runtime: {error}")))?;
    let mut samples = Samples::default();
    for _ in 0..runs {
        site.check()?;
        let began = Instant::now();
        runtime.block_on(async { tokio::time::sleep(MODEL).await });
        samples.add(began.elapsed());
    }
    Ok(samples)
}

fn turns(site: &Site, host: &mut Host, prompt: &str, runs: usize) -> Result<Samples, Trouble> {
    let mut samples = Samples::default();
    for _ in 0..runs {
        site.check()?;
        samples.add(host.turn(prompt)?);
    }
    Ok(samples)
}

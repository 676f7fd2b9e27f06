//! Pieces of text: many at once, and one by one.

use tokio::time::Instant;

use super::figure::Figure;
use super::frame::{Frame, kind};
use super::host::{Host, PATIENCE};
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

/// Pieces of the script's burst, each of one letter.
const PIECES: usize = 20_000;
/// Pieces of the script's paced answer.
const PACED: usize = 1000;

/// A burst of pieces, then pieces at a pace.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("deltas");
    let (mut host, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    host.turn("warm up")?;

    let runs = site.pick(2, 10);
    let mut times = Samples::default();
    let mut fewest = PIECES;
    for _ in 0..runs {
        site.check()?;
        let burst = burst(&mut host)?;
        times.add(burst.time);
        fewest = fewest.min(burst.lines);
    }
    let rate = |ms: f64| PIECES as f64 / ms.max(1e-6) * 1e3;
    let what = "20,000 one-token deltas in a burst";
    let note = "from the prompt to the last of them";
    let p50 = Figure::new("burst.p50", format!("{what}, p50"), rate(times.p50()), "/s");
    figures.push(p50.at_least(200_000.0).runs(runs).note(note));
    let best = Figure::new(
        "burst.best",
        format!("{what}, best"),
        rate(times.best()),
        "/s",
    );
    figures.push(best.at_least(200_000.0).runs(runs));
    let what = "the same: lines of their own, the fewest";
    let lines = Figure::new("burst.lines", what, fewest as f64, "lines");
    let note = "fewer are merged ones: no text is ever lost";
    figures.push(lines.at_least(PIECES as f64).runs(runs).note(note));

    let paced_runs = site.pick(1, 2);
    let before = host.process().cpu();
    for _ in 0..paced_runs {
        site.check()?;
        host.turn("paced")?;
    }
    let after = host.process().cpu();
    host.finish()?;
    let deltas = (paced_runs * PACED) as f64;
    let cpu = after?.since(&before?).as_secs_f64() * 1e6 / deltas;
    let what = "CPU per delta, one every 2 ms";
    let figure = Figure::new("paced.cpu", what, cpu, "µs").at_most(40.0);
    figures.push(figure.runs(paced_runs * PACED));
    Ok(())
}

struct Burst {
    time: std::time::Duration,
    lines: usize,
}

/// Plays a burst and checks that nothing of it is lost. Lines are only kept
/// while they come, so that the reader is no slower than it must be.
fn burst(host: &mut Host) -> Result<Burst, Trouble> {
    let deadline = Instant::now() + PATIENCE;
    let mut deltas: Vec<Vec<u8>> = Vec::with_capacity(PIECES);
    let began = Instant::now();
    let mut time = began.elapsed();
    host.prompt("burst")?;
    loop {
        let line = host.need_line("the end of a burst", deadline)?;
        match kind(line) {
            b"text_delta" => {
                deltas.push(line.to_vec());
                if deltas.len() == PIECES {
                    time = began.elapsed();
                }
            }
            b"message_end" if !deltas.is_empty() => break,
            _ => (),
        }
    }
    if deltas.len() < PIECES {
        time = began.elapsed();
    }
    host.turn_ends("ok")?;
    let mut letters = 0;
    for line in &deltas {
        let text = Frame::read(line).and_then(|frame| frame.text);
        match text {
            Some(text) if text.bytes().all(|letter| letter == b'x') => letters += text.len(),
            _ => return Err(Trouble::broken("a delta holds what the model did not say")),
        }
    }
    match letters == PIECES {
        true => Ok(Burst {
            time,
            lines: deltas.len(),
        }),
        false => Err(Trouble::broken(format!(
            "{letters} of {PIECES} letters of a burst came"
        ))),
    }
}

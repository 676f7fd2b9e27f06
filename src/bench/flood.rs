//! Answers while the session floods its client.

use std::time::Duration;

use tokio::time::Instant;

use super::figure::Figure;
use super::frame::{Frame, kind};
use super::host::{Host, PATIENCE};
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

/// The time between two questions.
const EVERY: Duration = Duration::from_millis(5);

/// Asks for the state while text comes as fast as it is read.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("flood");
    let (mut host, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    host.prompt("flood")?;
    host.until("text_delta", |_| ())?;

    let questions = site.pick(60, 400);
    let mut flood = Flood::default();
    let began = Instant::now();
    let mut next = began;
    while flood.asked.len() < questions {
        if Instant::now() >= next {
            let id = flood.asked.len();
            flood.asked.push(Instant::now());
            host.send(&format!(r#"{{"id":{id},"type":"get_state"}}"#))?;
            next = Instant::now() + EVERY;
        }
        flood.read(&mut host, next)?;
    }
    let deadline = Instant::now() + PATIENCE;
    while flood.times.len() < questions && Instant::now() < deadline {
        flood.read(&mut host, deadline)?;
    }
    let rate = flood.lines as f64 / began.elapsed().as_secs_f64();
    if flood.times.len() < questions {
        let answered = flood.times.len();
        let what = format!("{answered} of {questions} questions were answered in a flood");
        return Err(Trouble::broken(what));
    }
    if flood.turn_ended {
        return Err(Trouble::unmeasured("the flood was over before its time"));
    }
    host.send(r#"{"type":"abort"}"#)?;
    host.turn_ends("aborted")?;
    host.finish()?;

    let note = format!("{rate:.0} deltas/s meanwhile");
    let what = "state answer in a flood";
    let p50 = Figure::new("state.p50", format!("{what}, p50"), flood.times.p50(), "ms");
    figures.push(p50.runs(questions));
    let p99 = Figure::new("state.p99", format!("{what}, p99"), flood.times.p99(), "ms");
    figures.push(p99.at_most(5.0).runs(questions).note(note));
    Ok(())
}

#[derive(Default)]
struct Flood {
    asked: Vec<Instant>,
    times: Samples,
    lines: u64,
    turn_ended: bool,
}

impl Flood {
    /// Reads lines until this moment, or until one is an answer.
    fn read(&mut self, host: &mut Host, until: Instant) -> Result<(), Trouble> {
        while let Some(line) = host.line(until)? {
            match kind(line) {
                b"text_delta" => self.lines += 1,
                b"response" => {
                    let asked = Frame::read(line).and_then(|frame| frame.number());
                    let asked = asked.and_then(|id| self.asked.get(id));
                    match asked {
                        Some(asked) => self.times.add(asked.elapsed()),
                        None => return Err(Trouble::broken("an answer is to no question")),
                    }
                    return Ok(());
                }
                b"turn_end" => self.turn_ended = true,
                _ => (),
            }
            if self.lines.is_multiple_of(64) && Instant::now() >= until {
                return Ok(());
            }
        }
        Ok(())
    }
}

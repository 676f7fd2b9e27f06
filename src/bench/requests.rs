//! Very many requests at once.

use tokio::time::Instant;

use super::figure::Figure;
use super::frame::{Frame, kind};
use super::host::{Host, PATIENCE};
use super::site::Site;
use super::trouble::Trouble;

const REQUESTS: usize = 5000;

/// 5,000 requests of several kinds in one write: each has one answer.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("requests");
    let (mut host, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    let before = host.process().memory();
    let mut text = String::new();
    for id in 0..REQUESTS {
        let rest = match id % 5 {
            0 => r#""type":"set_mode","mode":"ask""#,
            1 => r#""type":"no_such_command""#,
            2 => r#""type":"approve","call_id":"c0","allow":true"#,
            _ => r#""type":"get_state""#,
        };
        text.push_str(&format!("{{\"id\":{id},{rest}}}\n"));
    }

    let mut answers = vec![0_usize; REQUESTS];
    let mut come = 0;
    let began = Instant::now();
    let deadline = began + PATIENCE;
    let writing = host.begin_sending(text.into_bytes())?;
    while come < REQUESTS {
        let what = format!("answer {} of {REQUESTS}", come + 1);
        let line = host.need_line(&what, deadline)?;
        if kind(line) != b"response" {
            continue;
        }
        let id = Frame::read(line).and_then(|frame| frame.number());
        let count = id.and_then(|id| answers.get_mut(id));
        match count {
            Some(count) => *count += 1,
            None => return Err(Trouble::broken("an answer is to no request")),
        }
        come += 1;
    }
    let time = began.elapsed();
    host.end_sending(writing)?;
    let peak = host.process().peak_memory();
    host.finish()?;

    let once = answers.iter().filter(|count| **count == 1).count();
    if once != REQUESTS {
        let what = format!("{once} of {REQUESTS} requests were answered exactly once");
        return Err(Trouble::broken(what));
    }
    let what = "5,000 requests in one write: answered exactly once";
    let answered = Figure::new("requests.answered", what, once as f64, "answers");
    figures.push(answered.at_least(REQUESTS as f64));
    let ms = time.as_secs_f64() * 1e3;
    figures.push(Figure::new(
        "requests.time",
        "the same: all answered in",
        ms,
        "ms",
    ));
    let megabytes = peak?.saturating_sub(before?) as f64 / 1e6;
    let what = "the same: memory at its peak, over idle";
    figures.push(Figure::new("requests.memory", what, megabytes, "MB"));
    Ok(())
}

//! From start to end, and what remains of it.

use std::env;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::time::{Instant, timeout_at};

use super::agent::{Agent, FLAGS};
use super::host::{Host, Tally};
use super::proof;
use super::scratch::Scratch;
use super::screen::{Look, Screen, Who};
use super::show::LEFT_OUT;
use crate::cli::{CommonOptions, DemoOptions};
use crate::signals::Signals;

/// How long all of it may take; it takes some three seconds.
const ALL: Duration = Duration::from_secs(30);
/// The exit code when a signal ended it.
const STOPPED: u8 = 130;

/// Shows the demonstration on standard output. 0 when everything happened and
/// in its order, 130 after a signal; the error is the reason why it did not.
pub fn run(options: &DemoOptions) -> Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(watch(&options.common))
}

async fn watch(common: &CommonOptions) -> Result<u8> {
    let began = Instant::now();
    let deadline = began + ALL;
    let mut signals = Signals::listen()?;
    let scratch = Scratch::create()?;
    let mut screen = Screen::stdout();
    let program = env::current_exe().context("this program's own path")?;
    introduce(&scratch, &mut screen).await?;
    let mut agent = Agent::start(&program, &scratch, common)?;
    let mut host = Host::new(&mut agent, &mut screen, scratch.repository());
    let outcome = tokio::select! {
        outcome = timeout_at(deadline, host.play()) => Some(outcome),
        _ = signals.next() => None,
    };
    let awaited = host.awaited();
    let tally = host.into_tally();
    if !matches!(outcome, Some(Ok(Ok(())))) {
        // The reason is told in any case, on standard error.
        let _ = screen.end_stream();
        agent.stop().await;
    }
    match outcome {
        Some(Ok(played)) => played?,
        Some(Err(_)) => bail!("after {} s it still waits for {awaited}", ALL.as_secs()),
        None => return Ok(STOPPED),
    }
    let took = began.elapsed();
    timeout_at(deadline, proof::check(&scratch.repository()))
        .await
        .context("the check of the disk takes too long")??;
    scratch.remove()?;
    conclude(&tally, took, &program, &mut screen)?;
    Ok(0)
}

async fn introduce<W: Write>(scratch: &Scratch, screen: &mut Screen<W>) -> Result<()> {
    let place = scratch.repository();
    let place = match scratch.init_git().await {
        true => format!("a scratch git repository, {}", place.display()),
        false => format!("a scratch folder, {}", place.display()),
    };
    screen.paragraph(
        "A host and an agent, talking over real pipes in JSON lines. The host is this program. \
         The agent is the same program, started a second time; its model plays a script, its \
         tools are real.",
    )?;
    screen.paragraph(&format!("They work in {place}."))?;
    screen.paragraph(&format!("Not shown: {LEFT_OUT}."))?;
    screen.paragraph("")?;
    let command = format!("greenroom {FLAGS}");
    screen.say(Who::Host, "(start)", Look::Dim, &command)?;
    Ok(())
}

fn conclude<W: Write>(
    tally: &Tally,
    took: Duration,
    program: &Path,
    screen: &mut Screen<W>,
) -> Result<()> {
    let program = quoted(program);
    screen.paragraph("")?;
    screen.paragraph(&format!(
        "The turn ended ok: {} model calls, {} lines from the agent, {} to it, in {:.1} s. One \
         approval, one question and one steer were in it.",
        tally.steps,
        tally.received,
        tally.sent.len(),
        took.as_secs_f64()
    ))?;
    screen.paragraph(
        "Checked on the disk: greet.sh was really edited (`sh greet.sh Ada` now says \"Hello, \
         Ada!\") and its test passes. The agent ended with 0, and the scratch folder is removed.",
    )?;
    screen.paragraph("")?;
    screen.paragraph("To do the same by hand, start this in an empty folder:")?;
    screen.paragraph("")?;
    screen.line(&format!("  {program} {FLAGS}"))?;
    screen.paragraph("")?;
    screen.paragraph("Type these lines, each when the agent waits for it; Ctrl-D ends it:")?;
    screen.paragraph("")?;
    for line in &tally.sent {
        screen.line(&format!("  {line}"))?;
    }
    Ok(())
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

//! A turn with a tool call: what it takes beyond the command itself.

use std::path::Path;
use std::process::Stdio;

use tokio::time::Instant;

use super::figure::Figure;
use super::host::Host;
use super::samples::Samples;
use super::site::Site;
use super::trouble::Trouble;

/// The shell of the tool.
const SHELL: &str = "/bin/bash";

/// Turns that run `true`, each beside a bare run of the same.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("tools");
    let command = site.session(&home, &["--approve", "all"]);
    let (mut host, _) = Host::greeted(command, &site.stop)?;
    host.turn("tool")?;

    let runs = site.pick(20, 200);
    let mut turns = Samples::default();
    let mut bare = Samples::default();
    let before = host.process().cpu();
    for _ in 0..runs {
        site.check()?;
        bare.add(bare_run(site)?);
        turns.add(host.turn("tool")?);
    }
    let after = host.process().cpu();
    host.finish()?;

    let what = "`true` by a bare bash, p50";
    figures.push(Figure::new("bare_spawn.p50", what, bare.p50(), "ms").runs(runs));
    let note = "two model calls and the approval included";
    let beyond = turns.p50() - bare.p50();
    let p50 = Figure::new("tool_turn.p50", "tool turn beyond that, p50", beyond, "ms");
    figures.push(p50.at_most(1.5).runs(runs).note(note));
    let beyond = turns.p99() - bare.p99();
    let p99 = Figure::new("tool_turn.p99", "tool turn beyond that, p99", beyond, "ms");
    figures.push(p99.runs(runs));
    let cpu = after?.since(&before?).as_secs_f64() * 1e3 / runs as f64;
    let figure = Figure::new(
        "tool_turn.cpu",
        "tool turn, CPU without the command's",
        cpu,
        "ms",
    );
    figures.push(figure.runs(runs));
    Ok(())
}

fn bare_run(site: &Site) -> Result<std::time::Duration, Trouble> {
    let began = Instant::now();
    let status = site
        .clean_command(Path::new(SHELL))
        .args(["--noprofile", "--norc", "-c", "true"])
        .current_dir(site.workspace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(began.elapsed()),
        Ok(status) => Err(Trouble::unmeasured(format!("{SHELL} ended with {status}"))),
        Err(error) => Err(Trouble::unmeasured(format!("{SHELL}: {error}"))),
    }
}

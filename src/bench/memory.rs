//! What a session takes.

use std::time::Duration;

use super::figure::Figure;
use super::host::Host;
use super::site::Site;
use super::trouble::Trouble;

const BAR_MB: f64 = 15.0;
/// What a process needs to come to rest.
const REST: Duration = Duration::from_millis(300);

/// A process with one session, idle and after some turns.
pub(super) fn measure(site: &Site, figures: &mut Vec<Figure>) -> Result<(), Trouble> {
    let home = site.home("memory");
    let (mut host, _) = Host::greeted(site.session(&home, &[]), &site.stop)?;
    std::thread::sleep(REST);
    let idle = host.process().memory()? as f64 / 1e6;
    let what = "memory of the process, session idle";
    let figure = Figure::new("memory.idle", what, idle, "MB");
    let note = "the whole process: a daemon shares it among its sessions";
    figures.push(figure.at_most(BAR_MB).note(note));

    let turns = site.pick(20, 100);
    for _ in 0..turns {
        site.check()?;
        host.turn("go on")?;
    }
    std::thread::sleep(REST);
    let after = host.process().memory()? as f64 / 1e6;
    host.finish()?;
    let what = format!("the same after {turns} turns");
    figures.push(Figure::new("memory.after_turns", what, after, "MB"));
    Ok(())
}

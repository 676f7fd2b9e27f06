//! The rest of a `shell` call with `background`: the command is started, and the
//! call ends.

use std::sync::Arc;

use greenroom_actors::ports::Ran;

use super::super::call::{self, done, failed};
use super::super::disk;
use super::super::paths;
use super::super::shell::Place;
use super::job::Job;
use super::runner;

/// Starts a command that was planned with its folder.
pub(in crate::tool) fn start(call: &call::Job, command: &str, keep: bool) -> Ran {
    let Some(touch) = call.planned.touches.first() else {
        return failed("this call was planned without its folder");
    };
    let context = &call.scene.context;
    let kit = &call.scene.kit;
    let room = match kit.jobs.room(&context.session) {
        Ok(room) => room,
        Err(why) => return failed(why),
    };
    // Opened without following links, so that the folder is the one judged.
    let folder = match disk::open_folder(&touch.path) {
        Ok(folder) => folder,
        Err(fault) => {
            let shown = paths::shown(&context.root, &touch.path);
            return failed(format!("`cwd`: {shown} {fault}"));
        }
    };
    let place = Place {
        root: &context.root,
        folder: &folder,
        path: &touch.path,
    };
    let random = fastrand::u32(..);
    let marker = format!("{}/{}/{random:08x}", context.session, call.call);
    let started = match kit.host.start_background(command, &place, marker, keep) {
        Ok(started) => started,
        Err(error) => return failed(format!("the shell cannot be started: {error}")),
    };
    let job = Arc::new(Job::new(
        room.name.clone(),
        command.to_owned(),
        touch.path.clone(),
        keep,
        kit.jobs.output_bytes,
        started.input,
    ));
    let stops = job.stops();
    let said = told(&job);
    room.fill(job.clone());
    // The board may be gone when the job ends; it must not be held for it.
    let board = Arc::downgrade(&kit.jobs);
    let session = context.session.clone();
    let tell = move |ended| {
        if let Some(board) = board.upgrade() {
            board.tell(&session, ended);
        }
    };
    tokio::spawn(runner::run(job, started.leash, started.output, stops, tell));
    done(said)
}

fn told(job: &Job) -> String {
    let name = &job.name;
    let lasts = match job.is_kept {
        true => "It goes on when the session ends",
        false => "It is ended with the session",
    };
    format!(
        "[{name} is running in the background. {lasts}. job_output shows what it writes and how \
         it stands, job_kill ends it.]"
    )
}

/// A command line as the guard and people are to read it when it is to outlive
/// its session: as one that starts it detached, so that no rule for the command
/// alone lets it through.
pub(in crate::tool) fn as_detached(command: &str) -> String {
    format!("setsid --fork bash -c '{}'", command.replace('\'', r"'\''"))
}

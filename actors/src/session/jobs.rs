//! The ends of commands in the background: the model reads of each with its next
//! step or the next prompt, or a turn is started for it.

use greenroom_protocol::session::{Content, Happening, Source};

use super::machine::Session;
use crate::ports::{JobEnd, JobEnded};

impl Session {
    pub(super) fn job_ended(&mut self, ended: &JobEnded) {
        let content = Content::text(report(ended));
        self.core.queue.push_result(content.clone());
        // Recorded, so that another process tells it to the model.
        let sizes = self.core.queue.sizes();
        self.core.tell(Happening::Queued {
            content,
            source: Source::Agent,
            sizes,
        });
        self.wake();
    }
}

fn report(ended: &JobEnded) -> String {
    let JobEnded {
        job,
        command,
        end,
        tail,
        seconds,
    } = ended;
    let how = match end {
        JobEnd::Exited(code) => format!("with exit code {code}"),
        JobEnd::Signalled(signal) => format!("by signal {signal}"),
        JobEnd::Lost => "in a way that is not known".to_owned(),
    };
    let head = format!(
        "The command in the background {job} ({command}) has ended {how} after {seconds} s."
    );
    match tail.trim().is_empty() {
        true => format!("{head} It wrote nothing more."),
        false => format!("{head} The last that it wrote:\n\n{tail}"),
    }
}

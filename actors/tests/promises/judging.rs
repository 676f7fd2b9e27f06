//! Calls planned and judged as the fakes do.

use greenroom_actors::ports::{Act, Guard};
use greenroom_actors::session::Judged;
use greenroom_actors::testing::{self, FakeGuard};
use greenroom_protocol::session::{Document, Mode};

pub fn judged(tool: &str, input: &str) -> Judged {
    match testing::plan(tool, &Document(input.into())) {
        Err(fault) => Judged::Fault(fault),
        Ok(planned) => {
            let act = Act {
                call: &planned,
                named: "auto",
                mode: Mode::Auto,
                root: Default::default(),
                sub_agent: false,
            };
            let judgement = FakeGuard.judge(&act);
            let likeness = FakeGuard.likeness(&act);
            Judged::Planned {
                judgement,
                likeness,
                planned: Box::new(planned),
            }
        }
    }
}

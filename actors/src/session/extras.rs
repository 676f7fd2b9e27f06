//! What comes to a session from beside its turns: tools that it has besides, as
//! they come and go, and the ends of commands in the background.

use std::time::Duration;

use ractor::ActorRef;

use super::actor::{SessionActor, State};
use super::input::Input;
use super::messages::SessionMsg;

/// Changes that come so close are told together.
const TOGETHER: Duration = Duration::from_millis(20);

impl SessionActor {
    /// Tells the session of each command in the background that ends.
    pub(super) fn hear_of_jobs(&self, myself: &ActorRef<SessionMsg>, state: &mut State) {
        let Some(mut ends) = self.ports.jobs.ends(&state.settings.id) else {
            return;
        };
        let session = myself.clone();
        state.asides.spawn(async move {
            while let Some(ended) = ends.recv().await {
                let told = Input::JobEnded(ended);
                if session.cast(SessionMsg::Done(told)).is_err() {
                    return;
                }
            }
        });
    }

    /// They are held until the session's actor ends.
    pub(super) fn open_extras(&self, myself: &ActorRef<SessionMsg>, state: &mut State) {
        let settings = &state.settings;
        let Some(extras) = self.ports.tools.extras(&settings.id, &settings.root) else {
            return;
        };
        let session = myself.clone();
        state.asides.spawn(async move {
            let mut changed = extras.changed();
            loop {
                changed.borrow_and_update();
                let told = Input::ToolsChanged {
                    specs: extras.specs(),
                    notices: extras.notices(),
                };
                let is_gone = session.cast(SessionMsg::Done(told)).is_err();
                if is_gone || changed.changed().await.is_err() {
                    return;
                }
                tokio::time::sleep(TOGETHER).await;
            }
        });
    }
}

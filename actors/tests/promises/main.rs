//! Whatever comes in, in whatever order, a session keeps its promises.
//!
//! Random acts by a small model of the world drive a session's machine; after
//! each input the promises are checked (`world`), and now and then the session
//! is rebuilt from what it recorded, as after a crash.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acts;
mod world;

use greenroom_actors::session::{Effect, Input, Session};
use greenroom_actors::testing;
use greenroom_protocol::session::{
    AbortedBy, Command, Event, Happening, Interruption, Millis, Outcome, SubscriberId,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::acts::{Move, act};
use crate::world::World;

fn play(acts: &[Move]) -> Result<(), TestCaseError> {
    let mut world = World::default();
    let (mut session, effects) = Session::open(testing::settings("S1"), Millis(1));
    world.check(false, &effects)?;
    for act in acts {
        if matches!(act, Move::Crash) {
            session = crash(&mut world)?;
        } else if let Some(input) = world.input(act) {
            let is_command = matches!(input, Input::Asked { .. });
            let effects = session.handle(Millis(1), input);
            world.check(is_command, &effects)?;
        }
        prop_assert_eq!(session.is_idle(), world.turn.is_none());
    }
    // However it stands, an abort ends it, and then everything accepted ended.
    let abort = world.asked(Command::Abort);
    let effects = session.handle(Millis(1), abort);
    world.check(true, &effects)?;
    prop_assert!(session.is_idle());
    prop_assert_eq!(world.prompts_accepted, world.turns_ended);
    Ok(())
}

/// The process dies; another opens the session from what was recorded.
fn crash(world: &mut World) -> Result<Session, TestCaseError> {
    let cut = world.turn.is_some();
    let settings = testing::settings("S1");
    let why = Interruption::Crash;
    let (session, effects) = Session::rebuild(settings, &world.journal, Millis(1), why);
    world.work = None;
    world.judging.clear();
    world.running.clear();
    // Text that stood in no checkpoint is lost with the process.
    if let Some(writing) = &mut world.writing {
        *writing = checkpointed(&world.journal);
    }
    world.check(false, &effects)?;
    prop_assert!(session.is_idle(), "what was cut is closed");
    let ended = effects.iter().any(|effect| {
        matches!(effect, Effect::Tell(event) if matches!(
            event.happening,
            Happening::TurnEnded { outcome: Outcome::Interrupted(_), .. }
        ))
    });
    prop_assert_eq!(ended, cut);
    // Rebuilding from the same journal once more gives the same state.
    let (mut again, _) = Session::rebuild(testing::settings("S1"), &world.journal, Millis(1), why);
    let mut one = session.snapshot();
    let mut two = again.snapshot();
    one.seq = 0;
    two.seq = 0;
    one.opening = two.opening;
    prop_assert_eq!(one, two);
    let _ = again.handle(
        Millis(1),
        Input::ClientLeaves {
            by: SubscriberId(1),
            abort: Some(AbortedBy::Signal),
            last: true,
        },
    );
    Ok(session)
}

fn checkpointed(journal: &[Event]) -> String {
    let begun = journal
        .iter()
        .rposition(|event| matches!(event.happening, Happening::MessageStarted { .. }));
    let since = journal.get(begun.unwrap_or(0)..).unwrap_or_default();
    let pieces = since.iter().filter_map(|event| match &event.happening {
        Happening::Checkpoint { text, .. } => Some(&**text),
        _ => None,
    });
    pieces.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn promises_are_kept(acts in vec(act(), 1..60)) {
        play(&acts)?;
    }
}

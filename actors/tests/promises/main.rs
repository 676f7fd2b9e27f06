//! Whatever comes in, in whatever order, a session keeps its promises.
//!
//! Random acts by a small model of the world drive a session's machine; after
//! each input the promises are checked (`world`), and now and then the session
//! is rebuilt from what it recorded, as after a crash.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acts;
mod agents;
mod beside;
mod judging;
mod playing;
mod requests;
mod world;

use greenroom_actors::session::{Effect, Input, Session};
use greenroom_protocol::session::{
    AbortedBy, Command, Event, Happening, Interruption, Millis, Outcome, SubscriberId,
};
use proptest::prelude::*;

use crate::acts::{Move, acts};
use crate::beside::settings;
use crate::world::World;

fn play(acts: &[Move]) -> Result<(), TestCaseError> {
    let mut world = World::default();
    let (mut session, effects) = Session::open(settings("S1"), Millis(1));
    world.check(None, &effects)?;
    let mut fork = None;
    for act in acts {
        if matches!(act, Move::Crash) {
            session = crash(&mut world, &session)?;
        } else if let Some(input) = world.input(act) {
            let entered = step(&mut world, &mut session, &mut fork, input)?;
            if let Some(entered) = entered {
                session = entered;
            }
        }
        prop_assert_eq!(session.is_idle(), world.turn.is_none());
    }
    // However it stands, an abort ends it, and then everything accepted ended.
    let abort = world.asked(Command::Abort);
    step(&mut world, &mut session, &mut fork, abort)?;
    prop_assert!(session.is_idle() && !world.compacting);
    prop_assert!(session.agents().is_empty() && world.agents.is_empty());
    prop_assert_eq!(world.prompts_accepted, world.turns_ended);
    while let Some(input) = world.input(&Move::Returns { ok: false }) {
        step(&mut world, &mut session, &mut fork, input)?;
    }
    prop_assert_eq!(
        &world.open,
        &Default::default(),
        "every command is answered"
    );
    Ok(())
}

/// A fork that is being recorded, with its first events.
type Fork = Option<(Box<Session>, Vec<Effect>)>;

/// One input, and what it promises. Returns the session that the client went
/// on in.
fn step(
    world: &mut World,
    session: &mut Session,
    fork: &mut Fork,
    input: Input,
) -> Result<Option<Session>, TestCaseError> {
    let command = match &input {
        Input::Asked { command, .. } => Some(command.clone()),
        _ => None,
    };
    let effects = session.handle(Millis(1), input);
    world.check(command, &effects)?;
    let mut entered = None;
    for effect in effects {
        match effect {
            Effect::RecordFork { session, effects } => *fork = Some((session, effects)),
            Effect::HandOver { .. } => {
                let (session, effects) = fork.take().unwrap();
                world.enter(&session, &effects)?;
                entered = Some(*session);
            }
            _ => (),
        }
    }
    Ok(entered)
}

/// The process dies; another opens the session from what was recorded.
fn crash(world: &mut World, before: &Session) -> Result<Session, TestCaseError> {
    let cut = world.turn.is_some();
    let settings = before.settings().clone();
    let why = Interruption::Crash;
    let (session, effects) = Session::rebuild(settings.clone(), &world.loaded(), Millis(1), why);
    if !cut {
        // Also in the middle of a compaction or a move.
        prop_assert_eq!(before.conversation(), session.conversation());
    }
    world.work = None;
    world.compacting = false;
    world.beside.clear();
    world.open.clear();
    world.judging.clear();
    world.running.clear();
    world.agents.cut();
    // Text that stood in no checkpoint is lost with the process.
    if let Some(writing) = &mut world.writing {
        *writing = checkpointed(&world.journal);
    }
    world.check(None, &effects)?;
    prop_assert!(session.is_idle(), "what was cut is closed");
    let ended = effects.iter().any(|effect| {
        matches!(effect, Effect::Tell(event) if matches!(
            event.happening,
            Happening::TurnEnded { outcome: Outcome::Interrupted(_), .. }
        ))
    });
    prop_assert_eq!(ended, cut);
    // Rebuilding from the same journal once more gives the same state.
    let (mut again, _) = Session::rebuild(settings, &world.loaded(), Millis(1), why);
    prop_assert_eq!(session.conversation(), again.conversation());
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
    fn promises_are_kept(acts in acts()) {
        play(&acts)?;
    }
}

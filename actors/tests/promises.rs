//! Whatever comes in, in whatever order, a session keeps its promises.
//!
//! Random acts by a small model of the world drive a session's machine; after
//! each input the promises of `docs/GLOSSARY.md` are checked, and now and then
//! the session is rebuilt from what it recorded, as after a crash.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use greenroom_actors::ports::{Act, Chunk, Guard, ModelError, Ran};
use greenroom_actors::session::{Effect, Input, Judged, Session, Timer, WorkId};
use greenroom_actors::testing::{self, FakeGuard};
use greenroom_protocol::session::{
    AbortedBy, Answer, CallId, Command, Content, Decision, Document, Event, FailureKind, Happening,
    Interruption, Message, Millis, Mode, Outcome, Refusal, Scope, SubscriberId, TurnId, Verdict,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// What the world may do next.
#[derive(Debug, Clone)]
enum Act_ {
    Prompt,
    Steer,
    FollowUp,
    Abort,
    Reset,
    SetMode(bool),
    GetState,
    Decide {
        which: usize,
        allow: bool,
        session: bool,
    },
    DecideOnAnother,
    Reply {
        which: usize,
    },
    ModelSays,
    ModelEnds(End),
    Judge {
        which: usize,
    },
    ToolEnds {
        which: usize,
        failed: bool,
    },
    ToolSays {
        which: usize,
    },
    Checkpoint,
    LateReport,
    TurnFails,
    Crash,
}

#[derive(Debug, Clone)]
enum End {
    Text,
    Calls(Vec<(&'static str, &'static str)>),
    Failure,
    Nothing,
}

fn call() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        Just(("read", "look")),
        Just(("edit", "change")),
        Just(("shell", "make")),
        Just(("shell", "deny")),
        Just(("ask", "which?")),
        Just(("read", "bad")),
        Just(("nothing", "x")),
    ]
}

fn act() -> impl Strategy<Value = Act_> {
    let end = prop_oneof![
        3 => Just(End::Text),
        4 => vec(call(), 1..4).prop_map(End::Calls),
        1 => Just(End::Failure),
        1 => Just(End::Nothing),
    ];
    prop_oneof![
        6 => Just(Act_::Prompt),
        2 => Just(Act_::Steer),
        2 => Just(Act_::FollowUp),
        1 => Just(Act_::Abort),
        1 => Just(Act_::Reset),
        1 => any::<bool>().prop_map(Act_::SetMode),
        1 => Just(Act_::GetState),
        6 => (0..4_usize, any::<bool>(), any::<bool>())
            .prop_map(|(which, allow, session)| Act_::Decide { which, allow, session }),
        1 => Just(Act_::DecideOnAnother),
        3 => (0..4_usize).prop_map(|which| Act_::Reply { which }),
        4 => Just(Act_::ModelSays),
        6 => end.prop_map(Act_::ModelEnds),
        8 => (0..4_usize).prop_map(|which| Act_::Judge { which }),
        6 => (0..4_usize, any::<bool>())
            .prop_map(|(which, failed)| Act_::ToolEnds { which, failed }),
        2 => (0..4_usize).prop_map(|which| Act_::ToolSays { which }),
        1 => Just(Act_::Checkpoint),
        1 => Just(Act_::LateReport),
        1 => Just(Act_::TurnFails),
        1 => Just(Act_::Crash),
    ]
}

/// What is known of the session from the outside, by its effects alone.
#[derive(Debug, Default)]
struct World {
    tickets: u64,
    last_seq: u64,
    turn: Option<TurnId>,
    prompts_accepted: usize,
    turns_ended: usize,
    work: Option<WorkId>,
    writing: Option<String>,
    judging: BTreeMap<CallId, (String, String)>,
    running: BTreeMap<CallId, bool>,
    told: BTreeSet<CallId>,
    ended: BTreeSet<CallId>,
    due: BTreeSet<CallId>,
    approvals: BTreeSet<CallId>,
    questions: BTreeSet<CallId>,
    journal: Vec<Event>,
}

impl World {
    fn asked(&mut self, command: Command) -> Input {
        self.tickets += 1;
        Input::Asked {
            by: SubscriberId(1),
            ticket: greenroom_protocol::session::Ticket(self.tickets),
            command,
        }
    }

    fn input(&mut self, act: &Act_) -> Option<Input> {
        let pick = |set: &BTreeSet<CallId>, which: usize| {
            set.iter().nth(which % set.len().max(1)).cloned()
        };
        Some(match act {
            Act_::Prompt => self.asked(Command::Prompt(Content::text("do it"))),
            Act_::Steer => self.asked(Command::Steer(Content::text("rather so"))),
            Act_::FollowUp => self.asked(Command::FollowUp(Content::text("and then"))),
            Act_::Abort => self.asked(Command::Abort),
            Act_::Reset => self.asked(Command::Reset),
            Act_::SetMode(full) => {
                let mode = if *full { Mode::Full } else { Mode::Auto };
                self.asked(Command::SetMode(mode))
            }
            Act_::GetState => self.asked(Command::GetState),
            Act_::Decide {
                which,
                allow,
                session,
            } => {
                let call = pick(&self.approvals, *which)?;
                let scope = if *session {
                    Scope::Session
                } else {
                    Scope::Once
                };
                let verdict = match allow {
                    true => Verdict::Allow(scope),
                    false => Verdict::Deny(Scope::Once),
                };
                let decision = Decision {
                    verdict,
                    note: None,
                    amendment: None,
                };
                self.asked(Command::Decide { call, decision })
            }
            Act_::DecideOnAnother => {
                let verdict = Verdict::Allow(Scope::Once);
                let decision = Decision {
                    verdict,
                    note: None,
                    amendment: None,
                };
                let call = CallId::new("none");
                self.asked(Command::Decide { call, decision })
            }
            Act_::Reply { which } => {
                let call = pick(&self.questions, *which)?;
                let answers = vec![Answer {
                    question: None,
                    text: Some("this".into()),
                }];
                self.asked(Command::Reply { call, answers })
            }
            Act_::ModelSays => Input::ModelSaid {
                work: self.work?,
                chunks: vec![
                    Chunk::Thinking("hm".into()),
                    Chunk::Text("word ".into()),
                    Chunk::CallDrafted("shell".into()),
                ],
            },
            Act_::ModelEnds(end) => {
                let work = self.work.take()?;
                let said = self.writing.clone().unwrap_or_default();
                let result = match end {
                    End::Text => Ok(testing::answer(&format!("{said}end"))),
                    End::Nothing => Ok(testing::answer(&said)),
                    End::Calls(calls) => {
                        let mut answer = testing::calls(calls);
                        answer.message.text = said.into();
                        Ok(answer)
                    }
                    End::Failure => Err(ModelError::passing(FailureKind::Overloaded, "overloaded")),
                };
                Input::ModelAnswered { work, result }
            }
            Act_::Judge { which } => {
                let which = which % self.judging.len().max(1);
                let call = self.judging.keys().nth(which).cloned()?;
                let (tool, input) = self.judging.remove(&call)?;
                Input::CallJudged {
                    call,
                    judged: judged(&tool, &input),
                }
            }
            Act_::ToolEnds { which, failed } => {
                let which = which % self.running.len().max(1);
                let call = self.running.keys().nth(which).cloned()?;
                self.running.remove(&call);
                let ran = Ran {
                    text: "r".into(),
                    failed: *failed,
                    ..Ran::default()
                };
                Input::ToolRan { call, ran }
            }
            Act_::ToolSays { which } => {
                let which = which % self.running.len().max(1);
                let call = self.running.keys().nth(which).cloned()?;
                let stream = greenroom_protocol::session::OutputStream::Stdout;
                Input::ToolSaid {
                    call,
                    pieces: vec![(stream, "o".into())],
                }
            }
            Act_::Checkpoint => Input::TimeCame(Timer::Checkpoint(self.work?)),
            Act_::LateReport => {
                let ran = Ran {
                    text: "late".into(),
                    ..Ran::default()
                };
                Input::ToolRan {
                    call: CallId::new("c0"),
                    ran,
                }
            }
            Act_::TurnFails => Input::TurnFailed {
                reason: "scripted".into(),
            },
            Act_::Crash => return None,
        })
    }

    fn check(&mut self, input_is_command: bool, effects: &[Effect]) -> Result<(), TestCaseError> {
        let answers = effects
            .iter()
            .filter(|it| matches!(it, Effect::Answer { .. }))
            .count();
        prop_assert_eq!(
            answers,
            usize::from(input_is_command),
            "one answer a command"
        );
        let refused = effects.iter().any(|it| {
            matches!(
                it,
                Effect::Answer {
                    outcome: Err(_),
                    ..
                }
            )
        });
        if refused {
            prop_assert_eq!(effects.len(), 1, "a refused command has no effect");
        }
        for effect in effects {
            match effect {
                Effect::Answer {
                    outcome: Ok(greenroom_protocol::session::Reply::Started(_)),
                    ..
                } => {
                    self.prompts_accepted += 1;
                }
                Effect::Answer {
                    outcome: Err(refusal),
                    ..
                } => {
                    prop_assert_ne!(refusal, &Refusal::Internal);
                }
                Effect::CallModel { work, request } => {
                    prop_assert!(self.turn.is_some(), "work is part of a turn");
                    prop_assert!(self.work.is_none(), "one model call at a time");
                    prop_assert!(self.due.is_empty(), "all calls have results");
                    check_request(&request.messages)?;
                    self.work = Some(*work);
                }
                Effect::Judge {
                    call, tool, input, ..
                } => {
                    self.judging
                        .insert(call.clone(), (tool.to_string(), input.0.to_string()));
                }
                Effect::RunTool { call, planned, .. } => {
                    prop_assert!(self.told.contains(call));
                    let reads = planned.category == greenroom_protocol::session::Category::Read;
                    let alone = self.running.values().all(|reads| *reads);
                    prop_assert!(
                        reads || self.running.is_empty(),
                        "changes run by themselves"
                    );
                    prop_assert!(!reads || alone, "reads wait for a change that runs");
                    self.running.insert(call.clone(), reads);
                }
                Effect::StopTurn => {
                    self.work = None;
                    self.judging.clear();
                    self.running.clear();
                }
                Effect::Tell(event) => self.told(event)?,
                Effect::Answer { .. }
                | Effect::StartTurn
                | Effect::SetTimer { .. }
                | Effect::Left { .. } => (),
            }
        }
        Ok(())
    }

    fn told(&mut self, event: &Arc<Event>) -> Result<(), TestCaseError> {
        prop_assert!(event.seq > self.last_seq, "numbers grow");
        self.last_seq = event.seq;
        if event.happening.is_durable() {
            self.journal.push((**event).clone());
        }
        let in_turn = self.turn.is_some();
        match &event.happening {
            Happening::TurnStarted { turn, .. } => {
                prop_assert!(!in_turn, "turns don't overlap");
                self.turn = Some(*turn);
            }
            Happening::TurnEnded { turn, .. } => {
                prop_assert_eq!(self.turn.take(), Some(*turn));
                prop_assert!(self.writing.is_none(), "no message is left open");
                prop_assert!(self.approvals.is_empty(), "no approval is left open");
                prop_assert!(self.questions.is_empty(), "no question is left open");
                prop_assert!(self.due.is_empty(), "every call has its result");
                self.turns_ended += 1;
            }
            Happening::MessageStarted { .. } => {
                prop_assert!(in_turn && self.writing.is_none());
                self.writing = Some(String::new());
            }
            Happening::TextAdded { text, .. } => {
                prop_assert!(self.writing.is_some(), "pieces belong to a message");
                self.writing.as_mut().unwrap().push_str(text);
            }
            Happening::MessageEnded { message, .. } => {
                let written = self.writing.take();
                prop_assert_eq!(written.as_deref(), Some(&*message.text));
                self.due
                    .extend(message.calls.iter().map(|call| call.id.clone()));
            }
            Happening::CallStarted(call) => {
                prop_assert!(self.due.contains(&call.id));
                prop_assert!(self.told.insert(call.id.clone()), "a call is told once");
            }
            Happening::ApprovalAsked(approval) => {
                prop_assert!(self.told.contains(&approval.call));
                prop_assert!(self.approvals.insert(approval.call.clone()));
            }
            Happening::ApprovalSettled(settled) => {
                prop_assert!(self.approvals.remove(&settled.call), "settled once");
            }
            Happening::QuestionAsked(ask) => {
                prop_assert!(self.questions.insert(ask.call.clone()));
            }
            Happening::QuestionSettled { call, .. } => {
                prop_assert!(self.questions.remove(call), "settled once");
            }
            Happening::CallEnded(result) => {
                prop_assert!(self.told.contains(&result.call), "told before its end");
                prop_assert!(self.ended.insert(result.call.clone()), "one result a call");
                prop_assert!(self.due.remove(&result.call));
                prop_assert!(!self.approvals.contains(&result.call));
                prop_assert!(!self.questions.contains(&result.call));
            }
            Happening::BatchEnded { .. } => prop_assert!(self.due.is_empty()),
            _ => (),
        }
        Ok(())
    }
}

/// What a provider would take: every call has its result right behind it, and
/// the conversation does not end with the model.
fn check_request(messages: &[Message]) -> Result<(), TestCaseError> {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { message, .. } => {
                prop_assert!(open.is_empty());
                prop_assert!(!message.is_blank());
                open = message.calls.iter().map(|call| call.id.clone()).collect();
            }
            Message::Results { results, .. } => {
                let results: Vec<CallId> = results.iter().map(|it| it.call.clone()).collect();
                prop_assert_eq!(&results, &open);
                open.clear();
            }
            Message::User { .. } => prop_assert!(open.is_empty()),
        }
    }
    prop_assert!(open.is_empty());
    let model_spoke_last = matches!(messages.last(), None | Some(Message::Assistant { .. }));
    prop_assert!(!model_spoke_last, "there is something to answer");
    Ok(())
}

fn judged(tool: &str, input: &str) -> Judged {
    match testing::plan(tool, &Document(input.into())) {
        Err(fault) => Judged::Fault(fault),
        Ok(planned) => {
            let act = Act {
                call: &planned,
                mode: Mode::Auto,
                root: Default::default(),
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

fn play(acts: &[Act_]) -> Result<(), TestCaseError> {
    let mut world = World::default();
    let (mut session, effects) = Session::open(testing::settings("S1"), Millis(1));
    world.check(false, &effects)?;
    for act in acts {
        if matches!(act, Act_::Crash) {
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

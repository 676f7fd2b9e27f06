//! What an act is to the session: the input, if the world allows it.

// Helpers of tests are tests too, which clippy cannot see in this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use greenroom_actors::ports::{Chunk, ModelError, Ran};
use greenroom_actors::session::{Input, Timer};
use greenroom_actors::testing;
use greenroom_protocol::session::{
    AgentOrder, Answer, CallId, Command, Content, Decision, ExportFormat, ExportRequest,
    FailureKind, Mode, OutputStream, Scope, SubscriberId, Ticket, Verdict,
};

use crate::acts::{End, Move};
use crate::judging::judged;
use crate::world::World;

impl World {
    pub fn asked(&mut self, command: Command) -> Input {
        self.tickets += 1;
        Input::Asked {
            by: SubscriberId(1),
            ticket: Ticket(self.tickets),
            command,
        }
    }

    pub fn input(&mut self, act: &Move) -> Option<Input> {
        let pick = |set: &BTreeSet<CallId>, which: usize| {
            set.iter().nth(which % set.len().max(1)).cloned()
        };
        Some(match act {
            Move::Prompt => self.asked(Command::Prompt(Content::text("do it"))),
            Move::Steer => self.asked(Command::Steer(Content::text("rather so"))),
            Move::FollowUp => self.asked(Command::FollowUp(Content::text("and then"))),
            Move::Abort => self.asked(Command::Abort),
            Move::Reset => self.asked(Command::Reset),
            Move::SetMode(full) => {
                let mode = if *full { Mode::Full } else { Mode::Auto };
                self.asked(Command::SetMode(mode))
            }
            Move::GetState => self.asked(Command::GetState),
            Move::Compact => self.asked(Command::Compact { focus: None }),
            Move::Fork(which) => {
                let from = which.map(|which| self.entry(which));
                self.asked(Command::Fork { from })
            }
            Move::Rewind(which) => {
                let to = self.entry(*which);
                self.asked(Command::Rewind { to })
            }
            Move::List => self.asked(Command::ListSessions { everywhere: false }),
            Move::Export => self.asked(Command::Export(ExportRequest {
                format: ExportFormat::Html,
                path: None,
                all_branches: true,
            })),
            Move::Returns { ok } => self.returns(*ok)?,
            Move::Decide {
                which,
                allow,
                session,
            } => {
                let open = &self.approvals | &self.agents.approvals();
                let call = pick(&open, *which)?;
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
            Move::DecideOnAnother => {
                let verdict = Verdict::Allow(Scope::Once);
                let decision = Decision {
                    verdict,
                    note: None,
                    amendment: None,
                };
                let call = CallId::new("none");
                self.asked(Command::Decide { call, decision })
            }
            Move::Reply { which } => {
                let call = pick(&self.questions, *which)?;
                let answers = vec![Answer {
                    question: None,
                    text: Some(if which % 2 == 0 { "go on" } else { "this" }.into()),
                }];
                self.asked(Command::Reply { call, answers })
            }
            Move::ModelSays => Input::ModelSaid {
                work: self.work?,
                chunks: vec![
                    Chunk::Thinking("hm".into()),
                    Chunk::Text("word ".into()),
                    Chunk::CallDrafted("shell".into()),
                ],
            },
            Move::ModelEnds(end) => {
                let work = self.work.take()?;
                let said = self.writing.clone().unwrap_or_default();
                let result = match end {
                    End::Calls(_) if self.compacting => Ok(testing::answer("")),
                    End::Text => Ok(testing::answer(&format!("{said}end"))),
                    End::Nothing => Ok(testing::answer(&said)),
                    End::Calls(calls) => {
                        let mut answer = testing::calls(calls);
                        answer.message.text = said.into();
                        Ok(answer)
                    }
                    End::TooLong => Err(ModelError::lasting(FailureKind::TooLong, "too long")),
                    End::Failure => Err(ModelError::passing(FailureKind::Overloaded, "overloaded")),
                };
                Input::ModelAnswered { work, result }
            }
            Move::Judge { which } => {
                let which = which % self.judging.len().max(1);
                let call = self.judging.keys().nth(which).cloned()?;
                let (tool, input) = self.judging.remove(&call)?;
                Input::CallJudged {
                    call,
                    judged: judged(&tool, &input),
                    warnings: Some(Vec::new()),
                }
            }
            Move::ToolEnds { which, failed } => {
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
            Move::ToolSays { which } => {
                let which = which % self.running.len().max(1);
                let call = self.running.keys().nth(which).cloned()?;
                let stream = OutputStream::Stdout;
                Input::ToolSaid {
                    call,
                    pieces: vec![(stream, "o".into())],
                }
            }
            Move::AgentSays { which, what } => self.agents.says(*which, *what)?,
            Move::AgentEnds { which, completed } => self.agents.ends(*which, *completed)?,
            Move::SteerAgent { which } => {
                let agent = self.agents.pick(*which)?;
                let order = AgentOrder::Steer(Content::text("rather so"));
                self.asked(Command::Agent { agent, order })
            }
            Move::InterruptAgent { which } => {
                let agent = self.agents.pick(*which)?;
                let order = AgentOrder::Interrupt;
                self.asked(Command::Agent { agent, order })
            }
            Move::Checkpoint => Input::TimeCame(Timer::Checkpoint(self.work?)),
            Move::LateReport => {
                let ran = Ran {
                    text: "late".into(),
                    ..Ran::default()
                };
                Input::ToolRan {
                    call: CallId::new("c0"),
                    ran,
                }
            }
            Move::TurnFails => Input::TurnFailed,
            Move::Crash => return None,
        })
    }
}

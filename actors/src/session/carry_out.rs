//! One arm an effect.

use greenroom_protocol::session::{Happening, SessionId};
use ractor::{ActorProcessingErr, ActorRef};

use super::actor::{SessionActor, State};
use super::clients::Held;
use super::input::Effect;
use super::messages::SessionMsg;
use super::turn_actors::TurnActors;
use crate::outbox::Out;
use crate::subagents::SubagentsMsg;
use crate::tools::ToolsMsg;

impl SessionActor {
    /// Carries effects out, in order, behind their records.
    pub(super) async fn carry_out(
        &self,
        myself: &ActorRef<SessionMsg>,
        state: &mut State,
        effects: Vec<Effect>,
    ) -> Result<(), ActorProcessingErr> {
        self.record(myself, state, &effects)?;
        for effect in effects {
            match effect {
                Effect::Tell(event) => {
                    log(&state.settings.id, &event.happening);
                    state.pass(Held::Event(event));
                }
                Effect::Answer {
                    to,
                    ticket,
                    outcome,
                    at,
                } => state.pass(Held::To(
                    to,
                    Out::Answered {
                        ticket,
                        outcome,
                        at,
                    },
                )),
                Effect::Left { client } => state.pass(Held::To(client, Out::Left)),
                Effect::StartTurn => {
                    let turn = TurnActors::start(&self.ports, &state.settings, myself).await?;
                    state.turn = Some(turn);
                }
                Effect::CallModel { work, request } => {
                    if let Some(turn) = &state.turn {
                        turn.call_model(work, request);
                    }
                }
                Effect::Judge {
                    call,
                    tool,
                    input,
                    mode,
                } => {
                    if let Some(turn) = &state.turn {
                        turn.judge(call, tool, input, mode);
                    }
                }
                Effect::RunTool {
                    call,
                    planned,
                    amendment,
                    mode,
                } => {
                    if let Some(turn) = &state.turn {
                        let run = ToolsMsg::Run {
                            call,
                            planned,
                            amendment,
                            mode,
                        };
                        let tools = turn.tools();
                        state.pass(Held::Run(tools, run));
                    }
                }
                Effect::StartAgent {
                    agent,
                    settings,
                    prompt,
                    unattended,
                } => {
                    self.need_pool(myself, state).await?;
                    state.tell_pool(SubagentsMsg::Start {
                        agent,
                        settings,
                        prompt,
                        unattended,
                    });
                }
                Effect::TellAgent { agent, command } => {
                    state.tell_pool(SubagentsMsg::Tell { agent, command });
                }
                Effect::LeaveAgents => state.tell_pool(SubagentsMsg::Unattended),
                Effect::StopAgent { agent } => state.tell_pool(SubagentsMsg::Stop { agent }),
                Effect::ReadMessages {
                    by,
                    ticket,
                    session,
                    limit,
                } => self.read_messages(myself, state, (by, ticket), session, limit),
                Effect::StopTurn => {
                    state.timers.abort_all();
                    if let Some(turn) = state.turn.take() {
                        turn.stop();
                    }
                }
                Effect::SetTimer { timer, after } => {
                    while state.timers.try_join_next().is_some() {}
                    let session = myself.clone();
                    state.timers.spawn(async move {
                        tokio::time::sleep(after).await;
                        let _ = session.cast(SessionMsg::Timer(timer));
                    });
                }
                Effect::ReadTree => self.read_tree(myself, state),
                Effect::RecordFork { session, effects } => {
                    self.record_fork(myself, state, session, effects);
                }
                Effect::HandOver { client, ticket } => self.hand_over(state, client, ticket),
                Effect::List { by, ticket, root } => self.list(myself, state, by, ticket, root),
                Effect::AskTitle(request) => self.ask_title(myself, state, *request),
                Effect::Export {
                    by,
                    ticket,
                    request,
                } => self.export(myself, state, by, ticket, request),
            }
        }
        Ok(())
    }
}

/// What operators see of a session: its course, and none of its content.
fn log(session: &SessionId, happening: &Happening) {
    match happening {
        Happening::Opened { .. } => tracing::info!(%session, "session opened"),
        Happening::Resumed => tracing::info!(%session, "session resumed"),
        Happening::TurnStarted { turn, mode, model } => {
            let (provider, mode) = (&*model.provider, mode.name());
            tracing::info!(%session, %turn, provider, mode, "turn started");
        }
        Happening::CallRunning { call, tool } => {
            tracing::debug!(%session, %call, tool = &**tool, "call running");
        }
        Happening::CallEnded(result) => {
            let (call, end, ms) = (&result.call, result.end, result.duration_ms);
            tracing::debug!(%session, %call, ?end, ms, "call ended");
        }
        Happening::Retrying {
            attempt, failure, ..
        } => tracing::warn!(%session, attempt, kind = ?failure.kind, "model call is tried again"),
        Happening::TurnEnded {
            turn,
            outcome,
            steps,
            duration_ms,
            ..
        } => tracing::info!(%session, %turn, ?outcome, steps, ms = duration_ms, "turn ended"),
        _ => (),
    }
}

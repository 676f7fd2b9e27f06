//! How each command is admitted, answered and obeyed. The answer comes first
//! among a command's effects, except where a wire needs the end of what was
//! stopped before it (reset).

use greenroom_protocol::session::{
    AbortedBy, Command, Content, Happening, Outcome, Refusal, Reply, Source, SubscriberId, Ticket,
};

use super::input::Effect;
use super::machine::Session;
use super::titling::first_words;
use super::work::Work;
use crate::turn::Turn;

impl Session {
    pub(super) fn asked(&mut self, by: SubscriberId, ticket: Ticket, command: Command) {
        let answer = |session: &mut Session, outcome| session.core.answer(by, ticket, outcome);
        if let Err(refusal) = self.admits(&command) {
            return answer(self, Err(refusal));
        }
        match command {
            Command::Prompt(content) => {
                let turn = self.core.next_turn();
                answer(self, Ok(Reply::Started(turn)));
                self.prompt(turn, content);
            }
            Command::Steer(content) => {
                answer(self, Ok(Reply::Queued));
                self.core.wait(content, Source::Steer);
                if let Some(turn) = &mut self.turn {
                    let progress = turn.steered(&mut self.core);
                    self.went_on(progress);
                }
            }
            Command::FollowUp(content) => {
                answer(self, Ok(Reply::Queued));
                self.core.wait(content, Source::FollowUp);
            }
            Command::Abort => {
                answer(self, Ok(Reply::Done));
                self.core.drop_queue();
                self.end_turn_now(Outcome::Aborted(AbortedBy::Client));
                self.stop_all_agents(AbortedBy::Client);
                self.abort_compaction();
            }
            Command::Decide { call, decision } => {
                answer(self, Ok(Reply::Done));
                if let Some(agent) = self.core.approvals.asker(&call).cloned() {
                    let decide = Command::Decide {
                        call: call.clone(),
                        decision,
                    };
                    return self.core.answer_agent(agent, &call, decide);
                }
                if let Some(turn) = &mut self.turn {
                    let progress = turn.decided(&mut self.core, &call, decision);
                    self.went_on(progress);
                }
            }
            Command::Reply { call, answers } => {
                answer(self, Ok(Reply::Done));
                if let Some(agent) = self.core.approvals.asker(&call).cloned() {
                    let reply = Command::Reply {
                        call: call.clone(),
                        answers,
                    };
                    return self.core.answer_agent(agent, &call, reply);
                }
                if let Some(turn) = &mut self.turn {
                    let progress = turn.answered(&mut self.core, &call, &answers);
                    self.went_on(progress);
                }
            }
            Command::SetMode(mode) => {
                answer(self, Ok(Reply::Done));
                if self.core.mode != mode {
                    self.core.mode = mode.clone();
                    self.core.tell(Happening::ModeChanged { mode });
                }
            }
            Command::SetModel(change) => {
                answer(self, Ok(Reply::Done));
                let model = self.core.model.changed(change);
                if self.core.model != model {
                    self.core.model = model.clone();
                    self.core.tell(Happening::ModelChanged { model });
                }
            }
            Command::GetState => {
                let state = Box::new(self.state());
                answer(self, Ok(Reply::State(state)));
            }
            Command::GetMessages { limit } => {
                let all = &self.core.conversation;
                let skipped = limit.map_or(0, |limit| all.len().saturating_sub(limit));
                let messages = all[skipped..].to_vec();
                answer(self, Ok(Reply::Messages(messages)));
            }
            Command::Reset => {
                self.core.drop_queue();
                self.end_turn_now(Outcome::Aborted(AbortedBy::Reset));
                self.stop_all_agents(AbortedBy::Reset);
                self.abort_compaction();
                self.reset();
                let id = self.core.settings.id.clone();
                answer(self, Ok(Reply::Reset(id)));
            }
            Command::Revoke { grant } => {
                let revoked = self.core.approvals.revoke(&grant);
                answer(self, revoked.map(|()| Reply::Done));
            }
            Command::Agent { agent, order } => self.order_agent((by, ticket), agent, order),
            Command::Compact { focus } => self.compact(by, ticket, focus.as_ref()),
            Command::Fork { from } => self.fork(by, ticket, from),
            Command::Rewind { to } => self.rewind(by, ticket, to),
            Command::ListSessions { everywhere } => self.list(by, ticket, everywhere),
            Command::Export(request) => self.export(by, ticket, request),
        }
    }

    /// Why a command is not obeyed. Changes nothing.
    fn admits(&self, command: &Command) -> Result<(), Refusal> {
        match command {
            Command::Prompt(content) => {
                self.storage_allows()?;
                not_empty(content)?;
                self.is_free()
            }
            Command::Steer(content) | Command::FollowUp(content) => {
                self.storage_allows()?;
                not_empty(content)?;
                self.has_room_for(content)
            }
            Command::Decide { call, .. } => self.core.approvals.check_decision(call),
            Command::Reply { call, answers } => self.core.approvals.check_answers(call, answers),
            Command::SetMode(mode) => {
                self.storage_allows()?;
                let modes = &self.core.settings.modes;
                match modes.knows(mode) {
                    true => Ok(()),
                    false => Err(Refusal::UnknownMode {
                        name: mode.name().into(),
                        known: modes.names(),
                    }),
                }
            }
            Command::Reset => {
                self.storage_allows()?;
                match self.work {
                    Some(Work::Move(_)) => self.is_free(),
                    _ => Ok(()),
                }
            }
            Command::SetModel(change) => {
                self.storage_allows()?;
                let model = self.core.model.changed(change.clone());
                match (self.core.settings.facts)(&model) {
                    Some(_) => Ok(()),
                    None => Err(Refusal::UnknownProvider {
                        name: model.provider,
                        known: self.core.settings.providers.clone(),
                    }),
                }
            }
            Command::Agent { agent, order } => self.admits_order(agent, order),
            Command::Compact { .. } => {
                self.storage_allows()?;
                self.is_free()?;
                self.can_compact()
            }
            Command::Fork { .. } | Command::Rewind { .. } => {
                self.storage_allows()?;
                self.is_free()
            }
            Command::Abort
            | Command::GetState
            | Command::GetMessages { .. }
            | Command::ListSessions { .. }
            | Command::Export(_)
            | Command::Revoke { .. } => Ok(()),
        }
    }

    fn has_room_for(&self, content: &Content) -> Result<(), Refusal> {
        let limits = &self.core.settings.limits;
        let weight = self.core.queue.weight() + content.weight();
        if self.core.queue.len() >= limits.queued || weight > limits.queued_bytes {
            return Err(Refusal::QueueFull {
                messages: limits.queued,
                megabytes: limits.queued_bytes >> 20,
            });
        }
        Ok(())
    }

    fn prompt(&mut self, id: greenroom_protocol::session::TurnId, content: Content) {
        self.core.out.push(Effect::StartTurn);
        let title = match self.core.title.is_empty() {
            true => first_words(&content),
            false => None,
        };
        if title.is_some() {
            self.ask_for_title(&content);
        }
        let mut turn = Turn::new(&self.core, id);
        let progress = turn.start(&mut self.core, content, title);
        self.turn = Some(turn);
        self.went_on(progress);
    }

    fn reset(&mut self) {
        self.core.conversation = Default::default();
        // What was found out for the old one is nothing to the new one.
        drop(self.core.queue.take_results());
        self.core.plan.clear();
        self.core.context = 0;
        self.core.tell(Happening::ConversationReset);
    }
}

pub(super) fn not_empty(content: &Content) -> Result<(), Refusal> {
    match content.is_empty() {
        true => Err(Refusal::NothingToSend),
        false => Ok(()),
    }
}

//! Messages that wait for their place in the conversation.

use std::collections::VecDeque;

use greenroom_protocol::session::{Content, QueueSizes, Source};

/// Steers wait for the next tool boundary, follow-ups for the end of the turn.
/// Each ends exactly once: delivered, or dropped with all others.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Queue {
    steers: VecDeque<Content>,
    follow_ups: VecDeque<Content>,
    /// What came of work in the background. Nobody sent it, so it is not
    /// counted, and an abort does not drop it.
    results: VecDeque<Content>,
}

impl Queue {
    pub fn push_steer(&mut self, content: Content) {
        self.steers.push_back(content);
    }

    pub fn push_follow_up(&mut self, content: Content) {
        self.follow_ups.push_back(content);
    }

    pub fn push_result(&mut self, content: Content) {
        self.results.push_back(content);
    }

    /// All results, oldest first: they are delivered together.
    pub fn take_results(&mut self) -> VecDeque<Content> {
        std::mem::take(&mut self.results)
    }

    /// The oldest result is delivered: for rebuilding from the journal.
    pub fn forget_result(&mut self) {
        self.results.pop_front();
    }

    pub fn has_results(&self) -> bool {
        !self.results.is_empty()
    }

    pub fn has_steers(&self) -> bool {
        !self.steers.is_empty()
    }

    /// All steers, oldest first: they are delivered together.
    pub fn take_steers(&mut self) -> VecDeque<Content> {
        std::mem::take(&mut self.steers)
    }

    /// The oldest follow-up: they are delivered one by one.
    pub fn take_follow_up(&mut self) -> Option<Content> {
        self.follow_ups.pop_front()
    }

    /// The oldest of that kind is delivered: for rebuilding from the journal.
    pub fn forget_steer(&mut self) {
        self.steers.pop_front();
    }

    /// Drops everything. False when nothing was there.
    pub fn clear(&mut self) -> bool {
        let was = self.len() > 0;
        self.steers.clear();
        self.follow_ups.clear();
        was
    }

    pub fn len(&self) -> usize {
        self.steers.len() + self.follow_ups.len()
    }

    /// All that waits, steers first.
    pub fn waiting(&self) -> impl Iterator<Item = (Content, Source)> {
        let steers = self.steers.iter().map(|it| (it.clone(), Source::Steer));
        let follow_ups = self.follow_ups.iter();
        steers.chain(follow_ups.map(|it| (it.clone(), Source::FollowUp)))
    }

    /// How many bytes wait, about.
    pub fn weight(&self) -> usize {
        let all = self.steers.iter().chain(&self.follow_ups);
        all.map(Content::weight).sum()
    }

    pub fn sizes(&self) -> QueueSizes {
        QueueSizes {
            steers: self.steers.len(),
            follow_ups: self.follow_ups.len(),
        }
    }
}

//! What a turn and a session may use, and what they have used of it.

use greenroom_protocol::session::{Cost, Happening, LimitKind, ModelChoice, Text, Usage};

use super::core::Core;
use crate::ports::Prices;

/// What was used before the turn, and what was granted beyond the limits.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// The session's usage when the turn began.
    began: Usage,
    turn: Raised,
    session: Raised,
    /// The last answer's length, for a guess at the next one's.
    last_output: u64,
    /// The model of which people were told that its price is not known.
    unpriced: Option<Text>,
}

/// How much more than its limit something may use.
#[derive(Debug, Default)]
struct Raised {
    steps: u32,
    tokens: u64,
    cost: Cost,
}

impl Core {
    /// A turn begins: what it uses is counted from here.
    pub fn begin_budget(&mut self) {
        self.budget.began = self.usage;
        self.budget.turn = Raised::default();
    }

    /// What the turn has used, its sub-agents and summaries included.
    pub fn used_in_turn(&self) -> Usage {
        self.usage.since(self.budget.began)
    }

    /// A model call was answered with so many tokens.
    pub fn note_output(&mut self, tokens: u64) {
        self.budget.last_output = tokens;
    }

    /// The limit that forbids the turn's next model call, if one is met, or would
    /// be by it.
    pub fn limit_met(&self, steps: u32, model: &ModelChoice) -> Option<LimitKind> {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        if steps >= limits.steps.saturating_add(turn.steps) {
            return Some(LimitKind::Steps);
        }
        let used = self.used_in_turn();
        let tokens_met = |most: Option<u64>, raised: u64, used: Usage| {
            most.is_some_and(|most| used.context() >= most.saturating_add(raised))
        };
        if tokens_met(limits.turn_tokens, turn.tokens, used) {
            return Some(LimitKind::Tokens);
        }
        if tokens_met(limits.session_tokens, session.tokens, self.usage) {
            return Some(LimitKind::SessionTokens);
        }
        if limits.turn_cost.is_none() && limits.session_cost.is_none() {
            return None;
        }
        let next = self.next_cost(model).unwrap_or_default();
        let cost_met = |most: Option<Cost>, raised: Cost, used: Usage| {
            most.is_some_and(|most| {
                let most = most.0.saturating_add(raised.0);
                used.cost.0 >= most || used.cost.0.saturating_add(next.0) > most
            })
        };
        if cost_met(limits.turn_cost, turn.cost, used) {
            return Some(LimitKind::Cost);
        }
        if cost_met(limits.session_cost, session.cost, self.usage) {
            return Some(LimitKind::SessionCost);
        }
        None
    }

    /// What the next model call costs, about; nothing when its price is not known.
    pub fn next_cost(&self, model: &ModelChoice) -> Option<Cost> {
        let prices = (self.settings.facts)(model)?.prices?;
        let Prices {
            input,
            output,
            cached,
        } = prices;
        let all = self.context_now();
        // A provider that caches at all has what it read before.
        let known = match self.usage.cache_read.max(self.usage.cache_write) {
            0 => 0,
            _ => self.context.min(all),
        };
        let parts = [
            (known, cached),
            (all - known, input),
            (self.budget.last_output, output),
        ];
        let sum: u128 = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens) * u128::from(*price))
            .sum();
        Some(Cost(
            u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX),
        ))
    }

    /// A limit on money can't be kept where no price is known: people are told
    /// so, once a model.
    pub fn tell_unknown_price(&mut self, model: &ModelChoice) {
        let limits = &self.settings.limits;
        if limits.turn_cost.is_none() && limits.session_cost.is_none() {
            return;
        }
        let facts = (self.settings.facts)(model);
        let is_known = facts.as_ref().is_none_or(|facts| facts.prices.is_some());
        let id = facts.map(|facts| facts.id);
        if is_known || self.budget.unpriced == id {
            return;
        }
        let text = format!(
            "the price of model {:?} is not known, so the limit on money can't be kept: what it \
             costs is not counted; set a limit on tokens, or its price in models.yaml",
            id.as_deref().unwrap_or_default()
        );
        self.budget.unpriced = id;
        self.tell(Happening::Noticed { text: text.into() });
    }

    /// A limit is raised by as much as it was; where more than that was used
    /// already, so that as much is left from here on.
    pub fn raise(&mut self, limit: LimitKind) {
        let (in_turn, in_all) = (self.used_in_turn(), self.usage);
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &mut self.budget;
        let tokens = |raised: &mut u64, limit: Option<u64>, used: Usage| {
            let more = raised.saturating_add(limit.unwrap_or_default());
            *raised = more.max(used.context());
        };
        let cost = |raised: &mut Cost, limit: Option<Cost>, used: Usage| {
            let more = raised.0.saturating_add(limit.unwrap_or_default().0);
            raised.0 = more.max(used.cost.0);
        };
        match limit {
            LimitKind::Steps => turn.steps = turn.steps.saturating_add(limits.steps),
            LimitKind::Tokens => tokens(&mut turn.tokens, limits.turn_tokens, in_turn),
            LimitKind::SessionTokens => {
                tokens(&mut session.tokens, limits.session_tokens, in_all);
            }
            LimitKind::Cost => cost(&mut turn.cost, limits.turn_cost, in_turn),
            LimitKind::SessionCost => cost(&mut session.cost, limits.session_cost, in_all),
            LimitKind::AnswerLength | LimitKind::Time => (),
        }
    }

    /// The limit on money or tokens that was passed already: what works beside
    /// the turn is stopped, too.
    pub fn overspent(&self) -> Option<LimitKind> {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        let (in_turn, in_all) = (self.used_in_turn(), self.usage);
        let tokens = |most: Option<u64>, raised: u64, used: Usage| {
            most.is_some_and(|most| used.context() >= most.saturating_add(raised))
        };
        let cost = |most: Option<Cost>, raised: Cost, used: Usage| {
            most.is_some_and(|most| used.cost.0 >= most.0.saturating_add(raised.0))
        };
        let passed = [
            (LimitKind::Cost, cost(limits.turn_cost, turn.cost, in_turn)),
            (
                LimitKind::SessionCost,
                cost(limits.session_cost, session.cost, in_all),
            ),
            (
                LimitKind::Tokens,
                tokens(limits.turn_tokens, turn.tokens, in_turn),
            ),
            (
                LimitKind::SessionTokens,
                tokens(limits.session_tokens, session.tokens, in_all),
            ),
        ];
        let mut passed = passed.into_iter();
        passed
            .find(|(_, is_passed)| *is_passed)
            .map(|(limit, _)| limit)
    }

    /// What is left of tokens and money, of the turn or of the session, whichever
    /// is less, for a sub-agent.
    pub fn left(&self) -> (Option<u64>, Option<Cost>) {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        let (in_turn, in_all) = (self.used_in_turn(), self.usage);
        let tokens = |most: Option<u64>, raised: u64, used: Usage| {
            most.map(|most| most.saturating_add(raised).saturating_sub(used.context()))
        };
        let cost = |most: Option<Cost>, raised: Cost, used: Usage| {
            let left = |most: Cost| most.0.saturating_add(raised.0).saturating_sub(used.cost.0);
            most.map(|most| Cost(left(most)))
        };
        let tokens = [
            tokens(limits.turn_tokens, turn.tokens, in_turn),
            tokens(limits.session_tokens, session.tokens, in_all),
        ];
        let costs = [
            cost(limits.turn_cost, turn.cost, in_turn),
            cost(limits.session_cost, session.cost, in_all),
        ];
        (
            tokens.into_iter().flatten().min(),
            costs.into_iter().flatten().min(),
        )
    }

    /// What was used of a limit and the limit itself, in words for people.
    pub fn used_of(&self, limit: LimitKind, steps: u32) -> String {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        let dollars = |cost: Cost| format!("${:.2}", cost.dollars());
        let of = |used: String, most: String| format!("{used} of {most}");
        let cost = |used: Usage, most: Option<Cost>, raised: Cost| {
            let most = Cost(most.unwrap_or_default().0.saturating_add(raised.0));
            of(dollars(used.cost), dollars(most))
        };
        let tokens = |used: Usage, most: Option<u64>, raised: u64| {
            let most = most.unwrap_or_default().saturating_add(raised);
            of(format!("{}", used.context()), format!("{most} tokens"))
        };
        match limit {
            LimitKind::Steps => {
                let most = limits.steps.saturating_add(turn.steps);
                of(format!("{steps}"), format!("{most} steps"))
            }
            LimitKind::Tokens => tokens(self.used_in_turn(), limits.turn_tokens, turn.tokens),
            LimitKind::SessionTokens => tokens(self.usage, limits.session_tokens, session.tokens),
            LimitKind::Cost => cost(self.used_in_turn(), limits.turn_cost, turn.cost),
            LimitKind::SessionCost => cost(self.usage, limits.session_cost, session.cost),
            LimitKind::AnswerLength | LimitKind::Time => "all".to_owned(),
        }
    }
}

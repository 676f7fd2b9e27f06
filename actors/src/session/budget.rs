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
        let most_steps = self.settings.limits.steps;
        if steps >= most_steps.saturating_add(self.budget.turn.steps) {
            return Some(LimitKind::Steps);
        }
        let mut tokens = self.token_caps().into_iter().flatten();
        if let Some(met) = tokens.find(Cap::is_met) {
            return Some(met.limit);
        }
        let mut costs = self.cost_caps().into_iter().flatten().peekable();
        // The guess is made only where there is a limit on money.
        costs.peek()?;
        let next = self.next_cost(model).unwrap_or_default().0;
        let met = costs.find(|cap| cap.is_met() || cap.used.saturating_add(next) > cap.most);
        met.map(|cap| cap.limit)
    }

    /// The limits on tokens that there are, of the turn and of the session.
    fn token_caps(&self) -> [Option<Cap>; 2] {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        let cap = |limit, most: Option<u64>, raised: u64, used: Usage| {
            Cap::new(limit, most, raised, used.context())
        };
        let in_turn = self.used_in_turn();
        [
            cap(LimitKind::Tokens, limits.turn_tokens, turn.tokens, in_turn),
            cap(
                LimitKind::SessionTokens,
                limits.session_tokens,
                session.tokens,
                self.usage,
            ),
        ]
    }

    /// The limits on money that there are, of the turn and of the session.
    fn cost_caps(&self) -> [Option<Cap>; 2] {
        let limits = &self.settings.limits;
        let Budget { turn, session, .. } = &self.budget;
        let cap = |limit, most: Option<Cost>, raised: Cost, used: Usage| {
            Cap::new(limit, most.map(|most| most.0), raised.0, used.cost.0)
        };
        let in_turn = self.used_in_turn();
        [
            cap(LimitKind::Cost, limits.turn_cost, turn.cost, in_turn),
            cap(
                LimitKind::SessionCost,
                limits.session_cost,
                session.cost,
                self.usage,
            ),
        ]
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
        let caps = self.cost_caps().into_iter().chain(self.token_caps());
        caps.flatten().find(Cap::is_met).map(|cap| cap.limit)
    }

    /// What is left of tokens and money, of the turn or of the session, whichever
    /// is less, for a sub-agent.
    pub fn left(&self) -> (Option<u64>, Option<Cost>) {
        let least = |caps: [Option<Cap>; 2]| caps.into_iter().flatten().map(|cap| cap.left()).min();
        (least(self.token_caps()), least(self.cost_caps()).map(Cost))
    }

    /// What was used of a limit and the limit itself, in words for people.
    pub fn used_of(&self, limit: LimitKind, steps: u32) -> String {
        let dollars = |cost: u64| format!("${:.2}", Cost(cost).dollars());
        let words = |cap: &Cap| match cap.limit {
            LimitKind::Cost | LimitKind::SessionCost => {
                format!("{} of {}", dollars(cap.used), dollars(cap.most))
            }
            _ => format!("{} of {} tokens", cap.used, cap.most),
        };
        if limit == LimitKind::Steps {
            let most = self.settings.limits.steps;
            let most = most.saturating_add(self.budget.turn.steps);
            return format!("{steps} of {most} steps");
        }
        let caps = self.token_caps().into_iter().chain(self.cost_caps());
        let mut met = caps.flatten().filter(|cap| cap.limit == limit);
        met.next()
            .map_or_else(|| "all".to_owned(), |cap| words(&cap))
    }
}

/// A limit on tokens or money as it stands: what was granted beyond it is in it.
struct Cap {
    limit: LimitKind,
    used: u64,
    most: u64,
}

impl Cap {
    fn new(limit: LimitKind, most: Option<u64>, raised: u64, used: u64) -> Option<Cap> {
        let most = most?.saturating_add(raised);
        Some(Cap { limit, used, most })
    }

    fn is_met(&self) -> bool {
        self.used >= self.most
    }

    fn left(&self) -> u64 {
        self.most.saturating_sub(self.used)
    }
}

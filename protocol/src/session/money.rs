//! Tokens and what they cost.

/// US dollars in millionths, rounded up per model call, so that sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(pub u64);

impl Cost {
    /// As dollars, for a wire that writes a number.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// What one model call used, or a sum of such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens read that no cache held.
    pub input: u64,
    /// Tokens written, thinking included.
    pub output: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// What is known of the cost.
    pub cost: Cost,
    /// True when a part of it has no known price: then `cost` is too low, and
    /// must be told as such.
    pub cost_unknown: bool,
}

impl Usage {
    /// Tokens that the model had in front of it, the answer included: about
    /// what the next call sends.
    pub fn context(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write)
            .saturating_add(self.output)
    }

    /// What came to it since an earlier sum.
    pub fn since(self, earlier: Usage) -> Usage {
        Usage {
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cache_read: self.cache_read.saturating_sub(earlier.cache_read),
            cache_write: self.cache_write.saturating_sub(earlier.cache_write),
            cost: Cost(self.cost.0.saturating_sub(earlier.cost.0)),
            cost_unknown: self.cost_unknown,
        }
    }

    /// The sum of both.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cost: Cost(self.cost.0.saturating_add(other.cost.0)),
            cost_unknown: self.cost_unknown || other.cost_unknown,
        }
    }
}

//! One measured number.

/// A number, with the bar that it should meet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// For programs; never changes its meaning.
    pub name: &'static str,
    /// For people.
    pub what: String,
    /// In `unit`.
    pub value: f64,
    /// `ms`, `µs`, `MB`, `/s`, `x` or what is counted.
    pub unit: &'static str,
    /// What to reach, where something is to be reached.
    pub bar: Option<Bar>,
    /// How many runs it was taken from.
    pub runs: usize,
    /// How it was measured, where that is not plain; may be empty.
    pub note: String,
}

/// What a figure should reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bar {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

impl Figure {
    /// A figure without a bar and a note, of one run.
    pub fn new(
        name: &'static str,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
    ) -> Figure {
        Figure {
            name,
            what: what.into(),
            value,
            unit,
            bar: None,
            runs: 1,
            note: String::new(),
        }
    }

    pub fn at_most(self, bar: f64) -> Figure {
        let bar = Some(Bar::AtMost(bar));
        Figure { bar, ..self }
    }

    pub fn at_least(self, bar: f64) -> Figure {
        let bar = Some(Bar::AtLeast(bar));
        Figure { bar, ..self }
    }

    pub fn runs(self, runs: usize) -> Figure {
        Figure { runs, ..self }
    }

    pub fn note(self, note: impl Into<String>) -> Figure {
        let note = note.into();
        Figure { note, ..self }
    }

    /// Whether the bar is met; nothing without one.
    pub fn met(&self) -> Option<bool> {
        self.bar.map(|bar| match bar {
            Bar::AtMost(most) => self.value <= most,
            Bar::AtLeast(least) => self.value >= least,
        })
    }
}

impl Bar {
    /// The number.
    pub fn number(self) -> f64 {
        match self {
            Bar::AtMost(number) | Bar::AtLeast(number) => number,
        }
    }

    /// `at_most` or `at_least`.
    pub fn kind(self) -> &'static str {
        match self {
            Bar::AtMost(_) => "at_most",
            Bar::AtLeast(_) => "at_least",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_met_when_it_is_reached() {
        let figure = Figure::new("a", "a", 5.0, "ms");
        assert_eq!(figure.met(), None);
        assert_eq!(figure.clone().at_most(5.0).met(), Some(true));
        assert_eq!(figure.clone().at_most(4.9).met(), Some(false));
        assert_eq!(figure.clone().at_least(5.0).met(), Some(true));
        assert_eq!(figure.at_least(5.1).met(), Some(false));
    }
}

//! `models`: which models there are.

use clap::Args;

use super::options::CommonOptions;

const EXAMPLES: &str = "\
Examples:
  greenroom models                             what is known, without a call
  greenroom models --provider anthropic --live
  greenroom models --live --json

Exit codes: 0 shown; 1 a provider gave no list; 2 the command line cannot work.";

/// `greenroom models`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsOptions {
    /// Of this provider alone.
    pub provider: Option<String>,
    /// The providers themselves are asked.
    pub live: bool,
    /// For programs.
    pub json: bool,
    /// Flags that every command has.
    pub common: CommonOptions,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ModelsFlags {
    /// Only of this provider, by its name in the configuration.
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Ask the providers, without cost, instead of the built-in list.
    #[arg(long)]
    live: bool,
    /// Print one JSON object, for programs.
    #[arg(long)]
    json: bool,
}

impl ModelsFlags {
    pub(super) fn options(self, common: CommonOptions) -> ModelsOptions {
        ModelsOptions {
            provider: self.provider,
            live: self.live,
            json: self.json,
            common,
        }
    }
}

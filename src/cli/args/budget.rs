//! The arguments about the length of an output for a model or for a person in a hurry.

use clap::Args;

use super::OUTPUT;
use plansift_report::markdown::FIT_MIN;

/// The number of bytes of a token, as a rule of thumb.
const TOKEN: u64 = 4;

/// A limit on the length of an output.
#[derive(Debug, Args)]
pub struct BudgetArgs {
    /// Limit the compact report or the JSON summary to N bytes, from 2000. The most severe changes
    /// stay, and the end says what is left out and how to ask for it
    #[arg(help_heading = OUTPUT, long, value_name = "N", value_parser = bytes)]
    max_bytes: Option<u64>,
    /// Like --max-bytes, in tokens of a language model, from 500. As a rule of thumb, a token is 4
    /// bytes of such text, so N tokens are 4 N bytes
    #[arg(help_heading = OUTPUT, long, value_name = "N", value_parser = tokens,
          conflicts_with = "max_bytes")]
    max_tokens: Option<u64>,
}

impl BudgetArgs {
    /// Returns the limit in bytes. `None` if the output has no limit.
    pub fn bytes(&self) -> Option<u64> {
        self.max_bytes.or(self.max_tokens.map(|tokens| tokens.saturating_mul(TOKEN)))
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    from(text, FIT_MIN)
}

fn tokens(text: &str) -> Result<u64, String> {
    from(text, FIT_MIN / TOKEN)
}

fn from(text: &str, min: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number >= min);
    number.ok_or_else(|| format!("expected a number from {min}"))
}

//! Finds the secrets of a plan or a state: where overlays mark them, and where they occur again.
//!
//! A *text* is a decoded string, or a number as it is spelled. An *echo* is an unmarked text that
//! equals a secret.
//!
//! ```text
//! marked paths ─▶ [`Secrets`]  digests
//!              ─▶ [`constants`]  marked constants of the configuration
//! bytes ─▶ [`echo`]  strings that equal a secret, wherever they occur
//!       ─▶ [`strings`]  strings that may be documents ─▶ [`copies`]  secrets inside documents
//! ```

mod automaton;
mod base64;
mod collect;
pub(crate) mod constants;
pub(crate) mod contained;
pub(crate) mod copies;
pub(crate) mod digest;
pub(crate) mod echo;
mod escapes;
pub(crate) mod first_pass_index;
mod grams;
pub mod items;
mod meaning;
mod names;
pub(crate) mod piece_secrets;
pub(crate) mod range_secrets;
pub(crate) mod relevant;
mod search;
mod set;
pub(crate) mod strings;
mod texts;
pub(crate) mod trail;
pub(crate) mod words;
pub(crate) mod words_of_names;

pub use collect::{Collected, Collecting, FreshSecrets, OnFreshSecrets, collect};
pub use names::Names;
pub use set::Secrets;
pub(crate) use texts::spells_attribute_name;

use std::sync::Arc;

use plansift_core::limits::Limits;
pub use plansift_plan::marks::{Marks, SecretNames};
use plansift_plan::plan;

/// The default of [`SecretOptions::echo_min`]. Shorter texts occur by chance.
pub const ECHO_MIN: usize = 8;

/// How secrets are recognised.
#[derive(Clone, Debug)]
pub struct SecretOptions {
    /// How to read the document.
    pub read: plan::PlanOptions,
    /// Minimum length in bytes of a text whose echoes are searched for.
    pub echo_min: usize,
    /// Which texts count as echoes.
    pub echo: EchoOf,
    /// Keys whose values are secret even without a mark.
    pub names: Option<Names>,
}

impl SecretOptions {
    /// The options for a reader that repeats what it reads, such as a language model. Values are
    /// also secret if their names look secret, or match a pattern of the user. A text is an echo if
    /// it contains a secret, encoded or not.
    pub fn for_agent(read: plan::PlanOptions, also: Option<Names>) -> SecretOptions {
        let names = Some(also.unwrap_or_default().or_look_secret());
        SecretOptions { read, echo_min: ECHO_MIN, echo: EchoOf::Encoded, names }
    }

    /// Creates a finder of marks that also marks the values of keys with secret names.
    pub fn marks(&self, limits: &Limits) -> Marks {
        let names = self.names.clone();
        Marks::new(names.map(|names| Arc::new(names) as Arc<dyn SecretNames>), limits)
    }
}

/// Which texts count as echoes of a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EchoOf {
    /// Texts that equal the secret.
    #[default]
    Whole,
    /// Also texts that contain the secret.
    Part,
    /// Also texts with base64 of a text that contains the secret.
    Encoded,
}

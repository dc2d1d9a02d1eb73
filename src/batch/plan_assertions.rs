//! Assertions to check against plans, and masking of the secrets in their failures.

use crate::assertion::{Assertions, Outcome};
use crate::error::Result;
use crate::secret::{self, Collected, ECHO};

/// Assertions to check against each plan.
pub struct PlanAssertions<'a> {
    /// The assertions.
    pub assertions: &'a Assertions,
    /// Collects the secrets of the plan at an offset, in bytes. Called only if a failure quotes a
    /// value and the secrets are not known yet. `None` if the input cannot be read again.
    pub collect: Option<&'a mut dyn FnMut(u64) -> Result<Collected>>,
}

/// Assertions for all plans of a batch, and which values of the plans are secret.
#[derive(Debug)]
pub struct AssertionSettings {
    /// The assertions.
    pub assertions: Assertions,
    /// Which values are secret.
    pub secrets: secret::SecretOptions,
}

/// Replaces a value that may repeat a secret if the plan cannot be read again to collect its
/// secrets.
const UNCHECKED: &str = "(not shown, because the input cannot be read twice)";

impl PlanAssertions<'_> {
    /// Masks quoted values that repeat a secret of the plan at the offset `at`. `collected` holds
    /// the secrets of that plan, if they are known. Fails if the secrets cannot be collected.
    pub(super) fn mask(
        collect: &mut Option<&mut dyn FnMut(u64) -> Result<Collected>>,
        outcomes: &mut [Outcome],
        collected: Option<&Collected>,
        at: u64,
    ) -> Result<()> {
        match (collected, collect) {
            (None, Some(collect)) => mask(outcomes, Some(&collect(at)?)),
            (collected, _) => mask(outcomes, collected),
        }
        Ok(())
    }
}

/// Masks quoted values that repeat a secret. If the secrets are not known, masks all of them.
pub fn mask(outcomes: &mut [Outcome], collected: Option<&Collected>) {
    let Some(collected) = collected else {
        outcomes.iter_mut().for_each(|outcome| outcome.mask(UNCHECKED, |_| true));
        return;
    };
    let is_secret = |text: &str| {
        let text = text.as_bytes();
        let is_in = collected.contained.as_ref().is_some_and(|contained| contained.is_in(text));
        is_in || collected.secrets.repeated(text).is_some()
    };
    outcomes.iter_mut().for_each(|outcome| outcome.mask(ECHO, is_secret));
}

/// Returns a digest of the names and contents of files of assertions.
pub fn digest<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in files.into_iter().flat_map(|(name, text)| [name, text]) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

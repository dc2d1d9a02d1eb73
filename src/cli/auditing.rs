//! Audits the documents of an input one by one, for `audit` and `redact --report`.

use super::args::Plans;
use super::bar::{self, Bar, Watched};
use super::options::access;
use crate::audit::{Audited, Ledger, Options, audit};
use crate::error::Result;
use crate::input::Input;
use crate::plan::{self, Accepts, Documents};
use crate::secret::Collecting;
use crate::source::Kept;

/// An input that is being audited.
pub struct Auditing {
    /// The reader, at the start of the next document.
    pub documents: Documents<Watched<Input>>,
    /// Collects the secrets of each document in a pass of its own.
    pub collecting: SecretPass,
}

/// The pass that collects the secrets of a document.
pub type SecretPass = Collecting<Open, Watched<Input>>;

type Open = Box<dyn FnMut() -> Result<Watched<Input>>>;

impl Auditing {
    /// Opens an input that can be read twice. The bar shows all passes.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read.
    pub fn open(kept: &Kept, plans: &Plans, read: &plan::Options, bar: Bar) -> Result<Auditing> {
        let (kept, access) = (kept.clone(), access(plans, read));
        let mut open: Open = Box::new(move || Ok(bar::watched(kept.input(&access)?, bar.clone())));
        let documents = Documents::new(open()?, read);
        Ok(Auditing { documents, collecting: Collecting::new(open, Accepts::States) })
    }

    /// Audits the next document.
    ///
    /// # Errors
    ///
    /// Fails like [`audit`].
    pub fn next(
        &mut self,
        name: &str,
        options: &Options,
        ledger: &mut dyn Ledger,
    ) -> Result<Audited> {
        audit(&mut self.documents, &mut self.collecting, name, options, ledger)
    }
}

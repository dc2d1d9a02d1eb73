//! The source files of the configuration of plans.

use std::fmt::Debug;

use plansift_core::error::Result;
use plansift_plan::config::Element;

/// Reads the elements that the source files of a plan declare. The workers of a run share it.
pub trait SourceFiles: Debug + Sync {
    /// Calls `each` with the elements of the plan that was read from the input `source`. Returns
    /// the paths of the files that cannot be parsed; `None` if no files are known.
    ///
    /// # Errors
    ///
    /// Fails if the files cannot be read, or if `each` fails.
    fn each_element(
        &self,
        source: &str,
        each: &mut dyn FnMut(&Element) -> Result<()>,
    ) -> Result<Option<Vec<String>>>;
}

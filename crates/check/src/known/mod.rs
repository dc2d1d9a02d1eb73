//! Checks of known values, with the semantics of `knownvalue` of terraform-plugin-testing.
//!
//! | Go | here |
//! | --- | --- |
//! | `knownvalue.StringExact("a")` | [`KnownValue::StringExact`] |
//! | `knownvalue.Int64Exact(1)` | [`KnownValue::Int64Exact`] |
//! | `knownvalue.ListExact([]knownvalue.Check{...})` | [`KnownValue::ListExact`] |
//! | `knownvalue.StringFunc(func(s string) error {...})` | [`KnownValue::Func`] |
//! | `tfjsonpath.Traverse(object, path)` | [`traverse`] |
//! | `compare.ValuesSame()` | [`Comparer::Same`] |
//!
//! The checks work on lazy values ([`Value`](plansift_core::json::value::Value)): a check reads the
//! values that it names and skips the rest. The errors have the text of Go's errors, with one
//! difference: [`SENSITIVE`] replaces values that are marked sensitive.
//!
//! Values are decoded as by Go's decoder: of several members with one name, the last one counts,
//! and an unpaired half of a surrogate pair becomes U+FFFD. Numbers keep their text.

mod check;
mod compare;
mod data;
mod failure;
mod format;
mod mask;
mod regexp;
mod scalar;
mod traverse;

pub(crate) use self::check::delta;
pub use self::check::{Func, KnownValue};
pub use self::compare::Comparer;
pub(crate) use self::compare::are_equal;
pub use self::data::{Data, Type};
pub(crate) use self::data::{key_of, text_of};
pub use self::failure::{Failure, FailureKind};
pub(crate) use self::format::print;
pub use self::mask::{Mask, SENSITIVE};
pub use self::regexp::{Regexp, RegexpError};
pub(crate) use self::scalar::found;
pub use self::traverse::{MaskedValue, traverse};
pub use plansift_cty::quote;

//! Checks of plans and states, with the semantics of `plancheck` and `statecheck` of
//! terraform-plugin-testing.
//!
//! | Go | here |
//! | --- | --- |
//! | `plancheck.ExpectEmptyPlan()` | [`PlanCheck::EmptyPlan`] |
//! | `plancheck.ExpectResourceAction(address, action)` | [`PlanCheck::ResourceAction`] |
//! | `plancheck.ExpectKnownValue(address, path, check)` | [`PlanCheck::KnownValue`] |
//! | `plancheck.ExpectKnownOutputValue(name, check)` | [`PlanCheck::KnownOutputValue`], no path |
//! | `plancheck.ExpectKnownOutputValueAtPath(...)` | [`PlanCheck::KnownOutputValue`] |
//! | `statecheck.ExpectIdentity(address, identity)` | [`StateCheck::Identity`] |
//! | `statecheck.CompareValuePairs(...)` | [`StateCheck::CompareValuePairs`] |
//!
//! [`check_plan`] and [`check_state`] read a document once. They copy only the values that a check
//! names. They decode JSON like Go: keys match in any case, and of several members with the same
//! key, the last one counts. So these functions accept some documents that
//! [`plan::read`](plansift_plan::plan::read) rejects.
//!
//! ```
//! use plansift_core::input::Slice;
//! use plansift_check::known::KnownValue;
//! use plansift_core::limits::Limits;
//! use plansift_core::path::AttributePath;
//! use plansift_check::plancheck::{PlanCheck, check_plan};
//!
//! let plan = br#"{"format_version":"1.2","resource_changes":[{"address":"t.a","change":{
//!     "actions":["create"],"after":{"tags":{"env":"prod"}},"after_unknown":{"id":true}}}]}"#;
//! let checks = [
//!     // plancheck.ExpectUnknownValue("t.a", tfjsonpath.New("id"))
//!     PlanCheck::UnknownValue {
//!         address: "t.a".to_owned(),
//!         path: AttributePath::root().at_map_key("id"),
//!     },
//!     // plancheck.ExpectKnownValue("t.a", tfjsonpath.New("tags").AtMapKey("env"),
//!     //     knownvalue.StringExact("test"))
//!     PlanCheck::KnownValue {
//!         address: "t.a".to_owned(),
//!         path: AttributePath::root().at_map_key("tags").at_map_key("env"),
//!         check: KnownValue::StringExact("test".to_owned()),
//!     },
//! ];
//! let results = check_plan(Slice(plan), &checks, &Limits::default())?;
//! assert!(results[0].is_ok());
//! assert_eq!(
//!     results[1].as_ref().unwrap_err().text(),
//!     "error checking value for attribute at path: t.a.tags.env, err: \
//!      expected value test for StringExact check, got: prod"
//! );
//! # Ok::<(), plansift_core::error::Error>(())
//! ```

mod change;
mod decode;
mod emptiness;
mod plan;
mod shape;
mod state;
mod state_values;

pub use self::plan::{PlanCheck, check_plan};
pub use self::state::{AttributeAddress, StateCheck, check_state};

/// The result of one check.
pub type Checked = std::result::Result<(), crate::known::Failure>;

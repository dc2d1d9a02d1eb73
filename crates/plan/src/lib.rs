#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod config;
pub mod diff;
pub mod marks;
pub mod plan;
pub mod record;
pub mod sink;

#[doc(hidden)]
pub use plansift_core::scan;
#[doc(inline)]
pub use plansift_core::{error, input, json, limits, path};

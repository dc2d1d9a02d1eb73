#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod audit;
pub mod redact;
pub mod secret;
pub mod slim;

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod assertion;
pub mod known;
pub mod plancheck;

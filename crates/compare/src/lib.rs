#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod approval;
pub mod collect;
mod difference;
pub mod digest;
pub mod join;
pub mod meaning;
pub mod planned;
pub mod screen;
mod sorter;
pub mod states;
#[cfg(test)]
mod tests;
pub mod view;

#![doc = include_str!("../README.md")]
//!
//! | task | items |
//! | --- | --- |
//! | read a value of a type, as go-cty does | [`from_msgpack`], [`from_json`] |
//! | write a value, byte for byte as go-cty does | [`to_msgpack`], [`to_json`] |
//! | type constraints; the type that a value implies | [`types`], [`implied`] |
//! | provider schemas, and the types and values of their blocks | [`schema`], [`block`] |
//! | a lossless JSON form of values | [`marked`] |
//! | checked views of MessagePack without a type | [`msgpack`] |
//!
//! ```
//! use plansift_cty::{Type, from_msgpack, to_json};
//!
//! let ty = Type::parse(br#"["map","number"]"#)?;
//! let value = from_msgpack(b"\x81\xa1a\x01", &ty)?;
//! assert_eq!(to_json(&value, &ty)?, br#"{"a":1}"#);
//! # Ok::<(), plansift_cty::Error>(())
//! ```
//!
//! A value is read into memory as a whole, unlike a plan. Readers and writers keep their own stack
//! and do not recurse. The depth, the digits of numbers and the expansion of short encodings are
//! limited, so time and memory stay roughly in proportion to the input.

#![forbid(unsafe_code)]

pub mod block;
mod convert;
mod decimal;
pub mod error;
mod from_json;
mod from_msgpack;
pub mod implied;
pub mod json_string;
pub mod lexer;
pub mod marked;
pub mod msgpack;
pub mod number;
mod open;
pub mod path;
mod refinement;
pub mod refiner;
pub mod schema;
mod set;
mod sort;
mod text;
mod to_json;
mod to_msgpack;
pub mod tokens;
mod type_cache;
pub mod types;
pub mod unknown;
pub mod value;
mod walk;

pub use self::error::{Error, ErrorKind};
pub use self::from_json::from_json;
pub use self::from_msgpack::{from_msgpack, from_msgpack_with};
pub use self::number::Number;
pub use self::text::quote;
pub use self::to_json::to_json;
pub use self::to_msgpack::to_msgpack;
pub use self::type_cache::TypeCache;
pub use self::types::Type;
pub use self::value::Value;

#[cfg(test)]
mod tests;

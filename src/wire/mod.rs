//! Values as Terraform and OpenTofu send them: MessagePack and JSON that only a type explains.
//!
//! | job | here |
//! | --- | --- |
//! | read a value under a type, as go-cty does | [`from_msgpack`], [`from_json`] |
//! | write it, byte for byte | [`to_msgpack`], [`to_json`] |
//! | type constraints; the type that a value implies | [`types`], [`implied`] |
//! | provider schemas, and what follows from them | [`schema`], [`block`] |
//! | a value as JSON that shows all of it, and back | [`marked`] |
//! | MessagePack without a type, borrowed and checked | [`msgpack`] |
//!
//! ```
//! use plansift::wire::{Type, from_msgpack, to_json};
//!
//! let ty = Type::parse(br#"["map","number"]"#)?;
//! let value = from_msgpack(b"\x81\xa1a\x01", &ty)?;
//! assert_eq!(to_json(&value, &ty)?, br#"{"a":1}"#);
//! # Ok::<(), plansift::wire::Error>(())
//! ```
//!
//! A value is held as a whole, unlike a plan. Readers and writers keep their own stack; depth, the
//! digits of numbers and what few bytes may stand for are limited, so no input costs much more than
//! its bytes.

pub mod block;
mod convert;
mod decimal;
pub mod error;
mod from_json;
mod from_msgpack;
pub mod implied;
pub mod json_string;
pub(crate) mod lexer;
pub mod marked;
pub mod msgpack;
mod natural;
pub mod number;
mod open;
mod refinement;
pub mod refiner;
pub mod schema;
mod set;
mod sort;
mod text;
mod to_json;
mod to_msgpack;
pub mod tokens;
pub mod types;
pub mod unknown;
pub mod value;
mod walk;

pub use self::error::{Error, ErrorKind};
pub use self::from_json::from_json;
pub use self::from_msgpack::from_msgpack;
pub use self::number::Number;
pub(crate) use self::text::write_quoted as quote;
pub use self::to_json::to_json;
pub use self::to_msgpack::to_msgpack;
pub use self::types::Type;
pub use self::value::Value;

#[cfg(test)]
mod tests;

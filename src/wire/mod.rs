//! Values as Terraform and OpenTofu send them: MessagePack and JSON under a type.
//!
//! [`msgpack::Value`] reads MessagePack without a type; [`plan_json`] writes the value as plan JSON
//! does.

pub mod block;
mod convert;
mod decimal;
pub mod error;
mod from_json;
mod from_msgpack;
pub mod implied;
mod lexer;
pub mod marked;
pub mod msgpack;
mod natural;
pub mod number;
mod open;
pub mod plan_json;
mod refinement;
pub mod schema;
mod set;
mod text;
mod tfschemas;
mod to_json;
mod to_msgpack;
pub mod types;
pub mod unknown;
pub mod value;
mod walk;

pub use self::error::{Error, ErrorKind};
pub use self::from_json::from_json;
pub use self::from_msgpack::from_msgpack;
pub use self::number::Number;
pub use self::to_json::to_json;
pub use self::to_msgpack::to_msgpack;
pub use self::types::Type;
pub use self::value::Value;

#[cfg(test)]
mod tests;

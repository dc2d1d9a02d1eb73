//! The configuration of a plan (docs/format/plan.md, section 8): its elements, the references
//! between them, and the block of each changed resource.
//!
//! ```text
//! pieces ─▶ read ─▶ Element ─┬─▶ records       as they are read
//!                            ├─▶ Users         the elements that refer to one element
//!                            ├─▶ Graph         all elements and references, in memory
//!                            ├─▶ ValueOrigins  an index: the references of an attribute
//!                            └─▶ Blocks        an index: the block of a resource instance
//! ```
//!
//! An element carries names and references, and never a constant: a constant may be the value of an
//! attribute that a change marks sensitive. `Graph` and `Blocks` keep a few bytes for each element,
//! up to [`Limits::configuration`](plansift_core::limits::Limits::configuration).

mod address;
mod blocks;
mod element;
pub mod expression;
mod graph;
mod names;
mod origin;
mod reading;
mod reference;
mod users;
mod value_origins;

pub use blocks::{Block, Blocks};
pub use element::{
    ConfigurationSummary, Dependent, Element, ElementExpression, ElementKind, LocatedElement, User,
};
pub(crate) use graph::Reached;
pub use graph::{Edge, Graph, Node};
pub use origin::{BlockLocation, Location, Missing, Origin};
pub(crate) use reading::read_beside;
pub use reading::{ReadConfiguration, read};
pub use users::{Users, element_address, targets};
pub use value_origins::ValueOrigins;

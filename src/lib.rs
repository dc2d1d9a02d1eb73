//! Reads Terraform and OpenTofu plans (`show -json`) of any size in one pass.
//!
//! ```text
//!  file ──mmap──┐
//!  pipe, store ─┼─ windows ─▶ scan ─▶ cursor ─▶ plan visitor ─▶ change ─▶ record ─▶ sink
//!  .gz .zst ────┘  (64-byte   (SIMD    (keys,    (sections,      (diff of   (flat,    (ndjson,
//!                   blocks)    masks)   skip)     events)         bytes)     one row)  json, csv)
//! ```
//!
//! Each level imports downwards only:
//!
//! | level | modules | contents |
//! | --- | --- | --- |
//! | 0 | [`error`], [`limits`], [`path`], [`glob`] | errors, limits, paths and globs |
//! | 0 | [`allocation`] | memory that the system may refuse |
//! | 0 | `pool` | an ordered worker pool |
//! | 0 | [`inert`] | texts and JSON that are safe to print |
//! | 0 | [`nearest`] | the known word closest to a mistyped one |
//! | 1 | [`input`], [`scan`] | reading bytes; bytes to bit masks |
//! | 2 | [`json`] | a cursor over JSON text and the values in it; no Terraform |
//! | 3 | [`plan`] | a document as sections and changes |
//! | 3 | [`wire`] | values as the tools send them: MessagePack and JSON under a type, schemas |
//! | 4 | [`diff`], [`secret`] | a change as paths; which values are secret |
//! | 5 | [`record`], [`redact`], [`audit`] | rows; a document without its secrets; their paths |
//! | 6 | [`sink`], [`slim`] | rows in a format, and rules about them; a plan cut down |
//! | 7 | [`batch`] | many inputs, local or in a store: a record file for each, and a report |
//! | 8 | `cli` | arguments, a run, an exit code |
//!
//! Two features are on by default. `cli` builds the command; turn it off to use only the library.
//! `stores` adds the clients for object stores and web servers. Without `stores`, their addresses
//! are errors that name the feature.
//!
//! Memory is bounded by a few times the size of the largest change. No function recurses on the
//! depth of an input, no input causes a panic, and no error quotes input bytes.
//!
//! To receive the events of a plan, implement [`plan::Visitor`] and call [`plan::read`]. To receive
//! finished records, pass a [`sink::Sink`] to [`record::sift`]:
//!
//! ```
//! use plansift::input::Slice;
//! use plansift::record::{Options, sift};
//! use plansift::sink::{Sink, ndjson::Ndjson};
//!
//! let plan = br#"{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[
//!     {"address":"terraform_data.a","mode":"managed","type":"terraform_data","name":"a",
//!      "change":{"actions":["update"],"before":{"input":1},"after":{"input":2},
//!                "after_unknown":{"output":true}}}]}"#;
//!
//! let mut out = Vec::new();
//! let mut sink = Ndjson::new(&mut out);
//! let sifted = sift(Slice(plan), "plan.json", &Options::default(), &mut sink)?;
//! sink.finish()?;
//! drop(sink);
//!
//! assert_eq!(sifted.summary.terraform.change, 1);
//! let change = std::str::from_utf8(&out).unwrap().lines().nth(1).unwrap();
//! assert!(change.contains(r#""changed":["input","output"],"unknown":["output"]"#));
//! # Ok::<(), plansift::error::Error>(())
//! ```

pub mod allocation;
pub mod audit;
pub mod batch;
#[cfg(feature = "cli")]
pub mod cli;
pub mod diff;
pub mod error;
pub mod glob;
pub mod inert;
pub mod input;
pub mod json;
pub mod limits;
pub mod nearest;
pub mod path;
pub mod plan;
mod pool;
pub mod record;
pub mod redact;
pub mod scan;
pub mod secret;
pub mod sink;
pub mod slim;
pub mod wire;

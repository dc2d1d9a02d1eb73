//! Reads Terraform and OpenTofu plans of any size in one pass.
//!
//! ```text
//!  file ──mmap──┐
//!  pipe, store ─┼─ windows ─▶ scan ─▶ cursor ─▶ plan visitor ─▶ change ─▶ record ─▶ sink
//!  .gz .zst ────┘  (64-byte   (SIMD    (keys,    (sections,      (diff of   (flat,    (ndjson,
//!                   blocks)    masks)   skip)     pieces)         bytes)     one row)  json, csv)
//! ```
//!
//! Modules import downwards only. `ARCHITECTURE.md` lists their levels.
//!
//! Without features, the crate is the engine: the modules that [`record`] needs, and the sinks for
//! NDJSON and JSON. Features add the rest:
//!
//! | feature | adds |
//! | --- | --- |
//! | `compression` | inputs in gzip and zstd |
//! | `redact` | [`secret`], [`redact`], [`slim`] and [`audit`] |
//! | `report` | `redact`, [`view`], and all other sinks |
//! | `wire` | [`wire`] |
//! | `checks` | `redact`, `wire`, [`known`] and [`plancheck`] |
//! | `assert` | `checks`, `report`, and [`assertion`] |
//! | `planfile` | `compression`, `redact`, `wire`, and [`planfile`] |
//! | `blocks` | `planfile`, [`hcl`] and [`blocks`] |
//! | `batch` | `assert`, `planfile`, [`source`], [`run`] and [`batch`] |
//! | `tree` | conversion of a value to a tree of simd-json |
//! | `stores` | `batch`, and the clients for object stores and web servers |
//! | `cli` | the command, with everything except `stores` |
//!
//! `cli` and `stores` are on by default. If an input needs a feature that is off, the error names
//! the feature.
//!
//! Memory use is bounded by a few times the size of the largest change. No function recurses on the
//! depth of an input, no input causes a panic, and no error quotes input bytes.
//!
//! To receive the pieces of a plan, implement [`plan::Visitor`] and call [`plan::read`]. To receive
//! finished records, pass a [`sink::Sink`] to [`record::write_records`]:
//!
//! ```
//! use plansift::input::Slice;
//! use plansift::plan::Documents;
//! use plansift::record::{RecordOptions, RecordRequest, write_records};
//! use plansift::sink::{Sink, ndjson::Ndjson};
//!
//! let plan = br#"{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[
//!     {"address":"terraform_data.a","mode":"managed","type":"terraform_data","name":"a",
//!      "change":{"actions":["update"],"before":{"input":1},"after":{"input":2},
//!                "after_unknown":{"output":true}}}]}"#;
//!
//! let mut out = Vec::new();
//! let mut sink = Ndjson::new(&mut out);
//! let options = RecordOptions::default();
//! let mut documents = Documents::only(Slice(plan), &options.read);
//! let request = RecordRequest::new("plan.json", &options);
//! let outcome = write_records(&mut documents, request, &mut sink)?;
//! sink.finish()?;
//! drop(sink);
//!
//! assert_eq!(outcome.summary.terraform.change, 1);
//! let change = std::str::from_utf8(&out).unwrap().lines().nth(1).unwrap();
//! assert!(change.contains(r#""changed":["input","output"],"unknown":["output"]"#));
//! # Ok::<(), plansift::error::Error>(())
//! ```

#![cfg_attr(
    not(feature = "batch"),
    allow(
        dead_code,
        unused_imports,
        reason = "the modules that the features add use more of those below them"
    )
)]

// Public for the binary, which sets the allocator.
#[doc(hidden)]
pub mod allocation;
#[cfg(feature = "assert")]
pub mod assertion;
#[cfg(feature = "redact")]
pub mod audit;
#[cfg(feature = "batch")]
pub mod batch;
#[cfg(feature = "blocks")]
pub mod blocks;
mod budget;
// Public for the binary, which runs it.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod config;
pub mod diff;
pub mod error;
mod glob;
#[cfg(feature = "blocks")]
pub mod hcl;
// Public for the tests, which check outputs with it.
#[doc(hidden)]
pub mod inert;
pub mod input;
pub mod json;
#[cfg(feature = "checks")]
pub mod known;
pub mod limits;
pub mod marks;
mod nearest;
pub mod path;
pub mod plan;
#[cfg(feature = "checks")]
pub mod plancheck;
#[cfg(feature = "planfile")]
pub mod planfile;
mod pool;
pub mod record;
#[cfg(feature = "redact")]
pub mod redact;
#[cfg(feature = "batch")]
pub mod run;
// Public for the fuzz targets and the bench, which compare its kernels.
#[doc(hidden)]
pub mod scan;
#[cfg(feature = "redact")]
pub mod secret;
pub mod sink;
#[cfg(feature = "redact")]
pub mod slim;
#[cfg(feature = "batch")]
pub mod source;
#[cfg(feature = "report")]
pub mod view;
#[cfg(feature = "wire")]
pub mod wire;

pub use error::{Error, Result};

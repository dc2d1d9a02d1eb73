//! Reads Terraform and OpenTofu plans of any size in one pass.
//!
//! ```text
//!  file ──mmap──┐
//!  pipe, store ─┼─ windows ─▶ scan ─▶ cursor ─▶ plan visitor ─▶ change ─▶ record ─▶ sink
//!  .gz .zst ────┘  (64-byte   (SIMD    (keys,    (sections,      (diff of   (flat,    (ndjson,
//!                   blocks)    masks)   skip)     pieces)         bytes)     one row)  json, csv)
//! ```
//!
//! This crate is the program, and it re-exports the crates of the library:
//!
//! | crate | modules |
//! | --- | --- |
//! | `plansift-core` | [`input`], [`json`], [`path`], [`limits`], [`error`] |
//! | `plansift-cty` | [`wire`] |
//! | `plansift-plan` | [`plan`], [`marks`], [`diff`], [`config`], [`record`], [`sink`] |
//! | `plansift-planfile` | [`planfile`] |
//! | `plansift-hcl` | [`hcl`], [`blocks`] |
//! | `plansift-redact` | [`secret`], [`redact`], [`slim`], [`audit`] |
//! | `plansift-check` | [`known`], [`plancheck`], [`assertion`] |
//! | `plansift-report` | [`report`]: reports, CSV, rules, and the views of values |
//! | `plansift-compare` | [`compare`]: the differences of two documents, approvals and digests |
//! | `plansift-fleet` | [`source`], [`run`], [`output`], [`batch`] |
//!
//! A program that only reads plans needs `plansift-plan`, which has few dependencies.
//!
//! | feature | adds |
//! | --- | --- |
//! | `compression` | inputs in gzip and zstd |
//! | `tree` | conversion of a value to a tree of simd-json |
//! | `stores` | inputs from object stores and web servers |
//!
//! These features are on by default. If an input needs a feature that is off, the error names the
//! feature. The feature `tables` adds `--format parquet` and `batch --tables` to the program;
//! `plansift-arrow` has their code.
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

#[doc(hidden)]
pub mod cli;

#[doc(inline)]
pub use plansift_check::{assertion, known, plancheck};
#[doc(inline)]
pub use plansift_compare as compare;
#[doc(inline)]
pub use plansift_core::{error, input, json, limits, path};
#[doc(hidden)]
pub use plansift_core::{inert, scan};
#[doc(inline)]
pub use plansift_cty as wire;
#[doc(inline)]
pub use plansift_fleet::{batch, output, run, source};
#[doc(inline)]
pub use plansift_hcl::{blocks, hcl};
#[doc(inline)]
pub use plansift_plan::{config, diff, marks, plan, record, sink};
#[doc(inline)]
pub use plansift_planfile as planfile;
#[doc(inline)]
pub use plansift_redact::{audit, redact, secret, slim};
#[doc(inline)]
pub use plansift_report as report;

pub use error::{Error, Result};

//! Tests of the whole program, one binary and beside it `allocations.rs`, which counts requests for
//! memory. Where a new test goes:
//!
//! | it is about | file |
//! | --- | --- |
//! | the oracle: records of a plan from a tree of serde_json values | `naive.rs` |
//! | running the binary and the library from tests | `run.rs` |
//! | a feature of the format: a case in `corpus/plans/`, no code | `corpus.rs` |
//! | every record against the JSON Schema | `schema.rs` |
//! | the real plans of `../shared`, where they are | `shared_plans.rs` |
//! | what the tools' own renderings say of those plans | `rendering.rs` |
//! | documents that are not a plan | `wrong.rs` |
//! | the page of a report, also in a browser | `html.rs` |
//! | the JSON grammar | `grammar.rs` |
//! | several documents in one input | `documents.rs` |
//! | the same, for commands that read each document twice | `several.rs` |
//! | `--no-paths` | `extent.rs` |
//! | hostile and cut input | `hostile.rs` |
//! | damaged plans, against every command | `damage.rs` |
//! | what fuzzing found; the checks of the fuzz targets | `fuzz_corpus.rs` |
//! | the same answer from every kernel, file, pipe, window and compression | `same_answer.rs` |
//! | files of more than 4 GiB, memory of large plans | `large.rs` |
//! | memory of hostile shapes | `memory.rs` |
//! | the generator's counts | `generated.rs` |
//! | sensitive values | `secrets.rs` |
//! | texts that a terminal or a CI runner would obey | `console.rs` |
//! | redacted documents | `redaction.rs` |
//! | where the secrets of a document are | `audit.rs` |
//! | slim plans: a model over the tree, policies in Rego | `slim.rs` |
//! | arguments, exit codes, outputs, signals, many inputs, batches | `command.rs` |
//! | reports: golden files, readers of their formats, noise, what is hidden | `report.rs` |
//! | object stores and web servers, working and failing | `stores.rs` |
//! | commands and links of the README and the manual | `docs.rs` |
//! | the shape of the source | `tidy.rs` |
//! | a bug that was found | `regression.rs` |

mod audit;
mod command;
mod console;
mod corpus;
mod damage;
mod docs;
mod documents;
mod extent;
mod fuzz_corpus;
mod generated;
mod grammar;
mod hostile;
mod html;
mod large;
mod memory;
mod naive;
mod redaction;
mod regression;
mod rendering;
mod report;
mod run;
mod same_answer;
mod schema;
mod secrets;
mod several;
mod shared_plans;
mod slim;
// Not in the emulator: see Cargo.toml.
#[cfg(all(feature = "stores", not(all(target_os = "linux", target_arch = "aarch64"))))]
mod stores;
mod tidy;
mod wrong;

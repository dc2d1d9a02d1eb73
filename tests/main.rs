//! Tests of the whole program, in one binary. A second binary, `allocations.rs`, counts
//! allocations. Where a new test goes:
//!
//! | it is about | file |
//! | --- | --- |
//! | the oracle: records of a plan from a tree of serde_json values | `naive.rs` |
//! | running the binary from tests; what tests leave out | `run.rs` |
//! | running the library from tests | `library.rs` |
//! | what a run tries by day and at night | `tried.rs` |
//! | a text in memory, which several threads read | `in_memory.rs` |
//! | a feature of the format: a case in `corpus/plans/`, no code | `corpus.rs` |
//! | every record against the JSON Schema | `schema.rs` |
//! | reference files, also compressed | `reference.rs` |
//! | the plans of `corpus/real`, and those of other projects if they exist | `shared_plans.rs` |
//! | the tools' own renderings of those plans | `rendering.rs` |
//! | documents that are not a plan | `wrong.rs` |
//! | binary plan files: against the JSON of the tools, damaged, hostile | `planfile.rs` |
//! | the HTML report and the page about a fleet, also in a browser | `html.rs` |
//! | the JSON grammar | `grammar.rs` |
//! | several documents in one input | `documents.rs` |
//! | several documents, for commands that read each one twice | `several.rs` |
//! | `--no-paths` | `extent.rs` |
//! | the time of a plan, its flags and the attributes that it depends on | `facts.rs` |
//! | hostile and truncated input | `hostile.rs` |
//! | damaged plans, with every command | `damage.rs` |
//! | inputs that fuzzing found; the checks of the fuzz targets | `fuzz_corpus.rs` |
//! | the same answer from every kernel, file, pipe, window and compression | `same_answer.rs` |
//! | files of more than 4 GiB, memory of large plans | `large.rs` |
//! | the server of `plansift mcp` | `mcp.rs` |
//! | memory of hostile plans | `memory.rs` |
//! | the generator's counts | `generated.rs` |
//! | sensitive values | `secrets.rs` |
//! | texts that a terminal or a CI runner would obey | `console.rs` |
//! | redacted documents | `redaction.rs` |
//! | where the secrets of a document are | `audit.rs` |
//! | what documents hold: records of values, variables, checks and native states | `values.rs` |
//! | checks and paths of terraform-plugin-testing | `checks.rs` |
//! | assertions: their files, their answers, their formats | `assert.rs` |
//! | slim plans: a model over the tree, policies in Rego | `slim.rs` |
//! | arguments, exit codes, outputs, signals, many inputs, batches | `command.rs` |
//! | comparisons of two documents, approvals and digests, against an oracle | `compare.rs` |
//! | configurations: elements, blocks and dependents against the oracle | `configuration.rs` |
//! | the graph of a configuration against the graphs of Terraform | `graph.rs` |
//! | blocks of configurations, `--source`, annotations | `blocks.rs` |
//! | SARIF against the schema of OASIS | `sarif.rs` |
//! | reports: expected files, parsers of their formats, omissions | `report.rs` |
//! | object stores and web servers, working and failing | `stores.rs` |
//! | commands and links of the README and the manual | `docs.rs` |
//! | rules for the source | `tidy.rs` |
//! | a fixed bug | `regression.rs` |

mod assert;
mod audit;
mod blocks;
mod checks;
mod command;
mod compare;
mod configuration;
mod console;
mod corpus;
mod damage;
mod docs;
mod documents;
mod extent;
mod facts;
mod fuzz_corpus;
mod generated;
mod grammar;
mod graph;
mod hostile;
mod html;
mod in_memory;
mod large;
mod library;
#[cfg(feature = "mcp")]
mod mcp;
mod memory;
mod naive;
mod planfile;
mod redaction;
mod reference;
mod regression;
mod rendering;
mod report;
mod run;
mod same_answer;
mod sarif;
mod schema;
mod secrets;
mod several;
mod shared_plans;
mod slim;
// Excluded under the emulator: see Cargo.toml.
#[cfg(all(feature = "stores", not(all(target_os = "linux", target_arch = "aarch64"))))]
mod stores;
mod tidy;
mod tried;
mod values;
mod wrong;

//! `plansift mcp`: answers the questions of a Model Context Protocol client. A build without the
//! feature `mcp` has `no_mcp.rs` instead.

use std::io::{stdin, stdout};

use super::args::Mcp;
use super::exit::Exit;
use super::inputs::schema_files;
use super::messages::{say, usage};
use super::options::plan_options;
use plansift_core::input::{InputOptions, Mapping, Threads};
use plansift_mcp::{AllowedStores, Root, Settings, serve};
use plansift_plan::plan::PlanOptions;

/// Answers messages on standard input until it ends.
pub fn run(arguments: &Mcp) -> Result<Exit, Exit> {
    let Mcp { root, allow_store, schemas, schema_cache, limits, type_sets: _ } = arguments;
    let limits = limits.limits();
    let opened = Root::new(root);
    let root = opened.map_err(|error| usage(&format!("--root {}: {error}", root.display())))?;
    let mut stores = AllowedStores::default();
    for address in allow_store {
        if !stores.add(address) {
            let error = "this is not the address of an object store, such as s3://bucket/plans/";
            return Err(usage(&format!("--allow-store {address}: {error}")));
        }
    }
    let threads = std::thread::available_parallelism().ok();
    let read = PlanOptions { limits, threads, ..plan_options()? };
    // A mapped file has no windows, between which a cancelled call stops.
    let access = InputOptions { limits, mapping: Mapping::NEVER, threads: Threads::Several };
    let schemas = schema_files(schemas, schema_cache.as_deref(), &limits)?;
    let served = serve(Settings { root, stores, read, access, schemas }, stdin(), stdout());
    served.map_err(|error| {
        say(&format!("cannot serve: {error}"));
        Exit::Failed
    })?;
    Ok(Exit::Done)
}

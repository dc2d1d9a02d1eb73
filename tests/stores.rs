//! Plans in object stores and on web servers: a real S3 server, and one that misbehaves.
//!
//! Tests configure faults on a gate ([`gate`]). The gate forwards requests to the real server
//! ([`s3`]) or answers them itself, and records them. No test depends on timing.

mod connections;
mod faults;
mod gate;
mod many;
mod others;
mod proxies;
mod redirects;
pub mod s3;
mod secure;
mod single;

use std::process::{Command, Output};

use crate::hostile::sample::PLAN;
use crate::run;

/// The exit code and the output of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: &Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Run { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// A command for the binary, without environment variables that configure a store or a proxy.
pub fn plansift() -> Command {
    let mut command = run::plansift();
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        let is_of_stores = ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|it| text.starts_with(it));
        if is_of_stores || text.ends_with("_PROXY") {
            command.env_remove(name);
        }
    }
    command
}

/// The output of plansift for [`PLAN`] from a pipe, with `source` as its name.
pub fn expected(args: &str, source: &str) -> String {
    let output = run::piped(&args.split(' ').collect::<Vec<_>>(), PLAN.as_bytes());
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    out.replacen(r#""source":"-""#, &format!(r#""source":"{source}""#), 1)
}

//! Runs a command with its standard output in a file, and writes its resource use to a report:
//!
//! ```text
//! launch REPORT STDOUT COMMAND ARGUMENT...
//!
//! the report:  SECONDS USER-SECONDS SYSTEM-SECONDS PEAK-KIB STATUS
//! ```
//!
//! A process inherits the peak memory of the process that forked it, so this program must be small.
//! For a command of several processes (a pipe in a shell), the report has the sum of their
//! processor times and the largest of their peaks. Resident pages of a mapped file count as memory.

use std::fs::File;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let mut next = || args.next().expect("usage: launch REPORT STDOUT COMMAND ARGUMENT...");
    let (report, stdout, program) = (next(), next(), next());
    let stdout = File::create(stdout).expect("a place for the output");
    let mut command = Command::new(&program);
    command.args(args).stdin(Stdio::null()).stdout(stdout);
    let start = Instant::now();
    let status = match command.status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("launch: {}: {error}", program.display());
            return ExitCode::FAILURE;
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage of children");
    let [user, system] = [used.user_time(), used.system_time()]
        .map(|time| time.num_microseconds() as f64 / 1_000_000.0);
    let code = status.code().unwrap_or(255);
    let line = format!("{seconds:.6} {user:.6} {system:.6} {} {code}\n", used.max_rss());
    std::fs::write(report, line).expect("a place for the report");
    ExitCode::SUCCESS
}

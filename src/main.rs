//! The command: see [`plansift::cli`].

use std::process::ExitCode;

/// Records are made of many short-lived pieces, and a plan may be sifted on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    plansift::cli::main(std::env::args_os())
}

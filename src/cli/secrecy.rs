//! Keeps the contents of plans out of core dumps and panic messages.

use super::messages::say;

/// Prints only the source location of a panic: its message may quote an input.
pub fn print_panics_without_messages() {
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(at) => say(&format!("internal error at {}:{}", at.file(), at.line())),
        None => say("internal error"),
    }));
}

/// Keeps the memory of this process out of core dumps, on Linux.
pub fn refuse_core_dumps() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        // No dump fits into one byte. Linux ignores a limit of zero if a program receives the
        // dump, but applies a limit of one. `PR_SET_DUMPABLE` would also deny `/dev/fd` to the
        // process.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: Some(1) });
    }
}

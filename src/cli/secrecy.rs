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
        // A limit of one byte is too small for any dump. Unlike zero, Linux also applies it if a
        // program receives the dump. `PR_SET_DUMPABLE` would take `/dev/fd` away from the process.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: Some(1) });
    }
}

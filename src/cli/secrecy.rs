//! What a plan holds must not be left behind by the process that read it.

use super::messages::say;

/// Has a panic told by its place in this program alone: its words may quote an input.
pub fn tell_panics_without_words() {
    std::panic::set_hook(Box::new(|panic| match panic.location() {
        Some(at) => say(&format!("internal error at {}:{}", at.file(), at.line())),
        None => say("internal error"),
    }));
}

/// Keeps the memory of this process out of core dumps. A system that does not know them goes
/// without.
pub fn refuse_core_dumps() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        // A limit of one byte is less than any file of memory has, and the one value that Linux
        // heeds too where a program is to be given the memory. Making the process undumpable would
        // do the same and take `/dev/fd` away from it.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: Some(1) });
    }
}

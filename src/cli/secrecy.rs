//! What a plan holds must not be left behind by the process that read it.

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

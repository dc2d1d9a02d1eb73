//! Whether files are read or mapped into memory. The caller decides.
#![allow(unsafe_code, reason = "mapping a file has a contract that only the caller can keep")]

/// Whether files may be mapped into memory. The default is to read them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    maps: bool,
}

impl Mapping {
    /// Files are read like pipes. This is always safe.
    pub const NEVER: Mapping = Mapping { maps: false };

    /// Regular files are mapped if possible, which is faster for large ones. Only Linux maps files;
    /// other systems read them.
    ///
    /// # Safety
    ///
    /// A mapped file is memory that other processes can change. As long as an [`Input`] or a
    /// [`SharedText`] of it exists:
    ///
    /// - No process truncates the file, or [`catch_truncation`] succeeded before. Otherwise the
    ///   system ends this process with the signal SIGBUS at the next access to a page that is gone.
    /// - No process writes to the file, or the caller only passes the input to this library. The
    ///   library copies bytes before it relies on them, and reports [`ErrorKind::Changed`]. Code
    ///   that reads a [`window`] itself must not assume that its bytes stay the same.
    ///
    /// [`Input`]: super::Input
    /// [`SharedText`]: super::SharedText
    /// [`catch_truncation`]: super::catch_truncation
    /// [`window`]: super::Source::window
    /// [`ErrorKind::Changed`]: crate::error::ErrorKind::Changed
    pub const unsafe fn auto() -> Mapping {
        Mapping { maps: true }
    }

    /// Whether files may be mapped.
    pub fn maps(self) -> bool {
        self.maps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Mapping {
        /// Maps files that tests truncate.
        pub(in crate::input) fn of_tests() -> Mapping {
            crate::input::catch_truncation().expect("a handler");
            // SAFETY: the handler is installed, and the tests only copy bytes.
            unsafe { Mapping::auto() }
        }
    }
}

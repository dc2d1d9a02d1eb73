//! A memory-mapped file that survives writes by other processes.
//!
//! The window is a slice of the mapping. [`Mapped::fill`] moves the window and drops the pages
//! behind it, so only a few MiB of the file are resident. Page faults are faster than prefetching,
//! because each fault maps sixteen pages. Other threads may share the whole mapping
//! ([`Source::shared_text`]); the window drops their pages when it passes them.
//!
//! *Truncation.* Access to a page beyond the new end raises SIGBUS. The handler
//! ([`super::catch_truncation`]) maps a page of zeros there and marks the mapping's entry in a
//! table. The reader continues with zeros and then fails with [`ErrorKind::Changed`], whatever it
//! parsed. The table consists of atomics, and the handler only searches it and maps a page. For a
//! fault elsewhere it restores the previous handler, and the fault happens again.
//!
//! *Writes.* The bytes of a mapping may change at any time. So no reader trusts a second read of a
//! byte: readers copy the bytes that they base a decision on, or check every later use of them. At
//! the end, the times and the length show whether the file was written to. This check misses a
//! process that writes through its own mapping, or twice within one tick of the file system's
//! clock.
#![allow(
    unsafe_code,
    reason = "mapping files and handling SIGBUS are one of the two unsafe places"
)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use memmap2::{Advice, Mmap, UncheckedAdvice};

use super::{Identity, SharedText, Source};
use crate::allocation::check_headroom;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// Bytes that one step adds to the window: a multiple of every page size.
const STEP: usize = 2 << 20;

/// A mapping with its entry in the handler's table.
struct Mapping {
    map: Mmap,
    slot: &'static Slot,
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.slot.release();
    }
}

pub(super) struct Mapped {
    mapping: Arc<Mapping>,
    /// The file and its state when it was opened.
    pub identity: Identity,
    document_max: u64,
    /// The window, as a range of the mapping.
    start: usize,
    end: usize,
    /// Pages before this position were dropped.
    dropped: usize,
}

impl Mapped {
    /// Maps a file, which must not be empty. Fails if the file cannot be mapped, or if too many
    /// files are mapped.
    pub(super) fn new(identity: Identity, limits: &Limits) -> io::Result<Mapped> {
        // SAFETY: another process may write to the file. The caller accepted the contract of
        // `Mapping::auto`, which covers bytes that change and pages that vanish.
        let map = unsafe { Mmap::map(&*identity.file)? };
        // The rest of the run needs room beside the mapping. Without it, the file is streamed.
        check_headroom()?;
        let slot = Slot::claim(&map).ok_or(io::ErrorKind::OutOfMemory)?;
        // Only a hint, which makes the kernel faster. An error does not matter.
        let _ = map.advise(Advice::Sequential);
        let (mapping, document_max) = (Arc::new(Mapping { map, slot }), limits.document);
        Ok(Mapped { mapping, identity, document_max, start: 0, end: 0, dropped: 0 })
    }

    /// Drops the pages before the window, in whole steps.
    fn drop_behind(&mut self) {
        let until = self.start - self.start % STEP;
        if until > self.dropped {
            // SAFETY: nothing is lost, because the mapping is only read. A dropped page that is
            // read again comes back from the file, or as zeros after a fault.
            let _ = unsafe {
                self.mapping.map.unchecked_advise_range(
                    UncheckedAdvice::DontNeed,
                    self.dropped,
                    until - self.dropped,
                )
            };
            self.dropped = until;
        }
    }
}

impl Source for Mapped {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.mapping.map[self.start..self.end]
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.start as u64
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        self.start = (keep as usize).clamp(self.start, self.end);
        if self.mapping.slot.hit.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Changed));
        }
        self.drop_behind();
        let end = self.mapping.map.len().min(self.end + STEP);
        if end as u64 > self.document_max {
            return Err(Error::limit(Limit::Document, self.document_max, self.document_max));
        }
        let grown = end > self.end;
        self.end = end;
        Ok(grown)
    }

    fn finish(&mut self) -> Result<()> {
        // Drops all pages, because a second mapping of the same file may need the memory.
        if self.mapping.map.len() > STEP {
            // SAFETY: nothing is lost, because the mapping is only read. A dropped page that is
            // read again comes back from the file, or as zeros after a fault.
            let _ = unsafe { self.mapping.map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
        if self.mapping.slot.hit.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Changed));
        }
        self.identity.check()
    }

    fn changed(&mut self) -> bool {
        self.finish().is_err()
    }

    fn shared_text(&self) -> Option<SharedText> {
        Some(SharedText::new(self.mapping.clone()))
    }
}

/// Enlarges the buffer of a pipe, so that each read returns more bytes.
pub(super) fn widen_pipe(file: &File) {
    const LEN: libc::c_int = 1 << 20;
    // SAFETY: `F_SETPIPE_SZ` on an open descriptor touches no memory of this process. The call
    // fails if the file is not a pipe.
    let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETPIPE_SZ, LEN) };
}

/// An entry of the handler's table: one mapping.
struct Slot {
    /// The first address; 0 if the slot is free.
    start: AtomicUsize,
    end: AtomicUsize,
    /// True after a fault on a page of the mapping.
    hit: AtomicBool,
}

/// The handler's table. A file that finds no free slot is streamed instead.
static SLOTS: [Slot; 64] = [const {
    Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), hit: AtomicBool::new(false) }
}; 64];

/// Marks a slot whose owner is changing it; not a valid address.
const CLAIMED: usize = usize::MAX;

impl Slot {
    fn claim(map: &Mmap) -> Option<&'static Slot> {
        let free = |slot: &&Slot| {
            slot.start.compare_exchange(0, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        let slot = SLOTS.iter().find(free)?;
        let start = map.as_ptr() as usize;
        slot.hit.store(false, Ordering::Relaxed);
        slot.end.store(start + map.len(), Ordering::Relaxed);
        slot.start.store(start, Ordering::Release);
        Some(slot)
    }

    fn release(&self) {
        self.start.store(CLAIMED, Ordering::Relaxed);
        self.end.store(0, Ordering::Relaxed);
        self.start.store(0, Ordering::Release);
    }

    fn contains(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Acquire);
        let end = self.end.load(Ordering::Acquire);
        // While a slot changes hands, `start` and `end` may belong to different mappings.
        let is_whole = self.start.load(Ordering::Relaxed) == start;
        is_whole && start != 0 && start <= address && address < end
    }
}

/// The SIGBUS handler that was installed before ours.
struct PreviousHandler(std::cell::UnsafeCell<MaybeUninit<libc::sigaction>>);

// SAFETY: `install_handler` writes the cell once, inside a `Once`, before it installs `on_fault`.
// After that, threads only read it.
unsafe impl Sync for PreviousHandler {}

static PREVIOUS: PreviousHandler =
    PreviousHandler(std::cell::UnsafeCell::new(MaybeUninit::uninit()));

/// Installs the SIGBUS handler, once.
pub(super) fn install_handler() -> io::Result<()> {
    static ONCE: Once = Once::new();
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    ONCE.call_once(|| {
        // SAFETY: all zeros is a valid `sigaction`. `on_fault` has the signature that SA_SIGINFO
        // demands and is async-signal-safe. Only this closure writes to `PREVIOUS`, and `on_fault`,
        // which reads it, is not installed yet.
        let installed = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            // Saves the previous handler before ours can run.
            let before = (*PREVIOUS.0.get()).as_mut_ptr();
            match libc::sigaction(libc::SIGBUS, std::ptr::null(), before) {
                0 => libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()),
                failed => failed,
            }
        };
        INSTALLED.store(installed == 0, Ordering::Release);
    });
    if INSTALLED.load(Ordering::Acquire) { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Handles SIGBUS: maps a page of zeros in place of a page that the file lost.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes a valid `siginfo_t`. The address is defined for
    // signals that the kernel raised, whose `si_code` is positive.
    let address = unsafe { if (*info).si_code > 0 { (*info).si_addr() as usize } else { 0 } };
    let Some(slot) = SLOTS.iter().find(|slot| slot.contains(address)) else {
        // A fault happens again after the handler returns. A signal that a process sent does not,
        // so it is raised again for the previous handler. Rust's own handler then only restores
        // the default action and returns, so the signal is raised once more.
        // SAFETY: `PREVIOUS` was written before this handler was installed. All zeros is a valid
        // `sigaction`. `sigaction` and `raise` are async-signal-safe.
        unsafe {
            libc::sigaction(libc::SIGBUS, (*PREVIOUS.0.get()).as_ptr(), std::ptr::null_mut());
            if (*info).si_code <= 0 {
                libc::raise(libc::SIGBUS);
                let mut now: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut now);
                if now.sa_sigaction == libc::SIG_DFL {
                    libc::raise(libc::SIGBUS);
                }
            }
        }
        return;
    };
    slot.hit.store(true, Ordering::Relaxed);
    // SAFETY: the page is part of one of our mappings, which are read-only and plain bytes to Rust,
    // so zeros are valid there. `sysconf`, `mmap`, `write` and `_exit` touch no other memory, and
    // `errno` is restored.
    unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let mapped = libc::mmap(
            (address & !(page - 1)) as *mut libc::c_void,
            page,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        );
        if mapped == libc::MAP_FAILED {
            const MESSAGE: &[u8] =
                b"plansift: a file shrank, and there is no memory for its place\n";
            libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(1);
        }
        *errno = saved;
    }
}

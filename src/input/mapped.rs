//! A file as memory, and what it takes to survive that someone else writes to it.
//!
//! The window is a slice of the mapping. [`Mapped::fill`] moves it along and drops the pages
//! behind, so that only a few MiB of the file are resident at a time. Asking for pages ahead is
//! slower than letting them fault, sixteen at a time. Other threads may look at the mapping as a
//! whole ([`Source::whole`]); what they brought in is dropped when the window comes by.
//!
//! Reading a page that a truncation took away raises SIGBUS. The handler lays a page of zeros over
//! the place and notes in a table that this mapping was hit; the reader goes on with zeros, and
//! whatever it makes of them is replaced by [`ErrorKind::Changed`]. The table is made of atomics,
//! and the handler does nothing but look into it and map a page. A fault anywhere else is none of
//! ours: the handler before is put back, and the fault happens again.
//!
//! What Rust cannot promise of a mapping is that its bytes hold still. No byte is therefore trusted
//! twice: readers copy what they decide on, or check every use of what they found before. Whether
//! the file was written to is told by its times and length at the end; what another process writes
//! through a mapping of its own, or twice within one tick of the file system's clock, they do not
//! tell.
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

use memmap2::{Advice, Mmap, MmapOptions, UncheckedAdvice};

use super::{Identity, Source, Whole};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// How far the window moves at a time, in bytes: a multiple of every page size.
const STEP: usize = 2 << 20;

/// Address space that must be left once a file is mapped, in bytes: else it is read.
const HEADROOM: usize = 64 << 20;

/// A mapping, which the handler knows as long as anyone looks at it.
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

/// A regular file as windows of its mapping.
pub(super) struct Mapped {
    mapping: Arc<Mapping>,
    identity: Identity,
    document_max: u64,
    /// The window within the mapping.
    start: usize,
    end: usize,
    /// Everything before this is dropped from memory.
    dropped: usize,
}

impl Mapped {
    /// Maps a file that is not empty.
    ///
    /// # Errors
    ///
    /// It cannot be mapped, or too many files are.
    pub(super) fn new(identity: Identity, limits: &Limits) -> io::Result<Mapped> {
        install_handler()?;
        // SAFETY: others may write to the file. That its bytes can change is stated above and dealt
        // with by the readers; that its pages can go away is dealt with by the handler.
        let map = unsafe { Mmap::map(&*identity.file)? };
        // A mapping that takes the last of a limited address space leaves none to work with.
        drop(MmapOptions::new().len(HEADROOM).map_anon()?);
        let slot = Slot::claim(&map).ok_or(io::ErrorKind::OutOfMemory)?;
        // Advice only; a kernel that does not take it is slower.
        let _ = map.advise(Advice::Sequential);
        let (mapping, document_max) = (Arc::new(Mapping { map, slot }), limits.document);
        Ok(Mapped { mapping, identity, document_max, start: 0, end: 0, dropped: 0 })
    }

    /// Drops the whole steps of pages before the window.
    fn drop_behind(&mut self) {
        let until = self.start - self.start % STEP;
        if until > self.dropped {
            // SAFETY: the mapping is of a file and only read: a page that is dropped and looked at
            // again comes back from the file with the same bytes, or with zeros after a fault.
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
        // All pages can go: of the same file there may be another mapping, which is read next.
        if self.mapping.map.len() > STEP {
            // SAFETY: as in `drop_behind`.
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

    fn whole(&self) -> Option<Whole> {
        Some(Whole::new(self.mapping.clone()))
    }
}

/// Raises the capacity of a pipe, so that fewer calls bring more bytes.
pub(super) fn widen_pipe(file: &File) {
    const LEN: libc::c_int = 1 << 20;
    // SAFETY: a call on an open descriptor that touches no memory. It fails on what is no pipe.
    let _ = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETPIPE_SZ, LEN) };
}

/// A mapping that the handler knows.
struct Slot {
    /// The first address, or 0: the slot is free.
    start: AtomicUsize,
    end: AtomicUsize,
    /// Whether a page of it was gone.
    hit: AtomicBool,
}

/// More than are ever open at once; a file that finds no slot is read instead.
static SLOTS: [Slot; 64] = [const {
    Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), hit: AtomicBool::new(false) }
}; 64];

/// Stands in a slot that is being filled: no address.
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

    fn holds(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Acquire);
        let end = self.end.load(Ordering::Acquire);
        // Of a slot that goes from one mapping to another, the two may be of both.
        let is_whole = self.start.load(Ordering::Relaxed) == start;
        is_whole && start != 0 && start <= address && address < end
    }
}

/// The handler that was there before ours, as the words of its `sigaction`.
struct Before(std::cell::UnsafeCell<MaybeUninit<libc::sigaction>>);

// SAFETY: written once, before the handler that reads it is installed.
unsafe impl Sync for Before {}

static BEFORE: Before = Before(std::cell::UnsafeCell::new(MaybeUninit::uninit()));

fn install_handler() -> io::Result<()> {
    static ONCE: Once = Once::new();
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    ONCE.call_once(|| {
        // SAFETY: all zeros is a valid `sigaction`; the handler has the signature that SA_SIGINFO
        // asks for and is async-signal-safe; `BEFORE` is written by this call alone, before the
        // handler that reads it is installed.
        let installed = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            // What was there is written down before ours can run.
            let before = (*BEFORE.0.get()).as_mut_ptr();
            match libc::sigaction(libc::SIGBUS, std::ptr::null(), before) {
                0 => libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()),
                failed => failed,
            }
        };
        INSTALLED.store(installed == 0, Ordering::Release);
    });
    if INSTALLED.load(Ordering::Acquire) { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Runs when memory that was mapped is not there.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid siginfo to a handler with SA_SIGINFO. Only what it raised
    // itself, with a positive code, has an address.
    let address = unsafe { if (*info).si_code > 0 { (*info).si_addr() as usize } else { 0 } };
    let Some(slot) = SLOTS.iter().find(|slot| slot.holds(address)) else {
        // A fault happens again by itself; a signal that somebody sent does not, and is sent again:
        // to the handler before, which in a program of Rust only puts back the default; to that.
        // SAFETY: `BEFORE` was written before this handler could run; all zeros is a valid action.
        unsafe {
            libc::sigaction(libc::SIGBUS, (*BEFORE.0.get()).as_ptr(), std::ptr::null_mut());
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
    // SAFETY: the page lies in a mapping of ours, which nothing writes to and Rust sees only as
    // bytes: zeros in place of what is gone are as good as any. `errno` is put back.
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

//! Measures the roof: the highest speed at which a program can read a file. This program maps the
//! file and loads every byte once, with the widest loads available.
//!
//! ```text
//! roof THREADS MODE FILE...
//!
//! fault       the kernel maps pages on first access, with readahead
//! drop        like `fault`, and gives pages back after use, so that memory stays small
//! populate    maps all pages of a window at once, before it loads them
//! both        like `populate`, and gives pages back after use
//! prefetch    like `drop`, and prefetches one page ahead into the caches
//! ```
//!
//! The fastest mode depends on the kernel and the machine, so the bench runs all and takes the
//! best. Each thread reads one part of the file, window by window. Files are read one after the
//! other.

use std::fs::File;
use std::num::NonZeroUsize;
use std::thread;

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// Bytes that are mapped or given back at once.
const WINDOW: usize = 4 << 20;
/// Prefetch distance in bytes; hardware prefetchers stop at the page boundary.
const PAGE: usize = 4096;

#[derive(Clone, Copy)]
struct Mode {
    populates: bool,
    drops: bool,
    prefetches: bool,
}

impl Mode {
    fn named(name: &str) -> Option<Mode> {
        let known = ["fault", "drop", "populate", "both", "prefetch"].contains(&name);
        known.then(|| Mode {
            populates: matches!(name, "populate" | "both"),
            drops: matches!(name, "drop" | "both" | "prefetch"),
            prefetches: name == "prefetch",
        })
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [threads, mode, paths @ ..] = &args[..] else { panic!("usage: roof THREADS MODE FILE...") };
    let threads: NonZeroUsize = threads.parse().expect("a number of threads");
    let mode = Mode::named(mode).expect("a mode");
    let sum = paths.iter().fold(0, |sum, path| sum ^ touch_file(path, threads, mode));
    println!("{sum:016x}");
}

fn touch_file(path: &str, threads: NonZeroUsize, mode: Mode) -> u64 {
    let file = File::open(path).expect("a readable file");
    // SAFETY: no process writes to the file while it is mapped: the benches finish writing their
    // plans before they start this program.
    let map = unsafe { Mmap::map(&file) }.expect("a regular file");
    map.advise(Advice::Sequential).expect("advice is taken");
    let part = map.len().div_ceil(threads.get()).next_multiple_of(WINDOW);
    let touch = |start: usize| touch_part(&map, start, part.min(map.len() - start), mode);
    thread::scope(|scope| {
        // The calling thread reads the first part, so a run with one thread spawns none.
        let others: Vec<_> = (part..map.len())
            .step_by(part)
            .map(|start| scope.spawn(move || touch(start)))
            .collect();
        others.into_iter().fold(touch(0), |sum, it| sum ^ it.join().expect("a sum"))
    })
}

fn touch_part(map: &Mmap, start: usize, len: usize, mode: Mode) -> u64 {
    let mut sum = 0;
    for at in (start..start + len).step_by(WINDOW) {
        let window = WINDOW.min(start + len - at);
        if mode.populates {
            map.advise_range(Advice::PopulateRead, at, window).expect("advice is taken");
        }
        let bytes = &map[at..at + window];
        sum ^= if mode.prefetches { touch::<PAGE>(bytes) } else { touch::<0>(bytes) };
        if mode.drops {
            // SAFETY: the mapping is read-only and backed by a file, so a later access reads the
            // pages again from the file and sees the same bytes.
            unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, at, window) }
                .expect("advice is taken");
        }
    }
    sum
}

/// The exclusive or of all words. Prefetches `AHEAD` bytes ahead, unless that is 0.
fn touch<const AHEAD: usize>(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<{ 64 * LANES }>();
    let tail = rest.chunks(8).fold(0, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum ^ u64::from_le_bytes(word)
    });
    touch_blocks::<AHEAD>(blocks) ^ tail
}

/// Number of independent loads in flight.
const LANES: usize = 4;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
fn touch_blocks<const AHEAD: usize>(blocks: &[[u8; 64 * LANES]]) -> u64 {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_prefetch, _mm512_loadu_si512, _mm512_reduce_add_epi64,
        _mm512_setzero_si512, _mm512_xor_si512,
    };
    // SAFETY: this function is compiled only for targets with AVX-512, and each load of 64 bytes
    // lies within a block of `64 * LANES` bytes. Prefetching an invalid address is harmless.
    unsafe {
        let mut sums = [_mm512_setzero_si512(); LANES];
        for block in blocks {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let line = block.as_ptr().add(64 * lane);
                if AHEAD > 0 {
                    _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(AHEAD).cast());
                }
                let loaded = _mm512_loadu_si512(line.cast());
                *sum = _mm512_xor_si512(*sum, loaded);
            }
        }
        sums.into_iter().fold(0, |all, sum| all ^ _mm512_reduce_add_epi64(sum) as u64)
    }
}

/// The compiler vectorises this loop for the target machine. It does not prefetch.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn touch_blocks<const AHEAD: usize>(blocks: &[[u8; 64 * LANES]]) -> u64 {
    let mut sums = [0; 8 * LANES];
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum ^= u64::from_le_bytes(*word);
        }
    }
    sums.into_iter().fold(0, |all, sum| all ^ sum)
}

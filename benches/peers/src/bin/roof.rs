//! The roof: a file mapped afresh, and every byte of it loaded once, with the widest loads there
//! are.
//!
//! ```text
//! roof THREADS MODE FILE...
//!
//! fault       the kernel maps pages as they are touched, reading ahead
//! drop        the same, and pages behind are given back, so that memory stays small
//! populate    pages are mapped a window ahead of their use
//! both        mapped ahead, and given back
//! prefetch    as `drop`, and the caches are asked for what is a page ahead
//! ```
//!
//! Which mode is the fastest depends on the kernel and the machine: the bench runs them all and
//! takes the best. Each thread has a part of the file and goes through it window by window; several
//! files are taken one after the other.

use std::fs::File;
use std::num::NonZeroUsize;
use std::thread;

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// What is mapped or given back at once.
const WINDOW: usize = 4 << 20;
/// How far ahead of the loads the caches are asked; hardware does not look beyond a page.
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
    // SAFETY: the benches write their plans before and never during a run.
    let map = unsafe { Mmap::map(&file) }.expect("a regular file");
    map.advise(Advice::Sequential).expect("advice is taken");
    let part = map.len().div_ceil(threads.get()).next_multiple_of(WINDOW);
    let touch = |start: usize| touch_part(&map, start, part.min(map.len() - start), mode);
    thread::scope(|scope| {
        // The first part on this thread: with one thread no other is started.
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
            // SAFETY: the pages are those of a file that is only read: they can come back.
            unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, at, window) }
                .expect("advice is taken");
        }
    }
    sum
}

/// All bytes, exclusive-or-ed together in words; asks for what is that far ahead, unless that is 0.
fn touch<const AHEAD: usize>(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<{ 64 * LANES }>();
    let tail = rest.chunks(8).fold(0, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum ^ u64::from_le_bytes(word)
    });
    touch_blocks::<AHEAD>(blocks) ^ tail
}

/// Loads that do not wait for each other.
const LANES: usize = 4;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
fn touch_blocks<const AHEAD: usize>(blocks: &[[u8; 64 * LANES]]) -> u64 {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_prefetch, _mm512_loadu_si512, _mm512_reduce_add_epi64,
        _mm512_setzero_si512, _mm512_xor_si512,
    };
    // SAFETY: the processor this is compiled for has AVX-512, and each load is inside of a block.
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

/// The compiler makes vectors of this, as wide as the machine it is compiled for has them. Asks for
/// nothing ahead.
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

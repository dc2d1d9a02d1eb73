//! How often plansift asks for memory while it reads a plan and writes its records: the number of
//! allocations, and of records. The difference between two plans, divided by that of their records,
//! is what a record costs after warm-up.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use plansift::error::Result;
use plansift::input::Slice;
use plansift::record::{Options, Record, sift};
use plansift::sink::{Sink, ndjson::Ndjson};
use plansift_peers::mapped;

/// The allocator of the system, counted.
struct Counted;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all is left to the allocator of the system.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: what the caller owes is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: what the caller owes is handed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: what the caller owes is handed on.
        unsafe { System.realloc(at, layout, len) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// Records as lines of JSON that nobody reads, and their number.
struct Counting(Ndjson<io::Sink>, u64);

impl Sink for Counting {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.1 += 1;
        self.0.record(record)
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}

fn main() {
    let plan = mapped();
    let mut sink = Counting(Ndjson::new(io::sink()), 0);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    sift(Slice(&plan), "plan.json", &Options::default(), &mut sink).expect("a plan");
    sink.finish().expect("a sink takes everything");
    println!("{} {}", ALLOCATIONS.load(Ordering::Relaxed) - before, sink.1);
}

//! Counts the memory allocations of plansift while it reads a plan and writes its records, and
//! prints them with the number of records. The difference between two plans, divided by the
//! difference in records, is the cost of a record after warm-up.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use plansift_plan::error::Result;
use plansift_plan::input::Slice;
use plansift_plan::plan::Documents;
use plansift_plan::record::{Record, RecordOptions, RecordRequest, write_records};
use plansift_plan::sink::{Sink, ndjson::Ndjson};
use plansift_peers::mapped;

/// The system allocator, with a counter.
struct Counted;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every method forwards to the system allocator, which fulfils the contract of
// `GlobalAlloc`.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees a layout of non-zero size, as `System.alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller passes a block and the layout it was allocated with. The block came
        // from `System`, because `alloc` and `realloc` forward to it.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller passes a block of `System` with its layout, and a new length that is
        // not zero and does not overflow.
        unsafe { System.realloc(at, layout, len) }
    }
}

#[global_allocator]
static COUNTED: Counted = Counted;

/// Writes records as JSON lines to a sink, and counts them.
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
    let options = RecordOptions::default();
    let mut documents = Documents::only(Slice(&plan), &options.read);
    let request = RecordRequest::new("plan.json", &options);
    write_records(&mut documents, request, &mut sink).expect("a plan");
    sink.finish().expect("a sink takes everything");
    println!("{} {}", ALLOCATIONS.load(Ordering::Relaxed) - before, sink.1);
}

//! Counts allocations while a plan becomes records. It is a binary of its own, because it counts
//! for the whole process, and a single test, because tests of one binary run at the same time.
//!
//! The number may grow with the longest change, never with the number of changes. A plan twice as
//! long takes no more, apart from a few for each range that another thread reads.

#![expect(unsafe_code, reason = "an allocator is unsafe to write")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use plansift::input::{self, Input, Mapping, Slice, Source};
use plansift::plan::Documents;
use plansift::record::{RecordOptions, RecordRequest, Show, write_records};
use plansift::sink::Sink;
use plansift::sink::json::Json;
use plansift::sink::ndjson::Ndjson;

/// The system's allocator with a count of allocations.
struct Counted;

static ASKED: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: every call goes to the system's allocator, with the guarantees of this one's caller.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller promises a layout that is not empty.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a block of this allocator, which is one of the system's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller promises a block of this allocator, its layout, and a size above zero.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Changes by their special feature: the members of an element after its address.
const CHANGES: [(&str, &str); 13] = [
    ("no-op", r#""change":{"actions":["no-op"],"before":null,"after":null}"#),
    (
        "create",
        r#""mode":"managed","type":"a","name":"b","provider_name":"c","module_address":"m",
        "change":{"actions":["create"],"before":null,"after":{"a":"b"},
        "after_unknown":{"id":true,"list":[{"x y":true}]},"before_sensitive":false,
        "after_sensitive":{"p":true}}"#,
    ),
    (
        "update",
        r#""change":{"actions":["update"],"before":{"a":1,"b":{"c":[1,2]},"d":"x"},
        "after":{"a":2,"b":{"c":[1,3]},"d":"x"},"after_unknown":{"id":true}}"#,
    ),
    ("no-op with values", r#""change":{"actions":["no-op"],"before":{"a":1},"after":{"a":1}}"#),
    ("delete", r#""deposed":"0123","change":{"actions":["delete"],"before":{"a":1},"after":null}"#),
    ("a number for index", r#""index":12,"change":{"actions":["create"],"after":{}}"#),
    ("a string for index", r#""index":"a\"b\u003c","change":{"actions":["create"],"after":{}}"#),
    ("move", r#""previous_address":"a.z[\"é\"]","change":{"actions":["no-op"]}"#),
    (
        "replacement",
        r#""action_reason":"replace_because_cannot_update",
        "change":{"actions":["create","delete"],"after":{},
        "replace_paths":[["a"],["tags","k/v\n"],["list",0,"b"]]}"#,
    ),
    ("opening", r#""mode":"ephemeral","change":{"actions":["open"],"before":null,"after":null}"#),
    ("forgetting", r#""change":{"actions":["create","forget"],"before":{},"after":null}"#),
    (
        "import",
        r#""change":{"actions":["create"],"after":{"a":1},"before_sensitive":{},
        "after_sensitive":{},"importing":{"id":"i-1\t", "identity":{"a":["b"]}, "n" : 1}}"#,
    ),
    (
        "import by a secret",
        r#""change":{"actions":["no-op"],"before":{"a":"i-1","b":[{"c":17},{}]},
        "after":{"a":"i-1","b":[{"c":17},{}]},"before_sensitive":{"a":true,"b":[{"c":true},{}]},
        "after_sensitive":{"a":true,"b":[{"c":true},{}]},
        "importing":{"id":"i-1","number":17,"text":"i\u002d1"}}"#,
    ),
];

fn plan(change: &str, count: usize) -> String {
    let element =
        |number| format!(r#"{{"address":"module.m[\"é\"].a.b[{}]",{change}}}"#, 1_000_000 + number);
    let changes: Vec<_> = (0..count).map(element).collect();
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[{}]}}"#,
        changes.join(",")
    )
}

fn write(source: impl Source, options: &RecordOptions, sink: &mut dyn Sink) {
    let mut documents = Documents::only(source, &options.read);
    let request = RecordRequest::new("plan.json", options);
    write_records(&mut documents, request, sink).expect("a plan");
}

/// Number of allocations while a plan becomes records.
fn count_allocations(plan: &str, sink: &mut dyn Sink) -> u64 {
    let options = RecordOptions { show: Show::All, ..RecordOptions::default() };
    let before = ASKED.load(Ordering::Relaxed);
    write(Slice(plan.as_bytes()), &options, sink);
    ASKED.load(Ordering::Relaxed) - before
}

/// Number of allocations while several threads read a mapped file.
fn count_on_threads(plan: &str) -> u64 {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(plan.as_bytes()).expect("it is written");
    let mut options = RecordOptions::default();
    options.read.threads = NonZeroUsize::new(3);
    #[allow(unsafe_code, reason = "mapped files have a contract")]
    // SAFETY: no other process knows the file.
    let mapping = unsafe { Mapping::auto() };
    let options_of_file = input::InputOptions { mapping, ..input::InputOptions::default() };
    let input = Input::open_file(file.path(), &options_of_file).expect("a file");
    let before = ASKED.load(Ordering::Relaxed);
    write(input, &options, &mut Ndjson::new(std::io::sink()));
    ASKED.load(Ordering::Relaxed) - before
}

#[test]
fn allocations_do_not_grow_with_the_number_of_changes() {
    a_plan_twice_as_long_has_no_more_allocations();
    threads_allocate_for_each_range_not_for_each_change();
}

fn threads_allocate_for_each_range_not_for_each_change() {
    /// Length in bytes of a range that one thread reads.
    const RANGE: usize = 256 << 10;
    /// Number of allocations for each range.
    const EACH: u64 = 4;
    /// Allocations of threads that had no work in the shorter plan, and a reserve.
    const AT_FIRST: u64 = 150;
    for (name, change) in CHANGES {
        let count = 16 * RANGE * 10 / plan(change, 10).len();
        let [once, twice] = [count, 5 * count].map(|count| {
            let plan = plan(change, count);
            (count_on_threads(&plan), plan.len() / RANGE)
        });
        let more = twice.0.saturating_sub(once.0);
        let ranges = (twice.1 - once.1) as u64;
        let changes = 4 * count as u64;
        assert!(changes > 20 * ranges * EACH, "{name}: {changes} in {ranges}");
        let stacks = stacks(name, changes);
        assert!(more <= ranges * EACH + AT_FIRST + stacks, "{name}: {once:?}, then {twice:?}");
    }
}

/// Number of allocations for this number of changes. To write JSON text, serde_json checks it, and
/// allocates a stack if objects or arrays in it are nested, as in this import.
fn stacks(name: &str, changes: u64) -> u64 {
    if name == "import" { changes } else { 0 }
}

fn a_plan_twice_as_long_has_no_more_allocations() {
    const COUNT: usize = 1000;
    // A list of results may double its capacity once more.
    const MORE: u64 = 8;
    let sinks: [fn() -> Box<dyn Sink>; 2] =
        [|| Box::new(Ndjson::new(std::io::sink())), || Box::new(Json::new(std::io::sink()))];
    for (name, change) in CHANGES {
        for sink in sinks {
            let once = count_allocations(&plan(change, COUNT), sink().as_mut());
            let twice = count_allocations(&plan(change, 2 * COUNT), sink().as_mut());
            assert!(once > 0, "requests are counted");
            let stacks = stacks(name, COUNT as u64);
            assert!(twice <= once + MORE + stacks, "{name}: {once}, then {twice}");
        }
    }
}

//! Benchmarks each layer on the same plans: a few megabytes in memory, generated with a fixed seed.
//!
//! ```text
//! cargo bench --bench engine                  everything
//! cargo bench --bench engine -- skip          one layer
//! cargo bench --bench engine -- --test        each once, for its counts only
//! ```
//!
//! Every bench compares its count with the generator's, or with a loop over the bytes, so a fast
//! wrong answer fails. The plans are larger than the caches that matter, and all their pages are
//! touched before the measurement. For speed over files see the numbers in `benches/results`.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use plansift::diff::Differ;
use plansift::error::Result;
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::json::cursor::Cursor;
use plansift::limits::Limits;
use plansift::plan::{self, Documents, Flow, Piece, PieceKind, ResourceChange, Section, Visitor};
use plansift::record::{NullSink, RecordOptions, RecordRequest, write_records};
use plansift::scan::{BATCH, BLOCK, Block, Detail, Isa, Scanner};
use serde_json::Value;

use generate::plan::Shape;

#[allow(dead_code, reason = "the benches need a part of what the command does")]
mod generate {
    mod configuration;
    mod kind;
    mod object;
    pub mod plan;
    mod resource;
}

criterion_group!(benches, scan, skip, visit, diff, whole);
criterion_main!(benches);

/// A generated plan and its expected counts.
struct Plan {
    name: &'static str,
    text: Vec<u8>,
    /// The expected `summary` record.
    summary: Value,
}

impl Plan {
    fn new(name: &'static str, size: u64) -> Plan {
        let shape = Shape::named(name).expect("a shape");
        let options = generate::plan::Options { size, seed: 1, shape, ..Default::default() };
        let mut text = Vec::new();
        let summary = generate::plan::write(&options, &mut text, &mut std::io::sink())
            .expect("memory can be written");
        let summary = serde_json::from_str(&summary.to_json()).expect("a record");
        Plan { name, text, summary }
    }

    fn resource_changes(&self) -> u64 {
        let by_action = self.summary["resource_changes"].as_object().expect("counts");
        by_action.values().filter_map(Value::as_u64).sum()
    }
}

/// Length of a plan in bytes.
const SIZE: u64 = 8_000_000;

fn plans() -> [Plan; 2] {
    [Plan::new("estate", SIZE), Plan::new("busy", SIZE)]
}

/// A benchmark group that reports bytes of `text` per second.
fn group<'c>(
    criterion: &'c mut Criterion,
    name: &str,
    text: &[u8],
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
    group
}

/// Computes the masks of every block. Counts brackets outside strings.
fn scan(criterion: &mut Criterion) {
    let mut plan = Plan::new("estate", SIZE);
    plan.text.resize(plan.text.len().next_multiple_of(BLOCK), b' ');
    let expected = brackets(&plan.text);
    let mut group = group(criterion, "scan", &plan.text);
    for isa in Isa::all() {
        for (detail, name) in [(Detail::Structure, "structure"), (Detail::Tokens, "tokens")] {
            group.bench_function(BenchmarkId::new(isa.name(), name), |bencher| {
                let mut blocks = [Block::default(); BATCH];
                bencher.iter(|| {
                    let mut scanner = Scanner::new(isa, detail);
                    let mut count = 0;
                    for text in plan.text.chunks(BATCH * BLOCK) {
                        let blocks = &mut blocks[..text.len() / BLOCK];
                        assert_eq!(scanner.scan(text, blocks), None);
                        count += blocks
                            .iter()
                            .map(|it| u64::from(it.brackets.count_ones()))
                            .sum::<u64>();
                    }
                    assert_eq!(count, expected);
                });
            });
        }
    }
}

/// The number of brackets outside strings, counted byte by byte.
fn brackets(text: &[u8]) -> u64 {
    let (mut in_string, mut escaped, mut count) = (false, false, 0);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b']' | b'{' | b'}' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// Skips a whole document as one value. Counts its bytes.
fn skip(criterion: &mut Criterion) {
    let plan = Plan::new("estate", SIZE);
    let mut group = group(criterion, "skip", &plan.text);
    let levels = [(Validation::Structure, "structure"), (Validation::Grammar, "full")];
    for (validation, name) in levels {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let source = Slice(&plan.text);
                let mut cursor = Cursor::new(source, 0, Isa::best(), validation, Limits::default());
                cursor.skip().expect("a document");
                assert!(cursor.at_end().expect("a document"));
                assert_eq!(cursor.offset(), plan.text.len() as u64);
            });
        });
    }
}

/// Reads a plan with a visitor that ignores all values. Counts resource changes.
fn visit(criterion: &mut Criterion) {
    struct Counter(u64);
    impl Visitor for Counter {
        fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
            if piece.kind == PieceKind::ResourceChange {
                ResourceChange::parse(piece.section, piece.value)?;
                self.0 += u64::from(piece.section == Section::ResourceChanges);
            }
            Ok(Flow::Continue)
        }
    }
    for plan in plans() {
        let expected = plan.resource_changes();
        group(criterion, "visit", &plan.text).bench_function(plan.name, |bencher| {
            bencher.iter(|| {
                let mut counter = Counter(0);
                plan::read(Slice(&plan.text), &plan::PlanOptions::default(), &mut counter)
                    .expect("a plan");
                assert_eq!(counter.0, expected);
            });
        });
    }
}

/// Diffs one change whose sides differ in several places. Its overlays equal those of the previous
/// change, as for instances of one resource. Counts changed paths.
fn diff(criterion: &mut Criterion) {
    struct Measure<'c>(&'c mut Criterion, u64);
    impl Visitor for Measure<'_> {
        fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
            if (piece.kind, piece.section) != (PieceKind::ResourceChange, Section::ResourceChanges)
            {
                return Ok(Flow::Continue);
            }
            let it = ResourceChange::parse(piece.section, piece.value)?;
            let sides = [it.change.before, it.change.after].into_iter().flatten();
            let len = sides.map(|side| side.raw().len() as u64).sum();
            let mut group = self.0.benchmark_group("diff");
            group.throughput(Throughput::Bytes(len)).bench_function("busy", |bencher| {
                let mut differ = Differ::new(&Limits::default());
                bencher.iter(|| {
                    differ.diff(&it.change).expect("a change");
                    assert_eq!(differ.changed.len() as u64, self.1);
                });
            });
            Ok(Flow::Stop)
        }
    }
    // The smallest plan: one instance.
    let plan = Plan::new("busy", 1);
    assert_eq!(plan.resource_changes(), 1);
    let expected = plan.summary["changed_paths"].as_u64().expect("a count");
    let mut measure = Measure(criterion, expected);
    plan::read(Slice(&plan.text), &plan::PlanOptions::default(), &mut measure).expect("a plan");
}

/// Turns bytes into records that are not written. Counts everything in the summary.
fn whole(criterion: &mut Criterion) {
    for plan in plans() {
        let mut expected = plan.summary.clone();
        expected.as_object_mut().expect("a record").remove("kind");
        group(criterion, "whole", &plan.text).bench_function(plan.name, |bencher| {
            let mut summary = None;
            bencher.iter(|| {
                let options = RecordOptions::default();
                let mut documents = Documents::only(Slice(&plan.text), &options.read);
                let request = RecordRequest::new("plan.json", &options);
                let outcome = write_records(&mut documents, request, &mut NullSink);
                summary = Some(outcome.expect("a plan").summary);
            });
            if let Some(summary) = summary {
                let found = serde_json::to_value(summary).expect("a record");
                assert_eq!(found, expected);
            }
        });
    }
}

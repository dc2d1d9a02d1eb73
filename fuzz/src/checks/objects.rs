//! Reads the objects that comparisons and digests are about.

use plansift::compare::collect::{Collector, Facts};
use plansift::compare::digest::{self, DocumentDigest};
use plansift::compare::join::Objects;
use plansift::compare::meaning::ValueKey;
use plansift::compare::planned::Planned;
use plansift::compare::screen::{Recording, Screen};
use plansift::compare::states::read_state;
use plansift::compare::view::PlannedView;
use plansift::error::Result;
use plansift::input::Slice;
use plansift::limits::Limits;
use plansift::plan::{Accepts, Document, Documents};
use plansift::record::{
    CheckRequest, CompareLevel, PieceChecker, RecordOptions, RecordRequest, write_records,
};

/// The objects of a document, and facts about it.
pub struct Read {
    pub objects: Objects,
    pub facts: Facts,
}

/// The key of all digests.
pub fn key() -> ValueKey {
    ValueKey::new([7; 32])
}

/// The objects of a document.
pub fn read(text: &str) -> Read {
    expect(try_read(text.as_bytes()))
}

/// The objects of a document, unless it is an error.
pub fn try_read(text: &[u8]) -> Result<Read> {
    let mut read = none();
    pass::<Screen>(text, None, &mut read, |_| true)?;
    Ok(read)
}

/// The objects of two documents, without the changes that both contain byte for byte.
pub fn read_pair(old: &str, new: &str) -> [Read; 2] {
    let [mut before, mut after] = [none(), none()];
    let key = key();
    let mut all = |checker| pass(old.as_bytes(), checker, &mut before, |_| true);
    let recorded = expect(all(Some(Recording::new(&key)))).expect("a checker");
    let screen = Screen::new(&key, recorded.hashes());
    let screened = expect(pass(new.as_bytes(), Some(screen), &mut after, |_| true));
    if let Some(matched) = screened.expect("a checker").matched() {
        let is_change = |planned: &Planned| planned.object.is_change();
        expect(pass(old.as_bytes(), Some(matched), &mut before, is_change));
    }
    [before, after]
}

/// The digest of a document.
pub fn digest(text: &str, level: CompareLevel) -> DocumentDigest {
    digest::digest(read(text).objects, level, Vec::new()).expect("objects in memory")
}

fn expect<T>(read: Result<T>) -> T {
    read.unwrap_or_else(|error| panic!("{error}"))
}

fn none() -> Read {
    Read { objects: Objects::new(Limits::default().spool), facts: Facts::default() }
}

/// Reads a document once, and adds the objects that `keeps` accepts. Returns the checker.
fn pass<C: PieceChecker>(
    text: &[u8],
    mut checker: Option<C>,
    read: &mut Read,
    keeps: fn(&Planned) -> bool,
) -> Result<Option<C>> {
    let Read { objects, facts } = read;
    let key = key();
    let mut each = |planned: Planned| match keeps(&planned) {
        true => objects.push(planned),
        false => Ok(()),
    };
    let options = RecordOptions { accepts: Accepts::States, ..RecordOptions::default() };
    let mut collector = Collector::new(&key, &[], facts, &mut each);
    let view = PlannedView { key: &key, shown: None };
    let mut documents = Documents::only(Slice(text), &options.read);
    let request = RecordRequest::new("plan.json", &options).with_view(Some(&view));
    match checker.take() {
        None => write_records(&mut documents, request, &mut collector)?,
        Some(taken) => {
            let failed = &mut |taken: C, _: &Document| {
                checker = Some(taken);
                Ok(Vec::new())
            };
            let request = request.with_check(CheckRequest { checker: taken, failed });
            write_records(&mut documents, request, &mut collector)?
        }
    };
    if facts.is_state {
        let mut each = |planned: Planned| match keeps(&planned) {
            true => objects.push(planned),
            false => Ok(()),
        };
        let mut collector = Collector::new(&key, &[], facts, &mut each);
        let mut documents = Documents::only(Slice(text), &options.read);
        read_state(&mut documents, view, &options.read.limits, &mut collector)?;
    }
    Ok(checker)
}

//! A report does not depend on windows. It contains no control characters, which a terminal would
//! interpret.

use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::limits::Limits;
use plansift::plan::{self, Documents};
use plansift::record::{RecordOptions, RecordRequest, write_records};
use plansift::report::screen::Color;
use plansift::report::term::Term;
use plansift::report::view::{AttributeView, Detail, ViewSettings};
use plansift::scan::Isa;
use plansift::secret::{self, EchoOf, collect};
use plansift::sink::Sink;

use super::draw::Draw;
use super::failure::{Failure, failure};
use super::pieces::Pieces;

/// Reports `text` with all values, whole and in pieces.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    let whole = reported(|| Slice(text), Isa::best());
    let pieces = draw.clone();
    let isa = draw.one_of(&isas);
    let cut = reported(|| Pieces::new(text, pieces.clone()), isa);
    assert_eq!(cut, whole, "{}", isa.name());
    if let Ok(report) = whole {
        let is_obeyed = |it: char| it != '\n' && it.is_control();
        assert!(!report.contains(is_obeyed), "{report:?}");
    }
}

fn reported<S: Source>(
    mut open: impl FnMut() -> S,
    isa: Isa,
) -> std::result::Result<String, Failure> {
    let limits = Limits { secrets: 100, ..Limits::default() };
    let read = plan::PlanOptions { isa, limits, ..plan::PlanOptions::default() };
    let secrets = secret::SecretOptions { read, echo_min: 3, echo: EchoOf::Whole, names: None };
    let mut out = Vec::new();
    let mut run = || -> Result<()> {
        let collected = collect(|| Ok(open()), &secrets)?;
        let view = AttributeView::All(ViewSettings {
            collected: &collected,
            options: &secrets,
            detail: Detail::Excerpts,
        });
        let mut sink = Term::new(&mut out, Color::None, &[]);
        let mut documents = Documents::only(open(), &read);
        let options = RecordOptions { read, ..RecordOptions::default() };
        let request = RecordRequest::new("", &options).with_view(Some(&view));
        write_records(&mut documents, request, &mut sink)?;
        sink.finish()
    };
    match run() {
        Ok(()) => Ok(String::from_utf8(out).expect("a report is UTF-8")),
        Err(error) => Err(failure(&error)),
    }
}

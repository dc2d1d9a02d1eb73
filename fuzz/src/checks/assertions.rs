//! Parsing a file of assertions never panics, and assertions that parse can be evaluated on a plan.

use plansift::assertion::{Assertions, Run, Syntax, parse, parse_one};
use plansift::input::Slice;
use plansift::plan::{Accepts, Documents, PlanOptions};

/// A plan with something for most assertions to look at.
const PLAN: &[u8] = br#"{"format_version":"1.2","resource_changes":[{"address":"a.b","type":"a",
    "change":{"actions":["update"],"before":{"x":1},"after":{"x":[1,"t",{"y":null}]},
    "after_unknown":{"z":true},"after_sensitive":{"x":[true]}}}],
    "output_changes":{"o":{"actions":["create"],"after":"v"}}}"#;

/// Parses `text` in each syntax, and evaluates the assertions on [`PLAN`]. Also parses `text` as a
/// single assertion.
pub fn check(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    for syntax in [Syntax::Yaml, Syntax::Toml, Syntax::Json] {
        let assertions = match parse(text, syntax) {
            Ok(assertions) => assertions,
            Err(error) => {
                // YAML ends lines with a carriage return, too.
                let lines = text.matches(['\n', '\r']).count() + 2;
                assert!((1..=lines).contains(&error.line), "line {} of {lines}", error.line);
                continue;
            }
        };
        let assertions = Assertions::from(assertions);
        let mut run = Run::new(&assertions);
        let mut documents = Documents::new(Slice(PLAN), &PlanOptions::default());
        let document = documents.read(Accepts::States, &mut run).expect("a plan");
        assert_eq!(run.finish(&document).outcomes.len(), assertions.list().len());
    }
    let _ = parse_one(text);
}

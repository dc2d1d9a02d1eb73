//! Several documents in one input: each is reported, and none is dropped, for any split into
//! windows.

use plansift::error::ErrorKind;
use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::plan::{self, Documents, NextDocument, REACH, SurroundingText};
use plansift::record::{Label, Record, RecordOptions, RecordRequest, write_records};
use plansift::sink::Sink;

use crate::in_memory::Cut;

/// A plan on one line that creates `x.NAME`.
fn plan(name: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","prior_state":{{"values":{{}}}},"resource_changes":[
        {{"address":"x.{name}","change":{{"actions":["create"]}}}}],"errored":false}}"#,
    )
    .replace("\n        ", "")
}

/// A sink that keeps the first address of each plan.
#[derive(Default)]
struct First {
    address: String,
    bytes: u64,
}

impl Sink for First {
    fn record(&mut self, record: &Record<'_>) -> plansift::error::Result<()> {
        match record {
            Record::Plan(_) => self.address.clear(),
            Record::ResourceChange(change) => self.address = change.label().into_owned(),
            Record::Summary(summary) => self.bytes += summary.bytes,
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> plansift::error::Result<()> {
        Ok(())
    }
}

fn options(validation: Validation) -> RecordOptions {
    RecordOptions {
        read: plan::PlanOptions { validation, ..Default::default() },
        ..Default::default()
    }
}

/// The result for each document: `x.NAME`, or an error with its location, followed by `?` if the
/// rest of the input is not read. Also the number of bytes of all complete documents.
fn results_with_bytes(source: impl Source, options: &RecordOptions) -> (Vec<String>, u64) {
    let mut documents = Documents::new(source, &options.read);
    let (mut results, mut first) = (Vec::new(), First::default());
    loop {
        let label = Label { source: "-", workspace: None };
        match write_records(&mut documents, RecordRequest::new(label, options), &mut first) {
            Ok(_) => results.push(first.address.clone()),
            Err(error) => {
                let offset = error.location().map(|place| place.offset);
                results.push(format!("!{:?} {offset:?}", error.cause()));
            }
        }
        match documents.find_next() {
            NextDocument::Document(_) => {}
            NextDocument::End => return (results, first.bytes),
            NextDocument::Unknown { .. } => {
                results.push("?".to_owned());
                return (results, first.bytes);
            }
        }
    }
}

fn results(text: &str) -> Vec<String> {
    results_with_bytes(Slice(text.as_bytes()), &RecordOptions::default()).0
}

/// Results without the details of errors.
fn shape(results: &[String]) -> Vec<&str> {
    results.iter().map(|it| if it.starts_with('!') { "!" } else { it.as_str() }).collect()
}

/// Streams, and the expected result for each of their documents.
fn streams() -> Vec<(String, &'static [&'static str])> {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let indented = |plan: &str| plan.replace(":[", ":[\n  ").replace("{\"f", "{\n  \"f");
    let cut = &b[..b.len() - 20];
    let sorted = r#"{"applyable":true,"format_version":"1.2","resource_changes":[]}"#;
    vec![
        (format!("{a}\n{b}\n{c}\n"), &["x.a", "x.b", "x.c"]),
        (format!("{a}{b}{c}"), &["x.a", "x.b", "x.c"]),
        (format!("{a} {b}\r\n\r\n\t{c}"), &["x.a", "x.b", "x.c"]),
        (format!("\u{feff}\n{a}\n{b}"), &["x.a", "x.b"]),
        ([&a, &b, &c].map(|it| indented(it)).join("\n"), &["x.a", "x.b", "x.c"]),
        (format!("[a] {a}\n[b] {b}\n[c] {c}\n"), &["x.a", "x.b", "x.c"]),
        (format!("Group 1\n- unit a\n\n{a}\nunit b\n{b}\nDone.\n"), &["x.a", "x.b"]),
        // A document that is truncated in the middle or at the end of the stream.
        (format!("{a}\n{cut}\n{c}\n"), &["x.a", "!", "x.c"]),
        (format!("{cut}\n{a}\n{c}\n"), &["!", "x.a", "x.c"]),
        (format!("{a}\n{cut}"), &["x.a", "!", "?"]),
        (format!("{cut}\n{cut}\n{cut}\n{a}"), &["!", "!", "!", "x.a"]),
        (format!("{cut}\n{sorted}\n"), &["!", ""]),
        // The rest of a line is skipped; the next document starts on the next line.
        (format!("{a}\n{cut}{b}\n{c}\n"), &["x.a", "!", "x.c"]),
        // The start of the next document cannot be found.
        (format!("{a}{cut}{c}"), &["x.a", "!", "?"]),
        (format!("{a}\n{}\n{}", indented(cut), indented(&c)), &["x.a", "!", "?"]),
        (format!("{a}\n{}\n{c}", indented(cut)), &["x.a", "!", "x.c"]),
        // JSON documents that are not plans.
        (format!("{a}\n{{\"format_version\":\"1.0\"}}\n{c}"), &["x.a", "!", "x.c"]),
        (format!("{a}\n{{}}\n{c}"), &["x.a", "!", "x.c"]),
        (format!("{a}{{}}"), &["x.a", "!", "?"]),
        (
            format!("{a}\n{{\"format_version\":\"2.0\",\"errored\":true}}\n{c}"),
            &["x.a", "!", "x.c"],
        ),
        // Malformed text after a plan is an error, as in an input with a single document.
        (format!("{a}\n]}}\n{c}"), &["!", "x.c"]),
        (format!("{a}\n::debug::stdout: {}", plan("other")), &["!", "?"]),
        // Some versions of setup-terraform print everything twice.
        (format!("{a}\n::debug::stdout: {a}\n"), &["x.a"]),
        // A nested object on a line of its own is not another document.
        (a.replace("{\"values\"", "\n{\"format_version\""), &["x.a"]),
    ]
}

/// Streams with arrays of plans, and the expected result for each of their documents.
fn arrays() -> Vec<(String, &'static [&'static str])> {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let cut = &b[..b.len() - 20];
    vec![
        (format!("[{a},{b},{c}]"), &["x.a", "x.b", "x.c"]),
        (format!(" [ {a} ,\r\n\t{b}\n, {c}\n]\n \n"), &["x.a", "x.b", "x.c"]),
        (format!("\u{feff}[\n{a},\n{b}\n]"), &["x.a", "x.b"]),
        (format!("[{a}]"), &["x.a"]),
        // Arrays, documents and texts in a row.
        (format!("[{a}]\n[{b}] {c}"), &["x.a", "x.b", "x.c"]),
        (format!("{a}\n[{b},{c}]"), &["x.a", "x.b", "x.c"]),
        (format!("[command]/bin/jq -s . p\n[{a},{b}]\nDone.\n"), &["x.a", "x.b"]),
        (format!("unit a\n{a}\nunit b\n[\n{b}]\n[c] [{c}]\n"), &["x.a", "x.b", "x.c"]),
        // Documents that are not plans, and values that are not objects.
        (format!("[{a},{{}},{c}]"), &["x.a", "!", "x.c"]),
        (format!("[{a},{{\"a\":1}}\n]\n{c}"), &["x.a", "!", "x.c"]),
        (format!("[{a},{{\"a\":1}}]"), &["x.a", "!"]),
        (format!("[{a},{{\"a\":1}}"), &["x.a", "!", "?"]),
        (format!("[{a},{{\"encrypted_data\":[1],\"b\":{{}}}},{c}]"), &["x.a", "!", "x.c"]),
        (format!("[{a},{{\"encrypted_data\":[1],\"b\":{{]}},{c}]"), &["x.a", "!", "?"]),
        (format!("[{a},{{\"values\":{{}},\"format_version\":\"1.0\"}},{c}]"), &["x.a", "!", "x.c"]),
        (format!("[{{\"a\":1}},{a}]"), &["!", "?"]),
        (format!("[{a},null]"), &["x.a", "!"]),
        (format!("[{a},[{b}]]"), &["x.a", "!"]),
        (format!("[null,{a}]"), &["!"]),
        ("[]".to_owned(), &["!"]),
        ("[ \n]".to_owned(), &["!"]),
        // Damaged arrays.
        (format!("[{a},]"), &["x.a", "!"]),
        (format!("[{a},,{b}]"), &["x.a", "!"]),
        (format!("[{a}{b}]"), &["!", "?"]),
        (format!("[{a}}}"), &["!", "?"]),
        (format!("[{a},{b}"), &["x.a", "!", "?"]),
        (format!("[{a},{b}]]"), &["x.a", "!", "?"]),
        (format!("[{a},{b}],{c}"), &["x.a", "!", "?"]),
        (format!("[\n{a},\n{cut},\n{c}\n]\n"), &["x.a", "!", "?"]),
        (format!("[{a}]\nrue}}]}}"), &["!", "?"]),
        // Arrays inside arrays, and arrays that begin with other elements.
        (format!("[[{a}]"), &["!"]),
        (format!("[ [{a}]"), &["!"]),
        (format!("[\n[\n{a}\n]"), &["!"]),
        (format!("[[{a},{b}]]"), &["!"]),
        (format!("[[{a}],[{b}]]"), &["!"]),
        (format!("[[[{a}"), &["!"]),
        (format!("[[1],[{a}]]"), &["!"]),
        (format!("log\n[[{a}]"), &["!"]),
        (format!("log\n[\n[\n{a}\n]"), &["!"]),
        (format!("log\n[null,{a}"), &["!"]),
        (format!("log\n[null,\n[{a}"), &["!"]),
        (format!("{a}\n[[{b}]"), &["x.a", "!"]),
        (format!("{a}\nlog\n[\n[\n{b}]"), &["x.a", "!"]),
        (format!("{a}\nlog\n[null,{b}"), &["x.a", "!"]),
    ]
}

#[test]
fn an_array_inside_an_array_is_named() {
    let p = plan("p");
    for text in [
        format!("[[{p}]"),
        format!("[ [{p}]"),
        format!("[\n[\n{p}\n]"),
        format!("log\n[[{p}]"),
        format!("[[{p}],[{p}]]"),
        format!("[[1],[{p}]]"),
    ] {
        let results = results(&text);
        assert_eq!(results, ["!Fault(NestedArray) None"], "{text}");
    }
    let at = p.len() + 2;
    let expected = ["x.p".to_owned(), format!("!Fault(NestedArray) Some({at})")];
    assert_eq!(results(&format!("[{p},[{p}]]")), expected);
}

#[test]
fn the_kind_of_an_element_depends_on_this_element_only() {
    let p = plan("p");
    for (text, kinds) in [
        (format!("[{p},{{\"x\":1}},{p}]"), ["OtherJson"].as_slice()),
        (format!("[{p},{{\"x\":{{\"y\":[1]}}}},{p}]"), &["OtherJson"]),
        (format!("[{p},{{\"x\":\"y\"}},{{\"x\":1}},{p}]"), &["OtherJson", "OtherJson"]),
        (format!("[{p},{{\"x\":{p}}},{p}]"), &["WrappedElement"]),
        (format!("{p}\n{{\"x\":{p}}}"), &["Wrapped"]),
    ] {
        let results = results(&text);
        let errors: Vec<&str> =
            results.iter().filter_map(|it| it.split(['(', ')']).nth(1)).collect();
        let errors: Vec<&str> =
            errors.into_iter().filter(|it| it.chars().all(char::is_alphabetic)).collect();
        assert_eq!(errors, kinds, "{text}: {results:?}");
    }
}

#[test]
fn every_document_of_a_stream_is_reported() {
    for (text, expected) in streams().into_iter().chain(arrays()) {
        assert_eq!(shape(&results(&text)), expected, "{text}");
    }
}

#[test]
fn every_byte_of_a_clean_stream_belongs_to_a_document() {
    for between in ["", "\n", "\r\n", " \n\n"] {
        let text = ["a", "b", "c"].map(plan).join(between);
        let (results, bytes) =
            results_with_bytes(Slice(text.as_bytes()), &RecordOptions::default());
        assert_eq!((results.len(), bytes), (3, text.len() as u64), "{between:?}");
    }
}

#[test]
fn streams_give_the_same_results_in_every_cut() {
    for (text, _) in streams().into_iter().chain(arrays()) {
        for validation in [Validation::Structure, Validation::Grammar] {
            let options = options(validation);
            let whole = results_with_bytes(Slice(text.as_bytes()), &options);
            for len in [1, 2, 3, 17, 64, 100] {
                let lengths = [len];
                let cut = Cut::new(text.as_bytes(), &lengths);
                assert_eq!(results_with_bytes(cut, &options), whole, "{len} of {text}");
            }
            for at in 1..text.len() {
                let lengths = [at, text.len()];
                let cut = Cut::new(text.as_bytes(), &lengths);
                assert_eq!(results_with_bytes(cut, &options), whole, "{at} of {text}");
            }
        }
    }
}

#[test]
fn a_plan_cut_anywhere_keeps_its_neighbours() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    for end in 1..b.len() {
        let text = format!("{a}\n{}\n{c}\n", &b[..end]);
        let results = results(&text);
        if b[..end].ends_with("\"prior_state\":") {
            // The next document stands where the prior state would be.
            assert_eq!(shape(&results), ["x.a", "!", "?"], "{end}");
            continue;
        }
        assert_eq!(shape(&results), ["x.a", "!", "x.c"], "{end}");
        let place = results[1].rsplit("Some(").next().and_then(|at| at.strip_suffix(')'));
        let place: usize = place.and_then(|at| at.parse().ok()).unwrap_or(a.len() + 1);
        assert!((a.len()..=a.len() + end + 2).contains(&place), "{end}: {results:?}");
    }
}

#[test]
fn a_plan_damaged_anywhere_keeps_its_neighbours() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    for hostile in *b"\"\\{}[],:\0\n\x1b\x7f\x80\xc3\xff0ue-" {
        // The first key stays intact: without it, the second document would be text after the
        // first.
        for at in r#"{"format_version""#.len()..b.len() {
            let mut text = format!("{a}\n{b}\n{c}\n").into_bytes();
            text[a.len() + 1 + at] = hostile;
            let (results, _) = results_with_bytes(Slice(&text), &RecordOptions::default());
            let ends = (results.first().map(String::as_str), results.last().map(String::as_str));
            assert_eq!(ends, (Some("x.a"), Some("x.c")), "{at}: {hostile:#x}: {results:?}");
            assert_eq!(results.len(), 3, "{at}: {hostile:#x}: {results:?}");
        }
    }
}

#[test]
fn an_array_has_the_plans_and_the_bytes_of_its_elements() {
    let [a, b] = ["a", "b"].map(plan);
    for space in ["", "\n", " \r\n\t"] {
        let array = format!("[{space}{a}{space},{space}{b}{space}]{space}");
        let (results, bytes) =
            results_with_bytes(Slice(array.as_bytes()), &RecordOptions::default());
        assert_eq!(results, ["x.a", "x.b"], "{array}");
        assert_eq!(bytes, (a.len() + b.len() + 4 * space.len()) as u64, "{array}");
    }
}

#[test]
fn an_array_cut_anywhere_is_an_error() {
    let [a, b] = ["a", "b"].map(plan);
    let text = format!("[\n{a},\n{b}\n]");
    for validation in [Validation::Structure, Validation::Grammar] {
        for end in 1..text.len() {
            let (results, _) =
                results_with_bytes(Slice(&text.as_bytes()[..end]), &options(validation));
            let errors = results.iter().filter(|result| result.starts_with('!')).count();
            assert_eq!(errors, 1, "{end}: {results:?}");
            let is_first_whole = end > a.len() + 2;
            assert_eq!(results[0] == "x.a", is_first_whole, "{end}: {results:?}");
        }
    }
}

#[test]
fn an_array_damaged_anywhere_loses_no_plan_silently() {
    let [a, b] = ["a", "b"].map(plan);
    let text = format!("[ {a} , {b} ]\n");
    for hostile in *b"\"\\{}[],:\0\n\x1b\x80ue- " {
        let between = [0, 1, a.len() + 2, a.len() + 3, a.len() + 4, text.len() - 3, text.len() - 2];
        for at in between {
            let mut text = text.clone().into_bytes();
            text[at] = hostile;
            let (results, _) = results_with_bytes(Slice(&text), &RecordOptions::default());
            let is_whole = results == ["x.a", "x.b"];
            let is_refused = results.iter().any(|result| result.starts_with('!'));
            assert!(is_whole != is_refused, "{at}: {hostile:#x}: {results:?}");
        }
    }
}

#[test]
fn errors_in_an_array_have_a_place() {
    let [a, b] = ["a", "b"].map(plan);
    for (text, at) in [
        (format!("[{a}, {{\"a\":1}}]"), a.len() + 3),
        (format!("[{a}, 17]"), a.len() + 3),
        (format!("[{a} {b}]"), a.len() + 2),
        (format!("[{a},"), a.len() + 2),
        (format!("[{a}"), a.len() + 1),
    ] {
        let results = results(&text);
        let error = results.iter().find(|result| result.starts_with('!')).expect("an error");
        assert!(error.ends_with(&format!("Some({at})")), "{text}: {error}");
    }
}

#[test]
fn strict_takes_several_documents_but_no_text_between_them() {
    let [a, b] = ["a", "b"].map(plan);
    let mut strict = RecordOptions::default();
    strict.read.surrounding_text = SurroundingText::Refused;
    let results = |text: &str| results_with_bytes(Slice(text.as_bytes()), &strict).0;
    assert_eq!(results(&format!("{a}\n{b}\n")), ["x.a", "x.b"]);
    assert_eq!(results(&format!("{a}{b}")), ["x.a", "x.b"]);
    assert_eq!(results(&format!("[{a},{b}]\n")), ["x.a", "x.b"]);
    assert_eq!(shape(&results(&format!("[{a},{b}]\nDone.\n"))), ["x.a", "!", "?"]);
    assert_eq!(shape(&results(&format!("{a}\nDone.\n{b}"))), ["!", "x.b"]);
    assert_eq!(shape(&results(&format!("{a}\nDone."))), ["!", "?"]);
}

#[test]
fn the_search_for_the_next_document_is_bounded() {
    let [a, b] = ["a", "b"].map(plan);
    let long = |len: u64| {
        let head = r#"{"format_version":"1.2","variables":{"v":{"value":""#;
        let mut text = head.to_owned();
        text.push_str(&"x".repeat(len as usize - head.len()));
        text
    };
    // The line feed before the next document is the last byte within reach, or the first beyond it.
    for (len, expected) in [(REACH - 1, &["!", "x.a", "x.b"][..]), (REACH, &["!", "?"])] {
        let text = format!("{}\n{a}\n{b}\n", long(len));
        assert_eq!(shape(&results(&text)), expected);
        let whole = format!("{}\"}}}},\"errored\":true}}\n{a}\n{b}\n", long(len));
        assert_eq!(results(&whole), ["", "x.a", "x.b"], "what is whole has no such bound");
    }
}

#[test]
fn a_reader_of_one_document_takes_no_other() {
    let [a, b] = ["a", "b"].map(plan);
    let texts = ["", "\n", "\nDone.\n"].map(|between| format!("{a}{between}{b}"));
    for text in texts.into_iter().chain([format!("[{a},{b}]"), format!("[{a}]{b}")]) {
        let mut documents = Documents::only(Slice(text.as_bytes()), &plan::PlanOptions::default());
        let options = RecordOptions::default();
        let request = RecordRequest::new("-", &options);
        let read = write_records(&mut documents, request, &mut First::default());
        assert_eq!(read.map(|_| ()).map_err(|error| error.kind()), Err(ErrorKind::Trailing));
    }
}

/// The first line of a plan may span two windows; the reader does not wait for more.
#[test]
fn a_document_is_reported_before_the_next_one_arrives() {
    struct Steps {
        text: Vec<u8>,
        ends: std::vec::IntoIter<usize>,
        end: usize,
    }
    impl Source for Steps {
        fn window(&self) -> &[u8] {
            &self.text[..self.end]
        }

        fn offset(&self) -> u64 {
            0
        }

        fn fill(&mut self, _keep: u64) -> plansift::error::Result<bool> {
            let end = self.ends.next().expect("what is not needed is not asked for");
            let is_more = end > self.end;
            self.end = end;
            Ok(is_more)
        }

        fn finish(&mut self) -> plansift::error::Result<()> {
            Ok(())
        }
    }
    let first = plan("a") + "\n";
    let text = format!("{first}{}", plan("b"));
    for beginning in 1..20 {
        // The second end is one window further, because the reader may need it to recognise the
        // line.
        let ends = [20, first.len() + beginning, first.len() + 30].to_vec().into_iter();
        let source = Steps { text: text.clone().into_bytes(), ends, end: 0 };
        let options = options(Validation::Structure);
        let mut documents = Documents::new(source, &options.read);
        let mut sink = First::default();
        let label = Label { source: "-", workspace: None };
        write_records(&mut documents, RecordRequest::new(label, &options), &mut sink)
            .expect("a plan");
        assert_eq!(sink.address, "x.a", "{beginning}");
        assert_eq!(
            documents.find_next(),
            NextDocument::Document(first.len() as u64),
            "{beginning}"
        );
    }
}

/// A quadratic search would take an hour.
#[test]
fn plans_with_another_first_key_take_linear_time() {
    let line = "{\"configuration\":{},\"format_version\":\"1.2\",\"resource_changes\":[]}\n";
    let text = line.repeat(100_000);
    let (results, _) = results_with_bytes(Slice(text.as_bytes()), &options(Validation::Structure));
    assert_eq!(results.len(), 100_000);
}

//! Several documents in one input, the text around them, and documents with other parts left out.

use std::ops::Range;

use crate::answers;
use crate::error::{ErrorKind, Result};
use crate::in_memory::Cut;
use crate::input::{Slice, Source};
use crate::plan::{Documents, NextDocument, Piece, PieceKind};
use crate::redact::selection::{Reason, Selection, Verdict};
use crate::redact::{Secrecy, redact, rewrite};
use crate::slim::{SlimOptions, Wrap, slim};

/// A plan with a secret.
fn plan(secret: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{{
        "actions":["create"],"before":null,"after":{{"p":{secret},"q":"open"}},
        "after_sensitive":{{"p":true}}}}}}],"timestamp":"now"}}"#
    )
}

fn masked() -> String {
    plan(r#""(sensitive value)""#)
}

/// The redactions of the documents of a source, and the error of the first that fails.
fn redacted(source: impl Source) -> (Vec<String>, Option<ErrorKind>, NextDocument) {
    let options = answers::options();
    let mut documents = Documents::new(source, &options.secret.read);
    let mut written = Vec::new();
    loop {
        let mut out = Vec::new();
        let result = redact(&mut documents, None, &options, &mut out);
        let next = documents.find_next();
        if let Err(error) = result {
            return (written, Some(error.kind()), next);
        }
        written.push(String::from_utf8(out).expect("UTF-8"));
        if next == NextDocument::End {
            return (written, None, next);
        }
    }
}

/// The text around the documents is not written.
#[test]
fn each_document_of_an_input_is_redacted() {
    let plans = ["\"one\"", "\"twotwo\"", "3"].map(plan);
    for (between, end) in [("\n", ""), ("", "\n"), ("\nDone.\n\n", "\nDone.\n"), (" \n", " ")] {
        let text = format!("Text.\n{}{end}", plans.join(between));
        for lengths in [&[1 << 20][..], &[1, 7, 30], &[100]] {
            let (written, error, _) = redacted(Cut::new(text.as_bytes(), lengths));
            let written: Vec<_> = written.iter().map(|text| text.trim_end()).collect();
            assert_eq!((written, error), (vec![&*masked(); 3], None), "{text}");
        }
    }
    let text = format!(" [{}] \n", plans.join(" , "));
    let (written, error, _) = redacted(Slice(text.as_bytes()));
    assert_eq!((written.concat(), error), (format!(" [{0} , {0} , {0}] \n", masked()), None));
}

/// The redaction of an array ends at an element of another kind, because its bytes are not written.
#[test]
fn an_array_is_redacted_up_to_an_element_of_another_kind() {
    let text = format!("[{0},{{\"valid\":true}},{0}]", plan("1"));
    let (written, error, next) = redacted(Slice(text.as_bytes()));
    assert_eq!((written, error), (vec![format!("[{}", masked())], Some(ErrorKind::Fault)));
    assert!(!matches!(next, NextDocument::Document(_)), "{next:?}");
}

/// Without a first pass, only the walk of the redaction sees such a section.
#[test]
fn a_section_of_the_wrong_type_is_an_error() {
    for section in [r#""planned_values":["x"]"#, r#""configuration":"x""#, r#""variables":[1]"#] {
        let text = format!(r#"{{"format_version":"1.2","resource_changes":[],{section}}}"#);
        let (_, error, _) = redacted(Slice(text.as_bytes()));
        assert!(error.is_some(), "{section}");
    }
}

/// The limit on a piece applies to the bytes between two pieces.
#[test]
fn the_limit_on_a_piece_applies_to_white_space() {
    let text = plan("1").replace(r#","timestamp""#, &format!("{},\"timestamp\"", " ".repeat(600)));
    for (limit, is_enough) in [(613, true), (612, false), (500, false)] {
        let mut options = answers::options();
        options.secret.read.limits.change = limit;
        let mut documents = Documents::only(Slice(text.as_bytes()), &options.secret.read);
        let redacted = redact(&mut documents, None, &options, &mut Vec::new());
        assert_eq!(redacted.is_ok(), is_enough, "{limit}");
    }
}

#[test]
fn a_wrapped_plan_ends_after_its_last_bracket() {
    let options = SlimOptions { wrap: Some(Wrap::Terraform), ..SlimOptions::default() };
    let masking = answers::options();
    let text = format!(" {} \n", plan("1"));
    for lengths in [&[1 << 20][..], &[1, 7, 30]] {
        let source = Cut::new(text.as_bytes(), lengths);
        let mut documents = Documents::only(source, &masking.secret.read);
        let mut out = Vec::new();
        slim(&mut documents, &options, Secrecy::Unknown, &masking, &mut out).expect("a plan");
        let out = String::from_utf8(out).expect("UTF-8");
        assert_eq!(out, format!("{{\"terraform\": {}}} \n", masked()));
    }
}

#[test]
fn a_state_has_no_slim_form() {
    let text = br#"{"format_version":"1.0","values":{"root_module":{}}}"#;
    let masking = answers::options();
    for secrecy in [Secrecy::Unknown, Secrecy::Off] {
        let mut documents = Documents::only(Slice(text), &masking.secret.read);
        let options = SlimOptions::default();
        let slimmed = slim(&mut documents, &options, secrecy, &masking, &mut Vec::new());
        assert_eq!(slimmed.expect_err("a state").kind(), ErrorKind::Fault);
    }
}

/// Leaves out the pieces of one kind, and writes the plan in parentheses.
struct Without(PieceKind);

impl Selection for Without {
    fn around(&self) -> [&'static str; 2] {
        ["(", ")"]
    }

    fn piece(&mut self, piece: &Piece<'_>, _: &mut Vec<Range<u64>>) -> Result<Verdict> {
        let is_left_out = piece.kind == self.0;
        Ok(if is_left_out { Verdict::Removed(Reason::Unwanted) } else { Verdict::Kept })
    }
}

/// A removed item ends where the container before it ends.
#[test]
fn pieces_after_a_container_can_be_left_out() {
    let text = |source: &str, version: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[],"configuration":{{"root_module":{{
            "module_calls":{{"m":{{"module":{{"resources":[{{"address":"a.b"}}] }} {source}}},
            "n":{{"module":{{}}{version}}}}}}}}}}}"#
        )
    };
    let whole = text(r#", "source":"./m""#, r#","version_constraint":"1","depends_on":[]"#);
    let options = answers::options();
    for secrecy in [Secrecy::Unknown, Secrecy::Off] {
        for lengths in [&[1 << 20][..], &[1, 7, 30]] {
            let source = Cut::new(whole.as_bytes(), lengths);
            let mut documents = Documents::only(source, &options.secret.read);
            let mut without = Without(PieceKind::ModuleCallMember);
            let mut out = Vec::new();
            rewrite(&mut documents, &mut without, secrecy, &options, &mut out).expect("a plan");
            let out = String::from_utf8(out).expect("UTF-8");
            let expected = format!("({})", text("", ""));
            assert_eq!(out.replace(' ', ""), expected.replace(' ', ""));
        }
    }
}

/// A source that counts the bytes in its window.
struct Counted<'a> {
    source: Cut<'a>,
    most: &'a mut usize,
}

impl Source for Counted<'_> {
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let filled = self.source.fill(keep);
        *self.most = self.window().len().max(*self.most);
        filled
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }
}

/// The bytes of a long document that are written do not stay in the window.
#[test]
fn the_window_keeps_only_what_is_not_yet_written() {
    let elements = vec![r#"{"address":"a.b","x":[]}"#; 1000].join(",");
    let text = format!(r#"{{"format_version":"1.2","resource_changes":[],"new":[{elements}]}}"#);
    let options = answers::options();
    let mut most = 0;
    let source = Cut::new(text.as_bytes(), &[100]);
    let source = Counted { source, most: &mut most };
    let mut out = Vec::new();
    let mut documents = Documents::only(source, &options.secret.read);
    let secrecy = Secrecy::Off;
    let mut everything = Without(PieceKind::ResourceChange);
    rewrite(&mut documents, &mut everything, secrecy, &options, &mut out).expect("a plan");
    drop(documents);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), format!("({text})"));
    assert!(most < 1000, "{most} bytes");
}

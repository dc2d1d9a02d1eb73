//! The reader of JSON configuration files keeps its promises about places, and no file panics.

use plansift::blocks::Configuration;
use plansift::hcl::argument::Source;
use plansift::hcl::block::Block;
use plansift::hcl::body;
use plansift::hcl::diagnostic::{DIAGNOSTICS_MAX, Diagnostics};
use plansift::hcl::json::{Document, Index, Kind};
use plansift::hcl::position::{Position, Range};
use plansift::hcl::template;
use plansift::hcl::terraform::ROOT;

use super::join::Memory;

/// Reads `text` as a file in each syntax, and as a template.
pub fn check(text: &[u8]) {
    if let Ok((document, mut diagnostics)) = Document::parse(text) {
        for (index, node) in document.below(Document::ROOT) {
            check_range(text, node.range);
            let first = text.get(node.range.start.byte as usize);
            match node.kind {
                Kind::Object => assert_eq!(first, Some(&b'{')),
                Kind::Array => assert_eq!(first, Some(&b'[')),
                Kind::String(_) => assert_eq!(first, Some(&b'"')),
                _ => {}
            }
            let inside = document.inside(index).map(|(inner, _)| inner);
            let ends = inside.map(|inner| document.end(inner)).collect::<Vec<_>>();
            assert!(ends.is_sorted() && ends.iter().all(|end| *end <= document.end(index)));
        }
        let blocks = body::read(&document, &ROOT, "main.tf.json", &mut diagnostics);
        let source = Source { document: &document, file: "main.tf.json" };
        blocks.iter().for_each(|block| check_block(text, source, block));
        check_diagnostics(&diagnostics);
    }
    if let Ok(text) = std::str::from_utf8(text) {
        let files = [("main.tf", text.as_bytes())];
        let configuration = Configuration::read(&Memory(&files)).expect("a small configuration");
        let text_after_mark = text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes();
        for block in &configuration.modules()[0].directory.blocks {
            check_range(text_after_mark, block.range);
            check_range(text_after_mark, block.definition.range);
            assert!(block.definition.range.start >= block.range.start);
        }
        match template::parse(text, Position::START, "main.tf.json") {
            Ok(template) => drop(template.references()),
            Err(faults) => assert!(!faults.is_empty()),
        }
    }
}

fn check_block(text: &[u8], source: Source<'_>, block: &Block<Index>) {
    let Range { start, .. } = block.definition;
    let first = text.get(start.byte as usize);
    assert!(matches!(first, Some(b'{' | b'[')), "a block starts with a bracket");
    let places: Vec<_> = block.attributes.iter().map(|one| one.name_range.start.byte).collect();
    assert!(places.is_sorted());
    for attribute in &block.attributes {
        check_range(text, attribute.range);
        let _ = source.references(attribute.value);
        let _ = source.read(attribute);
        let _ = source.faults(attribute);
    }
    block.blocks.iter().for_each(|inner| check_block(text, source, inner));
}

/// A range lies in the text, and its lines agree with its bytes.
fn check_range(text: &[u8], range: Range) {
    let Range { start, end } = range;
    assert!(start.byte <= end.byte && end.byte as usize <= text.len());
    assert!(start.line <= end.line && start.column >= 1 && end.column >= 1);
    let before = &text[..start.byte as usize];
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(start.line as usize, lines + 1);
}

fn check_diagnostics(diagnostics: &Diagnostics) {
    assert!(diagnostics.list().len() <= DIAGNOSTICS_MAX);
    assert!(diagnostics.list().iter().all(|one| !one.summary.is_empty()));
}

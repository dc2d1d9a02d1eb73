//! Errors in the syntax of a native file are those of hcl-edit for the whole file, though the file
//! is read one block at a time.

use std::collections::HashMap;

use plansift::blocks::{Configuration, Detail, Files, SourceError};
use plansift::limits::Limits;

/// A folder with one native file.
struct One<'a>(&'a str);

impl Files for One<'_> {
    fn list(&self, _: &str) -> Result<Vec<String>, SourceError> {
        Ok(vec!["main.tf".to_owned()])
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, SourceError> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn installed(&self) -> HashMap<String, String> {
        HashMap::new()
    }
}

/// The place and the message of the syntax error of a file.
fn ours(text: &str) -> Option<(usize, String)> {
    let configuration = Configuration::read(&One(text)).expect("a small file");
    let mut found = configuration.diagnostics().map(|found| &found.diagnostic);
    let found = found.find(|diagnostic| diagnostic.summary == "Invalid syntax")?;
    assert_eq!(configuration.modules()[0].directory.blocks.len(), 0, "{text}");
    Some((found.range.start.byte as usize, found.detail.clone()))
}

fn whole(text: &str) -> Option<(usize, String)> {
    let error = hcl_edit::parser::parse_body(text).err()?;
    let message = format!("The parser stops here: {}.", error.message());
    Some((error.location().offset(), message))
}

const FILE: &str = r#"# A comment with a { and a "
resource "a" "b" {
  count = var.n > 1 ? 2 : 3 // }
  x     = "é ${a.b["${c}"]} $${"
  y     = <<-EOT
    } ${e} " %{ if d }}%{ endif }
  EOT
  z     = { f = [1, (2)], "g" : h(<<A
}
A
  ) }
  inner "l" { v = 1 }
  deep { /* } */
    w = [
      for i in j : i # ]
    ]
  }
}

variable "c" {} /* a
comment */ // here
locals {
  d = -1.5e3
}
"#;

#[test]
fn a_damaged_file_has_the_error_of_the_whole_file() {
    assert_eq!((ours(FILE), whole(FILE)), (None, None));
    let inserts =
        ["\"", "{", "}", "[", ")", "\n", "=", "#", "/*", "<<A\n", "${", "\\", ".", " a", "'"];
    for (at, char) in FILE.char_indices() {
        let (before, after) = FILE.split_at(at);
        let removed = format!("{before}{}", &after[char.len_utf8()..]);
        let changed = inserts.iter().map(|insert| format!("{before}{insert}{after}"));
        for text in changed.chain([removed, before.to_owned()]) {
            assert_eq!(ours(&text), whole(&text), "{text}");
        }
    }
}

#[test]
fn an_argument_of_the_top_level_that_repeats_is_an_error() {
    let text = "a = 1\nb {\n}\na = 2\n";
    assert_eq!(ours(text), whole(text));
    assert!(ours(text).is_some());
}

/// Locations do not depend on the content of blocks.
#[test]
fn locations_are_those_of_the_content() {
    let located = |detail| {
        let read = Configuration::read_with(&One(FILE), detail, &Limits::default());
        let configuration = read.expect("a small file");
        let blocks = &configuration.modules()[0].directory.blocks;
        let with_address = blocks.iter().filter(|block| block.address.is_some());
        let place = with_address.map(|block| (block.address.clone(), block.range, block.name));
        place.collect::<Vec<_>>()
    };
    assert_eq!(located(Detail::Locations), located(Detail::Content));
    assert_eq!(located(Detail::Locations).len(), 2);
}

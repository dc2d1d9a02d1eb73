//! Writes files of assertions, in each syntax that `read` reads.

use super::node::FILE_MAX;
use super::read::Syntax;
use crate::inert::{is_hidden, visible};
use crate::json::string::push_quoted;

/// A file of assertions that is being written. It may not be longer than [`FILE_MAX`], the longest
/// file that can be read.
pub(super) struct PinnedFile {
    syntax: Syntax,
    text: String,
    has_entries: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Pin<'p> {
    Text(&'p str),
    Word(&'p str),
    /// An assertion of exactly this number of changes.
    Count(u64),
}

impl PinnedFile {
    /// Begins a file. `source` is the name of the plan.
    pub fn new(syntax: Syntax, source: &str) -> PinnedFile {
        let comment = format!(
            "# What the plan {} does. Edit the list, and check other plans with\n\
             # `plansift assert PLAN --file THIS_FILE`.\n",
            visible(source)
        );
        let text = match syntax {
            Syntax::Yaml => comment + "assertions:\n",
            Syntax::Toml => comment,
            Syntax::Json => "{\"assertions\": [".to_owned(),
        };
        PinnedFile { syntax, text, has_entries: false }
    }

    /// Adds an assertion, unless the file is too long already.
    pub fn add(&mut self, members: &[(&str, Pin<'_>)]) {
        if self.text.len() > FILE_MAX {
            return;
        }
        let has_entries = std::mem::replace(&mut self.has_entries, true);
        match self.syntax {
            Syntax::Yaml => {}
            Syntax::Toml => self.text += "\n[[assertions]]\n",
            Syntax::Json if has_entries => self.text += ",\n  {",
            Syntax::Json => self.text += "\n  {",
        }
        for (place, (key, value)) in members.iter().enumerate() {
            let value = self.value(*value);
            self.text += &match (self.syntax, place) {
                (Syntax::Yaml, 0) => format!("  - {key}: {value}\n"),
                (Syntax::Yaml, _) => format!("    {key}: {value}\n"),
                (Syntax::Toml, _) => format!("{key} = {value}\n"),
                (Syntax::Json, 0) => format!("\"{key}\": {value}"),
                (Syntax::Json, _) => format!(", \"{key}\": {value}"),
            };
        }
        if self.syntax == Syntax::Json {
            self.text += "}";
        }
    }

    fn value(&self, value: Pin<'_>) -> String {
        match (value, self.syntax) {
            (Pin::Text(text), syntax) => quoted(text, syntax),
            (Pin::Word(word), Syntax::Yaml) => word.to_owned(),
            (Pin::Word("true"), _) => "true".to_owned(),
            (Pin::Word(word), _) => format!("\"{word}\""),
            (Pin::Count(count), Syntax::Yaml) => {
                format!("{{action: change, min: {count}, max: {count}}}")
            }
            (Pin::Count(count), Syntax::Toml) => {
                format!("{{ action = \"change\", min = {count}, max = {count} }}")
            }
            (Pin::Count(count), Syntax::Json) => {
                format!("{{\"action\": \"change\", \"min\": {count}, \"max\": {count}}}")
            }
        }
    }

    /// Completes the file and returns its text. Fails if the file is longer than one that can be
    /// read.
    pub fn finish(mut self) -> Result<String, String> {
        if self.syntax == Syntax::Json {
            self.text += "\n]}\n";
        }
        match self.text.len() > FILE_MAX {
            true => Err(format!("the assertions take more than {FILE_MAX} bytes")),
            false => Ok(self.text),
        }
    }
}

/// Puts a text in quotes, and escapes hidden characters and CI commands. The syntaxes share the
/// escapes of JSON, except for characters of more than 16 bits.
fn quoted(text: &str, syntax: Syntax) -> String {
    let mut json = String::new();
    push_quoted(text, &mut json);
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match u32::from(c) {
            _ if c == '#' && quoted.ends_with('#') => quoted.push_str("\\u0023"),
            ..=0xffff if is_hidden(c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ if is_hidden(c) && syntax == Syntax::Json => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    quoted.push_str(&format!("\\u{unit:04x}"));
                }
            }
            code if is_hidden(c) => quoted.push_str(&format!("\\U{code:08x}")),
            _ => quoted.push(c),
        }
    }
    quoted
}

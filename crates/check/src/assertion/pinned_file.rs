//! Writes files of assertions, in each syntax that `read` reads.

use super::node::FILE_MAX;
use super::parse::ASSERTIONS_MAX;
use super::read::Syntax;
use plansift_core::inert::{is_hidden, visible};
use plansift_core::json::string::push_quoted;

/// A file of assertions that is being written. It may not be longer than [`FILE_MAX`], the longest
/// file that can be read.
pub(super) struct PinnedFile {
    syntax: Syntax,
    text: String,
    /// The number of assertions.
    count: usize,
    /// The addresses in the text, each with the offset at which it begins.
    addresses: Vec<(usize, String)>,
}

#[derive(Clone, Copy)]
pub(super) enum Pin<'p> {
    Text(&'p str),
    /// The address of a resource.
    Address(&'p str),
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
        PinnedFile { syntax, text, count: 0, addresses: Vec::new() }
    }

    /// Adds an assertion, unless the file is too long already.
    pub fn add(&mut self, members: &[(&str, Pin<'_>)]) {
        if self.text.len() > FILE_MAX {
            return;
        }
        self.count += 1;
        match self.syntax {
            Syntax::Yaml => {}
            Syntax::Toml => self.text += "\n[[assertions]]\n",
            Syntax::Json if self.count > 1 => self.text += ",\n  {",
            Syntax::Json => self.text += "\n  {",
        }
        for (place, (key, value)) in members.iter().enumerate() {
            self.text += &match (self.syntax, place) {
                (Syntax::Yaml, 0) => format!("  - {key}: "),
                (Syntax::Yaml, _) => format!("    {key}: "),
                (Syntax::Toml, _) => format!("{key} = "),
                (Syntax::Json, 0) => format!("\"{key}\": "),
                (Syntax::Json, _) => format!(", \"{key}\": "),
            };
            if let Pin::Address(address) = value {
                let behind_quote = self.text.len() + 1;
                self.addresses.push((behind_quote, (*address).to_owned()));
            }
            self.text += &self.value(*value);
            if self.syntax != Syntax::Json {
                self.text += "\n";
            }
        }
        if self.syntax == Syntax::Json {
            self.text += "}";
        }
    }

    fn value(&self, value: Pin<'_>) -> String {
        match (value, self.syntax) {
            (Pin::Text(text) | Pin::Address(text), syntax) => quoted(text, syntax),
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

    /// Completes the file and returns its text. Puts a `=` before each address for which
    /// `is_pattern` returns `false`, so that the address is no pattern. Fails if the file is larger
    /// than one that can be read.
    pub fn finish(self, is_pattern: impl Fn(&str) -> bool) -> Result<String, String> {
        let mut text = String::with_capacity(self.text.len() + self.addresses.len());
        let mut copied = 0;
        for (at, _) in self.addresses.iter().filter(|(_, address)| !is_pattern(address)) {
            text += &self.text[copied..*at];
            text.push('=');
            copied = *at;
        }
        text += &self.text[copied..];
        if self.syntax == Syntax::Json {
            text += "\n]}\n";
        }
        if self.count > ASSERTIONS_MAX {
            return Err(format!("the plan needs more than {ASSERTIONS_MAX} assertions"));
        }
        match text.len() > FILE_MAX {
            true => Err(format!("the assertions take more than {FILE_MAX} bytes")),
            false => Ok(text),
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

//! Addresses of resource instances: their parts, and the order in which Terraform and OpenTofu sort
//! them.

use crate::error::PlanFileFault;

/// The parts of an address, borrowed from the address string. The key keeps its escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address<'a> {
    pub text: &'a str,
    /// The address of the module instance; empty for the root module.
    pub module: &'a str,
    pub mode: Mode,
    pub kind: &'a str,
    pub name: &'a str,
    pub key: Key<'a>,
}

/// The mode of a resource, in the sort order of Terraform and OpenTofu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    Ephemeral,
    Data,
    Managed,
}

impl Mode {
    /// Returns the `mode` in JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Mode::Ephemeral => "ephemeral",
            Mode::Data => "data",
            Mode::Managed => "managed",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'a> {
    None,
    Number(&'a str),
    /// A string key: the characters between the quotes, with their escapes.
    Text(&'a str),
    /// `[*]`: the key is unknown.
    Unknown,
}

/// Reads parts of an address from left to right.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// Reads an identifier.
    fn name(&mut self) -> Option<&'a str> {
        let is_part = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
        };
        let end = self.0.bytes().position(|byte| !is_part(byte)).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        let is_whole = rest.is_empty() || rest.starts_with(['.', '[']);
        (!name.is_empty() && is_whole).then_some(name)
    }

    fn dot(&mut self) -> Option<()> {
        self.0 = self.0.strip_prefix('.')?;
        Some(())
    }

    /// Reads a key in brackets. Returns [`Key::None`] if no bracket follows.
    fn key(&mut self) -> Option<Key<'a>> {
        let Some(inside) = self.0.strip_prefix('[') else { return Some(Key::None) };
        if let Some(text) = inside.strip_prefix('"') {
            let end = quoted_len(text)?;
            self.0 = text[end + 1..].strip_prefix(']')?;
            return Some(Key::Text(&text[..end]));
        }
        let end = inside.find(']')?;
        let key = &inside[..end];
        self.0 = &inside[end + 1..];
        if key == "*" {
            return Some(Key::Unknown);
        }
        // The number must be written as in JSON: without a plus sign and without leading zeros.
        let digits = key.strip_prefix('-').unwrap_or(key);
        let is_canonical = key == "0" || !digits.starts_with(['0', '+']);
        (is_canonical && key.parse::<i64>().is_ok()).then_some(Key::Number(key))
    }
}

/// Returns the length of `text` up to its closing quote.
fn quoted_len(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    None
}

impl<'a> Address<'a> {
    pub(super) fn read(text: &'a str) -> Result<Address<'a>, PlanFileFault> {
        Address::parse(text).ok_or(PlanFileFault::Address)
    }

    fn parse(text: &'a str) -> Option<Address<'a>> {
        let (module, rest) = split(text)?;
        let mut rest = Rest(rest);
        let mut kind = rest.name()?;
        rest.dot()?;
        let mode = match kind {
            "data" => Mode::Data,
            "ephemeral" => Mode::Ephemeral,
            _ => Mode::Managed,
        };
        if mode != Mode::Managed {
            kind = rest.name()?;
            rest.dot()?;
        }
        let name = rest.name()?;
        let key = rest.key()?;
        rest.0.is_empty().then_some(Address { text, module, mode, kind, name, key })
    }

    /// Appends bytes that sort as Terraform and OpenTofu sort addresses: by the number of modules,
    /// each module's name and key, then mode, type, name and key.
    pub(super) fn write_sort_key(&self, out: &mut Vec<u8>) {
        let count_at = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut count: u32 = 0;
        for (name, key) in Modules(Rest(self.text)).flatten() {
            count += 1;
            write_text(name, out);
            key.write_sort_key(out);
        }
        out[count_at..count_at + 4].copy_from_slice(&count.to_be_bytes());
        out.push(self.mode as u8);
        write_text(self.kind, out);
        write_text(self.name, out);
        self.key.write_sort_key(out);
    }
}

impl Key<'_> {
    pub(super) fn write_sort_key(self, out: &mut Vec<u8>) {
        match self {
            Key::None => out.push(0),
            Key::Number(digits) => {
                let number = digits.parse::<i64>().unwrap_or_default();
                out.push(1);
                out.extend_from_slice(&(number.cast_unsigned() ^ 1 << 63).to_be_bytes());
            }
            Key::Text(text) => {
                out.push(2);
                write_text(&unescape(text), out);
            }
            Key::Unknown => out.push(3),
        }
    }
}

/// Appends a string, terminated by two zero bytes. A zero byte in the string is escaped.
fn write_text(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        out.push(byte);
        if byte == 0 {
            out.push(0xff);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

/// Splits an address into the module's address and the rest.
pub(super) fn split(address: &str) -> Option<(&str, &str)> {
    let mut modules = Modules::of(address);
    for step in modules.by_ref() {
        step?;
    }
    let rest = modules.rest();
    let module = address.len() - rest.len();
    Some((&address[..module.saturating_sub(1)], rest))
}

/// Yields the module steps of an address from the outermost: each a name and a key. An invalid step
/// yields `None` and ends the iterator.
pub(super) struct Modules<'a>(Rest<'a>);

impl<'a> Modules<'a> {
    /// Starts at the outermost module of an address. The address may end with a module or continue
    /// with an object inside it.
    pub(super) fn of(address: &'a str) -> Modules<'a> {
        Modules(Rest(address))
    }

    /// Returns the part of the address that is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.0.0
    }
}

impl<'a> Iterator for Modules<'a> {
    type Item = Option<(&'a str, Key<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut rest = Rest(self.0.0.strip_prefix("module.")?);
        let step = (|| {
            let name = rest.name()?;
            let key = rest.key()?;
            if !rest.0.is_empty() {
                rest.dot()?;
            }
            Some((name, key))
        })();
        self.0 = if step.is_some() { rest } else { Rest("") };
        Some(step)
    }
}

/// Undoes the escapes of HCL in a quoted string.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some('t') => out.push('\t'),
                Some(size @ ('u' | 'U')) => {
                    let len = if size == 'u' { 4 } else { 8 };
                    let digits: String = chars.by_ref().take(len).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                }
                Some(c) => out.push(c),
                None => {}
            },
            '$' | '%' => {
                out.push(c);
                let rest = chars.as_str();
                // `$${` is the escape of `${`.
                if rest.starts_with(c) && rest[1..].starts_with('{') {
                    chars.next();
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Escapes a string as HCL does between quotes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', c]),
            '$' | '%' if chars.peek() == Some(&'{') => out.extend([c, c]),
            _ if is_printable(c) => out.push(c),
            _ if c <= '\u{ffff}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out
}

/// Whether Go prints a character without an escape.
fn is_printable(c: char) -> bool {
    c == ' ' || !(c.is_control() || c.is_whitespace() || crate::inert::is_hidden(c))
}

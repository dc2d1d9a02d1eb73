//! Addresses of resource instances, as the tools write them: their parts, and the order in which
//! Terraform and OpenTofu sort them.

use super::address::{ModuleCall, Part, Parts, module_calls, split_object};

/// The parts of the address of a resource instance, borrowed from the address. The key keeps its
/// escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAddress<'a> {
    /// The address of the module instance; empty for the root module.
    pub module: &'a str,
    /// Whether the resource is managed.
    pub mode: Mode,
    /// The type.
    pub type_name: &'a str,
    /// The name.
    pub name: &'a str,
    /// The instance key.
    pub key: InstanceKey<'a>,
}

/// The mode of a resource, in the sort order of Terraform and OpenTofu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An ephemeral resource.
    Ephemeral,
    /// A data source.
    Data,
    /// A managed resource.
    Managed,
}

impl Mode {
    /// Returns the `mode` in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Ephemeral => "ephemeral",
            Mode::Data => "data",
            Mode::Managed => "managed",
        }
    }
}

/// The key of a resource or module instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceKey<'a> {
    /// The resource or module has one instance.
    None,
    /// The index of `count`.
    Number(&'a str),
    /// A string key: the characters between the quotes, with their escapes.
    Text(&'a str),
    /// `[*]`: the key is unknown.
    Unknown,
}

impl<'a> ResourceAddress<'a> {
    /// Parses an address; `None` if no tool writes it.
    pub fn parse(text: &'a str) -> Option<ResourceAddress<'a>> {
        let (module, object) = split_module(text)?;
        let mut parts = Parts::of(object);
        let mut type_name = identifier(&mut parts)?;
        let mode = match type_name {
            "data" => Mode::Data,
            "ephemeral" => Mode::Ephemeral,
            _ => Mode::Managed,
        };
        if mode != Mode::Managed {
            type_name = identifier(&mut parts)?;
        }
        let name = identifier(&mut parts)?;
        let key = InstanceKey::parse(parts.rest())?;
        Some(ResourceAddress { module, mode, type_name, name, key })
    }

    /// Appends bytes that sort as Terraform and OpenTofu sort addresses: by the number of modules,
    /// each module's name and key, then mode, type, name and key.
    pub fn write_sort_key(&self, out: &mut Vec<u8>) {
        let count_at = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut count: u32 = 0;
        for ModuleCall { name, key, .. } in module_calls(self.module) {
            count += 1;
            write_text(name, out);
            InstanceKey::parse(key).unwrap_or(InstanceKey::None).write_sort_key(out);
        }
        out[count_at..count_at + 4].copy_from_slice(&count.to_be_bytes());
        out.push(self.mode as u8);
        write_text(self.type_name, out);
        write_text(self.name, out);
        self.key.write_sort_key(out);
    }
}

/// Splits an address into the address of its module instance and the rest; `None` if no tool writes
/// the module's address.
pub fn split_module(address: &str) -> Option<(&str, &str)> {
    let (module, object) = split_object(address);
    let is_valid =
        |call: ModuleCall<'_>| is_identifier(call.name) && InstanceKey::parse(call.key).is_some();
    let is_separate = module.is_empty() || address[module.len()..].starts_with('.');
    (is_separate && !object.starts_with('.') && module_calls(module).all(is_valid))
        .then_some((module, object))
}

/// Reads a name that is an identifier.
fn identifier<'a>(parts: &mut Parts<'a>) -> Option<&'a str> {
    match parts.next()? {
        Part::Name(name) if is_identifier(name) => Some(name),
        _ => None,
    }
}

fn is_identifier(name: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii();
    !name.is_empty() && name.bytes().all(is_part)
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

impl<'a> InstanceKey<'a> {
    /// Parses a key with its brackets. Without text, the instance has no key.
    fn parse(text: &'a str) -> Option<InstanceKey<'a>> {
        if text.is_empty() {
            return Some(InstanceKey::None);
        }
        let key = text.strip_prefix('[')?.strip_suffix(']')?;
        if key == "*" {
            return Some(InstanceKey::Unknown);
        }
        if let Some(quoted) = key.strip_prefix('"') {
            let content = quoted.strip_suffix('"')?;
            return (quoted_len(quoted)? == content.len()).then_some(InstanceKey::Text(content));
        }
        // The number must be written as in JSON: without a plus sign and without leading zeros.
        let digits = key.strip_prefix('-').unwrap_or(key);
        let is_canonical = key == "0" || !digits.starts_with(['0', '+']);
        (is_canonical && key.parse::<i64>().is_ok()).then_some(InstanceKey::Number(key))
    }

    fn write_sort_key(self, out: &mut Vec<u8>) {
        match self {
            InstanceKey::None => out.push(0),
            InstanceKey::Number(digits) => {
                let number = digits.parse::<i64>().unwrap_or_default();
                out.push(1);
                out.extend_from_slice(&(number.cast_unsigned() ^ 1 << 63).to_be_bytes());
            }
            InstanceKey::Text(text) => {
                out.push(2);
                write_text(&unescape_key(text), out);
            }
            InstanceKey::Unknown => out.push(3),
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

/// Undoes the escapes of HCL in a string key.
pub fn unescape_key(text: &str) -> String {
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

/// Escapes a string key as HCL does between quotes.
pub fn escape_key(text: &str) -> String {
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

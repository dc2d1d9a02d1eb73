//! Recognises documents that are not plans by their keys or first bytes (docs/format/plan.md,
//! section 12).

use super::section::Section;
use super::wrong_document::WrongDocument;

/// Facts about the top-level keys of a document, which show its kind.
#[derive(Debug, Default)]
pub(super) struct KindClues {
    /// True if the document has a key that only plans have.
    plan: bool,
    /// The kind of document, from the first key that indicates a kind other than a plan.
    other: Option<WrongDocument>,
    keys: u64,
    /// Number of keys that are also types of configuration blocks.
    blocks: u64,
    format_version: bool,
    terraform_version: bool,
    /// Number of the keys `path` and `contents`.
    combined: u64,
    /// True if an unknown member looks like an output value.
    outputs: bool,
    /// True if an unknown member looks like a plan or a state.
    wraps: bool,
}

impl KindClues {
    /// Records a top-level key. If the key alone rules out a plan, returns the kind of the
    /// document.
    pub(super) fn note(&mut self, section: Section, key: &str) -> Option<WrongDocument> {
        self.keys += 1;
        // In JSON configuration, this key contains a comment.
        self.blocks += u64::from(key == "//" || BLOCKS.contains(&key.as_bytes()));
        self.plan |= section.is_of_plans();
        self.format_version |= section == Section::FormatVersion;
        self.terraform_version |= section == Section::TerraformVersion;
        self.combined += u64::from(matches!(key, "path" | "contents"));
        let other = match key {
            "@level" | "@message" | "@module" if !self.plan => return Some(WrongDocument::Log),
            "encrypted_data" => return Some(WrongDocument::Encrypted),
            "remote_plan_format" => return Some(WrongDocument::CloudPlan),
            "lineage" | "serial" => WrongDocument::NativeState,
            "values" => WrongDocument::State,
            "provider_schemas" => WrongDocument::ProviderSchema,
            "valid" => WrongDocument::Validation,
            "function_signatures" => WrongDocument::Functions,
            "platform" | "provider_selections" => WrongDocument::Version,
            _ => return None,
        };
        // Not decided yet: a native state may turn out to be encrypted.
        self.other.get_or_insert(other);
        None
    }

    /// Records what an unknown member is. `head` has its first bytes, and perhaps others after it.
    pub(super) fn note_member(&mut self, head: &[u8]) {
        let head = first_value(head);
        let object = head.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        self.outputs |= object.is_some_and(|object| object.starts_with(b"\"sensitive\""));
        self.wraps |= holds_beginning(head);
    }

    /// Whether the document has a key that only plans have.
    pub(super) fn is_plan(&self) -> bool {
        self.plan
    }

    /// Whether the document has a key of another kind of document, but no key that only plans have.
    pub(super) fn is_other(&self) -> bool {
        !self.plan && self.other.is_some()
    }

    /// Returns the kind of a document that is not a plan. `is_element` is true if the document is
    /// an element of an array.
    pub(super) fn verdict(&self, is_element: bool) -> WrongDocument {
        match self.other {
            Some(other) => other,
            None if self.keys == 0 => WrongDocument::NoOutputs,
            None if self.outputs => WrongDocument::Outputs,
            None if self.keys == 2 && self.combined == 2 => match is_element {
                true => WrongDocument::Combined,
                false => WrongDocument::CombinedElement,
            },
            None if self.wraps => match is_element {
                true => WrongDocument::WrappedElement,
                false => WrongDocument::Wrapped,
            },
            None if self.blocks == self.keys => WrongDocument::Source,
            None if self.format_version && self.keys == 1 + u64::from(self.terraform_version) => {
                WrongDocument::EmptyState
            }
            None => WrongDocument::OtherJson,
        }
    }
}

/// Beginnings of lines that contain a plan: the first key as the tools write it, or a key that
/// comes first when the keys are sorted.
pub(super) const BEGINNINGS: [&[u8]; 4] = [
    b"\n{\"format_version\"",
    b"\n{\"applyable\"",
    b"\n{\"action_invocations\"",
    b"\n{\"plan_format_version\"",
];

/// Whether a plan or a state begins inside a text. It may be in an object, an array or a string.
pub(super) fn holds_beginning(text: &[u8]) -> bool {
    let mut text = text.to_vec();
    text.retain(|byte| *byte != b'\\' && !byte.is_ascii_whitespace());
    // The beginnings without their line feed.
    let mut beginnings = BEGINNINGS.iter().map(|beginning| &beginning[1..]);
    beginnings.any(|beginning| memchr::memmem::find(&text, beginning).is_some())
}

/// Returns the JSON value at the start of a text, without the bytes after it. Returns the whole
/// text if the value does not end in it.
fn first_value(text: &[u8]) -> &[u8] {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            // The end of the object around a number or a word.
            b'}' | b']' | b',' if depth == 0 => return &text[..at],
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') && !in_string {
            return &text[..=at];
        }
    }
    text
}

/// Number of bytes that decide the kind of a file by its magic bytes.
pub(super) const MAGIC_LEN: usize = 262;

/// Returns the kind of a file with known magic bytes; `None` for other files. `head` has the first
/// [`MAGIC_LEN`] bytes of the file, or the whole file.
pub(super) fn by_magic(head: &[u8]) -> Option<WrongDocument> {
    if head.starts_with(b"PK\x03\x04") {
        // The name of the archive's first file. `head` may end inside the name.
        let is_plan = head.get(30..).is_none_or(|name| {
            let names = [&b"tfplan"[..], b"tfstate", b"tfconfig/", b".terraform.lock.hcl"];
            names.iter().any(|known| name.starts_with(&known[..known.len().min(name.len())]))
        });
        return Some(if is_plan { WrongDocument::BinaryPlan } else { WrongDocument::Archive });
    }
    if head.starts_with(b"tfplan") {
        return Some(WrongDocument::OldPlan);
    }
    if is_utf16(head) {
        return Some(WrongDocument::Utf16);
    }
    let is_bzip2 = |rest: &[u8]| rest.starts_with(b"1AY&SY");
    match head {
        _ if head.starts_with(b"\xfd7zXZ\0") => Some(WrongDocument::Xz),
        [b'B', b'Z', b'h', _, rest @ ..] if is_bzip2(rest) => Some(WrongDocument::Bzip2),
        _ => head.get(257..)?.starts_with(b"ustar").then_some(WrongDocument::Archive),
    }
}

/// Whether a text begins with two ASCII characters in UTF-16, without a byte order mark.
pub(super) fn is_utf16(head: &[u8]) -> bool {
    let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match *head {
        [0, first, 0, second, ..] | [first, 0, second, 0, ..] => is_text(first) && is_text(second),
        _ => false,
    }
}

/// Returns the kind of an input that does not begin like JSON. `head` is its first bytes.
pub(super) fn by_first_bytes(head: &[u8]) -> WrongDocument {
    if let Some(kind) = by_magic(head) {
        return kind;
    }
    if head.trim_ascii() == b"null" {
        return WrongDocument::Null;
    }
    let contains = |words: &[u8]| memchr::memmem::find(head, words).is_some();
    let human = [
        &b"Terraform used the selected providers"[..],
        b"OpenTofu used the selected providers",
        b"Terraform will perform",
        b"OpenTofu will perform",
        b"Resource actions are indicated",
        b"No changes. ",
        b"Changes to Outputs:",
        b" to destroy.",
    ];
    if human.iter().any(|words| contains(words)) || begins_state_text(head) {
        return WrongDocument::HumanText;
    }
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if is_address(first.trim_ascii_end()) {
        return WrongDocument::StateList;
    }
    by_syntax(head).unwrap_or(WrongDocument::NotJson)
}

/// Returns the kind of a text that is a web page or a configuration; `None` for other texts.
pub(super) fn by_syntax(text: &[u8]) -> Option<WrongDocument> {
    match text {
        _ if is_web_page(text) => Some(WrongDocument::WebPage),
        _ if is_source(text) => Some(WrongDocument::Source),
        _ => None,
    }
}

/// Whether a text begins like HTML.
fn is_web_page(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let tags = [&b"<!doctype html"[..], b"<html", b"<head", b"<body"];
    tags.iter()
        .any(|tag| text.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag)))
}

/// The types of blocks in a configuration.
const BLOCKS: [&[u8]; 14] = [
    b"action",
    b"check",
    b"data",
    b"ephemeral",
    b"import",
    b"locals",
    b"module",
    b"moved",
    b"output",
    b"provider",
    b"removed",
    b"resource",
    b"terraform",
    b"variable",
];

/// Whether a text begins with a block of a configuration in HCL, perhaps after comments.
fn is_source(text: &[u8]) -> bool {
    let mut in_comment = false;
    for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
        if in_comment || line.starts_with(b"/*") {
            in_comment = !line.ends_with(b"*/");
        } else if !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"//") {
            let word = line.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            let (word, rest) = line.split_at(word);
            let rest = rest.trim_ascii_start();
            return BLOCKS.contains(&word) && (rest.starts_with(b"\"") || rest.starts_with(b"{"));
        }
    }
    false
}

/// Whether a text begins like the output of `show` for a state: the address of a resource in a
/// comment, then its block.
fn begins_state_text(text: &[u8]) -> bool {
    let mut lines = text.trim_ascii_start().split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let address = lines.next().and_then(|line| line.strip_prefix(b"# ")?.strip_suffix(b":"));
    let blocks = [&b"resource \""[..], b"data \""];
    address.is_some_and(is_address)
        && lines.next().is_some_and(|line| blocks.iter().any(|block| line.starts_with(block)))
}

/// Whether a line may be the address of a resource: `type.name`, with modules and keys.
fn is_address(line: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let types = line.iter().take_while(|byte| plain(byte)).count();
    types > 0
        && line.first().is_some_and(u8::is_ascii_alphabetic)
        && line.get(types) == Some(&b'.')
        && line.get(types + 1).is_some_and(plain)
        && !line.contains(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_ends_where_it_ends() {
        for (value, after) in [
            ("1", "},{"),
            ("null", ",\"a\":1"),
            (r#""a\"}b""#, "}"),
            (r#""a\\""#, ",\"b\""),
            (r#"{"a":["}",{}]}"#, ",{\"format_version\""),
            ("[[1],{}]", "}"),
            (r#"{"a":["#, ""),
            (r#""a"#, ""),
        ] {
            let text = format!("{value}{after}");
            assert_eq!(first_value(text.as_bytes()), value.as_bytes(), "{text}");
        }
    }
}

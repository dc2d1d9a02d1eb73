//! Formats a block or a diagnostic as a line of text and as JSON.

use super::configuration::Module;
use super::file::{FileDiagnostic, SourceBlock, SourceLocation};
use crate::hcl::position::Range;
use crate::json::string::push_quoted;

/// Returns the file and the line of a block, as a table shows them.
pub fn place(block: &SourceBlock) -> String {
    format!("{}:{}", block.definition.file, block.definition.range.start.line)
}

/// Returns the name of a block in a table: its address, or its type and labels.
pub fn name(module: &Module, block: &SourceBlock) -> String {
    full_address(module, block).unwrap_or_else(|| {
        let labels = block.labels.iter().map(|label| format!(" \"{label}\"")).collect::<String>();
        let address = module.address();
        let space = if address.is_empty() { "" } else { " " };
        format!("{address}{space}{}{labels}", block.kind)
    })
}

/// Formats a diagnostic as one line. Editors show its `file:line:column:` as a link.
pub fn line(diagnostic: &FileDiagnostic) -> String {
    let FileDiagnostic { file, diagnostic } = diagnostic;
    let start = diagnostic.range.start;
    let detail = diagnostic.detail.lines().next().unwrap_or_default();
    let (severity, summary) = (diagnostic.severity.word(), diagnostic.summary);
    format!("{file}:{}:{}: {severity}: {summary}: {detail}", start.line, start.column)
}

/// Returns the address of a block, including the address of its module.
fn full_address(module: &Module, block: &SourceBlock) -> Option<String> {
    let address = block.address.as_ref()?;
    let module = module.address();
    Some(if module.is_empty() { address.to_string() } else { format!("{module}.{address}") })
}

/// Appends a block as a JSON object.
pub fn push_block(module: &Module, block: &SourceBlock, json: &mut String) {
    json.push_str("{\"type\":");
    push_quoted(&block.kind, json);
    json.push_str(",\"labels\":[");
    push_list(block.labels.iter().map(AsRef::as_ref), json);
    json.push(']');
    if let Some(address) = full_address(module, block) {
        push_member("address", &address, json);
    }
    if !module.path.is_empty() {
        push_member("module", &module.address(), json);
    }
    push_place(&block.definition.file, block.definition.range, block.range, json);
    json.push_str(",\"references\":[");
    push_list(block.references.iter().map(String::as_str), json);
    json.push(']');
    for (index, SourceLocation { file, range }) in block.overrides.iter().enumerate() {
        json.push_str(if index == 0 { ",\"overrides\":[{\"file\":" } else { ",{\"file\":" });
        push_quoted(file, json);
        json.push_str(&format!(",\"line\":{}}}", range.start.line));
    }
    json.push_str(if block.overrides.is_empty() { "}" } else { "]}" });
}

/// Appends a diagnostic as a JSON object.
pub fn push_diagnostic(diagnostic: &FileDiagnostic, json: &mut String) {
    let FileDiagnostic { file, diagnostic } = diagnostic;
    json.push_str("{\"severity\":");
    push_quoted(diagnostic.severity.word(), json);
    push_member("summary", diagnostic.summary, json);
    push_member("detail", &diagnostic.detail, json);
    push_place(file, diagnostic.range, diagnostic.range, json);
    json.push('}');
}

/// Appends a file, the start of a definition, and the end of the whole block.
fn push_place(file: &str, definition: Range, whole: Range, json: &mut String) {
    push_member("file", file, json);
    let (start, end) = (definition.start, whole.end);
    json.push_str(&format!(
        ",\"line\":{},\"column\":{},\"byte\":{},\"end_line\":{},\"end_column\":{},\"end_byte\":{}",
        start.line, start.column, start.byte, end.line, end.column, end.byte
    ));
}

fn push_member(name: &str, text: &str, json: &mut String) {
    json.push(',');
    push_quoted(name, json);
    json.push(':');
    push_quoted(text, json);
}

fn push_list<'a>(texts: impl Iterator<Item = &'a str>, json: &mut String) {
    for (index, text) in texts.enumerate() {
        json.push_str(if index == 0 { "" } else { "," });
        push_quoted(text, json);
    }
}

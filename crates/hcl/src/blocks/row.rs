//! Formats a block or a diagnostic as a line of text.

use super::configuration::Module;
use super::file::{FileDiagnostic, SourceBlock};

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
pub fn full_address(module: &Module, block: &SourceBlock) -> Option<String> {
    Some(within(module, block.address.as_deref()?))
}

/// Returns the whole address of an element. `address` is its address in the module.
pub(super) fn within(module: &Module, address: &str) -> String {
    let module = module.address();
    if module.is_empty() { address.to_owned() } else { format!("{module}.{address}") }
}

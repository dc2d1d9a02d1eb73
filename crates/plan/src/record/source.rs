//! The records of `plansift blocks`: the blocks of a configuration, and the diagnostics of its
//! files.

use serde::Serialize;

/// A block of a configuration, without its values.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListedBlock<'a> {
    /// The path of the root module, if the run has several configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<&'a str>,
    /// The type of the block, such as `resource`.
    #[serde(rename = "type")]
    pub type_name: &'a str,
    /// The labels of the block.
    pub labels: &'a [Box<str>],
    /// The address of the block, with the address of its module. Absent for a block without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The address of the module; absent for the root module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The place of the block.
    #[serde(flatten)]
    pub place: SourceRange<'a>,
    /// The references in the block, in order, without repetitions.
    pub references: &'a [String],
    /// The blocks in override files that override this block.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<OverridingBlock<'a>>,
}

/// The place of a block, or of the text that a diagnostic is about.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceRange<'a> {
    /// The path of the file, relative to the folder of the root module.
    pub file: &'a str,
    /// The line of the start, from 1.
    pub line: u32,
    /// The column of the start, in grapheme clusters from 1.
    pub column: u32,
    /// The offset of the start, in bytes.
    pub byte: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column of the end.
    pub end_column: u32,
    /// The offset of the end, in bytes.
    pub end_byte: u32,
}

/// The place of a block that overrides another.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OverridingBlock<'a> {
    /// The path of the override file.
    pub file: &'a str,
    /// The first line of the block, from 1.
    pub line: u32,
}

/// A diagnostic of a file of a configuration.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ListedDiagnostic<'a> {
    /// The path of the root module, if the run has several configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<&'a str>,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The fault in a few words.
    pub summary: &'a str,
    /// The fault in one or more sentences.
    pub detail: &'a str,
    /// The place of the text.
    #[serde(flatten)]
    pub place: SourceRange<'a>,
}

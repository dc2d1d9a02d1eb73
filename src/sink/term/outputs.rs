//! Buffers outputs, so that their names can be padded to one width.

use super::report_section::ReportSection;
use crate::record::{Attribute, Line};
use crate::sink::screen::width;
use crate::sink::source_link::SourceLink;

/// Maximum number of buffered outputs. Each full buffer is padded on its own.
const COUNT_MAX: usize = 1000;
/// Maximum size of the buffered outputs, in bytes. The last output may exceed it.
const BYTES_MAX: usize = 256 << 10;

#[derive(Default)]
pub(super) struct Outputs {
    list: Vec<Waiting>,
    bytes: usize,
}

pub(super) struct Waiting {
    pub section: ReportSection,
    /// The symbol of its action, in colour.
    pub symbol: String,
    pub name: String,
    pub link: Option<SourceLink>,
    pub body: Body,
}

/// The text after the name of an output.
pub(super) enum Body {
    /// The value, on the line of the name.
    Value(Box<Attribute>),
    Lines(String),
}

impl Outputs {
    pub fn push(&mut self, output: Waiting) {
        self.bytes += output.name.len();
        self.bytes += output.link.as_ref().map_or(0, |link| link.linked().len());
        self.bytes += match &output.body {
            Body::Lines(lines) => lines.len(),
            Body::Value(value) => {
                let lines = value.lines.iter().flat_map(|lines| &lines.list);
                value.before.size() + value.after.size() + lines.map(Line::size).sum::<usize>()
            }
        };
        self.list.push(output);
    }

    /// Whether the outputs must be written before another one is added.
    pub fn is_full(&self) -> bool {
        self.list.len() >= COUNT_MAX || self.bytes >= BYTES_MAX
    }

    /// Returns the outputs, in the order of the plan.
    pub fn list(&self) -> &[Waiting] {
        &self.list
    }

    /// Returns the width of the longest name in a section that has its value on the same line.
    /// Ignores names that are wider than `max` columns.
    pub fn columns(&self, section: ReportSection, max: usize) -> usize {
        let of_section = self.list.iter().filter(|output| output.section == section);
        let named = of_section.filter(|output| matches!(output.body, Body::Value(_)));
        named.map(|output| width(&output.name)).filter(|&columns| columns <= max).max().unwrap_or(0)
    }
}

//! Buffers outputs, so that their names can be padded to one width.

use std::borrow::Cow;

use super::report_section::ReportSection;
use crate::screen::width;
use crate::source_link::SourceLink;
use crate::summary::Action;
use plansift_plan::record::{Attribute, Attributes};

/// Maximum number of buffered outputs. Each full buffer is padded on its own.
const COUNT_MAX: usize = 1000;
/// Maximum size of the buffered outputs, in bytes. The last output may exceed it.
const BYTES_MAX: u64 = 256 << 10;

#[derive(Default)]
pub(super) struct Outputs {
    list: Vec<Waiting<'static>>,
    bytes: u64,
}

pub(super) struct Waiting<'a> {
    pub section: ReportSection,
    pub action: Action,
    pub name: String,
    pub link: Option<SourceLink>,
    pub attributes: Cow<'a, Attributes>,
}

impl Waiting<'_> {
    /// Returns the value that is written on the line of the name, if the output has only this one.
    pub fn value(&self) -> Option<&Attribute> {
        match &self.attributes.list[..] {
            [only] if only.path.is_empty() => Some(only),
            _ => None,
        }
    }

    fn size(&self) -> u64 {
        let link = self.link.as_ref().map_or(0, |link| link.linked().len());
        (self.name.len() + link) as u64 + self.attributes.size()
    }

    /// Whether the output alone fills the buffer. It is not copied then.
    pub fn is_large(&self) -> bool {
        self.size() >= BYTES_MAX
    }
}

impl Outputs {
    pub fn push(&mut self, output: Waiting<'_>) {
        self.bytes += output.size();
        let attributes = Cow::Owned(output.attributes.into_owned());
        self.list.push(Waiting { attributes, ..output });
    }

    /// Whether the outputs must be written before another one is added.
    pub fn is_full(&self) -> bool {
        self.list.len() >= COUNT_MAX || self.bytes >= BYTES_MAX
    }

    /// Returns the outputs, in the order of the plan.
    pub fn list(&self) -> &[Waiting<'static>] {
        &self.list
    }
}

/// Returns the width of the longest name in a section that has its value on the same line. Ignores
/// names that are wider than `max` columns.
pub(super) fn columns(outputs: &[Waiting<'_>], section: ReportSection, max: usize) -> usize {
    let of_section = outputs.iter().filter(|output| output.section == section);
    let named = of_section.filter(|output| output.value().is_some());
    named.map(|output| width(&output.name)).filter(|&columns| columns <= max).max().unwrap_or(0)
}

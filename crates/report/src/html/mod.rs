//! Writes a report as a self-contained HTML page that needs no network and no server.
//!
//! ```text
//! page/page.html ─┬─ head: policy, style       written first
//!                 ├─ data: blocks of lines     while the plans are read
//!                 ├─ overview: plain HTML      written last; needs no script
//!                 └─ script                    adds the list of changes and its filters
//! ```
//!
//! Text from a plan never becomes markup. Data is stored in script elements of a type that no
//! browser runs (`inert`), and the script inserts it as text. The overview escapes it. The page's
//! content security policy allows only this script, by its digest, and no requests.
//!
//! The digests in the policy are constants. A change to the style or the script must update them. A
//! test in this file compares them.

mod entry;
pub mod fleet;
mod frame;
mod inert;
mod overview;
mod table;

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use serde::Serialize;

use self::entry::{Failed, HtmlEntry, PlanSummary};
use self::frame::Frame;
use self::inert::push_line;
use crate::gate::CountedRules;
use crate::overview::{ChangeList, Overview};
use crate::report::ReportOptions;
use crate::source_link::SourceLinks;
use crate::tool::{Clues, Tool};
use crate::{BUFFER, Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_plan::record::counts::Summary;
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{Hidden, Label, Record, ResourceChange};

const PAGE: &str = include_str!("page/page.html");

const FRAME: Frame = Frame {
    title: "Plan report",
    style: concat!(include_str!("page/page.css"), include_str!("page/lists.css")),
    style_digest: "dFS7lTrilCjTOYvjgdbCSKK1Y96DoQOyEz0x95D5CwI=",
    // The files are one module.
    script: concat!(
        include_str!("page/words.js"),
        include_str!("page/data.js"),
        include_str!("page/overview.js"),
        include_str!("page/tables.js"),
        include_str!("page/filters.js"),
        include_str!("page/link.js"),
        include_str!("page/lists.js"),
        include_str!("page/details.js"),
        include_str!("page/start.js"),
    ),
    script_digest: "JklioKnjPQxPGcUyzlw1G2W9lo8LXAFYo8Dib9AZt2A=",
};

/// The placeholders in the page: for the data, and for the two parts of the overview.
const DATA: &str = "<!-- data -->\n";
const HEAD: &str = "<!-- head -->\n";
const BODY: &str = "<!-- body -->\n";

/// The start and the end of a data block.
const BLOCK: [&str; 2] = ["<script type=\"application/x-ndjson\">\n", "</script>\n"];
/// Bytes after which a block ends: browsers limit the length of a text node.
const BLOCK_LEN: usize = 1 << 20;

/// A sink that writes one page for all plans.
pub struct Html<W: Write> {
    out: BufWriter<W>,
    /// Bytes in the open block. `None` if no block is open.
    block_len: Option<usize>,
    has_begun: bool,
    /// The rules and their counts for the current plan.
    counted_rules: CountedRules,
    patterns: Option<Arc<UnmatchedPatterns>>,
    overview: Overview,
    /// The first changes that lose nothing.
    others: ChangeList,
    clues: Clues,
    plans: u64,
    /// The name of the current plan, if there are several.
    name: Option<String>,
    links: SourceLinks,
}

impl<W: Write> Html<W> {
    /// Creates a page that shows the rules that each plan breaks, and the locations of blocks.
    pub fn new(out: W, options: &ReportOptions<'_>) -> Html<W> {
        Html {
            out: BufWriter::with_capacity(BUFFER, out),
            block_len: None,
            has_begun: false,
            counted_rules: CountedRules::new(options.rules),
            patterns: options.patterns.clone(),
            overview: Overview::new(table::cut, overview::LISTED),
            others: overview::others(),
            clues: Clues::default(),
            plans: 0,
            name: None,
            links: options.links(),
        }
    }

    /// Returns the parts of the page before and after the data.
    fn page() -> [String; 2] {
        let (head, tail) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
        [FRAME.head() + head, FRAME.tail(tail)]
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let [head, _] = Self::page();
        self.write(&head)
    }

    /// Adds lines to the open block, and begins one if none is open.
    fn add_lines(
        &mut self,
        push: impl FnOnce(&mut Block<'_, W>) -> serde_json::Result<()>,
    ) -> Result<()> {
        self.begin()?;
        if self.block_len.is_none() {
            self.write(BLOCK[0])?;
        }
        let mut block = Block { out: &mut self.out, len: self.block_len.unwrap_or(BLOCK[0].len()) };
        push(&mut block).map_err(write_error)?;
        self.block_len = Some(block.len);
        if block.len >= BLOCK_LEN { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        match self.block_len.take() {
            Some(_) => self.write(BLOCK[1]),
            None => Ok(()),
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    fn entry(&mut self, entry: &HtmlEntry<'_>) -> Result<()> {
        self.add_lines(|out| entry.push(out))
    }

    fn resource(&mut self, kind: &'static str, change: &ResourceChange<'_>) -> Result<()> {
        let link = self.links.of_change(change);
        self.entry(&HtmlEntry::of_resource(kind, change).at(link))
    }

    /// Adds a change to the overview.
    fn note(&mut self, change: &ResourceChange<'_>) {
        self.overview.note_type(change);
        overview::note(change, self.name.as_deref(), &mut self.overview, &mut self.others);
    }

    fn plan(&mut self, value: &impl Serialize) -> Result<()> {
        self.add_lines(|out| push_plan(value, out))
    }

    fn summary(&mut self, summary: &Summary) -> Result<()> {
        self.others.mark();
        let tool = self.clues.tool(summary);
        let tool = (tool != Tool::Terraform).then(|| tool.name());
        self.plan(&PlanSummary { tool, summary })
    }
}

/// Writes the line of a plan or of an input, and an empty line in place of details.
fn push_plan(value: &impl Serialize, out: &mut impl Write) -> serde_json::Result<()> {
    push_line(value, out)?;
    push_line(&(), out)
}

/// Writes to a block, and counts its bytes.
struct Block<'h, W: Write> {
    out: &'h mut BufWriter<W>,
    len: usize,
}

impl<W: Write> Write for Block<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.out.write(bytes)?;
        self.len += len;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Splits the part of the page after the data at the two placeholders.
fn parts(tail: &str) -> [&str; 3] {
    let (first, rest) = tail.split_once(HEAD).unwrap_or((tail, ""));
    let (second, rest) = rest.split_once(BODY).unwrap_or((rest, ""));
    [first, second, rest]
}

impl<W: Write> Sink for Html<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        self.clues.note(record);
        match record {
            Record::Plan(plan) => {
                let is_one_of_several = plan.workspace.is_some() || self.plans > 0;
                let name = plan.workspace.unwrap_or(plan.source);
                self.name = is_one_of_several.then(|| name.to_owned());
                self.plans += 1;
                self.plan(record)
            }
            Record::ResourceChange(change) => {
                self.note(change);
                self.resource(if change.is_settled() { "same" } else { "change" }, change)
            }
            Record::ResourceDrift(change) => self.resource("drift", change),
            Record::DeferredChange(change) => self.resource("deferred", change),
            Record::OutputChange(output) => {
                let link = self.links.of_output(&output.name);
                self.entry(&HtmlEntry::of_output(output).at(link))
            }
            Record::ActionInvocation(invoked) => {
                self.entry(&HtmlEntry::of_invocation("invocation", invoked))
            }
            Record::DeferredActionInvocation(deferred) => {
                self.entry(&HtmlEntry::of_invocation("deferred_invocation", deferred))
            }
            Record::Check(check) => {
                let link = self.links.of(&check.address);
                self.entry(&HtmlEntry::of_check(check).at(link))
            }
            Record::Summary(summary) => self.summary(summary),
            // The overview lists failed assertions among the broken rules.
            _ => Ok(()),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.overview.note(record, &self.counted_rules);
        self.clues.note(record);
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.overview.hide(hidden);
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let Label { source, workspace } = label;
        self.others.forget();
        self.overview.fail(label, &error.to_string());
        self.plan(&Failed { source, workspace })
    }

    fn finish(&mut self) -> Result<()> {
        self.begin()?;
        self.end_block()?;
        self.overview.end(self.patterns.as_deref());
        let [_, tail] = Self::page();
        let [before_head, before_body, rest] = parts(&tail);
        let (head, body) =
            (overview::head(&self.overview), overview::body(&self.overview, &self.others));
        for part in [before_head, &head, before_body, &body, rest] {
            self.write(part)?;
        }
        self.out.flush().map_err(write_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        frame::tests::check(&FRAME, PAGE, &[DATA, HEAD, BODY]);
    }
}

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
mod page_writer;
mod table;

use std::io::Write;
use std::sync::Arc;

pub(crate) use self::entry::{Cell, Failed, row};
use self::entry::{HtmlEntry, PlanSummary};
pub(crate) use self::frame::Frame;
pub(crate) use self::inert::push_line;
pub(crate) use self::overview::{LISTED, UNSCRIPTED, changes};
pub(crate) use self::page_writer::PageWriter;
pub(crate) use self::table::{NAME, ROWS_MAX, Table, cut, digits, end, errors, push_cells};
use crate::Sink;
use crate::change_list::ChangeList;
use crate::gate::CountedRules;
use crate::overview::Overview;
use crate::report::ReportOptions;
use crate::source_link::SourceLinks;
use crate::tool::{Clues, Tool};
use plansift_core::error::{Error, Result};
use plansift_plan::record::counts::Summary;
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{Hidden, Label, Record, ResourceChange};

const PAGE: &str = include_str!("page/page.html");

pub(crate) const FRAME: Frame = Frame {
    title: "Plan report",
    style: concat!(include_str!("page/page.css"), include_str!("page/lists.css")),
    style_digest: "ZAsZOo2TsERlcg1RCCLhnvBRCnUk5noNXbWfD2dkPCc=",
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
    script_digest: "H4tTVIAGClICQYndFHtpdEJcNsx/D1mGz5sjyohKe0s=",
};

/// A sink that writes one page for all plans.
pub struct Html<W: Write> {
    page: PageWriter<W>,
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
            page: PageWriter::new(out, &FRAME, PAGE),
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

    fn entry(&mut self, entry: &HtmlEntry<'_>) -> Result<()> {
        self.page.add_lines(|out| entry.push(out))
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

    fn summary(&mut self, summary: &Summary) -> Result<()> {
        self.others.mark();
        let tool = self.clues.tool(summary);
        let tool = (tool != Tool::Terraform).then(|| tool.name());
        self.page.plan(&PlanSummary { tool, summary })
    }
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
                self.page.plan(record)
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
        self.page.plan(&Failed { source, workspace })
    }

    fn finish(&mut self) -> Result<()> {
        self.overview.end(self.patterns.as_deref());
        let (head, body) =
            (overview::head(&self.overview), overview::body(&self.overview, &self.others));
        self.page.finish(&head, &body)
    }
}

#[cfg(test)]
pub(crate) use self::frame::tests::check as check_frame;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        check_frame(&FRAME, PAGE, &PageWriter::<Vec<u8>>::MARKS);
    }
}

//! Writes a report as a self-contained HTML page that needs no network and no server.
//!
//! ```text
//! page/page.html ─┬─ head: policy, style      written first
//!                 ├─ data: blocks of lines    while the plans are read
//!                 └─ script                   written last; builds the page from the data
//! ```
//!
//! Text from a plan is only data. It is stored in script elements of a type that no browser runs
//! (`inert`), and the script inserts it as text. The page's content security policy allows only
//! this script, by its digest, and no requests.
//!
//! The digests in the policy are constants. A change to the style or the script must update them. A
//! test in this file compares them.

mod entry;
mod inert;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use self::entry::{Broken, Failed, HiddenRecords, HtmlEntry, PlanSummary};
use self::inert::push_line;
use crate::error::{Error, Result};
use crate::record::counts::Summary;
use crate::record::{Hidden, Label, Record, ResourceChange};
use crate::sink::gate::CountedRules;
use crate::sink::phrase::plan_line;
use crate::sink::report::ReportOptions;
use crate::sink::source_link::SourceLinks;
use crate::sink::tool::{Clues, Tool};
use crate::sink::{BUFFER, Sink, write_error};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/page.css"), include_str!("page/lists.css"));
/// The script, concatenated to one module.
const SCRIPT: &str = concat!(
    include_str!("page/words.js"),
    include_str!("page/data.js"),
    include_str!("page/overview.js"),
    include_str!("page/filters.js"),
    include_str!("page/link.js"),
    include_str!("page/lists.js"),
    include_str!("page/details.js"),
    include_str!("page/start.js"),
);

/// SHA-256 of the style, in base64.
const STYLE_DIGEST: &str = "vs7p1J+XTtPGRUGeyRTPAEZtaDAybWup8hmVM5MytdE=";
/// SHA-256 of the script, in base64.
const SCRIPT_DIGEST: &str = "+tXtC9bJY34bIUZDM/npNb9atk6Rg3ZiV9n6eA+h0rw=";

/// The placeholder in the page that the data replaces.
const DATA: &str = "<!-- data -->\n";

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
    clues: Clues,
    invocations: u64,
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
            clues: Clues::default(),
            invocations: 0,
            links: options.links(),
        }
    }

    /// Returns the parts of the page before and after the data.
    fn page() -> [String; 2] {
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{SCRIPT_DIGEST}'; \
             style-src 'sha256-{STYLE_DIGEST}'; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        );
        let (head, tail) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
        let head = head.replace("<!-- policy -->", &policy).replace("/* style */", STYLE);
        [head, tail.replace("/* script */", SCRIPT)]
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

    fn plan(&mut self, value: &impl Serialize) -> Result<()> {
        self.add_lines(|out| push_plan(value, out))
    }

    fn summary(&mut self, summary: &Summary) -> Result<()> {
        let line = plan_line(summary, self.invocations);
        let broken = self.counted_rules.broken().map(|answer| Broken::of(&answer)).collect();
        let tool = self.clues.tool(summary);
        let tool = (tool != Tool::Terraform).then(|| tool.name());
        let invocations = self.invocations;
        let value = PlanSummary { line, tool, invocations, broken, summary };
        let mut text = Vec::new();
        push_plan(&value, &mut text).map_err(write_error)?;
        self.add_lines(|out| out.write_all(&text).map_err(serde_json::Error::io))
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

impl<W: Write> Sink for Html<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.clues.note(record);
        match record {
            Record::Plan(_) => {
                self.invocations = 0;
                self.plan(record)
            }
            Record::ResourceChange(change) => {
                self.resource(if change.is_settled() { "same" } else { "change" }, change)
            }
            Record::ResourceDrift(change) => self.resource("drift", change),
            Record::DeferredChange(change) => self.resource("deferred", change),
            Record::OutputChange(output) => {
                let link = self.links.of_output(&output.name);
                self.entry(&HtmlEntry::of_output(output).at(link))
            }
            Record::ActionInvocation(invoked) => {
                self.invocations += 1;
                self.entry(&HtmlEntry::of_invocation("invocation", invoked))
            }
            Record::DeferredActionInvocation(deferred) => {
                self.entry(&HtmlEntry::of_invocation("deferred_invocation", deferred))
            }
            Record::Check(check) => {
                let link = self.links.of(&check.address);
                self.entry(&HtmlEntry::of_check(check).at(link))
            }
            Record::RelevantAttribute(_) => Ok(()),
            // The summary lists failed assertions among the broken rules.
            Record::FailedAssertion(_) => Ok(()),
            Record::Summary(summary) => self.summary(summary),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.clues.note(record);
        self.invocations += u64::from(matches!(record, Record::ActionInvocation(_)));
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        match hidden.words() {
            Some(words) => self.plan(&HiddenRecords { words }),
            None => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let Label { source, workspace } = label;
        self.plan(&Failed { source, workspace, error: error.to_string() })
    }

    fn finish(&mut self) -> Result<()> {
        self.begin()?;
        self.end_block()?;
        let [_, tail] = Self::page();
        self.write(&tail)?;
        self.out.flush().map_err(write_error)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
        assert_eq!([STYLE_DIGEST, SCRIPT_DIGEST], [STYLE, SCRIPT].map(digest));
    }

    #[test]
    fn the_page_template_contains_each_placeholder_once() {
        let [head, tail] = Html::<Vec<u8>>::page();
        for mark in ["<!-- policy -->", "/* style */", DATA, "/* script */"] {
            assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
        }
        assert!(head.contains(STYLE) && tail.contains(SCRIPT));
        // These strings would end the style or the script early.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}

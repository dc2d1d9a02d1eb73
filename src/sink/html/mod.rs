//! A page for a browser, in one file that needs nothing else: no network, no server.
//!
//! ```text
//! page/page.html ─┬─ head: policy, style      written first
//!                 ├─ data: blocks of lines    while the plans are read
//!                 └─ script                   last; it makes the page of the data
//! ```
//!
//! What comes from a plan is data only: text in script elements of a type that no browser runs
//! (`inert`), of which the script makes text of the page. The policy of the page lets nothing run
//! but this script, which it names by its digest, and nothing be fetched at all.
//!
//! The trap: the digests of the policy are constants. A test here holds them to the files.

mod entry;
mod inert;

use std::io::Write;

use serde::Serialize;

use self::entry::{Broken, Ended, Entry, Failed, Unseen};
use self::inert::push_line;
use crate::error::{Error, Result};
use crate::record::counts::Summary;
use crate::record::{Hidden, Label, Record};
use crate::sink::gate::{Questions, Rule};
use crate::sink::phrase::plan_line;
use crate::sink::tool::{Clues, Tool};
use crate::sink::{BUFFER, Sink, write_error};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = concat!(include_str!("page/page.css"), include_str!("page/lists.css"));
/// One module.
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
const STYLE_DIGEST: &str = "JZ00uOxZD691uMKiFLH1MgUn1jDUmdmb3Bm4LJ5xgVY=";
/// SHA-256 of the script, in base64.
const SCRIPT_DIGEST: &str = "sBfpBac/z2BCFbUDUra4C3YAQaGE5pl70uPK17fH040=";

/// Where the data goes in the page.
const DATA: &str = "<!-- data -->\n";

/// What a block of data begins and ends with.
const BLOCK: [&str; 2] = ["<script type=\"application/x-ndjson\">\n", "</script>\n"];
/// Length from which a block is ended, in bytes: a browser takes no text of any length.
const BLOCK_LEN: usize = 1 << 20;

/// Writes one page of all plans.
pub struct Html<W: Write> {
    out: W,
    /// What is not written yet.
    text: Vec<u8>,
    /// Bytes of the block at hand; none: it has not begun.
    block_len: Option<usize>,
    has_begun: bool,
    /// Of the plan at hand.
    questions: Questions,
    clues: Clues,
    invocations: u64,
}

impl<W: Write> Html<W> {
    /// Writes to `out`, with the rules that plans break.
    pub fn new(out: W, rules: &[Rule]) -> Html<W> {
        let (text, clues) = (Vec::new(), Clues::default());
        let questions = Questions::new(rules);
        Html { out, text, block_len: None, has_begun: false, questions, clues, invocations: 0 }
    }

    /// The page before and after the data.
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

    fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            let [head, _] = Self::page();
            self.text.extend(head.as_bytes());
        }
    }

    /// Writes what is told of a record.
    fn tell(&mut self, push: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>) -> Result<()> {
        self.begin();
        let before = self.text.len();
        if self.block_len.is_none() {
            self.text.extend(BLOCK[0].as_bytes());
        }
        push(&mut self.text).map_err(write_error)?;
        let len = self.block_len.unwrap_or(0) + self.text.len() - before;
        self.block_len = Some(len);
        if len >= BLOCK_LEN {
            self.end_block();
        }
        if self.text.len() >= BUFFER { self.write() } else { Ok(()) }
    }

    fn end_block(&mut self) {
        if self.block_len.take().is_some() {
            self.text.extend(BLOCK[1].as_bytes());
        }
    }

    fn write(&mut self) -> Result<()> {
        self.out.write_all(&self.text).map_err(write_error)?;
        self.text.clear();
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        self.tell(|text| entry.push(text))
    }

    /// Tells of a plan or an input, which has no details.
    fn plan(&mut self, told: &impl Serialize) -> Result<()> {
        self.tell(|text| push_line(told, text).and_then(|()| push_line(&(), text)))
    }

    fn summary(&mut self, summary: &Summary) -> Result<()> {
        let line = plan_line(summary, self.invocations);
        let broken = self.questions.broken().map(|answer| Broken::of(&answer)).collect();
        let tool = self.clues.tool(summary);
        let tool = (tool != Tool::Terraform).then(|| tool.name());
        let mut text = Vec::new();
        push_line(&Ended { kind: "summary", line, tool, broken, summary }, &mut text)
            .and_then(|()| push_line(&(), &mut text))
            .map_err(write_error)?;
        self.tell(|all| {
            all.extend(&text);
            Ok(())
        })
    }
}

impl<W: Write> Sink for Html<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.questions.note(record);
        self.clues.note(record);
        match record {
            Record::Plan(_) => {
                self.invocations = 0;
                self.plan(record)
            }
            Record::ResourceChange(change) => self.entry(&Entry::of_resource("change", change)),
            Record::ResourceDrift(change) => self.entry(&Entry::of_resource("drift", change)),
            Record::DeferredChange(change) => self.entry(&Entry::of_resource("deferred", change)),
            Record::OutputChange(output) => self.entry(&Entry::of_output(output)),
            Record::ActionInvocation(invoked) => {
                self.invocations += 1;
                self.entry(&Entry::of_invocation("invocation", invoked))
            }
            Record::DeferredActionInvocation(deferred) => {
                self.entry(&Entry::of_invocation("deferred_invocation", deferred))
            }
            Record::Check(check) => self.entry(&Entry::of_check(check)),
            Record::Summary(summary) => self.summary(summary),
        }
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.questions.note(record);
        self.clues.note(record);
        self.invocations += u64::from(matches!(record, Record::ActionInvocation(_)));
        Ok(())
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        match hidden.words() {
            Some(words) => self.plan(&Unseen { kind: "hidden", words }),
            None => Ok(()),
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let Label { source, workspace } = label;
        self.plan(&Failed { kind: "failed", source, workspace, error: error.to_string() })
    }

    fn finish(&mut self) -> Result<()> {
        self.begin();
        self.end_block();
        let [_, tail] = Self::page();
        self.text.extend(tail.as_bytes());
        self.write()?;
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
    fn the_parts_fit_together() {
        let [head, tail] = Html::<Vec<u8>>::page();
        for mark in ["<!-- policy -->", "/* style */", DATA, "/* script */"] {
            assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
        }
        assert!(head.contains(STYLE) && tail.contains(SCRIPT));
        // What could end them before their end.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}

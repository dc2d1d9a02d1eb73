//! The outputs and the options of a report.

use std::io::Write;
use std::sync::Arc;

use super::annotate::Annotated;
use super::filter::{Filter, Noise};
use super::gate::Rule;
use super::markdown::{Fit, Markdown, Open, Page};
use super::origin::SharedOrigins;
use super::screen::Screen;
use super::source_link::{LinkTarget, SourceLinks};
use crate::view::Detail;
use plansift_core::error::Result;
use plansift_plan::record::Sink;
use plansift_plan::record::patterns::UnmatchedPatterns;

/// The outputs of a report.
pub struct Streams<'s> {
    /// The pages of the report. Only Markdown has more than one.
    pub pages: Open<'s>,
    /// The summary of a step of GitHub Actions.
    pub step_summary: Option<Open<'s>>,
    /// The outputs of a step of GitHub Actions.
    pub step_outputs: Option<Box<dyn Write + 's>>,
}

impl<'s> Streams<'s> {
    pub(super) fn first_page(&mut self) -> Result<Page<'s>> {
        (self.pages)(1)
    }
}

/// The user's options for a report. A format ignores the options that it does not support.
pub struct ReportOptions<'a> {
    /// The rules that plans must meet.
    pub rules: &'a [Rule],
    /// Tracks which patterns of rules and filters match something.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
    /// The locations of blocks in source files.
    pub origins: SharedOrigins,
    /// The target of links to source files.
    pub link_target: Option<LinkTarget>,
    /// The changes to annotate at their blocks.
    pub annotated: Annotated,
    /// How much of each value the report shows.
    pub detail: Detail,
    /// The screen of a report for a terminal.
    pub screen: Screen,
    /// The limit on the length of Markdown.
    pub fit: Fit,
    /// The limit on the length of the compact report, in bytes.
    pub max_bytes: u64,
    /// The records and attributes that reports for people hide.
    pub noise: Noise,
}

impl ReportOptions<'_> {
    pub(super) fn links(&self) -> SourceLinks {
        SourceLinks::new(self.origins.clone(), self.link_target.clone())
    }

    pub(super) fn markdown<'s>(&self, pages: Open<'s>, fit: Fit) -> Box<dyn Sink + 's> {
        // Links to local files do not work on code hosts.
        let links = match self.link_target {
            Some(LinkTarget::Url(_)) => self.links(),
            _ => SourceLinks::default(),
        };
        Box::new(Markdown::new(pages, self.rules, fit).with(
            self.detail,
            links,
            self.patterns.clone(),
        ))
    }

    /// Wraps a report for people in the filter that the user set.
    pub(super) fn filtered<'s>(&self, report: Box<dyn Sink + 's>) -> Box<dyn Sink + 's> {
        if self.noise.is_none() {
            return report;
        }
        Box::new(Filter::new(report, self.noise.clone(), self.patterns.clone()))
    }
}

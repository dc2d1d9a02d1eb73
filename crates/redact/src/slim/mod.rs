//! Reduces a plan to the parts that policies and people read.
//!
//! The parts that stay are unchanged: the same keys in the same order, and the same bytes for every
//! value. This module selects the parts; [`crate::redact::cut`] removes the rest and masks secrets.
//!
//! A reader must not mistake a removed part for a part that the plan never had. So the keys that
//! say how far a plan got (`complete`, `errored`, `applyable`) always stay, and a selected section
//! stays even if all its elements are removed.

mod paths;

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use paths::{Layer, Pruner};

use crate::redact::selection::{Judge, Judges, Reason, RemovedPieces, Selection, Verdict};
use crate::redact::{self, Redacted, Secrecy, rewrite};
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::json::value::decode;
use plansift_core::json::value::{Text, Value};
use plansift_core::path::{self, AddressPattern};
use plansift_plan::plan::{
    Change, Deferred, Documents, Piece, PieceKind, ResourceChange, Section, StateKind,
    WrongDocument,
};
use plansift_plan::record::Show;
use plansift_plan::record::action::{Action, is_settled};
use plansift_plan::record::patterns::{Resource, UnmatchedPatterns};

/// The parts of a plan to keep.
#[derive(Clone, Debug)]
pub struct SlimOptions {
    /// The parts that stay.
    pub keep: Vec<PlanPart>,
    /// Whether no-op changes stay.
    pub show: Show,
    /// Keeps only resources whose address or type a pattern covers. Empty: all resources.
    pub only: Vec<AddressPattern>,
    /// Keeps only the attributes of resources at these paths. Empty: all attributes.
    pub paths: Vec<path::Pattern>,
    /// The object to wrap around the plan, if any.
    pub wrap: Option<Wrap>,
    /// Records which patterns match something in a plan. Static, because all threads share it.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
}

impl Default for SlimOptions {
    fn default() -> SlimOptions {
        SlimOptions {
            keep: PlanPart::DEFAULT.to_vec(),
            show: Show::Changes,
            only: Vec::new(),
            paths: Vec::new(),
            wrap: None,
            patterns: None,
        }
    }
}

/// A part of a plan that may be removed. The scalars of a plan (versions, `timestamp`, `complete`,
/// `errored`, `applyable`) always stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPart {
    /// `resource_changes`.
    Changes,
    /// `output_changes`.
    Outputs,
    /// `resource_drift`.
    Drift,
    /// `deferred_changes`.
    Deferred,
    /// `action_invocations` and `deferred_action_invocations`.
    Actions,
    /// `variables`.
    Variables,
    /// `planned_values`.
    Planned,
    /// `prior_state`.
    Prior,
    /// `configuration`.
    Configuration,
    /// `relevant_attributes`.
    Relevant,
    /// `checks`.
    Checks,
    /// Sections without a part of their own, and unknown sections.
    Other,
}

impl PlanPart {
    /// All parts with their names.
    pub const NAMES: [(&str, PlanPart); 12] = [
        ("changes", PlanPart::Changes),
        ("outputs", PlanPart::Outputs),
        ("drift", PlanPart::Drift),
        ("deferred", PlanPart::Deferred),
        ("actions", PlanPart::Actions),
        ("variables", PlanPart::Variables),
        ("planned", PlanPart::Planned),
        ("prior", PlanPart::Prior),
        ("configuration", PlanPart::Configuration),
        ("relevant", PlanPart::Relevant),
        ("checks", PlanPart::Checks),
        ("other", PlanPart::Other),
    ];

    /// Returns the name of the part, as in [`PlanPart::NAMES`].
    pub fn name(self) -> &'static str {
        let name = PlanPart::NAMES.iter().find(|(_, part)| *part == self);
        name.map_or("other", |(name, _)| name)
    }

    /// The parts that stay by default: those that policies read.
    pub const DEFAULT: [PlanPart; 2] = [PlanPart::Changes, PlanPart::Outputs];

    /// Returns the part with this name, or the part of the section with this key in a plan.
    pub fn named(name: &str) -> Option<PlanPart> {
        let named = PlanPart::NAMES.into_iter().find(|(known, _)| *known == name);
        named.map(|(_, part)| part).or_else(|| match Section::of(name) {
            Section::Other => None,
            section => PlanPart::of(section),
        })
    }

    /// Returns the part that a section belongs to. `None` if the section always stays.
    fn of(section: Section) -> Option<PlanPart> {
        Some(match section {
            Section::ResourceChanges => PlanPart::Changes,
            Section::OutputChanges => PlanPart::Outputs,
            Section::ResourceDrift => PlanPart::Drift,
            Section::DeferredChanges => PlanPart::Deferred,
            Section::ActionInvocations | Section::DeferredActionInvocations => PlanPart::Actions,
            Section::Variables => PlanPart::Variables,
            Section::PlannedValues => PlanPart::Planned,
            Section::PriorState => PlanPart::Prior,
            Section::Configuration => PlanPart::Configuration,
            Section::RelevantAttributes => PlanPart::Relevant,
            Section::Checks => PlanPart::Checks,
            Section::FormatVersion
            | Section::TerraformVersion
            | Section::Timestamp
            | Section::Applyable
            | Section::Complete
            | Section::Errored => return None,
            _ => PlanPart::Other,
        })
    }
}

/// An object to wrap around a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// `{"terraform": <plan>}`.
    Terraform,
}

/// Counts of the removed parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The keys of the removed known sections.
    pub sections: Vec<&'static str>,
    /// Number of removed unknown sections.
    pub unknown: u64,
    /// Number of removed no-op changes to resources and outputs.
    pub no_ops: u64,
    /// Number of resources that were removed because [`SlimOptions::only`] does not cover them.
    pub others: u64,
    /// Number of attributes of resources that were removed because they are not at
    /// [`SlimOptions::paths`]. An attribute counts once for each side of a change.
    pub attributes: u64,
}

/// The result of [`slim`].
#[derive(Clone, Debug)]
pub struct Slimmed {
    /// Counts of what was read and masked.
    pub redacted: Redacted,
    /// Counts of the removed parts.
    pub left_out: LeftOut,
    /// The selected parts that the plan has.
    pub kept: Vec<PlanPart>,
    /// Whether the plan had resource changes and [`SlimOptions::only`] removed all of them.
    pub is_emptied: bool,
}

/// Writes the selected parts of the next plan, and masks its secrets unless `secrecy` shows them.
///
/// # Errors
///
/// Fails if the document cannot be read, is not a plan or exceeds a limit, or if the output cannot
/// be written. The output is then an incomplete plan.
///
/// # Panics
///
/// Panics if there is no next document.
pub fn slim<S: Source>(
    documents: &mut Documents<S>,
    options: &SlimOptions,
    secrecy: Secrecy<'_>,
    masking: &redact::RedactOptions,
    out: &mut dyn Write,
) -> Result<Slimmed> {
    let mut selected = Selected {
        options,
        wanted: Wanted {
            show: options.show,
            only: options.only.clone(),
            patterns: options.patterns.clone(),
            met: Arc::default(),
            decoded: Vec::new(),
        },
        pruner: Pruner::new(&options.paths),
        left_out: LeftOut::default(),
        kept: Vec::new(),
        is_plan: false,
    };
    let redacted = rewrite(documents, &mut selected, secrecy, masking, out)?;
    let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let is_emptied = is_set(&selected.wanted.met.others) && !is_set(&selected.wanted.met.wanted);
    Ok(Slimmed { redacted, left_out: selected.left_out, kept: selected.kept, is_emptied })
}

/// Decides which resources and changes stay. Each worker has its own copy.
#[derive(Clone)]
struct Wanted {
    show: Show,
    only: Vec<AddressPattern>,
    patterns: Option<Arc<UnmatchedPatterns>>,
    /// The kinds of resource changes found so far. All copies share it.
    met: Arc<MatchedChanges>,
    /// Scratch space for decoded strings.
    decoded: Vec<u8>,
}

/// The kinds of resource changes that any thread has found.
#[derive(Debug, Default)]
struct MatchedChanges {
    /// True if a change was found that [`SlimOptions::only`] covers.
    wanted: AtomicBool,
    /// True if a change was found that [`SlimOptions::only`] does not cover.
    others: AtomicBool,
}

impl Wanted {
    /// Decides whether a resource with this address and type stays.
    fn resource(
        &mut self,
        address: Option<Text<'_>>,
        type_name: Option<Text<'_>>,
    ) -> Result<Verdict> {
        let mut is_wanted = self.only.is_empty();
        for text in [address, type_name].into_iter().flatten() {
            if !is_wanted {
                let text = String::from_utf8_lossy(decode(text, &mut self.decoded)?);
                is_wanted = self.only.iter().any(|pattern| pattern.covers(&text));
            }
        }
        Ok(if is_wanted { Verdict::Kept } else { Verdict::Removed(Reason::Unwanted) })
    }

    fn resource_change(&mut self, section: Section, found: &ResourceChange<'_>) -> Result<Verdict> {
        if let Some(patterns) = &self.patterns {
            patterns.see(&Resource::of(found), &[], None);
        }
        let change = &found.change;
        let is_no_op = section == Section::ResourceChanges
            && self.show == Show::Changes
            && is_settled(Action::of(change)?.known_word(), found.moved_from(), change.importing);
        match is_no_op {
            true => Ok(Verdict::Removed(Reason::NoOp)),
            false => {
                let verdict = self.resource(found.address, found.resource.type_name)?;
                let MatchedChanges { wanted, others } = &*self.met;
                let flag = if verdict == Verdict::Kept { wanted } else { others };
                if section == Section::ResourceChanges && !flag.load(Ordering::Relaxed) {
                    flag.store(true, Ordering::Relaxed);
                }
                Ok(verdict)
            }
        }
    }
}

struct Selected<'o> {
    options: &'o SlimOptions,
    wanted: Wanted,
    pruner: Pruner<'o>,
    left_out: LeftOut,
    kept: Vec<PlanPart>,
    /// True if a kept section occurs only in plans. Readers then recognise the output as a plan.
    is_plan: bool,
}

impl Selected<'_> {
    fn keeps(&self, part: PlanPart) -> bool {
        self.options.keep.contains(&part)
    }

    fn resource_change(
        &mut self,
        section: Section,
        found: &ResourceChange<'_>,
        cuts: &mut Vec<Range<u64>>,
    ) -> Result<Verdict> {
        let verdict = self.wanted.resource_change(section, found)?;
        if verdict == Verdict::Kept {
            let Change { before, after, after_unknown, before_sensitive, after_sensitive, .. } =
                found.change;
            self.prune([before, after], [after_unknown, before_sensitive, after_sensitive], cuts)?;
        }
        Ok(verdict)
    }

    /// Removes the attributes that [`SlimOptions::paths`] does not cover, and their marks in the
    /// overlays.
    fn prune<'a>(
        &mut self,
        values: impl IntoIterator<Item = Option<Value<'a>>>,
        overlays: impl IntoIterator<Item = Option<Value<'a>>>,
        cuts: &mut Vec<Range<u64>>,
    ) -> Result<()> {
        if self.options.paths.is_empty() {
            return Ok(());
        }
        self.pruner.begin();
        for value in values.into_iter().flatten() {
            self.left_out.attributes += self.pruner.prune(value, Layer::Value, cuts)?;
        }
        for overlay in overlays.into_iter().flatten() {
            self.pruner.prune(overlay, Layer::Overlay, cuts)?;
        }
        cuts.sort_unstable_by_key(|cut| cut.start);
        Ok(())
    }
}

impl Selection for Selected<'_> {
    fn around(&self) -> [&'static str; 2] {
        match self.options.wrap {
            Some(Wrap::Terraform) => ["{\"terraform\":", "}"],
            None => [""; 2],
        }
    }

    fn judges(&self) -> Option<Judges> {
        let wanted = self.wanted.clone();
        let new_judge = move || {
            let mut wanted = wanted.clone();
            let judge = move |piece: &Piece<'_>| {
                let found = ResourceChange::parse(piece.section, piece.value)?;
                wanted.resource_change(piece.section, &found)
            };
            Box::new(judge) as Judge
        };
        // Judges cannot cut attributes. With selected paths, there are no judges.
        self.options.paths.is_empty().then(|| Box::new(new_judge) as Judges)
    }

    fn section(&mut self, section: Section, _: &str) -> bool {
        let part = PlanPart::of(section);
        if part.is_none_or(|part| self.keeps(part)) {
            self.kept.extend(part);
            self.is_plan |= section.is_of_plans();
            return true;
        }
        match section {
            Section::Other => self.left_out.unknown += 1,
            section => self.left_out.sections.push(section.name()),
        }
        false
    }

    fn piece(&mut self, piece: &Piece<'_>, cuts: &mut Vec<Range<u64>>) -> Result<Verdict> {
        let value = piece.value;
        match piece.kind {
            PieceKind::ResourceChange => {
                let found = ResourceChange::parse(piece.section, value)?;
                self.resource_change(piece.section, &found, cuts)
            }
            PieceKind::DeferredChange => {
                let Deferred { resource_change, .. } = Deferred::parse(value)?;
                self.resource_change(piece.section, &resource_change, cuts)
            }
            PieceKind::OutputChange => {
                let stays = self.options.show == Show::All
                    || Action::of(&Change::parse(value)?)? != Action::NoOp;
                Ok(if stays { Verdict::Kept } else { Verdict::Removed(Reason::NoOp) })
            }
            PieceKind::Resource => {
                let text = |key| value.get(key)?.map(|value| value.string()).transpose();
                let (address, type_name) = (text("address")?, text("type")?);
                if let Some(patterns) = &self.wanted.patterns {
                    let values = [value.get("values")?, None, None];
                    let resource = Resource { address, type_name, values, ..Resource::default() };
                    patterns.see(&Resource { is_secret: true, ..resource }, &[], None);
                }
                let verdict = self.wanted.resource(address, type_name)?;
                if verdict == Verdict::Kept {
                    self.prune([value.get("values")?], [value.get("sensitive_values")?], cuts)?;
                }
                Ok(verdict)
            }
            _ => Ok(Verdict::Kept),
        }
    }

    fn state(&mut self, kind: StateKind) -> Result<()> {
        Err(Error::new(WrongDocument::from(kind)))
    }

    fn missing(&mut self) -> &'static str {
        // An empty section marks the output as a plan and adds no information.
        if self.is_plan { "" } else { ",\"planned_values\":{}" }
    }

    fn add_removed(&mut self, removed: &RemovedPieces) {
        (self.left_out.no_ops, self.left_out.others) = (removed.no_ops, removed.unwanted);
    }
}

//! A plan cut down to what policies and people read.
//!
//! What stays is the plan's own text: the same keys in the same order, the same bytes for every
//! value. Here is what is wanted of a plan; how the rest is left out, and its secrets with it, is
//! in [`crate::redact::cut`].
//!
//! The trap: nothing that is left out may look as if it had not been there. What says how far a
//! plan got (`complete`, `errored`, `applyable`) always stays, and a section that is wanted stays
//! even where nothing of it does.

mod paths;

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use paths::{Layer, Pruner};

use crate::error::{Error, ErrorKind, Result, WrongDocument};
use crate::input::Source;
use crate::json::value::{Text, Value};
use crate::path::{self, AddressPattern};
use crate::plan::{Change, Deferred, Documents, Piece, PieceKind, ResourceChange, Section};
use crate::record::Show;
use crate::record::action::Action;
use crate::record::watch::{Resource, Watch};
use crate::redact::cut::{Gone, Judge, Judges, Reason, Selection, Verdict};
use crate::redact::{self, Redacted, Secrecy, rewrite};
use crate::secret::decode;

/// What is wanted of a plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sections that stay.
    pub keep: Vec<Part>,
    /// Whether changes stay that change nothing.
    pub show: Show,
    /// Resources stay whose address or type one of these covers; all, where there is none.
    pub only: Vec<AddressPattern>,
    /// Attributes of resources stay that lie on these paths; all, where there is none.
    pub paths: Vec<path::Pattern>,
    /// What the plan is put into.
    pub wrap: Option<Wrap>,
    /// Patterns of which it is asked whether they name anything. They outlive all threads.
    pub watch: Option<&'static Watch>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            keep: Part::DEFAULT.to_vec(),
            show: Show::Changes,
            only: Vec::new(),
            paths: Vec::new(),
            wrap: None,
            watch: None,
        }
    }
}

/// A part of a plan that may be left out. The scalars of a plan (versions, `timestamp`, `complete`,
/// `errored`, `applyable`) always stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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
    /// Sections that nobody knows.
    Other,
}

impl Part {
    /// All, by name.
    pub const NAMES: [(&str, Part); 12] = [
        ("changes", Part::Changes),
        ("outputs", Part::Outputs),
        ("drift", Part::Drift),
        ("deferred", Part::Deferred),
        ("actions", Part::Actions),
        ("variables", Part::Variables),
        ("planned", Part::Planned),
        ("prior", Part::Prior),
        ("configuration", Part::Configuration),
        ("relevant", Part::Relevant),
        ("checks", Part::Checks),
        ("other", Part::Other),
    ];

    /// The name of a part.
    pub fn name(self) -> &'static str {
        let name = Part::NAMES.iter().find(|(_, part)| *part == self);
        name.map_or("other", |(name, _)| name)
    }

    /// Those that stay unless others are named: what policies read.
    pub const DEFAULT: [Part; 2] = [Part::Changes, Part::Outputs];

    /// The part of that name, or with that key in a plan.
    pub fn named(name: &str) -> Option<Part> {
        let named = Part::NAMES.into_iter().find(|(known, _)| *known == name);
        named.map(|(_, part)| part).or_else(|| match Section::of(name) {
            Section::Other => None,
            section => Part::of(section),
        })
    }

    /// The part that a section is; `None`: it always stays.
    fn of(section: Section) -> Option<Part> {
        Some(match section {
            Section::ResourceChanges => Part::Changes,
            Section::OutputChanges => Part::Outputs,
            Section::ResourceDrift => Part::Drift,
            Section::DeferredChanges => Part::Deferred,
            Section::ActionInvocations | Section::DeferredActionInvocations => Part::Actions,
            Section::Variables => Part::Variables,
            Section::PlannedValues => Part::Planned,
            Section::PriorState => Part::Prior,
            Section::Configuration => Part::Configuration,
            Section::RelevantAttributes => Part::Relevant,
            Section::Checks => Part::Checks,
            Section::Other => Part::Other,
            Section::FormatVersion
            | Section::TerraformVersion
            | Section::Timestamp
            | Section::Applyable
            | Section::Complete
            | Section::Errored => return None,
        })
    }
}

/// What a plan is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// An object whose member `terraform` it is.
    Terraform,
}

/// What was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The known sections.
    pub sections: Vec<&'static str>,
    /// Sections that nobody knows.
    pub unknown: u64,
    /// Changes of resources and outputs that change nothing.
    pub no_ops: u64,
    /// Resources whose address and type are not wanted.
    pub others: u64,
    /// Attributes of resources that are not wanted, on each side of a change.
    pub attributes: u64,
}

/// What was done.
#[derive(Clone, Debug)]
pub struct Slimmed {
    /// What was read and masked.
    pub redacted: Redacted,
    /// What was left out.
    pub left_out: LeftOut,
    /// The parts that were wanted and are there.
    pub kept: Vec<Part>,
    /// [`Options::only`] left out changes of resources, and none stays.
    pub is_emptied: bool,
}

/// Writes what is wanted of the next of several plans, without its secrets unless they may be
/// shown.
///
/// # Errors
///
/// The document cannot be read, is no plan, or passes a limit; the output cannot be written. What
/// was written until then is no plan.
///
/// # Panics
///
/// There is no next one.
pub fn slim<S: Source>(
    documents: &mut Documents<S>,
    options: &Options,
    secrecy: Secrecy<'_>,
    masking: &redact::Options,
    out: &mut dyn Write,
) -> Result<Slimmed> {
    let mut selected = Selected {
        options,
        wanted: Wanted {
            show: options.show,
            only: options.only.clone(),
            watch: options.watch,
            met: Arc::default(),
            decoded: Vec::new(),
        },
        pruner: Pruner::new(&options.paths),
        left_out: LeftOut::default(),
        kept: Vec::new(),
        is_plan: false,
    };
    let redacted = rewrite(documents, &mut selected, secrecy, masking, out)?;
    let has = |met: &AtomicBool| met.load(Ordering::Relaxed);
    let is_emptied = has(&selected.wanted.met.others) && !has(&selected.wanted.met.wanted);
    Ok(Slimmed { redacted, left_out: selected.left_out, kept: selected.kept, is_emptied })
}

/// Which resources and changes are wanted.
#[derive(Clone)]
struct Wanted {
    show: Show,
    only: Vec<AddressPattern>,
    watch: Option<&'static Watch>,
    met: Arc<Met>,
    decoded: Vec<u8>,
}

/// Which changes of resources have been met, by any thread.
#[derive(Debug, Default)]
struct Met {
    wanted: AtomicBool,
    others: AtomicBool,
}

impl Wanted {
    /// Of a resource with such an address and type.
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
        Ok(if is_wanted { Verdict::Stays } else { Verdict::Goes(Reason::Unwanted) })
    }

    fn resource_change(&mut self, section: Section, found: &ResourceChange<'_>) -> Result<Verdict> {
        if let Some(watch) = self.watch {
            watch.see(&Resource::of(found), &[]);
        }
        let change = &found.change;
        let is_no_op = section == Section::ResourceChanges
            && self.show == Show::Changes
            && Action::of(change)? == Action::NoOp
            && !found.is_moved()
            && change.importing.is_none();
        match is_no_op {
            true => Ok(Verdict::Goes(Reason::NoOp)),
            false => {
                let verdict = self.resource(found.address, found.type_name)?;
                let met = &*self.met;
                let met = if verdict == Verdict::Stays { &met.wanted } else { &met.others };
                if section == Section::ResourceChanges && !met.load(Ordering::Relaxed) {
                    met.store(true, Ordering::Relaxed);
                }
                Ok(verdict)
            }
        }
    }
}

impl Judge for Wanted {
    fn change(&mut self, piece: &Piece<'_>) -> Result<Verdict> {
        self.resource_change(piece.section, &ResourceChange::parse(piece.section, piece.value)?)
    }
}

struct Selected<'o> {
    options: &'o Options,
    wanted: Wanted,
    pruner: Pruner<'o>,
    left_out: LeftOut,
    kept: Vec<Part>,
    /// A section stays that tells readers that this is a plan.
    is_plan: bool,
}

impl Selected<'_> {
    fn keeps(&self, part: Part) -> bool {
        self.options.keep.contains(&part)
    }

    fn resource_change(
        &mut self,
        section: Section,
        found: &ResourceChange<'_>,
        cuts: &mut Vec<Range<u64>>,
    ) -> Result<Verdict> {
        let verdict = self.wanted.resource_change(section, found)?;
        if verdict == Verdict::Stays {
            let Change { before, after, after_unknown, before_sensitive, after_sensitive, .. } =
                found.change;
            self.prune([before, after], [after_unknown, before_sensitive, after_sensitive], cuts)?;
        }
        Ok(verdict)
    }

    /// Leaves out attributes that are not wanted, and what overlays say of them.
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
        let judges = move || Box::new(wanted.clone()) as Box<dyn Judge>;
        // Whoever cuts attributes counts them.
        self.options.paths.is_empty().then(|| Box::new(judges) as Judges)
    }

    fn section(&mut self, section: Section, _: &str) -> bool {
        let part = Part::of(section);
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
                Ok(if stays { Verdict::Stays } else { Verdict::Goes(Reason::NoOp) })
            }
            PieceKind::Resource => {
                let text = |key| value.get(key)?.map(|value| value.string()).transpose();
                let (address, type_name) = (text("address")?, text("type")?);
                if let Some(watch) = self.wanted.watch {
                    let values = [value.get("values")?, None, None];
                    let resource = Resource { address, type_name, values, ..Resource::default() };
                    watch.see(&Resource { is_secret: true, ..resource }, &[]);
                }
                let verdict = self.wanted.resource(address, type_name)?;
                if verdict == Verdict::Stays {
                    self.prune([value.get("values")?], [value.get("sensitive_values")?], cuts)?;
                }
                Ok(verdict)
            }
            _ => Ok(Verdict::Stays),
        }
    }

    fn state(&mut self, document: WrongDocument) -> Result<()> {
        Err(Error::new(ErrorKind::WrongDocument(document)))
    }

    fn missing(&mut self) -> &'static str {
        // What makes a plan of it and says nothing that the plan did not say.
        if self.is_plan { "" } else { ",\"planned_values\":{}" }
    }

    fn gone(&mut self, gone: &Gone) {
        (self.left_out.no_ops, self.left_out.others) = (gone.no_ops, gone.unwanted);
    }
}

//! From a plan's events to its records.
//!
//! Records leave as they are made. The `plan` record comes first and names the versions, which in a
//! document with sorted keys come after the changes: until both are known, or no more can be held,
//! what is made waits.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use super::action::Action;
use super::counts::{self, Summary};
use super::held::Held;
use super::importing;
use super::texts::Texts;
use super::{
    ActionInvocation, Check, OutputChange, Plan, Record, ResourceChange, SCHEMA_VERSION, Sink,
};
use crate::diff::Differ;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::json::string;
use crate::json::value::{Kind, Text, Value};
use crate::limits::{Limit, Limits};
use crate::path::{Paths, Step};
use crate::plan::{self, Answer, Change, Document, Element, Flow, Index, Section, Visitor};

/// Which changes become records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// What changes, moves, is imported, or fails.
    #[default]
    Changes,
    /// Also what stays as it is.
    All,
}

/// How to sift a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How to read it.
    pub read: plan::Options,
    /// What to write.
    pub show: Show,
}

/// A plan that was sifted.
#[derive(Clone, Debug)]
pub struct Sifted {
    /// Its last record.
    pub summary: Summary,
    /// What its user should know.
    pub warnings: Vec<Warning>,
}

/// Something about an input that is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// That many bytes of other text before the document were stepped over.
    TextBefore(u64),
    /// That many bytes of other text after the document were stepped over.
    TextAfter(u64),
    /// The plan is of a newer format than this version knows.
    NewerFormat,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::TextBefore(bytes) => {
                write!(f, "stepped over {bytes} bytes of other text before the plan")
            }
            Warning::TextAfter(bytes) => {
                write!(f, "stepped over {bytes} bytes of other text after the plan")
            }
            Warning::NewerFormat => f.write_str(
                "the plan's format_version is newer than 1.2: what it adds is not shown",
            ),
        }
    }
}

/// Reads a plan and gives its records to a sink. `name` is the input as the user named it.
///
/// # Errors
///
/// What [`plan::read`] and the sink can meet. The sink then has no `summary` record of the plan.
pub fn sift<S: Source>(
    source: S,
    name: &str,
    options: &Options,
    sink: &mut dyn Sink,
) -> Result<Sifted> {
    let mut sifter = Sifter {
        out: Out {
            sink,
            name,
            format_version: None,
            terraform_version: None,
            begun: false,
            held: Held::default(),
        },
        show: options.show,
        limits: options.read.limits,
        differ: Differ::new(&options.read.limits),
        replace_paths: Paths::new(),
        texts: Texts::default(),
        index: String::new(),
        importing: String::new(),
        summary: Summary::default(),
    };
    let document = plan::read(source, &options.read, &mut sifter)?;
    sifter.end(&document)?;
    let warnings = [
        (document.text_before > 0).then_some(Warning::TextBefore(document.text_before)),
        (document.text_after > 0).then_some(Warning::TextAfter(document.text_after)),
        document.is_newer.then_some(Warning::NewerFormat),
    ];
    Ok(Sifted { summary: sifter.summary, warnings: warnings.into_iter().flatten().collect() })
}

struct Sifter<'a> {
    out: Out<'a>,
    show: Show,
    limits: Limits,
    differ: Differ,
    // What a row borrows; the memory is kept from row to row.
    replace_paths: Paths,
    texts: Texts,
    index: String,
    importing: String,
    summary: Summary,
}

/// The sink, and what must come before anything else.
struct Out<'a> {
    sink: &'a mut dyn Sink,
    name: &'a str,
    format_version: Option<String>,
    terraform_version: Option<String>,
    /// Whether the `plan` record was written.
    begun: bool,
    held: Held,
}

impl Out<'_> {
    /// Writes a record, or keeps it until the `plan` record was written.
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if !self.begun && self.format_version.is_some() && self.terraform_version.is_some() {
            self.begin()?;
        }
        if self.begun {
            return self.sink.record(record);
        }
        if self.held.push(record) { Ok(()) } else { self.begin() }
    }

    /// Writes the `plan` record with what is known, and all that waited for it.
    fn begin(&mut self) -> Result<()> {
        self.begun = true;
        self.sink.record(&Record::Plan(Plan {
            schema_version: SCHEMA_VERSION,
            source: self.name,
            format_version: self.format_version.as_deref(),
            terraform_version: self.terraform_version.as_deref(),
        }))?;
        self.held.release(self.sink)
    }
}

impl Sifter<'_> {
    fn end(&mut self, document: &Document) -> Result<()> {
        if !self.out.begun {
            self.out.begin()?;
        }
        self.summary.bytes = document.bytes;
        self.out.sink.record(&Record::Summary(&self.summary))
    }

    /// Counts a resource change and writes its record, if it has one.
    fn change(
        &mut self,
        section: Section,
        change: &plan::ResourceChange<'_>,
        deferred_reason: Option<Text<'_>>,
    ) -> Result<()> {
        let in_change = |error: Error| error.within("change");
        self.differ.diff(&change.change).map_err(in_change)?;
        let action = Action::of(&change.change).map_err(in_change)?;
        let word = action.word(&change.change).map_err(in_change)?;
        let summary = &mut self.summary;
        let counted = match section {
            Section::ResourceChanges => &mut summary.resource_changes,
            Section::ResourceDrift => &mut summary.resource_drift,
            _ => &mut summary.deferred_changes,
        };
        counts::count(counted, &word, &self.limits, change.address.offset())?;
        if section == Section::ResourceChanges {
            summary.terraform.count(action, change);
            summary.moved += u64::from(change.is_moved());
            summary.unknown_paths += self.differ.unknown.len() as u64;
            summary.sensitive_paths += self.differ.sensitive.len() as u64;
            summary.changed_paths += self.differ.changed.len() as u64;
            let settled =
                action == Action::NoOp && !change.is_moved() && change.change.importing.is_none();
            if settled && self.show == Show::Changes {
                return Ok(());
            }
        }
        replace_paths(&change.change, &mut self.replace_paths, &mut self.texts, self.limits.paths)
            .map_err(|error| in_change(error.within("replace_paths")))?;
        let actions = action.words(&change.change).map_err(in_change)?;
        let importing = change.change.importing.map(|value| {
            importing::compact(value, &change.change, &mut self.texts, &mut self.importing)
        });
        let index = change.index.map(|value| index(value, &mut self.texts, &mut self.index));
        let (address, others) = self.texts.decode(
            change.address,
            [
                change.previous_address,
                change.module_address,
                change.mode,
                change.type_name,
                change.name,
                change.deposed,
                change.provider_name,
                change.action_reason,
                deferred_reason,
            ],
        )?;
        let others = others.map(|text| text.map(Cow::Borrowed));
        let [previous, module, mode, type_name, name, deposed, provider, reason, deferred] = others;
        let row = ResourceChange {
            address: Cow::Borrowed(address),
            previous_address: previous,
            module_address: module,
            mode,
            type_name,
            name,
            index: index.transpose()?.map(Cow::Borrowed),
            deposed,
            provider_name: provider,
            action: word,
            actions,
            action_reason: reason,
            deferred_reason: deferred,
            changed: Cow::Borrowed(&self.differ.changed),
            unknown: Cow::Borrowed(&self.differ.unknown),
            sensitive: Cow::Borrowed(&self.differ.sensitive),
            replace_paths: Cow::Borrowed(&self.replace_paths),
            importing: importing.transpose()?.map(Cow::Borrowed),
            generated_config: change.change.generated_config.is_some(),
        };
        self.out.record(&match section {
            Section::ResourceChanges => Record::ResourceChange(row),
            Section::ResourceDrift => Record::ResourceDrift(row),
            _ => Record::DeferredChange(row),
        })
    }
}

impl Visitor for Sifter<'_> {
    fn scalar(&mut self, section: Section, value: Value<'_>) -> Result<Flow> {
        if value.is_null() {
            return Ok(Flow::Continue);
        }
        match section {
            Section::FormatVersion | Section::TerraformVersion => {
                let version = Some(value.text()?);
                match section {
                    // Too late for the `plan` record; lost they must not be.
                    Section::FormatVersion if self.out.begun => {
                        self.summary.format_version = version;
                    }
                    _ if self.out.begun => self.summary.terraform_version = version,
                    Section::FormatVersion => self.out.format_version = version,
                    _ => self.out.terraform_version = version,
                }
            }
            Section::Timestamp => self.summary.timestamp = Some(value.text()?),
            Section::Applyable => self.summary.applyable = Some(boolean(value)?),
            Section::Complete => self.summary.complete = Some(boolean(value)?),
            Section::Errored => self.summary.errored = Some(boolean(value)?),
            _ => {}
        }
        Ok(Flow::Continue)
    }

    fn element(&mut self, element: &Element<'_>) -> Result<Answer> {
        if self.show == Show::All {
            return Ok(Answer::Enter);
        }
        let Some(unchanged) = element.unchanged() else { return Ok(Answer::Enter) };
        let Some((unknown, sensitive)) = self.differ.known(&unchanged) else {
            return Ok(Answer::Enter);
        };
        let word = "no-op";
        let counted = &mut self.summary.resource_changes;
        counts::count(counted, word, &self.limits, unchanged.offset)?;
        self.summary.unknown_paths += unknown as u64;
        self.summary.sensitive_paths += sensitive as u64;
        Ok(Answer::Skip)
    }

    fn resource_change(
        &mut self,
        section: Section,
        change: &plan::ResourceChange<'_>,
    ) -> Result<Flow> {
        self.change(section, change, None).map(|()| Flow::Continue)
    }

    fn deferred_change(&mut self, deferred: &plan::Deferred<'_>) -> Result<Flow> {
        self.change(Section::DeferredChanges, &deferred.resource_change, deferred.reason)
            .map(|()| Flow::Continue)
    }

    fn output_change(&mut self, name: &str, change: &Change<'_>) -> Result<Flow> {
        self.differ.diff(change)?;
        let action = Action::of(change)?;
        let word = action.word(change)?;
        let changed = &mut self.summary.output_changes;
        counts::count(changed, &word, &self.limits, change.offset())?;
        if action == Action::NoOp && self.show == Show::Changes {
            return Ok(Flow::Continue);
        }
        self.out.record(&Record::OutputChange(OutputChange {
            name: Cow::Borrowed(name),
            action: word,
            actions: action.words(change)?,
            changed: Cow::Borrowed(&self.differ.changed),
            unknown: Cow::Borrowed(&self.differ.unknown),
            sensitive: Cow::Borrowed(&self.differ.sensitive),
        }))?;
        Ok(Flow::Continue)
    }

    fn check(&mut self, check: &plan::Check<'_>) -> Result<Flow> {
        let status = check.status.decode()?;
        counts::count(&mut self.summary.checks, &status, &self.limits, check.status.offset())?;
        if status == "pass" && self.show == Show::Changes {
            return Ok(Flow::Continue);
        }
        let mut problems = Vec::new();
        check
            .problems(|problem| problems.push(problem))
            .map_err(|error| error.within("instances"))?;
        let problems = problems
            .into_iter()
            .map(|text| Ok(text.decode()?.into()))
            .collect::<Result<Vec<_>>>()?;
        self.out.record(&Record::Check(Check {
            address: check.address.decode()?.into(),
            check_kind: decoded(check.kind)?,
            status: status.into(),
            problems: Cow::Borrowed(&problems),
        }))?;
        Ok(Flow::Continue)
    }

    fn action_invocation(&mut self, invocation: &plan::ActionInvocation<'_>) -> Result<Flow> {
        let trigger = match invocation {
            plan::ActionInvocation { lifecycle_action_trigger: Some(_), .. } => Some("lifecycle"),
            plan::ActionInvocation { invoke_action_trigger: Some(_), .. } => Some("invoke"),
            _ => None,
        };
        self.out.record(&Record::ActionInvocation(ActionInvocation {
            address: invocation.address.decode()?.into(),
            type_name: decoded(invocation.type_name)?,
            name: decoded(invocation.name)?,
            trigger,
            triggering_address: decoded(invocation.triggering_address()?)?,
        }))?;
        Ok(Flow::Continue)
    }
}

fn decoded(text: Option<Text<'_>>) -> Result<Option<Cow<'static, str>>> {
    Ok(text.map(Text::decode).transpose()?.map(Cow::Owned))
}

fn boolean(value: Value<'_>) -> Result<bool> {
    match value.kind()? {
        Kind::True => Ok(true),
        Kind::False => Ok(false),
        _ => Err(value.wrong_type("true or false")),
    }
}

/// The index as JSON text, copied before it is held to the grammar: a file may be written to.
fn index<'t>(index: Index<'_>, texts: &mut Texts, json: &'t mut String) -> Result<&'t RawValue> {
    json.clear();
    let offset = match index {
        Index::Number(number) => {
            json.push_str(&String::from_utf8_lossy(number.raw()));
            number.offset()
        }
        Index::String(string) => {
            string::push_quoted(texts.decode(string, [])?.0, json);
            string.offset()
        }
    };
    serde_json::from_str(json).map_err(|_| Error::at(ErrorKind::Changed, offset))
}

/// The paths of `replace_paths`, in their order.
fn replace_paths(
    change: &Change<'_>,
    paths: &mut Paths,
    texts: &mut Texts,
    size_max: u64,
) -> Result<()> {
    paths.clear();
    let Some(list) = change.replace_paths else { return Ok(()) };
    for path in list.elements()? {
        let path = path?;
        let hold_to_limit = |paths: &Paths| match paths.size() > size_max {
            true => Err(Error::limit(Limit::Paths, size_max, path.offset())),
            false => Ok(()),
        };
        for step in path.elements()? {
            let step = step?;
            paths.push_step(match step.kind()? {
                Kind::String => Step::Key(texts.decode(step.string()?, [])?.0),
                // An element of a set of numbers may be any number; an index fits u32.
                Kind::Number => str::from_utf8(step.raw())
                    .ok()
                    .and_then(|number| number.parse().ok())
                    .map_or(Step::Element, Step::Index),
                _ => Step::Element,
            });
            hold_to_limit(paths)?;
        }
        paths.end();
        hold_to_limit(paths)?;
    }
    Ok(())
}

//! Reads a document, and sends the selected rows to a sink.

use super::declarations::Variables;
use super::options::{RowKind, ValuesOptions, ValuesSource};
use super::{MaskValues, rows};
use crate::plan::{
    self, Accepts, Answer, Documents, Flow, Piece, PieceKind, ResourceInstance, Section, StateKind,
    Visitor, WrongDocument,
};
use crate::record::{CheckResult, Head, Label, MaskText, Record, RowSummary, Sink, patterns};
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::json::value::Value;

/// The result of reading a document.
#[derive(Clone, Debug)]
pub struct ValuesResult {
    /// The `summary` record.
    pub summary: RowSummary,
    /// Facts about the document.
    pub document: plan::Document,
    /// Whether the document contains the section that the rows come from.
    pub has_section: bool,
    /// Whether the rows are variables, and the document contains their declarations.
    has_declarations: bool,
    is_errored: bool,
    what: RowKind,
}

impl ValuesResult {
    /// Returns warnings for the user: the reasons why rows or values may be missing.
    pub fn warnings(&self) -> impl Iterator<Item = &'static str> {
        let failed = "planning failed: what the plan holds is incomplete";
        let failed = self.is_errored.then_some(failed);
        failed.into_iter().chain(self.missing_section())
    }

    /// Returns a warning if the document lacks a section that the rows come from.
    fn missing_section(&self) -> Option<&'static str> {
        let is_plan = self.summary.document == Some("plan");
        match self.what {
            RowKind::Resources | RowKind::Outputs if is_plan && !self.has_section => {
                Some("the plan does not have the values that this command reads")
            }
            RowKind::Variables if !self.has_declarations => Some(
                "the plan has no declarations of its variables, as plan files do not: variables \
                 that have only a default are not listed, and all values count as sensitive",
            ),
            _ => None,
        }
    }
}

/// Reads the next document and sends its records to a sink.
///
/// `masked` writes the values of the document with secrets masked. Without it, rows have no values,
/// and the messages of checks are not masked.
///
/// # Errors
///
/// Fails if the document is unreadable, malformed or incomplete, exceeds a limit, or is of another
/// kind than the options require. Also fails if the sink fails. After an error, the sink receives
/// no `summary` record for the document.
///
/// # Panics
///
/// Panics if there is no next document.
pub fn read<'a, S: Source>(
    documents: &mut Documents<S>,
    label: Label<'_>,
    options: &'a ValuesOptions,
    masked: Option<&'a mut dyn MaskValues>,
    sink: &'a mut dyn Sink,
) -> Result<ValuesResult> {
    sink.record(&Record::Document(Head::of(label)))?;
    let mut reader = Reader {
        options,
        masked,
        sink,
        section: None,
        is_fact: false,
        has_section: false,
        has_declarations: false,
        is_state: false,
        is_errored: false,
        variables: Variables::default(),
        summary: RowSummary::default(),
    };
    let accepts = match (options.what, options.of) {
        (RowKind::Variables, _)
        | (RowKind::Resources | RowKind::Outputs, ValuesSource::Planned | ValuesSource::Prior) => {
            Accepts::Plans
        }
        _ => Accepts::States,
    };
    let document = documents.read(accepts, &mut reader)?;
    let is_of_values = matches!(options.what, RowKind::Resources | RowKind::Outputs);
    if is_of_values && options.of == ValuesSource::State && !reader.is_state {
        return Err(documents.fail(Error::new(WrongDocument::Plan)));
    }
    let Reader { has_section, has_declarations, is_state, is_errored, .. } = reader;
    let Reader { sink, mut summary, variables, .. } = reader;
    variables.each(|variable| {
        summary.rows += 1;
        sink.record(&Record::Variable(variable))
    })?;
    summary.document = Some(if is_state { "state" } else { "plan" });
    summary.bytes = document.bytes;
    sink.record(&Record::RowSummary(summary.clone()))?;
    let what = options.what;
    Ok(ValuesResult { summary, document, has_section, has_declarations, is_errored, what })
}

struct Reader<'a> {
    options: &'a ValuesOptions,
    /// Writes values with secrets masked; `None` if rows have no values.
    masked: Option<&'a mut dyn MaskValues>,
    sink: &'a mut dyn Sink,
    /// The key of the current section, if rows come from that section.
    section: Option<&'static str>,
    /// Whether the current section is a version or another fact about the document.
    is_fact: bool,
    has_section: bool,
    has_declarations: bool,
    is_state: bool,
    is_errored: bool,
    variables: Variables,
    summary: RowSummary,
}

impl Reader<'_> {
    fn row(&mut self, record: &Record<'_>) -> Result<Flow> {
        self.summary.rows += 1;
        self.sink.record(record).map(|()| Flow::Continue)
    }

    fn resource(&mut self, section: &'static str, piece: &Piece<'_>) -> Result<Flow> {
        let instance = ResourceInstance::parse(piece.value)?;
        // The state does not have it after the plan is applied.
        if piece.section == Section::PlannedValues && instance.is_forgotten() {
            return Ok(Flow::Continue);
        }
        if !self.shows(&instance)? {
            self.summary.hidden += 1;
            return Ok(Flow::Continue);
        }
        let row =
            rows::resource(section, &instance, piece, self.options, self.masked.as_deref_mut())?;
        self.row(&Record::Resource(row))
    }

    fn shows(&self, instance: &ResourceInstance<'_>) -> Result<bool> {
        let ValuesOptions { only, all, patterns: watched, .. } = self.options;
        if let Some(watched) = watched.as_ref().filter(|it| it.is_open()) {
            let sensitive = instance.sensitive_values;
            let sensitive = rows::sensitive(sensitive, &self.options.read.limits).ok();
            let resource = patterns::Resource {
                address: Some(instance.address),
                type_name: instance.resource.type_name,
                values: [instance.values, None, None],
                is_secret: patterns::is_whole_mark(instance.sensitive_values),
                sensitive: sensitive.as_ref(),
                ..patterns::Resource::default()
            };
            watched.see(&resource, &[], None);
        }
        if !all && instance.resource.mode.is_some_and(|mode| !mode.is("managed")) {
            return Ok(false);
        }
        if only.is_empty() {
            return Ok(true);
        }
        let address = instance.address.decode()?;
        let type_name = match instance.resource.type_name {
            Some(type_name) => type_name.decode()?,
            None => String::new(),
        };
        Ok(only.iter().any(|only| only.covers(&address) || only.covers(&type_name)))
    }

    fn fact(&mut self, section: Section, value: Value<'_>) -> Result<Flow> {
        if !value.is_null() {
            match section {
                Section::FormatVersion => self.summary.format_version = Some(value.text()?),
                Section::TerraformVersion => self.summary.terraform_version = Some(value.text()?),
                Section::Errored => self.is_errored = value.boolean()?,
                _ => {}
            }
        }
        Ok(Flow::Continue)
    }
}

impl Visitor for Reader<'_> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.section = match self.options.what {
            RowKind::Resources | RowKind::Outputs => self.options.of.section(section, key),
            RowKind::Variables if section == Section::Variables => Some("variables"),
            RowKind::Checks if section == Section::Checks => Some("checks"),
            RowKind::Variables | RowKind::Checks => None,
        };
        self.has_section |= self.section.is_some();
        self.is_fact = matches!(
            section,
            Section::FormatVersion | Section::TerraformVersion | Section::Errored
        );
        let declares = self.options.what == RowKind::Variables && section == Section::Configuration;
        self.has_declarations |= declares;
        match self.section.is_some() || self.is_fact || declares {
            true => Answer::Enter,
            false => Answer::Skip,
        }
    }

    fn wants(&self, kind: PieceKind) -> bool {
        match kind {
            PieceKind::Resource => self.options.what == RowKind::Resources,
            PieceKind::Output => self.options.what == RowKind::Outputs,
            PieceKind::Variable | PieceKind::RootDeclaration => {
                self.options.what == RowKind::Variables
            }
            PieceKind::Known => self.options.what == RowKind::Checks || self.is_fact,
            kind => kind == PieceKind::Scalar && self.is_fact,
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let limits = &self.options.read.limits;
        match (piece.kind, self.section) {
            _ if self.is_fact => self.fact(piece.section, piece.value),
            (PieceKind::Resource, Some(section)) => self.resource(section, piece),
            (PieceKind::Output, Some(section)) => {
                let row = rows::output(section, piece, self.masked.as_deref_mut())?;
                self.row(&Record::Output(row))
            }
            (PieceKind::Variable, _) => {
                let masked = self.masked.as_deref_mut();
                self.variables.value(piece, limits, masked).map(|()| Flow::Continue)
            }
            (PieceKind::RootDeclaration, _) => {
                self.variables.declare(piece, limits).map(|()| Flow::Continue)
            }
            // Accepts only an element of the section. A piece with a name is the section itself,
            // which is `null`.
            (PieceKind::Known, Some("checks")) if piece.name.is_none() => {
                let mask = self.masked.as_deref().map(|masked| masked as &dyn MaskText);
                let row = CheckResult::of(piece.value, mask)?;
                if let Some(watched) = &self.options.patterns {
                    let names = [Some(&*row.address), None];
                    watched.see_thing(patterns::NamedKind::Check, names, None);
                }
                self.summary.rows += 1;
                self.sink.record(&Record::CheckResult(row)).map(|()| Flow::Continue)
            }
            _ => Ok(Flow::Continue),
        }
    }

    fn state(&mut self, _: StateKind) -> Result<()> {
        self.is_state = true;
        Ok(())
    }
}

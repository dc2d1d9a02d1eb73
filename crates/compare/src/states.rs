//! Makes records of the resources and outputs in a state. Each counts like an object that is
//! created with its values.

use std::borrow::Cow;

use super::view::{PlannedView, PlannedViewer};
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::json::value::{Text, Value};
use plansift_core::limits::Limits;
use plansift_core::path::Paths;
use plansift_plan::diff::marked_places;
use plansift_plan::plan::{
    Accepts, Answer, Change, Document, Documents, Flow, OutputValue, Piece, PieceKind,
    ResourceInstance, Section, Visitor,
};
use plansift_plan::record::{
    Attributes, ChangePaths, OutputChange, Record, ResourceChange, ResourceName, ViewPaths,
    ViewSubject, Viewer,
};
use plansift_plan::sink::Sink;

/// The action of an object in a state.
pub(crate) const EXISTS: &str = "exists";

/// Reads the next state of `documents`, and sends a record of each resource and output to a sink.
///
/// # Errors
///
/// Fails if the state is unreadable, malformed or exceeds a limit, or if the sink fails.
pub fn read_state<'s, S: Source>(
    documents: &mut Documents<S>,
    view: PlannedView<'s>,
    limits: &Limits,
    sink: &'s mut dyn Sink,
) -> Result<Document> {
    let viewer = PlannedViewer::new(view, limits);
    documents.read(Accepts::States, &mut StateReader { viewer, limits: *limits, sink })
}

struct StateReader<'s> {
    viewer: PlannedViewer<'s>,
    limits: Limits,
    sink: &'s mut dyn Sink,
}

impl StateReader<'_> {
    /// Returns the attributes of a value, and its sensitive paths.
    fn attributes(
        &mut self,
        subject: ViewSubject<'_>,
        piece: &Piece<'_>,
        value: Option<Value<'_>>,
        sensitive: Option<Value<'_>>,
    ) -> Result<(Attributes, ChangePaths<'static>)> {
        let change = Change::created(piece.value, value, sensitive);
        let none = Paths::new();
        let view_paths = ViewPaths {
            changed: &none,
            unknown: &none,
            sensitive_added: &none,
            sensitive_removed: &none,
            replace_paths: &none,
        };
        let attributes = self.viewer.view(subject, &change, view_paths)?;
        let sensitive = match sensitive {
            Some(overlay) => marked_places(overlay, &self.limits)?,
            None => Paths::new(),
        };
        Ok((attributes, ChangePaths { sensitive: Cow::Owned(sensitive), ..ChangePaths::default() }))
    }

    fn resource(&mut self, piece: &Piece<'_>) -> Result<()> {
        let instance = ResourceInstance::parse(piece.value)?;
        let ResourceInstance { address, resource, values, sensitive_values, .. } = instance;
        let (attributes, paths) =
            self.attributes(ViewSubject::Action, piece, values, sensitive_values)?;
        let address = address.decode()?;
        let module_address = plansift_core::path::module_address(&address).to_owned();
        let resource = ResourceName {
            module_address: (!module_address.is_empty()).then(|| module_address.into()),
            address: Some(address.into()),
            mode: decoded(resource.mode)?,
            type_name: decoded(resource.type_name)?,
            name: decoded(resource.name)?,
            deposed: decoded(resource.deposed)?,
            ..ResourceName::default()
        };
        let action = EXISTS.into();
        let change = ResourceChange { resource, action, paths, attributes, ..Default::default() };
        self.sink.record(&Record::ResourceChange(change))
    }

    fn output(&mut self, piece: &Piece<'_>) -> Result<()> {
        let output = OutputValue::parse(piece.value)?;
        // The mark of the output is an overlay for its whole value.
        let mark = piece.value.get("sensitive")?.filter(|_| output.sensitive);
        let name = piece.name.unwrap_or_default();
        let subject = ViewSubject::Output { name, is_declared: output.sensitive };
        let (attributes, paths) = self.attributes(subject, piece, output.value, mark)?;
        self.sink.record(&Record::OutputChange(OutputChange {
            name: name.into(),
            action: EXISTS.into(),
            actions: Cow::Borrowed(&[]),
            paths,
            source: None,
            attributes,
        }))
    }
}

fn decoded(text: Option<Text<'_>>) -> Result<Option<Cow<'static, str>>> {
    text.map(|text| text.decode().map(Cow::Owned)).transpose()
}

impl Visitor for StateReader<'_> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        match section == Section::Other && key == "values" {
            true => Answer::Enter,
            false => Answer::Skip,
        }
    }

    fn wants(&self, kind: PieceKind) -> bool {
        matches!(kind, PieceKind::Resource | PieceKind::Output)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        match piece.kind {
            PieceKind::Resource => self.resource(piece)?,
            PieceKind::Output => self.output(piece)?,
            _ => {}
        }
        Ok(Flow::Continue)
    }
}

//! Makes records of the configuration of a plan: its elements, or what refers to one of them.

use super::counts::DocumentOutcome;
use super::opening::RunSource;
use super::source_files::SourceFiles;
use super::turn::{Handler, Turn, Visited};
use plansift_core::error::{Error, Result};
use plansift_core::nearest::{Sample, did_you_mean, nearest_address};
use plansift_plan::config::{
    BlockLocation, ConfigurationSummary, Element, Graph, LocatedElement, Origin, ReadConfiguration,
    Users, element_address, read, targets,
};
use plansift_plan::plan::{Documents, Flow};
use plansift_plan::record::{Head, Label, Record};
use plansift_plan::sink::Sink;
use plansift_report::origin::{Origins, SharedOrigins};

/// Which rows of a configuration to write.
#[derive(Clone)]
pub enum ConfigurationRows<'a> {
    /// All elements, with the locations of their blocks if the files are known.
    Elements(SharedOrigins),
    /// The expressions that refer to the element with this address.
    References(&'a str),
    /// The elements that depend on an element.
    Dependents {
        /// The address of the element.
        address: &'a str,
        /// The source files, which have local values, too; `None` to read only the plan.
        files: Option<&'a dyn SourceFiles>,
    },
}

/// Writes the rows of the configuration of each plan to a sink.
pub struct ConfigurationReader<'a> {
    /// Which rows to write.
    pub rows: ConfigurationRows<'a>,
    /// The sink of the rows.
    pub sink: &'a mut dyn Sink,
    /// Whether the configuration of a document has the element that `rows` names.
    pub has_element: bool,
}

impl ConfigurationReader<'_> {
    fn read(
        &mut self,
        documents: &mut Documents<RunSource<'_>>,
        head: Head<'_>,
    ) -> Result<DocumentOutcome> {
        let ConfigurationReader { rows, sink, has_element } = self;
        let source = head.source;
        sink.record(&Record::Configuration(head))?;
        let mut summary = ConfigurationSummary::default();
        let mut names = Sample::default();
        let mut warnings = Vec::new();
        let read: ReadConfiguration;
        match *rows {
            ConfigurationRows::Elements(ref origins) => {
                read = self::read(documents, &mut |element, _| {
                    summary.add(element);
                    let source = origins.as_ref().and_then(|origins| block(&**origins, element));
                    let source = source.as_ref();
                    sink.record(&Record::Element(LocatedElement { element, source }))
                })?;
            }
            ConfigurationRows::References(address) => {
                let mut users = Users::of(address);
                read = self::read(documents, &mut |element, _| {
                    summary.add(element);
                    add_names(element, &mut names);
                    users.find(element, |user| sink.record(&Record::Reference(user)))
                })?;
                *has_element |= users.is_known;
                if !users.is_known && read.is_present {
                    warnings.push(unknown(address, &names));
                }
            }
            ConfigurationRows::Dependents { address, files } => {
                let mut graph = Graph::new(&documents.options().limits);
                let mut found = self::read(documents, &mut |element, offset| {
                    summary.add(element);
                    add_names(element, &mut names);
                    graph.add(element, offset)
                })?;
                let is_present = found.is_present;
                let mut add = |element: &Element| {
                    // The plan has the other elements, too.
                    if !is_present || element.kind.is_of_files() {
                        summary.add(element);
                    }
                    add_names(element, &mut names);
                    graph.add(element, 0)
                };
                let unread = files.map(|files| files.each_element(source, &mut add));
                let unread = unread.transpose()?.flatten();
                found.is_present |= unread.is_some();
                warnings.extend(unread.iter().flatten().map(|file| {
                    format!("{file} cannot be parsed, so what depends on its blocks is not listed")
                }));
                read = found;
                let unread_locals = graph.unread_locals().count();
                let found = graph.dependents(address);
                *has_element |= found.is_some();
                if found.is_none() && read.is_present {
                    warnings.push(unknown(address, &names));
                }
                let mut found = found.unwrap_or_default().into_iter();
                found.try_for_each(|dependent| sink.record(&Record::Dependent(&dependent)))?;
                warnings.extend(leads_to_locals(unread_locals));
            }
        }
        let document = read.present()?;
        sink.record(&Record::ConfigurationSummary(summary))?;
        let mut outcome = DocumentOutcome::from(&document);
        outcome.warnings.splice(..0, warnings);
        Ok(outcome)
    }
}

impl Handler for ConfigurationReader<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        self.read(turn.documents, Head::of(turn.label)).map(Visited::Done)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.sink.failed(label, error).map(|()| Flow::Continue)
    }
}

/// Returns the location of an element's block.
fn block(origins: &dyn Origins, element: &Element) -> Option<BlockLocation> {
    match origins.find(&element.address)? {
        Origin::Block(block) => Some(block),
        Origin::Missing { .. } => None,
    }
}

/// Adds the names of an element and of everything that it refers to.
fn add_names(element: &Element, names: &mut Sample) {
    names.add(&element.address);
    targets(element).for_each(|address| names.add(&address));
}

/// The warning about an address that the configuration does not have. `names` are those that it
/// has.
fn unknown(address: &str, names: &Sample) -> String {
    let mut known: Vec<&str> = names.names().collect();
    known.sort_unstable();
    // The address of an output in a module is longer than the expression for it.
    let near = nearest_address(&element_address(address), &known);
    let near = near.map(|near| match near.starts_with("module.") {
        true => near.replace(".output.", "."),
        false => near,
    });
    let near = did_you_mean(near.as_deref());
    format!("the configuration has nothing named {address}{near}")
}

/// The warning about references to local values.
fn leads_to_locals(references: usize) -> Option<String> {
    let number = match references {
        0 => return None,
        1 => "1 reference leads to a local value".to_owned(),
        number => format!("{number} references lead to local values"),
    };
    Some(format!(
        "{number}. A plan does not contain the expressions of local values, so dependents through \
         local values are not listed. --source DIR names the folder of the configuration"
    ))
}

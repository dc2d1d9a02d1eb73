//! `plansift config`: lists and draws the configurations of plans.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Config, ConfigFormat, Plans};
use super::exit::Exit;
use super::inputs;
use super::messages::{say, usage};
use super::options::{formulas, options};
use super::output::{self, Output, open_sink};
use super::reading::read_all;
use super::screen::screen;
use super::sources;
use super::tables::{self, Family};
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limits;
use plansift_core::nearest::{Sample, did_you_mean, nearest_address};
use plansift_fleet::run::{Consumer, DocumentOutcome, Handler, Passes, RunSource, Turn, Visited};
use plansift_plan::config::{
    BlockLocation, ConfigurationSummary, Element, Graph, LocatedElement, Origin, ReadConfiguration,
    Users, element_address, read, targets,
};
use plansift_plan::plan::{Accepts, Document, Documents, Flow};
use plansift_plan::record::{Head, Label, Record, Sink};
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;
use plansift_report::configuration::Table;
use plansift_report::configuration::drawing::{Language, Subject, draw};
use plansift_report::csv::Csv;
use plansift_report::origin::{Origins, SharedOrigins};

/// Lists or draws the configurations of all inputs, in order, into one output.
pub fn run(arguments: &Config) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = options(plans)?.read;
    if let Some(text) = misuse(arguments) {
        return Err(usage(text));
    }
    let file = path.filter(|_| arguments.format != ConfigFormat::Parquet);
    let listed = inputs::list(plans, Accepts::Plans, file, None)?;
    let origins = sources::open(&arguments.sources(), &read.limits, plans.quiet)?;
    let (target, output) = open(arguments, path)?;
    let limits = read.limits;
    let mut configurations = Configurations { arguments, limits, origins, target };
    let work = Consumer::Documents(Passes::One, &mut configurations);
    let ending = read_all(plans, &listed, &read, work);
    let mut target = configurations.target;
    ending.end_at(path, output, move || target.finish())
}

/// Returns the message for arguments that cannot be combined; `None` if the arguments are valid.
fn misuse(arguments: &Config) -> Option<&'static str> {
    let draws = matches!(arguments.format, ConfigFormat::Dot | ConfigFormat::Mermaid);
    let asks = arguments.references.is_some() || arguments.dependents.is_some();
    if arguments.graph.is_some() && !draws {
        return Some("--graph needs --format dot or --format mermaid");
    }
    if arguments.source.is_some() && (asks || draws) {
        return Some(
            "--source adds locations to the list of elements: leave out --references, \
             --dependents, --format dot and --format mermaid",
        );
    }
    (asks && draws).then_some(
        "--references and --dependents list elements, and cannot be drawn: use another --format",
    )
}

/// The sink of the entries or drawings.
enum Target {
    Records(Box<dyn Sink>),
    Drawing(BufWriter<File>, Language),
}

impl Target {
    fn finish(&mut self) -> Result<()> {
        match self {
            Target::Records(sink) => sink.finish(),
            Target::Drawing(out, _) => out.flush().map_err(Error::write),
        }
    }
}

/// Opens the output, and what is written to it.
fn open(arguments: &Config, path: Option<&Path>) -> std::result::Result<(Target, Output), Exit> {
    let drawing = |language| {
        output::open(path)
            .map(|(out, output)| (Target::Drawing(BufWriter::new(out), language), output))
    };
    let asks = arguments.references.is_some() || arguments.dependents.is_some();
    let opened = match arguments.format {
        ConfigFormat::Table => {
            open_sink(path, |out| Box::new(Table::new(out, screen(arguments.plans.color, path))))
        }
        ConfigFormat::Ndjson => open_sink(path, |out| Box::new(Ndjson::new(out))),
        ConfigFormat::Json => open_sink(path, |out| Box::new(Json::new(out))),
        ConfigFormat::Csv => {
            open_sink(path, |out| Box::new(Csv::configuration(out, formulas(arguments.csv_raw))))
        }
        ConfigFormat::Parquet => tables::open(path, Family::Configuration, |table| match table {
            "elements" => !asks,
            "references" => asks,
            _ => true,
        }),
        ConfigFormat::Dot => return drawing(Language::Dot),
        ConfigFormat::Mermaid => return drawing(Language::Mermaid),
    };
    opened.map(|(sink, output)| (Target::Records(sink), output))
}

struct Configurations<'a> {
    arguments: &'a Config,
    limits: Limits,
    /// The files that `--source` names.
    origins: SharedOrigins,
    target: Target,
}

impl Configurations<'_> {
    /// Reads the configuration of the next document into the target.
    fn read_configuration(
        &mut self,
        documents: &mut Documents<RunSource<'_>>,
        head: Head<'_>,
    ) -> Result<Document> {
        let mut summary = ConfigurationSummary::default();
        let (limits, origins) = (&self.limits, &self.origins);
        let Config { references, dependents, graph, plans, .. } = self.arguments;
        let sink = match &mut self.target {
            Target::Drawing(out, language) => {
                let subject = graph.unwrap_or(Subject::Resources);
                let mut graph = Graph::new(limits);
                let read = read(documents, &mut |element, offset| graph.add(element, offset))?;
                let document = read.present()?;
                draw(&graph, head.source, subject, *language, out)?;
                return Ok(document);
            }
            Target::Records(sink) => sink,
        };
        sink.record(&Record::Configuration(head))?;
        let read: ReadConfiguration;
        let mut names = Sample::default();
        if let Some(address) = references {
            let mut users = Users::of(address);
            read = self::read(documents, &mut |element, _| {
                summary.add(element);
                add_names(element, &mut names);
                users.find(element, |user| sink.record(&Record::Reference(user)))
            })?;
            if !users.is_known && read.is_present {
                warn_of_unknown(plans, head.source, address, &names);
            }
        } else if let Some(address) = dependents {
            let mut graph = Graph::new(limits);
            read = self::read(documents, &mut |element, offset| {
                summary.add(element);
                add_names(element, &mut names);
                graph.add(element, offset)
            })?;
            let found = graph.dependents(address);
            if found.is_none() && read.is_present {
                warn_of_unknown(plans, head.source, address, &names);
            }
            let mut found = found.unwrap_or_default().into_iter();
            found.try_for_each(|dependent| sink.record(&Record::Dependent(&dependent)))?;
            warn_of_locals(plans, head.source, summary.local_references);
        } else {
            read = self::read(documents, &mut |element, _| {
                summary.add(element);
                let source = origins.as_ref().and_then(|origins| block(&**origins, element));
                sink.record(&Record::Element(LocatedElement { element, source: source.as_ref() }))
            })?;
        }
        let document = read.present()?;
        sink.record(&Record::ConfigurationSummary(summary))?;
        Ok(document)
    }
}

impl Handler for Configurations<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let document = self.read_configuration(turn.documents, Head::of(turn.label))?;
        Ok(Visited::Done(DocumentOutcome::from(&document)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        match &mut self.target {
            Target::Records(sink) => sink.failed(label, error)?,
            Target::Drawing(..) => {}
        }
        Ok(Flow::Continue)
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

/// Warns about an address that the configuration does not have. `names` are those that it has.
fn warn_of_unknown(plans: &Plans, source: &str, address: &str, names: &Sample) {
    if !plans.quiet {
        let mut known: Vec<&str> = names.names().collect();
        known.sort_unstable();
        // The address of an output in a module is longer than the expression for it.
        let near = nearest_address(&element_address(address), &known);
        let near = near.map(|near| match near.starts_with("module.") {
            true => near.replace(".output.", "."),
            false => near,
        });
        let near = did_you_mean(near.as_deref());
        say(&format!("{source}: warning: the configuration has nothing named {address}{near}"));
    }
}

fn warn_of_locals(plans: &Plans, source: &str, references: u64) {
    if !plans.quiet && references > 0 {
        let number = match references {
            1 => "1 reference leads to a local value".to_owned(),
            number => format!("{number} references lead to local values"),
        };
        say(&format!(
            "{source}: warning: {number}. A plan does not contain the expressions of local values, \
             so dependents through local values are not listed"
        ));
    }
}

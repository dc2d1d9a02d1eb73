//! `plansift config`: lists and draws the configurations of plans.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Config, ConfigFormat};
use super::exit::Exit;
use super::inputs;
use super::messages::usage;
use super::options::{formulas, options};
use super::output::{self, Output, open_sink};
use super::reading::read_all;
use super::screen::screen;
use super::sources;
use super::tables::{self, Family};
use plansift_core::error::{Error, Result};
use plansift_fleet::run::{
    ConfigurationReader, ConfigurationRows, Consumer, DocumentOutcome, Handler, Passes, Turn,
    Visited,
};
use plansift_plan::config::{Graph, read};
use plansift_plan::plan::Accepts;
use plansift_plan::record::Sink;
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;
use plansift_report::configuration::Table;
use plansift_report::configuration::drawing::{Language, Subject, draw};
use plansift_report::csv::Csv;

/// Lists or draws the configurations of all inputs, in order, into one output.
pub fn run(arguments: &Config) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = options(plans)?.read;
    if let Some(text) = misuse(arguments) {
        return Err(usage(text));
    }
    let file = path.filter(|_| arguments.format != ConfigFormat::Parquet);
    let listed = inputs::list(plans, Accepts::Plans, file, None)?;
    let origins = sources::open(&arguments.locations(), &read.limits, plans.quiet)?;
    let files = sources::Elements::open(&arguments.elements(), &read.limits)?;
    let (mut target, output) = open(arguments, path)?;
    let rows = match (&arguments.references, &arguments.dependents) {
        (Some(address), _) => ConfigurationRows::References(address),
        (None, Some(address)) => ConfigurationRows::Dependents { address, files: Some(&files) },
        (None, None) => ConfigurationRows::Elements(origins),
    };
    let subject = arguments.graph.unwrap_or(Subject::Resources);
    let (mut reader, mut drawings);
    let handler: &mut dyn Handler = match &mut target {
        Target::Records(sink) => {
            reader = ConfigurationReader { rows, sink: sink.as_mut(), has_element: false };
            &mut reader
        }
        Target::Drawing(out, language) => {
            drawings = Drawings { subject, language: *language, out };
            &mut drawings
        }
    };
    let ending = read_all(plans, &listed, &read, Consumer::Documents(Passes::One, handler));
    ending.end_at(path, output, move || target.finish())
}

/// Returns the message for arguments that cannot be combined; `None` if the arguments are valid.
fn misuse(arguments: &Config) -> Option<&'static str> {
    let draws = matches!(arguments.format, ConfigFormat::Dot | ConfigFormat::Mermaid);
    let asks = arguments.references.is_some() || arguments.dependents.is_some();
    if arguments.graph.is_some() && !draws {
        return Some("--graph needs --format dot or --format mermaid");
    }
    if arguments.source.is_some() && (arguments.references.is_some() || draws) {
        return Some(
            "--source adds locations to the list of elements, and local values to --dependents: \
             leave out --references, --format dot and --format mermaid",
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

/// Draws the configuration of each plan.
struct Drawings<'a> {
    subject: Subject,
    language: Language,
    out: &'a mut BufWriter<File>,
}

impl Handler for Drawings<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let Turn { label, documents, .. } = turn;
        let mut graph = Graph::new(&documents.options().limits);
        let read = read(documents, &mut |element, offset| graph.add(element, offset))?;
        let document = read.present()?;
        draw(&graph, label.source, self.subject, self.language, self.out)?;
        Ok(Visited::Done(DocumentOutcome::from(&document)))
    }
}

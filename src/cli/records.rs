//! `plansift summary` and `plansift changes`: write the records of all inputs to one sink.

use std::cell::Cell;
use std::path::Path;

use super::args::{Changes, ChangesFormat, SharedArgs, Summary, SummaryFormat};
use super::exit::Exit;
use super::gates;
use super::hyperlinks;
use super::inputs::{self, Listed, Wanted};
use super::messages::usage;
use super::options::{form, options};
use super::output::{Output, open_sink};
use super::reading::read_all;
use super::screen::screen;
use super::sources;
use super::tables::{self, Family};
use super::unmatched;
use plansift_fleet::run::{AttributeContent, Consumer, PlanReader};
use plansift_plan::plan::Accepts;
use plansift_plan::record::{Extent, RecordOptions};
use plansift_plan::sink::Sink;
use plansift_report::fleet::{Fleet, Single};
use plansift_report::gate::{Rule, document_patterns};
use plansift_report::moves::MoveReader;
use plansift_report::origin::{Located, SharedOrigins};
use plansift_report::source_link::SourceLinks;
use plansift_report::summary_document::SummaryDocument;

/// Draws a page for one plan, or a table for several, or writes a JSON document about all.
pub fn summary(arguments: &Summary) -> Result<RecordCommand<'_>, Exit> {
    let Summary { format, budget, table, shared, impact } = arguments;
    if *format == SummaryFormat::Json {
        return summary_document(arguments);
    }
    if budget.bytes().is_some() {
        return Err(usage("--max-bytes and --max-tokens limit the JSON: add --format json"));
    }
    let SharedArgs { source, plans, output, gate, records } = shared;
    let path = output.as_deref();
    let (screen, shape) = (screen(plans.color, path), table.shape());
    let is_table = table.group_by.is_some() || table.sort.is_some();
    // Rules, `--detailed-exitcode` and `--impact` are about changes.
    let is_gated = gate.are_given() || records.detailed_exitcode || *impact;
    Ok(RecordCommand {
        shared,
        extent: Extent::Paths,
        accepts: if is_gated { Accepts::Plans } else { Accepts::States },
        attributes: &AttributeContent::None,
        has_impact: *impact,
        has_locations: false,
        relevant: false,
        file: path,
        open: Box::new(move |listed, origins, _| {
            let is_page = listed.is_single() && !is_table;
            let single = if is_page { Single::Page } else { Single::Table };
            let target = hyperlinks::target(screen.color, path, || sources::local_target(source));
            let links = SourceLinks::new(origins.clone(), target);
            open_sink(path, |out| {
                let fleet = Fleet::new(out, screen, shape, single).with_links(links);
                Box::new(MoveReader::new(Box::new(fleet)))
            })
        }),
    })
}

/// Writes one JSON document about the plans.
fn summary_document(arguments: &Summary) -> Result<RecordCommand<'_>, Exit> {
    let Summary { budget, table, shared, .. } = arguments;
    if table.group_by.is_some() || table.sort.is_some() {
        return Err(usage("--group-by and --sort are about the table: leave out --format json"));
    }
    let path = shared.output.as_deref();
    let (max, top) = (budget.bytes().unwrap_or(u64::MAX), table.shape().top);
    Ok(RecordCommand {
        shared,
        extent: Extent::Paths,
        accepts: Accepts::Plans,
        attributes: &AttributeContent::None,
        has_impact: arguments.impact,
        has_locations: false,
        relevant: false,
        file: path,
        open: Box::new(move |_, _, rules| {
            open_sink(path, |out| {
                let document = SummaryDocument::new(out, max, top, rules);
                Box::new(MoveReader::new(Box::new(document)))
            })
        }),
    })
}

/// Writes one record for each change.
pub fn changes(arguments: &Changes) -> RecordCommand<'_> {
    let shared = &arguments.shared;
    let path = shared.output.as_deref();
    let (file, open): (_, OpenSink<'_>) = match arguments.format {
        ChangesFormat::Stream(stream) => {
            let form = form(stream, arguments.csv_raw);
            (path, Box::new(move |_, _, _| open_sink(path, |out| form.sink(out))))
        }
        ChangesFormat::Parquet => {
            (None, Box::new(move |_, _, _| tables::open(path, Family::Changes, |_| true)))
        }
    };
    RecordCommand {
        shared,
        extent: if arguments.no_paths { Extent::Actions } else { Extent::Paths },
        accepts: Accepts::Plans,
        attributes: match arguments.with_config {
            true => &AttributeContent::Blocks,
            false => &AttributeContent::None,
        },
        has_impact: false,
        has_locations: true,
        relevant: arguments.relevant,
        file,
        open,
    }
}

/// Opens the output and the sink of a run.
type OpenSink<'a> =
    Box<dyn FnOnce(&Listed, &SharedOrigins, &[Rule]) -> Result<(Box<dyn Sink>, Output), Exit> + 'a>;

/// A command that writes the records of all inputs to one sink.
pub struct RecordCommand<'a> {
    shared: &'a SharedArgs,
    extent: Extent,
    accepts: Accepts,
    attributes: &'a AttributeContent,
    /// Whether the records of losses say what depends on them.
    has_impact: bool,
    /// Whether records contain the locations of blocks.
    has_locations: bool,
    /// Whether relevant attributes become records.
    relevant: bool,
    /// The output, if it is one file.
    file: Option<&'a Path>,
    open: OpenSink<'a>,
}

impl RecordCommand<'_> {
    /// Reads all inputs, and writes their records.
    pub fn run(self) -> Result<Exit, Exit> {
        let RecordCommand { shared, extent, accepts, attributes, relevant, file, .. } = self;
        let SharedArgs { source, plans, output: path, gate, records } = shared;
        let rules = gates::rules(gate)?;
        let wanted = Wanted::from(accepts).strict(gate.strict_rules);
        let listed = inputs::list(plans, wanted, file, gate.files())?;
        listed.warn_of_shared_workspaces(plans);
        let options = options(plans)?;
        let limits = &options.read.limits;
        let origins = sources::open(source, limits, plans.quiet)?;
        let elements =
            self.has_impact.then(|| sources::Elements::open(source, limits)).transpose()?;
        if extent == Extent::Actions
            && let Some(rule) = rules.iter().find(|rule| rule.looks_at_paths())
        {
            let rule = rule.text();
            return Err(usage(&format!(
                "--no-paths leaves out the paths that the rule '{rule}' counts"
            )));
        }
        let patterns = unmatched::rules(&rules, gate.strict_rules);
        let show = records.show();
        let documents = document_patterns(&rules);
        let options =
            RecordOptions { extent, relevant, accepts, show, documents, patterns, ..options };
        let (sink, output) = (self.open)(&listed, &origins, &rules)?;
        let sink = match origins {
            Some(origins) if self.has_locations => Box::new(Located::new(sink, origins)),
            Some(origins) => Box::new(Located::new(sink, origins).without_members()),
            None => sink,
        };
        let is_broken = Cell::new(false);
        let mut sink = gates::before(sink, &rules, &is_broken);
        let (read, patterns) = (options.read, options.patterns.clone());
        let impact = elements.as_ref().map(|elements| elements as _);
        let reader = PlanReader { options, attributes, assertions: None, impact };
        let mut ending = read_all(plans, &listed, &read, Consumer::Records(reader, sink.as_mut()));
        let finished = match (&ending.read, ending.counts.done) {
            (Ok(()), 1..) => sink.finish(),
            _ => Ok(()),
        };
        drop(sink);
        ending.is_broken = (!rules.is_empty()).then(|| is_broken.get());
        ending.detailed_exitcode = records.detailed_exitcode;
        ending.patterns = patterns;
        ending.end_at(path.as_deref(), output, || finished)
    }
}

//! `plansift config`: lists and draws the configurations of plans.

use std::fs::File;
use std::io::{BufWriter, Write};

use super::args::{Config, ConfigFormat, GraphOf, Plans};
use super::bar::{self, Watched};
use super::ending::{Ending, Failure};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::messages::{fail, say, warn};
use super::options::{access, formulas, options};
use super::output::Output;
use super::screen::screen;
use super::sources;
use super::tally::Tally;
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::config::{
    Element, Entry, Graph, Head, Lines, LocatedElement, ReadConfiguration, SCHEMA_VERSION, Summary,
    Users, read,
};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::{self, Accepts, Document, Documents};
use crate::record::Warning;
use crate::sink::configuration::drawing::{Language, Subject, draw};
use crate::sink::configuration::{Csv, Json, Listing, Ndjson, Table};
use crate::sink::origin::{Origin, Origins, SharedOrigins};
use crate::source::Entry as InputEntry;

/// Lists or draws the configurations of all inputs, in order, into one output.
pub fn run(arguments: &Config) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    if let Some(text) = misuse(arguments) {
        say(text);
        return Exit::Usage;
    }
    let listed = match inputs::list(plans, Accepts::Plans, path, None) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let origins = match sources::open(&arguments.sources(), &read.limits, plans.quiet) {
        Ok(origins) => origins,
        Err(exit) => return exit,
    };
    let opened = Output::open(path);
    let opened = opened.and_then(|output| Ok((output.writer()?, output)));
    let (out, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let (target, tally) = (target(arguments, out), Tally::new());
    let mut configurations = Configurations { arguments, read, origins, target, tally };
    let read = configurations.read_all(&listed);
    let Configurations { mut target, tally, .. } = configurations;
    let ending = Ending::new(plans, &tally);
    let failure = |error| Failure::of(path, error);
    let finish = || {
        let finished = target.finish();
        drop(target);
        finished.and_then(|()| output.finish()).map_err(failure)
    };
    ending.end(read.map_err(failure), finish).unwrap_or_else(|exit| exit)
}

/// The message for arguments that cannot be combined; `None` if all is well.
fn misuse(arguments: &Config) -> Option<&'static str> {
    let draws = matches!(arguments.format, ConfigFormat::Dot | ConfigFormat::Mermaid);
    let asks = arguments.references.is_some() || arguments.dependents.is_some();
    if arguments.graph.is_some() && !draws {
        return Some("--graph needs --format dot or --format mermaid");
    }
    if arguments.source.is_some() && (asks || draws) {
        return Some(
            "--source says where elements stand: list them, without --references, --dependents \
             or a drawing",
        );
    }
    (asks && draws).then_some(
        "--references and --dependents list elements, and cannot be drawn: use another --format",
    )
}

/// The sink of the entries or drawings.
enum Target {
    Listing(Box<dyn Listing>),
    Drawing(BufWriter<File>, Language),
}

impl Target {
    fn finish(&mut self) -> Result<()> {
        match self {
            Target::Listing(listing) => listing.finish(),
            Target::Drawing(out, _) => {
                out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
            }
        }
    }
}

fn target(arguments: &Config, out: File) -> Target {
    let drawing = |out, language| Target::Drawing(BufWriter::new(out), language);
    Target::Listing(match arguments.format {
        ConfigFormat::Table => {
            Box::new(Table::new(out, screen(arguments.plans.color, arguments.output.as_deref())))
        }
        ConfigFormat::Ndjson => Box::new(Ndjson::new(out)),
        ConfigFormat::Json => Box::new(Json::new(out)),
        ConfigFormat::Csv => Box::new(Csv::new(out, formulas(arguments.csv_raw))),
        ConfigFormat::Dot => return drawing(out, Language::Dot),
        ConfigFormat::Mermaid => return drawing(out, Language::Mermaid),
    })
}

struct Configurations<'a> {
    arguments: &'a Config,
    read: plan::Options,
    /// The files that `--source` names.
    origins: SharedOrigins,
    target: Target,
    tally: Tally,
}

impl Configurations<'_> {
    fn plans(&self) -> &Plans {
        &self.arguments.plans
    }

    /// Reads all inputs. Fails only if the output fails; the tally prints and counts all other
    /// errors.
    fn read_all(&mut self, listed: &Listed) -> Result<()> {
        for entry in &listed.inputs.entries {
            match entry {
                Ok(entry) => {
                    let workspace = listed.workspace(entry);
                    self.read_input(entry, workspace.as_deref())?;
                }
                Err(unlisted) => self.tally.fail(&unlisted.source, &unlisted.error),
            }
        }
        Ok(())
    }

    fn read_input(&mut self, entry: &InputEntry, workspace: Option<&str>) -> Result<()> {
        let source = &*entry.source();
        match entry.open(&access(self.plans(), &self.read)) {
            Ok(input) => {
                let bar = bar::of_input(self.plans(), entry, entry.len);
                let mut documents = Documents::new(bar::watched(input, bar), &self.read);
                let mut each = DocumentVisitor { configurations: self, source, workspace };
                visit_all(&mut documents, &mut each)
            }
            Err(error) => {
                self.tally.fail(source, &error);
                Ok(())
            }
        }
    }

    /// Reads the configuration of the next document into the target.
    fn read_configuration(
        &mut self,
        documents: &mut Documents<Watched<Input>>,
        head: Head<'_>,
    ) -> Result<Document> {
        let mut summary = Summary::default();
        let limits = &self.read.limits;
        let (origins, arguments) = (&self.origins, self.arguments);
        let Config { references, dependents, graph, plans, .. } = arguments;
        let listing = match &mut self.target {
            Target::Drawing(out, language) => {
                let subject = match graph {
                    Some(GraphOf::Modules) => Subject::Modules,
                    Some(GraphOf::Resources) | None => Subject::Resources,
                };
                let mut graph = Graph::new(limits);
                let read = read(documents, &mut |element, offset| graph.add(element, offset))?;
                let document = read.present()?;
                draw(&graph, head.source, subject, *language, out)?;
                return Ok(document);
            }
            Target::Listing(listing) => listing,
        };
        listing.entry(&Entry::Configuration(head))?;
        let read: ReadConfiguration;
        if let Some(address) = references {
            let mut users = Users::of(address);
            read = self::read(documents, &mut |element, _| {
                summary.add(element);
                users.find(element, |user| listing.entry(&Entry::User(user)))
            })?;
            warn_of_unknown(plans, head.source, address, users.is_known || !read.is_present);
        } else if let Some(address) = dependents {
            let mut graph = Graph::new(limits);
            read = self::read(documents, &mut |element, offset| {
                summary.add(element);
                graph.add(element, offset)
            })?;
            let found = graph.dependents(address);
            warn_of_unknown(plans, head.source, address, found.is_some() || !read.is_present);
            let mut found = found.unwrap_or_default().into_iter();
            found.try_for_each(|dependent| listing.entry(&Entry::Dependent(&dependent)))?;
            warn_of_locals(plans, head.source, summary.local_references);
        } else {
            read = self::read(documents, &mut |element, _| {
                summary.add(element);
                let source = origins.as_ref().and_then(|origins| lines(&**origins, element));
                listing.entry(&Entry::Element(LocatedElement { element, source: source.as_ref() }))
            })?;
        }
        let document = read.present()?;
        listing.entry(&Entry::Summary(summary))?;
        Ok(document)
    }
}

/// The lines of an element's block.
fn lines(origins: &dyn Origins, element: &Element) -> Option<Lines> {
    match origins.find(&element.address)? {
        Origin::Block(location, module_calls) => Some(Lines { location, module_calls }),
        Origin::Missing(_) => None,
    }
}

fn warn_of_unknown(plans: &Plans, source: &str, address: &str, is_known: bool) {
    if !plans.quiet && !is_known {
        say(&format!("{source}: warning: the configuration has nothing named {address}"));
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

/// Reads the configuration of each document of an input.
struct DocumentVisitor<'c, 'a> {
    configurations: &'c mut Configurations<'a>,
    /// The name of the input.
    source: &'c str,
    workspace: Option<&'c str>,
}

impl Visitor<Watched<Input>> for DocumentVisitor<'_, '_> {
    type End = Error;

    fn visit(&mut self, turn: Turn<'_, Watched<Input>>) -> Result<Visited> {
        let name = numbered(self.source, turn.number);
        let workspace = self.workspace.map(|workspace| numbered(workspace, turn.number));
        let workspace = workspace.as_deref();
        let head = Head { schema_version: SCHEMA_VERSION, source: &name, workspace };
        match self.configurations.read_configuration(turn.documents, head) {
            Ok(document) => {
                warn(self.configurations.plans(), &name, Warning::of_text(&document));
                self.configurations.tally.succeed(document.bytes);
                Ok(Visited::Done)
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(error),
            Err(error) => {
                self.configurations.tally.fail(&name, &error);
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.source));
    }
}

//! `plansift blocks`: lists the blocks of configurations, or the diagnostics of their files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Blocks, BlocksFormat};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::messages::{fail_named, say};
use super::output::Output;
use super::sources::of_plan_file;
use plansift_core::error::{Error, Result};
use plansift_core::inert::visible;
use plansift_core::limits::Limits;
use plansift_hcl::blocks::{
    Configuration, Detail, FileDiagnostic, Folder, Module, SourceBlock, SourceError,
    is_configuration, row,
};
use plansift_hcl::hcl::diagnostic::Severity;
use plansift_hcl::hcl::position::Position;
use plansift_plan::record::{
    ListedBlock, ListedDiagnostic, OverridingBlock, Record, Sink, SourceRange,
};
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;

/// The message about a folder without configuration files.
const NO_FILES: &str = "no file of a configuration is in this folder";

/// Lists all configurations that the arguments name.
pub fn run(arguments: &Blocks) -> std::result::Result<Exit, Exit> {
    let path = arguments.output.as_deref();
    let limits = arguments.limits();
    let mut configurations: Vec<(&Path, Configuration)> = Vec::new();
    let mut failed = 0;
    for root in &arguments.paths {
        match read(root, &limits) {
            Ok(configuration) if configuration.is_empty() && arguments.check => {
                say(&format!("{}: {NO_FILES}", root.display()));
                failed += 1;
            }
            Ok(configuration) => {
                if configuration.is_empty() && !arguments.quiet {
                    say(&format!("{}: warning: {NO_FILES}", root.display()));
                }
                configurations.push((root, configuration));
            }
            Err(_) => failed += 1,
        }
    }
    let facts = ExitFacts { done: configurations.len() as u64, failed, ..ExitFacts::default() };
    if configurations.is_empty() {
        return Err(Exit::of(facts));
    }
    let cut = configurations.iter().any(|(_, configuration)| configuration.is_cut);
    if cut && !arguments.quiet {
        say("warning: more than 10000 module calls: the blocks of the others are left out");
    }
    let errors = configurations
        .iter()
        .flat_map(|(_, configuration)| configuration.diagnostics())
        .filter(|diagnostic| diagnostic.diagnostic.severity == Severity::Error)
        .count();
    if errors > 0 && !arguments.check && !arguments.quiet {
        let them = if errors == 1 { "error" } else { "errors" };
        say(&format!("warning: {errors} {them} in the files: --check lists them"));
    }
    let written = Output::open(path).and_then(|output| {
        let mut list = List::new(output.writer()?, arguments.format);
        for (root, configuration) in &configurations {
            let root = (arguments.paths.len() > 1).then(|| root.to_string_lossy());
            match arguments.check {
                true => list.diagnostics(root.as_deref(), configuration)?,
                false => list.blocks(root.as_deref(), configuration)?,
            }
        }
        list.finish()?;
        output.finish()
    });
    written.map_err(|error| {
        end_of_output(path, &error, ExitFacts { output: OutputEnd::Closed, ..facts })
    })?;
    Ok(if arguments.check && errors > 0 { Exit::Failed } else { Exit::of(facts) })
}

/// Reads a folder, or the configuration in a plan file. If that fails, prints the error.
fn read(root: &Path, limits: &Limits) -> std::result::Result<Configuration, Exit> {
    let name = root.to_string_lossy();
    let refused = |why: &str| {
        say(&format!("{name}: {why}"));
        Exit::Failed
    };
    if root == Path::new("-") {
        return Err(refused("standard input has no folder: name a folder or a binary plan file"));
    }
    if root.is_dir() {
        let read = Configuration::read_with(&Folder::new(root), Detail::Content, limits);
        return read.map_err(|error| match error {
            SourceError::Failed(error) => fail_named(&name, &error),
            error => refused(&format!("cannot read it: {error}")),
        });
    }
    let read = of_plan_file(root, Detail::Content, limits);
    read.map_err(|error| fail_named(&name, &error))?.ok_or_else(|| {
        let is_file_name = |name: &str| is_configuration(name);
        let is_source = root.file_name().and_then(|name| name.to_str()).is_some_and(is_file_name);
        refused(match is_source {
            true => "this is one file of a configuration: name its folder",
            false => {
                "no configuration is in it: name a folder, or a binary plan file (plan -out) that \
                 is not encrypted. `plansift config` reads the JSON of plans"
            }
        })
    })
}

/// Writes the configurations in a format.
enum List {
    Table(Table),
    Records(Box<dyn Sink>),
}

impl List {
    fn new(out: File, format: BlocksFormat) -> List {
        match format {
            BlocksFormat::Table => List::Table(Table { out: BufWriter::new(out), has_text: false }),
            BlocksFormat::Ndjson => List::Records(Box::new(Ndjson::new(out))),
            BlocksFormat::Json => List::Records(Box::new(Json::new(out))),
        }
    }

    /// Writes the blocks of a configuration. `root` is the path of the root module; `None` if the
    /// run has only one.
    fn blocks(&mut self, root: Option<&str>, configuration: &Configuration) -> Result<()> {
        let modules = configuration.modules().iter();
        let mut blocks = modules
            .flat_map(|module| module.directory.blocks.iter().map(move |block| (module, block)));
        match self {
            List::Table(table) => table.blocks(root, &blocks),
            List::Records(sink) => blocks.try_for_each(|(module, block)| {
                sink.record(&Record::Block(listed(root, module, block)))
            }),
        }
    }

    /// Writes the diagnostics of a configuration, like [`List::blocks`].
    fn diagnostics(&mut self, root: Option<&str>, configuration: &Configuration) -> Result<()> {
        let mut diagnostics = configuration.diagnostics();
        match self {
            List::Table(table) => diagnostics.try_for_each(|found| {
                let root = root.map(|root| format!("{root}/")).unwrap_or_default();
                table.write(&(visible(&(root + &row::line(found))) + "\n"))
            }),
            List::Records(sink) => {
                diagnostics.try_for_each(|FileDiagnostic { file, diagnostic }| {
                    sink.record(&Record::Diagnostic(ListedDiagnostic {
                        root,
                        severity: diagnostic.severity.word(),
                        summary: diagnostic.summary,
                        detail: &diagnostic.detail,
                        place: place(file, diagnostic.range.start, diagnostic.range.end),
                    }))
                })
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            List::Table(mut table) => table.out.flush().map_err(Error::write),
            List::Records(mut sink) => sink.finish(),
        }
    }
}

fn listed<'a>(root: Option<&'a str>, module: &Module, block: &'a SourceBlock) -> ListedBlock<'a> {
    let overrides = block.overrides.iter();
    let overrides =
        overrides.map(|it| OverridingBlock { file: &it.file, line: it.range.start.line }).collect();
    ListedBlock {
        root,
        type_name: &block.kind,
        labels: &block.labels,
        address: row::full_address(module, block),
        module: (!module.path.is_empty()).then(|| module.address()),
        place: place(&block.definition.file, block.definition.range.start, block.range.end),
        references: &block.references,
        overrides,
    }
}

fn place(file: &str, start: Position, end: Position) -> SourceRange<'_> {
    SourceRange {
        file,
        line: start.line,
        column: start.column,
        byte: start.byte,
        end_line: end.line,
        end_column: end.column,
        end_byte: end.byte,
    }
}

/// Writes lines for a person.
struct Table {
    out: BufWriter<File>,
    has_text: bool,
}

impl Table {
    /// Writes blocks. The first column is as wide as its longest cell. The table is formatted
    /// twice, because its rows can take more memory than the blocks.
    fn blocks<'a>(
        &mut self,
        root: Option<&str>,
        blocks: &(impl Iterator<Item = (&'a Module, &'a SourceBlock)> + Clone),
    ) -> Result<()> {
        if let Some(root) = root {
            let before = if std::mem::replace(&mut self.has_text, true) { "\n" } else { "" };
            self.write(&format!("{before}{}\n", visible(root)))?;
        }
        let place = |block: &SourceBlock| visible(&row::place(block));
        let widths = blocks.clone().map(|(_, block)| place(block).chars().count());
        let width = widths.max().unwrap_or(0);
        blocks.clone().try_for_each(|(module, block)| {
            let (place, name) = (place(block), row::name(module, block));
            self.write(&format!("{place:width$}  {}\n", visible(&name)))
        })
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(Error::write)
    }
}

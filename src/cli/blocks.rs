//! `plansift blocks`: lists the blocks of configurations, or the diagnostics of their files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Blocks, BlocksFormat};
use super::exit::Exit;
use super::messages::{fail, fail_named, say};
use super::output::{Output, is_closed_pipe};
use super::sources::of_plan_file;
use crate::blocks::{
    Configuration, Detail, Folder, Module, SourceBlock, SourceError, is_configuration, row,
};
use crate::error::{Error, Result};
use crate::hcl::diagnostic::Severity;
use crate::inert::visible;
use crate::json::string::push_quoted;
use crate::limits::Limits;

/// The message about a folder without configuration files.
const NO_FILES: &str = "no file of a configuration is in this folder";

/// Lists all configurations that the arguments name.
pub fn run(arguments: &Blocks) -> std::result::Result<Exit, Exit> {
    let path = arguments.output.as_deref();
    let limits = arguments.limits();
    let mut configurations: Vec<(&Path, Configuration)> = Vec::new();
    let mut exit = Exit::Done;
    for root in &arguments.paths {
        match read(root, &limits) {
            Ok(configuration) if configuration.is_empty() && arguments.check => {
                say(&format!("{}: {NO_FILES}", root.display()));
                exit = Exit::Failed;
            }
            Ok(configuration) => {
                if configuration.is_empty() && !arguments.quiet {
                    say(&format!("{}: warning: {NO_FILES}", root.display()));
                }
                configurations.push((root, configuration));
            }
            Err(failed) => exit = failed,
        }
    }
    if configurations.is_empty() {
        return Err(exit);
    }
    if exit == Exit::Failed {
        exit = Exit::SomeFailed;
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
        let mut list = List {
            out: BufWriter::new(output.writer()?),
            format: arguments.format,
            root: None,
            count: 0,
        };
        for (root, configuration) in &configurations {
            list.root = (arguments.paths.len() > 1).then(|| root.to_string_lossy().into_owned());
            if arguments.check {
                list.diagnostics(configuration)?;
            } else {
                list.blocks(configuration)?;
            }
        }
        list.finish()?;
        output.finish()
    });
    match written {
        Err(error) if is_closed_pipe(&error) => Ok(exit),
        Err(error) => Err(fail(path, &error)),
        Ok(()) if arguments.check && errors > 0 => Ok(Exit::Failed),
        Ok(()) => Ok(exit),
    }
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

/// Writes rows in a format.
struct List {
    out: BufWriter<File>,
    format: BlocksFormat,
    /// The path of the root module; `None` if the run has only one.
    root: Option<String>,
    count: u64,
}

impl List {
    fn blocks(&mut self, configuration: &Configuration) -> Result<()> {
        let modules = configuration.modules().iter();
        let mut blocks = modules
            .flat_map(|module| module.directory.blocks.iter().map(move |block| (module, block)));
        if self.format == BlocksFormat::Table {
            return self.table(&blocks);
        }
        blocks.try_for_each(|(module, block)| {
            let mut json = String::new();
            row::push_block(module, block, &mut json);
            self.json(&json)
        })
    }

    /// Writes the rows of a table. The first column is as wide as its longest cell. The table is
    /// formatted twice, because its rows can take more memory than the blocks.
    fn table<'a>(
        &mut self,
        blocks: &(impl Iterator<Item = (&'a Module, &'a SourceBlock)> + Clone),
    ) -> Result<()> {
        if let Some(root) = self.root.as_deref() {
            let before = if self.count > 0 { "\n" } else { "" };
            let title = format!("{before}{}\n", visible(root));
            self.count += 1;
            self.write(&title)?;
        }
        let place = |block: &SourceBlock| visible(&row::place(block));
        let widths = blocks.clone().map(|(_, block)| place(block).chars().count());
        let width = widths.max().unwrap_or(0);
        blocks.clone().try_for_each(|(module, block)| {
            let (place, name) = (place(block), row::name(module, block));
            self.write(&format!("{place:width$}  {}\n", visible(&name)))
        })
    }

    fn diagnostics(&mut self, configuration: &Configuration) -> Result<()> {
        for diagnostic in configuration.diagnostics() {
            if self.format == BlocksFormat::Table {
                let root = self.root.as_ref().map(|root| format!("{root}/")).unwrap_or_default();
                self.write(&(visible(&(root + &row::line(diagnostic))) + "\n"))?;
            } else {
                let mut json = String::new();
                row::push_diagnostic(diagnostic, &mut json);
                self.json(&json)?;
            }
        }
        Ok(())
    }

    fn json(&mut self, json: &str) -> Result<()> {
        let before = match (self.format, self.count) {
            (BlocksFormat::Json, 0) => "[\n",
            (BlocksFormat::Json, _) => ",\n",
            _ => "",
        };
        let after = if self.format == BlocksFormat::Json { "" } else { "\n" };
        self.count += 1;
        self.write(before)?;
        if let Some(root) = &self.root {
            let mut member = String::from("{\"root\":");
            push_quoted(root, &mut member);
            self.write(&format!("{member},"))?;
        } else {
            self.write("{")?;
        }
        self.write(json.trim_start_matches('{'))?;
        self.write(after)
    }

    fn finish(mut self) -> Result<()> {
        if self.format == BlocksFormat::Json {
            self.write(if self.count == 0 { "[]\n" } else { "\n]\n" })?;
        }
        self.out.flush().map_err(Error::write)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(Error::write)
    }
}

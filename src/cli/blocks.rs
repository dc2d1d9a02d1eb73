//! `plansift blocks`: lists the blocks of configurations, or what is wrong with their files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::args::{Blocks, BlocksFormat};
use super::exit::Exit;
use super::messages::{fail, fail_of, say};
use super::output::Output;
use super::sources::of_plan_file;
use crate::blocks::{Configuration, Folder, row};
use crate::error::{Error, ErrorKind, Result};
use crate::hcl::diagnostic::Severity;
use crate::inert::visible;
use crate::limits::Limits;

/// Lists all configurations that the arguments name.
pub fn run(arguments: &Blocks) -> Exit {
    let path = arguments.output.as_deref();
    let mut configurations = Vec::new();
    let mut exit = Exit::Done;
    for root in &arguments.paths {
        match read(root) {
            Ok(configuration) => configurations.push(configuration),
            Err(failed) => exit = failed,
        }
    }
    if configurations.is_empty() {
        return exit;
    }
    if exit == Exit::Failed {
        exit = Exit::SomeFailed;
    }
    let cut = configurations.iter().any(|configuration| configuration.is_cut);
    if cut && !arguments.quiet {
        say("warning: more than 10000 module calls: the blocks of the others are left out");
    }
    let errors = configurations
        .iter()
        .flat_map(Configuration::diagnostics)
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
            rows: Vec::new(),
            count: 0,
        };
        for configuration in &configurations {
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
        Err(error) if is_closed_pipe(&error) => exit,
        Err(error) => fail(path, &error),
        Ok(()) if arguments.check && errors > 0 => Exit::Failed,
        Ok(()) => exit,
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Reads a folder or the configuration in a plan file, and prints why it cannot be read.
fn read(root: &Path) -> std::result::Result<Configuration, Exit> {
    let name = root.to_string_lossy();
    let refused = |why: &str| {
        say(&format!("{name}: {why}"));
        Exit::Failed
    };
    let read = if root.is_dir() {
        Configuration::read(&Folder::new(root))
    } else {
        let read =
            of_plan_file(root, &Limits::default()).map_err(|error| fail_of(&name, &error))?;
        read.ok_or_else(|| {
            refused(
                "no configuration is in it: name a folder or a binary plan file (plan -out). For a \
                 .tf or .tf.json file, name its folder. `plansift config` reads the JSON of plans",
            )
        })?
    };
    read.map_err(|error| refused(&format!("cannot read it: {error}")))
}

/// Writes rows in a format.
struct List {
    out: BufWriter<File>,
    format: BlocksFormat,
    /// The rows of a table, which end with the widths of its columns.
    rows: Vec<[String; 2]>,
    count: u64,
}

impl List {
    fn blocks(&mut self, configuration: &Configuration) -> Result<()> {
        for module in configuration.modules() {
            for block in &module.directory.blocks {
                if self.format == BlocksFormat::Table {
                    self.rows.push(row::columns(module, block).map(|text| visible(&text)));
                } else {
                    let mut json = String::new();
                    row::push_block(module, block, &mut json);
                    self.json(&json)?;
                }
            }
        }
        Ok(())
    }

    fn diagnostics(&mut self, configuration: &Configuration) -> Result<()> {
        for diagnostic in configuration.diagnostics() {
            if self.format == BlocksFormat::Table {
                self.write(&(visible(&row::line(diagnostic)) + "\n"))?;
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
        self.write(json)?;
        self.write(after)
    }

    fn finish(mut self) -> Result<()> {
        let width = self.rows.iter().map(|[place, _]| place.chars().count()).max().unwrap_or(0);
        for [place, name] in std::mem::take(&mut self.rows) {
            self.write(&format!("{place:width$}  {name}\n"))?;
        }
        if self.format == BlocksFormat::Json {
            self.write(if self.count == 0 { "[]\n" } else { "\n]\n" })?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(|error| Error::io(ErrorKind::Write, error))
    }
}

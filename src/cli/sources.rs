//! The configuration that `--source` names: a folder, or the one inside each binary plan file.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use super::args::SourceArgs;
use super::exit::Exit;
use super::messages::say;
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limits;
use plansift_fleet::run::SourceFiles;
use plansift_fleet::source::InputEntry;
use plansift_hcl::blocks::{
    Configuration, Detail, Folder, LocatedBlock, Snapshot, SourceBlock, SourceError, SourceLocation,
};
use plansift_hcl::hcl::diagnostic::Severity;
use plansift_plan::config::Element;
use plansift_report::origin::{BlockLocation, Location, Missing, Origin, Origins, SharedOrigins};
use plansift_report::source_link::LinkTarget;

/// The value of `--source` that names the configuration inside each plan file.
const PLAN: &str = "plan";

/// Where the configuration of a plan is.
enum Kind {
    /// One folder for all plans.
    Folder,
    PlanFile {
        limits: Limits,
        /// Whether to warn about inputs without a configuration.
        warns: bool,
    },
}

/// Finds blocks in the configuration of the current plan.
pub struct Sources {
    kind: Kind,
    /// The prefix of the path of each file, such as `infra/`.
    prefix: String,
    current: RefCell<Option<Configuration>>,
}

/// Opens the configuration that the arguments name. Without a folder, this is the configuration
/// inside each binary plan file. Warns about errors in the files, unless the run is `quiet`. If the
/// folder cannot be read, prints the error and fails.
pub fn open(
    arguments: &SourceArgs,
    limits: &Limits,
    quiet: bool,
) -> std::result::Result<SharedOrigins, Exit> {
    if arguments.no_source {
        return Ok(None);
    }
    let given = arguments.source_prefix.as_deref().map(Path::new);
    let Some(path) = folder(arguments) else {
        let kind = Kind::PlanFile {
            limits: *limits,
            warns: (arguments.source.is_some() || given.is_some()) && !quiet,
        };
        let prefix = given.map_or_else(String::new, with_slash);
        return Ok(Some(Rc::new(Sources { kind, prefix, current: RefCell::new(None) })));
    };
    let read = Configuration::read_with(&Folder::new(path), Detail::Locations, limits);
    let configuration = read.map_err(|error| unreadable(path, &error))?;
    if !quiet {
        warn_of_faults(path, &configuration);
    }
    let prefix = match given {
        Some(given) => with_slash(given),
        None => prefix(path, &std::env::current_dir().unwrap_or_default()),
    };
    let current = RefCell::new(Some(configuration));
    Ok(Some(Rc::new(Sources { kind: Kind::Folder, prefix, current })))
}

/// The elements in the configuration that `--source` names.
#[derive(Debug)]
pub enum Elements {
    /// No configuration.
    None,
    /// One folder for all plans.
    Folder(Configuration),
    /// The configuration inside each binary plan file, up to these limits.
    PlanFiles(Limits),
}

impl Elements {
    /// Opens the configuration that the arguments name, like [`open`], which warns about it.
    pub fn open(arguments: &SourceArgs, limits: &Limits) -> std::result::Result<Elements, Exit> {
        if arguments.no_source {
            return Ok(Elements::None);
        }
        let Some(path) = folder(arguments) else { return Ok(Elements::PlanFiles(*limits)) };
        let read = Configuration::read_with(&Folder::new(path), Detail::Content, limits);
        read.map(Elements::Folder).map_err(|error| unreadable(path, &error))
    }
}

impl SourceFiles for Elements {
    fn each_element(
        &self,
        source: &str,
        each: &mut dyn FnMut(&Element) -> Result<()>,
    ) -> Result<Option<Vec<String>>> {
        let of_plan;
        let configuration = match self {
            Elements::None => return Ok(None),
            Elements::Folder(configuration) => configuration,
            Elements::PlanFiles(limits) => {
                match configuration_of(Path::new(source), Detail::Content, limits) {
                    Ok(configuration) => {
                        of_plan = configuration;
                        &of_plan
                    }
                    Err(Unknown::Absent(_)) => return Ok(None),
                    Err(Unknown::Failed(error)) => return Err(error.placed()),
                }
            }
        };
        configuration.each_element(each)?;
        Ok(Some(configuration.unread().map(str::to_owned).collect()))
    }
}

/// Prints the error of a folder that cannot be read.
fn unreadable(path: &Path, error: &SourceError) -> Exit {
    say(&format!("--source {}: cannot read it: {error}", path.display()));
    Exit::Failed
}

/// Warns about a folder that has no configuration files, or files with errors outside of the
/// content of blocks.
fn warn_of_faults(path: &Path, configuration: &Configuration) {
    let folder = path.display();
    if configuration.is_empty() {
        say(&format!("warning: --source {folder}: no file of a configuration is in this folder"));
    }
    let errors = configuration.diagnostics().filter(|it| it.diagnostic.severity == Severity::Error);
    match errors.count() {
        0 => {}
        count => {
            let them = if count == 1 { "1 error" } else { &format!("{count} errors") };
            say(&format!(
                "warning: --source {folder}: {them} in the files: `plansift blocks --check \
                 {folder}` lists them"
            ));
        }
    }
}

/// Returns the folder that the arguments name; `None` for the configuration inside plan files.
fn folder(arguments: &SourceArgs) -> Option<&Path> {
    arguments.source.as_deref().filter(|path| *path != Path::new(PLAN))
}

/// Returns the target of links to the files of a folder on this machine. Returns `None` for the
/// configuration inside a plan file, whose folder is unknown. Also returns `None` for paths with a
/// prefix, which need not exist on this machine.
pub fn local_target(arguments: &SourceArgs) -> Option<LinkTarget> {
    let folder = folder(arguments).filter(|_| arguments.source_prefix.is_none())?;
    let current = std::env::current_dir().ok()?;
    // File paths are relative to the current folder, or to an absolute folder outside of it.
    let base = match folder.is_absolute() && !folder.starts_with(&current) {
        true => folder.to_owned(),
        false => current,
    };
    Some(LinkTarget::Folder(base.to_str()?.to_owned()))
}

/// Returns the path to put in front of the files of a folder: its path relative to `current`, which
/// is the root of the repository in most pipelines. For an absolute path outside of `current`,
/// returns an empty string.
fn prefix(path: &Path, current: &Path) -> String {
    let path = path.strip_prefix(current).unwrap_or(path);
    if path.is_absolute() { String::new() } else { with_slash(path) }
}

/// Returns the path of a folder with forward slashes and a slash at the end. For the current
/// folder, returns an empty string.
fn with_slash(folder: &Path) -> String {
    let parts = folder.components().filter(|part| !matches!(part, Component::CurDir));
    let parts: PathBuf = parts.collect();
    let text = parts.to_string_lossy().replace('\\', "/");
    if text.is_empty() || text.ends_with('/') { text } else { text + "/" }
}

/// Reads the configuration inside a plan file. Returns `None` if the file contains no
/// configuration.
///
/// # Errors
///
/// Fails if the plan file cannot be read, or if the configuration exceeds a limit.
pub fn of_plan_file(path: &Path, detail: Detail, limits: &Limits) -> Result<Option<Configuration>> {
    let kept = InputEntry::of_file(path.to_owned()).keep(limits)?;
    let Some(files) = kept.configuration(limits)? else { return Ok(None) };
    let Some(snapshot) = Snapshot::new(files, limits)? else { return Ok(None) };
    match Configuration::read_with(&snapshot, detail, limits) {
        Ok(configuration) => Ok(Some(configuration)),
        Err(SourceError::Failed(error)) => Err(error),
        // The members of a plan file are no files of the operating system.
        Err(_) => Ok(None),
    }
}

/// Why the configuration of an input is not known.
enum Unknown {
    /// The input has none, for this reason.
    Absent(&'static str),
    /// The configuration cannot be read.
    Failed(Error),
}

fn configuration_of(
    source: &Path,
    detail: Detail,
    limits: &Limits,
) -> std::result::Result<Configuration, Unknown> {
    if !source.is_file() {
        return Err(Unknown::Absent("only a file can be read a second time for them"));
    }
    let read = match may_be_plan_file(source) {
        true => of_plan_file(source, detail, limits).map_err(Unknown::Failed)?,
        false => None,
    };
    read.ok_or(Unknown::Absent("only plan files keep a configuration"))
}

/// Whether a file may be a plan file, by its first byte. Most inputs are plain JSON and need no
/// second reading.
fn may_be_plan_file(path: &Path) -> bool {
    let mut first = [0];
    File::open(path).and_then(|mut file| file.read(&mut first)).is_ok_and(|len| len > 0)
        && !matches!(first, [b'{' | b' ' | b'\t' | b'\r' | b'\n'])
}

impl Origins for Sources {
    fn begin(&self, source: &str) -> Result<()> {
        let Kind::PlanFile { limits, warns } = &self.kind else {
            return Ok(());
        };
        *self.current.borrow_mut() = None;
        match configuration_of(Path::new(source), Detail::Locations, limits) {
            Ok(configuration) => *self.current.borrow_mut() = Some(configuration),
            Err(Unknown::Absent(why)) if *warns => {
                say(&format!("{source}: warning: the lines of blocks are not known: {why}"));
            }
            Err(Unknown::Absent(_)) => {}
            // The place is in the files of the configuration, not in the plan.
            Err(Unknown::Failed(error)) => return Err(error.placed()),
        }
        Ok(())
    }

    fn has_files(&self) -> bool {
        self.current.borrow().is_some()
    }

    fn find(&self, address: &str) -> Option<Origin> {
        let current = self.current.borrow();
        let found = current.as_ref()?.find(address);
        Some(found.map_or(
            Origin::Missing { missing: Missing::Unknown },
            |LocatedBlock { block, module_calls }| {
                let calls = module_calls.into_iter().map(|call| self.location(call)).collect();
                Origin::Block(BlockLocation { location: self.location(block), module_calls: calls })
            },
        ))
    }
}

impl Sources {
    fn location(&self, block: &SourceBlock) -> Location {
        let SourceLocation { file, range } = &block.definition;
        Location {
            file: format!("{}{file}", self.prefix),
            line: range.start.line,
            column: range.start.column,
            end_line: block.range.end.line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_the_folder_that_the_user_names() {
        for (expected, paths) in [
            ("", &[".", "./", "/x", "/srv", "/srvs"][..]),
            ("infra/", &["infra"]),
            ("infra/a/", &["./infra/a/", "/srv/infra/a"]),
        ] {
            for path in paths {
                assert_eq!(prefix(Path::new(path), Path::new("/srv")), expected, "{path}");
            }
        }
        for (given, expected) in [("infra", "infra/"), ("./a/b/", "a/b/"), (".", ""), ("/", "/")] {
            assert_eq!(with_slash(Path::new(given)), expected, "{given}");
        }
    }
}

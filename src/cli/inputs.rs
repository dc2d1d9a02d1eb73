//! The inputs that the arguments name, and messages about skipped files.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::args::Plans;
use super::exit::Exit;
use super::messages::{fail, say, usage};
use plansift_core::error::Error;
use plansift_core::limits::Limits;
use plansift_fleet::output;
use plansift_fleet::source::{
    Globs, InputEntry, Inputs, List, RetryPolicy, Rule, Selection, Separator, Skipped, Stores,
};
use plansift_plan::plan::Accepts;
use plansift_planfile::{self as planfile, SchemaFiles};

pub struct Listed {
    /// The inputs, in order.
    pub inputs: Inputs,
    /// The object stores and web servers that hold inputs.
    pub stores: Stores,
    /// Other files that the run reads: files of rules, schemas, sets of types, a key.
    also: Vec<PathBuf>,
    pub schemas: SchemaFiles,
}

impl Listed {
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.inputs.files().chain(self.also.iter().map(PathBuf::as_path))
    }

    /// Returns whether an output would replace a file that the run reads.
    pub fn reads(&self, output: &Path) -> bool {
        self.inputs.reads(output) || self.also.iter().any(|file| output::replaces(output, file))
    }

    /// Warns about inputs that have the workspace of an earlier input, in a command that shows
    /// workspaces. A rule of `--workspace-from` may give several plans one workspace on purpose.
    pub fn warn_of_shared_workspaces(&self, plans: &Plans) {
        if plans.quiet || plans.more.workspace_from.is_some() {
            return;
        }
        if let Some(names) = first_of(self.inputs.sharing()) {
            say(&format!(
                "warning: {names}: an earlier input has the same workspace, and both count: if it \
                 is the same plan, leave one out with --exclude; if not, --workspace-from can tell \
                 them apart"
            ));
        }
    }

    /// Returns whether there is only one input, and no rule names its workspace.
    pub fn is_single(&self) -> bool {
        !self.inputs.shows_workspaces
    }
}

/// Lists the inputs that the arguments name. Refuses an output that is a folder, or that would
/// replace an input or a file of `also`. `wanted` says which files to take from a folder. If the
/// arguments are wrong, prints the error and fails.
pub fn list<'o>(
    plans: &Plans,
    wanted: impl Into<Wanted>,
    outputs: impl IntoIterator<Item = &'o Path>,
    also: impl IntoIterator<Item = PathBuf>,
) -> Result<Listed, Exit> {
    list_named(plans, plans.inputs.clone(), wanted, outputs, also)
}

/// The files that a command takes from a folder.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    takes: Takes,
    /// Whether to take other files, too, which then fail.
    is_strict: bool,
}

impl Wanted {
    /// With `is_strict`, a file in a folder fails if it is not a document that the command takes.
    pub fn strict(self, is_strict: bool) -> Wanted {
        Wanted { is_strict, ..self }
    }
}

impl From<Takes> for Wanted {
    fn from(takes: Takes) -> Wanted {
        Wanted { takes, is_strict: false }
    }
}

impl From<Accepts> for Wanted {
    fn from(accepts: Accepts) -> Wanted {
        Wanted::from(match accepts {
            Accepts::Plans => Takes::Plans,
            Accepts::States => Takes::States,
        })
    }
}

/// The documents that a command takes from a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Plans,
    /// Plans, and the JSON of states.
    States,
    /// Plans, the JSON of states, and approvals.
    Approvals,
}

/// Like [`list`], for the inputs with these names.
pub fn list_named<'o>(
    plans: &Plans,
    names: Vec<OsString>,
    wanted: impl Into<Wanted>,
    outputs: impl IntoIterator<Item = &'o Path>,
    also: impl IntoIterator<Item = PathBuf>,
) -> Result<Listed, Exit> {
    let outputs: Vec<&Path> = outputs.into_iter().collect();
    if let Some(folder) = outputs.iter().find(|path| output::is_folder(path)) {
        return Err(usage(&format!(
            "{}: this is a folder, and --output takes a file: name a file, or run the command once \
             for each input",
            folder.display()
        )));
    }
    let selection = selection(plans, names, wanted.into())?;
    let rule = match &plans.more.workspace_from {
        None => Rule::Path,
        Some(text) => Rule::parse(text).map_err(|_| {
            usage("--workspace-from: {workspace} must be in it once, as in plans/{workspace}.json")
        })?,
    };
    let is_ruled = rule != Rule::Path;
    let inputs = Inputs::list(&selection, rule);
    if !plans.quiet {
        if inputs.again > 0 {
            say(&format!("inputs named more than once, and read once: {}", inputs.again));
        }
        print_skipped(&inputs.skipped);
        for glob in selection.globs.unmatched() {
            say(&format!("warning: --exclude {glob} matches nothing"));
        }
        if is_ruled {
            warn_of_unfit(&inputs);
        }
    }
    let also = also.into_iter().chain(plans.more.schemas.iter().cloned());
    let also = also.chain(plans.more.type_sets.files()).collect();
    let Selection { stores, schemas, .. } = selection;
    let listed = Listed { inputs, stores, also, schemas };
    match outputs.iter().find(|path| listed.reads(path)) {
        None => Ok(listed),
        Some(path) => {
            let name = path.display();
            Err(usage(&format!("{name}: this is an input: name another file for --output")))
        }
    }
}

fn selection(plans: &Plans, mut names: Vec<OsString>, wanted: Wanted) -> Result<Selection, Exit> {
    let more = &plans.more;
    if names.is_empty() && more.files_from.is_none() {
        if io::stdin().is_terminal() {
            return Err(usage(
                "no INPUT: name a plan file, as `terraform plan -out PLANFILE` writes it, or its \
                 JSON, or - for standard input",
            ));
        }
        names.push(OsString::from("-"));
    }
    let files_from = more.files_from.as_deref().map(|path| match path == Path::new("-") {
        true => List::Stdin,
        false => List::File(path.to_owned()),
    });
    if files_from == Some(List::Stdin) && names.iter().any(|name| name == "-") {
        return Err(usage("standard input is either a plan or a list: it is named as both"));
    }
    let separator = if more.null { Separator::Null } else { Separator::Line };
    let globs = Globs::new(&more.include, &more.exclude)
        .map_err(|_| usage("--include, --exclude: a glob is not well formed"))?;
    let globs = if wanted.is_strict { globs.with_others() } else { globs };
    let globs = match wanted.takes {
        Takes::Plans => globs,
        Takes::States => globs.with_states(),
        Takes::Approvals => globs.with_states().with_approvals(),
    };
    let retry_policy = RetryPolicy { timeout: more.store_timeout, retries: more.store_retries };
    let limits = plans.limits.limits();
    let stores = Stores::new(retry_policy, &limits);
    let schemas = schema_files(&more.schemas, more.schema_cache.as_deref(), &limits)?;
    Ok(Selection { names, files_from, separator, globs, stores, schemas })
}

/// Reads the schemas of providers in files, and finds those in a folder. If a file cannot be read,
/// prints the error and fails.
pub fn schema_files(
    named: &[PathBuf],
    folder: Option<&Path>,
    limits: &Limits,
) -> Result<SchemaFiles, Exit> {
    let read = |path: &PathBuf| {
        planfile::read_schemas(path, limits).map_err(|error| fail(Some(path), &error))
    };
    let named = named.iter().map(read).collect::<Result<_, _>>()?;
    if let Some(folder) = folder {
        let listed = std::fs::read_dir(folder).map_err(Error::read);
        listed.map_err(|error| fail(Some(folder), &error))?;
    }
    Ok(SchemaFiles::new(named, folder.map(Path::to_owned), limits))
}

/// Prints how many files in folders were skipped.
fn print_skipped(skipped: &Skipped) {
    let parts = [
        (skipped.others, "file that is not a plan", "files that are not plans"),
        (skipped.encrypted, "encrypted state", "encrypted states"),
        (skipped.sources, "source file (.tf, .tfvars)", "source files (.tf, .tfvars)"),
        (skipped.excluded, "excluded", "excluded"),
        (skipped.hidden, "hidden", "hidden"),
        (skipped.links, "a link to a folder", "links to folders"),
    ];
    let counts: Vec<String> = parts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    if !counts.is_empty() {
        let hint = match skipped.encrypted {
            0 => "",
            _ => {
                "; run `tofu show -json STATEFILE` for encrypted ones, where the key is configured"
            }
        };
        say(&format!("skipped in folders: {}{hint}", counts.join(", ")));
    }
}

/// Warns about inputs whose path does not match `--workspace-from`.
fn warn_of_unfit(inputs: &Inputs) {
    let unfit = inputs.entries.iter().flatten().filter(|entry| !inputs.fits(entry));
    if let Some(names) = first_of(unfit) {
        say(&format!("warning: --workspace-from does not fit {names}: named by the whole path"));
    }
}

/// Returns the name of the first input and the number of the others. `None` if there is no input.
fn first_of<'a>(mut entries: impl Iterator<Item = &'a InputEntry>) -> Option<String> {
    let first = entries.next()?.source();
    match entries.count() {
        0 => Some(first.into_owned()),
        more => Some(format!("{first} and {more} more")),
    }
}

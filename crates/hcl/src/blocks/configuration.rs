//! A root module and the modules that it calls.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::directory::{Directory, chosen};
use super::file::{Detail, FileDiagnostic, SourceBlock};
use super::files::{Files, SourceError, normal};
use plansift_core::budget::Budget;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::ConfigAddress;

/// Maximum number of modules in a configuration. Each call of a module counts as one.
pub const MODULES_MAX: usize = 10_000;

/// Maximum depth of nested module calls.
const DEPTH_MAX: usize = 100;

/// A module of a configuration.
#[derive(Debug)]
pub struct Module {
    /// The names of the calls that lead to the module, outermost first, joined by dots. Empty for
    /// the root module.
    pub path: String,
    /// The module's folder, relative to the folder of the root module.
    pub folder: String,
    /// The module's blocks. Calls of the same folder share them.
    pub directory: Arc<Directory>,
}

impl Module {
    /// Returns the module's address, such as `module.a.module.b`. Empty for the root module.
    pub fn address(&self) -> String {
        let calls = self.path.split('.').filter(|call| !call.is_empty());
        calls.map(|call| format!("module.{call}")).collect::<Vec<_>>().join(".")
    }
}

/// The block of an object, and the module calls that lead to it.
#[derive(Debug)]
pub struct LocatedBlock<'a> {
    /// The block.
    pub block: &'a SourceBlock,
    /// The blocks of the module calls, outermost first.
    pub module_calls: Vec<&'a SourceBlock>,
}

/// A configuration.
#[derive(Debug, Default)]
pub struct Configuration {
    modules: Vec<Module>,
    by_path: HashMap<String, usize>,
    /// True if modules are left out: those after the first 10 000, and those in more than 100
    /// nested calls.
    pub is_cut: bool,
}

impl Configuration {
    /// Reads a root module and every module that it calls, directly or not, with their content and
    /// the default limits. Skips modules that are not installed.
    ///
    /// # Errors
    ///
    /// The folder of the root module or a plan file cannot be read, or the configuration exceeds
    /// [`Limits::configuration`]. Faults of files are diagnostics.
    pub fn read(files: &impl Files) -> Result<Configuration, SourceError> {
        Configuration::read_with(files, Detail::Content, &Limits::default())
    }

    /// Like [`Configuration::read`], in this detail and with these limits.
    ///
    /// # Errors
    ///
    /// Fails like [`Configuration::read`].
    pub fn read_with(
        files: &impl Files,
        detail: Detail,
        limits: &Limits,
    ) -> Result<Configuration, SourceError> {
        let budget = Budget::new(Limit::Configuration, limits.configuration);
        let mut reader = Reader { files, detail, budget, folders: HashMap::new() };
        let installed = files.installed();
        for (key, folder) in &installed {
            reader.budget.take(2 * (key.len() + folder.len() + MODULE), 0)?;
        }
        let mut configuration = Configuration::default();
        let root = reader.directory("")?;
        let mut left = VecDeque::from([(String::new(), String::new(), root)]);
        while let Some((path, folder, directory)) = left.pop_front() {
            if configuration.modules.len() >= MODULES_MAX {
                configuration.is_cut = true;
                break;
            }
            for call in directory.blocks.iter().filter(|block| block.kind.as_ref() == "module") {
                let Some(name) = call.labels.first() else {
                    continue;
                };
                let path =
                    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                let local = call.module_source.as_deref().filter(|source| source.starts_with('.'));
                let local = local.map(|source| normal(&format!("{folder}/{source}")));
                let Some(folder) = installed.get(&path).cloned().or(local) else {
                    continue;
                };
                let directory = match reader.directory(&folder) {
                    Ok(directory) => directory,
                    Err(SourceError::Failed(error)) => return Err(error.into()),
                    // A module that is not installed has no blocks.
                    Err(_) => continue,
                };
                let depth = path.split('.').count();
                if left.len() < MODULES_MAX && depth <= DEPTH_MAX {
                    // The path is also a key of the index, and a part of longer paths.
                    reader.budget.take(3 * path.len() + folder.len() + MODULE, 0)?;
                    left.push_back((path, folder, directory));
                } else {
                    configuration.is_cut = true;
                }
            }
            configuration.push(Module { path, folder, directory });
        }
        Ok(configuration)
    }

    fn push(&mut self, module: Module) {
        self.by_path.entry(module.path.clone()).or_insert(self.modules.len());
        self.modules.push(module);
    }

    /// Returns the modules. A caller comes before the modules that it calls.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Returns the module with this path.
    pub fn module(&self, path: &str) -> Option<&Module> {
        self.by_path.get(path).and_then(|at| self.modules.get(*at))
    }

    /// Finds the block of an address from a plan. Ignores the instance keys in the address.
    pub fn find(&self, address: &str) -> Option<LocatedBlock<'_>> {
        let ConfigAddress { calls, names } = ConfigAddress::of(address);
        let block = self.module(&calls.join("."))?.directory.find(&names.join("."))?;
        let mut module_calls = Vec::new();
        let mut caller = String::new();
        for call in calls {
            module_calls.push(self.module(&caller)?.directory.find(&format!("module.{call}"))?);
            if !caller.is_empty() {
                caller.push('.');
            }
            caller.push_str(call);
        }
        Some(LocatedBlock { block, module_calls })
    }

    /// Whether the folder of the root module has no configuration files.
    pub fn is_empty(&self) -> bool {
        self.modules.first().is_none_or(|root| root.directory.files == 0)
    }

    /// Returns the paths of the files without blocks because of an error in them.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        let files: std::collections::BTreeSet<&str> = self
            .modules
            .iter()
            .flat_map(|module| module.directory.unread.iter().map(|file| &**file))
            .collect();
        files.into_iter()
    }

    /// Returns the diagnostics of the files. A file that several modules use is listed once.
    pub fn diagnostics(&self) -> impl Iterator<Item = &FileDiagnostic> {
        let mut seen = std::collections::HashSet::new();
        let once = self.modules.iter().filter(move |module| seen.insert(module.folder.as_str()));
        once.flat_map(|module| &module.directory.diagnostics)
    }
}

/// Reads the folders of modules.
struct Reader<'a, F> {
    files: &'a F,
    detail: Detail,
    budget: Budget,
    /// The folders that were read.
    folders: HashMap<String, Arc<Directory>>,
}

/// The memory of a module without its texts and blocks, in bytes.
const MODULE: usize = 2 * size_of::<Module>() + 64;

impl<F: Files> Reader<'_, F> {
    fn directory(&mut self, folder: &str) -> Result<Arc<Directory>, SourceError> {
        if let Some(directory) = self.folders.get(folder) {
            return Ok(directory.clone());
        }
        let names = self.files.list(folder)?;
        let mut directory = Directory::default();
        for name in chosen(&names) {
            let path: Arc<str> =
                if folder.is_empty() { name.into() } else { format!("{folder}/{name}").into() };
            match self.files.read(&path) {
                Ok(text) => {
                    let added = directory.add(&path, &text, self.detail, &mut self.budget);
                    added.map_err(|error| error.within(&path))?;
                }
                Err(SourceError::Failed(error)) => return Err(error.into()),
                Err(error) => directory.add_unreadable(&path, error.to_string()),
            }
        }
        directory.finish();
        let directory = Arc::new(directory);
        self.folders.insert(folder.to_owned(), directory.clone());
        Ok(directory)
    }
}

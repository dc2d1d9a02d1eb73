//! Provider schemas in files: the output of `providers schema -json`.
//!
//! The user names files, or a folder. In the folder, the name of a file is the key of the plan
//! files that it belongs to ([`super::schema_key`]). All inputs of a run share the named files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::locks::schema_key;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Options, Source, Threads};
use crate::limits::Limits;
use crate::wire::schema::Schemas;

/// Maximum length of a schema file in bytes, after decompression.
const FILE_MAX: u64 = 1 << 30;

/// The schema files of a run. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SchemaFiles(Option<Arc<Files>>);

#[derive(Debug)]
struct Files {
    /// The schemas of the named files, in order.
    named: Vec<Arc<Schemas>>,
    folder: Option<PathBuf>,
    /// A cache of the folder: the key of the last plan file, and its schemas.
    last: Mutex<Option<(String, Option<Arc<Schemas>>)>>,
    limits: Limits,
}

impl PartialEq for SchemaFiles {
    fn eq(&self, other: &SchemaFiles) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }
}

impl Eq for SchemaFiles {}

impl SchemaFiles {
    /// Takes the schemas of the named files, and the folder in which plan files look up their key.
    /// Earlier files take precedence.
    pub fn new(named: Vec<Schemas>, folder: Option<PathBuf>, limits: &Limits) -> SchemaFiles {
        if named.is_empty() && folder.is_none() {
            return SchemaFiles(None);
        }
        let named = named.into_iter().map(Arc::new).collect();
        SchemaFiles(Some(Arc::new(Files {
            named,
            folder,
            last: Mutex::default(),
            limits: *limits,
        })))
    }

    /// The schemas for a plan file with this dependency lock file.
    ///
    /// # Errors
    ///
    /// Fails if the file in the folder cannot be read or is not the output of `providers schema`.
    pub(super) fn of(&self, locks: &[u8]) -> Result<Vec<Arc<Schemas>>> {
        let Some(files) = &self.0 else { return Ok(Vec::new()) };
        let mut schemas = files.named.clone();
        if let Some(folder) = &files.folder {
            schemas.extend(files.in_folder(folder, schema_key(locks))?);
        }
        Ok(schemas)
    }
}

impl Files {
    /// The schemas in the file `key` of the folder; `None` if there is no such file.
    fn in_folder(&self, folder: &Path, key: String) -> Result<Option<Arc<Schemas>>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, schemas)) = &*last
            && *of == key
        {
            return Ok(schemas.clone());
        }
        let path = folder.join(&key);
        let schemas = match path.try_exists() {
            Ok(false) => None,
            _ => {
                let read = read_schemas(&path, &self.limits);
                let place = crate::inert::text(&path.to_string_lossy()).into_owned();
                Some(Arc::new(read.map_err(|error| error.or_at(0).within(&place))?))
            }
        };
        *last = Some((key, schemas.clone()));
        Ok(schemas)
    }
}

/// Reads a file of schemas: the output of `providers schema -json`, plain, gzip or zstd.
///
/// # Errors
///
/// Fails if the file cannot be read or is not the output of `providers schema`.
pub fn read_schemas(path: &Path, limits: &Limits) -> Result<Schemas> {
    let limits = Limits { document: limits.document.min(FILE_MAX), ..*limits };
    let options = Options { limits, threads: Threads::One, ..Options::default() };
    let mut input = Input::open_file(path, &options)?;
    while input.fill(0)? {}
    Schemas::from_json(input.window()).map_err(|error| {
        let offset = error.offset().unwrap_or_default() as u64;
        Error::at(ErrorKind::SchemaFile(error.kind().message()), offset)
    })
}

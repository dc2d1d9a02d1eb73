//! Provider schemas in files: the output of `providers schema -json`.
//!
//! The user names schema files or a folder. The name of a file in the folder is the key of its plan
//! files ([`super::schema_key`]). All inputs of a run share the named files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::fault::SchemaFileFault;
use super::locks::{is_schema_key, schema_key};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Input, InputOptions, Source, Threads};
use plansift_core::limits::Limits;
use plansift_cty::schema::Schemas;

/// Maximum length of a schema file in bytes, after decompression.
const FILE_MAX: u64 = 1 << 30;

/// The schema files of a run. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SchemaFiles(Option<Arc<Files>>);

/// The schemas of a file.
#[derive(Debug)]
pub struct SchemaFile {
    schemas: Schemas,
    /// The digest of the file, after decompression.
    digest: blake3::Hash,
}

#[derive(Debug)]
struct Files {
    /// The schemas of the named files, in order.
    named: Vec<Arc<Schemas>>,
    /// The digest of the named files, in order.
    digest: blake3::Hash,
    folder: Option<PathBuf>,
    /// A cache of the folder: the key of the last plan file, and its schemas.
    last: Mutex<Option<(String, Option<Arc<Schemas>>)>>,
    limits: Limits,
}

impl PartialEq for SchemaFiles {
    fn eq(&self, other: &SchemaFiles) -> bool {
        self.0.as_ref().map(Arc::as_ptr) == other.0.as_ref().map(Arc::as_ptr)
    }
}

impl Eq for SchemaFiles {}

impl SchemaFiles {
    /// Takes the schemas of the named files, and the folder in which plan files look up their key.
    /// Earlier files take precedence.
    pub fn new(named: Vec<SchemaFile>, folder: Option<PathBuf>, limits: &Limits) -> SchemaFiles {
        if named.is_empty() && folder.is_none() {
            return SchemaFiles(None);
        }
        let mut hasher = blake3::Hasher::new();
        for file in &named {
            hasher.update(file.digest.as_bytes());
        }
        let named = named.into_iter().map(|file| Arc::new(file.schemas)).collect();
        SchemaFiles(Some(Arc::new(Files {
            named,
            digest: hasher.finalize(),
            folder,
            last: Mutex::default(),
            limits: *limits,
        })))
    }

    /// Returns a digest of the content of the named files, in order; `None` without such files.
    pub fn named_digest(&self) -> Option<String> {
        let files = self.0.as_ref().filter(|files| !files.named.is_empty())?;
        Some(files.digest.to_hex().to_string())
    }

    /// Returns a digest of the names and lengths of the schema files in the folder; `None` without
    /// a folder. A file's name identifies its provider versions, so the content is not hashed.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be listed, or if the length of a file cannot be read.
    pub fn folder_digest(&self) -> Result<Option<String>> {
        let folder = self.0.as_ref().and_then(|files| files.folder.as_deref());
        folder.map(digest_of_folder).transpose()
    }

    /// Returns the schemas for a plan file with this dependency lock file. Fails if the file in the
    /// folder cannot be read or is not the output of `providers schema`.
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
    /// Returns the schemas in the file `key` of the folder; `None` if the file does not exist.
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
                let place = plansift_core::inert::text(&path.to_string_lossy()).into_owned();
                Some(Arc::new(read.map_err(|error| error.or_at(0).within(&place))?.schemas))
            }
        };
        *last = Some((key, schemas.clone()));
        Ok(schemas)
    }
}

fn digest_of_folder(folder: &Path) -> Result<String> {
    let error = |error| Error::io(ErrorKind::Read, error);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        if let Some(name) = name.to_str().filter(|name| is_schema_key(name)) {
            // For a symbolic link, this is the length of the target file.
            let len = std::fs::metadata(entry.path()).map_err(error)?.len();
            files.push(format!("{name} {len}\n"));
        }
    }
    files.sort_unstable();
    Ok(blake3::hash(files.concat().as_bytes()).to_hex().to_string())
}

/// Reads a schema file: the output of `providers schema -json`, plain, gzip or zstd.
///
/// # Errors
///
/// Fails if the file cannot be read or is not the output of `providers schema`.
pub fn read_schemas(path: &Path, limits: &Limits) -> Result<SchemaFile> {
    let limits = Limits { document: limits.document.min(FILE_MAX), ..*limits };
    let options = InputOptions { limits, threads: Threads::One, ..InputOptions::default() };
    let mut input = Input::open_file(path, &options)?;
    while input.fill(0)? {}
    let schemas = Schemas::from_json(input.window()).map_err(|error| {
        let offset = error.offset().unwrap_or_default() as u64;
        Error::at(SchemaFileFault(error.kind()), offset)
    })?;
    Ok(SchemaFile { schemas, digest: blake3::hash(input.window()) })
}

//! An input: its location, its known properties, and functions that open it.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::fs::Metadata;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::rereadable_input::RereadableInput;
use super::stop::Stop;
use super::store::{Object, Version};
use plansift_core::error::{Error, Result};
use plansift_core::input::{GiveUp, Input, InputOptions, Rereadable};
use plansift_core::limits::Limits;
use plansift_plan::plan::{self, Accepts, Documents, Flow, Piece, Visitor, WrongDocument};
use plansift_planfile::{self as planfile, PlanFileFault, SchemaFiles};

/// The location of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// The path of a file.
    File(PathBuf),
    /// An object in an object store or on a web server.
    Object(Box<Object>),
    /// Standard input.
    Stdin,
    /// A document in memory.
    Memory(Memory),
}

/// A document in memory, and its name. It may be compressed, or a binary plan file.
#[derive(Clone, PartialEq, Eq)]
pub struct Memory {
    name: String,
    bytes: Arc<[u8]>,
}

impl Memory {
    fn reader(&self) -> Box<dyn Read + Send> {
        Box::new(Cursor::new(self.bytes.clone()))
    }
}

/// Does not show the bytes, which may contain secrets.
impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({} bytes)", self.name, self.bytes.len())
    }
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputEntry {
    /// The location of the input.
    pub location: Location,
    /// The stored size in bytes, if known.
    pub len: Option<u64>,
    /// The time of the last modification, if known.
    pub modified: Option<SystemTime>,
    /// The entity tag of this version of an object, if known.
    pub etag: Option<String>,
    /// The provider schemas to read a plan file with.
    pub schemas: SchemaFiles,
}

impl InputEntry {
    pub(super) fn at(location: Location) -> InputEntry {
        InputEntry {
            location,
            len: None,
            modified: None,
            etag: None,
            schemas: SchemaFiles::default(),
        }
    }

    /// Creates the entry of standard input.
    pub fn of_stdin() -> InputEntry {
        InputEntry::at(Location::Stdin)
    }

    /// Creates the entry of a document in memory.
    pub fn in_memory(name: String, bytes: Arc<[u8]>) -> InputEntry {
        let len = Some(bytes.len() as u64);
        InputEntry { len, ..InputEntry::at(Location::Memory(Memory { name, bytes })) }
    }

    /// Creates the entry of a file, which need not exist.
    pub fn of_file(path: PathBuf) -> InputEntry {
        match std::fs::metadata(&path) {
            Ok(metadata) => InputEntry::of_file_with(path, &metadata),
            Err(_) => InputEntry::at(Location::File(path)),
        }
    }

    pub(super) fn of_file_with(mut path: PathBuf, metadata: &Metadata) -> InputEntry {
        // There may be many entries, and a joined path may have twice the capacity it needs.
        path.shrink_to_fit();
        let len = metadata.is_file().then_some(metadata.len());
        InputEntry {
            len,
            modified: metadata.modified().ok(),
            ..InputEntry::at(Location::File(path))
        }
    }

    pub(super) fn of_object(object: Object, version: Version) -> InputEntry {
        let Version { len, modified, etag } = version;
        InputEntry { len, modified, etag, ..InputEntry::at(Location::Object(Box::new(object))) }
    }

    /// Returns the name of the input; `-` for standard input. For a file this is the path. For an
    /// object this is the address without its query, which may be a secret.
    pub fn source(&self) -> Cow<'_, str> {
        match &self.location {
            Location::File(path) => path.to_string_lossy(),
            Location::Object(object) => object.address.to_string().into(),
            Location::Stdin => "-".into(),
            Location::Memory(memory) => memory.name.as_str().into(),
        }
    }

    /// Returns the name that selects the input again. Unlike [`InputEntry::source`], it has the
    /// query of an address, and all bytes of a path. A document in memory has none.
    pub fn name(&self) -> Option<OsString> {
        match &self.location {
            Location::File(path) => Some(path.clone().into()),
            Location::Object(object) => Some(object.address.name().into()),
            Location::Stdin => Some("-".into()),
            Location::Memory(_) => None,
        }
    }

    /// Whether the input is a file that a batch should read instead of map. A batch reads one input
    /// on each thread. There, mapping 1 MB takes a seventh more time than reading it, and slows
    /// down the other threads.
    pub fn is_small(&self) -> bool {
        const MAPPED_MIN: u64 = 4 << 20;
        let is_file = matches!(self.location, Location::File(_));
        is_file && self.len.is_some_and(|len| len < MAPPED_MIN)
    }

    /// Opens the input. A plan file is opened as the JSON of its plan.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read.
    pub fn open(&self, options: &InputOptions) -> Result<Input> {
        planfile::unpack(self.open_as_it_is(options)?, &self.schemas, options)
    }

    fn open_as_it_is(&self, options: &InputOptions) -> Result<Input> {
        match &self.location {
            Location::File(path) => Input::open_file(path, options),
            Location::Object(object) => Input::from_reader(self.read(object)?, options),
            Location::Stdin => Input::from_stdin(options),
            Location::Memory(memory) => Input::from_reader(memory.reader(), options),
        }
    }

    /// Opens the input for a run that can be stopped. A stop also ends the wait for data from a
    /// pipe. Fails if the input cannot be read, or if the run was stopped.
    pub(crate) fn open_until(&self, options: &InputOptions, stop: &Stop) -> Result<Input> {
        let give_up = || -> GiveUp {
            let stop = stop.clone();
            Arc::new(move || stop.is_set())
        };
        let input = match &self.location {
            Location::File(path) => Input::open_file_until(path, options, give_up()),
            // Needs no `give_up`, because a stop closes the stores.
            Location::Object(_) => self.open_as_it_is(options),
            // Reading memory never waits.
            Location::Memory(_) => self.open_as_it_is(options),
            Location::Stdin => Input::from_stdin_until(options, give_up()),
        };
        planfile::unpack(input?, &self.schemas, options)
    }

    /// Opens the input so that it can be read more than once. Spools the input first, unless it is
    /// a regular file.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read, or exceeds the limit on spooled inputs.
    pub fn keep(&self, limits: &Limits) -> Result<RereadableInput> {
        RereadableInput::new(self.keep_as_it_is(limits)?, self.schemas.clone(), limits)
    }

    /// Opens a plan file as the JSON of its plan.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read, or is not a plan file.
    pub fn open_plan_file(&self, options: &InputOptions) -> Result<planfile::Document> {
        planfile::open(&self.keep_plan_file(options)?, &self.schemas, &options.limits)
    }

    /// Opens a plan file, without converting it to JSON.
    ///
    /// # Errors
    ///
    /// Fails if the input cannot be read, or is not a plan file.
    pub fn keep_plan_file(&self, options: &InputOptions) -> Result<Rereadable> {
        let mut input = self.open_as_it_is(options)?;
        if !planfile::is_plan_file(&mut input)? {
            let read = plan::PlanOptions { limits: options.limits, ..plan::PlanOptions::default() };
            return Err(
                match Documents::new(input, &read).read(Accepts::Plans, &mut SkippingVisitor) {
                    Err(error) if error.fault::<WrongDocument>().is_some() => error,
                    _ => Error::new(PlanFileFault::OtherInput),
                },
            );
        }
        input.into_rereadable(&options.limits)
    }

    fn keep_as_it_is(&self, limits: &Limits) -> Result<Rereadable> {
        match &self.location {
            Location::File(path) => Rereadable::open_file(path, limits),
            Location::Object(object) => Rereadable::spool(self.read(object)?, limits),
            Location::Stdin => Rereadable::from_stdin(limits),
            Location::Memory(memory) => Rereadable::spool(memory.reader(), limits),
        }
    }

    fn read(&self, object: &Object) -> Result<Box<dyn Read + Send>> {
        let InputEntry { len, modified, etag, .. } = self;
        let version = Version { len: *len, modified: *modified, etag: etag.clone() };
        object.stores.read(&object.address, version)
    }
}

/// An input, or a name that yields no input.
pub(super) type Item = std::result::Result<InputEntry, Unlisted>;

/// A visitor that ignores all pieces. It only finds out whether an input is a plan.
struct SkippingVisitor;

impl Visitor for SkippingVisitor {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

/// A name that yields no input, with the reason.
#[derive(Debug)]
pub struct Unlisted {
    /// The name.
    pub source: String,
    /// Why the name yields no input.
    pub error: Error,
}

/// Counts of the files in folders that are not inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files that are not plans.
    pub others: u64,
    /// Encrypted states of OpenTofu.
    pub encrypted: u64,
    /// Source files of configurations, such as `.tf` and `.tfvars`.
    pub sources: u64,
    /// Files and folders that a glob excludes, and files that no glob includes.
    pub excluded: u64,
    /// Files and folders whose names begin with a dot.
    pub hidden: u64,
    /// Links to folders.
    pub links: u64,
}

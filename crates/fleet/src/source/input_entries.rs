//! Turns the names that the user gives into inputs, one at a time.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::PathBuf;

use super::expansion::Expansion;
use super::globs::{Globs, is_glob};
use super::input_entry::{InputEntry, Item, Location, Skipped, Unlisted};
use super::lines::{Lines, List, Separator};
use super::prefetch::{Prefetch, PrefetchedName};
use super::store::{Address, Listing, LookupResult, Named, Object, PendingLookup, Stores, shown};
use super::walk::Walk;
use plansift_core::error::{Error, Result};
use plansift_plan::plan::DocumentFault;
use plansift_planfile::SchemaFiles;

/// The inputs that the user selected.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Files, folders, globs, addresses of objects, `@` with the path of a list, or `-` for
    /// standard input.
    pub names: Vec<OsString>,
    /// A list of more names, after `names`. In a list, `@` and `-` have no special meaning.
    pub files_from: Option<List>,
    /// The separator between the names of a list.
    pub separator: Separator,
    /// Selects the files of a folder.
    pub globs: Globs,
    /// The object stores of the run, for names that are addresses.
    pub stores: Stores,
    /// The provider schemas to read plan files with.
    pub schemas: SchemaFiles,
}

impl Selection {
    /// Returns the paths of the files that are lists of names.
    pub(super) fn lists(&self) -> impl Iterator<Item = PathBuf> {
        let named = self.names.iter().filter_map(|name| list_path(name).ok().flatten());
        named.chain(self.files_from.iter().filter_map(|list| match list {
            List::File(path) => Some(path.clone()),
            List::Stdin => None,
        }))
    }
}

/// Iterates over the inputs of a selection. The iterator continues after an error.
pub struct InputEntries<'a> {
    selection: &'a Selection,
    names: std::slice::Iter<'a, OsString>,
    names_ahead: Prefetch,
    files_from: Option<&'a List>,
    list: Option<Opened<(Lines, Prefetch)>>,
    glob: Option<Opened<Expansion>>,
    folder: Option<Opened<Folder>>,
    skipped: Skipped,
    /// Whether a name so far was a list, a glob or a folder.
    opens: bool,
}

/// A folder that is being read: a local one, or a listing of a store.
enum Folder {
    Local(Walk),
    Store(Listing),
}

impl Folder {
    fn next(&mut self, globs: &Globs, skipped: &mut Skipped) -> Option<Item> {
        match self {
            Folder::Local(walk) => walk.next(globs, skipped),
            Folder::Store(listing) => listing.next(globs, skipped),
        }
    }
}

/// An open list, glob or folder.
struct Opened<T> {
    of: T,
    name: String,
    /// Whether the list, glob or folder has yielded anything.
    has_items: bool,
}

impl<T> Opened<T> {
    fn new(of: T, name: &OsStr) -> Opened<T> {
        Opened { of, name: displayed(name), has_items: false }
    }

    /// Returns an error if the list, glob or folder has yielded nothing.
    fn end(self) -> Option<Unlisted> {
        let error = Error::new(DocumentFault::NoPlan);
        (!self.has_items).then_some(Unlisted { source: self.name, error })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Argument,
    List,
    Glob,
}

impl<'a> InputEntries<'a> {
    /// Creates an iterator over the inputs of a selection.
    pub fn new(selection: &'a Selection) -> InputEntries<'a> {
        InputEntries {
            selection,
            names: selection.names.iter(),
            names_ahead: Prefetch::default(),
            files_from: selection.files_from.as_ref(),
            list: None,
            glob: None,
            folder: None,
            skipped: Skipped::default(),
            opens: false,
        }
    }

    /// Whether a name so far was a list, a glob or a folder.
    pub fn opens(&self) -> bool {
        self.opens
    }

    /// Returns the counts of the files skipped so far.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// Turns a name into an input or an error. If the name is a list, glob or folder, opens it and
    /// returns `None`.
    fn take(
        &mut self,
        name: &OsStr,
        origin: Origin,
        lookup: Option<PendingLookup>,
    ) -> Option<Item> {
        let bytes = name.as_encoded_bytes();
        if origin == Origin::Argument && bytes == b"-" {
            return Some(Ok(InputEntry::of_stdin()));
        }
        if origin == Origin::Argument {
            match list_path(name) {
                Ok(Some(path)) => return self.open_list(&List::File(path), name),
                Ok(None) => {}
                Err(error) => return Some(unlisted(name, error)),
            }
        }
        let named = name.to_str().filter(|_| origin != Origin::Glob).and_then(Named::parse);
        let path = match named {
            None => PathBuf::from(name),
            Some(Ok(Named::File(path))) => path,
            Some(Ok(Named::Object(address))) => return self.take_object(address, name, lookup),
            Some(Err(error)) => return Some(unlisted(name, error)),
        };
        let name = path.as_os_str();
        let metadata = std::fs::metadata(&path);
        if metadata.as_ref().is_ok_and(Metadata::is_dir) {
            let walk = Folder::Local(Walk::new(path.clone()));
            self.folder = Some(Opened::new(walk, name));
            return None;
        }
        if let (Err(_), Some(text)) = (&metadata, name.to_str())
            && origin != Origin::Glob
            && is_glob(text)
        {
            match Expansion::new(text) {
                Ok(glob) => self.glob = Some(Opened::new(glob, name)),
                Err(error) => return Some(unlisted(name, error)),
            }
            return None;
        }
        Some(Ok(match metadata {
            Ok(metadata) => InputEntry::of_file_with(path, &metadata),
            // Opening the file reports the error.
            Err(_) => InputEntry::at(Location::File(path)),
        }))
    }

    /// Turns an address into an input, or opens it as a glob or folder and returns `None`.
    fn take_object(
        &mut self,
        address: Address,
        name: &OsStr,
        lookup: Option<PendingLookup>,
    ) -> Option<Item> {
        let stores = &self.selection.stores;
        let listing = match lookup.unwrap_or_else(|| stores.look_up(&address)).wait() {
            Ok(LookupResult::Object(version)) => {
                let object = Object { address, stores: stores.clone() };
                return Some(Ok(InputEntry::of_object(object, version)));
            }
            Ok(LookupResult::Folder) if is_glob(address.key()) => {
                Listing::of_glob(stores, &address)
            }
            Ok(LookupResult::Folder) => Listing::of_folder(stores, &address),
            Err(error) => Err(error),
        };
        match listing {
            Ok(listing) => self.folder = Some(Opened::new(Folder::Store(listing), name)),
            Err(error) => return Some(unlisted(name, error)),
        }
        None
    }

    fn next_argument(&mut self) -> Option<PrefetchedName> {
        let InputEntries { selection, names, names_ahead, .. } = self;
        // The closure never fails, so there is no error to report.
        names_ahead.next(&selection.stores, || Ok(names.next().cloned())).ok().flatten()
    }

    fn open_list(&mut self, list: &List, name: &OsStr) -> Option<Item> {
        match Lines::open(list, self.selection.separator) {
            Ok(lines) => {
                self.list = Some(Opened::new((lines, Prefetch::default()), name));
                None
            }
            Err(error) => Some(unlisted(name, error)),
        }
    }
}

impl Iterator for InputEntries<'_> {
    type Item = Item;

    /// Finishes the open folder first, then the open glob, then the open list. A list may contain
    /// globs, and a glob may match folders.
    fn next(&mut self) -> Option<Item> {
        loop {
            let item = if let Some(folder) = &mut self.folder {
                match folder.of.next(&self.selection.globs, &mut self.skipped) {
                    None => self.folder.take().and_then(Opened::end).map(Err),
                    item => {
                        folder.has_items = true;
                        item
                    }
                }
            } else if let Some(glob) = &mut self.glob {
                let next = glob.of.next();
                glob.has_items |= next.is_some();
                match next {
                    None => self.glob.take().and_then(Opened::end).map(Err),
                    Some(Ok(path)) => self.take(path.as_os_str(), Origin::Glob, None),
                    Some(Err(unlisted)) => Some(Err(unlisted)),
                }
            } else if let Some(list) = &mut self.list {
                let (lines, prefetch) = &mut list.of;
                let next = prefetch.next(&self.selection.stores, || lines.next());
                list.has_items |= !matches!(next, Ok(None));
                match next {
                    Ok(None) => self.list.take().and_then(Opened::end).map(Err),
                    Ok(Some(next)) => self.take(&next.name, Origin::List, next.lookup),
                    Err(error) => {
                        // The rest of the list is unknown, so the list ends here.
                        let name = self.list.take().map(|list| list.name).unwrap_or_default();
                        Some(unlisted(OsStr::new(&name), error))
                    }
                }
            } else if let Some(next) = self.next_argument() {
                self.take(&next.name, Origin::Argument, next.lookup)
            } else {
                match self.files_from.take()? {
                    list @ List::Stdin => self.open_list(list, OsStr::new("-")),
                    list @ List::File(path) => self.open_list(list, path.as_os_str()),
                }
            };
            self.opens |= item.is_none();
            if let Some(item) = item {
                let schemas = &self.selection.schemas;
                return Some(item.map(|entry| InputEntry { schemas: schemas.clone(), ..entry }));
            }
        }
    }
}

fn unlisted(name: &OsStr, error: Error) -> Item {
    Err(Unlisted { source: displayed(name), error })
}

/// Returns a name in displayable form. An address has no secret parts in this form.
fn displayed(name: &OsStr) -> String {
    shown(&name.to_string_lossy())
}

/// Returns the path of the list in an argument of the form `@PATH`; `None` for other arguments.
///
/// # Errors
///
/// Fails if the argument is not valid Unicode, on systems other than Unix.
#[cfg(unix)]
fn list_path(name: &OsStr) -> Result<Option<PathBuf>> {
    use std::os::unix::ffi::OsStrExt;
    let path = name.as_bytes().strip_prefix(b"@");
    Ok(path.map(|path| PathBuf::from(OsStr::from_bytes(path))))
}

/// Returns the path of the list in an argument of the form `@PATH`; `None` for other arguments.
///
/// # Errors
///
/// Fails if the argument is not valid Unicode, on systems other than Unix.
#[cfg(not(unix))]
fn list_path(name: &OsStr) -> Result<Option<PathBuf>> {
    if !name.as_encoded_bytes().starts_with(b"@") {
        return Ok(None);
    }
    let name = name.to_str().ok_or_else(|| Error::new(ErrorKind::Encoding))?;
    Ok(name.strip_prefix('@').map(PathBuf::from))
}

//! The container of a plan file: a zip archive, read by its central directory.
//!
//! Terraform and OpenTofu stream the members and write sizes after the data, so only the central
//! directory says where a member ends. This module iterates over the directory without storing it.
//! The directory, the header and the inflated bytes of a member must agree. Overlapping members,
//! repeated names and excessive expansion are errors.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder, ZipFileHeaderRecord,
    ZipLocator,
};

use super::fault::PlanFileFault;
use super::member::{MEMORY_MAX, Member};
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::input::{Rereadable, check_expansion, into_error, into_io_error};
use plansift_core::limits::{Limit, Limits};
use plansift_plan::plan::WrongDocument;

/// Maximum length of a directory record: 46 fixed bytes, and three fields of up to 64 KiB.
const BUFFER: usize = 46 + 3 * 65_536;

/// The names of the members that plansift reads.
pub(super) const NAMES: [&str; 4] = [PLAN, STATE, LOCKS, SCHEMAS];
/// The name of the member with the plan.
pub(super) const PLAN: &str = "tfplan";
/// The name of the member with the prior state, after the refresh.
pub(super) const STATE: &str = "tfstate";
/// The name of the member with the dependency lock file.
pub(super) const LOCKS: &str = ".terraform.lock.hcl";
/// The name of the member with the schemas of the providers.
pub(super) const SCHEMAS: &str = "tfschemas";

/// The folder with the members of the configuration.
pub(super) const CONFIGURATION: &str = "tfconfig/";

pub(super) struct Archive<'a> {
    zip: ZipArchive<File<'a>>,
    limits: Limits,
    found: [Option<DirectoryEntry>; NAMES.len()],
    /// The memory that is left for members, in bytes.
    room: Cell<u64>,
}

/// A member as the directory describes it.
#[derive(Clone, Copy)]
pub(super) struct DirectoryEntry {
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
    /// The offset of the member's own header.
    header: u64,
}

impl DirectoryEntry {
    /// Returns the size of the member.
    pub(super) fn size(&self) -> u64 {
        self.wayfinder.uncompressed_size_hint()
    }

    fn of(entry: &ZipFileHeaderRecord<'_>) -> DirectoryEntry {
        DirectoryEntry {
            wayfinder: entry.wayfinder(),
            method: entry.compression_method(),
            is_encrypted: entry.flags().is_encrypted(),
            header: entry.local_header_offset(),
        }
    }
}

struct File<'a>(&'a Rereadable);

impl ReaderAt for File<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // A directory may contain any offset, and the operating system rejects some offsets.
        if offset >= self.0.len() { Ok(0) } else { self.0.read_at(buffer, offset) }
    }
}

/// Converts an error of the directory. I/O errors keep their message.
fn directory_error(error: rawzip::Error) -> Error {
    match error.into_kind() {
        rawzip::ErrorKind::IO(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            into_error(error)
        }
        rawzip::ErrorKind::MissingEndOfCentralDirectory => Error::new(PlanFileFault::NoDirectory),
        _ => Error::new(PlanFileFault::Directory),
    }
}

/// Returns the error for a file without a directory. A truncated plan file gets `error`. An archive
/// whose first member does not belong to a plan file is a wrong document.
fn no_directory(file: &Rereadable, error: Error) -> Error {
    // The name of the first member follows a header of 30 bytes.
    let mut head = [0; 30 + LOCKS.len()];
    let len = file.read_at(&mut head, 0).unwrap_or_default();
    let Some(name) = head[..len].get(30..) else { return error };
    let is_of_plan = NAMES.iter().chain(&[CONFIGURATION]).any(|known| {
        let len = known.len().min(name.len());
        name[..len] == known.as_bytes()[..len]
    });
    if is_of_plan { error } else { Error::new(WrongDocument::Archive) }
}

impl<'a> Archive<'a> {
    pub(super) fn open(file: &'a Rereadable, limits: &Limits) -> Result<Archive<'a>> {
        let mut buffer = vec![0; BUFFER];
        let zip = ZipLocator::new()
            .locate_in_reader(File(file), &mut buffer, file.len())
            .map_err(|(_, error)| no_directory(file, directory_error(error)))?;
        let found = [None; NAMES.len()];
        let room = Cell::new(MEMORY_MAX);
        let mut archive = Archive { zip, limits: *limits, found, room };
        archive.find(&mut buffer)?;
        if archive.found[0].is_none() {
            return Err(Error::new(WrongDocument::Archive));
        }
        archive.check_overlap(&mut buffer)?;
        Ok(archive)
    }

    fn find(&mut self, buffer: &mut [u8]) -> Result<()> {
        let (mut count, mut first_header) = (0, u64::MAX);
        let mut entries = self.zip.entries(buffer);
        while let Some(entry) = entries.next_entry().map_err(directory_error)? {
            count += 1;
            if count > self.limits.plan_members {
                let value = self.limits.plan_members;
                return Err(Error::limit(Limit::PlanMembers, value, self.zip.directory_offset()));
            }
            first_header = first_header.min(entry.local_header_offset());
            let path = entry.file_path();
            let Some(at) = NAMES.iter().position(|name| name.as_bytes() == path.as_ref()) else {
                continue;
            };
            if self.found[at].replace(DirectoryEntry::of(&entry)).is_some() {
                return Err(Error::new(PlanFileFault::MemberTwice).within(NAMES[at]));
            }
        }
        // Some writers truncate the number of members to 16 bits.
        if self.zip.entries_hint() & 0xffff != count & 0xffff {
            return Err(Error::new(PlanFileFault::Directory));
        }
        // A file of two concatenated archives: the locator finds only the second directory.
        if count > 0 && first_header > 0 || self.zip.end_offset() != self.zip.get_ref().0.len() {
            return Err(Error::new(PlanFileFault::Surplus));
        }
        Ok(())
    }

    /// Checks that no other member begins inside a member that plansift reads.
    fn check_overlap(&self, buffer: &mut [u8]) -> Result<()> {
        let mut ranges = Vec::new();
        for (found, name) in self.found.iter().zip(NAMES) {
            let Some(found) = found else { continue };
            let entry = self.zip.get_entry(found.wayfinder).map_err(directory_error)?;
            let end = entry.compressed_data_range().1;
            if end > self.zip.directory_offset() {
                return Err(Error::new(PlanFileFault::Overlap).within(name));
            }
            ranges.push((found.header..end, name));
        }
        let mut entries = self.zip.entries(buffer);
        while let Some(entry) = entries.next_entry().map_err(directory_error)? {
            let start = entry.local_header_offset();
            let path = entry.file_path();
            for (range, name) in &ranges {
                if range.contains(&start) && name.as_bytes() != path.as_ref() {
                    return Err(Error::new(PlanFileFault::Overlap).within(name));
                }
            }
        }
        Ok(())
    }

    /// Inflates a member; `None` if the archive does not have it.
    pub(super) fn member(&self, name: &'static str) -> Result<Option<Member>> {
        let at = NAMES.iter().position(|known| *known == name);
        let Some(found) = at.and_then(|at| self.found[at]) else { return Ok(None) };
        let mut room = self.room.get();
        let inflated = self.inflate(name, found, &mut room);
        self.room.set(room);
        inflated.map(Some).map_err(|error| error.within(name))
    }

    /// Returns the members of a folder, each with its path and size. `max` limits their total size
    /// and, separately, the memory for their paths.
    pub(super) fn folder(
        &self,
        prefix: &str,
        limits: &Limits,
    ) -> Result<BTreeMap<String, DirectoryEntry>> {
        let mut found = BTreeMap::new();
        let (mut buffer, mut size) = (vec![0; BUFFER], 0_u64);
        let mut budget = Budget::new(Limit::Configuration, limits.configuration);
        let mut entries = self.zip.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(directory_error)? {
            let path = entry.file_path();
            let Ok(path) = std::str::from_utf8(path.as_ref()) else { continue };
            if !path.starts_with(prefix) || path.ends_with('/') {
                continue;
            }
            let member = DirectoryEntry::of(&entry);
            size = size.saturating_add(member.wayfinder.uncompressed_size_hint());
            if size > limits.change {
                return Err(Error::limit(Limit::Change, limits.change, member.header));
            }
            budget.take(path.len() + size_of::<DirectoryEntry>() + 64, member.header)?;
            if found.insert(path.to_owned(), member).is_some() {
                return Err(Error::new(PlanFileFault::MemberTwice).within(CONFIGURATION));
            }
        }
        Ok(found)
    }

    /// Inflates a member of a folder.
    pub(super) fn inflate_in(&self, path: &str, found: DirectoryEntry) -> Result<Member> {
        // The caller reads one member at a time.
        let inflated = self.inflate(path, found, &mut { MEMORY_MAX });
        inflated.map_err(|error| error.within(CONFIGURATION))
    }

    fn inflate(&self, name: &str, found: DirectoryEntry, room: &mut u64) -> Result<Member> {
        let Limits { expansion, .. } = self.limits;
        let entry = self.zip.get_entry(found.wayfinder).map_err(directory_error)?;
        let mut buffer = vec![0; 2 * 65_536];
        let header = entry.local_header(&mut buffer).map_err(directory_error)?;
        if header.file_path().as_ref() != name.as_bytes() {
            return Err(Error::new(PlanFileFault::Directory));
        }
        if found.is_encrypted || header.flags().is_encrypted() {
            return Err(Error::new(PlanFileFault::MemberEncrypted));
        }
        if header.compression_method() != found.method {
            return Err(Error::new(PlanFileFault::Directory));
        }
        let size = found.wayfinder.uncompressed_size_hint();
        if size > expansion {
            return Err(Error::limit(Limit::Expansion, expansion, found.header));
        }
        let packed = entry.compressed_data_range();
        let packed = packed.1 - packed.0;
        let raw = BufReader::new(entry.reader());
        let member = match found.method {
            CompressionMethod::STORE if packed == size => {
                let checked = self.checked(raw, size, packed);
                self.read(Verified(entry.verifying_reader(checked)), size, room)?
            }
            CompressionMethod::STORE => return Err(Error::new(PlanFileFault::MemberSize)),
            CompressionMethod::DEFLATE => {
                let checked = self.checked(DeflateDecoder::new(raw), size, packed);
                self.read(Verified(entry.verifying_reader(checked)), size, room)?
            }
            _ => return Err(Error::new(PlanFileFault::Method)),
        };
        if member.len() != size {
            return Err(Error::new(PlanFileFault::MemberSize));
        }
        // The verifying reader compares the checksum in the directory, but not the one after the
        // member's data.
        let reader = entry.reader();
        let descriptor = reader.data_descriptor().map_err(directory_error)?;
        match descriptor {
            Some(descriptor) if descriptor.crc32() != reader.claim_verifier().crc => {
                Err(Error::new(PlanFileFault::Checksum))
            }
            _ => Ok(member),
        }
    }

    fn read(&self, from: impl Read, size: u64, room: &mut u64) -> Result<Member> {
        Member::read(from, size, room, &self.limits)
    }

    fn checked<R>(&self, reader: R, size: u64, packed: u64) -> Checked<R> {
        Checked { reader, limits: self.limits, size, packed, inflated: 0 }
    }
}

/// Checks the inflated bytes of a member against the size in the directory and the limits.
struct Checked<R> {
    reader: R,
    limits: Limits,
    /// The size of the member in the directory.
    size: u64,
    /// The length of the compressed bytes.
    packed: u64,
    /// The bytes read so far.
    inflated: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof => {
                into_io_error(Error::new(PlanFileFault::MemberDamaged).or_at(self.inflated))
            }
            _ => error,
        })?;
        self.inflated += read as u64;
        if self.inflated > self.size || (read == 0 && self.inflated < self.size) {
            let error = Error::new(PlanFileFault::MemberSize).or_at(self.inflated);
            return Err(into_io_error(error));
        }
        let checked = check_expansion(self.inflated, self.packed, &self.limits);
        checked.map(|()| read).map_err(into_io_error)
    }
}

/// Converts checksum errors of the verifying reader. [`Checked`] reports wrong sizes earlier.
struct Verified<R>(R);

impl<R: Read> Read for Verified<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => into_io_error(Error::new(PlanFileFault::Checksum)),
            _ => error,
        })
    }
}

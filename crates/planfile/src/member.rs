//! A member of the archive, inflated: in memory if there is room, else in a nameless temporary
//! file.
//!
//! Plan JSON orders the sections of a plan differently than the member does, so a member can be
//! read at any offset.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::fault::PlanFileFault;
use super::protobuf::{Groups, HEAD_MAX, Wire, head};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Rereadable, into_error};
use plansift_core::limits::{Limit, Limits};

/// The length of the members of one archive that stay in memory, in bytes. A command that reads a
/// plan file twice may hold two copies.
pub(super) const MEMORY_MAX: u64 = 8 << 20;

/// The length of the buffer of a scan, in bytes.
const BUFFER: usize = 16 << 10;

#[derive(Debug)]
pub(super) struct Member {
    bytes: Bytes,
    len: u64,
}

#[derive(Debug)]
enum Bytes {
    Memory(Vec<u8>),
    File(Rereadable),
}

impl Member {
    /// Reads a member of `size` bytes. Takes the memory that the member needs from `room`, or
    /// stores the member in a file if there is too little.
    pub(super) fn read(
        mut from: impl Read,
        size: u64,
        room: &mut u64,
        limits: &Limits,
    ) -> Result<Member> {
        if let Some(left) = room.checked_sub(size) {
            *room = left;
            let mut bytes = Vec::with_capacity(size as usize);
            from.read_to_end(&mut bytes).map_err(into_error)?;
            return Ok(Member { len: bytes.len() as u64, bytes: Bytes::Memory(bytes) });
        }
        let file = Rereadable::spool(from, limits)?;
        Ok(Member { len: file.len(), bytes: Bytes::File(file) })
    }

    /// Creates a member from a plain file, such as a state file.
    pub(super) fn of_file(file: Rereadable) -> Member {
        Member { len: file.len(), bytes: Bytes::File(file) }
    }

    /// Checks that the file of the member is unchanged.
    pub(super) fn check(&self) -> Result<()> {
        match &self.bytes {
            Bytes::Memory(_) => Ok(()),
            Bytes::File(file) => file.check(),
        }
    }

    /// The length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Replaces the content of `buffer` with a byte range of the member.
    pub(super) fn copy(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.clear();
        let len = range.end.min(self.len).saturating_sub(range.start) as usize;
        match &self.bytes {
            Bytes::Memory(bytes) => {
                let start = range.start as usize;
                buffer.extend_from_slice(&bytes[start..start + len]);
            }
            Bytes::File(file) => {
                buffer.resize(len, 0);
                let mut at = 0;
                while at < len {
                    let read = file.read_at(&mut buffer[at..], range.start + at as u64);
                    match read.map_err(|error| Error::io(ErrorKind::Spool, error))? {
                        0 => return Err(Error::at(PlanFileFault::MemberSize, range.start)),
                        read => at += read,
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn scan(&self, range: Range<u64>) -> Scan<'_> {
        let Range { start: at, end } = range;
        Scan { member: self, at, end, buffer: Vec::new(), from: 0, groups: Groups::default() }
    }
}

/// A field of a message that is not in memory.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub number: u32,
    pub wire: Wire,
    /// The byte range of the payload.
    pub range: Range<u64>,
}

impl Span {
    pub(super) fn varint(&self) -> Result<u64> {
        match self.wire {
            Wire::Varint(value) => Ok(value),
            _ => Err(Error::at(PlanFileFault::FieldType, self.range.start)),
        }
    }

    /// Returns the range of the message or string in the field. More than `limit` bytes are an
    /// error.
    pub(super) fn message(&self, limit: u64) -> Result<Range<u64>> {
        match self.wire {
            Wire::Bytes(len) if len <= limit => Ok(self.range.clone()),
            Wire::Bytes(_) => Err(Error::limit(Limit::Change, limit, self.range.start)),
            _ => Err(Error::at(PlanFileFault::FieldType, self.range.start)),
        }
    }
}

/// Reads the heads of fields and skips their payloads.
pub(super) struct Scan<'a> {
    member: &'a Member,
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    /// The offset of the buffer in the member.
    from: u64,
    groups: Groups,
}

impl Scan<'_> {
    pub(super) fn next(&mut self) -> Result<Option<Span>> {
        loop {
            let at = self.at;
            if at == self.end {
                self.groups.end(at)?;
                return Ok(None);
            }
            let head = head(self.ahead()?, at)?;
            let start = at + head.len as u64;
            let end = start.checked_add(head.wire.payload()).filter(|end| *end <= self.end);
            let end = end.ok_or_else(|| Error::at(PlanFileFault::Length, at))?;
            self.at = end;
            if self.groups.pass(&head, at)? {
                return Ok(Some(Span { number: head.number, wire: head.wire, range: start..end }));
            }
        }
    }

    /// Returns the bytes from the start of the next head.
    fn ahead(&mut self) -> Result<&[u8]> {
        let wanted = (self.at + HEAD_MAX as u64).min(self.end);
        let buffered = self.from..self.from + self.buffer.len() as u64;
        if self.at < buffered.start || wanted > buffered.end {
            // A short message needs only a short buffer.
            let len = (self.end - self.at).min(BUFFER as u64);
            self.from = self.at;
            self.member.copy(self.at..self.at + len, &mut self.buffer)?;
        }
        let start = (self.at - self.from) as usize;
        let end = (wanted - self.from) as usize;
        Ok(&self.buffer[start..end])
    }
}

#[derive(Debug)]
pub(super) struct Reader {
    member: Arc<Member>,
    at: u64,
    buffer: Vec<u8>,
}

impl Reader {
    pub(super) fn new(member: Arc<Member>) -> Reader {
        Reader { member, at: 0, buffer: Vec::new() }
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let end = self.at.saturating_add(out.len() as u64).min(self.member.len);
        self.member
            .copy(self.at..end, &mut self.buffer)
            .map_err(plansift_core::input::into_io_error)?;
        out[..self.buffer.len()].copy_from_slice(&self.buffer);
        self.at = end;
        Ok(self.buffer.len())
    }
}

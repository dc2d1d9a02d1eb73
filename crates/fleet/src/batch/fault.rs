//! The faults of the folder of a batch, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;

/// Why the folder of a batch, or a folder to merge, cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderFault {
    /// Another run writes to the folder.
    InUse,
    /// The folder is not empty and has no journal.
    Foreign,
    /// The folder has no journal.
    NoJournal,
    /// The folder does not exist.
    Missing,
    /// A FIFO, a socket, a device or a folder has the name of a file of the batch. The error's
    /// source holds that name.
    NotAFile,
    /// The run that created the folder ended before it listed its inputs.
    NoInputs,
    /// The run that created the folder had another value of this option.
    Begun(&'static str),
    /// The journal is damaged.
    Damaged {
        /// The line, from 1.
        line: u64,
    },
    /// The outcome of an input is too long for a line of the journal.
    LongLine,
    /// The folder does not fit the others: other options or another division into shards.
    OtherShards,
    /// The user named the same shard twice.
    ShardTwice,
    /// An input of the folder is also in another folder.
    SourceTwice,
}

impl FolderFault {
    fn words(self) -> &'static str {
        match self {
            FolderFault::InUse => "another run is writing to this folder",
            FolderFault::Foreign => {
                "this folder is not empty and was not made by `plansift batch`: name another one"
            }
            FolderFault::NoJournal => "this folder has no output of `plansift batch`",
            FolderFault::Missing => "there is no such folder",
            FolderFault::NotAFile => {
                "this folder has something other than a regular file where a file of the batch \
                 belongs: remove it, or name another folder"
            }
            FolderFault::NoInputs => {
                "the run in this folder has not listed its inputs: run it again"
            }
            FolderFault::Begun(_) => "this folder was made with another value of",
            FolderFault::Damaged { .. } => {
                "the journal of this folder is damaged: name another folder, or remove this one to \
                 start over; damaged at line"
            }
            FolderFault::LongLine => {
                "the outcome of one input takes more than 256 MiB in the journal: divide the input"
            }
            FolderFault::OtherShards => {
                "this folder does not fit the others: it was made with other options or another \
                 --shard i/n"
            }
            FolderFault::ShardTwice => "this shard was given twice",
            FolderFault::SourceTwice => "an input of this folder is in another one as well",
        }
    }
}

impl Fault for FolderFault {}

impl fmt::Display for FolderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())?;
        match self {
            FolderFault::Begun(option) => {
                write!(f, " {option}: use that value again, or name another folder")
            }
            FolderFault::Damaged { line } => write!(f, " {line}"),
            _ => Ok(()),
        }
    }
}

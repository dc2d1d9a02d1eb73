//! The faults of the names of inputs, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;

/// Why the names of inputs cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceFault {
    /// A glob, a pattern for workspace names or a shard is invalid.
    Pattern,
    /// A list of names looks like JSON or like binary data.
    NotAList,
    /// A link in a folder leads to a folder.
    LinkToFolder,
    /// A file in a folder is a pipe, a socket or a device.
    NotAFile,
}

impl Fault for SourceFault {}

impl fmt::Display for SourceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceFault::Pattern => "invalid pattern",
            SourceFault::LinkToFolder => {
                "this is a link to a folder, which is not followed: name the link, or leave it out \
                 with --exclude"
            }
            SourceFault::NotAFile => {
                "this is a pipe, a socket or a device, which is not opened in a folder: name it, \
                 or leave it out with --exclude"
            }
            SourceFault::NotAList => {
                "this is not a list of names: to read it as a plan, name it without the @"
            }
        })
    }
}

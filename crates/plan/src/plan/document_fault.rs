//! The faults of plans and states, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;

/// Why a plan or a state cannot be read or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentFault {
    /// An input, such as a folder or a list, contains no plan.
    NoPlan,
    /// `format_version` is missing.
    NoFormatVersion,
    /// This version does not support the major `format_version`.
    FormatVersion,
    /// A list of actions, or a status, is longer than 1 KiB.
    LongWord,
    /// The address of a module in a configuration is longer than 16 KiB.
    LongModule,
    /// A plan has no configuration.
    NoConfiguration,
    /// An input has several documents, and the command takes one.
    SeveralDocuments,
}

impl Fault for DocumentFault {}

impl fmt::Display for DocumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DocumentFault::NoPlan => "no plan found here",
            DocumentFault::NoFormatVersion => {
                "`format_version` is missing: this is not the whole output of `terraform show \
                 -json PLANFILE`: run it again, or give plansift the plan file"
            }
            DocumentFault::FormatVersion => {
                "unsupported format_version: this plansift reads 0.x and 1.x"
            }
            DocumentFault::LongWord => {
                "an action list or a status of more than 1024 bytes, which no tool writes: make \
                 the plan again"
            }
            DocumentFault::LongModule => {
                "the address of a module is longer than 16 KiB: nest fewer modules, or give \
                 them shorter names"
            }
            DocumentFault::NoConfiguration => {
                "this document has no configuration section: give plansift the output of \
                 `terraform show -json PLANFILE`, or list the source files in a plan file with \
                 `plansift blocks PLANFILE`"
            }
            DocumentFault::SeveralDocuments => {
                "this is another document of one input: name an input with one document"
            }
        })
    }
}

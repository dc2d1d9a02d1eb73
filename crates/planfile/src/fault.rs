//! The faults of a binary plan file and of a schema file, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;
use plansift_cty as wire;

/// Why a binary plan file cannot be read. The error's path names the member of the archive and,
/// inside a change, its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanFileFault {
    /// The input is not a binary plan file.
    OtherInput,
    /// The archive has no central directory.
    NoDirectory,
    /// The central directory is damaged.
    Directory,
    /// Data lies before the first member or after the end of the archive, as when two plan files
    /// are joined.
    Surplus,
    /// Two members have the same name.
    MemberTwice,
    /// Two members share bytes of the archive, or a member lies in the directory.
    Overlap,
    /// A member is encrypted as ZIP archives define it.
    MemberEncrypted,
    /// A member is compressed with a method other than Deflate.
    Method,
    /// The compressed data of a member is damaged.
    MemberDamaged,
    /// A member is shorter or longer than the directory says.
    MemberSize,
    /// The checksum of a member differs from the one in the directory.
    Checksum,
    /// A number of a message is longer than 64 bits.
    Varint,
    /// A field has a number or a wire type that does not exist.
    Field,
    /// A length reaches past the end of its message.
    Length,
    /// A known field has the wrong wire type.
    FieldType,
    /// A field occurs twice, but a message has it at most once.
    FieldTwice,
    /// A step of a path has neither a name nor a key.
    Step,
    /// A string is not valid UTF-8.
    Text,
    /// The plan file has an unsupported version of the format.
    Version(u64),
    /// The plan has an action that no version of Terraform or OpenTofu writes.
    Action(u64),
    /// A change has too few or too many values for its action.
    Values {
        /// The number of values that the action needs.
        expected: u8,
    },
    /// A change has no address, as in plan files of Terraform 0.14 and older.
    NoAddress,
    /// The address of a change is invalid.
    Address,
    /// A value is not valid MessagePack, or Terraform and OpenTofu never write it.
    Value,
    /// A number is infinite, or too long in plain decimal notation.
    Number,
    /// The member is missing.
    Missing,
    /// A state is JSON of a shape that Terraform and OpenTofu do not write.
    State,
    /// The schemas are damaged.
    Schemas,
    /// The list of modules is damaged, or names other modules than the files belong to.
    Modules,
    /// The provider locks are longer than Terraform and OpenTofu write them.
    Locks,
    /// A state file is JSON of a shape that Terraform and OpenTofu do not write.
    StateFile,
}

impl PlanFileFault {
    /// The words for what is damaged; `None` for a fault with its own message.
    fn damaged(&self) -> Option<&'static str> {
        Some(match self {
            PlanFileFault::NoDirectory => "the archive has no directory at its end",
            PlanFileFault::Directory => "the directory of the archive is damaged",
            PlanFileFault::Surplus => "data lies before or after the archive",
            PlanFileFault::MemberTwice => "two members of the archive have this name",
            PlanFileFault::Overlap => "members of the archive overlap",
            PlanFileFault::MemberEncrypted => "the member is encrypted",
            PlanFileFault::Method => "the member is not compressed with Deflate",
            PlanFileFault::MemberDamaged => "the compressed data of the member is damaged",
            PlanFileFault::MemberSize => "the member has another size than the directory says",
            PlanFileFault::Checksum => "the checksum of the member is wrong",
            PlanFileFault::Varint => "a number of more than 64 bits",
            PlanFileFault::Field => "a field that cannot exist",
            PlanFileFault::Length => "a length that reaches past the end",
            PlanFileFault::FieldType => "a field of the wrong type",
            PlanFileFault::FieldTwice => "a field that occurs twice",
            PlanFileFault::Step => "a step of a path without a name or a key",
            PlanFileFault::Text => "a text that is not UTF-8",
            PlanFileFault::Value => "a value that is not valid MessagePack",
            PlanFileFault::Missing => "the plan file has no such member",
            PlanFileFault::State => "a state of an unknown shape",
            PlanFileFault::Schemas => "schemas that are not valid",
            PlanFileFault::Modules => "a list of modules that does not fit its files",
            PlanFileFault::Locks => "locks of providers that are too long",
            PlanFileFault::Address => "a resource address that is not valid",
            PlanFileFault::Number
            | PlanFileFault::OtherInput
            | PlanFileFault::StateFile
            | PlanFileFault::Values { .. }
            | PlanFileFault::Version(_)
            | PlanFileFault::Action(_)
            | PlanFileFault::NoAddress => return None,
        })
    }
}

impl Fault for PlanFileFault {
    fn shows_path(&self) -> bool {
        true
    }
}

impl fmt::Display for PlanFileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanFileFault::Number => f.write_str(
                "a number that is infinite or has more than about 4900 digits, which plansift does \
                 not write: run `terraform show -json PLANFILE`",
            ),
            PlanFileFault::OtherInput => f.write_str(
                "this is not a binary plan file: give the file that `terraform plan -out FILE` \
                 wrote, or run another command on JSON",
            ),
            PlanFileFault::StateFile => f.write_str(
                "this state file is damaged: it has another shape than the tools write: run \
                 `terraform show -json STATEFILE`",
            ),
            PlanFileFault::Values { expected } => write!(
                f,
                "this binary plan file is damaged: a change needs {expected} values: copy it again \
                 as binary data, or make the plan again"
            ),
            PlanFileFault::Version(version) => write!(
                f,
                "unsupported version {version} of the plan file format, and plansift reads version \
                 3: run `terraform show -json PLANFILE` and give plansift its output"
            ),
            PlanFileFault::Action(action) => write!(
                f,
                "unknown action {action}: run `terraform show -json PLANFILE` with the version \
                 that made the plan, and give plansift its output"
            ),
            PlanFileFault::NoAddress => f.write_str(
                "a change without an address, as older versions of Terraform wrote: run `terraform \
                 show -json PLANFILE` with the version that made the plan",
            ),
            other => write!(
                f,
                "this binary plan file is damaged: {}: copy it again as binary data, or make the \
                 plan again",
                other.damaged().unwrap_or_default()
            ),
        }
    }
}

/// Why a file is not the output of `providers schema -json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaFileFault(pub wire::ErrorKind);

impl Fault for SchemaFileFault {}

impl fmt::Display for SchemaFileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOT_SCHEMAS: &str = "this is not the output of `terraform providers schema -json`";
        write!(f, "{NOT_SCHEMAS}: {}: run it again", self.0)
    }
}

//! Documents that are not a plan, and what to do instead.

use std::fmt;

/// A document that users pipe in by mistake (docs/format/plan.md, section 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongDocument {
    /// The binary plan file, a ZIP archive.
    BinaryPlan,
    /// The binary plan file of Terraform 0.11 or older.
    OldPlan,
    /// The bookmark of a plan in HCP Terraform, which `plan -out` writes for runs there.
    CloudPlan,
    /// A plan or state encrypted by OpenTofu.
    Encrypted,
    /// The output of `show -json` for a state.
    State,
    /// The output of `show -json` without a state.
    EmptyState,
    /// A plan, in place of a state.
    Plan,
    /// The text of a native state file, `terraform.tfstate`.
    NativeState,
    /// A native state file of Terraform 0.11 or older.
    OldState,
    /// A native state file of a later version of the format.
    NewState,
    /// A file compressed with xz.
    Xz,
    /// A file compressed with bzip2.
    Bzip2,
    /// A ZIP that is no plan file, or a tar archive.
    Archive,
    /// The JSON value `null` alone.
    Null,
    /// The log of `plan -json` or `apply -json`.
    Log,
    /// The output of `providers schema -json`.
    ProviderSchema,
    /// The output of `output -json`.
    Outputs,
    /// `{}`, the output of `output -json` without outputs.
    NoOutputs,
    /// The output of `state list`.
    StateList,
    /// The output of `version -json`.
    Version,
    /// The output of `validate -json`.
    Validation,
    /// The output of `metadata functions -json`.
    Functions,
    /// The output of `plan` or `show` without `-json`.
    HumanText,
    /// An empty input.
    Empty,
    /// JSON of no known kind.
    OtherJson,
    /// Text before the document, which `--strict` refuses.
    TextBefore,
    /// Not JSON.
    NotJson,
}

/// The command that prints a plan file as JSON.
const SHOW: &str = "run `terraform show -json PLANFILE`";
const SHOW_EITHER: &str = "run `terraform show -json PLANFILE` (or `tofu show -json PLANFILE`)";
/// The commands that read states.
const READS_STATES: &str = "`resources`, `outputs`, `checks`, `summary`, `redact` and `audit` read \
     states; for a plan, run `terraform show -json PLANFILE` with the plan file as its argument";

impl WrongDocument {
    /// The kind of the document, and what to do instead.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of document")]
    fn words(self) -> (&'static str, &'static str) {
        match self {
            WrongDocument::BinaryPlan => (
                "this is a binary plan file",
                "run `terraform show -json PLANFILE` (or `tofu show -json PLANFILE`) and give \
                 plansift its output",
            ),
            WrongDocument::OldPlan => (
                "this is a plan file of Terraform 0.11 or older, which has no JSON",
                "make the plan with a newer Terraform, then run `terraform show -json PLANFILE`",
            ),
            WrongDocument::CloudPlan => (
                "this is the bookmark of a plan in HCP Terraform, without the plan",
                "run `terraform show -json PLANFILE` where you are logged in and give plansift \
                 its output",
            ),
            WrongDocument::Encrypted => (
                "this is an encrypted OpenTofu plan or state",
                "run `tofu show -json PLANFILE` where its key is configured and give plansift \
                 the output",
            ),
            WrongDocument::State => ("this is a state, not a plan", READS_STATES),
            WrongDocument::EmptyState => ("this is an empty state, not a plan", READS_STATES),
            WrongDocument::Plan => (
                "this is a plan, not a state",
                "use --of planned or --of prior for the values of a plan",
            ),
            WrongDocument::NativeState => (
                "this is the text of a native state file (terraform.tfstate)",
                "name the file as the tools wrote it, or run `terraform show -json STATEFILE` and \
                 give plansift its output",
            ),
            WrongDocument::OldState => (
                "this is a state file of version 3 or older, of Terraform 0.11 or older",
                "upgrade the state with Terraform 0.12 or newer, then try again",
            ),
            WrongDocument::NewState => (
                "this is a state file of a version after 4, and plansift reads version 4",
                "run `terraform show -json STATEFILE` and give plansift its output",
            ),
            WrongDocument::Xz => (
                "this is compressed with xz, and plansift reads gzip and zstd",
                "run `xz -dc FILE | plansift ...`, or compress plans with zstd",
            ),
            WrongDocument::Bzip2 => (
                "this is compressed with bzip2, and plansift reads gzip and zstd",
                "run `bzip2 -dc FILE | plansift ...`, or compress plans with zstd",
            ),
            WrongDocument::Archive => (
                "this is an archive (zip or tar)",
                "unpack it, and give plansift the output of `terraform show -json PLANFILE` in it",
            ),
            WrongDocument::Null => (
                "this is the JSON value null, as `jq` prints for a key that is not there",
                "give plansift the whole output of `terraform show -json PLANFILE`",
            ),
            WrongDocument::Log => (
                "this is the log of `plan -json` or `apply -json`, which holds no values",
                "run `terraform plan -out PLANFILE`, then `terraform show -json PLANFILE`",
            ),
            WrongDocument::ProviderSchema => {
                ("this is a provider schema document (`providers schema -json`), not a plan", SHOW)
            }
            WrongDocument::Outputs => {
                ("these are output values (`output -json`), not a plan", SHOW)
            }
            WrongDocument::NoOutputs => (
                "this is an empty object, as `output -json` prints when there are no outputs, \
                 not a plan",
                SHOW,
            ),
            WrongDocument::StateList => {
                ("this is a list of addresses (`state list`), not a plan", SHOW)
            }
            WrongDocument::Version => ("this is the output of `version -json`, not a plan", SHOW),
            WrongDocument::Validation => {
                ("this is the output of `validate -json`, not a plan", SHOW)
            }
            WrongDocument::Functions => {
                ("this is the output of `metadata functions -json`, not a plan", SHOW)
            }
            WrongDocument::HumanText => {
                ("this is the text of `terraform plan` or `show`, not JSON", SHOW)
            }
            WrongDocument::Empty => {
                ("the input is empty", "did `terraform show -json PLANFILE` fail?")
            }
            WrongDocument::OtherJson => ("this JSON is not a plan", SHOW_EITHER),
            WrongDocument::TextBefore => (
                "text stands before the plan, and --strict refuses it",
                "remove the text, or run without --strict, which skips it",
            ),
            WrongDocument::NotJson => ("this is not JSON", SHOW),
        }
    }
}

impl fmt::Display for WrongDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, instead) = self.words();
        write!(f, "{what}: {instead}")
    }
}

//! Documents that are not a plan, and what to do instead.

use std::fmt;

use plansift_core::error::Fault;

/// A document that users pipe in by mistake (docs/format/plan.md, section 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongDocument {
    /// The binary plan file, a ZIP archive.
    BinaryPlan,
    /// The binary plan file of Terraform 0.11 or older.
    OldPlan,
    /// The bookmark of a plan in HCP Terraform. `plan -out` writes it if the run is remote.
    CloudPlan,
    /// A plan or state encrypted by OpenTofu.
    Encrypted,
    /// The output of `show -json` for a state.
    State,
    /// The output of `show -json` without a state.
    EmptyState,
    /// A plan, where a state is expected.
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
    /// An object with a plan or a state inside it, as `slim --wrap terraform` writes it.
    Wrapped,
    /// Like [`WrongDocument::Wrapped`], but an element of an array.
    WrappedElement,
    /// The combined input of conftest: an array of objects with a path and the contents of a file.
    Combined,
    /// One object of [`WrongDocument::Combined`], without the array.
    CombinedElement,
    /// An array inside an array, around a plan or a state.
    NestedArray,
    /// An empty array.
    EmptyArray,
    /// UTF-16 without a byte order mark.
    Utf16,
    /// An empty input.
    Empty,
    /// An HTML page: often an error page or a login page in place of a download.
    WebPage,
    /// Configuration in native syntax, a `.tf` file, or in JSON, a `.tf.json` file.
    Source,
    /// JSON of no known kind.
    OtherJson,
    /// Text before the document, which `--strict` refuses.
    TextBefore,
    /// Not JSON.
    NotJson,
}

/// Says how to give plansift a plan. `$before` is the beginning of the sentence.
macro_rules! give_a_plan {
    ($($before:literal)?) => {
        concat!(
            $($before,)?
            "give plansift the plan file, or the output of `terraform show -json PLANFILE`"
        )
    };
}

impl WrongDocument {
    /// The kind of the document, and what to do instead.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of document")]
    fn words(self) -> (&'static str, &'static str) {
        let plan = give_a_plan!();
        match self {
            WrongDocument::BinaryPlan => (
                "this is a binary plan file",
                "read it through `planfile::unpack`, or run `terraform show -json PLANFILE`",
            ),
            WrongDocument::OldPlan => (
                "this is a plan file of Terraform 0.11 or older, which has no JSON",
                give_a_plan!("make the plan with a newer Terraform, then "),
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
            WrongDocument::State => (
                "this is a state, not a plan",
                "`resources`, `outputs`, `checks`, `summary`, `digest`, `compare`, `assert`, \
                 `redact` and `audit` read states, without --of prior and without rules about \
                 changes",
            ),
            WrongDocument::EmptyState => {
                ("this is an empty state, not a plan", WrongDocument::State.words().1)
            }
            WrongDocument::Plan => (
                "this is a plan, not a state",
                "use --of planned or --of prior for the values of a plan",
            ),
            WrongDocument::NativeState => (
                "this is a native state file (terraform.tfstate), not a plan",
                "`resources`, `outputs`, `checks`, `summary`, `digest`, `compare`, `assert`, \
                 `redact` and `audit` read version 4 of it; for its JSON, run `terraform show \
                 -json STATEFILE`",
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
            WrongDocument::Archive => {
                ("this is an archive (zip or tar)", "unpack it and name the plan in it")
            }
            WrongDocument::Null => (
                "this is the JSON value null, as `jq` prints for a key that is not there",
                "look at the command that wrote it",
            ),
            WrongDocument::Log => (
                "this is the log of `plan -json` or `apply -json`, which holds no values",
                give_a_plan!("run `terraform plan -out PLANFILE`, then "),
            ),
            WrongDocument::ProviderSchema => (
                "this is a provider schema document (`providers schema -json`), not a plan",
                "give it with --schemas beside a plan file",
            ),
            WrongDocument::Outputs => {
                ("these are output values (`output -json`), not a plan", plan)
            }
            WrongDocument::NoOutputs => (
                "this is an empty object, as `output -json` prints when there are no outputs, \
                 not a plan",
                plan,
            ),
            WrongDocument::StateList => {
                ("this is a list of addresses (`state list`), not a plan", plan)
            }
            WrongDocument::Version => ("this is the output of `version -json`, not a plan", plan),
            WrongDocument::Validation => {
                ("this is the output of `validate -json`, not a plan", plan)
            }
            WrongDocument::Functions => {
                ("this is the output of `metadata functions -json`, not a plan", plan)
            }
            WrongDocument::HumanText => {
                ("this is the text of `terraform plan` or `show`, not JSON", plan)
            }
            WrongDocument::Empty => {
                ("the input is empty", "the command that wrote it may have failed")
            }
            WrongDocument::Wrapped => (
                "this is an object around a plan or a state, as `slim --wrap terraform` writes it",
                "take the inner document out (`jq .KEY FILE | plansift ...`, with its key for KEY)",
            ),
            WrongDocument::WrappedElement => (
                "this is an object around a plan or a state, in an array of such objects",
                "take the inner documents out (`jq '.[].KEY' FILE | plansift ...`, with their key \
                 for KEY)",
            ),
            WrongDocument::Combined => (
                "this is the combined input of conftest (--combine), with plans under `contents`",
                "take them out (`jq '.[].contents' FILE | plansift ...`)",
            ),
            WrongDocument::CombinedElement => (
                "this is an object of the combined input of conftest (--combine), with its file \
                 under `contents`",
                "take the file out (`jq .contents FILE | plansift ...`)",
            ),
            WrongDocument::EmptyArray => {
                ("this is an empty array, without a plan", "look at the command that wrote it")
            }
            WrongDocument::NestedArray => (
                "this is an array inside an array, and plansift reads arrays of plans",
                "take the plans out (`jq 'flatten[]' FILE | plansift ...`)",
            ),
            WrongDocument::Utf16 => (
                "this is UTF-16 without a byte order mark",
                "convert it (`iconv -f UTF-16LE -t UTF-8 FILE | plansift ...`, or UTF-16BE)",
            ),
            WrongDocument::WebPage => (
                "this is a web page, not a plan",
                "check the address and the login of the download",
            ),
            WrongDocument::Source => (
                "this is Terraform source, not a plan",
                give_a_plan!(
                    "`plansift blocks` reads its folder; for a plan, run `terraform plan -out \
                     PLANFILE`, then "
                ),
            ),
            WrongDocument::OtherJson => ("this JSON is not a plan", plan),
            WrongDocument::TextBefore => (
                "text stands before the plan, and --strict refuses it",
                "remove the text, or run without --strict, which skips it",
            ),
            WrongDocument::NotJson => ("this is not JSON", plan),
        }
    }
}

impl Fault for WrongDocument {}

impl fmt::Display for WrongDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, instead) = self.words();
        write!(f, "{what}: {instead}")
    }
}

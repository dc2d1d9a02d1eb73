//! Limits on everything that an input can make large. Each limit has a default and a command line
//! option that raises it. The error for an exceeded limit names the option.

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nesting depth of objects and arrays.
    pub depth: u64,
    /// Bytes of one element that is parsed: a resource change, a check, an output.
    pub change: u64,
    /// Bytes of memory for the path lists of one change, including the pairs of values that wait
    /// to be compared.
    pub paths: u64,
    /// Distinct actions, or distinct statuses, of a plan; each is at most 1 KiB long.
    pub words: u64,
    /// Names of sensitive outputs and variables of a plan. The same limit applies separately to
    /// outputs or variables whose names are not in sorted order.
    pub names: u64,
    /// Plans in one input of a batch, which keeps an outcome for each plan.
    pub plans: u64,
    /// Paths of one element that are marked sensitive or hold the same value as a marked one. The
    /// same limit applies separately to the echoes in the element.
    pub marks: u64,
    /// Distinct secrets of one document in `redact`.
    pub secrets: u64,
    /// Distinct marked paths of one document. Its other sections are compared with these paths.
    pub document_marks: u64,
    /// Bytes of the secrets that are searched for inside other strings, including all spellings.
    pub secret_texts: u64,
    /// Bytes of an input that is spooled to a temporary file, because it is read twice and is not a
    /// regular file.
    pub spool: u64,
    /// Bytes of one skipped string.
    pub string_skipped: u64,
    /// Bytes of one decoded string.
    pub string_kept: u64,
    /// Bytes of one document, after decompression.
    pub document: u64,
    /// Bytes of one compressed input after decompression.
    pub expansion: u64,
    /// Ratio of decompressed to compressed bytes, beyond the first 64 MiB.
    pub expansion_ratio: u64,
    /// Members of a binary plan file.
    pub plan_members: u64,
    /// Bytes of memory for the addresses that determine the order of resources in a binary plan
    /// file or a native state file.
    pub plan_index: u64,
    /// Bytes of memory for the index or graph of a configuration, for the expressions of one of its
    /// elements, and for those of the module calls around it. For configuration files, bytes of
    /// memory for the blocks, for the text of one file, and for the syntax tree of one block.
    pub configuration: u64,
    /// Bytes of memory for the keys of a listing of a store. Each page counts at least
    /// [`Limits::LISTING_PAGE`].
    pub listing: u64,
    /// Bytes of the window of a zstd input. The `zstd` command uses 8 MiB up to level 19.
    pub zstd_window: u64,
}

impl Limits {
    /// The smallest effective [`Limits::string_skipped`], in bytes. The cursor skips text in
    /// batches of this length and does not measure strings within one batch.
    pub const STRING_SKIPPED_MIN: u64 = 4096;

    /// The smallest number of bytes that a page counts in [`Limits::listing`]. It limits the number
    /// of empty pages.
    pub const LISTING_PAGE: u64 = 4096;
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 10_000,
            change: 256 * MIB,
            paths: 16 * MIB,
            words: 1000,
            names: 1_000_000,
            plans: 10_000,
            marks: 150_000,
            secrets: 1_000_000,
            document_marks: 1_000_000,
            secret_texts: MIB,
            spool: 16 * GIB,
            string_skipped: GIB,
            string_kept: 64 * MIB,
            document: 16 * TIB,
            expansion: TIB,
            expansion_ratio: 1000,
            plan_members: 100_000,
            plan_index: 256 * MIB,
            configuration: 256 * MIB,
            listing: 256 * MIB,
            zstd_window: 32 * MIB,
        }
    }
}

/// Names a limit in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `Limits` have these names")]
pub enum Limit {
    Depth,
    Change,
    Paths,
    Words,
    Names,
    Plans,
    Marks,
    Secrets,
    DocumentMarks,
    SecretTexts,
    Spool,
    StringSkipped,
    StringKept,
    Document,
    Expansion,
    ExpansionRatio,
    PlanMembers,
    PlanIndex,
    Configuration,
    Listing,
    ZstdWindow,
    /// The memory of a batch. One large element may take only a share of it.
    Memory,
}

impl Limit {
    /// Returns the name of the limited quantity in messages.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Depth => "nesting depth",
            Limit::Change => "size of one element",
            Limit::Paths => "size of the paths of one change",
            Limit::Words => "number of different actions or statuses",
            Limit::Names => "number of names of sensitive or unsorted outputs and variables",
            Limit::Plans => "number of plans in one input of a batch",
            Limit::Marks => "number of marked places, or of their echoes, in one element",
            Limit::Secrets => "number of different secrets",
            Limit::DocumentMarks => "number of different marked places of the document",
            Limit::SecretTexts => "size of the secrets that are searched for in other texts",
            Limit::Spool => "size of an input that is spooled to be read again",
            Limit::StringSkipped => "size of one skipped string",
            Limit::StringKept => "size of one decoded string",
            Limit::Document => "size of the document",
            Limit::Expansion => "size after decompression",
            Limit::ExpansionRatio => "expansion of compressed input",
            Limit::PlanMembers => "number of members of a plan file",
            Limit::Configuration => "memory for the elements of a configuration",
            Limit::PlanIndex => "size of the addresses of a plan file or state file",
            Limit::Listing => "memory for the keys of a listing",
            Limit::ZstdWindow => "window of a zstd input",
            Limit::Memory => "memory for one element of a batch, four times its size,",
        }
    }

    /// Returns the command line option that raises the limit.
    pub fn option(self) -> &'static str {
        match self {
            Limit::Depth => "--limit-depth",
            Limit::Change => "--limit-change",
            Limit::Paths => "--limit-paths",
            Limit::Words => "--limit-words",
            Limit::Names => "--limit-names",
            Limit::Plans => "--limit-plans",
            Limit::Marks => "--limit-marks",
            Limit::Secrets => "--limit-secrets",
            Limit::DocumentMarks => "--limit-document-marks",
            Limit::SecretTexts => "--limit-secret-texts",
            Limit::Spool => "--limit-spool",
            Limit::StringSkipped => "--limit-string-skipped",
            Limit::StringKept => "--limit-string-kept",
            Limit::Document => "--limit-document",
            Limit::Expansion => "--limit-expansion",
            Limit::ExpansionRatio => "--limit-expansion-ratio",
            Limit::PlanMembers => "--limit-plan-members",
            Limit::PlanIndex => "--limit-plan-index",
            Limit::Configuration => "--limit-configuration",
            Limit::Listing => "--limit-listing",
            Limit::ZstdWindow => "--limit-zstd-window",
            Limit::Memory => "--memory",
        }
    }
}

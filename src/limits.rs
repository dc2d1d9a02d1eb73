//! Bounds on everything an input can make large. Each has a default, an option of the command line,
//! and an error that names both, so that a refused input tells how to let it through.

/// The bounds of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open objects and arrays at once.
    pub depth: u64,
    /// Bytes of one element that is looked into: a resource change, a check, an output.
    pub change: u64,
    /// Bytes of memory that the lists of paths of one change take together, with the places that
    /// are still to be compared.
    pub paths: u64,
    /// Different words among the actions, or the statuses, of a plan; each is at most 1 KiB long.
    pub words: u64,
    /// Names of outputs and variables of a plan that are sensitive; and, counted apart, of those
    /// that are not sorted.
    pub names: u64,
    /// Plans of one input, where each is kept: in a batch.
    pub plans: u64,
    /// Places of one element that are marked or equal a marked one; and, counted apart, echoes in
    /// it.
    pub marks: u64,
    /// Different secrets of a document that is redacted.
    pub secrets: u64,
    /// Different marked places of a document that its other sections are compared with.
    pub document_marks: u64,
    /// Bytes of the secrets that are looked for in other texts, in all of their spellings.
    pub secret_texts: u64,
    /// Bytes of an input that is no file and is kept in one, to be read again.
    pub spool: u64,
    /// Bytes of one string that is skipped.
    pub string_skipped: u64,
    /// Bytes of one string that is decoded.
    pub string_kept: u64,
    /// Bytes of one document, after decompression.
    pub document: u64,
    /// Bytes that a compressed input may expand to.
    pub expansion: u64,
    /// How many times its own size a compressed input may expand to, beyond the first 64 MiB.
    pub expansion_ratio: u64,
    /// Bytes of the window that a zstd input may ask for. Its own command uses 8 MiB up to level
    /// 19.
    pub zstd_window: u64,
}

impl Limits {
    /// The least that [`Limits::string_skipped`] can be: what is skipped is looked at in pieces of
    /// this length, in bytes, and shorter strings are not measured.
    pub const STRING_SKIPPED_MIN: u64 = 4096;
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
            zstd_window: 32 * MIB,
        }
    }
}

/// Which bound was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::depth`].
    Depth,
    /// [`Limits::change`].
    Change,
    /// [`Limits::paths`].
    Paths,
    /// [`Limits::words`].
    Words,
    /// [`Limits::names`].
    Names,
    /// [`Limits::plans`].
    Plans,
    /// [`Limits::marks`].
    Marks,
    /// [`Limits::secrets`].
    Secrets,
    /// [`Limits::document_marks`].
    DocumentMarks,
    /// [`Limits::secret_texts`].
    SecretTexts,
    /// [`Limits::spool`].
    Spool,
    /// [`Limits::string_skipped`].
    StringSkipped,
    /// [`Limits::string_kept`].
    StringKept,
    /// [`Limits::document`].
    Document,
    /// [`Limits::expansion`].
    Expansion,
    /// [`Limits::expansion_ratio`].
    ExpansionRatio,
    /// [`Limits::zstd_window`].
    ZstdWindow,
    /// The memory of a batch, a part of which is left for large elements.
    Memory,
}

impl Limit {
    /// What is bounded, in words.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Depth => "nesting depth",
            Limit::Change => "size of one element",
            Limit::Paths => "size of the paths of one change",
            Limit::Words => "number of different actions or statuses",
            Limit::Names => {
                "number of names of sensitive outputs and variables, or of unsorted ones"
            }
            Limit::Plans => "number of plans in one input of a batch",
            Limit::Marks => "number of marked places, or of their echoes, in one element",
            Limit::Secrets => "number of different secrets",
            Limit::DocumentMarks => "number of different marked places of the document",
            Limit::SecretTexts => "size of the secrets that are looked for in other texts",
            Limit::Spool => "size of an input that is kept to be read again",
            Limit::StringSkipped => "size of one skipped string",
            Limit::StringKept => "size of one decoded string",
            Limit::Document => "size of the document",
            Limit::Expansion => "size after decompression",
            Limit::ExpansionRatio => "expansion of compressed input",
            Limit::ZstdWindow => "window of a zstd input",
            Limit::Memory => "memory that one element of a batch takes, four times its size,",
        }
    }

    /// The option that raises it.
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
            Limit::ZstdWindow => "--limit-zstd-window",
            Limit::Memory => "--memory",
        }
    }
}

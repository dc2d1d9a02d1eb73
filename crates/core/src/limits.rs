//! Limits on everything that an input can make large.
//!
//! One table has a row for each limit. The values of a run ([`Limits`]), the names in errors
//! ([`Limit`]) and the command line options all come from the rows. A new limit is a row here, and
//! a line in `docs/limits.md`.

use std::ops::RangeInclusive;

const ANY: RangeInclusive<u64> = 0..=u64::MAX;
const U32: RangeInclusive<u64> = 0..=u32::MAX as u64;

/// The default of a limit, and its unit. [`parse_amount`] parses the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A number of things: `10000`.
    Count(&'static str),
    /// A number of bytes: `256M`.
    Bytes(&'static str),
}

/// Parses a number with an optional suffix K, M, G or T: powers of 1024.
///
/// # Errors
///
/// Fails if the text is not such a number, or the number does not fit.
pub const fn parse_amount(text: &str) -> Result<u64, &'static str> {
    let (digits, shift) = match text.as_bytes() {
        [digits @ .., b'k' | b'K'] => (digits, 10),
        [digits @ .., b'm' | b'M'] => (digits, 20),
        [digits @ .., b'g' | b'G'] => (digits, 30),
        [digits @ .., b't' | b'T'] => (digits, 40),
        digits => (digits, 0),
    };
    let Ok(digits) = str::from_utf8(digits) else { return Err(NO_NUMBER) };
    let Ok(number) = u64::from_str_radix(digits, 10) else { return Err(NO_NUMBER) };
    match number.checked_mul(1 << shift) {
        Some(amount) => Ok(amount),
        None => Err("too large"),
    }
}

const NO_NUMBER: &str = "not a number, like 1000, 64M or 2G";

/// Parses a default when the table is compiled.
const fn parse_default(text: &str) -> u64 {
    match parse_amount(text) {
        Ok(number) => number,
        Err(message) => panic!("{}", message),
    }
}

/// What the command line and errors say about a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSpec {
    /// The default.
    pub default: Amount,
    /// The effective values: a value outside is replaced by the nearest one inside.
    pub range: RangeInclusive<u64>,
    /// The command line option that raises the limit.
    pub option: &'static str,
    /// The name of the limited quantity in errors.
    pub name: &'static str,
    /// The help of the option, with the default.
    pub help: &'static str,
}

/// Makes [`Limits`] and [`Limit`] from rows of: field, variant, default, effective range, option,
/// name in errors, help without the default. Every text is static, because the command line builds
/// each option once for each command.
macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident, $variant:ident, $unit:ident($default:literal), $range:expr,
        $option:literal, $name:literal, $help:literal;)*) => {
        /// The limits of one run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($field: const { parse_default($default) },)* }
            }
        }

        impl Limits {
            /// Sets a limit to the effective value that is nearest to `value`.
            pub fn set(&mut self, limit: Limit, value: u64) {
                match limit {
                    $(Limit::$variant => {
                        self.$field = value.clamp(*$range.start(), *$range.end());
                    })*
                    Limit::Memory => {}
                }
            }
        }

        /// Names a limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the fields of `Limits` have these names")]
        pub enum Limit {
            $($variant,)*
            /// The memory of a batch, which [`Limits`] does not have. One large element may take
            /// only a share of it.
            Memory,
        }

        impl Limit {
            /// The limits that [`Limits`] has, in the order of the help.
            pub const ALL: &[Limit] = &[$(Limit::$variant,)*];

            /// Returns what the table says about a limit of [`Limits`].
            pub fn spec(self) -> Option<LimitSpec> {
                let (default, range, option, name, help) = match self {
                    $(Limit::$variant => (
                        Amount::$unit($default),
                        $range,
                        $option,
                        $name,
                        concat!($help, " [default: ", $default, "]"),
                    ),)*
                    Limit::Memory => return None,
                };
                Some(LimitSpec { default, range, option, name, help })
            }
        }
    };
}

limits! {
    /// Nesting depth of objects and arrays.
    depth, Depth, Count("10000"), ANY, "--limit-depth",
        "nesting depth", "Nesting depth";
    /// Bytes of one element that is parsed: a resource change, a check, an output.
    change, Change, Bytes("256M"), 0..=Limits::CHANGE_MAX, "--limit-change",
        "size of one element", "Size of one element, like a resource change, at most 4G";
    /// Bytes of memory for the path lists of one change, including the pairs of values that wait
    /// to be compared.
    paths, Paths, Bytes("16M"), U32, "--limit-paths",
        "size of the paths of one change", "Total size of the path lists of one change, at most 4G";
    /// Distinct actions, or distinct statuses, of a plan; each is at most 1 KiB long.
    words, Words, Count("1000"), ANY, "--limit-words",
        "number of different actions or statuses", "Distinct actions or statuses of a plan";
    /// Plans in one input of a batch, which keeps an outcome for each plan.
    plans, Plans, Count("10000"), ANY, "--limit-plans",
        "number of plans in one input of a batch", "Plans in one input of a batch";
    /// Names of sensitive outputs and variables of a plan. The same limit applies separately to
    /// outputs or variables whose names are not in sorted order.
    names, Names, Count("1000000"), ANY, "--limit-names",
        "number of names of sensitive or unsorted outputs and variables",
        "Names of sensitive outputs and variables; separately, names of unsorted outputs and \
         variables";
    /// Paths of one element that are marked sensitive or hold the same value as a marked one. The
    /// same limit applies separately to the echoes in the element.
    marks, Marks, Count("150000"), ANY, "--limit-marks",
        "number of marked places, or of their echoes, in one element",
        "Marked paths in one element; separately, echoes in one element";
    /// Distinct secrets of one document in `redact`.
    secrets, Secrets, Count("1000000"), U32, "--limit-secrets",
        "number of different secrets", "Distinct secrets of one document";
    /// Distinct marked paths of one document. Its other sections are compared with these paths.
    document_marks, DocumentMarks, Count("1000000"), ANY, "--limit-document-marks",
        "number of different marked places of the document",
        "Distinct marked paths of one document, for comparison with its other sections";
    /// Bytes of the secrets that are searched for inside other strings, including all spellings.
    secret_texts, SecretTexts, Bytes("1M"), 0..=1 << 30, "--limit-secret-texts",
        "size of the secrets that are searched for in other texts",
        "Total size of the secrets that --echo contains and encoded search for";
    /// Bytes of an input that is spooled to a temporary file, because it is read twice and is not a
    /// regular file.
    spool, Spool, Bytes("16G"), ANY, "--limit-spool",
        "size of an input that is spooled to be read again",
        "Size of a pipe or download that plansift stores to read it twice";
    /// Bytes of one skipped string.
    string_skipped, StringSkipped, Bytes("1G"), Limits::STRING_SKIPPED_MIN..=u64::MAX,
        "--limit-string-skipped",
        "size of one skipped string", "Size of one skipped string, at least 4K";
    /// Bytes of one decoded string.
    string_kept, StringKept, Bytes("64M"), ANY, "--limit-string-kept",
        "size of one decoded string", "Size of one decoded string";
    /// Bytes of one document, after decompression.
    document, Document, Bytes("16T"), ANY, "--limit-document",
        "size of the document", "Size of one document";
    /// Bytes of one compressed input after decompression.
    expansion, Expansion, Bytes("1T"), ANY, "--limit-expansion",
        "size after decompression", "Size of compressed input after decompression";
    /// Ratio of decompressed to compressed bytes, beyond the first 64 MiB.
    expansion_ratio, ExpansionRatio, Count("1000"), ANY, "--limit-expansion-ratio",
        "expansion of compressed input", "Ratio of decompressed to compressed size, beyond 64 MiB";
    /// Members of a binary plan file.
    plan_members, PlanMembers, Count("100000"), ANY, "--limit-plan-members",
        "number of members of a plan file", "Members of a binary plan file";
    /// Bytes of memory for the addresses that determine the order of resources in a binary plan
    /// file or a native state file.
    plan_index, PlanIndex, Bytes("256M"), ANY, "--limit-plan-index",
        "size of the addresses of a plan file or state file",
        "Memory for the addresses of a plan file or state file";
    /// Bytes of memory for the index or graph of a configuration, for the expressions of one of its
    /// elements, and for those of the module calls around it. For configuration files, bytes of
    /// memory for the blocks, for the text of one file, and for the syntax tree of one block.
    configuration, Configuration, Bytes("256M"), ANY, "--limit-configuration",
        "memory for the elements of a configuration",
        "Memory for configuration files, or an index or graph of a configuration";
    /// Bytes of memory for the keys of a listing of a store. Each page counts at least
    /// [`Limits::LISTING_PAGE`].
    listing, Listing, Bytes("256M"), ANY, "--limit-listing",
        "memory for the keys of a listing", "Memory for the keys of a listing of a store";
    /// Bytes of the window of a zstd input. The `zstd` command uses 8 MiB up to level 19.
    zstd_window, ZstdWindow, Bytes("32M"), ANY, "--limit-zstd-window",
        "window of a zstd input", "Window of a zstd input";
}

impl Limits {
    /// The largest effective [`Limits::change`], in bytes.
    pub const CHANGE_MAX: u64 = u32::MAX as u64 - (1 << 16);

    /// The smallest effective [`Limits::string_skipped`], in bytes. The cursor skips text in
    /// batches of this length and does not measure strings within one batch.
    pub const STRING_SKIPPED_MIN: u64 = 4096;

    /// The smallest number of bytes that a page counts in [`Limits::listing`]. It limits the number
    /// of empty pages.
    pub const LISTING_PAGE: u64 = 4096;
}

impl Limit {
    /// Returns the name of the limited quantity in messages.
    pub fn name(self) -> &'static str {
        self.spec().map_or("memory for one element of a batch, four times its size,", |it| it.name)
    }

    /// Returns the command line option that raises the limit.
    pub fn option(self) -> &'static str {
        self.spec().map_or("--memory", |it| it.option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_suffixes() {
        assert_eq!(parse_amount("17"), Ok(17));
        assert_eq!(parse_amount("2K"), Ok(2048));
        assert_eq!(parse_amount("1t"), Ok(1 << 40));
        for bad in ["", "K", "1.5G", "-1", "é", "99999999999T"] {
            assert!(parse_amount(bad).is_err(), "{bad}");
        }
    }
}

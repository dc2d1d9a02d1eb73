//! The options that set limits.

use clap::Args;

use super::LIMITS;
use crate::json::outline::Outline;
use crate::limits::Limits;

/// Limits on everything that an input can make large.
#[derive(Debug, Args)]
#[command(next_help_heading = LIMITS)]
pub struct LimitArgs {
    /// Nesting depth [default: 10000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_depth: Option<u64>,
    /// Size of one element, like a resource change, at most 4G [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_change: Option<u64>,
    /// Total size of the path lists of one change, at most 4G [default: 16M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_paths: Option<u64>,
    /// Distinct actions or statuses of a plan [default: 1000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_words: Option<u64>,
    /// Plans in one input of a batch [default: 10000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_plans: Option<u64>,
    /// Names of sensitive outputs and variables; separately, names of unsorted outputs and
    /// variables [default: 1000000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_names: Option<u64>,
    /// Marked paths in one element; separately, echoes in one element [default: 150000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_marks: Option<u64>,
    /// Distinct secrets of one document [default: 1000000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_secrets: Option<u64>,
    /// Distinct marked paths of one document, for comparison with its other sections
    /// [default: 1000000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_document_marks: Option<u64>,
    /// Total size of the secrets that --echo contains searches for [default: 1M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_secret_texts: Option<u64>,
    /// Size of a pipe or download that plansift stores to read it twice [default: 16G]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_spool: Option<u64>,
    /// Size of one skipped string, at least 4K [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_string_skipped: Option<u64>,
    /// Size of one decoded string [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_string_kept: Option<u64>,
    /// Size of one document [default: 16T]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_document: Option<u64>,
    /// Size of compressed input after decompression [default: 1T]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_expansion: Option<u64>,
    /// Ratio of decompressed to compressed size, beyond 64 MiB [default: 1000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_expansion_ratio: Option<u64>,
    /// Members of a binary plan file [default: 100000]
    #[arg(long, value_name = "N", value_parser = size, hide_short_help = true)]
    limit_plan_members: Option<u64>,
    /// Memory for the addresses of a plan file or state file [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_plan_index: Option<u64>,
    /// Memory for configuration files, or an index or graph of a configuration [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_configuration: Option<u64>,
    /// Memory for the keys of a listing of a store [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_listing: Option<u64>,
    /// Window of a zstd input [default: 32M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    limit_zstd_window: Option<u64>,
}

impl LimitArgs {
    /// Returns the limits: the arguments, or the defaults.
    pub fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            depth: self.limit_depth.unwrap_or(default.depth),
            change: self.limit_change.unwrap_or(default.change).min(Outline::LEN_MAX),
            paths: self.limit_paths.unwrap_or(default.paths).min(u32::MAX.into()),
            words: self.limit_words.unwrap_or(default.words),
            names: self.limit_names.unwrap_or(default.names),
            plans: self.limit_plans.unwrap_or(default.plans),
            marks: self.limit_marks.unwrap_or(default.marks),
            secrets: self.limit_secrets.unwrap_or(default.secrets).min(u32::MAX.into()),
            document_marks: self.limit_document_marks.unwrap_or(default.document_marks),
            secret_texts: self.limit_secret_texts.unwrap_or(default.secret_texts).min(1 << 30),
            spool: self.limit_spool.unwrap_or(default.spool),
            string_skipped: self
                .limit_string_skipped
                .unwrap_or(default.string_skipped)
                .max(Limits::STRING_SKIPPED_MIN),
            string_kept: self.limit_string_kept.unwrap_or(default.string_kept),
            document: self.limit_document.unwrap_or(default.document),
            expansion: self.limit_expansion.unwrap_or(default.expansion),
            expansion_ratio: self.limit_expansion_ratio.unwrap_or(default.expansion_ratio),
            plan_members: self.limit_plan_members.unwrap_or(default.plan_members),
            plan_index: self.limit_plan_index.unwrap_or(default.plan_index),
            configuration: self.limit_configuration.unwrap_or(default.configuration),
            listing: self.limit_listing.unwrap_or(default.listing),
            zstd_window: self.limit_zstd_window.unwrap_or(default.zstd_window),
        }
    }
}

/// Parses a number with an optional suffix K, M, G or T.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 10),
        Some((end, 'm' | 'M')) => (&text[..end], 20),
        Some((end, 'g' | 'G')) => (&text[..end], 30),
        Some((end, 't' | 'T')) => (&text[..end], 40),
        _ => (text, 0),
    };
    let number: u64 =
        digits.parse().map_err(|_| "not a number, like 1000, 64M or 2G".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(size("17"), Ok(17));
        assert_eq!(size("2K"), Ok(2048));
        assert_eq!(size("1t"), Ok(1 << 40));
        for bad in ["", "K", "1.5G", "-1", "é", "99999999999T"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}

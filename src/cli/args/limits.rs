//! The options that set limits.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::LIMITS;
use crate::limits::{Amount, Limit, Limits};

/// Limits on everything that an input can make large: one option for each row of the table in
/// [`crate::limits`].
#[derive(Debug)]
pub struct LimitArgs(Limits);

impl LimitArgs {
    /// Returns the limits: the arguments, or the defaults.
    pub fn limits(&self) -> Limits {
        self.0
    }
}

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        let specs = Limit::ALL.iter().filter_map(|limit| limit.spec());
        command.next_help_heading(LIMITS).args(specs.map(|spec| {
            let value_name = match spec.default {
                Amount::Count(_) => "N",
                Amount::Bytes(_) => "SIZE",
            };
            Arg::new(spec.option)
                .long(spec.option.trim_start_matches('-'))
                .value_name(value_name)
                .value_parser(size)
                .hide_short_help(true)
                .help(format!("{} [default: {}]", spec.help, spec.default))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        LimitArgs::augment_args(command)
    }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<LimitArgs, clap::Error> {
        let mut arguments = LimitArgs(Limits::default());
        arguments.update_from_arg_matches(matches)?;
        Ok(arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for &limit in Limit::ALL {
            if let Some(&value) = matches.get_one(limit.option()) {
                self.0.set(limit, value);
            }
        }
        Ok(())
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

//! The options that set limits.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::LIMITS;
use plansift_core::limits::{Amount, Limit, Limits, parse_amount};

/// Limits on everything that an input can make large: one option for each row of the table in
/// [`plansift_core::limits`].
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
                .long(&spec.option["--".len()..])
                .value_name(value_name)
                .value_parser(parse_amount)
                .hide_short_help(true)
                .help(spec.help)
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

//! The arguments of `redact` and `slim`, and the arguments about secrets that other commands share.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::refused::refused;
use super::{FILTERS, OUTPUT, Plans, SECRETS, address, file, part, positive, words};
use plansift_core::path::{self, AddressPattern};
use plansift_redact::secret::{self, Names};
use plansift_redact::slim::{PlanPart, Wrap};

/// `plansift redact`.
#[derive(Debug, Args)]
#[command(mut_arg("type_sets", refused))]
pub struct Redact {
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[command(flatten)]
    pub mask: MaskArgs,
    /// Write the paths of the masked values to a file as JSON lines, without the values
    #[arg(help_heading = OUTPUT, long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// `plansift slim`.
///
/// The scalars of the plan always stay: versions, timestamp, applyable, complete, errored. Keys
/// keep their order, and kept values keep their bytes.
#[derive(Debug, Args)]
pub struct Slim {
    /// Keep these sections, by name or key: changes, outputs, drift, deferred, actions, variables,
    /// planned, prior, configuration, relevant, checks, other (unknown sections)
    #[arg(help_heading = FILTERS, long, value_name = "NAMES", value_delimiter = ',',
          value_parser = part,
          default_value = "changes,outputs")]
    pub keep: Vec<PlanPart>,
    /// Keep resources by type, address or module, like 'aws_db_*', aws_vpc.main or module.network;
    /// * matches any text, and a module includes its child modules. Repeatable
    #[arg(help_heading = FILTERS, long, value_name = "GLOB", value_parser = address)]
    pub only: Vec<AddressPattern>,
    /// Keep these attributes of resources and everything below them, like tags, '*_arn' or
    /// ingress.cidr_blocks; elements of lists always stay. Repeatable
    #[arg(help_heading = FILTERS, long, value_name = "PATH", value_parser = super::path_of_values)]
    pub paths: Vec<path::Pattern>,
    /// Also keep no-op changes
    #[arg(help_heading = FILTERS, long)]
    pub all: bool,
    /// Wrap the plan in an object, for policy hosts that expect one
    #[arg(help_heading = OUTPUT, long, value_name = "IN", conflicts_with = "for_agent",
          value_parser = words([("terraform", Wrap::Terraform, "{\"terraform\": PLAN}")]))]
    pub wrap: Option<Wrap>,
    /// Do not mask secrets
    #[arg(help_heading = SECRETS, long,
          conflicts_with_all = ["for_agent", "echo", "echo_min", "also_names", "mask", "key_file"])]
    pub no_redact: bool,
    #[command(flatten)]
    pub secrets: SecretArgs,
    #[command(flatten)]
    pub mask: MaskArgs,
    /// Write to a file, which appears only when it is complete
    #[arg(help_heading = OUTPUT, short, long, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plans: Plans,
}

/// Arguments about secrets. They find secrets beyond the values that a plan marks sensitive.
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// Treat unmarked texts as secrets if they repeat a marked text (echoes)
    #[arg(help_heading = SECRETS, long, value_enum, default_value_t = Echo::Equal,
          value_name = "HOW")]
    pub echo: Echo,
    /// Ignore marked texts shorter than N bytes when looking for repeats
    #[arg(help_heading = SECRETS, long, value_name = "N", value_parser = positive,
          default_value_t = ECHO_MIN)]
    pub echo_min: NonZeroUsize,
    /// Treat the values of matching keys as secrets in every section, like
    /// '^(secret_key|access_key)$'; without ^ and $ the pattern matches parts of keys
    #[arg(help_heading = SECRETS, long, value_name = "REGEX")]
    pub also_names: Option<Names>,
}

const ECHO_MIN: NonZeroUsize = NonZeroUsize::MIN.saturating_add(secret::ECHO_MIN - 1);

impl Default for SecretArgs {
    fn default() -> SecretArgs {
        SecretArgs { echo: Echo::Equal, echo_min: ECHO_MIN, also_names: None }
    }
}

/// Arguments about masks.
#[derive(Debug, Default, Args)]
pub struct MaskArgs {
    /// Mask what a language model should not see: also texts that contain a secret, encoded or not,
    /// and values under names that look secret. Exit with 3, and write nothing, if an audit of the
    /// result finds such a value
    #[arg(help_heading = SECRETS, long, conflicts_with = "echo")]
    pub for_agent: bool,
    /// Text to put in place of a secret
    #[arg(help_heading = SECRETS, long, value_enum, default_value_t = Mask::Text,
          value_name = "WHAT")]
    pub mask: Mask,
    /// Key file of --mask hash: 16 random bytes or more
    #[arg(help_heading = SECRETS, long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// Which texts repeat a marked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Echo {
    /// Texts equal to a marked text
    Equal,
    /// Texts that contain a marked text
    Contains,
    /// Also texts with base64 of a text that contains a marked text
    Encoded,
    /// No texts. redact and slim then read their input once. audit still reads it twice
    Off,
}

/// The text in place of a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mask {
    /// (sensitive value)
    #[default]
    Text,
    /// A keyed digest: equal secrets have equal digests
    Hash,
    /// null
    Null,
}

//! The options of a redaction, and messages about masked values.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::args::{self, MaskArgs, Plans, SecretArgs};
use super::exit::Exit;
use super::messages::{fail, say, usage};
use super::options::options;
use plansift_compare::meaning::ValueKey;
use plansift_core::error::Error;
use plansift_plan::plan;
use plansift_plan::record::CompareLevel;
use plansift_redact::redact::mask::{KEY_MIN, Key, Masking};
use plansift_redact::redact::{Counts, RedactOptions};
use plansift_redact::secret::{self, EchoOf, Names};

/// Returns the options of a redaction. If the arguments contradict each other or the key cannot be
/// read, prints the error and fails.
pub fn redact_options(
    plans: &Plans,
    secrets: &SecretArgs,
    mask: &MaskArgs,
) -> Result<RedactOptions, Exit> {
    let (masking, read) = (masking(mask)?, options(plans)?.read);
    let secret = match mask.for_agent {
        true => agent_options(secrets, read)?,
        false => secret_options(secrets, read),
    };
    Ok(RedactOptions { secret, masking })
}

/// Returns the options that say which values an agent may not see. If `--echo-min` would show it
/// more, prints the error and fails.
fn agent_options(
    secrets: &SecretArgs,
    read: plan::PlanOptions,
) -> Result<secret::SecretOptions, Exit> {
    let options = secret::SecretOptions::for_agent(read, secrets.also_names.clone());
    let (echo_min, most) = (secrets.echo_min.get(), options.echo_min);
    match echo_min > most {
        true => Err(usage(&format!(
            "--echo-min {echo_min} cannot be combined with --for-agent, which masks repeats of at \
             least {most} bytes: name {most} or less"
        ))),
        false => Ok(secret::SecretOptions { echo_min, ..options }),
    }
}

/// Longest key, in bytes.
const KEY_MAX: u64 = 1 << 20;

/// Reads a key from a file; `derive` returns `None` for a key that is too short. Prints errors.
pub fn read_key<K>(path: &Path, derive: impl FnOnce(&[u8]) -> Option<K>) -> Result<K, Exit> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(KEY_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| fail(Some(path), &Error::read(error)))?;
    let name = path.display();
    if bytes.len() as u64 > KEY_MAX {
        return Err(usage(&format!("{name}: a key has {KEY_MAX} bytes at most")));
    }
    derive(&bytes).ok_or_else(|| usage(&format!("{name}: a key has {KEY_MIN} bytes at least")))
}

/// Returns the key of digests at a level. Prints errors: digests of values need a key.
pub fn digest_key(
    option: &str,
    level: CompareLevel,
    key_file: Option<&Path>,
) -> Result<ValueKey, Exit> {
    match key_file {
        Some(path) => read_key(path, ValueKey::of_file),
        None if level < CompareLevel::Values => Ok(ValueKey::public()),
        None => Err(usage(&format!(
            "{option} {}: without a key, a digest of values can be used to guess them: name a file \
             with a key: --key-file FILE",
            level.name()
        ))),
    }
}

fn masking(arguments: &MaskArgs) -> Result<Masking, Exit> {
    match (arguments.mask, &arguments.key_file) {
        (args::Mask::Text, None) => Ok(Masking::Text),
        (args::Mask::Null, None) => Ok(Masking::Null),
        (args::Mask::Hash, Some(path)) => read_key(path, Key::of).map(Masking::Digest),
        (args::Mask::Hash, None) => {
            Err(usage("--mask hash: name a file with a key: --key-file FILE"))
        }
        (_, Some(_)) => Err(usage("--key-file: only --mask hash has a key")),
    }
}

/// Returns the options that say which values are secret.
pub fn secret_options(secrets: &SecretArgs, read: plan::PlanOptions) -> secret::SecretOptions {
    secret::SecretOptions {
        read,
        echo: match secrets.echo {
            args::Echo::Contains => EchoOf::Part,
            args::Echo::Encoded => EchoOf::Encoded,
            args::Echo::Equal | args::Echo::Off => EchoOf::Whole,
        },
        echo_min: secrets.echo_min.get(),
        names: secrets.also_names.clone(),
    }
}

/// Warns if `--also-names` matched no key. Call it after all inputs were read.
pub fn warn_of_names(names: Option<&Names>) {
    if let Some(pattern) = names.and_then(Names::unmatched) {
        say(&format!("warning: --also-names {pattern} matches nothing, no key has such a name"));
    }
}

/// Returns the counts of masked values, in words.
pub fn masked(counts: &Counts) -> String {
    let Counts { marked, echoes, named, equal, .. } = *counts;
    let number = |count: u64, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {more}"),
    };
    format!(
        "masked {}, {}, {}, {}",
        number(marked, "marked value", "marked values"),
        number(echoes, "echo", "echoes"),
        number(named, "value by name", "values by name"),
        number(equal, "equal constant or identity", "equal constants and identities")
    )
}

/// Warns about secrets that a redaction may have missed, and about sections masked whole.
pub fn warn_of_masking(name: &str, counts: &Counts, echo: args::Echo) {
    let Counts { unmarked, unknown, .. } = *counts;
    if unmarked > 0 {
        let masked = match echo {
            args::Echo::Off => "is not masked, and with --echo off no echo of it is",
            args::Echo::Equal | args::Echo::Contains | args::Echo::Encoded => {
                "is masked only where it is an echo"
            }
        };
        say(&format!(
            "{name}: warning: {unmarked} elements have no marks of sensitive values, as in plans \
             of versions before 0.15: a secret in them {masked}"
        ));
    }
    if unknown > 0 {
        say(&format!("{name}: warning: {unknown} parts of unknown sections were masked whole"));
    }
}

/// Prints the message about documents without a configuration, at most once in a run.
#[derive(Default)]
pub struct ConfigurationNote {
    is_printed: bool,
}

impl ConfigurationNote {
    /// Prints that all variables are masked because the document has no configuration.
    pub fn print_once(&mut self, name: &str, counts: &Counts) {
        if counts.undeclared > 0 && !std::mem::replace(&mut self.is_printed, true) {
            say(&format!(
                "{name}: no configuration, as in all plan files: the values of all variables are \
                 masked, because the configuration says which are sensitive"
            ));
        }
    }
}

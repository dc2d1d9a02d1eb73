//! `plansift redact`: documents without their secrets.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{self, Plans, Redact, SecretArgs};
use super::exit::Exit;
use super::inputs;
use super::output::Output;
use super::run::{access, end_of_output, fail, named, options, say, threads};
use super::stats::Stats;
use crate::batch::{Entry, Location};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{self, Input, Kept};
use crate::redact::mask::{KEY_MIN, Key, Masking};
use crate::redact::{Counts, Options, redact};
use crate::secret::{self, Collected, EchoOf, collect};

/// Redacts all inputs into one output, one after the other.
pub fn run(arguments: &Redact) -> Exit {
    let plans = &arguments.plans;
    let options = match redact_options(plans, &arguments.secrets) {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    write_all(plans, |path, out| {
        let redacted =
            with_secrets(path, plans, &arguments.secrets, &options, |input, collected| {
                redact(input, collected, &options, out)
            })?;
        if !plans.quiet {
            let name = named(path);
            say(&format!("{name}: {}", masked(&redacted.counts)));
            warn(&name, &redacted.counts);
        }
        Ok(redacted.document.bytes)
    })
}

/// Writes something of each input into one output. `each` says how many bytes it has read.
pub(super) fn write_all(
    plans: &Plans,
    mut each: impl FnMut(&Path, &mut File) -> Result<u64>,
) -> Exit {
    let listed = match inputs::list(plans) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let opened = Output::open(plans.output.as_deref());
    let (mut out, output) = match opened.and_then(|output| Ok((output.writer()?, output))) {
        Ok(opened) => opened,
        Err(error) => return fail(plans.output.as_deref(), &error),
    };
    let mut stats = Stats::start();
    for entry in &listed.inputs.entries {
        let input = match entry {
            Ok(Entry { location: Location::File(path), .. }) => path,
            Ok(_) => Path::new("-"),
            Err(unlisted) => return fail(Some(Path::new(&unlisted.source)), &unlisted.error),
        };
        match each(input, &mut out) {
            Ok(bytes) => stats.add(bytes),
            Err(error) if error.kind() == ErrorKind::Write => {
                return end_of_output(plans, &error, 0);
            }
            // What was written of it is no document, and nothing may follow it.
            Err(error) => return fail(Some(input), &error),
        }
    }
    drop(out);
    if let Err(error) = output.finish() {
        return end_of_output(plans, &error, 0);
    }
    if plans.stats {
        say(&stats.line());
    }
    Exit::Done
}

/// What the arguments say of secrets.
pub(super) fn redact_options(
    plans: &Plans,
    secrets: &SecretArgs,
) -> std::result::Result<Options, Exit> {
    let masking = masking(secrets)?;
    let read = options(plans)?.read;
    let secret = secret::Options {
        read,
        echo: match secrets.echo {
            args::Echo::Contains => EchoOf::Part,
            args::Echo::Equal | args::Echo::Off => EchoOf::Whole,
        },
        echo_min: secrets.echo_min.get(),
        names: secrets.also_names.clone(),
    };
    Ok(Options { secret, masking, threads: threads(plans).unwrap_or(NonZeroUsize::MIN) })
}

fn masking(arguments: &SecretArgs) -> std::result::Result<Masking, Exit> {
    match (arguments.mask, &arguments.key_file) {
        (args::Mask::Text, None) => Ok(Masking::Text),
        (args::Mask::Null, None) => Ok(Masking::Null),
        (args::Mask::Hash, Some(path)) => {
            let bytes = std::fs::read(path)
                .map_err(|error| fail(Some(path), &Error::io(ErrorKind::Read, error)))?;
            Key::of(&bytes).map(Masking::Digest).ok_or_else(|| {
                say(&format!("{}: a key has {KEY_MIN} bytes at least", named(path)));
                Exit::Usage
            })
        }
        (args::Mask::Hash, None) => {
            say("--mask hash: name a file with a key: --key-file FILE");
            Err(Exit::Usage)
        }
        (_, Some(_)) => {
            say("--key-file: only --mask hash has a key");
            Err(Exit::Usage)
        }
    }
}

/// Opens an input, once its secrets are known as far as they are asked for.
pub(super) fn with_secrets<T>(
    path: &Path,
    plans: &Plans,
    secrets: &SecretArgs,
    options: &Options,
    read: impl FnOnce(Input, Option<&Collected>) -> Result<T>,
) -> Result<T> {
    let access = access(plans, &options.secret.read);
    let limits = &options.secret.read.limits;
    if secrets.echo == args::Echo::Off {
        return read(open(path, &access)?, None);
    }
    let kept = match path == Path::new("-") {
        true => Kept::from_stdin(limits)?,
        false => Kept::open_file(path, limits)?,
    };
    let open = || kept.input(&access);
    let collected = collect(open, &options.secret)?;
    read(open()?, Some(&collected))
}

/// Opens an input that is read once.
pub(super) fn open(path: &Path, access: &input::Options) -> Result<Input> {
    match path == Path::new("-") {
        true => Input::from_stdin(access),
        false => Input::open_file(path, access),
    }
}

/// What was masked.
pub(super) fn masked(counts: &Counts) -> String {
    let Counts { marked, echoes, named, equal, .. } = counts;
    format!(
        "masked {marked} marked values, {echoes} echoes, {named} values by name, \
         {equal} equal constants and identities"
    )
}

/// What to think of it.
pub(super) fn warn(name: &str, counts: &Counts) {
    let Counts { unmarked, unknown, .. } = *counts;
    if unmarked > 0 {
        say(&format!(
            "{name}: warning: {unmarked} elements say nothing of sensitive values, as those of \
             versions before 0.15: what is secret in them is masked only where it is an echo"
        ));
    }
    if unknown > 0 {
        say(&format!("{name}: warning: {unknown} parts of unknown sections were masked whole"));
    }
}

//! `plansift redact`: documents without their secrets.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{self, Redact};
use super::exit::Exit;
use super::inputs;
use super::output::Output;
use super::run::{access, end_of_output, fail, named, options, say, threads};
use super::stats::Stats;
use crate::batch::{Entry, Location};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Kept};
use crate::redact::mask::{KEY_MIN, Key, Masking};
use crate::redact::{Counts, Options, Redacted, redact};
use crate::secret::{self, EchoOf, collect};

/// Redacts all inputs into one output, one after the other.
pub fn run(arguments: &Redact) -> Exit {
    let plans = &arguments.plans;
    let masking = match masking(arguments) {
        Ok(masking) => masking,
        Err(exit) => return exit,
    };
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    let secret = secret::Options {
        read,
        echo: match arguments.secrets.echo {
            args::Echo::Contains => EchoOf::Part,
            args::Echo::Equal | args::Echo::Off => EchoOf::Whole,
        },
        echo_min: arguments.secrets.echo_min.get(),
        names: arguments.secrets.also_names.clone(),
    };
    let threads = threads(plans).unwrap_or(NonZeroUsize::MIN);
    let options = Options { secret, masking, threads };
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
        match redact_one(input, arguments, &options, &mut out) {
            Ok(redacted) => {
                stats.add(redacted.document.bytes);
                if !plans.quiet {
                    tell(input, &redacted);
                }
            }
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

fn masking(arguments: &Redact) -> std::result::Result<Masking, Exit> {
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

fn redact_one(
    path: &Path,
    arguments: &Redact,
    options: &Options,
    out: &mut impl Write,
) -> Result<Redacted> {
    let plans = &arguments.plans;
    let access = access(plans, &options.secret.read);
    let limits = &options.secret.read.limits;
    let is_stdin = path == Path::new("-");
    if arguments.secrets.echo == args::Echo::Off {
        let input = match is_stdin {
            true => Input::from_stdin(&access)?,
            false => Input::open_file(path, &access)?,
        };
        return redact(input, None, options, out);
    }
    let kept = match is_stdin {
        true => Kept::from_stdin(limits)?,
        false => Kept::open_file(path, limits)?,
    };
    let open = || kept.input(&access);
    let collected = collect(open, &options.secret)?;
    redact(open()?, Some(&collected), options, out)
}

/// What was masked, and what to think of it.
fn tell(path: &Path, redacted: &Redacted) {
    let Counts { marked, echoes, named: by_name, equal, unmarked, unknown } = redacted.counts;
    let name = named(path);
    say(&format!(
        "{name}: masked {marked} marked values, {echoes} echoes, {by_name} values by name, \
         {equal} equal constants and identities"
    ));
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

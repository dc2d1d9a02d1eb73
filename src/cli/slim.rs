//! `plansift slim`: plans cut down to what is read of them.

use super::args::{Slim, WrapIn};
use super::exit::Exit;
use super::inputs;
use super::redact::{masked, ready, redact_options, warn, write_all};
use super::run::{access, say};
use crate::record::Show;
use crate::redact::Secrecy;
use crate::sink::summary::visible;
use crate::slim::{LeftOut, Options, Slimmed, Wrap, slim};

/// Cuts all inputs down into one output, one after the other.
pub fn run(arguments: &Slim) -> Exit {
    let (plans, secrets) = (&arguments.plans, &arguments.secrets);
    let masking = match redact_options(plans, secrets, &arguments.mask) {
        Ok(masking) => masking,
        Err(exit) => return exit,
    };
    let options = Options {
        keep: arguments.keep.clone(),
        show: if plans.all { Show::All } else { Show::Changes },
        only: arguments.only.clone(),
        paths: arguments.paths.clone(),
        wrap: arguments.wrap.map(|WrapIn::Terraform| Wrap::Terraform),
    };
    let listed = match inputs::list(plans, arguments.output.as_deref()) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    write_all(plans, arguments.output.as_deref(), &listed, |entry, out| {
        let slimmed = if arguments.no_redact {
            let input = entry.open(&access(plans, &masking.secret.read))?;
            slim(input, &options, Secrecy::Off, &masking, out)
        } else {
            let ready = ready(entry, plans, secrets, &masking)?;
            let secrecy = ready.collected.as_ref().map_or(Secrecy::Unknown, Secrecy::Known);
            slim(ready.input, &options, secrecy, &masking, out)
        }?;
        if !plans.quiet {
            tell(&visible(&entry.source()), &slimmed, arguments);
        }
        Ok(slimmed.redacted.document.bytes)
    })
}

/// What was left out and masked, and what to think of it.
fn tell(name: &str, slimmed: &Slimmed, arguments: &Slim) {
    let counts = &slimmed.redacted.counts;
    let left_out = left_out(&slimmed.left_out);
    if arguments.no_redact {
        say(&format!("{name}: left out {left_out}; masked nothing"));
        say(&format!("{name}: warning: secrets of the plan are in what was written (--no-redact)"));
    } else {
        say(&format!("{name}: left out {left_out}; {}", masked(counts)));
    }
    if slimmed.left_out.sections.contains(&"resource_changes") {
        say(&format!(
            "{name}: warning: the changes of resources were left out: who reads what was written \
             sees none"
        ));
    }
    warn(name, counts);
}

fn left_out(left_out: &LeftOut) -> String {
    let LeftOut { sections, unknown, no_ops, others, attributes } = left_out;
    let mut parts = Vec::new();
    let counted = [
        (no_ops, "no-op changes"),
        (others, "other resources"),
        (attributes, "attributes"),
        (unknown, "unknown sections"),
    ];
    for (count, what) in counted {
        if *count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    parts.extend(sections.iter().map(|&section| section.to_owned()));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

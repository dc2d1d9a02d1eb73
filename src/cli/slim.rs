//! `plansift slim`: cuts plans down to the sections, resources and attributes that readers need.

use super::args::Slim;
use super::exit::Exit;
use super::inputs;
use super::messages::say;
use super::rewriting::{RewritingTarget, passes, write_all};
use super::secrets::{ConfigurationNote, masked, redact_options, warn_of_masking, warn_of_names};
use super::unmatched;
use plansift_fleet::run::Passes;
use plansift_plan::plan::Accepts;
use plansift_plan::record::Show;
use plansift_redact::redact::Secrecy;
use plansift_redact::slim::{LeftOut, PlanPart, SlimOptions, Slimmed, slim};

/// Writes the parts of all inputs, in order, to one output.
pub fn run(arguments: &Slim) -> Result<Exit, Exit> {
    let (plans, secrets) = (&arguments.plans, &arguments.secrets);
    let masking = redact_options(plans, secrets, &arguments.mask)?;
    let options = SlimOptions {
        keep: arguments.keep.clone(),
        show: if arguments.all { Show::All } else { Show::Changes },
        only: arguments.only.clone(),
        paths: arguments.paths.clone(),
        wrap: arguments.wrap,
        patterns: unmatched::slim(&arguments.only, &arguments.paths),
    };
    let (output, key_file) = (arguments.output.as_deref(), arguments.mask.key_file.clone());
    let listed = inputs::list(plans, Accepts::Plans, output, key_file)?;
    let passes = match arguments.no_redact {
        true => Passes::One,
        false => passes(secrets, Passes::Two(Accepts::Plans)),
    };
    let target = RewritingTarget { path: output, is_audited: arguments.mask.for_agent };
    let secret = &masking.secret;
    let (mut kept, mut searched_not) = (Vec::new(), Vec::new());
    let mut note = ConfigurationNote::default();
    let exit = write_all(plans, &listed, target, passes, secret, |turn, collected, out| {
        let secrecy = match collected {
            Some(collected) => Secrecy::Known(collected),
            None if arguments.no_redact => Secrecy::Off,
            None => Secrecy::Unknown,
        };
        let slimmed = slim(turn.documents, &options, secrecy, &masking, out)?;
        if !plans.quiet {
            print_counts(turn.label.source, &slimmed, arguments);
            note.print_once(turn.label.source, &slimmed.redacted.counts);
        }
        for section in slimmed.left_out.sections.into_iter().filter(|it| has_resources(it)) {
            if !searched_not.contains(&section) {
                searched_not.push(section);
            }
        }
        for part in slimmed.kept {
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
        Ok(slimmed.redacted.document)
    });
    if !plans.quiet && matches!(exit, Ok(Exit::Done | Exit::SomeFailed)) {
        unmatched::warn_of_slim(options.patterns.as_deref(), &searched_not);
        if !arguments.no_redact {
            warn_of_names(masking.secret.names.as_ref());
        }
        if arguments.keep != PlanPart::DEFAULT {
            unmatched::warn_of_parts(&arguments.keep, &kept);
        }
    }
    exit
}

/// Returns whether a section has resources, which `--only` and `--paths` can name.
fn has_resources(section: &str) -> bool {
    let sections =
        ["resource_changes", "resource_drift", "deferred_changes", "planned_values", "prior_state"];
    sections.contains(&section)
}

/// Prints the counts of the left-out and the masked parts of a plan, and the warnings.
fn print_counts(name: &str, slimmed: &Slimmed, arguments: &Slim) {
    let counts = &slimmed.redacted.counts;
    let left_out = left_out(&slimmed.left_out);
    if arguments.no_redact {
        say(&format!("{name}: left out {left_out}; masked nothing"));
        say(&format!("{name}: warning: the output contains the secrets of the plan (--no-redact)"));
    } else {
        say(&format!("{name}: left out {left_out}; {}", masked(counts)));
    }
    if slimmed.left_out.sections.contains(&"resource_changes") {
        say(&format!(
            "{name}: warning: the changes of resources were left out: the output shows no change"
        ));
    }
    if slimmed.is_emptied {
        say(&format!(
            "{name}: warning: --only left out every change of a resource: the output shows none"
        ));
    }
    warn_of_masking(name, counts, arguments.secrets.echo);
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
    for (count, name) in counted {
        if *count > 0 {
            parts.push(format!("{count} {name}"));
        }
    }
    parts.extend(sections.iter().map(|&section| section.to_owned()));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

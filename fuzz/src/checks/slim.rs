//! A slimmed plan does not depend on windows and threads. It is JSON if the input was, and it does
//! not change when it is slimmed again. In two cases it may change once, but not twice: if the
//! declarations of variables were left out, and if a masked value was kept for an attribute inside
//! it, because the mask has no attributes.

use std::num::NonZeroUsize;

use plansift::input::{Slice, Source};
use plansift::limits::Limits;
use plansift::path::{AddressPattern, Pattern};
use plansift::plan;
use plansift::plan::Accepts;
use plansift::record::Show;
use plansift::redact::mask::Masking;
use plansift::redact::{self, Secrecy};
use plansift::scan::Isa;
use plansift::secret::{self, EchoOf};
use plansift::slim::{PlanPart, SlimOptions, slim};

use super::draw::Draw;
use super::pieces::Pieces;
use super::rewritten::{Whole, documents};

/// Slims `text`, whole and in pieces.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    for secrets in [Secrets::Masked, Secrets::MarksMasked, Secrets::Shown] {
        let options = wanted(&mut draw);
        let whole = slimmed(|| Slice(text), &options, secrets, 1, Isa::best());
        let pieces = draw.clone();
        let isa = draw.one_of(&isas);
        let cut = slimmed(|| Pieces::new(text, pieces.clone()), &options, secrets, 2, isa);
        let how = format!("{} {secrets:?} {options:?}", isa.name());
        assert!(cut.agrees(&whole), "{how}: {cut:?}, {whole:?}");
        let open = || Pieces::in_memory(text, pieces.clone());
        let ahead = slimmed(open, &options, secrets, 2, isa);
        assert!(ahead.agrees(&whole), "{how}, ahead: {ahead:?}, {whole:?}");
        if !whole.errors.is_empty() {
            continue;
        }
        if serde_json::from_slice::<serde_json::Value>(text).is_ok() {
            let parsed = serde_json::from_slice::<serde_json::Value>(&whole.written);
            assert!(parsed.is_ok(), "{secrets:?} {options:?}");
        }
        let twice = slimmed(|| Slice(&whole.written), &options, secrets, 1, isa);
        if secrets == Secrets::Shown || (has_declarations(&options) && options.paths.is_empty()) {
            twice.assert_repeats(&whole, &how);
        } else {
            let again = slimmed(|| Slice(&twice.written), &options, secrets, 1, isa);
            again.assert_repeats(&twice, &how);
        }
    }
}

/// How `slim` treats secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrets {
    Masked,
    MarksMasked,
    Shown,
}

/// Whether the output has the declarations of its variables, which say which are sensitive. Without
/// them, slimming again masks all variables.
fn has_declarations(options: &SlimOptions) -> bool {
    options.keep.contains(&PlanPart::Configuration) || !options.keep.contains(&PlanPart::Variables)
}

/// Random options.
fn wanted(draw: &mut Draw) -> SlimOptions {
    let keep = PlanPart::NAMES.into_iter().filter(|_| draw.below(2) == 0).map(|(_, part)| part);
    let keep = keep.collect();
    let only = ["*", "module.*", "*[0]", "null_resource*"];
    let paths = ["*", "a", "tags", "*.id", "values[0]"];
    let only =
        only.iter().filter(|_| draw.below(6) == 0).map(|glob| AddressPattern::new(glob)).collect();
    let path = |path: &&str| Pattern::parse(path).expect("a path");
    let paths = paths.iter().filter(|_| draw.below(8) == 0).map(path).collect();
    let show = draw.one_of(&[Show::All, Show::Changes]);
    SlimOptions { keep, show, only, paths, ..SlimOptions::default() }
}

fn slimmed<S: Source>(
    open: impl FnMut() -> S,
    options: &SlimOptions,
    secrets: Secrets,
    threads: usize,
    isa: Isa,
) -> Whole {
    let limits = Limits { secrets: 100, ..Limits::default() };
    let threads = NonZeroUsize::new(threads);
    let read = plan::PlanOptions { isa, limits, threads, ..plan::PlanOptions::default() };
    let secret = secret::SecretOptions { read, echo_min: 3, echo: EchoOf::Whole, names: None };
    let masking = redact::RedactOptions { secret, masking: Masking::Text };
    let twice = (secrets == Secrets::Masked).then_some(Accepts::Plans);
    documents(open, twice, &masking.secret, |documents, collected, out| {
        let secrecy = match (secrets, collected) {
            (Secrets::Shown, _) => Secrecy::Off,
            (_, Some(collected)) => Secrecy::Known(collected),
            (_, None) => Secrecy::Unknown,
        };
        let slimmed = slim(documents, options, secrecy, &masking, out)?;
        Ok(slimmed.redacted.counts)
    })
}

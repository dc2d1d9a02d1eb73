//! A document without its secrets: the same however it arrives, still JSON where it was, and what
//! it is when its secrets are taken from it again.

use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::limits::Limits;
use plansift::plan;
use plansift::redact::mask::Masking;
use plansift::redact::{Options, redact};
use plansift::scan::Isa;
use plansift::secret::{self, EchoOf, collect};

use super::draw::Draw;
use super::pieces::Pieces;
use super::{Told, told};

/// Redacts `text` in every way, whole and in pieces.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    for echo in [Some(EchoOf::Whole), Some(EchoOf::Part), None] {
        let whole = redacted(|| Slice(text), echo, 1, Isa::best());
        let pieces = draw.clone();
        let isa = draw.one_of(&isas);
        let cut = redacted(|| Pieces::new(text, pieces.clone()), echo, 2, isa);
        assert_eq!(cut, whole, "{} {echo:?}", isa.name());
        let Ok(redacted_once) = whole else { continue };
        if serde_json::from_slice::<serde_json::Value>(text).is_ok() {
            let parsed = serde_json::from_slice::<serde_json::Value>(&redacted_once);
            assert!(parsed.is_ok(), "{echo:?}");
        }
        let twice = redacted(|| Slice(&redacted_once), echo, 1, isa);
        assert_eq!(twice.as_ref(), Ok(&redacted_once), "{echo:?}");
    }
}

fn redacted<S: Source>(
    mut open: impl FnMut() -> S,
    echo: Option<EchoOf>,
    threads: usize,
    isa: Isa,
) -> std::result::Result<Vec<u8>, Told> {
    let limits = Limits { secrets: 100, secret_texts: 10_000, ..Limits::default() };
    let options = Options {
        secret: secret::Options {
            read: plan::Options { isa, validation: Validation::Visited, limits },
            echo_min: 3,
            echo: echo.unwrap_or_default(),
            names: None,
        },
        masking: Masking::Text,
        threads: threads.try_into().expect("not zero"),
    };
    let mut out = Vec::new();
    let mut run = || -> Result<()> {
        let collected = echo.map(|_| collect(|| Ok(open()), &options.secret)).transpose()?;
        redact(open(), collected.as_ref(), &options, &mut out).map(|_| ())
    };
    match run() {
        Ok(()) => Ok(out),
        Err(error) => Err(told(&error)),
    }
}

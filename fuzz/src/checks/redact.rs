//! A redacted document does not depend on windows and threads. It is JSON if the input was, and it
//! does not change when it is redacted again.

use std::num::NonZeroUsize;

use plansift::input::{Slice, Source};
use plansift::limits::Limits;
use plansift::plan;
use plansift::plan::Accepts;
use plansift::redact::mask::Masking;
use plansift::redact::{RedactOptions, redact};
use plansift::scan::Isa;
use plansift::secret::{self, EchoOf};

use super::draw::Draw;
use super::pieces::Pieces;
use super::rewritten::{Whole, documents};

/// Redacts `text` as a whole, in pieces, and with lookahead.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    for echo in [Some(EchoOf::Whole), Some(EchoOf::Part), Some(EchoOf::Encoded), None] {
        let whole = redacted(|| Slice(text), echo, 1, Isa::best());
        let pieces = draw.clone();
        let isa = draw.one_of(&isas);
        let cut = redacted(|| Pieces::new(text, pieces.clone()), echo, 2, isa);
        assert!(cut.agrees(&whole), "{} {echo:?}: {cut:?}, {whole:?}", isa.name());
        let threads = draw.one_of(&[1, 2, 3]);
        let ahead = redacted(|| Pieces::in_memory(text, pieces.clone()), echo, threads, isa);
        let how = format!("{} {echo:?}, {threads} threads", isa.name());
        assert!(ahead.agrees(&whole), "{how}: {ahead:?}, {whole:?}");
        if !whole.errors.is_empty() {
            continue;
        }
        if serde_json::from_slice::<serde_json::Value>(text).is_ok() {
            let parsed = serde_json::from_slice::<serde_json::Value>(&whole.written);
            assert!(parsed.is_ok(), "{echo:?}");
        }
        let twice = redacted(|| Slice(&whole.written), echo, 1, isa);
        twice.assert_repeats(&whole, &format!("{echo:?}"));
    }
}

/// Whether redaction masks nothing in the documents.
pub fn masks_nothing(text: &[u8], echo: EchoOf) -> bool {
    let options = options(Some(echo), 1, Isa::best());
    let accepts = Some(Accepts::States);
    let whole = documents(
        || Slice(text),
        accepts,
        &options.secret,
        |documents, collected, out| {
            redact(documents, collected, &options, out).map(|redacted| redacted.counts)
        },
    );
    whole.counts.iter().all(|counts| counts.masked() == 0)
}

fn redacted<S: Source>(
    open: impl FnMut() -> S,
    echo: Option<EchoOf>,
    threads: usize,
    isa: Isa,
) -> Whole {
    let options = options(echo, threads, isa);
    let twice = echo.map(|_| Accepts::States);
    documents(open, twice, &options.secret, |documents, collected, out| {
        redact(documents, collected, &options, out).map(|redacted| redacted.counts)
    })
}

fn options(echo: Option<EchoOf>, threads: usize, isa: Isa) -> RedactOptions {
    let limits = Limits { secrets: 100, secret_texts: 10_000, ..Limits::default() };
    let threads = NonZeroUsize::new(threads);
    let read = plan::PlanOptions { isa, limits, threads, ..plan::PlanOptions::default() };
    let echo = echo.unwrap_or_default();
    let secret = secret::SecretOptions { read, echo_min: 3, echo, names: None };
    RedactOptions { secret, masking: Masking::Text }
}

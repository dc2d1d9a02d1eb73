//! Finds texts that contain a secret: connection strings, templates, documents in strings.
//!
//! The secrets form an automaton ([`super::automaton`]), which reads each byte of a text once,
//! however many secrets there are. A filter in front of it rejects most texts ([`super::grams`]).
//! Another filter rejects most texts without encoded secrets ([`super::base64`]). The automaton
//! reads the decoded bytes of the other texts, too.
//!
//! Only this module and the automaton keep the secrets themselves in memory from piece to piece.
//! Other modules decode a text into a buffer, and the next text overwrites it. Both wipe their
//! memory before they free it, and never let an allocation grow, because growing leaves copies
//! behind.

use zeroize::Zeroizing;

use super::EchoOf;
use super::automaton::Automaton;
use super::base64::Base64;
use super::escapes::{
    has_escapable, has_escapes_of_any, may_have_escapes, single_markers, unescaped, url_decoded,
    without_pairs, without_space,
};
use super::grams::Grams;
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_core::text_document::DOCUMENT_DEPTH_MAX;

/// The texts of secrets, for building [`Contained`].
#[derive(Debug)]
pub struct Texts {
    /// The texts, one after another. Each lies in one block, and blocks never grow.
    blocks: Vec<Zeroizing<Vec<u8>>>,
    /// The lengths of the texts in bytes.
    lens: Vec<u32>,
    /// Length of all texts in all spellings that are searched for, in bytes.
    searched: u64,
    /// Maximum of `searched`, less than `u32::MAX`.
    max: u64,
    /// Minimum length of a text in bytes.
    len_min: usize,
}

/// Length of a block in bytes. A longer text has a block of its own.
const BLOCK: usize = 1 << 16;

impl Texts {
    /// An empty collection that ignores texts shorter than `len_min` bytes.
    pub fn new(len_min: usize, limits: &Limits) -> Texts {
        let (blocks, lens) = (Vec::new(), Vec::new());
        Texts { blocks, lens, searched: 0, max: limits.secret_texts, len_min }
    }

    /// Adds a secret, found at `offset`. Skips a secret that begins with the previous one: every
    /// text that contains it also contains the previous secret. Fails if all secrets together are
    /// too long.
    pub fn push(&mut self, text: &[u8], offset: u64) -> Result<()> {
        let is_found = |last: &[u8]| text.starts_with(last);
        if text.len() < self.len_min || self.last().is_some_and(is_found) {
            return Ok(());
        }
        let spellings = (1 + u64::from(has_space(text))) * (1 + u64::from(has_markers(text)));
        self.searched += text.len() as u64 * spellings;
        if self.searched > self.max {
            return Err(Error::limit(Limit::SecretTexts, self.max, offset));
        }
        self.add(text);
        Ok(())
    }

    fn add(&mut self, text: &[u8]) {
        let has_room = |block: &Vec<u8>| block.capacity() - block.len() >= text.len();
        if !self.blocks.last().is_some_and(|block| has_room(block)) {
            self.blocks.push(Zeroizing::new(Vec::with_capacity(BLOCK.max(text.len()))));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(text);
            self.lens.push(text.len() as u32);
        }
    }

    fn last(&self) -> Option<&[u8]> {
        let (block, len) = (self.blocks.last()?, *self.lens.last()?);
        block.len().checked_sub(len as usize).map(|start| &block[start..])
    }

    /// Another spelling of the texts that have one. Leaves out spellings shorter than `len_min`.
    fn spelled(
        &self,
        len_min: usize,
        has_spelling: fn(&[u8]) -> bool,
        spelling: fn(&[u8]) -> Zeroizing<Vec<u8>>,
    ) -> Texts {
        let (blocks, lens) = (Vec::new(), Vec::new());
        let mut texts = Texts { blocks, lens, searched: 0, max: self.max, len_min };
        for text in self.iter().filter(|text| has_spelling(text)) {
            let spelling = spelling(text);
            if spelling.len() >= len_min {
                texts.add(&spelling);
            }
        }
        texts
    }

    /// The texts with escaped template markers, as [`single_markers`] leaves them. They may be
    /// shorter than the minimum, but not shorter than half of it.
    fn with_single_markers(&self) -> Texts {
        self.spelled(self.len_min.div_ceil(2), has_markers, single_markers)
    }

    /// The texts with white space, without it.
    fn without_space(&self) -> Texts {
        self.spelled(self.len_min, has_space, without_space)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut blocks = self.blocks.iter();
        let mut left: &[u8] = &[];
        self.lens.iter().map(move |&len| {
            if left.is_empty() {
                left = blocks.next().map_or(&[], |block| block);
            }
            let (text, behind) = left.split_at(len as usize);
            left = behind;
            text
        })
    }

    fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    /// Number of texts.
    fn count(&self) -> usize {
        self.lens.len()
    }

    /// Length of all texts in bytes.
    fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }
}

/// Whether a text has white space, so that [`without_space`] changes it.
fn has_space(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_whitespace)
}

/// Whether a text has an escaped template marker, so that [`single_markers`] changes it.
fn has_markers(text: &[u8]) -> bool {
    text.windows(3).any(|it| matches!(it, b"$${" | b"%%{"))
}

/// Recognises texts that contain a secret.
#[derive(Debug)]
pub struct Contained {
    automaton: Automaton,
    filter: Grams,
    /// True if a secret has a character that nested documents may escape.
    has_escapable: bool,
    /// True if a secret has a space.
    has_spaces: bool,
    /// True if a secret has a single quote.
    has_quotes: bool,
    /// The secrets with white space, without it. YAML folds lines, and indents them.
    squeezed: Option<Box<Contained>>,
    /// The secrets with escaped template markers, with single markers.
    single: Option<Box<Contained>>,
    /// Finds encoded secrets, if the options say so.
    base64: Option<Base64>,
}

impl Contained {
    /// Builds the automaton for these secrets. `echo` says whether encoded secrets count.
    pub fn new(texts: &Texts, echo: EchoOf) -> Contained {
        let mut contained = Contained::with_squeezed(texts);
        contained.base64 = (echo == EchoOf::Encoded)
            .then(|| Base64::new(texts.len_min, texts.count(), texts.iter()));
        let single = texts.with_single_markers();
        if !single.is_empty() {
            contained.single = Some(Box::new(Contained::with_squeezed(&single)));
        }
        contained
    }

    fn with_squeezed(texts: &Texts) -> Contained {
        let mut contained = Contained::of(texts);
        let squeezed = texts.without_space();
        if !squeezed.is_empty() {
            contained.squeezed = Some(Box::new(Contained::of(&squeezed)));
        }
        contained
    }

    fn of(texts: &Texts) -> Contained {
        Contained {
            automaton: Automaton::new(texts.iter(), texts.count(), texts.len()),
            filter: Grams::of(texts.len_min, texts.count(), texts.iter()),
            has_escapable: texts.iter().any(has_escapable),
            has_spaces: texts.iter().any(|text| text.contains(&b' ')),
            has_quotes: texts.iter().any(|text| text.contains(&b'\'')),
            squeezed: None,
            single: None,
            base64: None,
        }
    }

    /// Whether there are no secrets to find.
    pub fn is_empty(&self) -> bool {
        self.automaton.is_empty()
    }

    /// Whether a decoded text contains a secret. The secret may be literal, URL-encoded, spelled as
    /// in YAML, or escaped in a document inside the text, which may contain further documents. If
    /// the options say so, the text may also contain base64 of a text that contains a secret.
    #[inline]
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.is_spelled_in(text)
            || self.base64.as_ref().is_some_and(|base64| self.is_encoded_in(text, base64))
    }

    #[inline]
    fn is_spelled_in(&self, text: &[u8]) -> bool {
        self.is_literally_in(text)
            || self.is_in_yaml(text)
            || (may_have_escapes(text) && self.is_escaped_in(text))
    }

    /// Whether a text has base64 of a text that contains a secret. Line breaks may cut the base64.
    /// URLs escape a part of it, and so do some writers of JSON.
    fn is_encoded_in(&self, text: &[u8], base64: &Base64) -> bool {
        let has = |text: &[u8]| base64.any(text, &mut |plain| self.is_spelled_in(plain));
        let is_in = |text: &[u8]| match memchr::memchr(b'\n', text) {
            Some(_) => has(&without_space(text)),
            None => has(text),
        };
        is_in(text)
            || (memchr::memchr(b'%', text).is_some() && is_in(&url_decoded(text, false)))
            || (memchr::memchr(b'\\', text).is_some() && is_in(&unescaped(text)))
    }

    /// Whether a text contains a secret between single quotes, or on several lines.
    #[inline]
    fn is_in_yaml(&self, text: &[u8]) -> bool {
        let squeezed = self.squeezed.as_ref().filter(|_| memchr::memchr(b'\n', text).is_some());
        self.is_between_quotes_in(text)
            || squeezed.is_some_and(|squeezed| {
                let text = without_space(text);
                squeezed.is_literally_in(&text) || squeezed.is_between_quotes_in(&text)
            })
    }

    /// Whether a text contains a secret with doubled single quotes, which are doubled again in each
    /// document around it.
    fn is_between_quotes_in(&self, text: &[u8]) -> bool {
        let mut outer = Zeroizing::new(Vec::new());
        for depth in 0..DOCUMENT_DEPTH_MAX {
            let around = if depth == 0 { text } else { &outer };
            if !self.has_quotes || memchr::memmem::find(around, b"''").is_none() {
                return false;
            }
            let inner = without_pairs(around);
            if self.is_literally_in(&inner) {
                return true;
            }
            outer = inner;
        }
        false
    }

    #[inline]
    fn is_literally_in(&self, text: &[u8]) -> bool {
        self.filter.may_hold(text) && self.automaton.finds(text)
    }

    /// Whether a text contains a secret after its escapes are removed. The unescaped copies are
    /// wiped.
    #[inline(never)]
    fn is_escaped_in(&self, text: &[u8]) -> bool {
        if self.is_in_url(text) {
            return true;
        }
        let mut outer = Zeroizing::new(Vec::new());
        for depth in 0..DOCUMENT_DEPTH_MAX {
            let around = if depth == 0 { text } else { &outer };
            // Nearly all escapes in documents are escaped quotes, and most secrets have no quote.
            if !self.has_escapable && !has_escapes_of_any(around) {
                return false;
            }
            let inner = unescaped(around);
            let single = single_markers(&inner);
            let is_new = *inner != *around;
            if is_new && self.is_in_document(&inner)
                || *single != *inner && self.is_in_single(&single)
            {
                return true;
            }
            if !is_new {
                return false;
            }
            outer = inner;
        }
        false
    }

    /// Whether a text with single template markers contains a secret.
    fn is_in_single(&self, text: &[u8]) -> bool {
        self.is_in_document(text)
            || self.single.as_ref().is_some_and(|single| single.is_in_document(text))
    }

    /// Whether a text without escapes contains a secret.
    fn is_in_document(&self, text: &[u8]) -> bool {
        self.is_literally_in(text) || self.is_in_yaml(text) || self.is_in_url(text)
    }

    fn is_in_url(&self, text: &[u8]) -> bool {
        let has_escapes = memchr::memchr(b'%', text).is_some();
        let has_pluses = self.has_spaces && memchr::memchr(b'+', text).is_some();
        has_escapes && self.is_literally_in(&url_decoded(text, false))
            || has_pluses && self.is_literally_in(&url_decoded(text, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contained(secrets: &[&[u8]], len_min: usize) -> Contained {
        let mut texts = Texts::new(len_min, &Limits::default());
        secrets.iter().for_each(|secret| texts.push(secret, 0).unwrap());
        Contained::new(&texts, EchoOf::Part)
    }

    proptest! {
        #[test]
        fn texts_that_contain_a_secret_are_found(
            secrets in prop::collection::vec("[ab]{3,12}", 0..8),
            text in "[abc]{0,60}",
        ) {
            let bytes: Vec<_> = secrets.iter().map(|secret| secret.as_bytes()).collect();
            let expected = secrets.iter().any(|secret| text.contains(secret));
            prop_assert_eq!(contained(&bytes, 3).is_in(text.as_bytes()), expected);
        }

        #[test]
        fn a_contained_secret_passes_the_filter_at_any_offset(
            secret in "[a-z]{8,30}", before in "[A-Z]{0,40}", behind in "[A-Z]{0,40}",
        ) {
            let text = format!("{before}{secret}{behind}");
            prop_assert!(contained(&[secret.as_bytes()], 8).is_in(text.as_bytes()));
        }
    }

    #[test]
    fn secrets_with_escaped_template_markers_are_found() {
        for secret in ["A%%{0 A\n", "set -e\necho $${HOME}", "$$${x}\"%%%{y}"] {
            let contained = contained(&[secret.as_bytes()], 8);
            for is_hcl in [false, true] {
                let mut text = secret.to_owned();
                for _ in 0..3 {
                    text = quoted(&text, is_hcl);
                    assert!(contained.is_in(text.as_bytes()), "{text}");
                }
            }
        }
    }

    #[test]
    fn secrets_with_template_markers_mask_no_other_texts() {
        let contained = contained(&[b"$${HOME}", b"set -e; echo $${HOME} done"], 8);
        assert!(contained.is_in(b"run: >\n  set -e; echo $$${HOME}\n  done\n"));
        assert!(contained.is_in(b"a = \"$$${HOME}\""));
        assert!(!contained.is_in(b"echo ${HOME}"));
        assert!(!contained.is_in(b"a = \"${HOME}\\n\""));
    }

    /// Quotes a text as JSON does, or as HCL does, which also escapes the markers of templates.
    fn quoted(text: &str, is_hcl: bool) -> String {
        let json = serde_json::json!({ "a": text }).to_string();
        match is_hcl {
            true => json.replace("${", "$${").replace("%{", "%%{"),
            false => json,
        }
    }

    proptest! {
        #[test]
        fn secrets_in_nested_documents_are_found(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "ab", "$", "%", "{", "}", "$${", "%%{", "%41", "\n", "\"", "'", "\\", "+", " ",
                ]),
                8..16,
            ),
            levels in prop::collection::vec(any::<bool>(), 0..3),
        ) {
            let secret = parts.concat();
            let text = levels.iter().fold(secret.clone(), |text, is_hcl| quoted(&text, *is_hcl));
            prop_assert!(contained(&[secret.as_bytes()], 8).is_in(text.as_bytes()), "{}", text);
        }
    }

    #[test]
    fn secrets_are_found_in_other_spellings() {
        let mut texts = Texts::new(8, &Limits::default());
        texts.push(b"p@ss\"word<1>", 0).unwrap();
        let contained = Contained::new(&texts, EchoOf::Part);
        for text in [
            &b"postgres://u:p%40ss%22word%3C1%3E@host"[..],
            br#"{"a":"p@ss\"word<1>"}"#,
            br#"{"a":"p@ss\"word\u003c1\u003e"}"#,
            b"p@ss\"word<1>",
        ] {
            assert!(contained.is_in(text));
        }
        assert!(!contained.is_in(b"p@ss word<1>"));
        let mut texts = Texts::new(8, &Limits::default());
        let secrets = ["correct horse", "pa:ss/wo?rd", "line\none\"two", "p\u{e4}ss\u{1f600}word"];
        let others = ["te${mp}late", "10%{of}it", "it's a secret"];
        for secret in secrets.into_iter().chain(others) {
            texts.push(secret.as_bytes(), 0).unwrap();
        }
        texts.push("abc\u{2028}def\u{8}".as_bytes(), 0).unwrap();
        let contained = Contained::new(&texts, EchoOf::Part);
        for text in [
            "q=correct+horse&x",
            "/correct%20horse/",
            "pa%3Ass%2Fwo%3Frd",
            "pa%3ass%2fwo%3frd",
            "pa%3Ass/wo%3Frd",
            r#"{"a":"line\none\"two"}"#,
            r#"{"a":"{\"b\":\"line\\none\\\"two\"}"}"#,
            r#"{"a":"p\u00e4ss\ud83d\ude00word"}"#,
            r#"{"a":"abc\u2028def\u0008"}"#,
            r#"{"a":"abc\u2028def\u0008", "b":"100%"}"#,
            r#"{"a":"{\"b\":\"{\\\"c\\\":\\\"correct\\\\u0020horse\\\"}\"}"}"#,
            r#"{"a":"pa:ss\/wo?rd"}"#,
            r#"{"a":"https://u:pa%3Ass%2Fwo%3frd@h"}"#,
            r#"{"a":"p\u00E4ss\uD83D\uDE00word"}"#,
            "a = \"te$${mp}late\" and 100%%{x}",
            "a = \"10%%{of}it\"",
            "{{ x }}: >\n    correct\n    horse",
            "{{ x }}: |\n    line\n    one\"two\n",
            "{{ x }}: 'it''s a\n  secret'",
            "{{ x }}: 'it''s a secret'",
            "{{ x }}: \"correct\\\n  \\ \\x68orse\"",
            "{{ x }}: \"p\\xe4ss\\U0001f600word\"",
            "{\"a\": \"b: |\\n  line\\n  one\\\"two\"}",
            "{{ x }}: \"correct\\\r\n  \\ horse\"",
            "a: 'b: ''it''''s a secret'''",
            "a: 'b: ''c: ''''it''''''''s a secret'''''''",
            "a: \"abc\\Ldef\\b\"",
        ] {
            assert!(contained.is_in(text.as_bytes()), "{text}");
        }
        let mut nested = "line\none\"two".to_owned();
        for _ in 0..DOCUMENT_DEPTH_MAX {
            nested = serde_json::json!({ "a": nested }).to_string();
            assert!(contained.is_in(nested.as_bytes()), "{nested}");
        }
        for text in [
            "line%none$\"two",
            "correct%2 horse",
            "te${mp}laté",
            "10%%of}it",
            r"pa:ss\wo?rd",
            "correcthorse",
            "it''s no\nsecret",
        ] {
            assert!(!contained.is_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_total_length_of_secret_texts_is_limited() {
        let limits = Limits { secret_texts: 10, ..Limits::default() };
        let mut texts = Texts::new(8, &limits);
        texts.push(b"12345678", 0).unwrap();
        assert!(texts.push(b"abcdefgh", 0).is_err());
    }

    #[test]
    fn every_spelling_counts_for_the_limit() {
        let spelled = [("abcdefgh", 8), ("abc efgh", 16), ("$${abcde", 16), ("$${a cde", 32)];
        for (text, secret_texts) in spelled {
            let push = |secret_texts| {
                let limits = Limits { secret_texts, ..Limits::default() };
                Texts::new(8, &limits).push(text.as_bytes(), 0)
            };
            push(secret_texts).unwrap();
            assert!(push(secret_texts - 1).is_err(), "{text}");
        }
    }

    #[test]
    fn texts_longer_than_a_block_are_kept() {
        let lens = [8, BLOCK - 9, 9, 1000, 3 * BLOCK, 10, BLOCK, BLOCK];
        let pushed: Vec<_> = (b'a'..).zip(lens).map(|(byte, len)| vec![byte; len]).collect();
        let mut texts = Texts::new(8, &Limits::default());
        for text in &pushed {
            texts.push(text, 0).unwrap();
            assert_eq!(texts.last(), Some(&**text));
        }
        assert!(texts.iter().eq(pushed.iter().map(|text| &**text)));
        assert_eq!((texts.count(), texts.len()), (lens.len(), lens.iter().sum()));
    }
}

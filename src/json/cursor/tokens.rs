//! Passing a container with an eye on every token.
//!
//! Blocks are checked whole, by their masks ([`crate::json::grammar`]). One that this cannot call
//! right is walked token by token, which is slower by far and says exactly what is wrong and
//! where. The state goes from one to the other and back at the start of a block; the tests hold
//! both to the same answers.

use super::Cursor;
use crate::error::{Error, ErrorKind, Found, Result};
use crate::input::Source;
use crate::json::grammar::{Depths, Follow, Place, Verdict};
use crate::json::leaves::FindDoubtful;
use crate::json::outline::Recorder;
use crate::json::want::Want;
use crate::json::word::Word;
use crate::scan::{BLOCK, Code};

/// How much is looked at in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Block,
    /// The oracle of the other.
    #[cfg(test)]
    Token,
}

/// Passes the container that stands at the cursor, to be run with the scanner's instructions.
pub(super) struct PassTokens<'c, S, R> {
    pub cursor: &'c mut Cursor<S>,
    pub recorder: R,
    pub step: Step,
}

impl<S: Source, R: Recorder> Code for PassTokens<'_, S, R> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        self.cursor.pass_checked(self.recorder, self.step)
    }
}

impl<S: Source> Cursor<S> {
    #[inline(always)]
    fn pass_checked(&mut self, mut recorder: impl Recorder, step: Step) -> Result<()> {
        let depths = Depths { floor: self.open.depth, max: self.limits.depth };
        let mut follow = Follow::before_value();
        let mut from = (self.offset - self.batch) as usize;
        loop {
            let first = from / BLOCK;
            let count = self.block_count();
            while from < count * BLOCK {
                let (index, verdict) = match step {
                    Step::Block => self.check_blocks(from, &mut follow, depths),
                    #[cfg(test)]
                    Step::Token => (from / BLOCK, Verdict::Doubtful),
                };
                if index == count {
                    break;
                }
                let start = from.max(index * BLOCK);
                let end = match verdict {
                    Verdict::Right => None,
                    Verdict::End(bit) => Some(bit),
                    Verdict::Doubtful => self.walk(start, &mut follow, depths.floor)?,
                };
                if let Some(bit) = end {
                    recorder.blocks(&self.blocks[first..=index]);
                    self.offset = self.batch + (index * BLOCK) as u64 + u64::from(bit) + 1;
                    return Ok(());
                }
                from = (index + 1) * BLOCK;
            }
            recorder.blocks(&self.blocks[first..count]);
            from = self.next_batch()?;
            if self.word.is_some() {
                self.feed_word(self.batch)?;
            }
        }
    }

    /// Looks at the words and escapes of a new batch.
    pub(super) fn find_doubtful(&mut self) {
        let blocks = &self.blocks[..self.block_count()];
        let text = self.text(self.batch..self.window_end());
        self.doubtful = self.scanner.isa().run(FindDoubtful { blocks, text });
    }

    /// Checks the blocks of the batch from a byte of it on, up to the first that is not simply
    /// right: its number, or that of all blocks, and what is known of it.
    #[inline(always)]
    fn check_blocks(
        &mut self,
        from: usize,
        follow: &mut Follow,
        depths: Depths,
    ) -> (usize, Verdict) {
        let first = from / BLOCK;
        let Some(mut open) = self.open.innermost() else { return (first, Verdict::Doubtful) };
        let mut state = *follow;
        let count = self.block_count();
        // The first one whose words or escapes are doubtful is as far as this goes.
        let sound = count.min(first + (self.doubtful >> first).trailing_zeros() as usize);
        let mut stop = (sound, if sound < count { Verdict::Doubtful } else { Verdict::Right });
        let mut visible = !0 << (from % BLOCK);
        for (index, block) in self.blocks[first..sound].iter().enumerate() {
            let place = Place { block, visible };
            let verdict = state.check(place, &mut open, depths);
            if verdict != Verdict::Right {
                stop = (first + index, verdict);
                break;
            }
            visible = !0;
        }
        *follow = state;
        self.open.set_innermost(open);
        stop
    }

    /// Checks what is left of a block from a byte of the batch on, token by token, up to the
    /// bracket that brings the depth back to the floor, which is returned if it is there.
    #[cold]
    #[inline(never)]
    fn walk(&mut self, from: usize, follow: &mut Follow, floor: u64) -> Result<Option<u32>> {
        let block = self.blocks[from / BLOCK];
        let start = self.batch + (from / BLOCK * BLOCK) as u64;
        let visible = !0 << (from % BLOCK);
        let mut want = follow.want();
        let mut events = (block.tokens | block.escapes) & visible;
        while events != 0 {
            let bit = events.trailing_zeros();
            events &= events - 1;
            let offset = start + u64::from(bit);
            if (block.escapes >> bit) & 1 == 1 {
                self.check_escape(offset)?;
                continue;
            }
            want = self.token(want, offset)?;
            if self.open.depth == floor {
                return Ok(Some(bit));
            }
        }
        *follow = Follow::from_want(want, follow.strings(&block, visible) >> 63);
        Ok(None)
    }

    /// Takes one token where `want` is wanted, and says what is wanted after it.
    fn token(&mut self, want: Want, offset: u64) -> Result<Want> {
        let byte = self.byte(offset);
        match (want, byte) {
            (Want::Value | Want::ValueOrClose, b'{' | b'[') => {
                let brace = u64::from(byte == b'{');
                self.push(brace, offset)?;
                Ok(if brace == 1 { Want::KeyOrClose } else { Want::ValueOrClose })
            }
            (Want::Value | Want::ValueOrClose, b'"') => Ok(Want::CommaOrClose),
            (Want::Key | Want::KeyOrClose, b'"') => Ok(Want::Colon),
            (Want::Colon, b':') => Ok(Want::Value),
            (Want::CommaOrClose, b',') if self.open.is_object() => Ok(Want::Key),
            (Want::CommaOrClose, b',') => Ok(Want::Value),
            (Want::CommaOrClose | Want::KeyOrClose | Want::ValueOrClose, b'}' | b']') => {
                if self.open.pop() != u64::from(byte == b'}') {
                    return Err(Error::at(ErrorKind::MismatchedBracket, offset));
                }
                Ok(Want::CommaOrClose)
            }
            (Want::Value | Want::ValueOrClose, byte) if Word::holds(byte) => {
                self.word = Some(Word::new());
                self.feed_word(offset)?;
                Ok(Want::CommaOrClose)
            }
            _ => {
                let kind = ErrorKind::Syntax { expected: want.words(), found: Found::of(byte) };
                Err(Error::at(kind, offset))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{Pieces, damaged, told};
    use super::{PassTokens, Step};
    use crate::error::{ErrorKind, Result};
    use crate::input::Slice;
    use crate::json::Validation;
    use crate::json::cursor::Cursor;
    use crate::json::grammar::{Depths, Follow, Verdict};
    use crate::json::outline::Outline;
    use crate::limits::Limits;
    use crate::scan::{BLOCK, Isa};

    /// Pieces of JSON and of what is almost JSON, one after the other.
    fn soup() -> impl Strategy<Value = Vec<u8>> {
        let right = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"\":",
            "\"key\":",
            "\"a\\\"\":",
            "\"value\"",
            "null",
            "true",
            "false",
            "0",
            "12345678",
            "123456789",
            "-1.5e+3",
            "{\"a\":1}",
            "[1,2]",
            "{}",
            "[]",
            " ",
            "\n    ",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\n\\\\\"",
            "\"été 😀\"",
        ]);
        let wrong = prop::sample::select(vec![
            "\"",
            "\\",
            "01",
            "-",
            "1.",
            "nul",
            "nulll",
            "truefalse",
            "\"\\x\"",
            "\"\\ud83d\"",
            "\"\\u12\"",
            "\u{1}",
            "é",
            "\"a\u{1}\"",
            "+",
            "\u{c}",
        ]);
        let token = prop_oneof![
            30 => right.prop_map(str::to_string),
            1 => wrong.prop_map(str::to_string),
            1 => (0usize..200).prop_map(|len| format!("\"{}\"", "x".repeat(len))),
            1 => (0usize..200).prop_map(|len| " ".repeat(len)),
            1 => (1usize..200).prop_map(|len| "7".repeat(len)),
        ];
        prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat().into_bytes())
    }

    /// Documents with a few bytes changed, one after the other, wrapped, or spread out.
    fn documents() -> impl Strategy<Value = Vec<u8>> {
        let wrapped = (damaged(), 0usize..70)
            .prop_map(|(text, depth)| [b"[".repeat(depth), text, b"]".repeat(depth)].concat());
        let spread = (damaged(), 0usize..40).prop_map(|(text, width)| {
            let text = String::from_utf8_lossy(&text).into_owned();
            text.replace(',', &format!(",\n{}", " ".repeat(width))).into_bytes()
        });
        let one = prop_oneof![damaged(), wrapped, spread];
        prop::collection::vec(one, 1..4).prop_map(|texts| texts.concat())
    }

    type Told = (std::result::Result<(), (ErrorKind, u64)>, Vec<String>);

    /// Passes the containers that the text begins with; their outlines and where they end.
    fn pass(source: Pieces<'_>, isa: Isa, limits: Limits, step: Step) -> Told {
        let mut cursor = Cursor::new(source, 0, isa, Validation::Everything, limits);
        let mut outlines = Vec::new();
        let mut pass_all = || -> Result<()> {
            while let Some(b'{' | b'[') = cursor.peek()? {
                let mut outline = Outline::new();
                outline.begin(isa, cursor.offset - cursor.offset % 64, 0, u64::MAX);
                let recorder = &mut outline;
                isa.run(PassTokens { cursor: &mut cursor, recorder, step })?;
                outlines.push(format!("{} {outline:?}", cursor.offset));
            }
            Ok(())
        };
        let result = told(pass_all());
        (result, outlines)
    }

    #[test]
    fn what_is_right_is_seldom_doubted() {
        let compact = r#"{"a\"b":[1,-2.5e3,12345678901,null,true,{}],"c\u00e9":{"d":"é"},"e":[]}"#;
        let spread = compact.replace(',', ",\n    ").replace(':', ": ");
        for text in [compact, &spread] {
            let text = format!("[{}0]", format!("{text},").repeat(500));
            let (everything, limits) = (Validation::Everything, Limits::default());
            let mut cursor =
                Cursor::new(Slice(text.as_bytes()), 0, Isa::best(), everything, limits);
            assert_eq!(cursor.peek().unwrap(), Some(b'['));
            let depths = Depths { floor: 0, max: limits.depth };
            let mut follow = Follow::before_value();
            let (mut from, mut batches, mut doubted) = (0, 1, 0);
            loop {
                let (index, verdict) = cursor.check_blocks(from, &mut follow, depths);
                match verdict {
                    Verdict::End(_) => break,
                    Verdict::Right => from = index * BLOCK,
                    Verdict::Doubtful => {
                        doubted += 1;
                        let start = from.max(index * BLOCK);
                        cursor.walk(start, &mut follow, 0).unwrap();
                        from = (index + 1) * BLOCK;
                    }
                }
                if from == cursor.block_count() * BLOCK {
                    from = cursor.next_batch().unwrap();
                    batches += 1;
                    cursor.feed_word(cursor.batch).unwrap();
                }
            }
            // At the end of a batch it is not known how far a word goes.
            assert!(batches > 7 && doubted <= batches, "{doubted} blocks in {batches} batches");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn blocks_are_judged_as_their_tokens_are(
            text in prop_oneof![
                documents(),
                soup(),
                soup().prop_map(|soup| [b"[", &soup[..]].concat()),
            ],
            sizes in prop::collection::vec(1usize..200, 1..5),
            depth in prop_oneof![Just(512u64), 1u64..8],
        ) {
            let limits = Limits { depth, ..Limits::default() };
            for isa in Isa::all() {
                for sizes in [&sizes[..], &[usize::MAX / 2]] {
                    let [blocks, tokens] = [Step::Block, Step::Token]
                        .map(|step| pass(Pieces::new(&text, sizes), isa, limits, step));
                    prop_assert_eq!(blocks, tokens, "{}", text.escape_ascii());
                }
            }
        }
    }
}

//! The grammar of JSON, a batch of text at a time.
//!
//! What may stand at a place depends on little more than the token before it. So the masks of the
//! bytes that tokens end with, moved to the next byte that is no space, are compared with those of
//! the bytes that tokens begin with. The object `{"a":[1],"b":2}` gives (the first byte is the
//! lowest bit, shown left; a string ends with its closing quote):
//!
//! ```text
//! text        {  "  a  "  :  [  1  ]  ,  "  b  "  :  2  }
//! begins      1  1  0  0  1  1  1  1  1  1  0  0  1  1  1    the first byte of a token
//! values      0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    of a value or key: no  : , ] }
//! expects     1  0  0  0  1  1  0  0  1  0  0  0  1  0  0    {  [  ,  :   what a value follows
//! after it    0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    is to be `values` wherever one begins
//! ```
//!
//! The one exception is a closing bracket right after an opening one. Adding a bit to the first of
//! a run of bits carries it to the bit after the run: that is how a mask gets across space, and
//! from the first quote of a string to its last.
//!
//! A string behind an opening brace or a comma may be a key: only behind one that is stands a
//! colon, and colons stand nowhere else. Whether it is one depends on the container, which only
//! brackets tell; but each token claims one ([`Claims`]): a colon an object; what is no string
//! behind an opening brace or a comma an array, and so does what is no colon behind such a string.
//! The claims are carried to the next bracket, and held against its container with the brackets
//! themselves ([`Nesting::follow_claims`]).
//!
//! That says whether all of a batch is right, without looking at any token, but not what is wrong.
//! What is doubtful is walked token by token ([`super::tokens`]), and so is where the document
//! begins and ends. Both must say the same of every text; [`Follow`] and [`Want`] say the same in
//! their words. To doubt what is right costs time only. What words and escapes are made of is
//! looked at beside that ([`super::leaves`]).

use super::leaves::{Begun, CheckLeaves};
use super::tokens::{Tokens, Wrong};
use super::want::Want;
use crate::error::ErrorKind;
use crate::scan::nesting::floating::Floating;
use crate::scan::nesting::{Claims, Nesting};
use crate::scan::wide::{Lanes, Masks, Wide, WideCode};
use crate::scan::{BATCH, Block, Isa};

/// A text that is scanned batch by batch, every token of which is looked at.
#[derive(Clone, Debug)]
pub(super) struct Grammar {
    isa: Isa,
    follow: Follow,
    /// What goes on behind the last batch.
    begun: Begun,
    /// Those of the batch; nothing of them is kept behind it.
    claims: Box<[Claims; BATCH]>,
}

/// What was scanned in one go.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub blocks: &'a [Block],
    /// From the first byte of the first block on. Where an escape begins in the blocks, so much
    /// more of the text as one can be long, unless it ends before.
    pub text: &'a [u8],
    /// How much of the text was scanned.
    pub len: usize,
    /// The offset of the first byte.
    pub offset: u64,
}

impl Grammar {
    /// Before a value.
    pub(super) fn before_value(isa: Isa) -> Grammar {
        let claims = Box::new([Claims::default(); BATCH]);
        Grammar { isa, follow: Follow::from_want(Want::Value, 0), begun: Begun::default(), claims }
    }

    /// Behind a comma, whatever it is that goes on there.
    pub(super) fn behind_comma(isa: Isa) -> Grammar {
        Grammar { follow: Follow::from_want(Want::Key, 0), ..Grammar::before_value(isa) }
    }

    /// Goes on at another place of the text, between tokens, where this is wanted.
    pub(super) fn go_on(&mut self, want: Want) {
        self.follow = Follow::from_want(want, 0);
        self.begun = Begun::default();
    }

    /// Follows the next batch. The first token that is wrong is told, by its place in the batch;
    /// nothing is to be followed after it. What comes behind the document is none of ours.
    pub(super) fn follow(
        &mut self,
        batch: Batch<'_>,
        nesting: &mut Nesting,
    ) -> Option<(ErrorKind, usize)> {
        if nesting.has_ended() || self.is_right(batch, nesting) {
            return None;
        }
        self.walk(batch, nesting).err()
    }

    /// The same token by token.
    fn walk(&mut self, batch: Batch<'_>, nesting: &mut Nesting) -> Result<(), Wrong> {
        nesting.forget_depths(batch.blocks);
        let Grammar { follow, begun, .. } = self;
        let want = follow.want(nesting.is_in_object());
        let mut tokens = Tokens { batch, nesting, begun: *begun };
        let want = tokens.walk(want, follow.in_word)?;
        *begun = tokens.begun;
        let last = batch.blocks.last().copied().unwrap_or_default();
        *follow = Follow::from_want(want, last.strings >> 63);
        follow.in_word = last.words >> 63;
        Ok(())
    }

    /// Whether a batch is known to be right; else nothing has changed.
    fn is_right(&mut self, batch: Batch<'_>, nesting: &mut Nesting) -> bool {
        self.agrees(batch, |claims, last| nesting.follow_claims(batch.blocks, claims, last))
    }

    /// Follows the next batch of a stretch whose surroundings are not known; `false`: something may
    /// be wrong.
    pub(super) fn float(&mut self, batch: Batch<'_>, brackets: &mut Floating) -> bool {
        let (isa, blocks) = (self.isa, batch.blocks);
        self.agrees(batch, |claims, last| brackets.follow_claims(isa, blocks, claims, last))
    }

    /// Whether tokens, words and escapes are right, and the brackets with what is claimed; else
    /// nothing here has changed.
    fn agrees(
        &mut self,
        batch: Batch<'_>,
        brackets: impl FnOnce(&[Claims], Claims) -> bool,
    ) -> bool {
        let blocks = batch.blocks;
        let mut follow = self.follow;
        let check = CheckTokens { blocks, follow: &mut follow, claims: &mut self.claims };
        let Some(Passed { with_words, with_escapes, last }) = self.isa.run_wide(check) else {
            return false;
        };
        let check = CheckLeaves { batch, with_words, with_escapes, begun: self.begun };
        let Some(begun) = self.isa.run_wide(check) else { return false };
        if !brackets(&self.claims[..blocks.len()], last) {
            return false;
        }
        (self.follow, self.begun) = (follow, begun);
        true
    }
}

/// Checks the order of the tokens of blocks and gathers their claims. `None`: something may be
/// wrong.
struct CheckTokens<'a> {
    blocks: &'a [Block],
    follow: &'a mut Follow,
    claims: &'a mut [Claims; BATCH],
}

/// What [`CheckTokens`] found.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    /// The blocks that have words, a bit each.
    with_words: u64,
    /// The blocks that have escapes.
    with_escapes: u64,
    /// What is claimed of the container at the end.
    last: Claims,
}

impl WideCode for CheckTokens<'_> {
    type Output = Option<Passed>;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> Option<Passed> {
        let CheckTokens { blocks, follow, claims } = self;
        let (mut next, mut passed, mut is_wrong) = (*follow, Passed::default(), false);
        let (mut start, count) = (0, W::Lanes::COUNT);
        while let Some(masks) = wide.masks(&blocks[start..]) {
            is_wrong |= next.tokens(masks, &mut passed.last, &mut claims[start..start + count]);
            passed.with_words |= masks.words.which() << start;
            passed.with_escapes |= masks.escapes.which() << start;
            start += count;
        }
        for (index, block) in blocks.iter().enumerate().skip(start) {
            let masks = Masks::<u64>::from(block);
            is_wrong |= next.tokens(masks, &mut passed.last, &mut claims[index..=index]);
            passed.with_words |= masks.words.which() << index;
            passed.with_escapes |= masks.escapes.which() << index;
        }
        *follow = next;
        (!is_wrong).then_some(passed)
    }
}

/// What the bytes so far leave to those that follow, each 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Follow {
    /// A bracket, comma or colon stands before: a value or key is next.
    value: u64,
    /// An opening bracket stands before: it may be closed.
    close: u64,
    /// An opening brace or a comma stands before: the value may be a key.
    key: u64,
    /// What may be a key is open.
    in_key: u64,
    /// What may be a key stands before: a colon may be next.
    colon: u64,
    /// The last byte was one of a word.
    in_word: u64,
}

impl Follow {
    /// `in_string` is 1 where a string is open, which is then the last token.
    fn from_want(want: Want, in_string: u64) -> Follow {
        let colon = u64::from(want == Want::Colon);
        Follow {
            value: u64::from(!matches!(want, Want::Colon | Want::CommaOrClose | Want::Nothing)),
            close: u64::from(matches!(want, Want::KeyOrClose | Want::ValueOrClose)),
            key: u64::from(matches!(want, Want::KeyOrClose | Want::Key)),
            in_key: colon & in_string,
            colon: colon & !in_string,
            in_word: 0,
        }
    }

    /// What the grammar wants next, after the string where one is open, in an object or not, or in
    /// no container.
    fn want(&self, is_in_object: Option<bool>) -> Want {
        let is_key = is_in_object == Some(true) && self.key == 1;
        match (self.value, self.close) {
            (0, _) if is_in_object.is_none() => Want::Nothing,
            (0, _) if is_in_object == Some(true) && self.colon | self.in_key == 1 => Want::Colon,
            (0, _) => Want::CommaOrClose,
            (_, 0) if is_key => Want::Key,
            (_, 0) => Want::Value,
            _ if is_key => Want::KeyOrClose,
            _ => Want::ValueOrClose,
        }
    }

    /// Follows the tokens of some blocks, and says whether one may be wrong. What they claim is
    /// gathered at the brackets; `open` is what is claimed of the innermost container behind the
    /// last.
    #[inline(always)]
    fn tokens<L: Lanes>(
        &mut self,
        masks: Masks<L>,
        open: &mut Claims,
        claims: &mut [Claims],
    ) -> bool {
        let Masks { quotes, strings, brackets, separators, words, .. } = masks;
        let opens = brackets & masks.opens;
        let closes = brackets & !masks.opens;
        let colons = separators & masks.opens;
        let commas = separators & !masks.opens;
        let texts = quotes & strings;
        let values = texts | opens | (words & !words.moved_on(&mut self.in_word));
        let begins = values | closes | separators;
        // As the tools write plans, there is no space in them.
        let spaces = !(strings | quotes | brackets | separators | words);
        let has_spaces = spaces.which() != 0;
        let after = |ends: L, carry: &mut u64| match has_spaces {
            false => ends.moved_on(carry),
            true => behind_space(ends, carry, spaces),
        };
        let is_value = after(opens | separators, &mut self.value);
        let may_close = after(opens, &mut self.close);
        let may_be_key = after((opens & masks.braces) | commas, &mut self.key);
        // The strings among them, from their first byte to their last.
        let past = strings.plus(may_be_key & texts, &mut self.in_key);
        let may_be_colon = after(past & !strings, &mut self.colon);

        let wrong = ((is_value ^ values) & !(closes & may_close)) | (colons & !may_be_colon);
        let arrays = ((may_be_key & values & !texts) | (may_be_colon & !colons)) & begins;
        // What begins behind a comma may be a bracket itself.
        let own = arrays & brackets;
        let at_brackets = |claims: L, open: &mut u64| (!brackets).plus(claims, open) & brackets;
        let arrays = at_brackets(arrays & !own, &mut open.arrays) | own;
        write_claims(at_brackets(colons, &mut open.objects), arrays, claims);
        (wrong & begins).which() != 0
    }
}

/// Writes the claims of some blocks.
#[inline(always)]
fn write_claims<L: Lanes>(objects: L, arrays: L, claims: &mut [Claims]) {
    let each = objects.each().into_iter().zip(arrays.each());
    for (claims, (objects, arrays)) in claims.iter_mut().zip(each) {
        *claims = Claims { objects, arrays };
    }
}

/// The bytes after those of a mask and after the space that follows these.
#[inline(always)]
fn behind_space<L: Lanes>(ends: L, carry: &mut u64, spaces: L) -> L {
    let behind = ends.moved_on(carry);
    let mut over = 0;
    let across = (behind & spaces).plus(spaces, &mut over);
    *carry |= over;
    (behind | across) & !spaces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::cursor::tests::{damaged, json};
    use crate::scan::{BLOCK, Detail, Scanner};

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

    /// Members of an object, or elements of an array, with perhaps one of the others among them.
    fn mixture() -> impl Strategy<Value = Vec<u8>> {
        let values = prop::collection::vec(json(), 2..12);
        (values, any::<bool>(), any::<prop::sample::Index>(), any::<bool>()).prop_map(
            |(values, is_object, other, has_other)| {
                let other = if has_other { other.index(values.len()) } else { values.len() };
                let one = |(place, value): (usize, &String)| match is_object ^ (place == other) {
                    true => format!("\"k{place}\":{value}"),
                    false => value.clone(),
                };
                let all: Vec<_> = values.iter().enumerate().map(one).collect();
                let [open, close] = if is_object { ["{", "}"] } else { ["[", "]"] };
                format!("{open}{}{close}", all.join(",")).into_bytes()
            },
        )
    }

    /// Scans a text in batches of so many blocks, with spaces behind it, as long as `step` wants;
    /// whether that is to its end, with no byte misplaced.
    fn scan(
        text: &[u8],
        batches: &[usize],
        isa: Isa,
        mut step: impl FnMut(Batch<'_>) -> bool,
    ) -> bool {
        let mut padded = text.to_vec();
        padded.resize(text.len().next_multiple_of(BLOCK), b' ');
        let mut scanner = Scanner::new(isa, Detail::Tokens);
        let (mut start, mut sizes) = (0, batches.iter().cycle());
        while start < padded.len() {
            let len = (sizes.next().unwrap() * BLOCK).min(padded.len() - start);
            let mut blocks = vec![Block::default(); len / BLOCK];
            if scanner.scan(&padded[start..start + len], &mut blocks).is_some() {
                return false;
            }
            let (text, offset) = (&padded[start..], start as u64);
            if !step(Batch { blocks: &blocks, text, len, offset }) {
                return false;
            }
            start += len;
        }
        !scanner.in_string()
    }

    /// What is said of each batch, and the state behind it.
    fn follow(
        text: &[u8],
        batches: &[usize],
        isa: Isa,
        depth: u64,
        mut step: impl FnMut(&mut Grammar, Batch<'_>, &mut Nesting) -> Option<Wrong>,
    ) -> Vec<String> {
        let (mut grammar, mut nesting) = (Grammar::before_value(isa), Nesting::new(isa, depth));
        let mut told = Vec::new();
        scan(text, batches, isa, |batch| {
            let wrong = step(&mut grammar, batch, &mut nesting);
            told.push(match &wrong {
                Some(wrong) => format!("{wrong:?}"),
                None => state(&grammar, &nesting),
            });
            wrong.is_none() && !nesting.has_ended()
        });
        told
    }

    fn state(grammar: &Grammar, nesting: &Nesting) -> String {
        let want = grammar.follow.want(nesting.is_in_object());
        let mut kinds = Vec::new();
        let mut nesting = nesting.clone();
        while let Some(is_object) = nesting.is_in_object() {
            kinds.push(u8::from(is_object));
            nesting.pop(u64::from(is_object)).unwrap();
        }
        format!("{want:?} {:?} {kinds:?}", grammar.begun)
    }

    /// Reads up to a place and goes on there in both ways: with what was found in the rest alone,
    /// and as everything is read. `None`: nobody would go on there.
    fn go_on_both_ways(
        text: &[u8],
        place: usize,
        batches: &[usize],
        isa: Isa,
    ) -> Option<[Option<String>; 2]> {
        let (before, rest) = text.split_at(place);
        let (mut grammar, mut nesting) = (Grammar::before_value(isa), Nesting::new(isa, 512));
        let is_there = scan(before, &[BATCH], isa, |batch| {
            grammar.follow(batch, &mut nesting).is_none() && !nesting.has_ended()
        });
        if !is_there {
            return None;
        }
        let mut passed = nesting.clone();
        let (mut alone, mut brackets) = (Grammar::behind_comma(isa), Floating::default());
        let is_right = scan(rest, batches, isa, |batch| alone.float(batch, &mut brackets));
        let alone = (is_right && passed.pass(&brackets)).then(|| state(&alone, &passed));
        let is_right = scan(rest, batches, isa, |batch| {
            grammar.follow(batch, &mut nesting).is_none() && !nesting.has_ended()
        });
        Some([alone, is_right.then(|| state(&grammar, &nesting))])
    }

    #[test]
    fn what_is_right_is_seldom_doubted() {
        let compact =
            r#"{"a\"b":[1,-2.5e3,12345678901,null,true,{}],"c\u00e9":{"d":"\ud83d\ude00"},"e":[]}"#;
        let spread = compact.replace(',', ",\n    ").replace(':', ": ");
        for text in [compact, &spread] {
            let text = format!("[{}0]", format!("{text},").repeat(500));
            for isa in Isa::all() {
                let (mut batches, mut doubted) = (0, 0);
                follow(text.as_bytes(), &[BATCH], isa, 64, |grammar, batch, nesting| {
                    batches += 1;
                    let is_right = grammar.is_right(batch, nesting);
                    doubted += u32::from(!is_right);
                    if is_right { None } else { grammar.walk(batch, nesting).err() }
                });
                // The first and the last.
                assert!(batches > 7 && doubted == 2, "{doubted} of {batches} batches");
            }
        }
    }

    #[test]
    fn words_and_escapes_are_whole_wherever_blocks_and_batches_end() {
        let right = ["null", "false", "-1.5e3", "0", "12345678901", "[0,true,7]"];
        let wrong =
            ["nul", "nulll", "falsey", "true1", "12true", "-", "1.", "1e+", "01", "-01", "0true"];
        let right_texts = [r"\n", r"\ud83d\ude00\u00e9", r"\u00E9\/", r"\\\u0041\\"];
        let wrong_texts = [
            r"\x",
            r"\u12",
            r"\ug000",
            r"\u00g9",
            r"\u000g",
            r"\ud83d",
            r"\ude00",
            r"\ud83d\u0041",
        ];
        let text = |text: &str| format!("\"{text}\"");
        let right = right.map(str::to_string).into_iter().chain(right_texts.map(text));
        let wrong = wrong.map(str::to_string).into_iter().chain(wrong_texts.map(text));
        let all = right.map(|leaf| (leaf, true)).chain(wrong.map(|leaf| (leaf, false)));
        for ((leaf, is_right), pad) in
            all.flat_map(|leaf| (BLOCK..3 * BLOCK).map(move |pad| (leaf.clone(), pad)))
        {
            // Enough behind it that the document does not end in the batch.
            let text = format!("[{}{leaf},[{}]]", " ".repeat(pad), "0,".repeat(6 * BLOCK) + "0");
            // Also where a block ends within a batch.
            for (isa, blocks) in Isa::all().flat_map(|isa| [(isa, 1), (isa, 5)]) {
                // A batch in which the document does not begin comes first.
                let batches = [1, blocks];
                let by_masks = follow(text.as_bytes(), &batches, isa, 64, Grammar::follow);
                let by_tokens =
                    follow(text.as_bytes(), &batches, isa, 64, |grammar, batch, nesting| {
                        grammar.walk(batch, nesting).err()
                    });
                assert_eq!(by_masks, by_tokens, "{leaf} behind {pad}");
                let told_last = by_masks.last().unwrap();
                assert_eq!(!told_last.starts_with('('), is_right, "{leaf}: {told_last}");
            }
        }
    }

    #[test]
    fn words_are_whole_however_long() {
        let surrounded =
            |word: &str| format!("[{}{word},{}0]", "0,".repeat(5000), "0,".repeat(5000));
        for len in (1..140).chain(250..270).chain(505..525) {
            for (begin, more, is_right) in [
                ("null", "x", false),
                ("true", "1", false),
                ("false", "e", false),
                ("0", "0", false),
                ("1", "7", true),
                ("0.", "5", true),
                ("-1e", "0", true),
                ("9", ".", false),
            ] {
                let text = surrounded(&format!("{begin}{}", more.repeat(len)));
                for isa in Isa::all() {
                    let told = follow(text.as_bytes(), &[BATCH], isa, 64, Grammar::follow);
                    let is_told_right = !told.last().unwrap().starts_with('(');
                    assert_eq!(is_told_right, is_right, "{begin} and {len} of {more}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn batches_are_judged_as_their_tokens_are(
            text in prop_oneof![
                documents(),
                mixture(),
                soup(),
                // Most of what is wrong is the first thing that is.
                soup().prop_map(|soup| [b"[", &soup[..]].concat()),
                soup().prop_map(|soup| [b"[[", &b"[1,2],".repeat(40)[..], &soup[..]].concat()),
            ],
            batches in prop::collection::vec(1usize..5, 1..4),
            depth in prop_oneof![Just(512u64), 1u64..8],
        ) {
            for isa in Isa::all() {
                for batches in [&batches[..], &[BATCH]] {
                    let by_masks = follow(&text, batches, isa, depth, Grammar::follow);
                    let by_tokens = follow(&text, batches, isa, depth, |grammar, batch, nesting| {
                        grammar.walk(batch, nesting).err()
                    });
                    prop_assert_eq!(by_masks, by_tokens, "{}", text.escape_ascii());
                }
            }
        }

        #[test]
        fn a_stretch_is_judged_as_if_its_surroundings_were_known(
            text in prop_oneof![
                documents(),
                // Open to the end, as a stretch of a large document is.
                prop::collection::vec(mixture(), 1..4).prop_map(|all| {
                    [b"[0,", &all.join(&b","[..])[..], b",0"].concat()
                }),
                mixture().prop_map(|text| [b"{\"a\":[0,", &text[..], b"],\"b\":[{}"].concat()),
                mixture().prop_map(|text| [b"[0,", &text[..text.len() - 1]].concat()),
            ],
            place in any::<prop::sample::Index>(),
            batches in prop::collection::vec(1usize..4, 1..4),
        ) {
            let commas: Vec<_> = memchr::memchr_iter(b',', &text).collect();
            prop_assume!(!commas.is_empty());
            let place = place.get(&commas) + 1;
            let mut answers = Vec::new();
            for isa in Isa::all() {
                let answer = go_on_both_ways(&text, place, &batches, isa);
                if let Some([alone, around]) = &answer {
                    prop_assert_eq!(alone, around, "{} at {}", text.escape_ascii(), place);
                }
                answers.push(answer);
            }
            answers.dedup();
            prop_assert_eq!(answers.len(), 1);
        }
    }
}

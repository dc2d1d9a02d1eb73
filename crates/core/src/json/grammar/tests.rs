//! Tests that the fast path and the slow path give the same results on valid and invalid text.

use proptest::prelude::*;

use super::*;
use crate::json::cursor::tests::{damaged, json};
use crate::scan::{BLOCK, Detail, Scanner};

/// Random sequences of tokens and of text that is almost a token.
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

/// Documents with a few bytes changed: concatenated, wrapped, or with spaces.
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

/// An object or array. It may have one wrong item: a bare value in an object, or a member in an
/// array.
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

/// Scans a text, padded with spaces, in batches of the given numbers of blocks. Returns whether
/// `step` accepted every batch and the scanner found no error.
fn scan(text: &[u8], batches: &[usize], isa: Isa, mut step: impl FnMut(Batch<'_>) -> bool) -> bool {
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

/// The result of each batch: the error, or the state after it.
fn follow(
    text: &[u8],
    batches: &[usize],
    isa: Isa,
    depth: u64,
    mut step: impl FnMut(&mut Grammar, Batch<'_>, &mut Nesting) -> Option<Wrong>,
) -> Vec<String> {
    let (mut grammar, mut nesting) = (Grammar::before_value(isa), Nesting::new(isa, depth));
    let mut results = Vec::new();
    scan(text, batches, isa, |batch| {
        let wrong = step(&mut grammar, batch, &mut nesting);
        results.push(match &wrong {
            Some(wrong) => format!("{wrong:?}"),
            None => state(&grammar, &nesting),
        });
        wrong.is_none() && !nesting.has_ended()
    });
    results
}

fn state(grammar: &Grammar, nesting: &Nesting) -> String {
    let expected = grammar.follow.expected(nesting.is_in_object());
    let mut kinds = Vec::new();
    let mut nesting = nesting.clone();
    while let Some(is_object) = nesting.is_in_object() {
        kinds.push(u8::from(is_object));
        nesting.pop(u64::from(is_object)).unwrap();
    }
    format!("{expected:?} {:?} {kinds:?}", grammar.unfinished)
}

/// Parses a text up to `place`, and then the rest in two ways. The first way parses the rest
/// without context, and then applies its brackets. The second way continues with the state at
/// `place`. Returns both states, or `None` if the text before `place` is invalid, ends inside a
/// string, or contains a complete document.
fn continue_on_both_paths(
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
    let (mut alone, mut brackets) = (Grammar::behind_comma(isa), PartialNesting::default());
    let is_right = scan(rest, batches, isa, |batch| alone.follow_partial(batch, &mut brackets));
    let alone = (is_right && passed.apply(&brackets)).then(|| state(&alone, &passed));
    let is_right = scan(rest, batches, isa, |batch| {
        grammar.follow(batch, &mut nesting).is_none() && !nesting.has_ended()
    });
    Some([alone, is_right.then(|| state(&grammar, &nesting))])
}

#[test]
fn the_fast_path_accepts_most_batches_of_valid_text() {
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
            // The slow path is needed only where the document begins and where it ends.
            assert!(batches > 7 && doubted == 2, "{doubted} of {batches} batches");
        }
    }
}

#[test]
fn words_and_escapes_may_cross_blocks_and_batches() {
    let right = ["null", "false", "-1.5e3", "0", "12345678901", "[0,true,7]"];
    let wrong =
        ["nul", "nulll", "falsey", "true1", "12true", "-", "1.", "1e+", "01", "-01", "0true"];
    let right_texts = [r"\n", r"\ud83d\ude00\u00e9", r"\u00E9\/", r"\\\u0041\\"];
    let wrong_texts =
        [r"\x", r"\u12", r"\ug000", r"\u00g9", r"\u000g", r"\ud83d", r"\ude00", r"\ud83d\u0041"];
    let text = |text: &str| format!("\"{text}\"");
    let right = right.map(str::to_string).into_iter().chain(right_texts.map(text));
    let wrong = wrong.map(str::to_string).into_iter().chain(wrong_texts.map(text));
    let all = right.map(|leaf| (leaf, true)).chain(wrong.map(|leaf| (leaf, false)));
    for ((leaf, is_right), pad) in
        all.flat_map(|leaf| (BLOCK..3 * BLOCK).map(move |pad| (leaf.clone(), pad)))
    {
        // Long enough that the document does not end in the batch.
        let text = format!("[{}{leaf},[{}]]", " ".repeat(pad), "0,".repeat(6 * BLOCK) + "0");
        // Block boundaries within a batch are tested as well.
        for (isa, blocks) in Isa::all().flat_map(|isa| [(isa, 1), (isa, 5)]) {
            // The document begins in the first batch, and the leaf is in a later one.
            let batches = [1, blocks];
            let by_masks = follow(text.as_bytes(), &batches, isa, 64, Grammar::follow);
            let by_tokens =
                follow(text.as_bytes(), &batches, isa, 64, |grammar, batch, nesting| {
                    grammar.walk(batch, nesting).err()
                });
            assert_eq!(by_masks, by_tokens, "{leaf} behind {pad}");
            let last = by_masks.last().unwrap();
            assert_eq!(!last.starts_with('('), is_right, "{leaf}: {last}");
        }
    }
}

#[test]
fn long_words_are_checked_to_their_end() {
    let surrounded = |word: &str| format!("[{}{word},{}0]", "0,".repeat(5000), "0,".repeat(5000));
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
                let results = follow(text.as_bytes(), &[BATCH], isa, 64, Grammar::follow);
                let is_accepted = !results.last().unwrap().starts_with('(');
                assert_eq!(is_accepted, is_right, "{begin} and {len} of {more}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn mask_and_token_grammar_checks_agree(
        text in prop_oneof![
            documents(),
            mixture(),
            soup(),
            // In most of these the first error is not at the first byte.
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
    fn a_range_without_context_gives_the_same_result(
        text in prop_oneof![
            documents(),
            // Containers that never close, like a range of a large document.
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
            let answer = continue_on_both_paths(&text, place, &batches, isa);
            if let Some([alone, around]) = &answer {
                prop_assert_eq!(alone, around, "{} at {}", text.escape_ascii(), place);
            }
            answers.push(answer);
        }
        answers.dedup();
        prop_assert_eq!(answers.len(), 1);
    }
}

//! `redact` gives the same document, counts and error with any number of threads.
//!
//! The documents are long enough for lookahead. The reference is one thread.

use std::collections::HashSet;

use plansift::error::Result;
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::json::outline::Outline;
use plansift::plan::{
    Accepts, Answer, Boundary, Documents, Flow, LookaheadReader, Piece, ReadRange, Section, Visitor,
};
use plansift::redact::redact;
use plansift::secret::{EchoOf, collect};

use super::answers::{ECHOES, answer, hold_to_one, is_redacted, on_threads, options};
use super::long::{SIZE, plan, planned_values, resource};
use crate::in_memory::InMemory;
use crate::tried;

#[test]
fn redaction_of_nested_modules_does_not_depend_on_threads() {
    // The largest depths are beyond what lookahead workers expect.
    for depth in [1, 2, 5, 9, 14] {
        let plan = plan(&planned_values(800, depth));
        assert!(plan.len() > SIZE, "{} bytes", plan.len());
        let ends = hold_to_one(plan.as_bytes(), &options(), &format!("{depth} deep"));
        assert!(is_redacted(&ends), "{ends:?}");
    }
}

/// Lookahead workers see other letters in the addresses, so the output shows their share.
#[test]
fn lookahead_workers_do_most_of_the_work() {
    for depth in [1, 4] {
        let text = plan(&planned_values(2000, depth));
        let other = text.replace(r#""a.r["#, r#""A.R["#);
        for echo in ECHOES {
            let open = || InMemory::two_faced(text.as_bytes(), other.as_bytes());
            let (written, end) = answer(open, echo, &on_threads(&options(), 3));
            assert!(end.starts_with("Redacted"), "{end}");
            let written = String::from_utf8(written).expect("UTF-8");
            let theirs = written.matches(r#""A.R["#).count();
            let all = theirs + written.matches(r#""a.r["#).count();
            assert!(theirs * 10 > all * 7, "{depth} deep, {echo:?}: {theirs} of {all}");
        }
    }
    // A short document starts no worker.
    let text = plan(&planned_values(60, 2));
    let other = text.replace("nothing to see here", "NOTHING TO SEE HERE");
    let open = || InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let (written, _) = answer(open, Some(EchoOf::Whole), &on_threads(&options(), 3));
    assert!(!String::from_utf8(written).expect("UTF-8").contains("NOTHING"));
}

/// Workers also search in the first reading: they find a secret that only they see.
#[test]
fn lookahead_workers_search_for_marks() {
    let text = plan(&planned_values(2000, 3));
    let other = text.replace("a secret text 7", "A SECRET TEXT 7");
    let open = || InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let collected = collect(|| Ok(open()), &on_threads(&options(), 3).secret).expect("a plan");
    assert!(collected.secrets.number(b"A SECRET TEXT 7").is_some());
}

/// If the text changes between the readings, the second reading does not rely on the first.
#[test]
fn a_text_changed_between_passes_is_still_masked() {
    let text = plan(&planned_values(2000, 3)).replace("\"password\":true", "\"password\":null");
    let other = text.replace("\"password\":null", "\"password\":true");
    let options = on_threads(&options(), 3);
    let collected = collect(|| Ok(InMemory::new(text.as_bytes())), &options.secret);
    let collected = collected.expect("a plan");
    let source = InMemory::two_faced(text.as_bytes(), other.as_bytes());
    let mut documents = Documents::only(source, &options.secret.read);
    let mut out = Vec::new();
    let redacted = redact(&mut documents, Some(&collected), &options, &mut out).expect("a plan");
    let written = String::from_utf8(out).expect("UTF-8");
    let theirs = written.matches("\"password\":true").count();
    assert!(theirs > 1000, "{theirs} of those that others were shown");
    assert!(redacted.counts.marked >= theirs as u64, "{redacted:?}");
}

/// A text that is shorter in the second reading is an error.
#[test]
fn a_text_truncated_between_passes_is_an_error() {
    let text = plan(&planned_values(2000, 3));
    for threads in [1, 2, 8] {
        let options = on_threads(&options(), threads);
        let collected = collect(|| Ok(InMemory::new(text.as_bytes())), &options.secret);
        let collected = collected.expect("a plan");
        for len in [text.len() / 2, text.len() * 2 / 3, text.len() / 10] {
            let source = InMemory::new(&text.as_bytes()[..len]);
            let mut documents = Documents::only(source, &options.secret.read);
            let redacted = redact(&mut documents, Some(&collected), &options, &mut Vec::new());
            assert!(redacted.is_err(), "{len} bytes, {threads} threads");
        }
    }
}

/// If the names change between the readings, those of the second reading apply.
#[test]
fn the_second_pass_uses_its_own_names() {
    let text = plan(&planned_values(2000, 3));
    let mut options = on_threads(&options(), 2);
    let collected = collect(|| Ok(InMemory::new(text.as_bytes())), &options.secret);
    let collected = collected.expect("a plan");
    options.secret.names = Some("^note$".parse().expect("an expression"));
    let source = InMemory::new(text.as_bytes());
    let mut documents = Documents::only(source, &options.secret.read);
    let mut out = Vec::new();
    redact(&mut documents, Some(&collected), &options, &mut out).expect("a plan");
    assert!(!String::from_utf8(out).expect("UTF-8").contains("nothing to see here"));
}

/// The text ends directly after a piece that workers have recorded.
#[test]
fn texts_truncated_after_a_piece_give_the_same_error() {
    let text = plan(&planned_values(800, 2));
    let ends = text.match_indices("\"sensitive_values\":{\"password\":true}}");
    let ends: Vec<_> = ends.map(|(start, end)| start + end.len()).collect();
    let step = ends.len() / 12;
    for end in ends.iter().skip(ends.len() / 4 + tried::first_of(step)).step_by(step) {
        let cut = &text.as_bytes()[..*end];
        let ends = hold_to_one(cut, &options(), &format!("{end} bytes"));
        assert!(!is_redacted(&ends), "{ends:?}");
    }
}

#[test]
fn damaged_plans_give_the_same_error() {
    let text = plan(&planned_values(800, 3));
    let (mut failed, rounds) = (0, if tried::is_nightly() { 120 } else { 30 });
    let step = text.len() / rounds;
    for round in 0..rounds {
        let place = step * round + tried::first_of(step);
        let mut damaged = text.clone().into_bytes();
        damaged[place] = b"x\"}]{[\\,\x01\xff"[round % 10];
        let mut options = options();
        options.secret.read.limits.depth = if round % 7 == 0 { 9 } else { 10_000 };
        if round % 3 == 0 {
            options.secret.read.validation = Validation::Grammar;
        }
        let echo = ECHOES[round % ECHOES.len()];
        for text in [&damaged[..], &text.as_bytes()[..place]] {
            let (bytes, end) = answer(|| Slice(text), echo, &options);
            let options = on_threads(&options, 2 + round % 3);
            let found = answer(|| InMemory::new(text), echo, &options);
            assert_eq!(found.1, end, "a byte at {place}, {echo:?}");
            assert!(found.0 == bytes, "a byte at {place}, {echo:?}");
            failed += usize::from(!end.starts_with("Redacted"));
        }
    }
    assert!(failed > rounds, "{failed} texts failed");
}

#[test]
fn limit_errors_do_not_depend_on_threads() {
    let text = plan(&planned_values(800, 6));
    let (mut tried, mut failed) = (0, 0);
    // One limit of two by day.
    for limit in (1..9).filter(|limit| tried::is_tried_of(2, *limit)) {
        let limit = limit as u64;
        let limits: [fn(&mut plansift::limits::Limits, u64); 4] = [
            |limits, limit| limits.depth = 5 + limit * 2,
            |limits, limit| limits.change = 300 + 100 * limit,
            |limits, limit| limits.secrets = 6 * limit,
            |limits, limit| limits.string_kept = 100 * limit,
        ];
        for set in limits {
            let mut options = options();
            set(&mut options.secret.read.limits, limit);
            let ends = hold_to_one(text.as_bytes(), &options, &format!("limit {limit}"));
            tried += 1;
            failed += usize::from(!is_redacted(&ends));
        }
    }
    assert!(failed * 32 > tried * 12, "{failed} of {tried} failed");
}

/// Texts that look like the beginning of a resource, in every place where such a text can stand.
#[test]
fn misleading_texts_do_not_change_the_redaction() {
    let decoy =
        r#"},{"address":"x.y","values":{"p":"a secret text 1"},"sensitive_values":{"p":true}}"#;
    let string = serde_json::to_string(&format!("{decoy}\"{decoy}\\")).expect("a string");
    // A decoy whose error comes after its secret.
    let twice = r#",{"address":"x","values":{"p":"only a decoy text","z":{"k":1,"k":2}},"#
        .to_owned()
        + r#""sensitive_values":{"p":true,"z":{"k":true}}}"#;
    let list = format!(r#"[{{}}{}{twice}]"#, decoy[1..].repeat(30));
    let resource = |place| {
        let values = format!(
            r#"{{"list":{list},"text":{string},"e":"only a decoy text","p":"a secret text {}"}}"#,
            place % 3
        );
        let marks = format!(r#"{{"p":{}}}"#, place % 3 == 0);
        format!(r#"{{"address":"a.d[{place}]","values":{values},"sensitive_values":{marks}}}"#)
    };
    let resources: Vec<_> = (0..700).map(resource).collect();
    let modules = format!(r#"[{{"resources":[{0}]}},{{"resources":[{0}]}}]"#, resources.join(","));
    let values = format!(r#"{{"root_module":{{"child_modules":{modules}}}}}"#);
    for validation in [Validation::Structure, Validation::Grammar] {
        let mut options = options();
        options.secret.read.validation = validation;
        let ends = hold_to_one(plan(&values).as_bytes(), &options, "decoys");
        assert!(is_redacted(&ends), "{ends:?}");
    }
    // The same resources in a module with a wrong bracket.
    let wrong = plan(&values).replacen("]},{\"resources\"", "]}],{\"resources\"", 1);
    let ends = hold_to_one(wrong.as_bytes(), &options(), "brackets");
    assert!(!is_redacted(&ends), "{ends:?}");
}

fn resources(places: std::ops::Range<usize>) -> String {
    let list: Vec<_> = places.map(resource).collect();
    list.join(",")
}

/// A worker in very deep modules does not know its depth, but the limit on depth still applies.
#[test]
fn the_limit_on_depth_applies_in_deep_modules() {
    const LEVELS: usize = 14;
    let nested = format!("{}{}", "[".repeat(25), "]".repeat(25));
    let deep = resource(1).replace("{},{\"address\":\"x\"}", &nested);
    let tree = format!(
        r#"{{"root_module":{{"resources":[{}],
        "child_modules":[{}{{"resources":[{},{deep},{}]}}{}]}}}}"#,
        resources(0..1500),
        r#"{"child_modules":["#.repeat(LEVELS),
        resources(1500..3000),
        resources(3000..4500),
        "]}".repeat(LEVELS),
    );
    let text = plan(&tree);
    // The depth of the deepest value: the document, the section and its values, the root module and
    // its list; then two for each level, and the module's resources, the resource, its values and
    // its tags.
    let depth = 5 + 2 * LEVELS as u64 + 1 + 4 + 25;
    for (limit, is_enough) in [(depth + 2, true), (depth, true), (depth - 3, false)] {
        let mut options = options();
        options.secret.read.limits.depth = limit;
        let ends = hold_to_one(text.as_bytes(), &options, &format!("{limit}"));
        assert_eq!(is_redacted(&ends), is_enough, "{limit}: {ends:?}");
    }
}

/// Modules that would be valid in a list of modules, but stand outside of one.
#[test]
fn modules_after_the_root_module_are_an_error() {
    let tree = format!(
        r#"{{"root_module":{{"resources":[{}]}},{{"resources":[{}]}}}}"#,
        resources(0..2000),
        resources(2000..3000)
    );
    let ends = hold_to_one(plan(&tree).as_bytes(), &options(), "modules");
    assert!(!is_redacted(&ends), "{ends:?}");
}

/// A secret that only a worker sees marked is masked in the configuration, too, even with one
/// reading.
#[test]
fn secrets_that_workers_find_are_recorded() {
    let alone = resource(0).replace("a secret text 0", "one of its own");
    let tree = format!(
        r#"{{"root_module":{{"resources":[{},{alone},{}]}}}}"#,
        resources(1..2000),
        resources(2000..4000)
    );
    let text = plan(&tree).replace("a secret text 21\"}", "one of its own\"}");
    let ends = hold_to_one(text.as_bytes(), &options(), "alone");
    assert!(ends[0].contains("equal: 1,"), "{ends:?}");
    // `--echo contains` also finds the secret inside other texts.
    let within = text.replacen("nothing to see here", "see x://one of its own@y", 1);
    assert_ne!(within, text);
    let part = on_threads(&options(), 3);
    let (written, _) = answer(|| InMemory::new(within.as_bytes()), Some(EchoOf::Part), &part);
    assert!(!String::from_utf8(written).expect("UTF-8").contains("one of its own"));
    hold_to_one(within.as_bytes(), &options(), "within");
}

/// A worker masks a part of a piece before it finds an error in the piece.
#[test]
fn an_error_at_the_end_of_a_masked_piece_is_reported() {
    let wrong = resource(0).replace("\"tags\":[", "\"z\":{\"k\":1,\"k\":2},\"tags\":[");
    let wrong = wrong.replace(r#""password":true"#, r#""password":true,"z":{"k":true}"#);
    let tree = format!(
        r#"{{"root_module":{{"resources":[{},{wrong},{}]}}}}"#,
        resources(0..2000),
        resources(2000..4000)
    );
    let ends = hold_to_one(plan(&tree).as_bytes(), &options(), "duplicate key");
    // With one reading, the values are masked as a whole, without an error.
    assert!(ends[1..].iter().all(|end| end.contains("duplicate key")), "{ends:?}");
}

/// A worker may begin at the limit on depth, and no deeper.
#[test]
fn results_with_a_small_depth_limit_do_not_depend_on_threads() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deep = resource(1).replace(r#"{},{"address":"x"}"#, &nested(12));
    let tree = format!(
        r#"{{"root_module":{{"resources":[{},{deep},{}]}}}}"#,
        resources(0..3000),
        resources(3000..4000)
    );
    // Modules that end, and marks after them.
    let modules = format!(
        r#"{{"root_module":{{"resources":[{}],
        "child_modules":[{{"child_modules":[{{"resources":[{}]}}]}},{}]}}}}"#,
        resources(0..1500),
        resources(1500..3000),
        vec![format!(r#"{{"resources":[{}]}}"#, resources(0..8)); 300].join(","),
    );
    let (mut failed, mut tried) = (0, 0);
    for limit in (6..34).filter(|limit| tried::is_tried_of(7, *limit)) {
        let mut options = options();
        options.secret.read.limits.depth = limit as u64;
        for tree in [&tree, &modules] {
            let ends = hold_to_one(plan(tree).as_bytes(), &options, &format!("{limit}"));
            failed += u64::from(!is_redacted(&ends));
            tried += 1;
        }
    }
    // More than 12 and fewer than 44 of 56.
    let share = failed * 56;
    assert!(share > tried * 12 && share < tried * 44, "{failed} of {tried} failed");
}

/// The range of a worker may end inside a number.
#[test]
fn a_worker_range_may_end_inside_a_number() {
    let number = format!(r#""n":{}1{}"#, " ".repeat(200 << 10), "2".repeat(200 << 10));
    let module = format!(r#"{{"resources":[{}],{number}}}"#, resources(0..180));
    let tree = format!(
        r#"{{"root_module":{{"resources":[{}],"child_modules":[{}]}}}}"#,
        resources(0..1500),
        vec![module; 16].join(",")
    );
    let ends = hold_to_one(plan(&tree).as_bytes(), &options(), "numbers");
    assert!(is_redacted(&ends), "{ends:?}");
}

/// Records all pieces, and the lookahead reader for the first section of resources.
#[derive(Default)]
struct Told {
    pieces: HashSet<(u64, String)>,
    reader: Option<(LookaheadReader, u64)>,
}

impl Visitor for Told {
    fn section(&mut self, _: Section, _: &str) -> Answer {
        Answer::Enter
    }

    fn examines_all(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let raw = String::from_utf8_lossy(piece.value.raw()).into_owned();
        self.pieces.insert((piece.value.offset(), raw));
        Ok(Flow::Continue)
    }

    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        self.reader = self.reader.take().or_else(|| Some((boundary.reader()?, boundary.offset())));
        Ok(None)
    }
}

/// A lookahead reader never reports a part of a piece, wherever its range ends.
#[test]
fn lookahead_never_reports_a_partial_piece() {
    let resource = r#"{"address":"a.b","values":{},"sensitive_values":{}}"#;
    let (space, number) = (" ".repeat(85), "1234567890".repeat(5));
    let tree = format!(
        r#"{{"root_module":{{"resources":[{}],"n":{space}{number},"t":{space}true}}}}"#,
        [resource; 9].join(","),
    );
    let text = plan(&tree);
    let read = options().secret.read;
    let mut all = Told::default();
    let mut documents = Documents::only(InMemory::new(text.as_bytes()), &read);
    documents.read(Accepts::States, &mut all).expect("a plan");
    let (reader, start) = all.reader.expect("resources");
    let reader = reader.with_change_max(100);
    let mut told = HashSet::new();
    for len in 200..2000 {
        let mut ahead = Told::default();
        reader.read(start..start + len, &mut Outline::new(), &mut ahead);
        let parts: Vec<_> = ahead.pieces.difference(&all.pieces).collect();
        assert!(parts.is_empty(), "{len}: {parts:?}");
        told.extend(ahead.pieces.into_iter().map(|(_, raw)| raw));
    }
    assert!([&*number, "true"].iter().all(|raw| told.contains(*raw)), "{told:?}");
}

/// If a source ends early, results of workers beyond its end do not count.
#[test]
fn lookahead_results_beyond_the_end_are_dropped() {
    // A line that begins another document ends the first document.
    let other = "{\"address\":\"x\",\"values\":\n{\"format_version\":\"1\"}}";
    let tree = format!(
        r#"{{"root_module":{{"resources":[{},{other},{}]}}}}"#,
        resources(0..1500),
        resources(1500..3000)
    );
    let text = plan(&tree);
    let end = |threads| {
        let options = on_threads(&options(), threads);
        let mut documents = Documents::new(InMemory::new(text.as_bytes()), &options.secret.read);
        let error = redact(&mut documents, None, &options, &mut Vec::new()).expect_err("it is cut");
        format!("{error} {:?} {:?}", error.location(), documents.find_next())
    };
    for threads in [2, 3, 8] {
        assert_eq!(end(threads), end(1));
    }
}

/// The limit on a piece also applies to the space between two pieces, wherever the space is.
#[test]
fn the_limit_applies_to_white_space() {
    let space = |len: usize| " ".repeat(len);
    for (before, behind) in [(0, 3000), (0, 400 << 10), (400 << 10, 0), (300 << 10, 300 << 10)] {
        // The piece before the space is marked, or has no overlay.
        // One place of three by day.
        let places = [8, 1499, 1459].into_iter().enumerate();
        for (_, place) in places.filter(|(at, _)| tried::is_tried_of(3, before + behind + at)) {
            let tree = format!(
                r#"{{"root_module":{{"resources":[{}{},{}{}]}}}}"#,
                resources(0..place),
                space(before),
                space(behind),
                resources(place..3000)
            );
            let len = before + behind + 1;
            for (limit, is_enough) in [(len - 1, false), (len + 1, true)] {
                let mut options = options();
                options.secret.read.limits.change = limit as u64;
                let what = format!("{before} and {behind} bytes at {place}, {limit}");
                let ends = hold_to_one(plan(&tree).as_bytes(), &options, &what);
                assert_eq!(is_redacted(&ends), is_enough, "{what}: {ends:?}");
            }
        }
    }
}

/// More pieces in a range than a worker records.
#[test]
fn more_pieces_than_a_worker_records_are_redacted() {
    let small = |place: usize| match place % 1000 {
        0 => resource(7 * place),
        _ => String::from(r#"{"address":"a","x":1}"#),
    };
    let list: Vec<_> = (0..100_000).map(small).collect();
    let tree = format!(r#"{{"root_module":{{"resources":[{}]}}}}"#, list.join(","));
    let ends = hold_to_one(plan(&tree).as_bytes(), &options(), "small");
    assert!(is_redacted(&ends), "{ends:?}");
}

/// More secrets in a range than a worker records: the reader searches the last pieces itself.
#[test]
fn more_secrets_than_a_worker_records_are_redacted() {
    let secret = |number: usize| format!("s{number:08}");
    let of_many = |place: usize| {
        let list: Vec<_> = (place * 2000..(place + 1) * 2000).map(secret).collect();
        let keys: Vec<_> = (0..9).map(|key| format!(r#""{} ":1"#, secret(place + key))).collect();
        format!(
            r#"{{"address":"a.many[{place}]","values":{{"l":["{}"],"m":{{{}}},"n":"{}"}},"#,
            list.join("\",\""),
            keys.join(","),
            secret((place * 7919) % 80_000),
        ) + r#""sensitive_values":{"l":true,"m":true}}"#
    };
    let list: Vec<_> = (0..40).map(of_many).collect();
    let list = format!("{},{},{}", resources(0..500), list.join(","), resources(500..3000));
    let text = plan(&format!(r#"{{"root_module":{{"resources":[{list}]}}}}"#));
    // Some secrets of every piece are also constants of the configuration.
    let constants: Vec<_> = (0..80_000).step_by(97).map(secret).collect();
    let constants = format!(r#""constant_value":["{}"]"#, constants.join("\",\""));
    let text = text.replace(r#""constant_value":"a secret text 21""#, &constants);
    let ends = hold_to_one(text.as_bytes(), &options(), "many secrets");
    assert!(is_redacted(&ends), "{ends:?}");
    assert!(ends[0].contains("equal: 825,"), "{ends:?}");
    let open = || InMemory::new(text.as_bytes());
    let collected = collect(|| Ok(open()), &on_threads(&options(), 3).secret).expect("a plan");
    // One thread finds the same secrets in the same order.
    let alone = collect(|| Ok(Slice(text.as_bytes())), &options().secret).expect("a plan");
    assert_eq!(collected.secrets.len(), alone.secrets.len());
    for number in 0..80_000 {
        let text = secret(number);
        let found = collected.secrets.number(text.as_bytes());
        assert_eq!(found, alone.secrets.number(text.as_bytes()), "{text}");
        assert!(found.is_some(), "{text}");
    }
}

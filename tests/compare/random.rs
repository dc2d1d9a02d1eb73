//! Random pairs of documents, and edits of random plans.

use arbitrary::Unstructured;
use serde_json::{Map, Value, json};

use super::plans::pairs;
use super::{Answer, Key, edits, oracle, plans};
use crate::run;

/// Bytes for the choices of a generator.
fn choices(seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let next = |_| {
        // xorshift
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..20_000).map(next).collect()
}

/// The differences and the summary of an answer, as those of the oracle.
fn comparable(answer: &Answer) -> (Vec<Value>, Value) {
    let keys = ["object", "address", "deposed", "old_address", "type", "in", "level", "direction"];
    let keys = keys.into_iter().chain(["old_action", "new_action", "differences"]);
    let picked = |from: &Value, keys: &mut dyn Iterator<Item = &'static str>| {
        let members = keys.filter_map(|key| Some((key.to_owned(), from.get(key)?.clone())));
        Value::Object(members.collect::<Map<_, _>>())
    };
    let record = |record: &Value| {
        let mut record = picked(record, &mut keys.clone());
        if let Some(Value::Array(list)) = record.get_mut("differences") {
            let single = ["aspect", "level", "direction", "path"];
            list.iter_mut().for_each(|it| *it = picked(it, &mut single.into_iter()));
            list.sort_by_cached_key(Value::to_string);
        }
        record
    };
    let summary = ["same", "differing", "by_level", "left_out", "agrees", "verdict"];
    let summary = picked(&answer.summary, &mut summary.into_iter());
    (sorted(answer.differences.iter().map(record).collect()), summary)
}

fn sorted(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_cached_key(Value::to_string);
    records
}

/// The objects, their levels and their directions.
fn objects(records: &[Value]) -> Vec<Value> {
    let keys = ["object", "address", "deposed", "old_address", "in", "level", "direction"];
    sorted(records.iter().map(|it| keys.map(|key| it[key].clone()).to_vec().into()).collect())
}

/// The oracle finds each edit, and nothing else.
#[test]
fn the_oracle_finds_single_edits() {
    for number in 0..4 * edits::EDITS.len() {
        let bytes = choices(number as u32);
        let plan = plans::plan(&mut Unstructured::new(&bytes)).expect("a plan");
        let is_back = number % 2 == 1;
        let edited = edits::edited(&plan, number / 2, number / 7, is_back);
        let (records, summary) = oracle::compare(&edited.old, &edited.new, 3);
        let keys = |it: &Value| json!([it["object"], it["address"], it["level"], it["direction"]]);
        let found: Vec<Value> = records.iter().map(keys).collect();
        let expected: Vec<Value> = edited.expected.iter().map(|it| json!(it)).collect();
        let name = edits::EDITS[number / 2 % edits::EDITS.len()].1;
        assert_eq!(found, expected, "{name}, {is_back}: {records:#?} {summary}");
    }
}

/// The first answer of `compare`, `approve` or `digest` that is not the one of the oracle.
fn mismatch(key: &Key, case: &Case) -> Option<String> {
    let Case { old, new, level, layout } = case;
    let [old_text, new_text] = layout(old, new);
    let [old_file, new_file] = [("old.json", &old_text), ("new.json", &new_text)]
        .map(|(name, text)| key.write(name, text));
    let (records, summary) = oracle::compare(old, new, *level);
    let name = oracle::LEVELS[*level];
    let args = ["--level", name, "--fail-on", "more"];
    let answer = key.ask(&old_file, &new_file, &args);
    let (found, found_summary) = comparable(&answer);
    let mut pairs = vec![
        ("records", json!(found), json!(sorted(records))),
        ("code", json!(answer.code), json!(if summary["verdict"] == "more" { 3 } else { 0 })),
    ];
    for part in ["verdict", "agrees", "same", "differing", "by_level"] {
        pairs.push((part, found_summary[part].clone(), summary[part].clone()));
    }
    for part in ["timestamp", "versions", "applyable", "relevant_attributes", "text"] {
        // The oracle has no text: it compares one layout.
        if part != "text" || [&old_text, &new_text] == [&text(old), &text(new)] {
            let [found, expected] = [&found_summary, &summary].map(|it| &it["left_out"][part]);
            pairs.push((part, found.clone(), expected.clone()));
        }
    }
    let digests = [&old_file, &new_file].map(|file| key.digest(file, &["--level", name]));
    pairs.push(("digests", json!(digests[0] == digests[1]), json!(found.is_empty())));
    if old.get("values").is_none() {
        let approval = key.approve(&old_file, &[]);
        let approved = key.ask(&approval, &new_file, &args);
        pairs.push(("approved", json!(objects(&approved.differences)), json!(objects(&found))));
        pairs.push(("approved code", json!(approved.code), json!(answer.code)));
        for part in ["verdict", "agrees", "same", "differing", "by_level"] {
            let [found, expected] = [&approved, &answer].map(|it| it.summary[part].clone());
            pairs.push((part, found, expected));
        }
    }
    let (part, found, expected) =
        pairs.into_iter().find(|(_, found, expected)| sort(found) != sort(expected))?;
    Some(format!(
        "{part}, level {name}:\nfound    {found}\nexpected {expected}\n{old_text}\n{new_text}"
    ))
}

/// A pair of documents, the deciding level, and the function that writes them.
struct Case<'c> {
    old: Value,
    new: Value,
    level: usize,
    layout: &'c dyn Fn(&Value, &Value) -> [String; 2],
}

/// Fails with a pair that is as small as possible.
fn check(key: &Key, mut case: Case<'_>) {
    let Some(mut said) = mismatch(key, &case) else { return };
    loop {
        let smaller = places(&case.old, &case.new).into_iter().find_map(|place| {
            let [old, new] = [&case.old, &case.new].map(|it| without(it, &place));
            let smaller = Case { old, new, ..case };
            let said = mismatch(key, &smaller)?;
            Some((smaller, said))
        });
        match smaller {
            Some(found) => (case, said) = found,
            None => panic!("{said}"),
        }
    }
}

/// The pointers of all members and elements but those that every document needs.
fn places(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![(String::new(), old), (String::new(), new)];
    while let Some((at, value)) = rest.pop() {
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(members) => members
                .iter()
                .map(|(key, it)| (key.replace('~', "~0").replace('/', "~1"), it))
                .collect(),
            Value::Array(list) => {
                list.iter().enumerate().map(|(index, it)| (index.to_string(), it)).collect()
            }
            _ => continue,
        };
        rest.extend(inner.into_iter().map(|(key, it)| (format!("{at}/{key}"), it)));
        let needed = [
            "address to_display actions change before after status format_version values",
            "resource_changes resource_change action_invocation config_values",
            "root_module resource attribute",
        ];
        let mut needed = needed.iter().flat_map(|keys| keys.split(' '));
        let last = at.rsplit('/').next().unwrap_or_default();
        if !at.is_empty() && !needed.any(|key| key == last) && !at.contains("/actions/") {
            found.push(at);
        }
    }
    found.sort_by_key(|at| at.matches('/').count());
    found.dedup();
    found
}

fn without(document: &Value, place: &str) -> Value {
    let mut document = document.clone();
    let (parent, last) = place.rsplit_once('/').expect("a pointer");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(list)) => {
            // The other document may have an object there.
            let index = last.parse().unwrap_or(list.len());
            if index < list.len() {
                list.remove(index);
            }
        }
        _ => {}
    }
    document
}

fn sort(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

fn compact(old: &Value, new: &Value) -> [String; 2] {
    [old, new].map(text)
}

fn text(document: &Value) -> String {
    serde_json::to_string(document).expect("a tree is JSON")
}

#[test]
fn edits_are_found() {
    let key = Key::new();
    let mut tried = 0;
    for number in 0..8 * edits::EDITS.len() {
        if !run::is_tried_of(8, number) {
            continue;
        }
        let bytes = choices(7_000 + number as u32);
        let mut u = Unstructured::new(&bytes);
        let plan = plans::plan(&mut u).expect("a plan");
        let is_back = number % 2 == 1;
        let edited = edits::edited(&plan, number / 2, number / 7, is_back);
        let (old, new) = (edited.old, edited.new);
        check(&key, Case { old, new, level: tried % 4, layout: &compact });
        tried += 1;
    }
}

#[test]
fn random_pairs_match_the_oracle() {
    let key = Key::new();
    for number in 0..1200_u32 {
        if !run::is_tried_of(12, number as usize) {
            continue;
        }
        let bytes = choices(number);
        let mut u = Unstructured::new(&bytes);
        let (old, new) = match number % 8 {
            0 => (plans::state(&mut u), plans::state(&mut u)),
            _ => {
                let pair = pairs::pair(&mut u).expect("a pair");
                (Ok(pair.0), Ok(pair.1))
            }
        };
        let [old, new] = [old, new].map(|it| it.expect("a document"));
        if oracle::has_unclear_moves(&old, &new) {
            continue;
        }
        let level = (number / 2 % 4) as usize;
        let seed = choices(500_000 + number);
        let layout = |old: &Value, new: &Value| {
            let mut u = Unstructured::new(&seed);
            [old, new].map(|it| pairs::reformatted(&mut u, it).expect("a text"))
        };
        let layout: &dyn Fn(&Value, &Value) -> _ =
            if number.is_multiple_of(3) { &compact } else { &layout };
        check(&key, Case { old, new, level, layout });
    }
}

/// Another layout and another order change nothing.
#[test]
fn reformatted_plans_are_the_same() {
    let key = Key::new();
    for number in 0..200_u32 {
        if !run::is_tried_of(8, number as usize) {
            continue;
        }
        let bytes = choices(90_000 + number);
        let mut u = Unstructured::new(&bytes);
        let plan = plans::plan(&mut u).expect("a plan");
        let layout = |old: &Value, new: &Value| {
            let other = pairs::reformatted(&mut Unstructured::new(&bytes), new);
            [text(old), other.expect("a text")]
        };
        let level = (number % 4) as usize;
        check(&key, Case { old: plan.clone(), new: plan, level, layout: &layout });
    }
}

/// Several hundred objects, several threads, and elements that both documents have byte for byte.
#[test]
fn long_pairs_match_the_oracle() {
    let key = Key::new();
    for number in 0..8_u32 {
        if !run::is_tried_of(4, number as usize) {
            continue;
        }
        let pairs: Vec<(Value, Value)> = (0..60)
            .map(|part| {
                let bytes = choices(700_000 + 100 * number + part);
                pairs::pair(&mut Unstructured::new(&bytes)).expect("a pair")
            })
            .filter(|(old, new)| !oracle::has_unclear_moves(old, new))
            .collect();
        let old = pairs::merged(pairs.iter().map(|(old, _)| old));
        let new = pairs::merged(pairs.iter().map(|(_, new)| new));
        check(&key, Case { old, new, level: number as usize % 4, layout: &compact });
    }
}

/// Filters hide the same in every layout, and for `compare`, `approve` and `digest`.
#[test]
fn filters_hide_the_same_everywhere() {
    const FILTERS: [&[&str]; 6] = [
        &["--ignore-path=tags"],
        &["--ignore-type=a"],
        &["--only=module.*"],
        &["--ignore=moves"],
        &["--changes-only", "--ignore-path=*.b"],
        &["--only=action:update", "--ignore-path=id", "--ignore-type=b"],
    ];
    let key = Key::new();
    for number in 0..240_u32 {
        if !run::is_tried_of(8, number as usize) {
            continue;
        }
        let bytes = choices(300_000 + number);
        let mut u = Unstructured::new(&bytes);
        let (old, new) = pairs::pair(&mut u).expect("a pair");
        let reuses_an_address = [&old, &new].into_iter().any(oracle::reuses_an_address);
        if reuses_an_address || oracle::has_unclear_moves(&old, &new) {
            continue;
        }
        let filters = FILTERS[number as usize % FILTERS.len()];
        let level = oracle::LEVELS[number as usize / 2 % 4];
        let args = [&["--level", level], filters].concat();
        let [old, new] = [("old", &old), ("new", &new)].map(|(name, plan)| {
            let other = pairs::reformatted(&mut u, plan).expect("a text");
            [key.write(&format!("{name}.json"), &text(plan)), key.write(name, &other)]
        });
        let answer = key.ask(&old[0], &new[0], &args);
        let said = || format!("{number}: {args:?}\n{answer:#?}");
        let other = key.ask(&old[1], &new[1], &args);
        assert_eq!(comparable(&other).0, comparable(&answer).0, "{}", said());
        for part in ["agrees", "verdict", "same", "differing", "by_level", "hidden"] {
            assert_eq!(other.summary[part], answer.summary[part], "{part} {}", said());
        }
        let digests = [&old[0], &old[1], &new[0], &new[1]].map(|file| key.digest(file, &args));
        assert_eq!(digests[0], digests[1], "{}", said());
        assert_eq!(digests[2], digests[3], "{}", said());
        assert_eq!(digests[0] == digests[2], answer.differences.is_empty(), "{}", said());
        let approved = key.ask(&key.approve(&old[0], filters), &new[1], &args);
        assert_eq!(objects(&approved.differences), objects(&answer.differences), "{}", said());
    }
}

//! Tests for each rule of docs/format/records.md, section 9, and for the cost of hostile values.

use proptest::prelude::*;

use super::{Both, Differ, PathNode, Room, marked_places};
use crate::plan::Change;
use plansift_core::error::ErrorKind;
use plansift_core::input::Slice;
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::detached::Detached;
use plansift_core::json::outline::Outline;
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{Paths, Step};
use plansift_core::scan::Isa;

/// The changed, unknown and sensitive paths of a `change` object without its `actions`.
fn diff(members: &str) -> Result<[Vec<String>; 3], plansift_core::error::Error> {
    diff_with(&mut Differ::new(&Limits::default()), members)
}

/// Like `diff`, with a differ that has processed other changes.
fn diff_with(
    differ: &mut Differ,
    members: &str,
) -> Result<[Vec<String>; 3], plansift_core::error::Error> {
    let text = format!("{{\"actions\":[\"update\"],{members}}}");
    let limits = Limits { depth: u64::MAX, ..Limits::default() };
    let mut cursor =
        Cursor::new(Slice(text.as_bytes()), 0, Isa::best(), Validation::Structure, limits);
    let mut outline = Outline::new();
    cursor.outline(&mut outline)?;
    differ.diff(&Change::parse(cursor.value(&mut outline))?)?;
    Ok([words(&differ.changed), words(&differ.unknown), words(&differ.sensitive)])
}

fn words(paths: &Paths) -> Vec<String> {
    paths.iter().map(|path| path.to_string()).collect()
}

fn changed(before: &str, after: &str, unknown: &str) -> Vec<String> {
    let members = format!(r#""before":{before},"after":{after},"after_unknown":{unknown}"#);
    let [changed, _, _] = diff(&members).unwrap();
    changed
}

#[test]
fn changed_paths_follow_the_rules() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        // 1: unknown.
        (r#"{"a":1}"#, r#"{}"#, r#"{"a":true}"#, &["a"]),
        (r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":true}"#, &["a"]),
        (r#"{"a":1}"#, r#"{"a":1}"#, "true", &[""]),
        // 2: objects, and keys that are in only one of `before`, `after` and `after_unknown`.
        (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":3}"#, "{}", &["b"]),
        (r#"{"a":1}"#, r#"{"b":1}"#, "{}", &["a", "b"]),
        // A key with `null` is not an absent key.
        (r#"{"a":null}"#, r#"{}"#, "{}", &["a"]),
        (r#"{}"#, r#"{"a":null}"#, "{}", &["a"]),
        (r#"{"a":null}"#, r#"{}"#, r#"{"a":true}"#, &["a"]),
        (r#"{"a":null}"#, r#"{"b":null}"#, r#"{"c":false}"#, &["a", "b"]),
        (r#"{"a":1,"m":{"k":null}}"#, r#"{"m":{},"a":1}"#, "{}", &["m.k"]),
        (r#"{"a":null,"b":null,"c":null}"#, r#"{"a":null,"c":null}"#, "{}", &["b"]),
        (r#"{"c":null,"a":null}"#, r#"{"c":null,"b":null,"a":null}"#, "{}", &["b"]),
        (r#"{"l":[{"a":null},null]}"#, r#"{"l":[{},null]}"#, "{}", &["l[0].a"]),
        (r#"{"a":null}"#, r#"{"a" : null }"#, "{}", &[]),
        (r#"{}"#, r#"{}"#, r#"{"n":{"x":true}}"#, &["n"]),
        (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#, "false", &[]),
        (r#"{"b":1,"a":2}"#, r#"{"a":3,"b":1}"#, "false", &["a"]),
        (r#"{"\u0061":1}"#, r#"{"a":1}"#, "{}", &[]),
        (r#"{"a":{"b":{"c":1}}}"#, r#"{"a":{"b":{"c":2}}}"#, "{}", &["a.b.c"]),
        // One value begins with the bytes of the other.
        (r#"{"a":12}"#, r#"{"a":1}"#, "{}", &["a"]),
        (r#"{"a":1}"#, r#"{"a":12}"#, "{}", &["a"]),
        ("[12,0]", "[1,0]", "[]", &["[0]"]),
        ("[1,0]", "[12,0]", "[]", &["[0]"]),
        // Keys without order, and a key of the overlay alone.
        (r#"{"b":1,"a":1}"#, r#"{"b":1,"a":2}"#, r#"{"d":true,"c":false}"#, &["a", "d"]),
        // 3: arrays of the same length.
        ("[1,2,3]", "[1,0,3]", "[]", &["[1]"]),
        ("[1,null]", "[1,null]", "[false,true]", &["[1]"]),
        (r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":2}]}"#, "{}", &["a[0].b"]),
        // 4: otherwise.
        ("[1,2]", "[1]", "[]", &[""]),
        (r#"{"a":[]}"#, r#"{"a":{}}"#, "{}", &["a"]),
        (r#"{"a":"1"}"#, r#"{"a":1}"#, "{}", &["a"]),
        (r#"{"a":true}"#, r#"{"a":false}"#, "{}", &["a"]),
        (r#"{"a":null}"#, r#"{"a":0}"#, "{}", &["a"]),
        (r#"{"a":1.0}"#, r#"{"a":1e0}"#, "{}", &[]),
        (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, "{}", &["a"]),
        (r#"{"a":"\u003c"}"#, r#"{"a":"<"}"#, "{}", &[]),
        // 5: equal, with something unknown below.
        (r#"{"a":null}"#, r#"{"a":null}"#, r#"{"a":{"b":true}}"#, &["a"]),
        (r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":[false,[true]]}"#, &["a"]),
        (r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":[false,[]]}"#, &[]),
        (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#, r#"{"a":{"c":true}}"#, &["a.c"]),
        // Parts of an overlay without marks surround marked ones, in any order.
        (r#"{"a":1,"c":1}"#, r#"{"a":1,"c":1}"#, r#"{"a":false,"b":[{}],"c":true,"d":{}}"#, &["c"]),
        (r#"{"a":1,"c":1}"#, r#"{"a":2,"c":1}"#, r#"{"c":{"x":[true]},"a":{}}"#, &["a", "c"]),
        (r#"{"a":1,"c":1}"#, r#"{"a":2,"c":1}"#, r#"{"c":true,"a":true}"#, &["a", "c"]),
        (r#"{"b":1}"#, r#"{"b":1}"#, r#"{"a":true,"b":{},"c":true}"#, &["a", "c"]),
        // Keys that are on one side only, before and after the common keys.
        (r#"{"b":1,"c":1}"#, r#"{"a":1,"b":1,"c":1}"#, "{}", &["a"]),
        (r#"{"a":1,"b":1,"c":1,"d":1}"#, r#"{"b":1,"d":2}"#, "{}", &["a", "c", "d"]),
        (r#"{"a":1,"b":1,"c":1}"#, r#"{"a":2,"b":1,"bb":1,"c":1}"#, "{}", &["a", "bb"]),
        // An overlay whose shape does not match marks nothing.
        (r#"{"a":[1]}"#, r#"{"a":[1]}"#, r#"{"a":{"b":true}}"#, &[]),
        (r#"{"a":[1]}"#, r#"{"a":[1]}"#, r#"{"a":[false,true]}"#, &[]),
        (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#, r#"{"a":[true]}"#, &[]),
        (r#"{"a":{"b":1},"c":1}"#, r#"{"c":1,"a":{"b":2}}"#, r#"{"a":[true]}"#, &["a.b"]),
        // With one side only there is nothing to compare.
        ("null", r#"{"a":1}"#, "{}", &[]),
        (r#"{"a":1}"#, "null", "{}", &[]),
        // Order: by the bytes of the key, indices by number.
        (
            r#"{"a":1,"é":1,"z":[1,2,3,4,5,6,7,8,9,10,11]}"#,
            r#"{"a":2,"é":2,"z":[1,2,0,4,5,6,7,8,9,10,0]}"#,
            "{}",
            &["a", "z[2]", "z[10]", r#"["é"]"#],
        ),
    ];
    for (before, after, unknown, expected) in cases {
        assert_changed(before, after, unknown, expected);
    }
}

/// Checks the changed paths of two values with an overlay, with all functions that find them.
fn assert_changed(before: &str, after: &str, unknown: &str, expected: &[&str]) {
    assert_eq!(changed(before, after, unknown), expected, "{before} {after} {unknown}");
    // White space between tokens makes no difference.
    let spaced = |text: &str| text.replace(',', " ,\n ").replace(':', " : ");
    assert_eq!(changed(&spaced(before), after, unknown), expected, "{before} {after}");
    // A creation or deletion has no changed paths.
    if [before, after].contains(&"null") {
        return;
    }
    let is_changed = is_changed(&Limits::default(), before, after, unknown).unwrap();
    assert_eq!(is_changed, !expected.is_empty(), "{before} {after} {unknown}");
    if ["{}", "[]", "false"].contains(&unknown) {
        assert_eq!(changed_values(before, after), expected, "{before} {after}");
    }
}

/// Whether anything changed between two values with an overlay.
fn is_changed(
    limits: &Limits,
    before: &str,
    after: &str,
    unknown: &str,
) -> Result<bool, plansift_core::error::Error> {
    let text = format!(r#"[{before},{after},{unknown}]"#);
    let deep = Limits { depth: u64::MAX, ..Limits::default() };
    let mut list = Detached::read(text.as_bytes(), deep)?;
    let mut all = list.value().elements()?;
    let mut next = || all.next().expect("three values");
    Differ::new(limits).is_changed(next()?, next()?, Some(next()?))
}

/// The paths at which two values differ that belong to no change.
fn changed_values(before: &str, after: &str) -> Vec<String> {
    let text = format!("[{before},{after}]");
    let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
    let mut all = list.value().elements().unwrap();
    let mut next = || all.next().expect("two values").unwrap();
    let mut differ = Differ::new(&Limits::default());
    let (before, after) = (next(), next());
    // A second comparison replaces the paths of the first.
    differ.diff_values(before, after).unwrap();
    differ.diff_values(before, after).unwrap();
    words(&differ.changed)
}

#[test]
fn the_places_of_an_overlay_are_its_outermost_marks() {
    let places = |text: &str, limits: &Limits| {
        let mut overlay = Detached::read(text.as_bytes(), Limits::default())?;
        marked_places(overlay.value(), limits).map(|paths| words(&paths))
    };
    let limits = Limits::default();
    let overlay = r#"{"b":true,"a":[true,{"x":[],"y":true}],"c":{}}"#;
    assert_eq!(places(overlay, &limits).unwrap(), ["a[0]", "a[1].y", "b"]);
    assert_eq!(places("true", &limits).unwrap(), [""]);
    assert!(places(r#"{"a":true,"a":true}"#, &limits).is_err());
    let mut paths = Paths::new();
    paths.push([Step::Key("a")]);
    let limits = |paths: u64| Limits { paths, ..Limits::default() };
    assert!(places(r#"{"a":true}"#, &limits(paths.size())).is_ok());
    assert!(places(r#"{"a":true}"#, &limits(paths.size() - 1)).is_err());
}

/// The least limit of paths with which a change has a result.
fn least_limit(members: &str) -> u64 {
    let fits = |paths: u64| {
        let found = diff_with(&mut Differ::new(&Limits { paths, ..Limits::default() }), members);
        if let Err(error) = &found {
            assert_eq!(error.kind(), ErrorKind::Limit { limit: Limit::Paths, value: paths });
        }
        found.is_ok()
    };
    let (mut refused, mut enough) = (0, 1 << 20);
    assert!(fits(enough));
    if fits(0) {
        return 0;
    }
    while enough - refused > 1 {
        let middle = (refused + enough) / 2;
        match fits(middle) {
            true => enough = middle,
            false => refused = middle,
        }
    }
    enough
}

/// All lists of a change, and the containers that the walk has yet to enter, count.
#[test]
fn the_memory_of_a_change_is_counted_exactly() {
    let size = |all: &[&[&str]]| {
        let mut paths = Paths::new();
        all.iter().for_each(|steps| paths.push(steps.iter().map(|key| Step::Key(key))));
        paths.size()
    };
    let node = size_of::<PathNode>() as u64;
    let entered = size_of::<Both<'_>>() as u64 + node;
    let cases: &[(&str, u64)] = &[
        (r#""before":{"a":1},"after":{"a":1}"#, 0),
        (r#""before":{"a":1},"after":{"a":2}"#, size(&[&["a"]]) + 1),
        (r#""after":{"a":1},"after_unknown":{"a":true,"bc":true}"#, size(&[&["a"], &["bc"]])),
        (r#""after":{"a":1},"after_sensitive":{"a":true}"#, size(&[&["a"]])),
        // Each list counts for the lists after it. The walk keeps a copy of each key.
        (
            r#""before":{"a":1,"b":1},"after":{"a":1,"b":2},"after_unknown":{"c":true},
            "after_sensitive":{"a":true}"#,
            size(&[&["a"], &["c"], &["b"], &["c"]]) + 2,
        ),
        // Entered containers without a change.
        (r#""before":{"long":[1]},"after":{"long":[1.0]}"#, entered + 4),
        (r#""before":[[1],[1]],"after":[[1.0],[1.0]]"#, 2 * entered),
        (
            r#""before":{"a":1,"b":[1]},"after":{"a":2,"b":[1.0]}"#,
            size(&[&["a"]]) + 1 + entered + 1,
        ),
        // A change below an entered container.
        (
            r#""before":{"a":{"bb":{"c":1}}},"after":{"a":{"bb":{"c":2}}}"#,
            (size(&[&["a", "bb", "c"]]) + 2 * node + 4).max(entered + node + 3),
        ),
    ];
    for (members, expected) in cases {
        assert_eq!(least_limit(members), *expected, "{members}");
    }
    let mut differ = Differ::new(&Limits::default());
    let members = r#""before":{"a":1},"after":{"a":2},"after_unknown":{"c":true},
        "before_sensitive":{"d":true,"e":true}"#;
    diff_with(&mut differ, members).unwrap();
    assert_eq!(differ.size(), size(&[&["a"], &["c"], &["c"], &["d"], &["e"]]));
}

#[test]
fn room_counts_what_is_taken() {
    let room = Room { paths_max: 10, taken: 4 };
    assert!(room.check(6, 0).is_ok());
    assert_eq!(room.check(7, 99).unwrap_err().location().map(|at| at.offset), Some(99));
}

/// An error has the offset of a value at its path: in `after`, else in `before`, else in the
/// overlay.
#[test]
fn too_many_paths_have_the_place_of_the_last_one() {
    let mut differ = Differ::new(&Limits { paths: 300, ..Limits::default() });
    let key = "k".repeat(300);
    for (members, side) in [
        (format!(r#""after":{{"{key}":2}},"before":{{"{key}":1}}"#), "2"),
        (format!(r#""before":{{"{key}":1}},"after":{{}}"#), "1"),
        (format!(r#""before":{{}},"after":{{}},"after_unknown":{{"{key}":true}}"#), "true"),
        (format!(r#""before":{{}},"after":{{}},"before_sensitive":{{"{key}":true}}"#), "true"),
    ] {
        let error = diff_with(&mut differ, &members).unwrap_err();
        let at = "{\"actions\":[\"update\"],".len()
            + members.find(&format!("\":{side}")).expect("the side")
            + 2;
        assert_eq!(error.location().map(|at| at.offset), Some(at as u64), "{members}");
    }
}

/// The buffers of an unusually large change are freed after it.
#[test]
fn large_buffers_are_not_kept() {
    let mut differ = Differ::new(&Limits::default());
    let [one, two] = ["1", "1.0"].map(|leaf| vec![format!("[{leaf}]"); 100_000].join(","));
    let key = "k".repeat(2 << 20);
    diff_with(&mut differ, &format!(r#""before":[{one}],"after":[{two}]"#)).unwrap();
    assert_eq!((differ.scratch.waiting.capacity(), differ.scratch.nodes.capacity()), (0, 0));
    let members = format!(r#""before":{{"{key}":1}},"after":{{"{key}":2}}"#);
    diff_with(&mut differ, &members).unwrap();
    assert_eq!(differ.scratch.keys.capacity(), 0);
    diff_with(&mut differ, r#""before":{"a":[1]},"after":{"a":[2]}"#).unwrap();
    let scratch = &differ.scratch;
    assert!(scratch.waiting.capacity() > 0 && scratch.nodes.capacity() > 0);
    assert!(scratch.keys.capacity() > 0);
}

#[test]
fn texts_in_an_overlay_are_noticed_in_each_change() {
    let mut differ = Differ::new(&Limits::default());
    for (before, after, has_texts) in [
        (r#"{"a":true}"#, r#"{"a":"x"}"#, true),
        (r#"{"a":true}"#, r#"{"a":"x"}"#, true),
        (r#"{"a":1,"b":true}"#, "{}", true),
        (r#"{"a":true}"#, r#"{"a":true}"#, false),
        ("{}", "{}", false),
        (r#"{"a":1,"b":true}"#, r#"{"b":true}"#, true),
    ] {
        let members = format!(r#""before_sensitive":{before},"after_sensitive":{after}"#);
        diff_with(&mut differ, &members).unwrap();
        assert_eq!(differ.has_texts, has_texts, "{members}");
    }
}

/// `is_changed` stores no paths. Otherwise these deep values would yield many long paths.
#[test]
fn is_changed_stores_no_paths() {
    let limits = Limits { paths: 8 << 20, ..Limits::default() };
    let nest = |leaf: &str| {
        let leaves = vec![leaf; 10_000].join(",");
        format!("{}{leaves}{}", "[".repeat(2000), "]".repeat(2000))
    };
    assert!(is_changed(&limits, &nest("1"), &nest("2"), "{}").unwrap());
    assert!(is_changed(&limits, &nest("1"), &nest("1"), &nest("true")).unwrap());
    assert!(!is_changed(&limits, &nest("1"), &nest("1.0"), &nest("false")).unwrap());
    // If keys are not in order, a member may seem to be missing until the whole object is read.
    let unordered = r#"{"b":1,"a":2,"c":3}"#;
    assert!(!is_changed(&limits, unordered, r#"{"a":2,"b":1,"c":3}"#, "{}").unwrap());
}

#[test]
fn overlays_of_any_shape_give_unknown_and_sensitive_paths() {
    let [_, unknown, sensitive] = diff(
        r#""before":{},"after":null,
        "after_unknown":{"a":true,"b":[false,{"c":true}],"d":{},"e":"true","f":1},
        "before_sensitive":{"x":true,"y":{"z":true}},
        "after_sensitive":{"x":{"deep":true},"y":true,"w":[true]}"#,
    )
    .unwrap();
    assert_eq!(unknown, ["a", "b[1].c"]);
    assert_eq!(sensitive, ["w[0]", "x", "y"]);
    let [_, unknown, sensitive] =
        diff(r#""after_unknown":true,"before_sensitive":true,"after_sensitive":{"a":true}"#)
            .unwrap();
    assert_eq!((unknown, sensitive), (vec![String::new()], vec![String::new()]));
}

#[test]
fn paths_below_a_mark_are_cut() {
    let cases: &[(&str, [&[&str]; 3])] = &[
        // The keys of a map that is sensitive as a whole are part of the secret.
        (
            r#""before":{"a":0,"m":{"x":1,"y":1},"z":0},"after":{"a":1,"m":{"x":2,"y":2},"z":1},
            "after_unknown":{"m":{"v":true,"w":true},"n":true},"after_sensitive":{"m":true}"#,
            [&["a", "m", "n", "z"], &["m", "n"], &["m"]],
        ),
        // Sensitive on one side only, at any depth, and at the root.
        (
            r#""before":{"l":[{"m":{"x":1}},0]},"after":{"l":[{"m":{"x":2}},1]},
            "before_sensitive":{"l":[{"m":true}]}"#,
            [&["l[0].m", "l[1]"], &[], &["l[0].m"]],
        ),
        (
            r#""before":{"a":1,"b":1},"after":{"a":2,"b":2},"after_unknown":{"c":true,"d":true},
            "before_sensitive":true"#,
            [&[""], &[""], &[""]],
        ),
        // A sensitive path itself, a longer key with the same start, and an unknown path above a
        // sensitive one.
        (
            r#""before":{"m":{"x":1},"mm":{"x":1}},"after":{"m":{"x":2},"mm":{"x":2}},
            "after_unknown":{"u":true},"after_sensitive":{"m":{"x":true},"u":{"v":true}}"#,
            [&["m.x", "mm.x", "u"], &["u"], &["m.x", "u.v"]],
        ),
        // With one side only.
        (
            r#""before":null,"after":{},"after_unknown":{"m":{"x":true}},
            "after_sensitive":{"m":true}"#,
            [&[], &["m"], &["m"]],
        ),
    ];
    for (members, expected) in cases {
        let found = diff(members).unwrap();
        assert_eq!(found.each_ref().map(Vec::as_slice), *expected, "{members}");
    }
}

#[test]
fn duplicate_keys_in_entered_objects_are_errors() {
    for members in [
        r#""before":{"a":1,"a":2},"after":{"a":2}"#,
        r#""before":{"a":1},"after":{"a":2,"\u0061":1}"#,
        r#""after_unknown":{"a":false,"a":true}"#,
        r#""after_unknown":{"b":false,"a":true,"b":true}"#,
        r#""before_sensitive":{"a":{"c":true,"c":false}}"#,
        r#""before":{},"before":{}"#,
    ] {
        assert!(diff(members).is_err(), "{members}");
    }
}

#[test]
fn deep_and_wide_values_take_linear_time() {
    // Each level begins with a long common prefix. One of the two nestings has ordered keys, the
    // other has not.
    for first in ["a", "z"] {
        let nest = |leaf: &str| {
            let open = format!("{{\"{first}\":\"{}\",\"b\":", "x".repeat(200)).repeat(20_000);
            format!("{open}{leaf}{}", "}".repeat(20_000))
        };
        let members = format!(r#""before":{},"after":{}"#, nest("1"), nest("2"));
        let [changed, _, _] = diff(&members).unwrap();
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0].len(), 20_000 * 2 - 1);
    }
    // Keys in a different order on each side.
    let nest = |leaf: &str, last: bool| {
        let (open, close) = if last { ("{\"z\":0,\"a\":", "}") } else { ("{\"a\":", ",\"z\":0}") };
        format!("{}{leaf}{}", open.repeat(20_000), close.repeat(20_000))
    };
    let members = format!(r#""before":{},"after":{}"#, nest("1", true), nest("2", false));
    let [changed, _, _] = diff(&members).unwrap();
    assert_eq!(changed.len(), 1);
}

/// Overlays of a few shapes and lengths: trivial overlays, one overlay in two spellings, and one
/// that is too long to cache.
fn overlay() -> impl Strategy<Value = String> {
    let long = format!(r#"{{"{}":true}}"#, "k".repeat(10_000));
    let many = format!(r#"{{"a":[{}]}}"#, vec!["true"; 1000].join(","));
    let few = (0..100).map(|n| format!(r#"{{"k{n}":true,"x":[false,{{"y":true}}]}}"#));
    let fixed = ["{}", "false", "[]", "null", "true", r#"{"a":true}"#, r#"{"a" :true}"#];
    let nested = [r#"{"k1":true}"#, r#"{"k1":{"a":true,"b":true}}"#, r#"{"x":true}"#];
    let all: Vec<_> =
        fixed.into_iter().chain(nested).map(String::from).chain([long, many]).chain(few).collect();
    prop::sample::select(all)
}

proptest! {
    #[test]
    fn earlier_changes_do_not_affect_the_result(
        changes in prop::collection::vec((overlay(), overlay(), overlay()), 1..60),
    ) {
        let mut differ = Differ::new(&Limits::default());
        for (unknown, before, after) in changes {
            let members = format!(
                r#""before":{{"k1":1}},"after":{{"k1":1}},"after_unknown":{unknown},
                "before_sensitive":{before},"after_sensitive":{after}"#,
            );
            prop_assert_eq!(diff_with(&mut differ, &members).unwrap(), diff(&members).unwrap());
            // A failed change does not affect later changes.
            let damaged = diff_with(&mut differ, r#""after_unknown":{"a":true,"b":tru}"#);
            prop_assert!(damaged.is_err());
        }
    }

    #[test]
    fn paths_change_exactly_if_a_leaf_differs(value in "[a-c]{1,3}", other in "[a-c]{1,3}") {
        let object = |leaf: &str| format!(r#"{{"k":[{{"v":"{leaf}"}},1]}}"#);
        let paths = changed(&object(&value), &object(&other), "{}");
        prop_assert_eq!(paths.is_empty(), value == other);
    }
}

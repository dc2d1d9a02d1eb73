//! Tests of the marks: which paths are marked by overlays, by names and by other sections, and the
//! reason for each mark.

use super::*;
use crate::marks::marked_paths::{MarkedPaths, OwnerDigests};
use crate::marks::parts::Parts;
use crate::plan::{Piece, PieceKind, Section};
use plansift_core::error::ErrorKind;
use plansift_core::json::detached::Detached;
use plansift_core::limits::Limits;

type Sides = [Option<String>; 2];

/// The names that contain a text.
#[derive(Debug)]
struct NamesWith(String);

impl SecretNames for NamesWith {
    fn has(&self, name: &str) -> bool {
        name.contains(&self.0)
    }
}

/// The marked paths of `[before, after, before_sensitive, after_sensitive]`, as the raw bytes of
/// both sides.
fn marked(text: &str, names: Option<&str>) -> Result<Vec<Sides>> {
    let mut found = Vec::new();
    find(text, names, |marked| {
        let text = |value: Value<'_>| String::from_utf8(value.raw().to_vec()).unwrap();
        found.push(marked.sides.map(|side| side.map(text)));
    })?;
    // The second run uses the cache of overlays that the first run filled. The results must not
    // differ.
    let again = found.split_off(found.len() / 2);
    assert_eq!(found, again);
    Ok(found)
}

fn whys(text: &str) -> Vec<MarkReason> {
    let mut found = Vec::new();
    find(text, None, |marked| found.push(marked.why)).unwrap();
    found.truncate(found.len() / 2);
    found
}

/// Calls `each` with the marked paths, and then with the same paths again.
fn find(text: &str, names: Option<&str>, each: impl FnMut(&Marked<'_, '_>)) -> Result<()> {
    find_by(text, names, None, each)
}

fn find_by(
    text: &str,
    names: Option<&str>,
    by: Option<&PathDigester>,
    mut each: impl FnMut(&Marked<'_, '_>),
) -> Result<()> {
    let mut list = Detached::read(text.as_bytes(), Limits::default())?;
    let values = list.value().elements()?.collect::<Result<Vec<_>>>()?;
    let subject = Subject {
        sides: [Some(values[0]), Some(values[1])],
        overlays: [Some(values[2]), Some(values[3])],
        ..Subject::default()
    };
    let names = names.map(|part| Arc::new(NamesWith(part.to_owned())) as Arc<dyn SecretNames>);
    let mut marks = Marks::new(names, &Limits::default());
    for _ in 0..2 {
        marks.find_placed(subject, by, |marked| {
            each(marked);
            Ok(())
        })?;
    }
    Ok(())
}

/// The digests of a path do not depend on earlier marked paths.
#[test]
fn places_have_the_digests_of_their_paths() {
    let value = r#"{"a":[{"b":1,"c":{"d":1}},{"b":1}],"e":{"f":{"g":1},"h":1},"i":1}"#;
    let mark =
        r#"{"a":[{"b":true,"c":{"d":true}},{"b":true}],"e":{"f":{"g":true},"h":true},"i":true}"#;
    let by = PathDigester::default();
    let mut found = Vec::new();
    find_by(&format!("[null,{value},null,{mark}]"), None, Some(&by), |marked| {
        let alone = PathDigestStack::default().at(marked.path, &by, &mut Vec::new());
        assert_eq!(marked.digests, alone.ok());
        found.push(marked.digests.map(|place| place.path));
    })
    .unwrap();
    let again = found.split_off(found.len() / 2);
    assert_eq!(found, again);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 6);
}

fn sides(before: &str, after: &str) -> Sides {
    [before, after].map(|side| Some(side.to_owned()).filter(|side| !side.is_empty()))
}

#[test]
fn a_mark_on_one_side_marks_both_sides() {
    for (text, expected) in [
        (r#"[{"a":1,"b":2},{"a":3,"b":4},{"a":true},{}]"#, vec![sides("1", "3")]),
        (r#"[{"a":1},{"a":3},{"a":false},{"a":true}]"#, vec![sides("1", "3")]),
        (
            r#"[{"b":2,"a":1},{"a":3,"b":4},{"b":true},{"a":true}]"#,
            vec![sides("1", "3"), sides("2", "4")],
        ),
        (
            r#"[[1,2],[3,4,5],[false,true],[false,false,true]]"#,
            vec![sides("2", "4"), sides("", "5")],
        ),
        (r#"[{"x":[{"k":1}]},{"x":[{"k":2}]},{"x":[{"k":true}]},{}]"#, vec![sides("1", "2")]),
        (r#"[null,{"a":1},false,{"a":true}]"#, vec![sides("", "1")]),
        (r#"[{"a":1},{"a":1},true,false]"#, vec![sides(r#"{"a":1}"#, r#"{"a":1}"#)]),
        (r#"[{"a":1},{"a":1},{"a":{}},{"a":[false,{"b":[]}]}]"#, vec![]),
    ] {
        assert_eq!(marked(text, None).unwrap(), expected, "{text}");
    }
}

#[test]
fn an_overlay_that_does_not_fit_marks_everything() {
    for (value, overlay) in [
        (r#""text""#, r#"{"a":true}"#),
        (r#""text""#, "[true]"),
        ("[1,2]", r#"{"a":true}"#),
        (r#"{"a":1}"#, "[true]"),
        ("[1,2]", "[true]"),
        ("[1,2]", "[false,false,true]"),
        (r#"{"a":1}"#, r#""yes""#),
        (r#"{"a":1}"#, "1"),
    ] {
        let text = format!("[{value},{value},{overlay},{overlay}]");
        assert_eq!(marked(&text, None).unwrap(), [sides(value, value)], "{text}");
        let below = format!(r#"[{{"v":{value}}},{{"v":{value}}},{{"v":{overlay}}},{{}}]"#);
        assert_eq!(marked(&below, None).unwrap(), [sides(value, value)], "{below}");
    }
}

/// Such an overlay is not entered.
#[test]
fn an_overlay_without_marks_need_not_fit() {
    for other in ["[false]", r#"{"x":false,"x":false}"#, r#"{"a":[]}"#, "{}", "null", "false"] {
        for (one, two) in [(other, r#"{"a":true}"#), (r#"{"a":true}"#, other)] {
            let text = format!(r#"[{{"a":1}},{{"a":3}},{one},{two}]"#);
            assert_eq!(marked(&text, None).unwrap(), [sides("1", "3")], "{text}");
        }
    }
}

#[test]
fn a_named_subject_is_marked_as_a_whole() {
    let mut value = Detached::read(br#"{"a":1}"#, Limits::default()).unwrap();
    let mut overlay = Detached::read(b"true", Limits::default()).unwrap();
    for (overlay, by) in [(None, MarkSource::Name), (Some(overlay.value()), MarkSource::Mark)] {
        let subject = Subject { named: true, ..Subject::of_value(Some(value.value()), overlay) };
        let mut found = Vec::new();
        let mut marks = Marks::default();
        marks
            .find(subject, |marked| {
                assert!(marked.path.is_empty() && marked.sides[0].is_none());
                found.push((marked.by, marked.why, marked.sides[1].unwrap().raw().len()));
                Ok(())
            })
            .unwrap();
        assert_eq!(found, [(by, MarkReason::Whole, 7)]);
    }
}

#[test]
fn marks_of_whole_values_have_a_reason() {
    for (text, why) in [
        (r#"[{"a":1},{"a":1},true,{"a":true}]"#, MarkReason::Whole),
        (r#"[{"a":1},{"a":1},{"a":true},true]"#, MarkReason::Whole),
        (r#"[{"a":1},"text",{"a":true},false]"#, MarkReason::OtherKind),
        (r#"[{"a":1},"text",{"a":true},true]"#, MarkReason::Whole),
        (r#"["text",{"a":1},{"a":true},{"a":true}]"#, MarkReason::Misfit),
        (r#"[null,"text",{"a":true},false]"#, MarkReason::Misfit),
        (r#"[[1],[1,2],[true],[true]]"#, MarkReason::Misfit),
        (r#"["text","text","true",false]"#, MarkReason::Misfit),
        (r#"["text","text",true,"true"]"#, MarkReason::Whole),
        (r#"[null,null,{"a":1},[false,true]]"#, MarkReason::Misfit),
        (r#"[null,null,[false,true],{"a":1}]"#, MarkReason::Misfit),
    ] {
        assert_eq!(whys(text), [why], "{text}");
    }
}

#[test]
fn values_are_marked_by_their_name() {
    let text = r#"[{"a":{"db_password":1,"x":2}},{"a":{"db_password":3}},{"a":{"x":true}},{}]"#;
    let found = marked(text, Some("password")).unwrap();
    assert_eq!(found, [sides("1", "3"), sides("2", "")]);
}

#[test]
fn names_below_values_of_two_kinds_mark_both() {
    let object = r#"{"b":{"api_key":"x"}}"#;
    for other in [r#""text""#, "1", "[]", "[1]"] {
        for (before, after) in [(other, object), (object, other)] {
            let text = format!(r#"[{{"a":{before}}},{{"a":{after}}},{{}},{{}}]"#);
            assert_eq!(marked(&text, Some("api_key")).unwrap(), [sides(before, after)]);
            assert!(marked(&text, Some("other")).unwrap().is_empty(), "{text}");
        }
    }
}

#[test]
fn a_key_that_comes_twice_is_an_error() {
    let error = marked(r#"[{"a":1,"a":2},null,{"a":true},false]"#, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateKey);
}

/// The finder remembers overlays that mark nothing.
#[test]
fn an_overlay_that_marks_nothing_is_walked_once() {
    let text = r#"[{"a":1,"b":2},{"b":true},{"a":false},{"a":[],"b":null}]"#;
    let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
    let values: Vec<_> = list.value().elements().unwrap().map(|it| it.unwrap()).collect();
    let mut marks = Marks::default();
    let (none, some) = (&values[2..], values[1]);
    let mut len = 0;
    for overlay in none {
        len += overlay.raw().len();
        for _ in 0..3 {
            assert!(!marks.marks_anything(Some(*overlay)).unwrap());
            assert!(marks.marks_anything(Some(some)).unwrap());
            assert!(!marks.marks_anything(None).unwrap());
            assert_eq!(marks.unmarked.size, len);
        }
    }
    for word in ["{}", "[]", "false", "null"] {
        assert!(marks.marks_nothing(word.as_bytes()));
    }
    assert!(!marks.marks_nothing(some.raw()) && !marks.marks_nothing(b"{ }"));
}

#[test]
fn the_cache_of_overlays_has_a_maximum_size() {
    let overlay = |number: usize, len| format!("{{\"{number:0len$}\":0}}", len = len - 6);
    let mut cache = UnmarkedCache::default();
    for (len, is_kept) in [(20, true), (4096, true), (4097, false), (10_000, false)] {
        let text = overlay(1, len);
        assert_eq!(text.len(), len);
        cache.insert(text.as_bytes());
        assert_eq!(cache.holds(text.as_bytes()), is_kept, "{len}");
        assert!(!cache.holds(overlay(2, len).as_bytes()), "{len}");
    }
    let mut cache = UnmarkedCache::default();
    (0..256).for_each(|number| cache.insert(overlay(number, 4096).as_bytes()));
    assert_eq!(cache.size, 1 << 20);
    let last = overlay(7, 30);
    cache.insert(last.as_bytes());
    assert_eq!((cache.size, cache.slots.iter().flatten().count()), (30, 1));
    assert!(cache.holds(last.as_bytes()));
}

/// The number of marked paths of `[before, after, before_sensitive, after_sensitive]`, or the
/// offset of the first path over a limit.
fn counted(text: &str, names: Option<&str>, max: u64) -> std::result::Result<u64, u64> {
    let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
    let values: Vec<_> = list.value().elements().unwrap().map(|it| it.unwrap()).collect();
    let subject = Subject {
        sides: [Some(values[0]), Some(values[1])],
        overlays: [Some(values[2]), Some(values[3])],
        ..Subject::default()
    };
    let own = names.map(|part| Arc::new(NamesWith(part.to_owned())) as Arc<dyn SecretNames>);
    // A copy for another thread has the same names and limit.
    let marks = Marks::new(own, &Limits { marks: max, ..Limits::default() });
    assert_eq!([marks.has_names(), marks.like().has_names()], [names.is_some(); 2]);
    let mut count = 0;
    let found = marks.like().find(subject, |_| {
        count += 1;
        Ok(())
    });
    match found {
        Ok(()) => Ok(count),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Limit { limit: Limit::Marks, value: max });
            Err(error.location().unwrap().offset)
        }
    }
}

#[test]
fn the_number_of_marked_paths_is_limited() {
    // The offset in an error is that of the mark, or of the value that a name marks.
    let overlay = r#"[{"a":1,"b":2,"c":3},null,{"a":true,"b":true,"c":true},false]"#;
    let at = overlay.rfind("true").map(|at| at as u64).unwrap();
    assert_eq!(counted(overlay, None, 3), Ok(3));
    assert_eq!(counted(overlay, None, 2), Err(at));
    assert_eq!(counted(overlay, None, 0), Err(overlay.find("true").unwrap() as u64));
    // The marks of both overlays.
    let both = r#"[{"a":1,"b":2},{"a":3,"b":4},{"a":true,"b":true},{"b":true,"a":true}]"#;
    assert_eq!(counted(both, None, 2), Ok(2));
    let others = r#"[{"a":1,"b":2},{"c":3,"d":4},{"a":true,"b":true},{"c":true,"d":true}]"#;
    assert_eq!(counted(others, None, 4), Ok(4));
    assert_eq!(counted(others, None, 3), Err(others.find('4').unwrap() as u64));
    let named = r#"[{"k1":1,"k2":2},{"k3":3,"k1":4},{},{}]"#;
    assert_eq!(counted(named, Some("k"), 3), Ok(3));
    assert_eq!(counted(named, Some("k"), 2), Err(named.find('3').unwrap() as u64 + 3));
    assert_eq!(counted(named, Some("k"), 1), Err(named.find("2}").unwrap() as u64));
    assert_eq!(counted(named, Some("k2"), 1), Ok(1));
    assert_eq!(counted(named, None, 0), Ok(0));
}

/// The offset of a marked path is that of its first value.
#[test]
fn a_marked_path_has_an_offset() {
    for (text, at) in [
        (r#"[{"a":1},{"a":2},{"a":true},{}]"#, '1'),
        (r#"[{"a":null},{"a":2},{"a":true},{}]"#, '2'),
    ] {
        let mut offsets = Vec::new();
        find(text, None, |marked| offsets.push(marked.offset())).unwrap();
        assert_eq!(offsets, [text.find(at).unwrap() as u64; 2]);
    }
}

/// The paths that are marked in `[before, after, before_sensitive, after_sensitive]`, if changes
/// mark these places of the resource in another section. Each path is an array of steps.
fn with_marks_elsewhere(places: &[&str], text: &str) -> (bool, Vec<(String, MarkReason)>) {
    let mut marked_paths = MarkedPaths::new(&Limits::default());
    let by = marked_paths.digests().clone();
    let element = r#"{"address":"a.b","change":{"actions":["create"],"before":null,"after":1}}"#;
    let mut element = Detached::read(element.as_bytes(), Limits::default()).unwrap();
    let (kind, section) = (PieceKind::ResourceChange, Section::ResourceChanges);
    let value = element.value();
    let piece = Piece { kind, section, name: None, module: "", value };
    let owner = Parts::of(&piece).unwrap().owner.unwrap();
    let owner: OwnerDigests = by.owner(&owner, &mut Vec::new()).unwrap();
    for place in places {
        // The place is marked in a value of its own.
        let text = format!("[{place},null,{place},false]");
        find_by(&text.replace('1', "true"), None, Some(&by), |marked| {
            marked_paths.insert(owner, marked.digests.unwrap(), 0).unwrap();
        })
        .unwrap();
    }
    let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
    let values: Vec<_> = list.value().elements().unwrap().map(|it| it.unwrap()).collect();
    let subject = Subject {
        sides: [Some(values[0]), Some(values[1])],
        overlays: [Some(values[2]), Some(values[3])],
        ..Subject::default()
    };
    let mut address = Detached::read(b"\"a.b\"", Limits::default()).unwrap();
    let address = address.value().string().unwrap();
    let elsewhere = marked_paths.of_address(address, &mut Vec::new()).unwrap();
    let mut marks = Marks::default();
    let beyond = marks.beyond(subject, elsewhere).unwrap();
    let mut found = Vec::new();
    marks
        .find_with(subject, beyond, |marked| {
            let steps: Vec<_> = marked
                .path
                .iter()
                .map(|step| match step {
                    Step::Key(key) => key.decode().unwrap(),
                    Step::Index(index) => index.to_string(),
                })
                .collect();
            found.push((steps.join("."), marked.why));
            Ok(())
        })
        .unwrap();
    (beyond.is_some(), found)
}

#[test]
fn marks_elsewhere_count_where_the_own_overlays_lack_them() {
    let own = r#"[{"a":1,"b":[2,3]},{"a":4,"b":[5]},{"a":true},{}]"#;
    let whole = |paths: &[&str]| -> Vec<_> {
        paths.iter().map(|path| ((*path).to_owned(), MarkReason::Whole)).collect()
    };
    // The marks elsewhere are the same ones, none, other ones, and more.
    assert_eq!(with_marks_elsewhere(&[r#"{"a":1}"#], own), (false, whole(&["a"])));
    assert_eq!(with_marks_elsewhere(&[], own), (false, whole(&["a"])));
    let other = with_marks_elsewhere(&[r#"{"b":[false,1]}"#], own);
    assert_eq!(other, (true, whole(&["a", "b.1"])));
    let more = with_marks_elsewhere(&[r#"{"a":1}"#, r#"{"b":1}"#], own);
    assert_eq!(more, (true, whole(&["a", "b"])));
    // A mark on everything.
    assert_eq!(with_marks_elsewhere(&["1"], own), (true, whole(&[""])));
    let unmarked = r#"[{"a":1},{"a":2},false,false]"#;
    assert_eq!(with_marks_elsewhere(&["1"], unmarked), (true, whole(&[""])));
    assert_eq!(with_marks_elsewhere(&[r#"{"c":1}"#], unmarked), (true, vec![]));
}

#[test]
fn marks_elsewhere_below_values_of_two_kinds_mark_both() {
    let text = r#"[{"a":{"k":1}},{"a":[1]},false,false]"#;
    let whole = |path: &str| (true, vec![(path.to_owned(), MarkReason::Whole)]);
    assert_eq!(with_marks_elsewhere(&[r#"{"a":{"k":1}}"#], text), whole("a"));
    assert_eq!(with_marks_elsewhere(&[r#"{"a":[1]}"#], text), whole("a"));
    assert_eq!(with_marks_elsewhere(&[r#"{"a":{"l":1}}"#], text), (true, vec![]));
}

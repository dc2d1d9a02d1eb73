//! Tests of the marks: which paths are marked by overlays, by names and by other sections, and the
//! reason for each mark.

use super::*;
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

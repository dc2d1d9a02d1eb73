//! Tests of the marked paths of a document.

use super::*;
use plansift_core::error::ErrorKind;
use plansift_core::json::detached::Detached;
use plansift_core::path::AttributeStep;

const ROOT_DIGESTS: PathDigests = PathDigests { path: ROOT, attribute: ROOT };

fn limited(max: u64) -> MarkedPaths {
    MarkedPaths::new(&Limits { document_marks: max, ..Limits::default() })
}

/// Calls `each` with a JSON text as a value.
fn with<T>(text: &str, each: impl FnOnce(Value<'_>) -> T) -> T {
    each(Detached::read(text.as_bytes(), Limits::default()).unwrap().value())
}

/// The digests of a path, which is an array of keys and indexes.
fn path(by: &PathDigester, path: &str) -> PathDigests {
    with(path, |list| {
        list.elements().unwrap().fold(ROOT_DIGESTS, |above, step| {
            let step = step.unwrap();
            let number = || std::str::from_utf8(step.raw()).unwrap().parse().unwrap();
            let step = step.string().map_or_else(|_| Step::Index(number()), Step::Key);
            by.below(above, &step, &mut Vec::new()).unwrap()
        })
    })
}

fn address(by: &PathDigester, address: &str) -> u64 {
    with(&format!("\"{address}\""), |text| {
        by.address(text.string().unwrap(), &mut Vec::new()).unwrap()
    })
}

/// The owner of the marks of a change to a resource in the root module.
fn owner(by: &PathDigester, addresses: [Option<&str>; 2], name: &str) -> OwnerDigests {
    OwnerDigests {
        addresses: addresses.map(|it| it.map(|it| address(by, it))),
        resource: Some(by.resource("", "a", name)),
    }
}

/// The marks of changes on an address.
fn of<'p>(marked: &'p MarkedPaths, address: &str) -> Option<MarksElsewhere<'p>> {
    with(&format!("\"{address}\""), |text| {
        marked.of_address(text.string().unwrap(), &mut Vec::new()).unwrap()
    })
}

fn is_over(result: Result<()>, max: u64) -> bool {
    if let Err(error) = &result {
        let limit = ErrorKind::Limit { limit: Limit::DocumentMarks, value: max };
        assert_eq!((error.kind(), error.location().unwrap().offset), (limit, 7));
    }
    result.is_err()
}

#[test]
fn paths_attributes_and_inputs_count_towards_the_limit() {
    let only = |addresses: bool, resource: bool, by: &PathDigester| {
        let owner = owner(by, [Some("a.b"), None], "b");
        OwnerDigests {
            addresses: if addresses { owner.addresses } else { [None; 2] },
            resource: owner.resource.filter(|_| resource),
        }
    };
    for max in 0..6 {
        // Two paths, two attributes, and two inputs.
        let (mut paths, mut attributes, mut inputs) = (limited(max), limited(max), limited(max));
        let mut all = limited(max);
        for (number, key) in [r#"["p"]"#, r#"["q"]"#, r#"["q"]"#].into_iter().enumerate() {
            let count = (number as u64 + 1).min(2);
            let (owner, at) = (only(true, false, &paths.digests), path(&paths.digests, key));
            assert_eq!(is_over(paths.insert(owner, at, 7), max), count > max);
            let at = path(&attributes.digests, key);
            let owner = only(false, true, &attributes.digests);
            assert_eq!(is_over(attributes.insert(owner, at, 7), max), count > max);
            assert_eq!(is_over(inputs.insert_input("m", key, 7), max), count > max);
            // Another path also has another attribute.
            let (owner, at) = (only(true, true, &all.digests), path(&all.digests, key));
            assert_eq!(is_over(all.insert(owner, at, 7), max), 2 * count > max);
        }
        assert_eq!(is_over(all.insert_input("m", "v", 7), max), 5 > max);
        assert_eq!((paths.attributes(), attributes.attributes(), all.attributes()), (0, 2, 2));
    }
}

#[test]
fn the_marks_of_a_change_apply_to_its_addresses() {
    let mut marked = MarkedPaths::new(&Limits::default());
    assert!(of(&marked, "a.b").is_none());
    let by = marked.digests().clone();
    let owner = owner(&by, [Some("a.b"), Some("a.c")], "b");
    marked.insert(owner, path(&by, r#"["p",0,"k"]"#), 0).unwrap();
    for address in ["a.b", "a.c"] {
        let marks = of(&marked, address).unwrap();
        assert!(marks.has(path(&by, r#"["p",0,"k"]"#).path), "{address}");
        for other in ["[]", r#"["p"]"#, r#"["p",1,"k"]"#, r#"["p","k"]"#, r#"["p",0,"l"]"#] {
            assert!(!marks.has(path(&by, other).path), "{address} {other}");
        }
    }
    assert!(of(&marked, "a.d").is_none());
    let half = |it| address(&by, it) as u32;
    assert!(marked.may_have(&[half("a.b")]) && marked.may_have(&[half("a.d"), half("a.c")]));
    assert!(!marked.may_have(&[half("a.d")]) && !marked.may_have(&[]));
    assert!(!MarkedPaths::new(&Limits::default()).may_have(&[half("a.b")]));
}

/// A block may be an array in the values, and an object in the configuration.
#[test]
fn the_marks_of_values_apply_to_attributes_of_the_configuration() {
    let mut marked = MarkedPaths::new(&Limits::default());
    let by = marked.digests().clone();
    assert_eq!(marked.marked_resource("", "a", "b"), None);
    assert!(!marked.has_input("m", "v"));
    marked.insert(owner(&by, [None; 2], "b"), path(&by, r#"["p",0,"k",1]"#), 0).unwrap();
    marked.insert_input("m", "v", 0).unwrap();
    let resource = marked.marked_resource("", "a", "b").unwrap();
    assert_eq!(resource, by.resource("", "a", "b"));
    for other in [["m", "a", "b"], ["", "b", "b"], ["", "a", "c"]] {
        let [module, type_name, name] = other;
        assert_eq!(marked.marked_resource(module, type_name, name), None);
    }
    for (steps, is_marked) in
        [(r#"["p","k"]"#, true), (r#"["p",7,"k"]"#, true), (r#"["p"]"#, false), ("[]", false)]
    {
        let attribute = path(&by, steps).attribute;
        assert_eq!(marked.has_attribute(resource, attribute), is_marked, "{steps}");
        assert!(!marked.has_attribute(by.resource("", "a", "c"), attribute));
    }
    assert!(marked.has_input("m", "v"));
    assert!(!marked.has_input("m", "w") && !marked.has_input("", "v"));
}

#[test]
fn the_outermost_marked_place_on_a_path_is_found() {
    let mut marked = MarkedPaths::new(&Limits::default());
    let by = marked.digests().clone();
    for (address, steps) in
        [("a.b", r#"["p",1,"k"]"#), ("a.b", r#"["q"]"#), ("a.b", r#"["q","k"]"#), ("a.c", "[]")]
    {
        marked.insert(owner(&by, [Some(address), None], "b"), path(&by, steps), 0).unwrap();
    }
    let depth = |address, steps: &[AttributeStep]| {
        marked.marked_depth(address, steps.iter().map(AttributeStep::borrowed))
    };
    let [p, q, k] = ["p", "q", "k"].map(|key| AttributeStep::Key(key.to_owned()));
    let [zero, one] = [0, 1].map(AttributeStep::Index);
    let index = AttributeStep::Index;
    assert_eq!(depth("a.b", &[p.clone(), one.clone(), k.clone(), k.clone()]), Some(3));
    assert_eq!(depth("a.b", &[p.clone(), one, k.clone()]), Some(3));
    assert_eq!(depth("a.b", &[p.clone(), zero, k.clone()]), None);
    // Such a step may stand for any element.
    for other in [-1, i64::from(u32::MAX) + 2, i64::MAX] {
        assert_eq!(depth("a.b", &[p.clone(), index(other), k.clone()]), Some(2));
    }
    assert_eq!(depth("a.b", &[q, k.clone()]), Some(1));
    assert_eq!(depth("a.b", std::slice::from_ref(&p)), None);
    assert_eq!(depth("a.b", &[]), None);
    assert_eq!(depth("a.c", &[p, k]), Some(0));
    assert_eq!(depth("a.d", &[]), None);
}

#[test]
fn marks_below_a_value_are_found() {
    let mut marked = MarkedPaths::new(&Limits::default());
    let by = marked.digests().clone();
    let owner = owner(&by, [Some("a.b"), None], "b");
    marked.insert(owner, path(&by, r#"["p",1,"k"]"#), 0).unwrap();
    let marks = of(&marked, "a.b").unwrap();
    for (above, value, expected) in [
        ("[]", r#"{"o":[],"p":[{"k":1},{"j":{},"k":2}]}"#, true),
        ("[]", r#"{"o":{"p":[]},"p":[{"k":1},{"l":{"k":2}}],"k":1}"#, false),
        (r#"["p"]"#, r#"[[0],{"k":[]},0]"#, true),
        (r#"["p"]"#, r#"[{"k":0}]"#, false),
        (r#"["q"]"#, r#"[0,{"k":0}]"#, false),
        // The value itself does not count.
        (r#"["p",1,"k"]"#, r#"{"x":1}"#, false),
    ] {
        let above = path(&by, above).path;
        let found = with(value, |value| marks.has_below(value, above, &mut Vec::new()).unwrap());
        assert_eq!(found, expected, "{value}");
    }
}

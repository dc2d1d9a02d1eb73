//! What is marked where a resource is replaced, or where a schema does not fit.

use super::build::*;
use super::hostile::{of_plan, transcode};
use crate::run;

/// A step to an attribute.
fn name(name: &str) -> Vec<u8> {
    bytes(1, name)
}

/// A step to an element.
fn key(msgpack: &[u8]) -> Vec<u8> {
    bytes(2, dynamic(msgpack))
}

/// A path of steps: field 3 marks the value before a change, field 4 the one after it.
fn path(field: u64, steps: &[Vec<u8>]) -> Vec<u8> {
    bytes(field, steps.iter().flat_map(|step| bytes(1, step)).collect::<Vec<_>>())
}

/// A plan with a replaced resource.
fn replaced(before: &[u8], after: &[u8], paths: &[Vec<u8>]) -> Vec<u8> {
    let change = [change(6, &[before, after]), paths.concat()].concat();
    plan(&[resource("test_a.b", &change)])
}

/// What `redact` prints for a plan file.
fn redacted(plan: &[u8]) -> String {
    let output = run::piped(&["redact", "--quiet"], &zip(&members(plan)));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_mark_of_a_replaced_object_holds_for_every_element_of_the_new_one() {
    let item = |text: &[u8]| [b"\x81\xa1t", text].concat();
    let list = |head: &[u8], items: &[Vec<u8>]| [head, &items.concat()].concat();
    let (a, b, c) = (item(b"\xa5ONE-A"), item(b"\xa5TWO-B"), item(b"\xa5TWO-C"));
    let mark = path(3, &[name("l"), key(b"\x00"), name("t")]);
    let plan = replaced(
        &list(b"\x81\xa1l\x91", std::slice::from_ref(&a)),
        &list(b"\x81\xa1l\x92", &[b.clone(), c.clone()]),
        &[mark],
    );
    let text = of_plan(&plan).unwrap();
    assert!(text.contains(r#""before_sensitive":{"l":[{"t":true}]}"#), "{text}");
    assert!(text.contains(r#""after_sensitive":{"l":[{"t":true},{"t":true}]}"#), "{text}");
    assert!(text.contains(r#""sensitive_values":{"l":[{"t":true},{"t":true}]}"#), "{text}");
    assert!(!redacted(&plan).contains("TWO-"), "{text}");

    let mark = path(3, &[name("l"), key(b"\xa1x"), name("t")]);
    let plan = replaced(
        &list(b"\x81\xa1l\x81\xa1x", &[a]),
        &list(b"\x81\xa1l\x82\xa1y", &[b, b"\xa1z".to_vec(), c]),
        &[mark],
    );
    let text = of_plan(&plan).unwrap();
    let wanted = r#""after_sensitive":{"l":{"y":{"t":true},"z":{"t":true}}}"#;
    assert!(text.contains(wanted), "{text}");
    assert!(!redacted(&plan).contains("TWO-"), "{text}");
}

#[test]
fn a_mark_of_an_attribute_that_the_new_object_lacks_marks_the_object() {
    let plan = replaced(
        b"\x81\xa1m\x81\xa1a\x81\xa1t\xa5ONE-A",
        b"\x81\xa1m\x81\xa1b\x81\xa1t\xa5TWO-B",
        &[path(3, &[name("m"), name("a"), name("t")])],
    );
    let text = of_plan(&plan).unwrap();
    assert!(text.contains(r#""after_sensitive":{"m":true}"#), "{text}");
    assert!(!redacted(&plan).contains("TWO-"), "{text}");
}

#[test]
fn a_mark_of_one_element_does_not_mark_the_other_elements_of_a_new_object() {
    let value = b"\x81\xa1m\x82\xa1a\xa1s\xa1b\xa1p";
    let mark = |field| path(field, &[name("m"), key(b"\xa1a")]);
    let text = of_plan(&replaced(value, value, &[mark(3), mark(4)])).unwrap();
    assert!(text.contains(r#""after_sensitive":{"m":{"a":true}}"#), "{text}");
}

#[test]
fn an_update_keeps_the_marks_of_its_elements() {
    let value = b"\x81\xa1l\x92\x81\xa1t\xa1s\x81\xa1t\xa1p";
    let mark = |field| path(field, &[name("l"), key(b"\x00"), name("t")]);
    let update = [change(3, &[value, value]), mark(3), mark(4)].concat();
    let text = of_plan(&plan(&[resource("a.b", &update)])).unwrap();
    assert!(text.contains(r#""after_sensitive":{"l":[{"t":true},{}]}"#), "{text}");
}

/// The member `tfschemas` for a resource type `test_a` with a secret `s` and string attributes.
fn schemas(attributes: &[&str]) -> Vec<u8> {
    let attribute = |name: &&str| {
        let sensitive = number(7, u64::from(*name == "s"));
        bytes(1, [bytes(1, name), bytes(2, "\"string\""), sensitive].concat())
    };
    let block: Vec<u8> = attributes.iter().flat_map(attribute).collect();
    let schema = bytes(1, [number(1, 0), bytes(2, block)].concat());
    let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
    let provider = bytes(2, entry("test_a", schema));
    bytes(1, entry("registry.terraform.io/hashicorp/test", provider))
}

#[test]
fn a_schema_that_does_not_fit_leaves_the_marks_of_the_file() {
    let plan = replaced(
        b"\x82\xa1a\xa11\xa1s\xa5ONE-A",
        b"\x82\xa1a\xa12\xa1s\xa5TWO-B",
        &[path(3, &[name("s")])],
    );
    for attributes in [&["a", "s", "new"][..], &["a", "new"], &["s"], &["a"]] {
        let mut members = members(&plan);
        members.push(Member::new("tfschemas", &schemas(attributes)));
        let file = zip(&members);
        let text = transcode(&file).unwrap();
        assert!(text.contains(r#""after_sensitive":{"s":true}"#), "{attributes:?}: {text}");
        let output = run::piped(&["redact", "--quiet"], &file);
        assert!(!String::from_utf8_lossy(&output.stdout).contains("TWO-"), "{output:?}");
    }
}

//! What is marked where a resource is replaced, or where a schema does not fit.

use std::slice;

use plansift::planfile::PlanFileFault;

use super::build::*;
use super::hostile::{fault_of_plan, of_plan, transcode};
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

/// The bytes of a path message with these steps, each a list of fields.
fn raw_path(steps: &[&[Vec<u8>]]) -> Vec<u8> {
    steps.iter().flat_map(|step| bytes(1, step.concat())).collect()
}

/// A plan with a resource `{"o": {"pw": "SECRET"}}` and a marked path.
fn marked(path: Vec<u8>) -> Vec<u8> {
    let create = [change(1, &[b"\x81\xa1o\x81\xa2pw\xa6SECRET"]), bytes(4, path)].concat();
    plan(&[resource("test_a.b", &create)])
}

#[test]
fn a_step_without_one_name_or_key_is_an_error() {
    let (o, pw) = (name("o"), name("pw"));
    let text = of_plan(&marked(raw_path(&[slice::from_ref(&o), slice::from_ref(&pw)]))).unwrap();
    assert!(text.contains(r#""after_sensitive":{"o":{"pw":true}}"#), "{text}");
    for (step, expected) in [
        (vec![name("x"), pw.clone()], PlanFileFault::FieldTwice),
        (vec![pw.clone(), name("x")], PlanFileFault::FieldTwice),
        (vec![key(b"\xa1x"), pw.clone()], PlanFileFault::FieldTwice),
        (vec![pw.clone(), key(b"\xa1x")], PlanFileFault::FieldTwice),
        (vec![key(b"\xa1x"), key(b"\xa2pw")], PlanFileFault::FieldTwice),
        (vec![], PlanFileFault::Step),
        (vec![bytes(3, "pw")], PlanFileFault::Step),
        (vec![number(1, 1)], PlanFileFault::FieldType),
        (vec![bytes(1, b"\xff")], PlanFileFault::Text),
    ] {
        for steps in [[&[o.clone()][..], &step], [&step, slice::from_ref(&pw)]] {
            let (fault, text) = fault_of_plan(&marked(raw_path(&steps)));
            assert_eq!(fault, expected, "{text}");
            assert!(text.contains("at tfplan.planned_values[test_a.b]"), "{text}");
        }
    }
}

#[test]
fn an_own_mark_that_leads_nowhere_marks_the_container() {
    for (steps, expected) in [
        (vec![name("o"), name("x")], r#"{"o":true}"#),
        (vec![name("o"), name("x"), name("y")], r#"{"o":true}"#),
        (vec![name("x")], "true"),
        // The tools compare keys in normal form C.
        (vec![name("o"), key(b"\xa4pe\xcc\x81")], r#"{"o":true}"#),
    ] {
        let steps: Vec<&[Vec<u8>]> = steps.iter().map(std::slice::from_ref).collect();
        let text = of_plan(&marked(raw_path(&steps))).unwrap();
        assert!(text.contains(&format!("\"after_sensitive\":{expected}")), "{text}");
        assert!(!redacted(&marked(raw_path(&steps))).contains("SECRET"), "{text}");
    }
}

/// The tools have one value, and an update may remove a key that was marked.
#[test]
fn a_mark_of_the_old_object_that_leads_nowhere_marks_nothing() {
    let (old, new) = (b"\x81\xa1m\x81\xa1a\xa1s", b"\x81\xa1m\x81\xa1b\xa1p");
    let update = [change(3, &[old, new]), path(3, &[name("m"), key(b"\xa1a")])].concat();
    let text = of_plan(&plan(&[resource("a.b", &update)])).unwrap();
    assert!(text.contains(r#""before_sensitive":{"m":{"a":true}}"#), "{text}");
    assert!(text.contains(r#""after_sensitive":{"m":{}}"#), "{text}");
}

/// Each message has each of these fields once. In Protocol Buffers, the last one counts, and
/// messages are merged.
#[test]
fn a_field_that_occurs_twice_is_an_error() {
    let create = change(1, &[b"\x80"]);
    let record = |extra: Vec<u8>| {
        let record = [bytes(9, &create), bytes(13, "a.b"), number(12, 1), bytes(7, "01234567")];
        plan(&[bytes(3, [record.concat(), bytes(8, "p"), bytes(14, "a.c"), extra].concat())])
    };
    let output = |extra: Vec<u8>| {
        plan(&[bytes(4, [bytes(1, "o"), bytes(2, &create), number(3, 1), extra].concat())])
    };
    let inside = |extra: Vec<u8>| plan(&[resource("a.b", &[create.clone(), extra].concat())]);
    let import = |extra: Vec<u8>| inside(bytes(5, [bytes(1, "id"), extra].concat()));
    let value = |extra: Vec<u8>| inside(bytes(7, [dynamic(b"\x80"), extra].concat()));
    let identity = bytes(7, dynamic(b"\x80"));
    of_plan(&output(vec![])).unwrap();
    for wrong in [
        record(bytes(9, &create)),
        record(bytes(13, "a.c")),
        record(number(12, 2)),
        record(bytes(7, "")),
        record(bytes(8, "q")),
        record(bytes(14, "")),
        output(bytes(1, "p")),
        output(bytes(2, &create)),
        output(number(3, 0)),
        inside(number(1, 1)),
        inside([bytes(6, "c"), bytes(6, "d")].concat()),
        inside([identity.clone(), identity].concat()),
        inside(bytes(5, "").repeat(2)),
        import(bytes(1, "other")),
        import(number(2, 1).repeat(2)),
        value(dynamic(b"\x80")),
    ] {
        let (fault, text) = fault_of_plan(&wrong);
        assert_eq!(fault, PlanFileFault::FieldTwice, "{text}");
        assert!(text.contains("at tfplan"), "{text}");
    }
}

#[test]
fn enumerations_have_32_bits() {
    let create = change(1 + (1 << 32), &[b"\x80"]);
    let check = [number(1, 2), bytes(2, "output.o"), number(3, 2 + (1 << 32))].concat();
    let text = of_plan(&plan(&[resource("a.b", &create), bytes(19, check)])).unwrap();
    assert!(text.contains(r#""actions":["create"]"#), "{text}");
    assert!(text.contains(r#""status":"fail""#), "{text}");
}

#[test]
fn a_schema_that_has_a_part_twice_is_an_error() {
    let attribute = [bytes(1, "s"), bytes(2, "\"string\""), number(7, 1)].concat();
    let block = bytes(1, &attribute);
    let schema = |fields: &[Vec<u8>]| bytes(1, fields.concat());
    let entry = |key: &str, value: Vec<u8>| [bytes(1, key), bytes(2, value)].concat();
    let provider = |types: &[Vec<u8>]| bytes(1, entry("p", types.concat()));
    let file = |types: &[Vec<u8>]| {
        let mut members = members(&plan(&[]));
        members.push(Member::new("tfschemas", &provider(types)));
        transcode(&zip(&members))
    };
    let of_block = |block: &[u8]| bytes(2, entry("test_a", schema(&[bytes(2, block)])));
    file(&[of_block(&block)]).unwrap();
    let changed = |extra: Vec<u8>| of_block(&bytes(1, [attribute.clone(), extra].concat()));
    let two_blocks = schema(&[bytes(2, &block), bytes(2, "")]);
    for wrong in [
        vec![changed(number(7, 0))],
        vec![changed(bytes(1, "t"))],
        vec![changed(bytes(2, "\"bool\""))],
        vec![of_block(
            &[block.clone(), bytes(1, [bytes(1, "s"), bytes(2, "\"bool\"")].concat())].concat(),
        )],
        vec![of_block(&block), of_block(b"")],
        vec![bytes(2, entry("test_a", two_blocks))],
        vec![bytes(2, [entry("test_a", schema(&[])), bytes(2, "")].concat())],
    ] {
        let error = file(&wrong).expect_err("a part occurs twice");
        assert_eq!(error.fault(), Some(&PlanFileFault::Schemas), "{error}");
        assert!(error.to_string().contains("at tfschemas"), "{error}");
    }
}

#[test]
fn an_update_drops_the_marks_that_only_its_old_object_has() {
    let value = b"\x82\xa1a\xa5ONE-A\xa1b\xa1p";
    let update = [change(3, &[value, value]), path(3, &[name("a")])].concat();
    let plan = plan(&[resource("test_a.b", &update)]);
    let text = of_plan(&plan).unwrap();
    assert!(text.contains(r#""before_sensitive":{"a":true},"after_sensitive":{}"#), "{text}");
    // The value is hidden wherever the plan has it.
    assert!(!redacted(&plan).contains("ONE-A"), "{text}");
    let output = run::piped(&["changes"], &zip(&members(&plan)));
    let records = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(records.contains(r#""sensitive":["a"],"sensitive_removed":["a"]"#), "{records}");
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

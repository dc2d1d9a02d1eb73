//! Tests of the parts of pieces.

use super::*;
use plansift_core::error::ErrorKind;
use plansift_core::json::detached::Detached;

/// Calls `each` with a piece, and its parts.
fn with<T>(
    (kind, section): (PieceKind, Section),
    name: Option<&str>,
    text: &str,
    each: impl FnOnce(&Piece<'_>, Result<Parts<'_>>) -> T,
) -> T {
    let mut value = Detached::read(text.as_bytes(), Limits::default()).unwrap();
    let piece = Piece { kind, section, name, module: "", value: value.value() };
    each(&piece, Parts::of(&piece))
}

const CHANGE: (PieceKind, Section) = (PieceKind::ResourceChange, Section::ResourceChanges);
const RESOURCE: (PieceKind, Section) = (PieceKind::Resource, Section::PlannedValues);
const ACTION: (PieceKind, Section) = (PieceKind::ActionInvocation, Section::ActionInvocations);
const OUTPUT: (PieceKind, Section) = (PieceKind::OutputChange, Section::OutputChanges);
const VARIABLE: (PieceKind, Section) = (PieceKind::Variable, Section::Variables);

#[test]
fn declared_names_count_towards_the_limit() {
    for max in 0..5 {
        let mut declared = Declared::new(&Limits { names: max, ..Limits::default() });
        let is_over = |result: Result<()>| {
            if let Err(error) = &result {
                let limit = ErrorKind::Limit { limit: Limit::Names, value: max };
                assert_eq!((error.kind(), error.location().unwrap().offset), (limit, 7));
            }
            result.is_err()
        };
        for (number, name) in ["v", "w", "w"].into_iter().enumerate() {
            let count = (number as u64 + 1).min(2);
            assert_eq!(is_over(declared.insert_variable(name, 7)), count > max);
        }
        for (number, name) in ["o", "v"].into_iter().enumerate() {
            let count = number as u64 + 3;
            assert_eq!(is_over(declared.insert_output(name, 7)), count > max);
        }
    }
}

#[test]
fn variables_and_outputs_have_names_of_their_own() {
    let mut declared = Declared::new(&Limits::default());
    assert!(!declared.has_variables() && !declared.has_outputs());
    declared.insert_variable("v", 0).unwrap();
    assert!(declared.has_variables() && !declared.has_outputs());
    declared.insert_output("o", 0).unwrap();
    assert!(declared.has_variables() && declared.has_outputs());
    assert!(declared.has_variable("v") && declared.has_output("o"));
    assert!(!declared.has_variable("o") && !declared.has_output("v"));
    let none = r#"{"actions":["create"],"before":null,"after":1}"#;
    let some = r#"{"actions":["create"],"before":null,"after":1,"after_sensitive":false}"#;
    for (kind, name, text, expected) in [
        (VARIABLE, "v", r#"{"value":1}"#, true),
        (VARIABLE, "o", r#"{"value":1}"#, false),
        (OUTPUT, "o", none, true),
        (OUTPUT, "o", some, false),
        (OUTPUT, "v", none, false),
        (OUTPUT, "v", some, false),
        ((PieceKind::Output, Section::PlannedValues), "o", r#"{"value":1}"#, false),
    ] {
        let is_declared = with(kind, Some(name), text, |piece, parts| {
            parts.unwrap().are_declared(piece, &declared)
        });
        assert_eq!(is_declared, expected, "{name} {text}");
    }
}

#[test]
fn the_owner_of_marks_is_a_resource_or_an_action_of_a_module() {
    let change = r#","change":{"actions":["create"],"before":null,"after":{}}"#;
    for (kind, text, is_change, expected) in [
        (CHANGE, r#""type":"a","name":"b""#, true, Some(["m", "a", "b"])),
        (CHANGE, r#""type":"c","name":"d""#, true, Some(["m", "c", "d"])),
        // The address gives the names that have no key.
        (CHANGE, r#""type":"c""#, true, Some(["m", "c", "b"])),
        (CHANGE, r#""name":"d""#, true, Some(["m", "a", "d"])),
        (CHANGE, r#""mode":"managed""#, true, Some(["m", "a", "b"])),
        (RESOURCE, r#""name":"d""#, false, Some(["m", "a", "d"])),
        (ACTION, r#""type":"a","name":"b""#, false, Some(["m", "action.a", "b"])),
        (ACTION, r#""type":"c""#, false, Some(["m", "action.c", "b"])),
    ] {
        let address = if kind == ACTION { "module.m.action.a.b" } else { "module.m.a.b[0]" };
        let text = format!(r#"{{"address":"{address}",{text}{change}}}"#);
        with(kind, None, &text, |_, parts| {
            let owner = parts.unwrap().owner.unwrap();
            assert_eq!(owner.is_change(), is_change, "{text}");
            let found = owner.resource().unwrap();
            let found = found.map(|it| [it.module, it.type_name, it.name]);
            assert_eq!(found, expected.map(|names| names.map(str::to_owned)), "{text}");
        });
    }
    let without = r#"{"values":{},"type":"a","name":"b"}"#;
    with(RESOURCE, None, without, |_, parts| {
        assert!(parts.unwrap().owner.unwrap().resource().unwrap().is_none());
    });
}

#[test]
fn marks_of_changes_apply_to_resources_in_other_sections() {
    let text = r#"{"address":"a.b","change":{"actions":["create"],"before":null,"after":{}}}"#;
    let [changes, drift, planned] =
        [Section::ResourceChanges, Section::ResourceDrift, Section::PlannedValues];
    for (kind, text, section, expected) in [
        (PieceKind::ResourceChange, text, changes, false),
        (PieceKind::ResourceChange, text, drift, true),
        (PieceKind::Resource, text, planned, true),
        (PieceKind::Resource, r#"{"values":{}}"#, planned, false),
        (ACTION.0, text, ACTION.1, false),
        (OUTPUT.0, r#"{"actions":["delete"],"before":1,"after":null}"#, OUTPUT.1, false),
    ] {
        with((kind, section), Some("o"), text, |_, parts| {
            let address = parts.unwrap().address_elsewhere(section);
            assert_eq!(address.is_some_and(|it| it.is("a.b")), expected, "{text}");
            assert_eq!(address.is_some(), expected, "{text}");
        });
    }
}

/// The values, overlays and identities of a piece are the numbers in its text, in this order.
#[test]
fn the_values_of_a_piece_have_overlays_and_identities() {
    let change = r#""change":{"actions":["update"],"before":1,"after":2,"before_sensitive":3,
        "after_sensitive":4,"after_unknown":5,"importing":{"id":6},"before_identity":7,
        "after_identity":8}"#;
    let element = format!(r#"{{"address":"a.b",{change}}}"#);
    let deferred = format!(r#"{{"reason":"r","resource_change":{element}}}"#);
    let action = r#"{"address":"a.b","config_values":1,"config_sensitive":2,"config_unknown":3}"#;
    let deferred_action = format!(r#"{{"reason":"r","action_invocation":{action}}}"#);
    let of_change: &[_] = &["1", "2", "3", "4", "5", r#"{"id":6}"#, "7", "8"];
    let in_values = Section::PlannedValues;
    for (kind, section, text, expected) in [
        (PieceKind::ResourceChange, Section::ResourceChanges, &*element, of_change),
        (PieceKind::DeferredChange, Section::DeferredChanges, &*deferred, of_change),
        (PieceKind::OutputChange, Section::OutputChanges, &change[9..], of_change),
        (ACTION.0, ACTION.1, action, &["1", "2", "3"]),
        (
            PieceKind::DeferredActionInvocation,
            Section::DeferredActionInvocations,
            &*deferred_action,
            &["1", "2", "3"],
        ),
        (
            PieceKind::Resource,
            in_values,
            r#"{"values":1,"sensitive_values":2,"identity":3}"#,
            &["1", "2", "3"],
        ),
        (PieceKind::Output, in_values, r#"{"value":1,"sensitive":2}"#, &["1", "2"]),
        (VARIABLE.0, VARIABLE.1, r#"{"value":1}"#, &["1"]),
        (
            PieceKind::Declaration,
            Section::Configuration,
            r#"{"default":1,"sensitive":2}"#,
            &["1", "2"],
        ),
        (
            PieceKind::RootDeclaration,
            Section::Configuration,
            r#"{"default":1,"sensitive":2}"#,
            &["1", "2"],
        ),
        (PieceKind::Scalar, Section::Timestamp, "1", &[]),
    ] {
        with((kind, section), Some("o"), text, |_, parts| {
            let Parts { subject, identities, .. } = parts.unwrap();
            let values = subject.sides.into_iter().chain(subject.overlays);
            let values = values.chain([subject.unknown]).chain(identities).flatten();
            let values: Vec<_> =
                values.map(|value| String::from_utf8_lossy(value.raw()).into_owned()).collect();
            assert_eq!(values, expected, "{text}");
        });
    }
}

/// Names also mark values of identities, which have no overlays.
#[test]
fn identities_are_subjects_of_their_own() {
    let text = r#"{"address":"a.b","change":{"actions":["update"],"before":1,"after":2,
        "importing":{"id":6},"after_identity":8,"after_sensitive":true}}"#;
    with(CHANGE, None, text, |_, parts| {
        let subjects: Vec<_> = parts.unwrap().subjects().collect();
        let [(None, own), (Some(0), importing), (Some(2), after)] = &subjects[..] else {
            panic!("{subjects:?}");
        };
        let raw = |value: Option<Value<'_>>| {
            value.map(|value| String::from_utf8_lossy(value.raw()).into_owned())
        };
        assert_eq!(own.sides.map(raw), ["1", "2"].map(|it| Some(it.to_owned())));
        assert_eq!(importing.sides.map(raw), [None, Some(r#"{"id":6}"#.to_owned())]);
        assert_eq!(after.sides.map(raw), [None, Some("8".to_owned())]);
        assert!(own.has_overlays() && !importing.has_overlays() && !after.has_overlays());
    });
}

#[test]
fn values_without_overlays_are_unmarked() {
    let resource = |members: &str| format!(r#"{{"address":"a.b",{members}}}"#);
    let output = |members: &str| format!(r#"{{"actions":["create"],"before":null,{members}}}"#);
    for (kind, text, expected) in [
        (RESOURCE, resource(r#""values":{"k":1}"#), true),
        (RESOURCE, resource(r#""values":{"k":1},"sensitive_values":null"#), true),
        (RESOURCE, resource(r#""values":{"k":1},"sensitive_values":{}"#), false),
        (RESOURCE, resource(r#""values":{ }"#), false),
        (RESOURCE, resource(r#""values":null"#), false),
        (RESOURCE, resource(r#""values":"x""#), false),
        (RESOURCE, resource(r#""values":1"#), false),
        (OUTPUT, output(r#""after":"x""#), true),
        (OUTPUT, output(r#""after":1"#), true),
        (OUTPUT, output(r#""after":[1]"#), true),
        (OUTPUT, output(r#""after":[ ]"#), false),
        (OUTPUT, output(r#""after":true"#), false),
        (OUTPUT, output(r#""after":"x","after_sensitive":false"#), false),
        (VARIABLE, r#"{"value":{"k":1}}"#.to_owned(), false),
        ((PieceKind::Output, Section::PlannedValues), r#"{"value":[1]}"#.to_owned(), false),
    ] {
        let is_unmarked =
            with(kind, Some("o"), &text, |piece, parts| parts.unwrap().is_unmarked(piece.kind));
        assert_eq!(is_unmarked, expected, "{text}");
    }
}

/// A member of a check that comes twice is an error. Other pieces without values may have keys
/// twice.
#[test]
fn a_check_must_not_have_a_member_twice() {
    let twice = r#"{"address":{"kind":"check"},"status":"pass","status":"fail"}"#;
    for (section, is_error) in
        [(Section::Checks, true), (Section::RelevantAttributes, false), (Section::Timestamp, false)]
    {
        with((PieceKind::Known, section), None, twice, |_, parts| {
            let error = parts.err().map(|error| error.kind());
            assert_eq!(error, is_error.then_some(ErrorKind::DuplicateKey), "{section:?}");
        });
    }
    with((PieceKind::Unknown, Section::Checks), None, twice, |_, parts| {
        assert!(parts.is_ok());
    });
}

#[test]
fn constants_are_defaults_and_constant_values() {
    let constants = |kind, text: &str| {
        with((kind, Section::Configuration), None, text, |piece, _| {
            let mut found = Vec::new();
            constants(piece, |value| {
                found.push(String::from_utf8(value.raw().to_vec()).unwrap());
                Ok(())
            })
            .unwrap();
            found
        })
    };
    let text = r#"{"default":{"constant_value":1},"k":[{"constant_value":{"constant_value":2}},
        {"constant":3,"l":{"constant_value":null}}]}"#;
    let declared = constants(PieceKind::Declaration, text);
    assert_eq!(declared, [r#"{"constant_value":1}"#]);
    assert_eq!(constants(PieceKind::RootDeclaration, "{}"), [""; 0]);
    let configured = constants(PieceKind::ConfiguredResource, text);
    assert_eq!(configured, ["1", r#"{"constant_value":2}"#, "null"]);
}

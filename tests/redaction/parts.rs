//! Parts of a marked value that recur elsewhere in the same change, and spellings of numbers.

use super::model::Options;
use super::redact;
use crate::run;

/// A plan with one change, which has the members `change`.
fn plan(change: &str) -> String {
    let change = format!(
        r#"{{"address":"acme_x.a","mode":"managed","type":"acme_x","name":"a",
"change":{{{change}}}}}"#
    );
    format!(r#"{{"format_version":"1.2","planned_values":{{}},"resource_changes":[{change}]}}"#)
}

/// Standard output and standard error of all commands for a plan.
fn all_outputs(text: &str, more: &[&str]) -> Vec<String> {
    let values = ["--values", "all"];
    let commands: [&[&str]; 11] = [
        &["changes", "--all"],
        &["summary"],
        &["summary", "--format", "json"],
        &["report", "-o", "compact"],
        &["report"],
        &["report", "-o", "markdown"],
        &["report", "-o", "html"],
        &["report", "-o", "json"],
        &["audit", "-f", "ndjson"],
        &["redact"],
        &["slim", "--keep", "relevant_attributes"],
    ];
    commands
        .iter()
        .filter(|command| more.is_empty() || !matches!(command[0], "changes" | "summary"))
        .map(|command| {
            let is_report = command[0] == "report";
            let values: &[&str] = if is_report { &values } else { &[] };
            let args = [command, values, more, &["-"]].concat();
            let output = run::piped(&args, text.as_bytes());
            let texts = [output.stdout, output.stderr].concat();
            format!("{args:?}: {}", String::from_utf8(texts).expect("UTF-8"))
        })
        .collect()
}

/// Asserts that no output has one of `secrets`, and that the oracle redacts the plan in the same
/// way.
fn assert_hidden(text: &str, secrets: &[&str]) {
    for output in all_outputs(text, &[]) {
        for secret in secrets {
            assert!(!output.contains(secret), "{secret} in {output}");
        }
    }
    for echo in super::ECHOES {
        let options = Options { echo, ..Options::default() };
        assert_eq!(super::difference(text, options), None, "{text}");
    }
}

/// The part of a text between `start` and `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
}

#[test]
fn steps_below_a_mark_are_cut() {
    for (marks, paths, expected) in [
        (r#"{"pins":true}"#, r#"["pins","S-12"]"#, r#"["pins"]"#),
        (r#"{"pins":true}"#, r#"[ "pins" , 7411 , "S-12" ]"#, r#"[ "pins" ]"#),
        (r#"{"pins":true}"#, r#"["pins",{"k":"S-12"}]"#, r#"["pins"]"#),
        (r#"{"pins":true}"#, r#"["pins"]"#, r#"["pins"]"#),
        (r#"{"pins":true}"#, r#"["open","x"],["pins","S-12"]"#, r#"["open","x"],["pins"]"#),
        ("true", r#"["pins","S-12"]"#, "[]"),
        (r#"{"pins":"true"}"#, r#"["pins","S-12"]"#, r#"["pins"]"#),
        (r#"{"pins":[true,false]}"#, r#"["pins",0],["pins",1]"#, r#"["pins",0],["pins",1]"#),
        (r#"{"pins":[true,false]}"#, r#"["pins","S-12"]"#, r#"["pins"]"#),
        (r#"{"pins":[{"k":true},false]}"#, r#"["pins",{"k":"S-12"}]"#, r#"["pins"]"#),
    ] {
        let text = plan(&format!(
            r#""actions":["delete","create"],"before":{{"pins":["S-12","x"]}},
"after":{{"pins":["o","p"]}},"after_unknown":{{}},"before_sensitive":{marks},
"after_sensitive":{marks},"replace_paths":[{paths}]"#
        ));
        let redacted = redact(&[], text.as_bytes()).expect("a plan");
        assert_eq!(between(&redacted, r#""replace_paths":["#, "]}}"), expected, "{text}");
        assert_hidden(&text, &["S-12", "7411"]);
    }
}

#[test]
fn steps_of_relevant_attributes_are_cut() {
    let changes = plan(
        r#""actions":["update"],"before":{"pins":["S-12"],"m":{"Q7.k":1}},
"after":{"pins":["p"],"m":{"Q7.k":2}},"after_unknown":{},"before_sensitive":{"pins":true,"m":true},
"after_sensitive":{}"#,
    );
    let text = changes[..changes.len() - 1].to_owned()
        + r#","relevant_attributes":[{"resource":"acme_x.a","attribute":["pins","S-12"]},
{"resource":"acme_x.a","attribute":["m","Q7.k","x"]},
{"resource":"acme_x.a","attribute":["tags","Name"]},{"resource":"acme_x.a","attribute":["id"]}]}"#;
    let redacted = redact(&[], text.as_bytes()).expect("a plan");
    let attributes = between(&redacted, r#""relevant_attributes":"#, "}]}");
    let found: Vec<&str> = attributes.split("\"attribute\":").skip(1).collect();
    let found: Vec<&str> = found.iter().map(|it| it.split('}').next().expect("one")).collect();
    assert_eq!(found, [r#"["pins"]"#, r#"["m"]"#, r#"["tags","Name"]"#, r#"["id"]"#]);
    assert_hidden(&text, &["S-12", "Q7.k"]);
}

#[test]
fn keys_named_only_by_an_overlay_are_hidden() {
    for (before, after) in [
        (r#"{"m":{"Q7.key":true}}"#, r#"{"m":true}"#),
        (r#"{"m":true}"#, r#"{"m":{"Q7.key":true}}"#),
    ] {
        let text = plan(&format!(
            r#""actions":["update"],"before":{{"m":{{"a":"1"}}}},"after":{{"m":{{"a":"2"}}}},
"after_unknown":{{"m":{{"Q7.key":true}}}},"before_sensitive":{before},"after_sensitive":{after}"#
        ));
        assert_hidden(&text, &["Q7.key"]);
    }
}

#[test]
fn keys_of_misfitting_values_are_secret() {
    for (overlay, changed) in [
        (r#"{"m":"true"}"#, r#"["m"]"#),
        (r#"{"m":[true]}"#, r#"["m"]"#),
        (r#""yes""#, r#"[""]"#),
        (r#"{"m":{"Q7.key":"true"}}"#, r#"["m[\"Q7.key\"]"]"#),
    ] {
        let text = plan(&format!(
            r#""actions":["update"],"before":{{"m":{{"Q7.key":{{"Q7.in":1}}}}}},
"after":{{"m":{{"Q7.key":{{"Q7.in":2}}}}}},"after_unknown":{{}},"before_sensitive":{overlay},
"after_sensitive":{overlay}"#
        ));
        let records = run::piped(&["changes"], text.as_bytes()).stdout;
        let records = String::from_utf8(records).expect("UTF-8");
        assert!(records.contains(&format!(r#""changed":{changed}"#)), "{overlay}: {records}");
        if overlay.contains("Q7.key") {
            assert_hidden(&text, &["Q7.in"]);
        } else {
            assert_hidden(&text, &["Q7.key", "Q7.in"]);
        }
    }
}

/// Two changes have the same overlays. The cache of overlays must not change which keys of the
/// second change are secret.
#[test]
fn keys_of_misfitting_values_are_secret_in_every_change() {
    let change = |name: &str| {
        format!(
            r#"{{"address":"acme_x.{name}","type":"acme_x","name":"{name}","change":{{
"actions":["update"],"before":{{"m":{{"k":{{"Q7.in":1}}}}}},"after":{{"m":{{"k":{{"Q7.in":2}}}}}},
"before_sensitive":{{"m":{{"k":"yes"}}}},"after_sensitive":{{"m":{{"k":"yes"}}}}}}}}"#
        )
    };
    let text = format!(
        r#"{{"format_version":"1.2","resource_changes":[{},{}]}}"#,
        change("a"),
        change("b")
    );
    let records = run::piped(&["changes"], text.as_bytes()).stdout;
    let records = String::from_utf8(records).expect("UTF-8");
    assert_eq!(records.matches(r#""changed":["m.k"]"#).count(), 2, "{records}");
    assert_hidden(&text, &["Q7.in"]);
}

#[test]
fn keys_of_sensitive_outputs_of_the_first_format_are_secret() {
    let change = r#""output_changes":{"o":{"actions":["update"],"before":{"Q7.key":1},
"after":{"Q7.key":2},"after_unknown":false}}"#;
    let planned = |word: &str| {
        format!(
            r#""planned_values":{{"outputs":{{"o":{{"sensitive":{word},
"value":{{"Q7.key":2}}}}}}}}"#
        )
    };
    let configured =
        r#""configuration":{"root_module":{"outputs":{"o":{"sensitive":true,"expression":{}}}}}"#;
    let version = r#""format_version":"0.1""#;
    let secret = planned("true");
    for members in [
        [version, &secret, change],
        [configured, version, change],
        [change, &secret, version],
        [version, change, &secret],
    ] {
        let text = format!("{{{}}}", members.join(","));
        let records = run::piped(&["changes"], text.as_bytes()).stdout;
        let records = String::from_utf8(records).expect("UTF-8");
        assert!(records.contains(r#""changed":[""]"#), "{records}");
        // Commands that read twice know only the declaration in `planned_values`.
        if text.contains("planned_values") {
            assert_hidden(&text, &["Q7.key"]);
        }
    }
    let open = format!("{{{version},{},{change}}}", planned("false"));
    let records = run::piped(&["changes"], open.as_bytes()).stdout;
    assert!(String::from_utf8(records).expect("UTF-8").contains(r#""changed":["[\"Q7.key\"]"]"#));
}

#[test]
fn maps_of_constants_are_masked_with_their_keys() {
    let change = plan(
        r#""actions":["create"],"before":null,"after":{"m":{"Q7.k":"v1","T":"v2"}},
"after_unknown":{},"before_sensitive":false,"after_sensitive":{"m":true}"#,
    );
    let constant = r#"{"Q7.k":"v1","T":"v2"}"#;
    let configuration = |constant: &str| {
        format!(
            r#"{},"configuration":{{"root_module":{{"resources":[{{"address":"acme_x.a",
"expressions":{{"other":{{"constant_value":{constant}}}}}}}]}}}}}}"#,
            &change[..change.len() - 1]
        )
    };
    let redacted = redact(&[], configuration(constant).as_bytes()).expect("a plan");
    assert!(redacted.contains(r#""constant_value":"(sensitive value)""#), "{redacted}");
    assert_hidden(&configuration(constant), &["Q7.k", "v1"]);
    // A constant with another value may be another map, so its key stays.
    let other = r#"{"Q7.k":"v1","T":"open"}"#;
    let redacted = redact(&[], configuration(other).as_bytes()).expect("a plan");
    assert!(redacted.contains(r#"{"Q7.k":"(sensitive value)","T":"open"}"#), "{redacted}");
}

#[test]
fn booleans_of_identities_are_masked() {
    let text = plan(
        r#""actions":["create"],"before":null,"after":{"flag":true},"after_unknown":{},
"before_sensitive":false,"after_sensitive":{"flag":true},
"importing":{"unknown":true,"identity":{"flag":true,"other":false}},
"after_identity":{"unknown":true}"#,
    );
    let mask = r#""(sensitive value)""#;
    let importing =
        format!(r#""importing":{{"unknown":true,"identity":{{"flag":{mask},"other":false}}}}"#);
    let redacted = redact(&[], text.as_bytes()).expect("a plan");
    assert!(redacted.contains(&importing), "{redacted}");
    assert!(redacted.contains(&format!(r#""after_identity":{{"unknown":{mask}}}"#)), "{redacted}");
    let records = String::from_utf8(run::piped(&["changes"], text.as_bytes()).stdout);
    let records = records.expect("UTF-8");
    assert!(records.contains(&importing), "{records}");
    assert_hidden(&text, &[]);
}

#[test]
fn also_names_masks_values_in_identities() {
    let text = plan(
        r#""actions":["create"],"before":null,"after":{"a":1},"after_unknown":{},
"before_sensitive":false,"after_sensitive":{},
"importing":{"identity":{"token":"S-12","n":{"token":77001}}},"before_identity":{"token":"S-13"},
"after_identity":{"token":["S-14"]}"#,
    );
    for output in all_outputs(&text, &["--also-names", "^token$"]) {
        for secret in ["S-12", "77001", "S-13", "S-14"] {
            assert!(!output.contains(secret), "{secret} in {output}");
        }
    }
}

#[test]
fn numbers_are_compared_by_value() {
    for (marked, echo) in [
        ("1000000000", "1e9"),
        ("1000000000", "1000000000.0"),
        ("1e9", "1000000000"),
        ("-0.000125", "-125E-6"),
        ("12345678901234567890.5", "123456789012345678905e-1"),
    ] {
        let text = plan(&format!(
            r#""actions":["create"],"before":null,
"after":{{"n":{marked},"echo":{echo},"list":[{echo}]}},"after_unknown":{{}},
"before_sensitive":false,"after_sensitive":{{"n":true}},"importing":{{"identity":{{"n":{echo}}}}}"#
        ));
        assert_hidden(&text, &[&format!(":{echo}"), &format!("[{echo}]"), &format!("= {echo}")]);
        let other = text.replace(&format!(r#""list":[{echo}]"#), r#""list":[1000000001,1e8]"#);
        let redacted = redact(&[], other.as_bytes()).expect("a plan");
        assert!(redacted.contains("[1000000001,1e8]"), "{redacted}");
    }
}

#[test]
fn equal_numbers_have_the_same_digest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let key = folder.path().join("key");
    std::fs::write(&key, [7; 32]).expect("a file");
    let text = plan(
        r#""actions":["create"],"before":null,"after":{"n":1000000000,"e":1e9,"s":"1000000000"},
"after_unknown":{},"before_sensitive":false,"after_sensitive":{"n":true}"#,
    );
    let key = key.to_str().expect("UTF-8");
    let redacted = redact(&["--mask", "hash", "--key-file", key], text.as_bytes()).expect("a plan");
    let mask = between(&redacted, r#""n":"#, ",");
    assert!(mask.len() > 40, "{mask}");
    assert!(redacted.contains(&format!(r#""e":{mask},"s":{mask}"#)), "{redacted}");
}

#[test]
fn type_constraints_are_not_reported_as_suspects() {
    let text = r#"{"format_version":"1.2","planned_values":{"outputs":{"o":{"sensitive":false,
"type":["object",{"secret":"string"}],"value":{"secret":"open"}}}},"configuration":{"root_module":{
"variables":{"v":{"type":["map",{"password":"string"}]}}}}}"#;
    let output = run::piped(&["audit", "-f", "ndjson", "-"], text.as_bytes());
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!output.contains("type["), "{output}");
    assert!(output.contains("value.secret"), "{output}");
}

#[test]
fn the_attacks_show_no_secret() {
    for (name, secret) in [
        ("A2-replace-paths-set-element.json", "\"1234\""),
        ("A3-keys-pre-0.15-output.json", "SecretKey1"),
        ("A3b-keys-misfit-overlay.json", "SecretKey1"),
    ] {
        let text = std::fs::read_to_string(run::corpus("attack").join(name)).expect("a file");
        assert_hidden(&text, &[secret]);
    }
}

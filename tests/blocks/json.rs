//! Configurations in JSON syntax are read as Terraform 1.11 reads them.

use super::{block, blocks, folder, ran};

/// The errors of a file in JSON syntax: the place, and the summary.
fn errors(text: &str) -> Vec<String> {
    let folder = folder(&[("main.tf.json", text)]);
    let (listed, _) = ran(&["blocks", "--check", folder.path().to_str().expect("UTF-8")]);
    let parts = |line: &str| {
        let mut parts = line.splitn(4, ": ");
        let place = parts.next().and_then(|place| place.strip_prefix("main.tf.json:"));
        format!("{} {}", place.expect("a place"), parts.nth(1).expect("a summary"))
    };
    listed.lines().map(parts).collect()
}

#[test]
fn a_type_can_be_the_word_list_or_map() {
    let variable = |ty: &str| format!(r#"{{"variable":{{"a":{{"type":{ty}}}}}}}"#);
    for ty in [r#""list""#, r#""map""#, r#"" list ""#, r#""list(any)""#] {
        assert_eq!(errors(&variable(ty)), [""; 0], "{ty}");
    }
    for ty in [
        r#""set""#,
        r#""object""#,
        r#"["string"]"#,
        r#"{"a":1}"#,
        "null",
        "1",
        r#""x::list(string)""#,
    ] {
        assert_eq!(errors(&variable(ty)), ["1:26 Invalid type specification"], "{ty}");
    }
}

#[test]
fn a_wildcard_ignores_all_changes() {
    let resource = |paths: &str| {
        format!(r#"{{"resource":{{"t":{{"a":{{"lifecycle":{{"ignore_changes":{paths}}}}}}}}}}}"#)
    };
    assert_eq!(errors(&resource(r#"["*"]"#)), [""; 0]);
    assert_eq!(errors(&resource(r#"["x","*"]"#)), ["1:59 Invalid ignore_changes ruleset"]);
    assert_eq!(errors(&resource(r#""*""#)), ["1:54 Invalid expression"]);
}

#[test]
fn a_provider_can_be_passed_in_an_interpolation() {
    let text = r#"{"module":{"m":{"source":"./m","providers":{"aws":"${aws.usw1}","x":"y.z"}}}}"#;
    assert_eq!(errors(text), [""; 0]);
    let folder = folder(&[("main.tf.json", text)]);
    let call = block(&blocks(folder.path()), "module.m");
    assert_eq!(call["references"], serde_json::json!(["aws.usw1", "y.z"]));
}

#[test]
fn an_alias_can_be_a_number() {
    let text = r#"{"provider":{"p":[{"alias":1},{"alias":true},{"alias":"x"},{}]}}"#;
    let native = "provider \"p\" {\n  alias = 1\n}\nprovider \"p\" {\n  alias = true\n}\n";
    let json = folder(&[("main.tf.json", text)]);
    let listed = blocks(json.path());
    let addresses: Vec<_> =
        listed.iter().map(|block| block["address"].as_str().unwrap_or_default()).collect();
    assert_eq!(addresses, ["provider.p.1", "provider.p.true", "provider.p.x", "provider.p"]);
    let native = folder(&[("main.tf", native)]);
    let listed = blocks(native.path());
    assert_eq!(listed[0]["address"], "provider.p.1");
    assert_eq!(listed[1]["address"], "provider.p.true");
}

#[test]
fn a_key_in_a_template_can_repeat_another() {
    let local = |keys: &str| format!(r#"{{"locals":{{"v":{{{keys}}}}}}}"#);
    for keys in [
        r#""${\"x\"}":1,"x":2"#,
        r#""x":1,"${\"x\"}":2"#,
        r#""1":1,"${1}":2"#,
        r#""a1":1,"a${1}":2"#,
        r#""true":1,"${(true)}":2"#,
        r#""$${x}":1,"$${x}":2"#,
    ] {
        let found = errors(&local(keys));
        assert!(matches!(found.as_slice(), [one] if one.ends_with("Duplicate object attribute")));
    }
    for keys in [r#""${var.x}":1,"${var.x}":2"#, r#""$${x}":1,"$$${x}":2"#] {
        assert_eq!(errors(&local(keys)), [""; 0], "{keys}");
    }
}

#[test]
fn a_tab_between_tokens_takes_two_columns() {
    let text = "{\n\t\"output\": {\t\"o\": {\n\t\t\"valu\": 1 }}}";
    assert_eq!(
        errors(text),
        ["3:5 Extraneous JSON object property", "3:15 Missing required argument"]
    );
}

#[test]
fn the_language_is_a_word() {
    assert_eq!(errors(r#"{"terraform":{"language":"TF2021"}}"#), [""; 0]);
}

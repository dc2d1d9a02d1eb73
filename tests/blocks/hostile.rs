//! Files that are deep, long, damaged or made to be slow end in blocks or in an error.

use std::fs;

use plansift::blocks::{Configuration, Folder};

/// The blocks and the summaries of the diagnostics of a file.
fn read(name: &str, text: &[u8]) -> (usize, Vec<&'static str>) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), text).expect("a file");
    let configuration = Configuration::read(&Folder::new(folder.path())).expect("a folder");
    let blocks = configuration.modules().iter().map(|module| module.directory.blocks.len()).sum();
    let summaries = configuration.diagnostics().map(|found| found.diagnostic.summary).collect();
    (blocks, summaries)
}

#[test]
fn a_deep_json_file_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [5000, 20_000, 1_000_000] {
            let inside = open.repeat(depth) + "1" + &close.repeat(depth);
            let text = format!(r#"{{"locals":{{"a":{inside}}}}}"#);
            let (blocks, summaries) = read("main.tf.json", text.as_bytes());
            let expected: &[&str] = if depth > 10_000 { &["File too large"] } else { &[] };
            assert_eq!((blocks, summaries.as_slice()), (usize::from(depth <= 10_000), expected));
        }
        let (_, summaries) = read("main.tf.json", open.repeat(1_000_000).as_bytes());
        assert_eq!(summaries, ["File too large"]);
    }
}

#[test]
fn a_million_equal_names_take_bounded_time_and_memory() {
    let members = vec![r#""a":1"#; 1_000_000].join(",");
    for (text, blocks) in [
        (format!(r#"{{"locals":{{{members}}}}}"#), 1),
        (format!(r#"{{"locals":{{"v":{{{members}}}}}}}"#), 1),
        (format!("{{{members}}}"), 0),
    ] {
        let (read, summaries) = read("main.tf.json", text.as_bytes());
        assert_eq!((read, summaries.len()), (blocks, 1000));
    }
    let blocks = vec![r#""locals":{}"#; 100_000].join(",");
    assert_eq!(read("main.tf.json", format!("{{{blocks}}}").as_bytes()), (100_000, Vec::new()));
}

#[test]
fn deep_templates_are_errors() {
    let nested = "${".repeat(10_000) + "1" + &"}".repeat(10_000);
    let quoted = "${\"".repeat(10_000) + &"\"}".repeat(10_000);
    let brackets = format!("${{{}1{}}}", "(".repeat(10_000), ")".repeat(10_000));
    let operators = format!("${{{}1}}", "1+".repeat(100_000));
    let directives = "%{ if a }".repeat(10_000);
    for template in [nested, quoted, brackets, operators, directives] {
        let value = serde_json::to_string(&template).expect("JSON");
        let text = format!(r#"{{"locals":{{"a":{value}}}}}"#);
        let (blocks, summaries) = read("main.tf.json", text.as_bytes());
        assert_eq!(blocks, 1);
        assert!(!summaries.is_empty());
    }
}

#[test]
fn a_deep_native_file_is_an_error() {
    for text in [
        "a {\n".repeat(100_000),
        format!("locals {{\n  a = {}\n}}\n", "[".repeat(100_000)),
        format!("locals {{\n  a = {}1\n}}\n", "!".repeat(100_000)),
        format!("locals {{\n  a = {}1\n}}\n", "a ? b : ".repeat(100_000)),
        format!("locals {{\n  a = {}\n}}\n", "\"${".repeat(100_000)),
    ] {
        let (blocks, summaries) = read("main.tf", text.as_bytes());
        assert_eq!((blocks, summaries.as_slice()), (0, &["Invalid syntax"][..]));
    }
}

#[test]
fn invalid_utf8_is_read_in_json_and_refused_in_native_files() {
    let damaged = b"{\"locals\":{\"a\":\"\xff\xfe\xed\xa0\x80\"}}";
    assert_eq!(read("main.tf.json", damaged), (1, Vec::new()));
    let damaged = b"locals {\n  a = \"\xff\"\n}\n";
    assert_eq!(read("main.tf", damaged), (0, vec!["Invalid character encoding"]));
    let empty = vec!["Missing value", "Root value must be object"];
    assert_eq!(read("main.tf.json", b""), (0, empty));
    // A byte order mark is no fault of a native file.
    assert_eq!(read("main.tf", b"\xef\xbb\xbflocals {\n}\n"), (1, Vec::new()));
}

#[test]
fn modules_that_call_themselves_are_cut_off() {
    let call = |name: &str| format!("module \"{name}\" {{\n  source = \"./.\"\n}}\n");
    for (text, count) in [(call("a") + &call("b"), 10_000), (call("a"), 101)] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("main.tf"), text).expect("a file");
        let configuration = Configuration::read(&Folder::new(folder.path())).expect("a folder");
        assert!(configuration.is_cut);
        assert_eq!(configuration.modules().len(), count);
        assert!(configuration.find("module.a.module.a.module.a").is_some());
    }
}

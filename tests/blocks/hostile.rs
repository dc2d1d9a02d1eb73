//! Files that are deep, long, damaged or made to be slow end in blocks or in an error.

use std::fs;
use std::process::Command;

use plansift::blocks::{Configuration, Detail, Folder};
use plansift::limits::Limits;

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

/// A quadratic reader would take minutes for each of these files.
#[test]
fn large_files_take_linear_time() {
    let numbered = |pre: &str, each: &dyn Fn(usize) -> String, post: &str| {
        format!("{pre}{}{post}", (0..100_000).map(each).collect::<String>())
    };
    let many = |pre: &str, part: &str, post: &str| numbered(pre, &|_| part.to_owned(), post);
    for (name, text) in [
        ("main.tf", many("resource ", "\"a\" ", "{\n}\n")),
        ("main.tf", many("resource ", "a ", "{\n}\n")),
        ("main.tf", many("", "output \"a\" {}\n", "")),
        ("main.tf", many("", "a{}\n", "")),
        ("main.tf", many("a {\n", "b = 1 # }\n", "")),
        ("main.tf", numbered("locals {\n x = {", &|at| format!("k{at}=1,"), "}\n}\n")),
        ("main.tf", numbered("locals {\n", &|at| format!("k{at}=1\n"), "}\n")),
        ("main.tf", many("locals {\n x = [\n", "<<A\nA\n,", "1]\n}\n")),
        ("main.tf", many("locals {\n x = \"", "${a}", "\"\n}\n")),
        ("main.tf", many("locals {\n x = ", "\"${", "")),
        ("main.tf.json", numbered("{\"output\":{", &|at| format!("\"a{at}\":{{}},"), "\"a\":{}}}")),
        (
            "main.tf.json",
            numbered("{\"locals\":{\"a\":{", &|at| format!("\"k{at}\":1,"), "\"a\":1}}}"),
        ),
        (
            "main.tf.json",
            numbered("{\"locals\":{\"a\":\"${ {", &|at| format!("k{at}=1,"), "} }\"}}"),
        ),
        ("main.tf.json", many("{\"locals\":{\"a\":\"", "${a}", "\"}}")),
        ("main.tf.json", many("{\"resource\":[", "{\"t\":[{\"n\":{}}]},", "{}]}")),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), &text).expect("a file");
        for detail in [Detail::Locations, Detail::Content] {
            let files = Folder::new(folder.path());
            let read = Configuration::read_with(&files, detail, &Limits::default());
            let reason = read.err().map(|error| error.to_string());
            let is_limit = reason.as_ref().is_none_or(|it| it.contains("configuration exceeds"));
            assert!(is_limit, "{}: {reason:?}", &text[..40]);
        }
    }
}

#[test]
fn an_object_with_many_keys_is_refused() {
    let keys = (0..10_001).map(|at| format!("k{at} = 1, ")).collect::<String>();
    let text = format!("locals {{\n  x = {{ {keys} }}\n}}\n");
    assert_eq!(read("main.tf", text.as_bytes()), (0, vec!["File too large"]));
    let fewer = text.replace("k10000 = 1, ", "");
    assert_eq!(read("main.tf", fewer.as_bytes()), (1, Vec::new()));
    let text = format!("{{\"locals\":{{\"x\":\"${{ {{ {keys} }} }}\"}}}}");
    assert_eq!(read("main.tf.json", text.as_bytes()), (1, vec!["Expression too large"]));
}

#[test]
fn the_limit_bounds_files_blocks_and_trees() {
    let limits = Limits { configuration: 100_000, ..Limits::default() };
    for (name, text) in [
        ("main.tf", format!("locals {{\n x = a{}\n}}\n", ".b".repeat(1000))),
        ("main.tf", "output \"a\" {\n}\n".repeat(1000)),
        ("main.tf", "#\n".repeat(100_000)),
        ("main.tf.json", format!("{{\"output\":{{{}\"a\":{{}}}}}}", "\"a\":{},".repeat(1000))),
        ("main.tf.json", format!("{{\"locals\":{{\"a\":[{}1]}}}}", "1,".repeat(1000))),
        ("main.tf.json", format!("{{\"locals\":{{\"a\":\"${{a{}}}\"}}}}", ".b".repeat(1000))),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), &text).expect("a file");
        let read = Configuration::read_with(&Folder::new(folder.path()), Detail::Content, &limits);
        let error = read.expect_err(&text[..40]).to_string();
        assert!(error.contains(&format!("at {name}: ")), "{error}");
        assert!(
            error.ends_with("exceeds the limit of 100000: raise it with --limit-configuration")
        );
    }
}

/// An opened FIFO would wait for a writer.
#[test]
fn special_files_are_skipped() {
    let made = super::folder(&[("a.tf", "output \"o\" {\n  value = 1\n}\n"), ("m/x", "")]);
    let modules = made.path().join(".terraform/modules");
    fs::create_dir_all(&modules).expect("a folder");
    for path in ["main.tf", "main.tf.json", "x.tofu", ".terraform/modules/modules.json"] {
        let made = Command::new("mkfifo").arg(made.path().join(path)).status();
        assert!(made.expect("mkfifo").success());
    }
    let socket = std::os::unix::net::UnixListener::bind(made.path().join("socket.tf"));
    socket.expect("a socket");
    let path = made.path().to_str().expect("UTF-8");
    assert_eq!(super::ran(&["blocks", path]), (String::from("a.tf:1  output.o\n"), Some(0)));
    assert_eq!(super::ran(&["blocks", "--check", path]), (String::new(), Some(0)));
    let (records, code) = super::ran(&["changes", "--source", path, "corpus/sources/plan.json"]);
    assert!(code == Some(0) && records.contains("missing"), "{records}");
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

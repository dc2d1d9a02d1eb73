//! One object in a store: the same output as from a file, in any form and with any command.

use super::s3::{S3, SECRET};
use super::{Run, expected, plansift};
use crate::hostile::sample::{self, PLAN};
use crate::same_answer::forms;

/// A plan that is longer than several chunks of a download and several windows.
pub fn large() -> String {
    sample::of_changes(40_000, |number| {
        format!(
            r#"{{"address":"a.b[{number}]","change":{{"actions":["create"],"after":{number}}}}}"#
        )
    })
}

#[test]
fn an_object_gives_the_same_output_as_its_file() {
    let s3 = S3::start();
    let large = large();
    let several = format!("{PLAN}\n{PLAN}\n");
    for (key, content) in [
        ("plan.json", PLAN.as_bytes().to_vec()),
        ("plan.json.gz", forms::gzip(PLAN.as_bytes())),
        ("plan.json.zst", forms::zstd(PLAN.as_bytes())),
        ("plan-16.json", forms::utf16_le(PLAN)),
        ("several.json", several.into_bytes()),
        ("large.json", large.clone().into_bytes()),
        ("large.gz", forms::gzip(large.as_bytes())),
        ("none.json", b"{}".to_vec()),
        ("empty.json", Vec::new()),
        ("cut.json", PLAN.as_bytes()[..PLAN.len() / 2].to_vec()),
        ("cut.gz", forms::gzip(PLAN.as_bytes())[..400].to_vec()),
    ] {
        s3.put(key, &content);
        let path = s3.path(key);
        let file = path.to_str().expect("UTF-8");
        for args in [
            "changes",
            "changes --threads 1 -f csv",
            "summary --group-by type",
            "assert -f ndjson -e {\"plan\":\"empty\"}",
        ] {
            let from_store = s3.run(&format!("{args} s3://plans/{key}"));
            let mut from_file = s3.run(&format!("{args} --no-mmap {file}"));
            for text in [&mut from_file.out, &mut from_file.err] {
                *text = text.replace(file, &format!("s3://plans/{key}"));
            }
            assert_eq!(from_store.code, from_file.code, "{args} {key}: {}", from_store.err);
            assert!(from_store == from_file, "{args} {key}");
        }
    }
}

#[test]
fn rewriting_an_object_gives_the_same_output_as_its_file() {
    let s3 = S3::start();
    s3.put("plan.json", PLAN);
    s3.put("plan.gz", forms::gzip(PLAN.as_bytes()));
    let path = s3.path("plan.json");
    let file = path.to_str().expect("UTF-8");
    for args in [
        "redact",
        "redact --echo off",
        "slim",
        "slim --no-redact",
        "audit -f ndjson",
        "assert -f ndjson -e {\"plan\":\"non-empty\"}",
    ] {
        let from_file = s3.run(&format!("{args} {file}"));
        assert_eq!(from_file.code, Some(0), "{args}");
        for key in ["plan.json", "plan.gz"] {
            let address = format!("s3://plans/{key}");
            let from_store = s3.run(&format!("{args} {address}"));
            assert_eq!(from_store.code, Some(0), "{args}: {}", from_store.err);
            assert_eq!(from_store.out, from_file.out.replace(file, &address), "{args} {key}");
            assert_eq!(from_store.err, from_file.err.replace(file, &address), "{args} {key}");
        }
    }
    let report = s3.path("report");
    let args = format!("redact --report {} s3://plans/plan.json", report.display());
    assert_eq!(s3.run(&args).code, Some(0));
    let report = std::fs::read_to_string(report).expect("a report");
    assert!(report.contains(r#""source":"s3://plans/plan.json""#), "{report:.200}");
    let spooled = s3.run("redact --limit-spool 1K s3://plans/plan.json");
    assert!(spooled.err.contains("raise it with --limit-spool"), "{}", spooled.err);
}

#[test]
fn keys_are_not_percent_encoded() {
    let s3 = S3::start();
    for key in ["a b/plan+1.json", "100%/%20.json", "é/計画.json", "a&b=c;d'(e).json", "[x]"] {
        s3.put(key, PLAN);
        let address = format!("s3://plans/{key}");
        let run = s3.run_with(&["changes", &address], &[]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{key}");
        assert_eq!(run.out, expected("changes", &address), "{key}");
        std::fs::remove_file(s3.path(key)).expect("the object");
        let run = s3.run_with(&["changes", &address], &[]);
        assert_eq!(run.code, Some(1), "{key}: it is really this one");
    }
}

#[test]
fn invalid_addresses_are_errors() {
    let s3 = S3::start();
    s3.put("plan.json", PLAN);
    for (name, said) in [
        ("s3://plans/../plans/plan.json", "keys with an empty part"),
        ("s3://plans/./plan.json", "keys with an empty part"),
        ("s3://plans//plan.json", "keys with an empty part"),
        ("s3://plans/none.json", "there is no object of that name"),
        ("s3://none/plan.json", "there is no object of that name"),
        ("s3://plans/plan.json?versionId=1", "the address must not have a query or a user"),
        ("s3://plans//", "keys with an empty part"),
        ("s3://plans/a/../*.json", "keys with an empty part"),
        ("s3:///plan.json", "not the address of a plan"),
        ("https://a:b:c/plan.json", "not the address of a plan"),
        ("ftp://plans/plan.json", "not the address of a plan"),
        ("file://plans/plan.json", "not the address of a plan"),
    ] {
        let run = s3.run(&format!("changes {name}"));
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{name}");
        assert!(run.err.contains(said) && !run.err.contains("versionId"), "{name}: {}", run.err);
    }
}

#[test]
fn file_addresses_read_the_local_file() {
    let s3 = S3::start();
    s3.put("a b/plan.json", PLAN);
    let path = s3.path("a b/plan.json");
    let address = format!("file://{}", path.to_str().expect("UTF-8").replace(' ', "%20"));
    let run = s3.run(&format!("changes {address}"));
    assert_eq!(run.out, expected("changes", path.to_str().expect("UTF-8")), "{}", run.err);
    let folder = s3.run(&format!("changes file://{}", s3.path("").display()));
    assert_eq!((folder.code, folder.err.as_str()), (Some(0), ""));
}

#[test]
fn wrong_credentials_are_neither_retried_nor_printed() {
    let s3 = S3::start();
    s3.put("plan.json", PLAN);
    let run = s3.run_with(&["changes", "s3://plans/plan.json"], &[("AWS_SECRET_ACCESS_KEY", "x")]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    let said = "plansift: s3://plans/plan.json: the store refuses access with these credentials\n";
    assert_eq!(run.err, said);
    assert_eq!(s3.gate.asked().len(), 1, "it would not go better");
    let mut without = plansift();
    without.args(["changes", "s3://plans/plan.json"]).env("AWS_ENDPOINT_URL", s3.gate.url());
    without.env("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1");
    let run = Run::of(&without.output().expect("it runs"));
    assert!(run.err.contains("no credentials for the store"), "{}", run.err);
    assert!(!run.err.contains(SECRET));
}

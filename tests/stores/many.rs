//! Many objects: plansift reads folders and globs of keys in the order of paths, and counts the
//! objects that it skips.

use std::sync::{Arc, Barrier};

use serde_json::Value;

use super::gate::{Gate, answer};
use super::s3::S3;
use super::{Run, plansift};
use crate::hostile::sample::PLAN;

/// A plan with one change, whose resource is called `name`.
fn line(name: &str) -> String {
    let change = format!(r#"{{"address":"x.{name}","change":{{"actions":["create"]}}}}"#);
    format!(r#"{{"format_version":"1.2","resource_changes":[{change}]}}"#)
}

/// Source and workspace of each plan.
fn plans(run: &Run) -> Vec<String> {
    let records = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let plans = records.filter(|record| record["kind"] == "plan");
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    plans.map(|it| format!("{} {}", text(&it["source"]), text(&it["workspace"]))).collect()
}

/// A store with plans of several workspaces and with objects that are no plans.
fn estate() -> S3 {
    let s3 = S3::start();
    for (key, content) in [
        ("live/prod/plan.json", PLAN),
        ("live/prod-2/plan.json", &line("b")),
        ("live/prod.json", &line("c")),
        ("live/dev/eu/plan.json", &line("d")),
        ("live/dev/main.tf", "resource {}"),
        ("live/dev/empty", ""),
        ("live/.cache/a/plan.json", &line("e")),
        ("live/.cache/b/plan.json", &line("e")),
        ("live/old/1/plan.json", &line("f")),
        ("live/old/2/plan.json", &line("f")),
        ("liverpool/plan.json", &line("g")),
    ] {
        s3.put(key, content);
    }
    s3
}

#[test]
fn a_folder_of_keys_equals_a_folder_of_files() {
    let s3 = estate();
    let folder = s3.path("live");
    let folder = folder.to_str().expect("UTF-8");
    for args in [
        "",
        "--exclude old",
        "--include plan.json --exclude old",
        "--include dev/** --include prod*",
        "--exclude */eu --exclude old/1",
        "--workspace-from live/{workspace}/plan.json",
        "-q --threads 1",
    ] {
        let from_store = s3.run(&format!("changes {args} s3://plans/live/").replace("  ", " "));
        let mut from_files = s3.run(&format!("changes {args} {folder}").replace("  ", " "));
        for text in [&mut from_files.out, &mut from_files.err] {
            *text = text.replace(folder, "s3://plans/live");
        }
        assert_eq!(from_store.code, Some(0), "{args}: {}", from_store.err);
        assert_eq!(from_store, from_files, "{args}");
    }
}

/// plansift sends a HEAD request for each address. The server answers when it has eight of them, so
/// plansift must send them at once.
#[test]
fn heads_are_requested_concurrently() {
    let all = Arc::new(Barrier::new(8));
    let gate = Gate::answering(move |asked| {
        if asked.line.starts_with("HEAD") {
            all.wait();
        }
        answer(200, "", PLAN.as_bytes())
    });
    let names: Vec<_> = (0..8).map(|number| format!("s3://plans/{number}.json")).collect();
    let list = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(list.path(), names.join("\n")).expect("a file");
    let list = format!("@{}", list.path().display());
    for names in [&names.iter().map(String::as_str).collect::<Vec<_>>()[..], &[list.as_str()]] {
        let mut command = plansift();
        command.arg("changes").args(names).env("AWS_ENDPOINT_URL", gate.url());
        command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "key");
        command.env("AWS_ALLOW_HTTP", "true");
        let run = Run::of(&command.output().expect("it runs"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        let expected: Vec<_> =
            (0..8).map(|it| format!("s3://plans/{it}.json s3://plans/{it}")).collect();
        assert_eq!(plans(&run), expected);
    }
}

#[test]
fn objects_are_read_in_path_order() {
    let s3 = estate();
    let run = s3.run("changes --exclude old s3://plans/live/");
    let expected = [
        "s3://plans/live/dev/eu/plan.json s3://plans/live/dev/eu",
        "s3://plans/live/prod/plan.json s3://plans/live/prod",
        "s3://plans/live/prod-2/plan.json s3://plans/live/prod-2",
        "s3://plans/live/prod.json s3://plans/live/prod",
    ];
    assert_eq!(plans(&run), expected, "and not that of bytes, where a dash comes before a slash");
    let said: Vec<&str> = run.err.lines().collect();
    let skipped = "1 file that is not a plan, 1 source file (.tf, .tfvars), 1 excluded, 1 hidden";
    assert_eq!(said[0], format!("plansift: skipped in folders: {skipped}"));
    assert!(
        said[1].contains("s3://plans/live/prod.json: an earlier input has the same"),
        "{said:?}"
    );
    assert_eq!(said.len(), 2);
    // The listing asks only for the keys of the folder.
    let first = s3.gate.asked().into_iter().next().expect("a request");
    assert_eq!(first.line, "GET /plans?list-type=2&prefix=live%2F");
}

#[test]
fn globs_match_object_keys() {
    let s3 = estate();
    for (name, expected) in [
        ("live/*/plan.json", &["live/prod/plan.json", "live/prod-2/plan.json"][..]),
        ("live/prod*", &["live/prod/plan.json", "live/prod-2/plan.json", "live/prod.json"]),
        ("live/prod*/", &["live/prod/plan.json", "live/prod-2/plan.json"]),
        ("live/**/eu/*.json", &["live/dev/eu/plan.json"]),
        ("live*/plan.json", &["liverpool/plan.json"]),
        ("live/.cache/*/plan.json", &["live/.cache/a/plan.json", "live/.cache/b/plan.json"]),
        ("live/{old,dev}/1", &["live/old/1/plan.json"]),
        ("live/prod?2/plan.json", &["live/prod-2/plan.json"]),
    ] {
        let run = s3.run(&format!("changes -q s3://plans/{name}"));
        assert_eq!(run.code, Some(0), "{name}: {}", run.err);
        let sources = plans(&run);
        let sources = sources.iter().map(|it| it.split(' ').next().unwrap_or_default());
        let sources: Vec<_> = sources.filter_map(|it| it.strip_prefix("s3://plans/")).collect();
        assert_eq!(sources, expected, "{name}");
    }
}

#[test]
fn addresses_without_plans_are_errors() {
    let s3 = estate();
    for (name, said) in [
        ("s3://plans/live/none/", "no plan found here"),
        ("s3://plans/none*", "no plan found here"),
        ("s3://plans/live/[", "invalid pattern"),
        ("s3://plans/none", "there is no object of that name"),
        ("s3://none/", "there is no object of that name"),
    ] {
        let run = s3.run(&format!("changes {name}"));
        assert_eq!((run.code, run.err), (Some(1), format!("plansift: {name}: {said}\n")));
    }
}

#[test]
fn list_files_can_mix_addresses_and_paths() {
    let s3 = estate();
    let list = s3.path("list");
    let path = s3.path("live/prod.json");
    let names =
        format!("s3://plans/live/prod/plan.json\n{}\ns3://plans/live/dev/\n", path.display());
    std::fs::write(&list, names).expect("a list");
    for args in ["changes -q @", "changes -q --files-from "] {
        let run = s3.run(&format!("{args}{}", list.display()));
        let plans_read = plans(&run);
        assert_eq!(plans_read.len(), 3, "{args}: {}", run.err);
        assert!(plans_read[0].starts_with("s3://plans/live/prod/plan.json "), "{plans_read:?}");
        assert!(plans_read[2].starts_with("s3://plans/live/dev/eu/plan.json "), "{plans_read:?}");
    }
}

/// The server lists at most a thousand keys on a page.
#[test]
fn listings_of_several_pages_are_read_completely() {
    let s3 = S3::start();
    for number in 0..2001 {
        s3.put(&format!("{number:04}.json"), line(&number.to_string()));
    }
    let run = s3.run("changes --threads 1 s3://plans/");
    assert_eq!(run.code, Some(0), "{}", run.err);
    let expected =
        (0..2001).map(|number| format!("s3://plans/{number:04}.json s3://plans/{number:04}"));
    assert_eq!(plans(&run), expected.collect::<Vec<_>>());
    let pages = s3.gate.asked().into_iter().filter(|it| it.line.contains("list-type=2"));
    assert_eq!(pages.count(), 3);
}

/// A page of keys as S3 writes it.
fn page(keys: &[&str], next: Option<&str>) -> Vec<u8> {
    let content = |key: &&str| {
        let (len, day) = (if key.ends_with('/') { 0 } else { PLAN.len() }, "2026-01-01T00:00:00Z");
        format!(
            "<Contents><Key>{key}</Key><Size>{len}</Size><LastModified>{day}</LastModified>\
             <ETag>\"tag\"</ETag></Contents>"
        )
    };
    let contents: String = keys.iter().map(content).collect();
    let next = next.map(|it| format!("<NextContinuationToken>{it}</NextContinuationToken>"));
    let next = next.unwrap_or_default();
    let text = format!("<ListBucketResult>{contents}{next}</ListBucketResult>");
    answer(200, "", text.as_bytes())
}

/// plansift requests the object with the length and the tag of the listing. An object with another
/// tag is an error.
#[test]
fn objects_must_match_their_listing() {
    let s3 = S3::start();
    for (tag, code, said) in [("\"tag\"", 0, ""), ("\"new\"", 1, "the input changed")] {
        let gate = Gate::answering(move |asked| match asked.is_of_object() {
            false if asked.line.starts_with("HEAD") => answer(404, "", b""),
            false => page(&["live/", "live/a.json"], None),
            true => {
                let range = match asked.header("range") {
                    None => (200, String::new()),
                    Some(_) => {
                        let (last, len) = (PLAN.len() - 1, PLAN.len());
                        (206, format!("Content-Range: bytes 0-{last}/{len}\r\n"))
                    }
                };
                let facts = "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
                answer(range.0, &format!("{facts}{}ETag: {tag}\r\n", range.1), PLAN.as_bytes())
            }
        });
        // An address without a final slash is a folder if no object has that key.
        for name in ["s3://plans/live/", "s3://plans/live"] {
            let run = s3.run_with(&["changes", name], &[("AWS_ENDPOINT_URL", &gate.url())]);
            assert_eq!(run.code, Some(code), "{name}: {}", run.err);
            assert!(run.err.contains(said), "{}", run.err);
            assert_eq!(run.out.contains(r#""source":"s3://plans/live/a.json""#), code == 0);
            let asked = gate.take_objects();
            let head = format!("bytes=0-{}", PLAN.len() - 1);
            assert_eq!(asked[0].header("range"), Some(head.as_str()));
            assert_eq!(asked[1].header("if-match"), Some("\"tag\""), "as it was listed");
        }
    }
}

#[test]
fn invalid_listings_are_errors() {
    let s3 = S3::start();
    for (response, said) in [
        (page(&["a.json"], Some("again")), "the store sent an invalid answer"),
        (answer(200, "", b"<html>"), "the store sent an invalid answer"),
        (page(&["a//b.json"], None), "cannot read keys with an empty part"),
        (page(&["a/../b.json"], None), "cannot read keys with an empty part"),
    ] {
        let gate = Gate::answering(move |_| response.clone());
        let address = ("AWS_ENDPOINT_URL", gate.url());
        let run = s3.run_with(&["changes", "s3://plans/"], &[(address.0, &address.1)]);
        assert_eq!(run.code, Some(1));
        assert!(run.err.starts_with(&format!("plansift: s3://plans/: {said}")), "{}", run.err);
    }
}

#[test]
fn a_listing_that_never_ends_is_an_error() {
    let s3 = S3::start();
    let token = |asked: &super::gate::Asked| {
        let token = asked.line.split("continuation-token=").nth(1)?;
        token.split('&').next()?.parse::<u64>().ok()
    };
    let exceeded = "s3://plans/: memory for the keys of a listing exceeds the limit of 65536";
    for (limit, said, keys, pages, next) in [
        // The tokens repeat after seven pages.
        (
            "1G",
            "s3://plans/: the store sent an invalid answer",
            100,
            8..=32,
            (|last| last % 7 + 1) as fn(u64) -> u64,
        ),
        // Each page has a token of its own: first with keys, then without.
        ("64K", exceeded, 100, 2..=17, |last| last + 1),
        ("64K", exceeded, 0, 17..=17, |last| last + 1),
    ] {
        let gate = Gate::answering(move |asked| {
            let last = token(asked).unwrap_or_default();
            let keys: Vec<String> = (0..keys).map(|key| format!("{last}/{key}.json")).collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            page(&keys, Some(&next(last).to_string()))
        });
        let args = ["changes", "--limit-listing", limit, "s3://plans/"];
        let run = s3.run_with(&args, &[("AWS_ENDPOINT_URL", &gate.url())]);
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.err.contains(said), "{}", run.err);
        assert!(!said.contains("limit") || run.err.contains("--limit-listing"), "{}", run.err);
        let asked = gate.asked().len() as u64;
        assert!(pages.contains(&asked), "{said}: {asked} pages");
    }
    let enough = s3.run_with(&["changes", "--limit-listing", "4K", "s3://plans/"], &[]);
    assert!(!enough.err.contains("--limit-listing"), "{}", enough.err);
}

/// A store may send more than plansift asks for. plansift reads no more than it needs.
#[test]
fn an_oversized_answer_is_an_error() {
    let s3 = S3::start();
    let spaces = [page(&["a.json"], None), vec![b' '; 65 << 20]].concat();
    let start = spaces.windows(4).position(|it| it == b"\r\n\r\n").expect("a head") + 4;
    let long = answer(200, "", &spaces[start..]);
    let gate = Gate::answering(move |_| long.clone());
    let run = s3.run_with(&["changes", "s3://plans/"], &[("AWS_ENDPOINT_URL", &gate.url())]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("the store sent an invalid answer"), "{}", run.err);
}

#[test]
fn a_batch_of_objects_continues() {
    let s3 = estate();
    let out = tempfile::tempdir().expect("a folder");
    let records = out.path().join("records");
    let args = format!("batch --exclude old --out {} s3://plans/live/", out.path().display());
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(&records).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("a name").file_name();
        entries.map(|entry| name(entry).into_string().expect("UTF-8")).collect()
    };
    let first = s3.run(&args);
    assert_eq!((first.code, names().len()), (Some(0), 4), "{}", first.err);
    let records_of = |name: &str| {
        let name = format!("s3%3a~~plans~live~{name}.ndjson");
        std::fs::read_to_string(records.join(name)).expect("a file")
    };
    assert!(records_of("prod.json").contains(r#""address":"x.c""#));

    s3.gate.take_objects();
    let second = s3.run(&args);
    assert!(second.err.contains("4 inputs were done before"), "{}", second.err);
    assert!(s3.gate.take_objects().iter().all(|asked| asked.header("range").is_some()), "looks");
    assert_eq!((second.code, &second.out), (first.code, &first.out));
    s3.put("live/prod.json", line("another"));
    let third = s3.run(&args);
    assert!(third.err.contains("3 inputs were done before"), "{}", third.err);
    assert!(records_of("prod.json").contains(r#""address":"x.another""#));
}

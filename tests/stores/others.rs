//! Google Cloud Storage, Azure and web servers: what differs from S3, with canned answers.

use super::gate::{Asked, Gate, answer};
use super::{Run, expected, plansift};
use crate::hostile::sample::PLAN;

const FACTS: &str = "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nETag: \"0x8D\"\r\n";

/// A store with the object `live/a.json` in the bucket `plans`. `listing` writes its listing in the
/// format of the store.
fn store(listing: fn() -> String) -> Gate {
    Gate::answering(move |asked: &Asked| {
        let target = asked.line.replace("%2F", "/").replace("%2E", ".");
        match target.split('?').next().unwrap_or_default() {
            _ if target.contains("list") => answer(200, "", listing().as_bytes()),
            path if !path.ends_with("plans/live/a.json") => answer(404, "", b""),
            _ if asked.line.starts_with("HEAD") => {
                let head = answer(200, FACTS, PLAN.as_bytes());
                head[..head.len() - PLAN.len()].to_vec()
            }
            _ if asked.header("range").is_some() => {
                let range = format!("Content-Range: bytes 0-{}/{}\r\n", PLAN.len() - 1, PLAN.len());
                answer(206, &format!("{FACTS}{range}"), PLAN.as_bytes())
            }
            _ => answer(200, FACTS, PLAN.as_bytes()),
        }
    })
}

fn google_listing() -> String {
    let len = PLAN.len();
    format!(
        "<ListBucketResult><Contents><Key>live/a.json</Key><Size>{len}</Size><LastModified>\
         2026-01-01T00:00:00Z</LastModified><ETag>\"0x8D\"</ETag></Contents></ListBucketResult>"
    )
}

/// Azure writes tags without quotes in a listing, and with quotes in headers.
fn azure_listing() -> String {
    let len = PLAN.len();
    format!(
        "<EnumerationResults><Blobs><Blob><Name>live/a.json</Name><Properties>\
         <Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified><Etag>0x8D</Etag>\
         <Content-Length>{len}</Content-Length><Content-Type>text/json</Content-Type>\
         </Properties></Blob></Blobs><NextMarker /></EnumerationResults>"
    )
}

#[test]
fn other_stores_are_read_and_listed() {
    let google = store(google_listing);
    let azure = store(azure_listing);
    let google_variables =
        [("GOOGLE_BASE_URL", google.url()), ("GOOGLE_SKIP_SIGNATURE", "true".into())];
    let azure_variables = [
        ("AZURE_STORAGE_ENDPOINT", azure.url()),
        ("AZURE_STORAGE_ACCOUNT", "account".into()),
        ("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=hush".into()),
    ];
    for (scheme, variables, gate) in
        [("gs", &google_variables[..], &google), ("az", &azure_variables[..], &azure)]
    {
        for name in ["live/a.json", "live/", "live", "", "live/*.json"] {
            let mut command = plansift();
            command.args(["changes", &format!("{scheme}://plans/{name}")]);
            command.envs(variables.iter().map(|(name, value)| (name, value)));
            let run = Run::of(&command.output().expect("it runs"));
            let source = format!("{scheme}://plans/live/a.json");
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{scheme} {name}");
            assert_eq!(run.out, expected("changes", &source), "{scheme} {name}");
            let asked = gate.take_objects();
            let read = asked.last().expect("a request of the object");
            assert_eq!(read.header("if-match"), Some("\"0x8D\""), "{scheme} {name}");
        }
    }
    let has_signature = |gate: &Gate| gate.asked().iter().all(|it| it.line.contains("sig=hush"));
    assert!(has_signature(&azure), "the signature goes out with every request");
}

#[test]
fn invalid_settings_are_errors() {
    for (address, variables) in [
        ("az://plans/a.json", &[][..]),
        ("gs://plans/a.json", &[("GOOGLE_SERVICE_ACCOUNT_KEY", "{}")]),
        ("s3://plans/a.json", &[("AWS_ACCESS_KEY_ID", "only half")]),
        ("s3://plans/a.json", &[("AWS_ENDPOINT_URL", "http://a:b:c")]),
        ("s3://plans/a.json", &[("AWS_ENDPOINT_URL", "localhost")]),
    ] {
        let mut command = plansift();
        command.args(["changes", address]).envs(variables.iter().copied());
        let run = Run::of(&command.output().expect("it runs"));
        let said = "the settings of the store in the environment are invalid or incomplete";
        assert_eq!((run.code, run.err), (Some(1), format!("plansift: {address}: {said}\n")));
    }
}

#[test]
fn web_servers_are_read() {
    let gate = Gate::answering(|asked| match asked.line.as_str() {
        "GET /a%2Fb/plan.json?x=1&y" => answer(200, "", PLAN.as_bytes()),
        "GET /moved" => answer(302, "Location: /a%2Fb/plan.json?x=1&y\r\n", b""),
        "GET /a%20b/%C3%BC.json" => answer(200, "", PLAN.as_bytes()),
        "GET /page" => answer(200, "", b"<html>"),
        _ => answer(404, "", b""),
    });
    for (path, said) in [
        ("/a%2Fb/plan.json?x=1&y", Ok("/a%2Fb/plan.json")),
        ("/a b/ü.json", Ok("/a b/ü.json")),
        ("/a%20b/%C3%BC.json#x", Ok("/a%20b/%C3%BC.json")),
        ("/moved", Ok("/moved")),
        ("/page", Err("this is a web page")),
        ("/none", Err("there is no object of that name")),
        ("/plans/", Err("a web server cannot be listed")),
        ("/*.json", Err("a web server cannot be listed")),
    ] {
        let address = format!("{}{path}", gate.url());
        let run = Run::of(&plansift().args(["changes", &address]).output().expect("it runs"));
        match said {
            Ok(shown) => {
                let source = format!("{}{shown}", gate.url());
                assert_eq!(run.out, expected("changes", &source), "{}", run.err);
            }
            Err(said) => assert!(run.err.contains(said), "{path}: {}", run.err),
        }
    }
}

#[test]
fn proxies_are_used() {
    let proxy = Gate::answering(|_| answer(200, "", PLAN.as_bytes()));
    let address = "http://plans.invalid/plan.json";
    for (no_proxy, code) in [("", 0), ("plans.invalid", 1)] {
        let mut command = plansift();
        command.args(["changes", "--store-retries", "0", address]);
        command.env("HTTP_PROXY", proxy.url()).env("NO_PROXY", no_proxy);
        let run = Run::of(&command.output().expect("it runs"));
        assert_eq!(run.code, Some(code), "{}", run.err);
    }
    let lines: Vec<String> = proxy.asked().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, [format!("GET {address}")]);
}

#[test]
fn host_names_may_have_other_letters() {
    let proxy = Gate::answering(|_| answer(200, "", PLAN.as_bytes()));
    let mut command = plansift();
    command.args(["changes", "http://bücher.invalid/plan.json"]).env("HTTP_PROXY", proxy.url());
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let lines: Vec<String> = proxy.asked().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, ["GET http://xn--bcher-kva.invalid/plan.json"]);
}

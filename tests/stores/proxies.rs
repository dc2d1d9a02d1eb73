//! Proxies: requests to a store go through the proxy that its variables name.

use super::gate::{Gate, answer};
use super::{Run, expected, plansift};
use crate::hostile::sample::PLAN;

const ADDRESS: &str = "s3://plans/a.json";

fn server() -> Gate {
    Gate::answering(|_| answer(200, "ETag: \"1\"\r\n", PLAN.as_bytes()))
}

fn run(endpoint: &str, proxy: &str, excludes: &str) -> Run {
    let mut command = plansift();
    command.args(["changes", "--store-retries", "1", ADDRESS]).envs([
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_PROXY_URL", proxy),
        ("AWS_PROXY_EXCLUDES", excludes),
        ("AWS_SKIP_SIGNATURE", "true"),
    ]);
    Run::of(&command.output().expect("it runs"))
}

#[test]
fn a_store_is_read_through_its_proxy() {
    let proxy = server();
    let found = run("http://store.invalid", &proxy.url(), "elsewhere.invalid");
    assert_eq!(found.out, expected("changes", ADDRESS), "{}", found.err);
    let lines: Vec<_> = proxy.asked().into_iter().map(|asked| asked.line).collect();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|it| it.contains(" http://store.invalid/plans/a.json")), "{lines:?}");
}

#[test]
fn an_excluded_host_is_read_directly() {
    let (proxy, store) = (server(), server());
    let found = run(&store.url(), &proxy.url(), "127.0.0.1,localhost");
    assert_eq!(found.out, expected("changes", ADDRESS), "{}", found.err);
    assert!(proxy.asked().is_empty() && !store.asked().is_empty());
}

//! Redirects: plansift follows them within a host, and sends nothing to another host.

use super::gate::{Gate, answer};
use super::secure::server;
use super::{Run, expected, plansift};
use crate::hostile::sample::PLAN;

/// The start of the message about another host.
const REFUSED: &str =
    "plansift follows redirects only to the same host: if you trust the other host";

/// A server that redirects every request to `target`.
fn redirecting(status: u16, target: String) -> Gate {
    Gate::answering(move |_| answer(status, &format!("Location: {target}\r\n"), b""))
}

/// A server that accepts every request. None may arrive.
fn other() -> Gate {
    Gate::answering(|_| answer(200, "", PLAN.as_bytes()))
}

fn run(address: &str, variables: &[(&str, &str)]) -> Run {
    let mut command = plansift();
    command.args(["changes", "--store-retries", "2", address]).envs(variables.iter().copied());
    Run::of(&command.output().expect("it runs"))
}

#[test]
fn a_store_cannot_redirect_to_another_host() {
    const SECRETS: [&str; 4] = ["hush-key", "hush-token", "hush-signature", "hush-query"];
    for (name, status) in [("http", 302), ("s3", 307), ("gs", 308), ("az", 301)] {
        let other = other();
        let store = redirecting(status, format!("{}/live/a.json?sig=hush-query", other.url()));
        let url = store.url();
        let variables = [
            ("AWS_ENDPOINT_URL", url.as_str()),
            ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", SECRETS[0]),
            ("AWS_SESSION_TOKEN", SECRETS[1]),
            ("GOOGLE_BASE_URL", &url),
            ("GOOGLE_SKIP_SIGNATURE", "true"),
            ("AZURE_STORAGE_ENDPOINT", &url),
            ("AZURE_STORAGE_ACCOUNT", "account"),
            ("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=hush-signature"),
        ];
        let addresses = match name {
            "http" => vec![format!("{url}/a.json?sig=hush-signature")],
            _ => {
                ["live/a.json", "live/", "*.json"].map(|key| format!("{name}://plans/{key}")).into()
            }
        };
        for address in addresses {
            let run = run(&address, &variables);
            assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{address}");
            let end = format!(": the store redirects to {}\n", other.url());
            assert!(run.err.contains(REFUSED) && run.err.ends_with(&end), "{}", run.err);
            assert!(SECRETS.iter().all(|secret| !run.err.contains(secret)), "{}", run.err);
        }
        assert!(
            !store.asked().is_empty() && other.asked().is_empty(),
            "{name}: {:?}",
            other.asked()
        );
    }
}

#[test]
fn redirects_within_a_host_are_followed_at_most_ten_times() {
    let gate = Gate::answering(|asked| {
        let number = asked.line.rsplit('/').next().and_then(|number| number.parse::<u32>().ok());
        match number {
            Some(0) => answer(200, "", PLAN.as_bytes()),
            Some(number) => answer(302, &format!("Location: /{}\r\n", number - 1), b""),
            None => answer(302, "Location: /again\r\n", b""),
        }
    });
    for number in ["0", "1", "10"] {
        let address = format!("{}/{number}", gate.url());
        assert_eq!(run(&address, &[]).out, expected("changes", &address), "{number}");
    }
    for name in ["11", "again"] {
        gate.take_objects();
        let run = run(&format!("{}/{name}", gate.url()), &[]);
        assert_eq!(run.code, Some(1), "{name}: {run:?}");
        assert!(run.err.contains("redirects more than ten times"), "{name}: {}", run.err);
        assert_eq!(gate.take_objects().len(), 11, "{name}");
    }
    // The store of a bucket, too.
    let store = Gate::answering(|asked| match asked.line.ends_with("/moved.json") {
        true => answer(307, "Location: /plans/a.json\r\n", b""),
        false => {
            let facts = "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nETag: \"1\"\r\n";
            let whole = answer(200, facts, PLAN.as_bytes());
            let is_head = asked.line.starts_with("HEAD");
            whole[..whole.len() - if is_head { PLAN.len() } else { 0 }].to_vec()
        }
    });
    let url = store.url();
    let variables = [("AWS_ENDPOINT_URL", url.as_str()), ("AWS_SKIP_SIGNATURE", "true")];
    let address = "s3://plans/moved.json";
    let run = run(address, &variables);
    assert_eq!(run.out, expected("changes", address), "{}", run.err);
}

#[test]
fn a_server_with_encryption_cannot_redirect_elsewhere() {
    let plain = other();
    let (port, _) = server(answer(200, "", PLAN.as_bytes()));
    for target in [plain.url(), format!("https://localhost:{port}")] {
        let location = format!("Location: {target}/plan.json?sig=hush\r\n");
        let (port, certificate) = server(answer(302, &location, b""));
        let folder = tempfile::tempdir().expect("a folder");
        let trusted = folder.path().join("trusted.pem");
        std::fs::write(&trusted, certificate).expect("a file");
        let trusted = trusted.to_str().expect("UTF-8");
        let address = format!("https://localhost:{port}/plan.json?sig=hush");
        let run = run(&address, &[("SSL_CERT_FILE", trusted)]);
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{target}");
        let end = format!(": the store redirects to {target}\n");
        assert!(run.err.contains(REFUSED) && run.err.ends_with(&end), "{}", run.err);
        assert!(!run.err.contains("hush"), "{}", run.err);
    }
    assert!(plain.asked().is_empty());
}

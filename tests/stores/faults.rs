//! Servers that fail, hang, truncate and change objects. The tests check which requests plansift
//! repeats, and how the run ends.

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::gate::{Fault, Gate, WORDS, answer};
use super::s3::S3;
use super::{Run, expected, plansift};
use crate::hostile::sample::PLAN;

const ADDRESS: &str = "s3://plans/plan.json";

/// The faults of successive requests for an object, the result of the run, and the first byte of
/// each requested range.
type Case = (Vec<Fault>, Result<(), &'static str>, Vec<Option<usize>>);

#[test]
fn transient_errors_are_retried() {
    use Fault::{Chunks, Cut, None as Fine, Silence, Stall, Status, Trickle};
    let len = PLAN.len();
    let cases: Vec<Case> = vec![
        (vec![Fine], Ok(()), vec![None]),
        (vec![Status(503), Status(503), Fine], Ok(()), vec![None; 3]),
        (vec![Status(500), Status(429), Fine], Ok(()), vec![None; 3]),
        (vec![Silence, Status(408), Fine], Ok(()), vec![None; 3]),
        (vec![Status(503), Status(503), Status(503)], Err("status 503"), vec![None; 3]),
        (vec![Silence, Silence, Silence], Err("with --store-timeout"), vec![None; 3]),
        (vec![Status(403)], Err("refuses access"), vec![None]),
        (vec![Status(404)], Err("no object of that name"), vec![None]),
        (vec![Status(400)], Err("status 400"), vec![None]),
        (vec![Status(301)], Err("another region"), vec![None]),
        (vec![Cut(0)], Ok(()), vec![None, None]),
        (vec![Cut(1000)], Ok(()), vec![None, Some(1000)]),
        (vec![Cut(1000), Cut(500)], Ok(()), vec![None, Some(1000), Some(1500)]),
        (vec![Cut(1000), Status(503)], Ok(()), vec![None, Some(1000), Some(1000)]),
        (vec![Stall(1000)], Ok(()), vec![None, Some(1000)]),
        (vec![Stall(0), Stall(len - 1)], Ok(()), vec![None, None, Some(len - 1)]),
        (
            vec![Stall(9), Stall(0), Silence],
            Err("with --store-timeout"),
            vec![None, Some(9), Some(9)],
        ),
        (vec![Cut(9), Cut(9), Cut(9)], Err("failed, broke, or has"), vec![None, Some(9), Some(18)]),
        (vec![Cut(9), Status(404)], Err("no object of that name"), vec![None, Some(9)]),
        (vec![Cut(9), Status(412)], Err("the input changed"), vec![None, Some(9)]),
        (vec![Cut(9), Status(416)], Err("status 416"), vec![None, Some(9)]),
        (vec![Trickle(25)], Ok(()), vec![None]),
        (vec![Chunks(None)], Ok(()), vec![None]),
        (vec![Chunks(Some(1000))], Ok(()), vec![None, Some(1000)]),
    ];
    let s3 = S3::start();
    s3.put("plan.json", PLAN);
    // A short timeout only for slow servers, so that a busy machine does not look like one.
    let is_slow = |case: &(usize, Case)| {
        case.1.0.iter().any(|it| matches!(it, Silence | Stall(_) | Trickle(_)))
    };
    let (slow, others): (Vec<_>, Vec<_>) = cases.into_iter().enumerate().partition(is_slow);
    // The slow servers wait at the same time.
    std::thread::scope(|scope| {
        for (number, case) in slow {
            scope.spawn(move || {
                let s3 = S3::start();
                s3.put("plan.json", PLAN);
                assert_retries(&s3, 2, number, case);
            });
        }
    });
    for (number, case) in others {
        assert_retries(&s3, 60, number, case);
    }
}

/// Asserts how a run ends whose server has faults, and the start of the range of each request.
fn assert_retries(s3: &S3, timeout: u64, number: usize, (faults, end, ranges): Case) {
    let what = format!("case {number}");
    s3.gate.then(faults);
    let run = s3.run(&format!("changes --store-timeout {timeout} {ADDRESS}"));
    match end {
        Ok(()) => {
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{what}");
            assert_eq!(run.out, expected("changes", ADDRESS), "{what}");
        }
        Err(said) => {
            assert_eq!(run.code, Some(1), "{what}");
            assert!(run.err.contains(said), "{what}: {}", run.err);
        }
    }
    assert!(!run.err.contains(WORDS), "{what}: {}", run.err);
    let asked = s3.gate.take_objects();
    let range = |start: usize| format!("bytes={start}-");
    let ranges: Vec<_> = ranges.into_iter().map(|start| start.map(range)).collect();
    let requested: Vec<_> = asked.iter().map(|it| it.header("range").map(str::to_owned)).collect();
    assert_eq!(requested, ranges, "{what}");
    assert!(asked.iter().all(|it| it.header("if-match").is_some()), "{what}");
}

#[test]
fn listings_and_heads_are_retried() {
    let s3 = S3::start();
    s3.put("a/plan.json", PLAN);
    // Listings and HEAD requests are retried in the same way. Here, every retry fails.
    let gate = Gate::answering(|_| answer(503, "", WORDS.as_bytes()));
    for address in ["s3://plans/a/", "s3://plans/plan.json", "s3://plans/*/plan.json"] {
        let run = s3.run_with(&["changes", address], &[("AWS_ENDPOINT_URL", &gate.url())]);
        let said = format!("plansift: {address}: the store answered with status 503\n");
        assert_eq!((run.code, run.err), (Some(1), said));
    }
    assert_eq!(gate.asked().len(), 9, "each once and twice again");
}

#[test]
fn an_object_that_changes_is_an_error_and_never_a_mixture() {
    let s3 = S3::start();
    let other = PLAN.replace("a.one", "a.won");
    for (faults, more) in [
        // The object changes after the HEAD request, then between two reads.
        (vec![], ""),
        (vec![Fault::Cut(2000)], ""),
        // The object is the second of two. The first is read completely.
        (vec![Fault::None], "s3://plans/before.json "),
    ] {
        s3.put("plan.json", PLAN);
        s3.put("before.json", PLAN);
        let (path, other) = (s3.path("plan.json"), other.clone());
        s3.gate.then(faults);
        s3.gate.then([Fault::Before(Box::new(move || {
            std::fs::write(path, other).expect("another object");
        }))]);
        let run = s3.run(&format!("changes {more}{ADDRESS}"));
        assert_eq!(run.code, Some(if more.is_empty() { 1 } else { 4 }));
        assert!(run.err.ends_with("the input changed while it was read\n"), "{}", run.err);
        assert!(!run.out.contains("a.won"), "{}", run.out);
        assert_eq!(run.out.matches(r#""kind":"summary""#).count(), usize::from(!more.is_empty()));
    }
}

#[test]
fn a_wrong_region_has_its_own_error_message() {
    let s3 = S3::start();
    for (status, headers, said) in [
        (301, "", "another region: set AWS_REGION to it"),
        (400, "x-amz-bucket-region: eu-central-1\r\n", "another region: set AWS_REGION to it"),
        (400, "", "the store answered with status 400"),
    ] {
        let gate = Gate::answering(move |_| answer(status, headers, WORDS.as_bytes()));
        let run = s3.run_with(&["changes", ADDRESS], &[("AWS_ENDPOINT_URL", &gate.url())]);
        assert!(run.err.contains(said) && !run.err.contains(WORDS), "{status}: {}", run.err);
        assert_eq!(gate.asked().len(), 1, "{status}: it would not go better");
    }
}

/// A web server that serves a plan with `headers`. Without `knows_ranges`, it ignores ranges.
fn serving(headers: &'static str, knows_ranges: Option<()>) -> Gate {
    Gate::answering(move |asked| {
        let start = asked.header("range").and_then(|it| it[6..].trim_end_matches('-').parse().ok());
        match start.filter(|_| knows_ranges.is_some()) {
            None => answer(200, headers, PLAN.as_bytes()),
            Some(start) => {
                let (last, len): (usize, _) = (PLAN.len() - 1, PLAN.len());
                let range = format!("{headers}Content-Range: bytes {start}-{last}/{len}\r\n");
                answer(206, &range, &PLAN.as_bytes()[start..])
            }
        }
    })
}

#[test]
fn broken_downloads_resume_only_if_that_is_safe() {
    let broken = "the connection broke, and the store cannot send the rest alone";
    for (headers, knows_ranges, end, if_match) in [
        ("ETag: \"a\"\r\n", Some(()), Ok(()), Some("\"a\"")),
        // plansift compares a weak tag, but does not send it as a condition.
        ("ETag: W/\"a\"\r\n", Some(()), Ok(()), None),
        ("ETag: \"a\"\r\n", None, Err(broken), Some("\"a\"")),
        ("", Some(()), Err(broken), None),
    ] {
        let gate = serving(headers, knows_ranges);
        gate.then([Fault::Cut(1000)]);
        let address = format!("{}/plan.json?X-Amz-Signature=secret", gate.url());
        let shown = format!("{}/plan.json", gate.url());
        let output = plansift().args(["changes", &address]).output().expect("it runs");
        let run = Run::of(&output);
        match end {
            Ok(()) => assert_eq!(run.out, expected("changes", &shown), "{headers}: {}", run.err),
            Err(said) => assert!(run.err.contains(said), "{headers}: {}", run.err),
        }
        assert!(!run.err.contains("secret") && !run.out.contains("secret"), "{}", run.err);
        let asked = gate.asked();
        assert!(asked.iter().all(|it| it.line == "GET /plan.json?X-Amz-Signature=secret"));
        let conditions: Vec<_> = asked.iter().map(|it| it.header("if-match")).collect();
        let expected = if end.is_ok() || knows_ranges.is_none() { 2 } else { 1 };
        assert_eq!(conditions.len(), expected, "{headers}");
        assert!(
            conditions[0].is_none() && conditions[1..].iter().all(|tag| *tag == if_match),
            "{headers}"
        );
    }
}

#[test]
fn secrets_of_an_address_are_not_printed() {
    let gate = Gate::answering(|_| answer(403, "", WORDS.as_bytes()));
    let url = gate.url();
    let assert = r#"assert -e {"plan":"empty"}"#;
    for command in ["changes", "summary", assert, "redact", "slim", "audit"] {
        for (rest, user) in [("/p.json?sig=hush", ""), ("/p.json", "me:hush@"), ("?sig=hush", "")] {
            let address = format!("{}{rest}", url.replace("://", &format!("://{user}")));
            let args = [&address, "--store-retries", "0"];
            let run = plansift().args(command.split(' ')).args(args).output().expect("it runs");
            let run = Run::of(&run);
            assert_eq!(run.code, Some(1), "{command}: {}", run.err);
            assert!(run.err.starts_with(&format!("plansift: {url}")), "{command}: {}", run.err);
            let output = format!("{}{}", run.out, run.err);
            assert!(!output.contains("hush") && !output.contains(WORDS), "{command}: {output}");
        }
    }
}

/// plansift waits as long as `Retry-After` says.
#[test]
fn retry_after_is_respected() {
    let times = Mutex::new(Vec::new());
    let gate = Gate::answering(move |_| {
        let mut times = times.lock().expect("times");
        times.push(Instant::now());
        match times[..] {
            [_] => answer(503, "Retry-After: 2\r\n", b""),
            [first, second] if second - first < Duration::from_secs(2) => answer(400, "", b""),
            _ => answer(200, "", PLAN.as_bytes()),
        }
    });
    let run = plansift().args(["changes", &format!("{}/plan.json", gate.url())]).output();
    let run = Run::of(&run.expect("it runs"));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}

/// A signal ends a run that waits for a server. The test sends TERM, because programs that a script
/// starts in the background ignore INT.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_at_once() {
    use std::os::unix::process::ExitStatusExt;
    let gate = Gate::answering(|_| Vec::new());
    gate.then([Fault::Silence]);
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("{}/plan.json", gate.url());
    let mut command = plansift();
    command.args(["changes", "-o", "out", "--store-timeout", "3600", &address]);
    command.current_dir(folder.path()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    gate.wait();
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.expect("kill").success());
    assert_eq!(child.wait().expect("it ends").signal(), Some(15));
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 0, "nothing is left");
}

/// A signal also stops a batch that waits for a server, whether the server sends nothing or stops
/// in the middle.
#[cfg(target_os = "linux")]
#[test]
fn a_batch_is_stopped_though_a_server_hangs() {
    use std::os::unix::process::ExitStatusExt;
    let plan = super::single::large();
    let len = plan.len() / 2;
    for fault in [Fault::Silence, Fault::Stall(len)] {
        let plan = plan.clone();
        let gate = Gate::answering(move |_| answer(200, "", plan.as_bytes()));
        gate.then([fault]);
        let folder = tempfile::tempdir().expect("a folder");
        let addresses = ["a", "b"].map(|name| format!("{}/{name}.json", gate.url()));
        let mut command = plansift();
        command.args(["batch", "--out", "out", "--jobs", "1", "--store-timeout", "3600"]);
        command.args(&addresses).current_dir(folder.path()).stderr(Stdio::piped());
        let child = command.spawn().expect("it starts");
        gate.wait();
        let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(killed.expect("kill").success());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.signal(), Some(15), "{said}");
        let last = said.lines().last().expect("a line");
        let expected =
            "plansift: stopped: 0 of 2 inputs are done; the same command goes on from here";
        assert_eq!(last, expected);
        // Inputs that the signal interrupted do not count as failed.
        let again = plansift()
            .args(["batch", "--out", "out", "--jobs", "1"])
            .args(&addresses)
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    }
}

/// A run ends when its output is closed, even while it waits for a server.
#[test]
fn an_output_that_is_closed_ends_the_run() {
    let plan = super::single::large();
    let len = plan.len() / 4 * 3;
    let gate = Gate::answering(move |_| answer(200, "", plan.as_bytes()));
    gate.then([Fault::Stall(len)]);
    let address = format!("{}/plan.json", gate.url());
    let mut command = plansift();
    command.args(["changes", "--store-timeout", "3600", &address]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

//! plansift connects to nothing but the stores that its inputs and its environment name. `strace`
//! lists the sockets and the connections of a run.

use std::ffi::OsStr;
use std::process::Command;

use super::gate::{Gate, answer};
use super::s3::S3;
use super::{Run, plansift};
use crate::hostile::sample::PLAN;
use crate::run;

/// Whether `strace` can follow a program. Otherwise, says so.
fn is_traceable() -> bool {
    let why = match Command::new("strace").args(["-qq", "-e", "trace=none", "true"]).output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        Err(error) => error.to_string(),
    };
    run::left_out(&format!("strace: {why}: it needs strace (Debian: apt-get install strace)"));
    false
}

/// Runs a command under `strace`. Returns the calls that open a socket or a connection.
fn traced(command: &Command) -> (Run, Vec<String>) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "signal=none", "-e", "trace=socket,connect", "-o"]);
    strace.arg(file.path()).arg("--").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    strace.current_dir(command.get_current_dir().unwrap_or(run::root()));
    let run = Run::of(&strace.output().expect("it runs"));
    let calls = std::fs::read_to_string(file.path()).expect("a trace");
    // Each line begins with the number of a thread. A call that another thread interrupts continues
    // in a second line, which repeats no argument.
    let calls = calls.lines().filter_map(|line| Some(line.split_once(' ')?.1.trim_start()));
    (run, calls.filter(|call| !call.starts_with("<... ")).map(str::to_owned).collect())
}

/// The calls that are neither a connection to one of the stores nor the socket for one.
fn others<'c>(calls: &'c [String], stores: &[&str]) -> Vec<&'c String> {
    let address = |url: &&str| {
        let port = url.rsplit(':').next().expect("a port");
        format!("{{sa_family=AF_INET, sin_port=htons({port}), sin_addr=inet_addr(\"127.0.0.1\")}}")
    };
    let addresses: Vec<String> = stores.iter().map(address).collect();
    let is_of_store = |call: &&String| match call.starts_with("connect(") {
        true => addresses.iter().any(|address| call.contains(address)),
        false => call.starts_with("socket(AF_INET, SOCK_STREAM|"),
    };
    calls.iter().filter(|call| !is_of_store(call)).collect()
}

/// A run of each command with local inputs. `OUT` is a new folder.
const LOCAL: [&str; 25] = [
    "summary --group-by type corpus/plans",
    "changes --threads 2 corpus/plans/rich/plan.json",
    "report -o html corpus/plans/rich/plan.json",
    "assert --file corpus/assertions/pull-request.yaml corpus/plans/rich/plan.json",
    "compare corpus/compare/nights/2026-03-01 corpus/compare/nights/2026-03-02",
    "approve corpus/plans/rich/plan.json",
    "digest corpus/plans/*/plan.json",
    "batch --quiet corpus/plans --out OUT",
    "merge OUT",
    "resources corpus/states",
    "outputs corpus/states",
    "variables corpus/plans/rich/plan.json",
    "checks corpus/plans/rich/plan.json",
    "redact corpus/plans/rich/plan.json",
    "audit corpus/plans/rich/plan.json",
    "slim corpus/plans/rich/plan.json",
    "show --schemas corpus/planfiles/schemas.json corpus/planfiles/create/plan.tfplan",
    "config corpus/plans/rich/plan.json",
    "blocks corpus/sources",
    "wire check --hex a0",
    "mcp --root corpus",
    "schema",
    "completions bash",
    "man",
    "help",
];

#[test]
fn local_inputs_open_no_socket() {
    let help = run::plansift().arg("help").output().expect("it runs");
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let (_, commands) = help.split_once("\nCommands:\n").expect("commands");
    let (commands, _) = commands.split_once("\n\n").expect("their end");
    let names = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert_eq!(names, LOCAL.map(|args| args.split(' ').next().expect("a name")));

    if !is_traceable() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    for args in LOCAL {
        let mut command = plansift();
        let word = |word| if word == "OUT" { out.as_os_str() } else { OsStr::new(word) };
        command.args(args.split(' ').map(word));
        let (run, calls) = traced(&command);
        assert!(matches!(run.code, Some(0 | 3 | 4)), "{args}: {run:?}");
        assert!(calls.is_empty(), "{args}: {calls:?}");
    }
}

#[test]
fn only_the_given_stores_are_connected_to() {
    if !is_traceable() {
        return;
    }
    let [one, other] = [(); 2].map(|()| Gate::answering(|_| answer(200, "", PLAN.as_bytes())));
    let urls = [one.url(), other.url()];
    let [of_one, of_other] = urls.clone().map(|url| format!("{url}/plan.json?sig=hush"));
    let local = "corpus/plans/rich/plan.json";
    for (args, stores) in [
        (&["summary", &of_one][..], &[&*urls[0]][..]),
        (&["report", "-o", "html", local, &of_one], &[&urls[0]]),
        (&["compare", "--quiet", &of_one, &of_other], &[&urls[0], &urls[1]]),
    ] {
        let mut command = plansift();
        command.args(args);
        let (run, calls) = traced(&command);
        assert!(matches!(run.code, Some(0 | 3)), "{args:?}: {run:?}");
        assert_eq!(others(&calls, stores), [""; 0], "{args:?}");
        // Without a store among the expected ones, its connection is found.
        for (at, _) in stores.iter().enumerate() {
            let rest = [&stores[..at], &stores[at + 1..]].concat();
            let found = others(&calls, &rest);
            assert!(!found.is_empty() && found.iter().all(|call| call.starts_with("connect(")));
        }
    }
}

#[test]
fn a_bucket_is_read_from_its_endpoint_alone() {
    if !is_traceable() {
        return;
    }
    let s3 = S3::start();
    s3.put("live/a.json", PLAN);
    s3.put("live/b.json", PLAN);
    let mut command = plansift();
    command.args(["summary", "--quiet", "s3://plans/live/"]).envs(s3.variables());
    let (run, calls) = traced(&command);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!calls.is_empty());
    assert_eq!(others(&calls, &[&s3.gate.url()]), [""; 0]);
}

#[test]
fn other_sockets_are_found() {
    let store = "http://127.0.0.1:8000";
    let at = |address: &str| format!("connect(9, {{sa_family=AF_INET, {address}}}, 16) = 0");
    let call = at("sin_port=htons(8000), sin_addr=inet_addr(\"127.0.0.1\")");
    assert_eq!(others(&[call], &[store]), [""; 0]);
    for call in [
        at("sin_port=htons(8000), sin_addr=inet_addr(\"192.0.2.1\")"),
        at("sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")"),
        "connect(9, {sa_family=AF_UNIX, sun_path=\"/run/nscd/socket\"}, 110) = 0".to_owned(),
        "socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP) = 9".to_owned(),
        "socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 9".to_owned(),
    ] {
        assert_eq!(others(std::slice::from_ref(&call), &[store]), [&call]);
    }
}

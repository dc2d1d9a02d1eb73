//! Malformed messages get errors, cancelled calls stop, and the end of the input ends the server.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};

use super::{RICH, Session, initialize};
use crate::run;

/// Sends lines to a server for the corpus. Returns its answers. The server exits with 0.
fn answers(lines: &[Vec<u8>]) -> Vec<Value> {
    let corpus = run::corpus("");
    let args = ["mcp", "--root", corpus.to_str().expect("a path")];
    let output = run::piped(&args, &lines.join(&b"\n"[..]));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a message")).collect()
}

#[test]
fn malformed_messages_get_errors() {
    let lines = [
        "",
        "{",
        "[1, 2]",
        "\"x\"",
        r#"{"jsonrpc":"2.0","id":5,"method":7}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":6,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
        &initialize().to_string(),
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"other"}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"other"}}"#,
        &"[".repeat(100_000),
        &"x".repeat((1 << 20) + 1),
        r#"{"jsonrpc":"2.0","id":11,"method":"ping"}"#,
    ];
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let codes: Vec<(Value, Value)> = answers(&lines)
        .into_iter()
        .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone()))
        .collect();
    let mut sorted = codes.clone();
    sorted.sort_by_key(|(id, code)| (id.to_string(), code.to_string()));
    let mut expected = [
        (Value::Null, json!(-32700)),
        (Value::Null, json!(-32600)),
        (Value::Null, json!(-32600)),
        (json!(5), json!(-32600)),
        (json!(7), json!(-32602)),
        (json!("first"), Value::Null),
        (json!(8), json!(-32602)),
        (json!(9), json!(-32601)),
        (json!(10), json!(-32602)),
        (Value::Null, json!(-32700)),
        (Value::Null, json!(-32600)),
        (json!(11), Value::Null),
    ];
    expected.sort_by_key(|(id, code)| (id.to_string(), code.to_string()));
    assert_eq!(sorted, expected);
}

#[test]
fn a_thousand_damaged_messages_do_no_harm() {
    let call = |plan: &str| {
        let params = json!({"name": "summarize", "arguments": {"plan": plan}});
        json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params}).to_string()
    };
    let whole = [
        initialize().to_string(),
        call("plans/update/plan.json"),
        call("plans"),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#.into(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#.into(),
    ];
    // A linear congruential generator.
    let mut state = 1_u64;
    let mut next = |max: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % max
    };
    let mut lines = vec![initialize().to_string().into_bytes()];
    for _ in 0..1_000 {
        let mut line = whole[next(whole.len())].clone().into_bytes();
        for _ in 0..next(5) {
            let at = next(line.len());
            match next(3) {
                0 => line[at] = next(256) as u8,
                1 => drop(line.drain(at..(at + 1 + next(8)).min(line.len()))),
                _ => line.insert(at, b"{}[]\",:0x"[next(9)]),
            }
            line.push(b' ');
        }
        line.retain(|&byte| byte != b'\n');
        lines.push(line);
    }
    lines.push(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#.to_vec());
    let answers = answers(&lines);
    assert!(answers.iter().any(|answer| answer["id"] == "last"), "{}", answers.len());
    assert!(answers.len() > 400, "{}", answers.len());
}

/// Writes a plan with about this many bytes.
fn large_plan(path: &std::path::Path, bytes: u64) {
    let plan: Value =
        serde_json::from_slice(&fs::read(run::corpus(RICH)).expect("a plan")).expect("JSON");
    let changes = plan["resource_changes"].as_array().expect("a list");
    let texts: Vec<String> = changes.iter().map(Value::to_string).collect();
    let changes = texts.join(",");
    let mut file = std::io::BufWriter::new(fs::File::create(path).expect("a file"));
    write!(file, r#"{{"format_version":"1.2","resource_changes":[{changes}"#).expect("a text");
    for _ in 0..bytes / changes.len() as u64 {
        write!(file, ",{changes}").expect("a text");
    }
    file.write_all(b"]}").expect("a text");
}

#[test]
fn a_cancelled_call_stops_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    large_plan(&folder.path().join("plan.json"), 48 << 20);
    let run = |cancels: bool| {
        let mut session = Session::open(folder.path());
        let started = Instant::now();
        let params = json!({"name": "summarize", "arguments": {"plan": "plan.json"}});
        session
            .send(&json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params}));
        if cancels {
            session.send(&json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77},
            }));
            // The server goes on with other requests.
            session.request("ping", &json!({}));
        } else {
            let answer = session.receive();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
        session.end();
        started.elapsed()
    };
    let (whole, cancelled) = (run(false), run(true));
    assert!(cancelled * 3 < whole, "{cancelled:?} of {whole:?}");
}

#[test]
fn a_client_that_closes_the_output_ends_the_server() {
    let mut command = run::plansift();
    command.arg("mcp").arg("--root").arg(run::corpus(""));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The server may end before it has read everything.
    let _ = writeln!(input, "{}", initialize());
    let _ = writeln!(input, "{}", initialize());
    drop(input);
    child.wait().expect("the server ends");
}

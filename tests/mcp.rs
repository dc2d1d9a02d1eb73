//! The server of `plansift mcp`: its answers, its budget, what it hides, and what it refuses.

mod budget;
mod hostile;
mod messages;
mod pages;
mod paths;
mod secrets;
mod strict;
mod transcript;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::{run, stores};

/// The first message of a client of the revision with a handshake.
fn initialize() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params})
}

/// A client of a server.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// The schemas of the answers.
    schemas: HashMap<String, jsonschema::Validator>,
}

impl Session {
    /// Starts a server for a folder.
    fn open(root: &Path) -> Session {
        Session::open_with(root, &[], &[])
    }

    /// Starts a server for a folder, with more arguments and variables.
    fn open_with(root: &Path, args: &[&str], variables: &[(&str, String)]) -> Session {
        let mut command = stores::plansift();
        command.arg("mcp").arg("--root").arg(root).args(args);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let schemas = HashMap::new();
        let mut session = Session { child, input, output, next: 0, schemas };
        session.send(&initialize());
        let answer = session.receive();
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let tools = session.request("tools/list", &json!({}));
        for tool in tools["result"]["tools"].as_array().expect("a list") {
            let schema = jsonschema::validator_for(&tool["outputSchema"]).expect("a schema");
            session.schemas.insert(tool["name"].as_str().expect("a name").to_owned(), schema);
        }
        session
    }

    /// Starts a server for the corpus.
    fn of_corpus() -> Session {
        Session::open(&run::corpus(""))
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        // An escape in JSON hides no character from a terminal.
        assert!(line.trim_end().chars().all(|it| !it.is_control()), "{line}");
        serde_json::from_str(&line).expect("a message")
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns the text of an answer, and the answer. `Err` holds an answer with an error.
    fn ask(&mut self, tool: &str, arguments: &Value) -> Result<(String, Value), Value> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.request("tools/call", &params);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        let structured = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), structured, "{tool}");
        if result["isError"] == true {
            assert!(structured["error"].is_string() && structured["hint"].is_string(), "{text}");
            return Err(structured);
        }
        let schema = &self.schemas[tool];
        if let Err(error) = schema.validate(&structured) {
            panic!("{tool} {arguments}: {error}: {text}");
        }
        Ok((text, structured))
    }

    #[track_caller]
    fn answer(&mut self, tool: &str, arguments: &Value) -> Value {
        match self.ask(tool, arguments) {
            Ok((_, answer)) => answer,
            Err(error) => panic!("{tool} {arguments}: {error}"),
        }
    }

    #[track_caller]
    fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        match self.ask(tool, arguments) {
            Ok((text, _)) => panic!("{tool} {arguments}: {text}"),
            Err(error) => error["error"].as_str().expect("a text").to_owned(),
        }
    }

    /// Ends the session. The server exits with 0, and has printed nothing else.
    fn end(self) {
        let Session { child, input, mut output, .. } = self;
        drop(input);
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("the end of the output");
        let ended = child.wait_with_output().expect("the binary ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*rest, &*said), (Some(0), "", ""));
    }
}

const RICH: &str = "plans/rich/plan.json";

#[test]
fn filters_and_rules_know_the_sets_of_a_file() {
    let sets = run::corpus("type-sets/shop.txt");
    let args = ["--type-sets", sets.to_str().expect("UTF-8")];
    let mut session = Session::open_with(&run::corpus(""), &args, &[]);
    let changes = session.answer("changes", &json!({"plan": RICH, "only": ["@pager"]}));
    assert_eq!(changes["total"], 5, "{changes}");
    let verdict = session.answer("check", &json!({"plan": RICH, "rules": ["create:@pager>3"]}));
    assert_eq!(verdict["verdict"], "fail", "{verdict}");
    let error = session.refusal("changes", &json!({"plan": RICH, "only": ["@pagr"]}));
    assert!(error.ends_with("the sets are @access, @data, @network, @pager"), "{error}");
    session.end();
}

#[test]
fn a_summary_has_the_losses() {
    let mut session = Session::of_corpus();
    let summary = session.answer("summarize", &json!({"plan": RICH}));
    assert_eq!(summary["totals"]["terraform"]["destroy"], 13);
    assert_eq!(summary["losses"][0]["address"], "module.database.aws_db_instance.replica[0]");
    assert_eq!(summary["losses"][0]["holds_data"], true);
    session.end();
}

#[test]
fn changes_begin_with_the_riskiest() {
    let mut session = Session::of_corpus();
    let page = session.answer("changes", &json!({"plan": RICH, "limit": 3}));
    let rows = page["changes"].as_array().expect("a list");
    let risks: Vec<&Value> = rows.iter().map(|row| &row["risk"]).collect();
    assert_eq!(risks, ["replace_data", "destroy", "destroy"]);
    assert_eq!(rows[0]["forced_by"], json!(["availability_zone"]));
    assert_eq!((&page["next"], &page["left_out"]["count"]), (&json!(3), &json!(54)));
    let page = session.answer(
        "changes",
        &json!({"plan": RICH, "type": ["aws_route53_*", "aws_iam_role"], "action": ["update"]}),
    );
    assert_eq!(page["total"], page["changes"].as_array().expect("a list").len());
    assert!(page["filtered_out"].as_u64().is_some_and(|count| count > 40), "{page}");
    for row in page["changes"].as_array().expect("a list") {
        assert_eq!(row["action"], "update");
    }
    let outputs =
        session.answer("changes", &json!({"plan": RICH, "limit": 2000, "max_bytes": 100_000}));
    let unknown = outputs["changes"].as_array().expect("a list").iter();
    let unknown = unknown.filter(|row| row["risk"] == "output" && row["unknown"].is_array());
    assert!(unknown.count() > 0, "an output becomes unknown");
    session.end();
}

#[test]
fn a_change_has_its_values() {
    let mut session = Session::of_corpus();
    let address = "module.database.aws_db_instance.replica[0]";
    let change = session.answer("change", &json!({"plan": RICH, "address": address}));
    assert_eq!(change["change"]["why"], "cannot be updated in place");
    let zone = json!({
        "path": "availability_zone", "before": "\"eu-west-1a\"", "after": "\"eu-west-1c\"",
        "replaces": true,
    });
    let values = change["values"].as_array().expect("a list");
    assert!(values.contains(&zone), "{change}");
    // The policy is a document in a string, and only its differences are shown.
    let plan = "plans/json-strings/plan.json";
    let change = session.answer("change", &json!({"plan": plan, "address": "acme_policy.policy"}));
    let action = "jsondecode(policy).Statement[0].Action";
    assert_eq!(
        change["values"],
        json!([{"path": action, "before": "\"s3:Get*\"", "after": "\"s3:*\""}])
    );
    let missing = json!({"plan": RICH, "address": "aws_s3_bucket.nowhere"});
    assert_eq!(session.refusal("change", &missing), "the plan has no change at this address");
    session.end();
}

#[test]
fn a_change_of_a_plan_file_has_its_block_and_dependents() {
    let mut session = Session::of_corpus();
    let plan = "planfiles/modules/plan.tfplan";
    let page = session.answer("changes", &json!({"plan": plan}));
    let rows = page["changes"].as_array().expect("a list").clone();
    let mut blocks = 0;
    for row in rows {
        let change = session.answer("change", &json!({"plan": plan, "address": row["address"]}));
        if let Some(block) = change["block"].as_object() {
            assert!(block["line"].as_u64() <= block["end_line"].as_u64(), "{change}");
            blocks += 1;
        }
    }
    assert!(blocks > 0, "a change has a block");
    // The JSON of the plan has the references of the configuration, and a plan file has not.
    let plan = "planfiles/modules/plan.json";
    let address = "module.two[0].terraform_data.here[0]";
    let change = session.answer("change", &json!({"plan": plan, "address": address}));
    let first = json!({"address": "module.two.module.leaf.var.value", "distance": 1});
    assert_eq!(change["dependents"][0], first, "{change}");
    session.end();
}

#[test]
fn a_check_names_what_is_broken() {
    let mut session = Session::of_corpus();
    let rules = json!(["destroy:aws_route53_*", "warning update > 3", "errored"]);
    let assertions = "- {resource: aws_s3_bucket_policy.logs, action: no-op, message: keep it}";
    let arguments = json!({"plan": RICH, "rules": rules, "assertions": assertions});
    let answer = session.answer("check", &arguments);
    assert_eq!((&answer["verdict"], &answer["checked"]), (&json!("fail"), &json!(4)));
    let broken = answer["broken"].as_array().expect("a list");
    assert_eq!(broken.len(), 2, "{answer}");
    assert_eq!(broken[0]["rule"], "destroy:aws_route53_*");
    assert_eq!(broken[1]["severity"], "warning");
    assert_eq!(answer["failed"][0]["message"], "keep it");
    assert_eq!(answer["failed"][0]["findings"][0]["place"], "aws_s3_bucket_policy.logs");
    let kept = json!({"plan": RICH, "rules": ["errored", "warning update"]});
    assert_eq!(session.answer("check", &kept)["verdict"], "pass");
    for (arguments, error) in [
        (json!({"plan": RICH}), "there is nothing to check"),
        (json!({"plan": RICH, "rules": ["errored", "nothing"]}), "rule 2: "),
        (json!({"plan": RICH, "assertions": "{"}), "assertions: line "),
    ] {
        let refused = session.refusal("check", &arguments);
        assert!(refused.starts_with(error), "{refused}");
    }
    session.end();
}

#[test]
fn a_comparison_says_what_is_new() {
    let mut session = Session::of_corpus();
    let same = session.answer("compare", &json!({"old": RICH, "new": RICH}));
    assert_eq!((&same["verdict"], &same["agrees"]), (&json!("same"), &json!("all")));
    let other = json!({"old": "plans/update/plan.json", "new": RICH, "level": "actions"});
    let more = session.answer("compare", &other);
    assert_eq!(
        (&more["verdict"], &more["differences"][0]["direction"]),
        (&json!("more"), &json!("more"))
    );
    let listed = more["differences"].as_array().expect("a list").len() as u64;
    let count = |key: &str| more[key].as_u64().expect("a number");
    let left_out = more["left_out"]["count"].as_u64().unwrap_or(0);
    assert_eq!(count("more") + count("less") + count("resolved"), listed + left_out);
    session.end();
}

#[test]
fn a_fleet_has_a_row_for_each_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a", "b", "c"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let copy = |from: &str, to: &str| {
        std::fs::copy(run::corpus(from), folder.path().join(to)).expect("a copy");
    };
    copy("plans/update/plan.json", "a/plan.json");
    copy("plans/delete/plan.json", "b/plan.json");
    std::fs::write(
        folder.path().join("c/plan.json"),
        r#"{"format_version":"1.2","resource_changes":["#,
    )
    .expect("a file");
    let mut session = Session::open(folder.path());
    let fleet = session.answer("fleet", &json!({"folder": "."}));
    assert_eq!(fleet["total"], 3);
    assert_eq!(fleet["plans"][0], json!({"plan": "a/plan.json", "status": "done", "change": 2}));
    assert_eq!(fleet["plans"][1]["destroy"], 4);
    assert_eq!(fleet["plans"][2]["status"], "failed");
    let page = session.answer("fleet", &json!({"folder": ".", "start": 1, "limit": 1}));
    assert_eq!((&page["plans"][0]["plan"], &page["next"]), (&json!("b/plan.json"), &json!(2)));
    session.end();
    // A folder that `batch` wrote has the same rows.
    let out = folder.path().join("out");
    let mut batch = run::plansift();
    batch.current_dir(folder.path()).args(["batch", "--quiet", "a", "b", "c", "--out", "out"]);
    assert_eq!(batch.output().expect("the binary runs").status.code(), Some(4));
    assert!(out.join("journal").exists());
    let mut session = Session::open(folder.path());
    let batch = session.answer("fleet", &json!({"folder": "out"}));
    assert_eq!((&batch["total"], &batch["plans"][1]["destroy"]), (&json!(3), &json!(4)));
    assert_eq!(batch["plans"][2]["status"], "failed");
    session.end();
}

#[test]
fn other_roots_are_refused() {
    for (root, code) in [("corpus", 0), ("missing", 64), ("Cargo.toml", 64)] {
        let mut command = run::plansift();
        command.current_dir(run::root()).args(["mcp", "--root", root]).stdin(Stdio::null());
        let output = command.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(code), "{root}: {output:?}");
        assert!(output.stdout.is_empty(), "{root}");
    }
}

//! Talks to the server with the client of the SDK, in both revisions of the protocol.

use std::io::{self, BufRead, BufReader, PipeWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

use plansift_core::input::InputOptions;
use plansift_plan::plan::PlanOptions;
use plansift_planfile::SchemaFiles;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, RunningService, RxJsonRpcMessage, TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{AllowedStores, Root, Settings, serve};

/// The corpus of the project.
fn settings() -> Settings {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    Settings {
        root: Root::new(&corpus).expect("the corpus"),
        stores: AllowedStores::default(),
        read: PlanOptions::default(),
        access: InputOptions::default(),
        schemas: SchemaFiles::default(),
    }
}

/// The client's side of a session.
struct Pipes {
    lines: mpsc::UnboundedReceiver<String>,
    out: Arc<Mutex<Option<PipeWriter>>>,
}

/// Starts a server, and returns the client's side.
fn start() -> (Pipes, JoinHandle<io::Result<()>>) {
    let (input, out) = io::pipe().expect("a pipe");
    let (answers, output) = io::pipe().expect("a pipe");
    let server = spawn(|| serve(settings(), input, output));
    let (sender, lines) = mpsc::unbounded_channel();
    spawn(move || {
        let lines = BufReader::new(answers).lines().map_while(Result::ok);
        lines.map(|line| sender.send(line)).take_while(Result::is_ok).count()
    });
    (Pipes { lines, out: Arc::new(Mutex::new(Some(out))) }, server)
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let line = serde_json::to_string(&message)? + "\n";
            let mut out = out.lock().expect("no panic");
            out.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(line.as_bytes())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = self.lines.recv().await?;
        Some(serde_json::from_str(&line).expect("a message"))
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.out.lock().expect("no panic").take());
        Ok(())
    }
}

type Client = RunningService<RoleClient, ()>;

/// Runs `test` with a client, and ends the session.
fn with_client(lifecycle: ClientLifecycleMode, test: impl AsyncFnOnce(&Client)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let (pipes, server) = start();
    runtime.block_on(async {
        let client = ().serve_with_lifecycle(pipes, lifecycle).await.expect("a session");
        test(&client).await;
        client.cancel().await.expect("the end of the session");
    });
    server.join().expect("no panic").expect("the end of the server");
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    client.call_tool(request).await.expect("an answer")
}

/// Lists the tools, and asks each one.
async fn ask_all(client: &Client) {
    let tools = client.list_all_tools().await.expect("the tools");
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["summarize", "changes", "change", "check", "compare", "fleet"]);
    for tool in &tools {
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        assert!(tool.output_schema.is_some() && tool.annotations.is_some(), "{}", tool.name);
        // Some clients know no `null` in schemas, and no formats of numbers.
        let schemas = json!([tool.input_schema, tool.output_schema]).to_string();
        assert!(!schemas.contains("\"null\"") && !schemas.contains("\"format\":\"uint"));
        assert!(tool.description.as_ref().is_some_and(|text| text.len() < 100), "{}", tool.name);
    }
    let plan = "plans/rich/plan.json";
    for (tool, arguments) in [
        ("summarize", json!({"plan": plan})),
        ("changes", json!({"plan": plan, "type": ["aws_db_*"], "limit": 2})),
        ("change", json!({"plan": plan, "address": "aws_s3_bucket_policy.logs"})),
        ("check", json!({"plan": plan, "rules": ["destroy:aws_db_*"]})),
        ("compare", json!({"old": "plans/update/plan.json", "new": plan, "level": "actions"})),
        ("fleet", json!({"folder": "plans", "limit": 3})),
    ] {
        let result = call(client, tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
        let text = result.content[0].as_text().expect("a text").text.clone();
        let structured = result.structured_content.expect("structured content");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), structured, "{tool}");
        assert!(text.len() <= 8_000, "{tool}");
    }
    let refused = call(client, "summarize", json!({"plan": "../Cargo.toml"})).await;
    assert_eq!(refused.is_error, Some(true));
    let missing = CallToolRequestParams::new("delete");
    assert!(client.call_tool(missing).await.is_err());
}

#[test]
fn a_client_with_a_handshake_gets_answers() {
    with_client(ClientLifecycleMode::Initialize, async |client| {
        let info = client.peer_info().expect("the server");
        assert_eq!(info.protocol_version, ProtocolVersion::V_2025_11_25);
        ask_all(client).await;
    });
}

#[test]
fn a_client_without_a_handshake_gets_answers() {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    with_client(ClientLifecycleMode::Discover { preferred_versions }, async |client| {
        ask_all(client).await;
    });
}

#[test]
fn calls_before_the_end_of_the_input_are_answered() {
    let (pipes, server) = start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut out = pipes.out.lock().expect("no panic").take().expect("a pipe");
    for id in 0..5 {
        let arguments = json!({"plan": "plans/rich/plan.json"});
        let params = json!({"_meta": meta, "name": "summarize", "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        writeln!(out, "{request}").expect("a request");
    }
    drop(out);
    server.join().expect("no panic").expect("the end of the server");
    let mut lines = pipes.lines;
    let mut ids: Vec<u64> = Vec::new();
    while let Some(line) = lines.blocking_recv() {
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["result"]["isError"], false, "{line}");
        ids.extend(answer["id"].as_u64());
    }
    ids.sort_unstable();
    assert_eq!(ids, [0, 1, 2, 3, 4]);
}

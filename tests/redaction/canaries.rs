//! Documents with canaries: secrets in every place that may hold a secret, repeated in every place
//! that should hold none. No command may write a canary.

use std::fs;

use serde_json::{Value, json};

use super::encodings;
use crate::run::{self, is_tried_of};

/// Prefixes of canaries: of texts, of numbers, of texts written with escapes, and of texts that are
/// too short for echoes.
const CANARIES: [&str; 4] = ["CANARY-", "8305417296", r"\u0043\u0041\u004e", "SHC-"];

/// How a document repeats the secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Echoes {
    None,
    /// As whole texts, with and without escapes.
    Equal,
    /// Also inside longer texts.
    Contained,
    /// Also in base64 and with percent-encoding.
    Encoded,
}

/// Generates canaries, and knows the generated ones.
#[derive(Default)]
struct Canaries {
    texts: Vec<String>,
    numbers: Vec<Value>,
    unknowns: u32,
    shorts: u32,
}

impl Canaries {
    fn text(&mut self) -> String {
        self.texts.push(format!("CANARY-{}.", self.texts.len()));
        self.texts[self.texts.len() - 1].clone()
    }

    fn json(&mut self) -> String {
        let text = json!({"k": format!("CANARY-IN-JSON-{}.\n", self.texts.len())}).to_string();
        self.texts.push(text.clone());
        text
    }

    fn number(&mut self) -> Value {
        let digits = format!("8305417296{:04}00000000000000000000", self.numbers.len());
        self.numbers.push(serde_json::from_str(&digits).expect("a number"));
        self.numbers[self.numbers.len() - 1].clone()
    }

    /// A key of a map that is marked as a whole.
    fn key(&mut self) -> String {
        self.texts.push(format!("CANARY-KEY-{}.", self.texts.len()));
        self.texts[self.texts.len() - 1].clone()
    }

    /// A key that occurs only in an overlay.
    fn unknown(&mut self) -> String {
        self.unknowns += 1;
        format!("CANARY-UNKNOWN-{}.", self.unknowns)
    }

    /// Values at marked places.
    fn values(&mut self) -> Value {
        json!({
            "text": self.text(), "number": self.number(), "json": self.json(),
            "map": {self.key(): {self.key(): self.text()}, self.key(): self.number()},
            "list": [self.text(), {self.key(): self.text()}],
            "deep": [{"er": self.text(), "open": 1}, {"er": null, "open": 2}],
            "misfit": [self.text()],
        })
    }

    fn change(&mut self) -> Value {
        let [before, after] = [self.values(), self.values()];
        json!({
            "actions": ["update"], "before": before, "after": after,
            "after_unknown": {
                "map": {self.unknown(): true}, "list": [false, {self.unknown(): true}],
            },
            "before_sensitive": marks(), "after_sensitive": marks(),
            "importing": {"id": before["text"]}, "after_identity": {"id": [after["list"][0]]},
        })
    }

    /// Values that only `resource_changes` marks.
    fn unmarked(&mut self) -> Value {
        json!({
            "text": self.short(), "number": 8_305_417, "deep": [{"er": self.short()}, {"er": 1}],
            "list": [self.short(), "SHC-l"], "map": {"SHC-k": 1},
        })
    }

    /// A text that is too short for echoes.
    fn short(&mut self) -> String {
        self.shorts += 1;
        format!("SHC-{}", self.shorts)
    }

    /// The configuration of a module: constants of marked attributes, constants of write-only
    /// attributes, and values that only declarations mark.
    fn configuration(&mut self, depth: u32) -> Value {
        let constant = |value: Value| json!({"constant_value": value});
        let expressions = json!({
            "text": constant(json!(self.text())), "number": constant(self.number()),
            "map": constant(json!({self.key(): self.text()})),
            "deep": [{"er": constant(json!(self.text())), "open": constant(json!(1))}],
            "misfit": constant(json!([self.short()])),
            "password_wo": constant(json!(self.text())), "password_wo_version": constant(json!(1)),
            "nested": constant(json!({"open": 1, "token_wo": self.text()})),
        });
        let mut module = json!({
            "outputs": {"o": {"sensitive": true, "expression": constant(json!(self.text()))}},
            "resources": [{
                "address": "acme_server.change", "mode": "managed", "type": "acme_server",
                "name": "change", "expressions": expressions,
            }],
            "actions": [{
                "address": "action.acme.a", "type": "acme", "name": "a", "expressions": {
                    "text": constant(json!(self.short())), "list": constant(json!([self.short()])),
                },
            }],
            "variables": {"token": {"sensitive": true, "default": self.text()}, "open": {}},
        });
        if depth > 0 {
            module["module_calls"] = json!({"m": {
                "source": "./m",
                "expressions": {
                    "token": constant(json!({self.key(): self.text()})),
                    "open": constant(json!(1)),
                },
                "module": self.configuration(depth - 1),
            }});
        }
        module
    }

    /// A change that is marked at the root.
    fn whole(&mut self) -> Value {
        json!({
            "actions": ["update"], "before": self.values(), "after": self.values(),
            "after_unknown": {self.unknown(): true},
            "before_sensitive": false, "after_sensitive": true,
        })
    }

    fn state(&mut self) -> Value {
        let mut resource = || {
            let values = self.values();
            json!({
                "address": "acme_server.s", "mode": "managed", "type": "acme_server", "name": "s",
                "identity": {"id": values["text"]}, "values": values, "sensitive_values": marks(),
            })
        };
        let [root, below] = [resource(), resource()];
        json!({
            "outputs": {"o": {"sensitive": true, "value": self.values()}},
            "root_module": {
                "resources": [root],
                "child_modules": [{"child_modules": [{"resources": [below]}]}],
            },
        })
    }

    fn action(&mut self, module: &str) -> Value {
        json!({
            "address": format!("{module}action.acme.a"), "type": "acme", "name": "a",
            "config_values": self.values(), "config_sensitive": marks(),
            "config_unknown": {"map": {self.unknown(): true}},
        })
    }

    /// All secrets again, as values for places without marks.
    fn echoes(&self, echoes: Echoes) -> Value {
        let contained = |text: &String| json!(format!("user:{text}@host"));
        let mut all: Vec<Value> = Vec::new();
        if echoes != Echoes::None {
            all.extend(self.numbers.iter().cloned());
            all.extend(self.numbers.iter().map(|number| json!(number.to_string())));
            all.extend(self.texts.iter().map(|text| json!(text)));
            all.extend(self.texts.iter().map(|text| json!(format!("{ESCAPED}{text}"))));
            all.extend(self.texts.iter().map(|text| json!({text: {"a": 1}})));
        }
        if matches!(echoes, Echoes::Contained | Echoes::Encoded) {
            all.extend(self.texts.iter().map(contained));
            all.extend(self.numbers.iter().map(|it| json!(format!("port={it}"))));
            all.extend(self.texts.iter().map(|text| json!(format!("{ESCAPED}a {text} b"))));
        }
        if echoes == Echoes::Encoded {
            let numbers = self.numbers.iter().map(Value::to_string);
            let secrets: Vec<String> = self.texts.iter().cloned().chain(numbers).collect();
            // Each secret is written in a few of the encodings, and all secrets in all of them.
            let encoded = secrets.iter().enumerate().flat_map(|(number, secret)| {
                encodings::of(secret).into_iter().skip(number % 29).step_by(29)
            });
            all.extend(encoded.map(Value::from));
        }
        all.into()
    }
}

/// The overlay of [`Canaries::values`]. It does not fit the member `misfit`.
fn marks() -> Value {
    json!({
        "text": true, "number": true, "json": true, "map": true, "list": [true, true],
        "deep": [{"er": true}, {"er": true}], "misfit": {"not": true}, "absent": true,
    })
}

/// Marks a string that [`text`] writes with escapes.
const ESCAPED: &str = "ESCAPED:";

/// The text of a document. Strings after [`ESCAPED`] are written with escapes.
fn text(document: &Value) -> String {
    let text = document.to_string();
    let mut parts = text.split(ESCAPED);
    let mut spelled = parts.next().expect("a first part").to_owned();
    for part in parts {
        let end = part.find(['"', '\\']).expect("the end of a string");
        spelled.extend(part[..end].chars().map(|c| format!("\\u{:04x}", u32::from(c))));
        spelled.push_str(&part[end..]);
    }
    spelled
}

fn resource(name: &str, change: Value) -> Value {
    json!({
        "address": format!("acme_server.{name}"), "mode": "managed", "type": "acme_server",
        "name": name, "provider_name": "registry.example.com/acme/acme", "change": change,
    })
}

fn plan_with(echoes: Echoes) -> String {
    let canaries = &mut Canaries::default();
    let mut plan = json!({
        "format_version": "1.2",
        "terraform_version": "1.15.0",
        "variables": {
            "token": {"value": canaries.text()},
            "map": {"value": {canaries.key(): canaries.text()}},
        },
        "planned_values": canaries.state(),
        "resource_drift": [resource("drift", canaries.change())],
        "resource_changes": [
            resource("change", canaries.change()), resource("whole", canaries.whole()),
            {
                "address": "module.m[\"a.b\"].module.m[0].acme_server.change",
                "type": "acme_server",
                "name": "change", "change": canaries.change(),
            },
            {
                "address": "module.m[\"a.b\"].acme_server.change", "type": "acme_server",
                "name": "change", "change": canaries.change(),
            },
        ],
        "deferred_changes": [
            {"reason": "unknown", "resource_change": resource("deferred", canaries.change())},
        ],
        "deferred_action_invocations": [
            {"reason": "unknown", "action_invocation": canaries.action("module.m.module.m.")},
        ],
        "output_changes": {"o": canaries.whole(), "p": canaries.change()},
        "action_invocations": [canaries.action(""), canaries.action("module.m[0].")],
        "prior_state": {"format_version": "1.0", "values": canaries.state()},
        "configuration": {"root_module": {"variables": {
            "token": {"sensitive": true, "default": canaries.text()},
            "map": {"sensitive": true, "default": {canaries.key(): canaries.number()}},
        }}},
    });
    let mut configuration = canaries.configuration(2);
    let declared = &mut plan["configuration"]["root_module"]["variables"];
    configuration["variables"]["map"] = declared["map"].take();
    configuration["variables"]["other"] = declared["token"].take();
    plan["configuration"]["root_module"] = configuration;
    add_unmarked(&mut plan, canaries);
    add_echoes(&mut plan, &canaries.echoes(echoes));
    text(&plan)
}

/// Adds resources to other sections, without overlays, whose attributes `resource_changes` marks.
fn add_unmarked(plan: &mut Value, canaries: &mut Canaries) {
    let mut unmarked = || {
        let [before, after] = [canaries.unmarked(), canaries.unmarked()];
        resource("change", json!({"actions": ["update"], "before": before, "after": after}))
    };
    let deferred = json!({"reason": "unknown", "resource_change": unmarked()});
    plan["deferred_changes"].as_array_mut().expect("a list").push(deferred);
    plan["resource_drift"].as_array_mut().expect("a list").push(unmarked());
    for values in ["/planned_values/root_module", "/prior_state/values/root_module"] {
        let module = plan.pointer_mut(values).expect("a module");
        let resource = json!({
            "address": "acme_server.change", "mode": "managed", "type": "acme_server",
            "name": "change", "provider_name": "registry.example.com/acme/acme",
            "schema_version": 0, "values": canaries.unmarked(), "sensitive_values": {},
        });
        module["resources"].as_array_mut().expect("a list").push(resource);
    }
}

/// Adds `repeated` in places without marks.
fn add_echoes(plan: &mut Value, repeated: &Value) {
    let open = json!({"actions": ["update"], "before": {"e": repeated}, "after": {"f": repeated}});
    let elements = |plan: &mut Value, key: &str, element: Value| {
        plan[key].as_array_mut().expect("a list").push(element);
    };
    elements(plan, "resource_changes", resource("open", open.clone()));
    elements(plan, "resource_drift", resource("open", open.clone()));
    plan["output_changes"]["open"] = open;
    plan["variables"]["open"] = json!({"value": repeated});
    let expressions = json!({"a": {"constant_value": repeated}, "b": {"references": repeated}});
    let resources = &mut plan["configuration"]["root_module"]["resources"];
    resources.as_array_mut().expect("a list").push(json!({"expressions": expressions}));
    for state in ["planned_values", "prior_state"] {
        let values = match state {
            "prior_state" => &mut plan[state]["values"],
            _ => &mut plan[state],
        };
        values["outputs"]["open"] = json!({"sensitive": false, "value": repeated});
        let resource = json!({"address": "a.b", "values": {"e": repeated}, "sensitive_values": {}});
        elements(&mut values["root_module"], "resources", resource);
    }
    plan["something_new"] = json!({"of": repeated});
    plan["relevant_attributes"] = json!([{"resource": "a.b", "attribute": repeated}]);
}

/// A plan with secrets in every place, and nowhere else.
pub fn plan() -> String {
    plan_with(Echoes::Equal)
}

fn state_with(echoes: Echoes) -> String {
    let canaries = &mut Canaries::default();
    let values = canaries.state();
    let repeated = canaries.echoes(echoes);
    text(&json!({
        "format_version": "1.0", "terraform_version": "1.15.0", "values": values,
        "checks": repeated,
    }))
}

/// The text around a canary in an output, or in a text that the output encodes.
fn canary_in(output: &str) -> Option<String> {
    encodings::decoded(output).find_map(|text| {
        let find = |canary: &&str| memchr::memmem::find(&text, canary.as_bytes());
        let at = CANARIES.iter().find_map(find)?;
        let around = &text[at.saturating_sub(300)..text.len().min(at + 100)];
        Some(String::from_utf8_lossy(around).into_owned())
    })
}

/// Runs a command in a new folder. Asserts that its output has no canary, and returns whether it
/// succeeded.
fn run_on(input: &str, args: &[&str]) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plan.json");
    fs::write(&path, input).expect("a file");
    let spool = folder.path().join("spool");
    fs::create_dir(&spool).expect("a folder");
    fs::write(folder.path().join("key"), "0123456789abcdef0123456789abcdef").expect("a file");
    let run = |input: &str| {
        let mut command = run::plansift();
        command.current_dir(folder.path()).env("TMPDIR", &spool).args(args).arg(input);
        command.stdin(fs::File::open(&path).expect("a file"));
        command.output().expect("it runs")
    };
    let mut succeeded = true;
    for input in ["plan.json", "-"] {
        let output = run(input);
        succeeded &= output.status.success();
        let mut written =
            vec![("standard output", output.stdout), ("standard error", output.stderr)];
        let report = folder.path().join("report");
        if output.status.success() && args.contains(&"--report") {
            written.push(("the report", fs::read(&report).expect("a report")));
        }
        for (stream, bytes) in written {
            let text = String::from_utf8_lossy(&bytes);
            if let Some(around) = canary_in(&text) {
                panic!("{args:?}, {stream} of {input}: {around}");
            }
        }
        let left = fs::read_dir(&spool).expect("a folder").count();
        assert_eq!(left, 0, "{args:?}: temporary files");
    }
    succeeded
}

/// Arguments of `redact`, each with the kind of echoes that it masks.
fn redactions() -> Vec<(Vec<&'static str>, Echoes)> {
    let mut all = Vec::new();
    for (how, echoes) in [
        (&["redact", "--echo", "equal"][..], Echoes::Equal),
        (&["redact", "--echo", "contains"], Echoes::Contained),
        (&["redact", "--for-agent"], Echoes::Encoded),
        (&["redact", "--echo", "off"], Echoes::None),
    ] {
        for mask in [&["text"][..], &["hash", "--key-file", "key"], &["null"]] {
            let mut args = [how, &["--mask"]].concat();
            args.extend(mask);
            // A report needs a second reading, and `off` avoids it.
            if !matches!(echoes, Echoes::None) {
                args.extend(["--report", "report"]);
            }
            args.extend(["--stats", "--progress=always"]);
            all.push((args, echoes));
        }
    }
    all
}

#[test]
fn redact_writes_no_canary() {
    let tried = redactions().into_iter().enumerate().filter(|(number, _)| is_tried_of(3, *number));
    for (_, (args, echoes)) in tried {
        for text in [plan_with(echoes), state_with(echoes)] {
            assert!(text.matches(CANARIES[0]).count() > 20);
            assert!(run_on(&text, &args), "{args:?}");
        }
    }
}

#[test]
fn slim_for_an_agent_writes_no_canary() {
    let text = plan_with(Echoes::Encoded);
    assert!(canary_in(&text).is_some());
    assert!(run_on(&text, &["slim", "--for-agent"]));
    let all = "changes,outputs,drift,deferred,actions,variables,planned,prior,configuration,\
        relevant,checks,other";
    assert!(run_on(&text, &["slim", "--for-agent", "--all", "--keep", all]));
}

#[test]
fn a_report_on_encoded_secrets_writes_no_canary() {
    let text = plan_with(Echoes::Encoded);
    for format in ["term", "markdown", "html", "json"] {
        assert!(run_on(&text, &["report", "-o", format, "--values", "all", "--echo", "encoded"]));
    }
}

#[test]
fn other_commands_write_no_canary() {
    let text = plan();
    for command in ["changes", "changes --format json", "changes --format csv", "summary"] {
        for more in ["", "--all", "--all --strict", "--stats --progress=always"] {
            let args: Vec<_> = command.split(' ').chain(more.split_whitespace()).collect();
            assert!(run_on(&text, &args), "{args:?}");
        }
    }
}

/// Secrets of child modules that only a declaration marks, and their echoes.
#[test]
fn no_command_writes_a_secret_of_the_attacks() {
    let paths = [
        "plans/secret-modules/plan.json",
        "attack/A1-child-module-secret-argument.json",
        "attack/A1b-child-module-secret-output.json",
    ];
    for path in paths.map(run::corpus) {
        let text = fs::read_to_string(&path).expect("a plan");
        for args in [
            "redact",
            "redact --echo contains",
            "redact --echo off --also-names conn|note",
            "slim --keep changes,configuration",
            "slim --echo contains",
            "audit",
            "audit --format ndjson",
            "audit --format csv --echo contains",
            "report --values all --echo contains",
            "report -o html --echo contains",
        ] {
            let args: Vec<_> = args.split(' ').chain(["-"]).collect();
            let output = run::piped(&args, text.as_bytes());
            assert!(output.status.success(), "{args:?}, {}", path.display());
            let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
            assert!(!said.contains("hunter2") && !said.contains(CANARIES[0]), "{args:?}: {said}");
        }
    }
}

#[test]
fn errors_about_cut_plans_show_no_secret() {
    for echo in ["equal", "off"] {
        let text = plan_with(Echoes::None);
        for at in (1 + run::first_of(163)..text.len() - 1).step_by(163) {
            let args = ["redact", "--echo", echo, "--report", "report"];
            assert!(!run_on(&text[..at], &args), "cut at byte {at}");
        }
    }
}

#[test]
fn errors_about_damaged_plans_show_no_secret() {
    let text = plan_with(Echoes::None);
    for at in (1 + run::first_of(163)..text.len() - 1).step_by(163) {
        for damage in ["\"", "]", "\u{0}", "\\u"] {
            let damaged = [&text[..at], damage, &text[at..]].concat();
            let output = run::piped(&["redact", "-"], damaged.as_bytes());
            let error = String::from_utf8(output.stderr).expect("UTF-8");
            for canary in CANARIES {
                assert!(!error.contains(canary), "byte {at}: {error}");
            }
        }
    }
}

/// A process that gets ABRT writes no core dump, even if the limits of the system allow one.
#[cfg(target_os = "linux")]
#[test]
fn there_is_no_core_dump() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().expect("a folder");
    let binary = env!("CARGO_BIN_EXE_plansift");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -c unlimited 2>/dev/null; exec \"$0\" changes -", binary]);
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    // The first line of the output shows that the child has read the input. It now waits for more.
    let text = plan();
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&text.as_bytes()[..text.len() - 2]).expect("it reads");
    let mut line = String::new();
    // The pipe stays open until the end, because the child ends when its output is closed.
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("a line");
    assert!(line.starts_with(r#"{"kind":"plan""#), "{line}");

    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id())).expect("its limits");
    let limit = limits.lines().find(|line| line.starts_with("Max core file size"));
    assert_eq!(limit.expect("a limit").split_whitespace().nth(4), Some("1"), "{limits}");
    let aborted = Command::new("kill").args(["-ABRT", &child.id().to_string()]).status();
    assert!(aborted.expect("kill").success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(6));
    assert!(!status.core_dumped());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

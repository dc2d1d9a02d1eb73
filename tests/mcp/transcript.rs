//! The transcript of docs/transcript.md: ten questions of a reviewer, answered from the answers of
//! the tools alone.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{RICH, Session};
use crate::{corpus, run};

/// A budget without `max_bytes`.
const BUDGET: usize = 8000;

/// A question, the calls that answer it, and the reply. In the reply, `{0/changes/0/address}` is a
/// value of the first answer, as a JSON pointer names it.
struct Question {
    question: &'static str,
    calls: Vec<(&'static str, Value)>,
    reply: &'static str,
}

const VALUES: &str = "real/tofu1.12/values-change.plan.json";

fn one(tool: &'static str, arguments: Value) -> Vec<(&'static str, Value)> {
    vec![(tool, arguments)]
}

/// Questions about the changes of resources.
fn about_resources() -> Vec<Question> {
    let group = "module.network.aws_security_group.api";
    vec![
        Question {
            question: "What does this plan destroy?",
            calls: vec![
                ("summarize", json!({"plan": RICH, "max_bytes": 2000})),
                ("changes", json!({"plan": RICH, "action": ["destroy"]})),
            ],
            reply: "{0/totals/terraform/destroy} objects, {1/changes/0/address} first: it holds \
                data, and the plan replaces it. Of the others, {1/changes/2/address} goes because \
                {1/changes/2/why}, and {1/changes/3/address} because {1/changes/3/why}. One more \
                is gone already: {1/changes/13/address} is {1/changes/13/risk}.",
        },
        Question {
            question: "Why is the database replaced?",
            calls: one(
                "change",
                json!({"plan": RICH, "address": "module.database.aws_db_instance.replica[0]"}),
            ),
            reply: "It {0/change/why}: {0/change/forced_by/0} changes from {0/values/2/before} to \
                {0/values/2/after}.",
        },
        Question {
            question: "What changes in IAM and in the policies of buckets?",
            calls: one("changes", json!({"plan": RICH, "type": ["aws_iam_*", "aws_s3_bucket_p*"]})),
            reply: "{0/changes/0/address} and {0/changes/1/address} are imported and updated. The \
                {0/changes/2/unknown/0} of {0/changes/2/address} changes to something that is \
                known after apply. {0/changes/3/address} is created again, because somebody \
                removed it by hand: there is a {0/changes/6/action} in the drift.",
        },
        Question {
            question: "What changed in this policy?",
            calls: one("change", json!({"plan": VALUES, "address": "terraform_data.json"})),
            reply: "It gets a statement, at {0/values/0/path}: {0/values/0/after}.",
        },
        Question {
            question: "Is anything opened to the internet?",
            calls: vec![
                ("changes", json!({"plan": RICH, "path": ["ingress", "*.cidr_blocks"]})),
                ("change", json!({"plan": RICH, "address": group})),
            ],
            reply: "No. Only {0/changes/0/address} changes its ranges: {1/values/0/before} at port \
                {1/values/2/before} goes, and {1/values/0/after} at port {1/values/2/after} comes. \
                The old rule was {1/values/1/before}.",
        },
    ]
}

/// Questions about outputs, checks, a plan file, rules and two plans.
fn about_other_parts() -> Vec<Question> {
    let file = "real/terraform1.11/secrets-change.tfplan";
    let other_tool = "real/terraform1.11/values-change.plan.json";
    let rules = ["replace:*password*", "errored", "warning replace > 3"];
    vec![
        Question {
            question: "Which outputs change, and which of them become unknown?",
            calls: one("changes", json!({"plan": RICH, "address": ["output.*"]})),
            reply: "{0/changes/0/address}, {0/changes/1/address}, {0/changes/2/address} and \
                {0/changes/3/address}. An element of {0/changes/2/address} is unknown: \
                {0/changes/2/unknown/0}.",
        },
        Question {
            question: "Which checks fail?",
            calls: one(
                "changes",
                json!({"plan": RICH, "only": ["check.*", "module.api.aws_ecs_service.*"]}),
            ),
            reply: "{0/changes/0/address}: {0/changes/0/why} {0/changes/1/address}: \
                {0/changes/1/why} {0/changes/2/address} is {0/changes/2/action} until apply.",
        },
        Question {
            question: "Why does the password change, and where is that written?",
            calls: one("change", json!({"plan": file, "address": "random_password.p"})),
            reply: "Its {0/values/2/path} changes from {0/values/2/before} to {0/values/2/after}, \
                in {0/block/file}, line {0/block/line}. The password itself is a \
                {0/values/3/after}.",
        },
        Question {
            question: "Our rules: no password is replaced, planning did not fail, and more than \
                three replacements need a second look. Does the plan keep them?",
            calls: one("check", json!({"plan": file, "rules": rules})),
            reply: "No: `{0/broken/0/rule}` is broken by {0/broken/0/names/0}. There are \
                {0/broken/1/count} replacements, which is a {0/broken/1/severity}.",
        },
        Question {
            question: "Terraform made one plan of this configuration, and OpenTofu the other. Do \
                they do the same?",
            calls: one("compare", json!({"old": other_tool, "new": VALUES})),
            reply: "Yes, the {0/same} changes are the {0/verdict}: they agree in {0/agrees}.",
        },
    ]
}

/// Writes an object with a line for each member, and for each element of a list.
fn lines(answer: &Value) -> String {
    let members = answer.as_object().expect("an object").iter();
    let lines: Vec<String> = members
        .map(|(key, value)| match value.as_array().filter(|list| !list.is_empty()) {
            Some(list) => {
                let list: Vec<String> = list.iter().map(|it| format!("    {it}")).collect();
                format!("  {}: [\n{}\n  ]", json!(key), list.join(",\n"))
            }
            None => format!("  {}: {value}", json!(key)),
        })
        .collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

/// Puts the values of the answers into a reply.
fn filled(reply: &str, answers: &[Value]) -> String {
    let mut parts = reply.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (place, rest) = part.split_once('}').expect("a closing brace");
        let (call, pointer) = place.split_at(place.find('/').expect("a pointer"));
        let call: usize = call.parse().expect("the number of a call");
        match answers[call].pointer(pointer).unwrap_or_else(|| panic!("{place}: {answers:?}")) {
            Value::String(value) if value.contains(['"', '[']) => {
                let _ = write!(text, "`{value}`");
            }
            Value::String(value) => text += value,
            value => text += &value.to_string(),
        }
        text += rest;
    }
    text
}

/// With `UPDATE` in the environment, writes the page.
#[test]
fn ten_questions_are_answered_from_the_answers_alone() {
    let mut session = Session::of_corpus();
    let mut page = "# Ten questions about plans\n\n\
        What a reviewer asks, what an agent asks [`plansift mcp --root corpus`](commands/mcp.md), \
        and what it can reply\nfrom the answers alone. Each answer is one line of JSON; this page \
        has a line for each item. A test makes this page.\n"
        .to_owned();
    for Question { question, calls, reply } in
        about_resources().into_iter().chain(about_other_parts())
    {
        let _ = write!(page, "\n## {question}\n");
        let (mut answers, mut size) = (Vec::new(), 0);
        for (tool, arguments) in calls {
            let (text, answer) = session.ask(tool, &arguments).expect("an answer");
            size += text.len();
            let _ = write!(page, "\n`{tool}` `{arguments}`, {} bytes:\n\n", text.len());
            let _ = write!(page, "```json\n{}\n```\n", lines(&answer));
            answers.push(answer);
        }
        assert!(size <= BUDGET, "{question}: {size} bytes");
        let _ = write!(page, "\n> {}\n", filled(reply, &answers));
    }
    session.end();
    let mut report = String::new();
    corpus::differences(&run::root().join("docs/transcript.md"), &page, &mut report);
    assert!(report.is_empty(), "{report}");
}

//! Paths that a user copies from a report: they are patterns everywhere, or an error says what to
//! write.

use std::fs;

use serde_json::{Value, json};

use super::Folder;
use crate::run;

/// A plan whose strings contain documents. Two changes, drift, a deferred change and a resource
/// without a change.
fn plan() -> String {
    let change = |address: &str, actions: &[&str], before: Value, after: Value| {
        let (type_name, name) = address.split_once('.').expect("a type and a name");
        json!({
            "address": address, "mode": "managed", "type": type_name, "name": name,
            "change": {
                "actions": actions, "before": before, "after": after, "after_unknown": {},
                "before_sensitive": {"pw": true}, "after_sensitive": {"pw": true},
            },
        })
    };
    let policy = |action: &str| {
        let policy = json!({"Statement": [{"Action": action}], "Id": action}).to_string();
        let values = format!("a: {action}\nb: c\n");
        json!({"policy": policy, "values": values, "pw": action, "l": [{"d": policy}]})
    };
    let late = change("aws_late.l", &["create"], json!(null), policy("late"));
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [
            change("aws_a.a", &["update"], policy("x"), policy("y")),
            change("aws_noop.n", &["no-op"], json!({"quiet": 1}), json!({"quiet": 1})),
        ],
        "resource_drift": [
            change("aws_drift.d", &["update"], json!({"drifted": 1}), json!({"drifted": 2})),
        ],
        "deferred_changes": [{"reason": "unknown", "resource_change": late}],
    })
    .to_string()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("p.json", plan());
    let values = serde_json::from_str::<Value>(&plan()).expect("JSON");
    let values = &values["resource_changes"][0]["change"]["after"];
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": [
        {"address": "aws_a.a", "mode": "managed", "type": "aws_a", "name": "a", "values": values},
    ]}}});
    folder.write("state.json", state.to_string());
    folder.write("q.json", r#"{"format_version":"1.2","resource_changes":[]}"#);
    folder
}

/// The exit code of a command, and its messages.
fn told(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let run = run::plansift().args(args).current_dir(folder.path(".")).output().expect("a run");
    (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
}

const PATHS: [&str; 5] = [
    "jsondecode(policy).Statement[0].Action",
    "=jsondecode(policy).Id",
    "yamldecode(values).a",
    "jsondecode(l[0].d)",
    "*jsondecode(policy)*",
];

#[test]
fn paths_into_documents_are_refused_where_nothing_can_match() {
    let folder = folder();
    for path in PATHS {
        for rule in [format!("sensitive-path:{path}"), format!("unknown-path:aws_a:{path}>3")] {
            for command in ["changes", "summary", "report"] {
                let (code, said) = told(&folder, &[command, "p.json", "--fail-on", &rule]);
                assert_eq!(code, Some(64), "{command} {rule}: {said}");
                let string = match path {
                    "yamldecode(values).a" => "values",
                    "jsondecode(l[0].d)" => "l[0].d",
                    _ => "policy",
                };
                let instead = rule.replace(path, string);
                let advice = format!(
                    "is about a string as a whole, because a plan marks nothing in the document in \
                     it: write {instead}\n"
                );
                assert!(said.ends_with(&advice), "{said}");
            }
            fs::write(folder.path("rules"), format!("delete\n{rule}\n")).expect("a file");
            let (code, said) = told(&folder, &["changes", "p.json", "--fail-on", "@rules"]);
            assert_eq!(code, Some(64), "{rule}: {said}");
            assert!(said.contains("rules: line 2, '") && !said.contains("Id"), "{said}");
        }
    }
    let string = [("jsondecode(policy).Id", "policy"), ("yamldecode(l[0].d).a", "l[0].d")];
    for (path, string) in string {
        for args in [
            &["slim", "p.json", "--paths", path][..],
            &["report", "p.json", "--values", "none", "--ignore-path", path],
            &["report", "p.json", "--values", "none", "--only", &format!("path:{path}")],
        ] {
            let (code, said) = told(&folder, args);
            assert_eq!(code, Some(64), "{args:?}: {said}");
            let advice = format!("the document in a string: write {string}");
            assert!(said.contains(&advice), "{args:?}: {said}");
        }
    }
    let one = "a rule leads into one document, and not into a document in it: write ";
    let decoder = "only jsondecode(...) and yamldecode(...) lead into the document in a string";
    for (rule, words, instead) in [
        (
            "changed-path:jsondecode(jsondecode(policy).a).b",
            one,
            "changed-path:jsondecode(policy).a\n",
        ),
        ("changed-path:jsondecode(yamldecode(x).y).z>2", one, "changed-path:yamldecode(x).y>2\n"),
        ("replace-path:jsondecode(yamldecode(x).y).z>2", "as a whole", "replace-path:x>2\n"),
        (r#"changed-path:a_b.c["yamldecode(x)"]:policy(x)"#, decoder, ""),
        (
            r#"unknown-path:a_b.c["yamldecode(x)"]:yamldecode(y)"#,
            "as a whole",
            "unknown-path:a_b.c[\"yamldecode(x)\"]:y\n",
        ),
    ] {
        let (code, said) = told(&folder, &["changes", "p.json", "--fail-on", rule]);
        let is_said = said.contains(words) && said.contains(instead);
        assert!(code == Some(64) && is_said, "{rule}: {said}");
    }
    let masked = r#"changed-path:m["(repeats a sensitive value)"]"#;
    let (code, said) = told(&folder, &["changes", "p.json", "--fail-on", masked]);
    assert_eq!(code, Some(64), "{said}");
    assert!(said.contains("write `*` in its place"), "{said}");
}

#[test]
fn rules_count_the_paths_of_a_report() {
    let folder = folder();
    for (path, count) in PATHS.into_iter().zip([1, 1, 1, 2, 2]) {
        for command in ["changes", "summary", "report"] {
            for place in ["", "aws_a:"] {
                let rule = format!("changed-path:{place}{path}");
                let (code, said) = told(&folder, &[command, "p.json", "--fail-on", &rule]);
                assert_eq!(code, Some(3), "{command} {rule}: {said}");
                let broken = format!("rule broken: {rule}: {count} in aws_a.a\n");
                assert!(said.ends_with(&broken), "{command} {rule}: {said}");
                let allowed = format!("{rule}>{count}");
                let (code, said) = told(&folder, &[command, "p.json", "--fail-on", &allowed]);
                assert_eq!(code, Some(0), "{command} {allowed}: {said}");
                assert!(!said.contains("matches nothing"), "{command} {allowed}: {said}");
            }
        }
    }
}

/// Every path that a report shows is the path of an assertion, of a rule and of `--select`.
#[test]
fn paths_of_reports_are_accepted_everywhere() {
    let folder = folder();
    let args = ["report", "p.json", "-o", "term", "--full"];
    let run = run::plansift().args(args).current_dir(folder.path(".")).output().expect("a run");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let words = text.split_whitespace().filter(|word| word.contains("decode("));
    let paths: Vec<&str> = words.filter(|word| word.ends_with(['d', 'n', 'a'])).collect();
    assert!(paths.iter().any(|path| path.starts_with("jsondecode(l[0].d)")), "{text}");
    assert!(paths.contains(&"jsondecode(policy).Statement[0].Action"), "{text}");
    for path in paths {
        let assertion = format!("resource: aws_a.a, path: '{path}', unchanged: false");
        let (code, said) = told(&folder, &["assert", "p.json", "-e", &assertion]);
        assert_eq!(code, Some(0), "{path}: {said}");
        let rule = format!("changed-path:{path}");
        let (code, said) = told(&folder, &["changes", "p.json", "--fail-on", &rule]);
        assert_eq!(code, Some(3), "{path}: {said}");
        let (code, said) = told(&folder, &["resources", "state.json", "--select", path]);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{path}");
        let (code, said) = told(&folder, &["report", "p.json", "--ignore-path", path]);
        assert!(code == Some(0) && !said.contains("matches nothing"), "{path}: {said}");
    }
    // YAML is shown as text, and is a document too.
    let assertion = "resource: aws_a.a, path: yamldecode(values).a, before: x, known: y";
    let (code, said) = told(&folder, &["assert", "p.json", "-e", assertion]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn filters_do_not_warn_about_paths_that_they_match() {
    let folder = folder();
    let more = [
        "*.Id",
        "*.Action",
        "drifted",
        "quiet",
        "policy",
        "pw",
        "l[0].d",
        "l.d",
        "*.d",
        "jsondecode(l[0].d).Id",
        "yamldecode(values)",
    ];
    for path in PATHS.into_iter().chain(more) {
        for form in ["term", "markdown", "html"] {
            for (option, path) in
                [("--ignore-path", path.to_owned()), ("--only", format!("path:{path}"))]
            {
                for inputs in [&["p.json"][..], &["q.json", "p.json", "--threads", "3"]] {
                    let args = [&["report", "-o", form, option, &path], inputs].concat();
                    let (code, said) = told(&folder, &args);
                    assert_eq!(code, Some(0), "{args:?}: {said}");
                    assert!(!said.contains("matches nothing"), "{args:?}: {said}");
                }
            }
        }
    }
    // Filters do not apply to reports for machines, and another warning says so.
    let args = ["report", "-o", "json", "--ignore-path", "jsondecode(policy).Id", "p.json"];
    let (_, said) = told(&folder, &args);
    assert!(said.contains("no effect") && !said.contains("matches nothing"), "{said}");
    for (path, matches) in
        [("jsondecode(policy).Idd", false), ("*.Idd", false), ("jsondecode(quiet)", false)]
    {
        let (_, said) = told(&folder, &["report", "p.json", "--ignore-path", path]);
        assert_eq!(said.contains("matches nothing"), !matches, "{path}: {said}");
    }
}

#[test]
fn a_path_below_a_string_suggests_the_string() {
    let folder = folder();
    for (rule, is_known) in [
        ("changed-path:policy.Statement", true),
        ("changed-path:=policy[0]", true),
        ("changed-path:l.d.Statement", false),
    ] {
        let (code, said) = told(&folder, &["changes", "p.json", "--fail-on", rule]);
        let advice = "this path leads into a string: did you mean policy?";
        assert_eq!((code, said.contains(advice)), (Some(0), is_known), "{rule}: {said}");
    }
}

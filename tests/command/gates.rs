//! Rules that a plan must not break, and the exit code of a run if a rule is broken.

use super::Folder;
use crate::run;

/// Runs a command on plans of the corpus. Returns its exit code and its messages about rules.
fn broken_rules(args: &[&str], plans: &[&str]) -> (i32, Vec<String>) {
    let mut command = run::plansift();
    command.args(args);
    command.args(plans.iter().map(|plan| format!("corpus/plans/{plan}/plan.json")));
    let output = command.current_dir(run::root()).output().expect("it runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let of_rule = |line: &str| line.split_once(": rule broken: ").map(|(_, rule)| rule.to_owned());
    (output.status.code().expect("a code"), said.lines().filter_map(of_rule).collect())
}

#[test]
fn each_rule_counts_what_its_pattern_matches() {
    let every_key = r#"1 in module.m["k"].acme_server.changed["i"] (deposed 0badcafe)"#;
    for (plan, rule, said) in [
        ("delete", "delete", "4 in acme_server.a, acme_server.b[3], acme_server.c and 1 more"),
        ("delete", "delete:acme_server.?", ""),
        ("delete", "delete:acme_server.a", "1 in acme_server.a"),
        (
            "delete",
            "delete:acme_*>3",
            "4 in acme_server.a, acme_server.b[3], acme_server.c and 1 more",
        ),
        ("delete", "delete>4", ""),
        ("delete", "create", ""),
        // A data source that is no longer read is not deleted.
        ("data", "delete", ""),
        ("data", "destroy", ""),
        ("every-key", "replace", every_key),
        ("every-key", "destroy", every_key),
        ("update", "update:aws_*", ""),
        ("forget", "destroy", ""),
        ("drift", "drift", "3 in acme_server.a, acme_server.gone, module.m.acme_server.m[0]"),
        ("drift", "drift:module.*", "1 in module.m.acme_server.m[0]"),
        ("only-outputs", "output", "1 in x"),
        ("only-outputs", "changes", ""),
        ("no-op", "sensitive-path:*", ""),
        ("mark-changes", "sensitive-removed", "2 in acme_server.drops, a"),
        ("mark-changes", "sensitive-removed:acme_*", "1 in acme_server.drops"),
        ("mark-changes", "sensitive-removed:acme_server.gains", ""),
        ("mark-changes", "sensitive-added", "2 in acme_server.gains, b"),
        ("mark-changes", "sensitive-added>2", ""),
        ("sensitive", "sensitive-added", "1 in acme_server.either_side"),
        ("update", "sensitive-added", ""),
        ("checks", "check", "3 in acme_server.many, check.health, module.m.check.health"),
        ("checks", "check:module.*", "1 in module.m.check.health"),
        ("errored", "errored", "-"),
        ("incomplete", "incomplete", "-"),
        ("errored", "incomplete", "-"),
        ("create", "errored", ""),
        ("action-invocations", "action>99", ""),
    ] {
        for command in ["changes", "summary", "changes --all"] {
            let args: Vec<_> = command.split(' ').chain(["--fail-on", rule]).collect();
            let (code, messages) = broken_rules(&args, &[plan]);
            let expected: Vec<String> = match said {
                "" => vec![],
                "-" => vec![rule.to_owned()],
                said => vec![format!("{rule}: {said}")],
            };
            assert_eq!(messages, expected, "{command} {plan}");
            assert_eq!(code, if said.is_empty() { 0 } else { 3 }, "{command} {plan} {rule}");
        }
    }
}

/// A document with planned values and without a list of changes may change anything.
#[test]
fn rules_about_changes_break_without_a_change_list() {
    let folder = Folder::new();
    folder.write(
        "plan.json",
        r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[
            {"address":"a.b","mode":"managed","type":"a","name":"b","values":{}}]}}}"#,
    );
    for rule in ["delete", "changes>9", "move", "import", "replace-path:*", "destroy:aws_*"] {
        let run = folder.run(&format!("summary plan.json --fail-on {rule}"));
        let said = format!(
            "plan.json: rule broken: {rule}: not known, as the plan does not list its changes\n"
        );
        assert!(run.err.contains(&said), "{}", run.err);
        assert_eq!(run.code, Some(3), "{rule}");
    }
    assert_eq!(folder.run("changes plan.json --fail-on incomplete").code, Some(3));
    for rule in ["output", "check", "errored", "drift", "deferred", "action"] {
        assert_eq!(folder.run(&format!("changes plan.json --fail-on {rule}")).code, Some(0));
    }
    let run = folder.run("report -o json plan.json --fail-on delete");
    assert!(run.out.contains(r#""count":0,"is_unknown":true,"names":[]"#), "{}", run.out);
}

/// The tools list an object that only moved among those that changed outside.
#[test]
fn a_moved_object_does_not_count_as_drift() {
    let folder = Folder::new();
    folder.write(
        "plan.json",
        r#"{"format_version":"1.2","resource_drift":[{"address":"a.b","previous_address":"a.c",
            "mode":"managed","type":"a","name":"b","change":{"actions":["no-op"],"before":{},
            "after":{},"after_unknown":{}}}],"resource_changes":[]}"#,
    );
    assert_eq!(folder.run("summary plan.json --fail-on drift").code, Some(0));
    let run = folder.run("report plan.json -o variables");
    let [has, drift] = ["PLANSIFT_HAS_DRIFT=false\n", "PLANSIFT_DRIFT=0\n"];
    assert!(run.out.contains(has) && run.out.contains(drift), "{}", run.out);
}

#[test]
fn path_rules_count_the_paths_in_the_records() {
    let changes = |plan| {
        let output = asked_for_records(plan);
        output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<_>>()
    };
    for plan in ["changed", "rich", "unknown", "sensitive", "replace-paths"] {
        let records: Vec<serde_json::Value> = changes(plan);
        for key in ["changed", "unknown", "sensitive", "replace"] {
            let list = if key == "replace" { "replace_paths" } else { key };
            let paths = records.iter().filter(|record| record["kind"] == "resource_change");
            let paths = paths.filter_map(|record| record[list].as_array()).flatten();
            let paths: Vec<&str> = paths.filter_map(|path| path.as_str()).collect();
            for glob in ["*", "t*", "*.name", "*[0]*", "tags", "ingress.cidr_blocks", "=tags"] {
                let fits = |path: &&&str| covers(glob, path);
                let count = paths.iter().filter(fits).count();
                let (code, messages) =
                    broken_rules(&["changes", "--fail-on", &format!("{key}-path:{glob}")], &[plan]);
                assert_eq!(code, if count == 0 { 0 } else { 3 }, "{plan} {key} {glob}");
                let start = format!("{key}-path:{glob}: {count} in ");
                assert!(
                    messages.iter().all(|message| message.starts_with(&start)),
                    "{messages:?}, {start}"
                );
            }
        }
    }
}

/// Whether a pattern covers a path: it matches the path or a parent of it, with or without list
/// indices.
pub(super) fn covers(pattern: &str, path: &str) -> bool {
    if let Some(exact) = pattern.strip_prefix('=') {
        return fits(exact, path);
    }
    let (mut steps, mut is_quoted) = (vec![String::new()], false);
    for letter in path.chars() {
        is_quoted ^= letter == '"';
        if !is_quoted && matches!(letter, '.' | '[') {
            steps.push(String::new());
        }
        steps.last_mut().expect("a step").push(letter);
    }
    let is_place = |step: &String| step.starts_with('[') && !step.starts_with("[\"");
    let without: Vec<String> = steps.iter().filter(|step| !is_place(step)).cloned().collect();
    [steps, without].iter().any(|steps| {
        (1..=steps.len()).any(|len| {
            let above = steps[..len].concat();
            let rest = pattern.strip_prefix("*.");
            fits(pattern, &above) || rest.is_some_and(|rest| fits(rest, &above))
        })
    })
}

#[test]
fn a_path_covers_what_lies_below_it() {
    let plan = |after: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"aws_security_group.a",
            "mode":"managed","type":"aws_security_group","name":"a","change":{{
            "actions":["update"],
            "before":{{"ingress":[{{"cidr_blocks":["a"],"port":1}}],"tags":{{"Name":1}}}},
            "after":{{"ingress":[{{"cidr_blocks":["b"],"port":1}}{after}],"tags":{{"Name":2}}}}
            }}}}]}}"#
        )
    };
    let (same, grown) = (plan(""), plan(r#",{"port":2}"#));
    for (rule, of_same, of_grown) in [
        ("changed-path:aws_security_group:ingress", 3, 3),
        ("changed-path:ingress.cidr_blocks", 3, 0),
        ("changed-path:ingress[0]", 3, 0),
        ("changed-path:ingress[1]", 0, 0),
        ("changed-path:ingress.port", 0, 0),
        ("changed-path:=ingress", 0, 3),
        ("changed-path:=ingress[0].cidr_blocks[0]", 3, 0),
        ("changed-path:tags", 3, 3),
        ("changed-path:=tags", 0, 0),
        ("changed-path:aws_security_group:=tags.Name", 3, 3),
        (r#"changed-path:tags["Name"]"#, 3, 3),
        ("changed-path:tag", 0, 0),
    ] {
        for (plan, code) in [(&same, of_same), (&grown, of_grown)] {
            for command in [&["changes"][..], &["report", "-o", "variables"]] {
                let args = [command, &["--fail-on", rule, "-"]].concat();
                let output = run::piped(&args, plan.as_bytes());
                assert_eq!(output.status.code(), Some(code), "{rule} {plan}");
            }
        }
    }
}

#[test]
fn a_module_covers_everything_in_it() {
    for (plan, rule, code) in [
        ("rich", "delete:module.database", 3),
        ("rich", "delete:module.data", 0),
        ("rich", "delete:module.database>9", 0),
        ("every-key", "replace:module.m", 3),
        ("every-key", r#"replace:module.m["k"]"#, 3),
        ("every-key", r#"replace:module.m["l"]"#, 0),
        ("every-key", r#"replace:module.m["k"].acme_server.changed"#, 3),
    ] {
        assert_eq!(broken_rules(&["changes", "--fail-on", rule], &[plan]).0, code, "{plan} {rule}");
    }
}

#[test]
fn errors_explain_what_is_wrong_with_an_argument() {
    for (args, said) in [
        ("changes --fail-on sensitive-path", "needs a path: sensitive-path:PATTERN"),
        ("changes --fail-on delete:", "delete:PATTERN"),
        ("changes --fail-on delete>x", "expected a whole number after '>', as in delete>10"),
        ("changes --fail-on destory:aws_db", "did you mean `destroy`?; rules begin with create,"),
        ("changes --fail-on errored:x", "`errored` is about the whole plan"),
        ("changes --fail-on changed-path:a..b", "invalid path: write one like tags.Name"),
        ("changes --fail-on remove:aws_db", "did you mean `delete`?"),
        ("changes --fail-on add", "did you mean `create`?"),
        ("changes --fail-on modify>3", "did you mean `update`?"),
        ("report --only action:remove", "did you mean delete?"),
        ("report --only action:modify", "did you mean update?"),
        ("report -o md", "did you mean markdown?"),
        ("report -o markdow", "did you mean markdown?"),
        ("summary -o md", "'md' is a format: write -o ./md"),
        ("report --only action:shrink", "the actions are no-op, create,"),
        ("report --only action:deletes", "did you mean delete?"),
        ("report --only actoin:delete", "did you mean action?"),
        ("report --only path:a..b", "the path is invalid from '..b' on"),
        ("report --ignore-path a[", "the path is invalid from '[' on"),
        ("slim --paths a..b", "the path is invalid from '..b' on"),
        ("slim --only action:delete", "only `report --only` has kinds like 'action:'"),
        ("slim --only type:aws_*", "expected a type, an address or a module, as in 'aws_db_*'"),
        ("report -o out.html", "did you mean html=out.html?"),
        ("report -o a/plan.SARIF", "did you mean sarif=a/plan.SARIF?"),
        ("report -o markdwon=x", "did you mean markdown=x?"),
        ("report -o html:x.html", "did you mean html=x.html?"),
        ("report -o md=x.md", "did you mean markdown=x.md?"),
        ("report -o htm=a/x.md", "did you mean html=a/x.md?"),
        ("summary -o json", "'json' is a format: write -o ./json"),
        ("slim -o csv", "'csv' is a format"),
        ("slim -o code-quality", "changes --format ndjson|json|csv, report -o term|markdown|"),
        ("slim -o code-quality", "|markdown|compact|html|"),
        ("slim -o code-quality", "|sarif|gitlab|code-quality, audit --format table|ndjson|csv"),
        ("batch --out x -o json", "'json' is a format: write -o ./json"),
        ("changes -o csv=c.csv", "write --format csv -o c.csv, or -o ./csv=c.csv for a file"),
        ("compare -o markdown=c.md a", "write --format markdown -o c.md, or -o ./markdown=c.md"),
        ("config -o dot=a=b", "write --format dot -o a=b, or -o ./dot=a=b for a file"),
        ("redact -o json=r.json", "write -o r.json (the output is always JSON), or -o ./json=r"),
        (
            "summary -o markdown=s.md",
            "'markdown' is a format: use `plansift report -o markdown=s.md` or `plansift merge \
             -o markdown=s.md`, or -o ./markdown=s.md for a file of that name",
        ),
        ("summary -o md=s.md", "'md' is a format: use `plansift report -o markdown=s.md`"),
        ("batch --out x -o csv=c.csv", "use `plansift changes --format csv -o c.csv`"),
        ("merge x -o sarif=s", "use `plansift report -o sarif=s`"),
        ("slim --keep change", "did you mean changes?"),
        ("slim --keep all", "`plansift redact` keeps all of them"),
        ("changes --threads 0", "expected a whole number from 1"),
        ("summary --top x", "expected a whole number from 1"),
        ("batch --out x --jobs 0", "expected a whole number from 1"),
        ("batch --out x --shard 3", "expected a part and the number of parts, like 2/8"),
    ] {
        let args: Vec<&str> = args.split(' ').chain(["-"]).collect();
        let output = run::piped(&args, b"");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{args:?}: {messages}");
        assert!(messages.contains(said), "{args:?}: {messages}");
    }
}

#[test]
fn a_rule_file_without_an_at_sign_has_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rules.txt");
    std::fs::write(&file, "delete\n").expect("a file");
    let file = file.display().to_string();
    let output = run::piped(&["changes", "--fail-on", &file, "-"], b"");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{told}");
    assert!(told.contains(&format!("write @{file} to read its rules")), "{told}");
    assert!(!told.contains("rules begin with"), "{told}");
}

#[test]
fn a_malformed_rule_has_a_suggestion() {
    for (rule, said) in [
        (
            "delete terraform_data",
            "--fail-on: 'delete terraform_data': a colon stands before a pattern: did you mean \
             delete:terraform_data?",
        ),
        ("delete  aws_db_*>3", "did you mean delete:aws_db_*>3?"),
        ("delete :aws_db", "did you mean delete:aws_db?"),
        ("delete : aws_db", "did you mean delete:aws_db?"),
        ("delete :", "did you mean delete:PATTERN?"),
        ("changed-path aws_db:tags", "did you mean changed-path:aws_db:tags?"),
        (
            "warn delete",
            "the severities of a rule are `error` and `warning`: did you mean `warning`?",
        ),
        ("Warning delete:aws_*", "did you mean `warning`?"),
        ("err changes>3", "did you mean `error`?"),
        ("deletes aws_db", "no rule begins with this word: did you mean `delete`?"),
    ] {
        let output = run::piped(&["changes", "--fail-on", rule, "-"], b"");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{rule}: {told}");
        assert!(told.contains(said), "{rule}: {told}");
    }
}

#[test]
fn an_error_in_a_file_of_rules_names_the_line_and_the_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rules");
    for (line, said) in [
        ("shrink:aws_db", "line 2, 'shrink': no rule begins with this word; rules begin with"),
        ("remove", "line 2, 'remove': no rule begins with this word: did you mean `delete`?"),
        ("warn delete", "line 2, 'warn': the severities of a rule"),
        (
            "delete aws_db",
            "line 2, 'delete': a colon stands before a pattern: did you mean `delete",
        ),
        // What may be a secret in a wrong file is not quoted.
        ("hunter22", "line 2: no rule begins with this word"),
        ("PASSWORD=x", "line 2: no rule begins with this word"),
        ("averylongpassphrase", "line 2: no rule begins with this word"),
        ("pass=x", "line 2: no rule begins with this word"),
    ] {
        std::fs::write(&file, format!("# rules\n{line}\n")).expect("a file");
        let output =
            run::piped(&["changes", "--fail-on", &format!("@{}", file.display()), "-"], b"");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{line}: {told}");
        assert!(told.contains(said), "{line}: {told}");
    }
}

#[test]
fn a_mistyped_command_has_a_suggestion() {
    for (args, said) in [
        (&["sumary", "x"][..], "did you mean `plansift summary`?"),
        (&["plan", "x"], "did you mean `plansift summary`?"),
        (&["plan.json"], "did you mean `plansift summary plan.json`?"),
        (&["no/such.json.zst"], "did you mean `plansift summary no/such.json.zst`?"),
        (&["Cargo.toml"], "did you mean `plansift summary Cargo.toml`?"),
    ] {
        let output = run::plansift().args(args).current_dir(run::root()).output();
        let output = output.expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(64), "{args:?}: {told}");
        assert!(told.contains(said), "{args:?}: {told}");
    }
    let output = run::plansift().arg("frobnicate").output().expect("it runs");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("did you mean"));
}

#[test]
fn unmatched_names_and_exclusions_are_warnings() {
    let said = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        let folder = run::root().join("corpus/plans");
        let output = run::plansift().args(args).current_dir(folder).output().expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let nothing = "warning: --also-names ^no_such$ matches nothing, no key has such a name\n";
    for command in ["report", "redact", "slim", "audit"] {
        let run = |name: &str| said(&format!("{command} update/plan.json --also-names {name}"));
        assert!(run("^no_such$").contains(nothing), "{command}: {}", run("^no_such$"));
        assert!(!run("^no_such$ --quiet").contains("matches nothing"), "{command}");
        assert!(!run("^id$").contains("matches nothing"), "{command}: {}", run("^id$"));
    }
    let nothing = "warning: --exclude no-such matches nothing\n";
    for args in ["update --exclude no-such", "update --exclude no-such --exclude *.ndjson"] {
        let said = said(&format!("summary {args}"));
        assert!(said.contains(nothing) && !said.contains("ndjson"), "{said}");
    }
}

/// What `slim` does not search may have what a pattern names.
#[test]
fn slim_says_that_other_sections_were_not_searched() {
    let args = ["slim", "--keep", "outputs", "--only", "aws_instance.web"];
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"aws_instance.web",
        "type":"aws_instance","name":"web","change":{"actions":["delete"],"before":{},
        "after":null}}],"output_changes":{}}"#;
    let output = run::piped(&[&args[..], &["-"]].concat(), plan.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "warning: --only aws_instance.web matches nothing in the sections that stay; \
                    --keep leaves these out, and they were not searched: resource_changes\n";
    assert!(said.contains(expected) && !said.contains("no resource has"), "{said}");
}

/// The messages of a run about patterns that match nothing.
fn unmatched_patterns(args: &[&str], plan: &str) -> Vec<String> {
    let mut command = run::plansift();
    command.args(args).arg(format!("corpus/plans/{plan}/plan.json")).current_dir(run::root());
    let output = command.output().expect("it runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let of_pattern = |line: &str| {
        let line = line.strip_prefix("plansift: warning: ")?;
        line.contains("matches nothing").then(|| line.to_owned())
    };
    said.lines().filter_map(of_pattern).collect()
}

#[test]
fn patterns_that_match_nothing_are_warnings() {
    let nothing = "matches nothing, no resource has such";
    for (plan, rule, said) in [
        (
            "rich",
            "delete:aws_db_instnace",
            "an address, type or module: did you mean aws_db_instance?",
        ),
        (
            "rich",
            "delete:module.databse",
            "an address, type or module: did you mean module.database?",
        ),
        ("rich", "delete:gcp_*", "an address, type or module"),
        ("rich", "changed-path:instance_clas", "an attribute: did you mean instance_class?"),
        ("rich", "changed-path:*.no_such_thing", "an attribute"),
        // Without the enclosing modules, or with instance keys.
        (
            "rich",
            "delete:aws_db_instance.primray",
            "an address, type or module: did you mean module.database.aws_db_instance.primary?",
        ),
        (
            "rich",
            "delete:aws_db_instance.primary",
            "an address, type or module: did you mean module.database.aws_db_instance.primary?",
        ),
        (
            "rich",
            r#"update:module.api["bleu"].aws_ecs_service.thsi"#,
            "an address, type or module: did you mean module.api.aws_ecs_service.this?",
        ),
        (
            "rich",
            r#"update:module.api["bleu"]"#,
            "an address, type or module: did you mean module.api?",
        ),
        ("rich", r#"changed-path:tgas["a.b"]"#, "an attribute: did you mean tags?"),
    ] {
        for threads in ["1", "4"] {
            for command in ["changes", "summary", "report"] {
                let args = [command, "--threads", threads, "--fail-on", rule];
                assert_eq!(
                    unmatched_patterns(&args, plan),
                    [format!("rule {rule} {nothing} {said}")]
                );
                let quiet = [&args[..], &["--quiet"]].concat();
                assert_eq!(unmatched_patterns(&quiet, plan), [""; 0]);
            }
        }
    }
}

#[test]
fn unmatched_output_check_and_action_rules_are_warnings() {
    for (rule, said) in [
        ("output:databse", "no output has such a name: did you mean database?"),
        ("output:nothing", "no output has such a name"),
        ("check:check.endpoint", "no check has such an address: did you mean check.endpoints?"),
        (
            "action:aws_lambda_invok",
            "no action is invoked with such an address or type: did you mean aws_lambda_invoke?",
        ),
    ] {
        for command in ["changes", "summary", "report"] {
            let args = [command, "--fail-on", rule];
            assert_eq!(
                unmatched_patterns(&args, "rich"),
                [format!("rule {rule} matches nothing, {said}")]
            );
        }
    }
}

#[test]
fn filters_that_match_nothing_are_warnings() {
    let args = ["changes", "--fail-on", "changed-path:aws_db_instance:tgas"];
    let said = unmatched_patterns(&args, "rich");
    assert!(said.len() == 1 && said[0].contains("none of these resources has such"), "{said:?}");
    let args = ["slim", "--only", "module.databse", "--paths", "instance_clas", "--paths", "id"];
    assert_eq!(unmatched_patterns(&args, "rich").len(), 2);
    let args =
        ["report", "--only", "type:aws_db_instnace", "--ignore-type", "x", "--ignore-path", "id"];
    let expected = [
        "--only type:aws_db_instnace matches nothing, no resource has such a type: did you mean \
         aws_db_instance?",
        "--ignore-type x matches nothing, no resource has such a type",
    ];
    assert_eq!(unmatched_patterns(&args, "rich"), expected);
}

/// A pattern that matches an unchanged resource is not a typo.
#[test]
fn matching_patterns_give_no_warning() {
    for (plan, rule) in [
        ("rich", "delete"),
        ("rich", "delete:aws_iam_role"),
        ("rich", "changed-path:instance_class"),
        ("rich", "output:database"),
        ("rich", "check:check.*"),
        ("rich", "check:module.api"),
        ("rich", "action:aws_lambda_*"),
        ("only-outputs", "output:x"),
        ("no-op", "delete:acme_*"),
        ("no-op", "changed-path:id"),
        ("drift", "delete:module.m"),
    ] {
        assert_eq!(
            unmatched_patterns(&["changes", "--fail-on", rule], plan),
            [""; 0],
            "{plan} {rule}"
        );
    }
    for args in [
        &["report", "--only", "action:forget", "--only", "module:"][..],
        &["slim", "--only", "acme_*", "--paths", "id"],
    ] {
        assert_eq!(unmatched_patterns(args, "no-op"), [""; 0], "{args:?}");
    }
}

/// Whether a glob matches a text, by the definition of globs.
fn fits(glob: &str, text: &str) -> bool {
    match glob.split_at_checked(1) {
        None | Some(("", _)) => text.is_empty(),
        Some(("*", rest)) => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| fits(rest, &text[at..]))
        }
        Some((letter, rest)) => text.strip_prefix(letter).is_some_and(|text| fits(rest, text)),
    }
}

fn asked_for_records(plan: &str) -> String {
    let path = run::root().join(format!("corpus/plans/{plan}/plan.json"));
    let output = run::plansift().arg("changes").arg(path).output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn fail_on_does_not_change_the_output() {
    let path = run::root().join("corpus/plans/rich/plan.json");
    for command in ["changes", "summary"] {
        let plain = run::plansift().arg(command).arg(&path).output().expect("it runs");
        let gated = run::plansift().args([command, "--fail-on", "delete"]).arg(&path).output();
        assert_eq!(gated.expect("it runs").stdout, plain.stdout);
    }
}

#[test]
fn every_broken_rule_of_every_plan_is_reported() {
    let args = ["changes", "--fail-on", "delete>1", "--fail-on", "drift", "--fail-on", "create>99"];
    let (code, messages) = broken_rules(&args, &["delete", "drift", "create"]);
    assert_eq!(code, 3);
    let rules: Vec<_> =
        messages.iter().map(|line| line.split_once(": ").expect("a rule").0).collect();
    assert_eq!(rules, ["delete>1", "drift"]);
}

#[test]
fn a_failed_input_outranks_a_broken_rule_in_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let cut = folder.path().join("cut.json");
    std::fs::write(&cut, r#"{"format_version":"1.2","resource_changes":["#).expect("a file");
    let cut = cut.to_str().expect("UTF-8");
    let run = |inputs: &[&str]| {
        let args = ["changes", "--detailed-exitcode", "--fail-on", "delete"];
        let output = run::plansift().current_dir(run::root()).args(args).args(inputs).output();
        output.expect("it runs").status.code()
    };
    let delete = "corpus/plans/delete/plan.json";
    assert_eq!(run(&[cut]), Some(1));
    assert_eq!(run(&[delete, cut]), Some(4));
    assert_eq!(run(&[delete]), Some(3));
    assert_eq!(run(&["corpus/plans/update/plan.json"]), Some(2));
}

#[test]
fn rules_can_be_read_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rules");
    let rules = format!("@{}", path.display());
    std::fs::write(&path, "# No data is lost.\n\n  delete:acme_*\ndrift\r\n").expect("a file");
    let (code, messages) =
        broken_rules(&["changes", "--fail-on", &rules, "--fail-on", "replace"], &["delete"]);
    assert_eq!((code, messages.len()), (3, 1), "{messages:?}");

    // Editors write a byte order mark and CRLF; comments may follow rules.
    let text = "\u{feff}delete:acme_* # No data is lost.\r\n\
                warning changes>1 \"Split it #2, \\\"please\\\" # now.\"\t# Large ones.\n\
                delete:acme_server.b[\"x #1\"]\n";
    std::fs::write(&path, text).expect("a file");
    let (code, messages) = broken_rules(&["changes", "--fail-on", &rules], &["delete"]);
    assert_eq!((code, messages.len()), (3, 2), "{messages:?}");
    assert!(messages[1].ends_with(": Split it #2, \"please\" # now."), "{messages:?}");

    std::fs::write(&path, "delete\n\nshrink\n").expect("a file");
    let output = run::plansift().args(["changes", "--fail-on", &rules, "-"]).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(64));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("line 3, 'shrink': no rule begins with this word; "), "{said}");

    std::fs::write(&path, "# None yet.\n").expect("a file");
    let output = run::plansift().args(["changes", "--fail-on", &rules, "-"]).output();
    assert_eq!(output.expect("it runs").status.code(), Some(64));

    let missing = format!("@{}", folder.path().join("none").display());
    let output = run::plansift().args(["changes", "--fail-on", &missing, "-"]).output();
    assert_eq!(output.expect("it runs").status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_closed_output_does_not_pass_a_gate() {
    let run = |command: &str| {
        let mut child = run::plansift()
            .args(command.split(' '))
            .current_dir(run::root())
            .stdin(std::process::Stdio::null())
            .stdout(closed())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("a pipe");
        std::io::Read::read_to_string(&mut stderr, &mut said).expect("UTF-8");
        (child.wait().expect("it ends").code(), said)
    };
    let plan = "corpus/plans/rich/plan.json";
    let (code, said) = run(&format!("changes --fail-on delete>999 {plan}"));
    assert!(code == Some(1) && said.contains("is not known"), "{code:?}: {said}");
    assert_eq!(run(&format!("changes {plan}")).0, Some(0));
    for command in [
        "changes --format csv --fail-on delete corpus/plans/delete/plan.json",
        "audit --fail-on-echo corpus/plans/secret-echoes/plan.json",
        "audit --format table --fail-on-echo corpus/plans/secret-echoes/plan.json",
    ] {
        let (code, said) = run(command);
        assert!(matches!(code, Some(1 | 3)), "{command}: {code:?}: {said}");
    }
    // `summary` writes nothing until it has read everything.
    let strict = "summary --strict-rules --fail-on create:a corpus/plans/delete/plan.json";
    let (code, said) = run(strict);
    assert!(code == Some(3) && said.contains("rule create:a matches nothing"), "{said}");
    let (code, said) = run("summary --fail-on delete corpus/plans/delete/plan.json");
    assert_eq!(code, Some(3), "{said}");
}

/// A pipe whose reading end is closed.
#[cfg(unix)]
fn closed() -> std::process::Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

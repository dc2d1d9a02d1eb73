//! Fixed bugs. Each test failed before its fix.

use std::fs;

use plansift::error::ErrorKind;
use plansift::input::Slice;
use plansift::limits::{Limit, Limits};
use plansift::plan;
use plansift::plan::DocumentFault;
use plansift::record::RecordOptions;
use serde_json::Value;

use crate::run;

/// A plan with one change that has these members.
fn plan_of(members: &str) -> String {
    let change = format!(r#"{{"address":"a.b","change":{{{members}}}}}"#);
    format!(r#"{{"format_version":"1.2","resource_changes":[{change}]}}"#)
}

/// The record of a plan with one change that has these members.
fn record_of(members: &str, options: &RecordOptions) -> Value {
    let (records, _) = run::records(Slice(plan_of(members).as_bytes()), options).expect("a plan");
    records[1].clone()
}

fn error_of(members: &str, options: &RecordOptions) -> ErrorKind {
    run::error(Slice(plan_of(members).as_bytes()), options).kind()
}

fn limited(limits: Limits) -> RecordOptions {
    RecordOptions { read: plan::PlanOptions { limits, ..Default::default() }, ..Default::default() }
}

/// `report` first reads a plan for its secrets. An error of that pass is an error of the run.
#[test]
fn an_error_in_the_first_pass_fails_the_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let members = r#""actions":["create"],"before":null,"after":{"a":"secret-1","b":"secret-2"},
        "after_sensitive":{"a":true,"b":true}"#;
    let (plan, page) = (folder.path().join("plan.json"), folder.path().join("page.html"));
    fs::write(&plan, plan_of(members)).expect("a file");
    let output = run::plansift()
        .args(["report", "--limit-secrets", "1", "-o", "term", "-o"])
        .arg(format!("html={}", page.display()))
        .arg(&plan)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("--limit-secrets"), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("a.b"), "a change was shown");
}

/// JSON readers do not agree on a record with a duplicate key.
#[test]
fn importing_with_a_key_twice_is_refused() {
    let members = r#""actions":["create"],"importing":{"id":"a","id":"b"}"#;
    assert_eq!(error_of(members, &RecordOptions::default()), ErrorKind::DuplicateKey);
}

/// A string that began in the last byte of a block of 64 bytes was outlined as if it began in the
/// next block.
#[test]
fn a_string_may_begin_anywhere_in_a_block() {
    for space in 0..130 {
        let space = " ".repeat(space);
        let plan = format!(r#"{{{space}"format_version":"\u0031.2","resource_changes":[]}}"#);
        let (records, _) = run::records(Slice(plan.as_bytes()), &RecordOptions::default())
            .unwrap_or_else(|error| panic!("{} spaces: {error}", space.len()));
        assert_eq!(records[0]["format_version"], "1.2");
    }
}

/// The reader skipped overlays that seemed to contain no mark, and so missed damaged marks.
#[test]
fn a_damaged_mark_is_an_error() {
    for overlay in ["after_unknown", "before_sensitive", "after_sensitive"] {
        for damaged in ["tsue", "truE", "True", "tru"] {
            let members = format!(r#""actions":["create"],"{overlay}":{{"a":{{"p":{damaged}}}}}"#);
            assert_eq!(
                error_of(&members, &RecordOptions::default()),
                ErrorKind::Literal,
                "{members}"
            );
        }
    }
}

/// Skipped text may be a plan or the rest of one.
#[test]
fn a_second_plan_is_not_skipped_as_text() {
    let first = r#"{"format_version":"1.2","resource_changes":[]}"#;
    let second = plan_of(r#""actions":["delete"]"#);
    let texts = [
        (format!("[a] {first}\n[b] {second}\n"), 2, "a log of two"),
        (format!("{first}\nNow: {second}\n"), 2, "one after the other"),
        (format!("{first}\n::set-output name=stdout::{second}\n"), 0, "another output"),
        (format!("esource_changes\":[{second}],\"q\":{first}"), 0, "a lost head"),
    ];
    for (text, plans, name) in texts {
        run::error(Slice(text.as_bytes()), &RecordOptions::default());
        let output = run::piped(&["changes"], text.as_bytes());
        let records = String::from_utf8(output.stdout).expect("UTF-8");
        // The plans are reported one by one.
        assert_eq!(records.matches(r#"{"kind":"summary""#).count(), plans, "{name}");
        assert_eq!(output.status.code(), Some(if plans > 0 { 0 } else { 1 }), "{name}");
    }
}

/// All elements of two lists were kept for comparison, which took many times the memory of the
/// plan.
#[test]
fn lists_of_equal_numbers_take_no_memory() {
    let (ones, others) = ("1,".repeat(100_000) + "1", "1.0,".repeat(100_000) + "1.0");
    let members = format!(r#""actions":["update"],"before":[{ones}],"after":[{others}]"#);
    let options = limited(Limits { paths: 1000, ..Limits::default() });
    assert_eq!(record_of(&members, &options)["changed"], Value::Null);
}

/// Keys and words that made lists of unlimited length.
#[test]
fn long_lists_of_paths_and_words_are_limited() {
    let options = limited(Limits { paths: 1000, words: 3, ..Limits::default() });
    let paths = ErrorKind::Limit { limit: Limit::Paths, value: 1000 };
    let long_path = format!(r#""actions":["update"],"replace_paths":[[0{}]]"#, ",0".repeat(1000));
    assert_eq!(error_of(&long_path, &options), paths);
    let many_paths = format!(r#""actions":["update"],"replace_paths":[[]{}]"#, ",[]".repeat(1000));
    assert_eq!(error_of(&many_paths, &options), paths);
    let keys: Vec<_> = (0..1000).rev().map(|key| format!(r#""{key}":0"#)).collect();
    let unordered =
        format!(r#""actions":["update"],"before":{{{}}},"after":{{"9":1,"8":1}}"#, keys.join(","));
    assert_eq!(error_of(&unordered, &options), paths);
    let words: Vec<_> = (0..4)
        .map(|word| format!(r#"{{"address":"a","change":{{"actions":["{word}"]}}}}"#))
        .collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, words.join(","));
    let kind = run::error(Slice(plan.as_bytes()), &options).kind();
    let limit = ErrorKind::Limit { limit: Limit::Words, value: 3 };
    assert_eq!(kind, limit);
    let long_list = format!(r#""actions":["a"{}]"#, r#","a""#.repeat(10_000));
    let error = run::error(Slice(plan_of(&long_list).as_bytes()), &options);
    assert_eq!(error.fault(), Some(&DocumentFault::LongWord));
}

/// A plan that failed, is incomplete, or has more to apply does not count as one without changes.
#[test]
fn unfinished_plans_do_not_count_as_unchanged() {
    for member in [
        r#""errored":true"#,
        r#""complete":false"#,
        r#""applyable":true"#,
        r#""deferred_changes":[{"reason":"unknown",
            "resource_change":{"address":"a.b","change":{"actions":["create"]}}}]"#,
    ] {
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[],{member}}}"#);
        let output = run::piped(&["summary", "--detailed-exitcode"], plan.as_bytes());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(!text.contains("No changes.\n"), "{member}: {text}");
        assert_eq!(output.status.code(), Some(2), "{member}");
    }
}

/// An output file replaced devices, pipes and links, and made private files readable for everyone.
#[test]
#[cfg(unix)]
fn outputs_keep_their_kind_and_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().expect("a folder");
    let [link, target] = ["link", "target"].map(|name| directory.path().join(name));
    fs::write(&target, "old").expect("a file");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("its mode");
    symlink(&target, &link).expect("a link");
    let plan = plan_of(r#""actions":["create"]"#);
    let output = run::piped(&["changes", "-o", link.to_str().expect("UTF-8")], plan.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(link.symlink_metadata().expect("a link").is_symlink());
    assert!(fs::read_to_string(&target).expect("a file").contains("summary"));
    assert_eq!(target.metadata().expect("a file").permissions().mode() & 0o777, 0o600);

    let output = run::piped(&["changes", "-o", "/dev/null"], plan.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!fs::metadata("/dev/null").expect("a device").is_file());
}

/// An output path that named standard output replaced its file and everything written to it.
#[test]
#[cfg(target_os = "linux")]
fn output_to_dev_stdout_appends_to_a_log_file() {
    let mut log = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut log, b"old\n").expect("it is written");
    let plan = tempfile::NamedTempFile::new().expect("a file");
    fs::write(plan.path(), plan_of(r#""actions":["create"]"#)).expect("it is written");
    let appended = fs::File::options().append(true).open(log.path()).expect("a file");
    let mut command = run::plansift();
    command.arg("changes").args([plan.path(), "-o".as_ref(), "/dev/stdout".as_ref()]);
    assert!(command.stdout(appended).status().expect("it runs").success());
    let text = fs::read_to_string(log.path()).expect("a file");
    assert!(text.starts_with("old\n") && text.contains("summary"), "{text}");
}

/// The size of the first window decided how much space could precede a plan.
#[test]
fn space_before_a_plan_is_limited_in_every_cut() {
    let plan = plan_of(r#""actions":["create"]"#);
    for (space, is_plan) in [(1000, true), (100_000, true), (2_000_000, false)] {
        let text = " ".repeat(space) + &plan;
        let output = run::piped(&["changes"], text.as_bytes());
        assert_eq!(output.status.success(), is_plan, "{space}");
        assert_eq!(
            run::records(Slice(text.as_bytes()), &RecordOptions::default()).is_ok(),
            is_plan
        );
    }
}

/// A second key of the same name was skipped.
#[test]
fn a_key_twice_in_a_check_or_a_trigger_is_refused() {
    let check = |instance: &str| {
        let address = r#"{"kind":"check","to_display":"check.c"}"#;
        format!(
            r#"{{"format_version":"1.2","planned_values":{{}},"checks":[{{"address":{address},
"status":"pass","instances":[{instance}]}}]}}"#
        )
    };
    let invocation = r#"{"format_version":"1.2","action_invocations":[{"address":"action.a.b",
"lifecycle_action_trigger":{"triggering_resource_address":"a.b",
"triggering_resource_address":"a.c"}}]}"#;
    for text in [
        check(r#"{"problems":[],"problems":[{"message":"a"}]}"#),
        check(r#"{"problems":[{"message":"a","message":"b"}]}"#),
        check(r#"{"problems":[],"\u0070roblems":[]}"#),
        invocation.to_owned(),
    ] {
        let error = run::error(Slice(text.as_bytes()), &RecordOptions::default());
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{text}");
        assert!(error.location().is_some(), "{text}");
        for command in ["redact", "slim --keep checks,actions", "audit", "report"] {
            let echoes = ["equal", "off"];
            for echo in &echoes[..if command == "report" { 1 } else { 2 }] {
                let args: Vec<_> = command.split(' ').chain(["--echo", echo, "-"]).collect();
                let output = run::piped(&args, text.as_bytes());
                assert!(!output.status.success(), "{command} {echo}: {text}");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(said.contains("duplicate key"), "{command} {echo}: {said}");
            }
        }
    }
    let text = fs::read(run::corpus("attack/B3-duplicate-problems.json")).expect("a file");
    assert_eq!(run::error(Slice(&text), &RecordOptions::default()).kind(), ErrorKind::DuplicateKey);
}

/// Two changes to one output were reported.
#[test]
fn the_name_of_an_output_or_a_variable_twice_is_refused() {
    let change = r#"{"actions":["create"],"before":null,"after":1}"#;
    let outputs = |names: &[&str]| {
        let changes: Vec<_> = names.iter().map(|name| format!(r#""{name}":{change}"#)).collect();
        format!(r#"{{"format_version":"1.2","output_changes":{{{}}}}}"#, changes.join(","))
    };
    for names in [&["a", "a"][..], &["b", "a", "b"], &["a", "\\u0061"]] {
        let text = outputs(names);
        let error = run::error(Slice(text.as_bytes()), &RecordOptions::default());
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{text}");
        let place = error.location().expect("a place").offset as usize;
        assert!(text[place..].starts_with('"') && place > text.len() / 2, "{place} in {text}");
        let redacted = run::piped(&["redact", "-"], text.as_bytes());
        assert_eq!(redacted.status.code(), Some(1), "{text}");
    }
    let limits = Limits { names: 2, ..Limits::default() };
    let in_order = outputs(&["a", "b", "c", "d"]);
    assert!(run::records(Slice(in_order.as_bytes()), &limited(limits)).is_ok());
    let limit = ErrorKind::Limit { limit: Limit::Names, value: 2 };
    let other = outputs(&["b", "a", "c"]);
    assert_eq!(run::error(Slice(other.as_bytes()), &limited(limits)).kind(), limit);
    let variables = r#"{"format_version":"1.2","variables":{"v":{"value":1},"v":{"value":2}},
"planned_values":{}}"#;
    let redacted = run::piped(&["redact", "-"], variables.as_bytes());
    assert_eq!(redacted.status.code(), Some(1));
}

/// The error reported the number of different actions instead.
#[test]
fn an_overlong_action_is_a_long_word_error() {
    let many = vec![r#""x""#; 2000].join(",");
    for actions in
        [format!(r#""{}""#, "x".repeat(5000)), format!(r#""{}""#, "\\u0078".repeat(5000)), many]
    {
        let members = format!(r#""actions":[{actions}],"before":null,"after":{{}}"#);
        let text = plan_of(&members);
        let error = run::error(Slice(text.as_bytes()), &RecordOptions::default());
        assert_eq!(error.fault(), Some(&DocumentFault::LongWord));
        let path = error.location().expect("a place").path;
        assert_eq!(path, "resource_changes[0].change.actions");
    }
}

/// An unknown list of actions was missing from all counts, and only some rules applied to it.
#[test]
fn all_formats_have_the_same_counts() {
    let members = r#""actions":["delete","forget"],"before":{"a":1},"after":null"#;
    let own = plan_of(members).replace(r#""address":"a.b","#, r#""address":"a.b","type":"a","#);
    let attack = fs::read_to_string(run::corpus("attack/B2-unknown-action-pair.json"));
    for text in [own, attack.expect("a file")] {
        let output = |args: &[&str]| {
            let output = run::piped(args, text.as_bytes());
            (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
        };
        let (records, _) = output(&["changes"]);
        assert!(records.contains(r#""action":"delete+forget""#), "{records}");
        assert!(records.contains(r#""add":0,"change":0,"destroy":1,"forget":1"#), "{records}");
        for rule in ["delete", "destroy", "forget"] {
            assert_eq!(output(&["changes", "--fail-on", rule]).1, Some(3), "{rule}");
            assert_eq!(output(&["report", "--fail-on", rule]).1, Some(3), "{rule}");
        }
        assert_eq!(output(&["changes", "--fail-on", "replace"]).1, Some(0));
        for (form, expected) in [
            ("variables", "PLANSIFT_HAS_DESTROY=true"),
            ("variables", "PLANSIFT_DESTROY=1"),
            ("variables", "PLANSIFT_FORGET=1"),
            ("gitlab", r#"{"create":0,"update":0,"delete":1}"#),
            ("term", "1 to destroy, 1 to forget"),
            ("markdown", "Destroy"),
            ("json", r#""counts":{"destroy":1,"forget":1},"invocations""#),
        ] {
            let (report, _) = output(&["report", "-o", form]);
            assert!(report.contains(expected), "{form}: {report}");
        }
        let (summary, _) = output(&["summary"]);
        assert!(summary.contains("Destroyed, replaced or forgotten"), "{summary}");
    }
}

/// The plan ended at the prior state, and the rest was read as another document.
#[test]
fn a_prior_state_on_a_line_of_its_own_is_part_of_its_plan() {
    let state = r#"{"format_version":"1.0","values":{"root_module":{}}}"#;
    let change = r#"{"address":"a.b","change":{"actions":["create"],"before":null,"after":{}}}"#;
    for space in ["\n", " \n\n", "\r\n", "  \t\n"] {
        let plan = format!(
            "{{\"format_version\":\"1.2\",\"prior_state\" :{space}{state},\
             \"resource_changes\":[{change}]}}\n"
        );
        let output = run::piped(&["changes"], plan.as_bytes());
        let records = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0), "{records}");
        assert!(records.contains(r#""resource_changes":{"create":1}"#), "{records}");
        // Two such plans in one input, and a truncated one.
        let two = [&plan[..], &plan].concat();
        let output = run::piped(&["changes"], two.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let lost = [&plan[..plan.len() - 20], "\n", &plan].concat();
        let output = run::piped(&["changes"], lost.as_bytes());
        let records = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(4), "{records}");
        assert_eq!(records.matches(r#""kind":"summary""#).count(), 1, "{records}");
    }
    // Truncated after the key: the following document is not the prior state of a complete plan.
    let cut = format!("{{\"format_version\":\"1.2\",\"prior_state\":\n{state}\n");
    assert_eq!(run::piped(&["changes"], cut.as_bytes()).status.code(), Some(1));
}

/// The result does not depend on the length of the windows.
#[test]
fn the_line_of_a_prior_state_is_recognised_in_any_windows() {
    let space = " ".repeat(5000);
    let plan = format!(
        "{{\"format_version\":\"1.2\",\"prior_state\":{space}\n{{\"format_version\":\"1.0\"}},\
         \"resource_changes\":[]}}"
    );
    for len in (1..64).chain([100, 1000, 4096]) {
        let lengths = [len];
        let source = crate::in_memory::Cut::new(plan.as_bytes(), &lengths);
        assert!(run::records(source, &RecordOptions::default()).is_ok(), "{len}");
    }
}

/// Terraform 1.0 writes drift without addresses.
#[test]
fn drift_without_an_address_is_accepted() {
    let drift = r#"{"mode":"managed","type":"a","name":"b","change":{"actions":["update"],
"before":{"k":1},"after":{"k":2}}}"#;
    let text =
        format!(r#"{{"format_version":"0.2","resource_drift":[{drift}],"planned_values":{{}}}}"#);
    let (records, _) =
        run::records(Slice(text.as_bytes()), &RecordOptions::default()).expect("a plan");
    assert_eq!(records[1]["kind"], "resource_drift");
    assert_eq!(records[1]["changed"][0], "k");
    assert!(records[1].get("address").is_none());
    let report = run::piped(&["report", "-"], text.as_bytes());
    assert!(String::from_utf8(report.stdout).expect("UTF-8").contains("a.b"));
    let redacted = run::piped(&["redact", "-"], text.as_bytes());
    assert_eq!(redacted.stdout, text.as_bytes());
    let change = text.replace("resource_drift", "resource_changes");
    let error = run::error(Slice(change.as_bytes()), &RecordOptions::default());
    assert_eq!(error.kind(), ErrorKind::MissingKey("address"));
}

/// A plan whose root module passes a literal to a sensitive variable of a child module.
fn plan_with_argument(key: &str) -> String {
    let change = r#"{"address":"a.b","change":{"actions":["create"],"before":null,
        "after":{"p":"hunter2hunter2"},"after_sensitive":{}}}"#;
    let variables = r#"{"variables":{"password":{"sensitive":true}}}"#;
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{change}],"configuration":{{
        "root_module":{{"module_calls":{{"db":{{"expressions":{{"password":{{
        "{key}":"hunter2hunter2"}}}},"module":{variables}}}}}}}}}}}"#
    )
}

/// The key `constant_value` may be written with escapes; its value is secret all the same.
#[test]
fn an_escaped_constant_is_a_secret_with_its_echoes() {
    for key in ["constant_value", r"constant_\u0076alue"] {
        let plan = plan_with_argument(key);
        for args in [&["redact"][..], &["slim"], &["report"]] {
            let output = run::piped(args, plan.as_bytes());
            assert_eq!(output.status.code(), Some(0), "{args:?}");
            let written = String::from_utf8_lossy(&output.stdout);
            assert!(!written.contains("hunter2"), "{args:?} {key}: {written}");
        }
    }
}

/// `--also-names` applies to names of outputs in reports, too, however short their values are.
#[test]
fn a_report_hides_outputs_by_their_names() {
    let plan = r#"{"format_version":"1.2","output_changes":{"password":{"actions":["create"],
        "before":null,"after":"hunter2","after_unknown":false,"before_sensitive":false,
        "after_sensitive":false}}}"#;
    for form in ["term", "markdown", "html", "json"] {
        let args = ["report", "-o", form, "--also-names", "^password$"];
        let output = run::piped(&args, plan.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{form}");
        let written = String::from_utf8_lossy(&output.stdout);
        assert!(!written.contains("hunter2"), "{form}: {written}");
    }
}

/// Copies of a marked value in one element count toward the limit on paths, as marks do.
#[test]
fn constants_and_identities_count_as_marked_places() {
    let ones = vec!["1"; 20].join(",");
    let identity = plan_of(&format!(
        r#""actions":["create"],"before":null,"after":{{"p":1}},"after_sensitive":{{"p":true}},
        "after_identity":{{"i":[{ones}]}}"#
    ));
    let constants = vec![r#"{"a_wo":1}"#; 20].join(",");
    let constants = format!(
        r#"{{"format_version":"1.2","resource_changes":[],"configuration":{{"root_module":{{
        "resources":[{{"address":"a.b","type":"a","name":"b","expressions":{{
        "p":{{"constant_value":[{constants}]}}}}}}]}}}}}}"#
    );
    for plan in [identity, constants] {
        for command in ["redact", "audit"] {
            let output = run::piped(&[command, "--limit-marks", "50"], plan.as_bytes());
            assert_eq!(output.status.code(), Some(0), "{command}: {plan}");
            let output = run::piped(&[command, "--limit-marks", "10"], plan.as_bytes());
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command}: {said}");
            assert!(said.contains("--limit-marks"), "{command}: {said}");
        }
    }
}

/// Paths that are secret by their name count toward the limit on paths.
#[test]
fn paths_marked_by_name_count_toward_the_limit() {
    let tokens: Vec<_> = (0..200).map(|key| format!(r#""token{key}":1"#)).collect();
    let deep = format!("{}{{{}}}{}", r#"{"k":"#.repeat(50), tokens.join(","), "}".repeat(50));
    let plan = plan_of(&format!(r#""actions":["create"],"before":null,"after":{deep}"#));
    let args = ["report", "--also-names", "token", "--limit-paths", "20K"];
    let output = run::piped(&args, plan.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("--limit-paths"), "{said}");
}

/// Sensitive names are kept while a document is read, so their number is limited.
#[test]
fn sensitive_names_are_bounded() {
    let outputs: Vec<_> = (0..20)
        .map(|number| format!(r#""o{number:02}":{{"sensitive":true,"value":{number}}}"#))
        .collect();
    let plan = format!(
        r#"{{"format_version":"1.2","planned_values":{{"outputs":{{{}}},"root_module":{{}}}},
        "resource_changes":[]}}"#,
        outputs.join(",")
    );
    for (max, code) in [("20", 0), ("19", 1)] {
        let output = run::piped(&["redact", "--limit-names", max], plan.as_bytes());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("--limit-names"), code == 1, "{said}");
    }
}

/// A path in `replace_paths` may name an element of a set by its value. The path ends where any
/// marked path, not only the first, continues with another kind of step.
#[test]
fn a_path_is_cut_where_any_marked_place_may_be_an_element_of_a_set() {
    let paths = |before: &str, after: &str| {
        let members = format!(
            r#""actions":["no-op"],"replace_paths":[[1,2],["a","b"]],
            "before_sensitive":{before},"after_sensitive":{after}"#
        );
        let options =
            RecordOptions { show: plansift::record::Show::All, ..RecordOptions::default() };
        record_of(&members, &options)["replace_paths"].clone()
    };
    for (before, after) in [(r#"{"c":true}"#, "[true]"), ("[true]", r#"{"c":true}"#)] {
        assert_eq!(paths(before, after), serde_json::json!(["", ""]), "{before} {after}");
    }
    // A mark that is not a boolean counts too, in either overlay.
    for (before, after) in [(r#"{"c":1}"#, "[true]"), ("[true]", r#"{"c":1}"#)] {
        assert_eq!(paths(before, after), serde_json::json!(["", ""]), "{before} {after}");
    }
    assert_eq!(paths("[true]", "[true]"), serde_json::json!(["[1][2]", ""]));
    assert_eq!(paths(r#"{"c":true}"#, "{}"), serde_json::json!(["", "a.b"]));
}

#[test]
fn an_empty_text_counts_as_absent() {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.b","deposed":"",
        "previous_address":"","action_reason":"","module_address":"","type":"t","name":"b",
        "index":"","change":{"actions":["no-op"],"before":{"a":1},"after":{"a":1}}}]}"#;
    let (records, outcome) = run::records(Slice(plan.as_bytes()), &run::all()).expect("a plan");
    let change = &records[1];
    for key in ["deposed", "previous_address", "action_reason", "module_address"] {
        assert!(change.get(key).is_none(), "{change}");
    }
    assert_eq!(change["index"], "", "the key of an instance may be empty");
    assert_eq!((outcome.summary.moved, outcome.has_changes), (0, false));
    let output = run::piped(&["report", "--all"], plan.as_bytes());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(!text.contains("moved") && !text.contains("deposed"), "{text}");
    let state = r#"{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"t.b",
        "mode":"managed","type":"t","name":"b","deposed_key":"","values":{"a":1}}]}}}"#;
    let output = run::piped(&["resources"], state.as_bytes());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("t.b") && !text.contains("deposed"), "{text}");
    let asked = r#"{"resource":"t.b","path":"a","known":1}"#;
    let output = run::piped(&["assert", "-e", asked], state.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn planned_values_leave_out_a_resource_that_is_forgotten() {
    let resource = |name: &str, members: &str| {
        format!(r#"{{"address":"t.{name}","mode":"managed","type":"t","name":"{name}"{members}}}"#)
    };
    let resources = [
        resource("forgotten", r#","sensitive_values":false"#),
        resource("forgotten_too", r#","values":null,"sensitive_values":false"#),
        resource("unknown", r#","sensitive_values":{}"#),
        resource("old", ""),
        resource("kept", r#","values":{"a":1},"sensitive_values":{}"#),
    ];
    let values = format!(r#"{{"root_module":{{"resources":[{}]}}}}"#, resources.join(","));
    let plan = format!(
        r#"{{"format_version":"1.2","planned_values":{values},"prior_state":{{"values":{values}}},
        "resource_changes":[]}}"#
    );
    let listed = |of: &str| {
        let output = run::piped(&["resources", "--of", of, "-f", "ndjson"], plan.as_bytes());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let names = records.filter_map(|record| record["name"].as_str().map(str::to_owned));
        names.collect::<Vec<_>>()
    };
    assert_eq!(listed("planned"), ["unknown", "old", "kept"]);
    assert_eq!(listed("prior"), ["forgotten", "forgotten_too", "unknown", "old", "kept"]);
}

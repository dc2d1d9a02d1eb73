//! Filters of reports for people: which changes they hide, and the count of hidden changes.

use super::{plan_of, report_of};
use crate::run;

/// The first two words of each line of a report: a symbol with an address, or a sign with a path.
fn rows(text: &str) -> Vec<String> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let symbol = words.next().filter(|word| word.len() < 4 && *word != "!")?;
        Some(format!("{symbol} {}", words.next()?))
    };
    text.lines().filter_map(row).collect()
}

fn hidden(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Hidden, as asked for: "))
}

const UPDATE: &str = r#""actions":["update"]"#;

fn plan() -> String {
    plan_of(&[
        (
            "aws_a",
            &format!(
                r#"{UPDATE},"before":{{"n":1,"tags":{{"a":1}}}},"after":{{"n":2,"tags":{{"a":2}}}}"#
            ),
        ),
        (
            "aws_b",
            &format!(
                r#"{UPDATE},"before":{{"tags":{{"a":1}},"tags_all":{{"a":1}}}},
                   "after":{{"tags":{{"a":2}},"tags_all":{{"a":2}}}}"#
            ),
        ),
        ("gcp_c", r#""actions":["delete"],"before":{"tags":{"a":1}},"after":null"#),
        (
            "gcp_d",
            &format!(
                r#"{UPDATE},"before":{{"s":"x\n","l":[1,2,3]}},"after":{{"s":"x","l":[3,1,2]}}"#
            ),
        ),
        (
            "gcp_e",
            r#""actions":["delete","create"],"before":{"tags":{"a":1},"n":1},
               "after":{"tags":{"a":2},"n":2},"replace_paths":[["tags"]]"#,
        ),
    ])
}

/// Arguments, the rows that stay, and the count of hidden changes.
const CASES: [(&[&str], &[&str], Option<&str>); 12] = [
    (
        &[],
        &[
            "~ aws_a.r0",
            "~ n",
            "~ tags.a",
            "~ aws_b.r1",
            "~ tags.a",
            "~ tags_all.a",
            "- gcp_c.r2",
            "- tags.a",
            "~ gcp_d.r3",
            "~ l",
            "~ s",
            "-/+ gcp_e.r4",
            "~ n",
            "~ tags.a",
        ],
        None,
    ),
    (
        &["--ignore", "tags-only,whitespace,set-order"],
        &[
            "~ aws_a.r0",
            "~ n",
            "~ tags.a",
            "- gcp_c.r2",
            "- tags.a",
            "-/+ gcp_e.r4",
            "~ n",
            "~ tags.a",
        ],
        Some("2 changes."),
    ),
    (
        &["--ignore", "whitespace", "--ignore-type", "aws_*"],
        &["- gcp_c.r2", "- tags.a", "~ gcp_d.r3", "~ l", "-/+ gcp_e.r4", "~ n", "~ tags.a"],
        Some("2 changes, 1 attribute."),
    ),
    (
        &["--ignore-path", "tags*"],
        &[
            "~ aws_a.r0",
            "~ n",
            "- gcp_c.r2",
            "~ gcp_d.r3",
            "~ l",
            "~ s",
            "-/+ gcp_e.r4",
            "~ n",
            "~ tags.a",
        ],
        Some("1 change, 2 attributes."),
    ),
    (
        &["--only", "action:delete", "--only", "action:replace", "--only", "gcp_*"],
        &["- gcp_c.r2", "- tags.a", "-/+ gcp_e.r4", "~ n", "~ tags.a"],
        Some("3 changes."),
    ),
    (
        &["--only", "path:n", "--only", "type:aws_*"],
        &["~ aws_a.r0", "~ n", "~ tags.a"],
        Some("4 changes."),
    ),
    (&["--only", "address:gcp_d.*"], &["~ gcp_d.r3", "~ l", "~ s"], Some("4 changes.")),
    (
        &["--only", "module:", "--only", "aws_a"],
        &["~ aws_a.r0", "~ n", "~ tags.a"],
        Some("4 changes."),
    ),
    (&["--only", "module:x"], &[], Some("5 changes.")),
    (
        &["--only", "action:destroy"],
        &["- gcp_c.r2", "- tags.a", "-/+ gcp_e.r4", "~ n", "~ tags.a"],
        Some("3 changes."),
    ),
    (&["--only", "path:=tags"], &[], Some("5 changes.")),
    (&["--drift-only"], &[], Some("5 changes.")),
];

#[test]
fn filters_hide_changes_and_count_them() {
    for (args, expected, said) in CASES {
        let text = report_of(args, &plan());
        assert_eq!(
            (rows(&text), hidden(&text)),
            (expected.iter().map(|it| it.to_string()).collect(), said),
            "{args:?}"
        );
        // The counts include hidden changes.
        assert!(text.contains("Plan: 1 to add, 3 to change, 2 to destroy."), "{text}");
    }
}

#[test]
fn filters_separate_drift_and_changes() {
    let plan = run::root().join("corpus/plans/rich/plan.json");
    let parts = |args: &[&str]| {
        let text = super::report_on(args, &plan);
        assert!(text.contains("2 to forget. Actions: 1 to invoke.\n"), "{text}");
        ["Changed outside", "Changes\n", "Outputs\n"].map(|title| text.contains(title))
    };
    assert_eq!(parts(&[]), [true; 3]);
    assert_eq!(parts(&["--drift-only"]), [true, false, false]);
    assert_eq!(parts(&["--changes-only"]), [false, true, true]);
}

#[test]
fn a_module_is_shown_with_everything_in_it() {
    let plan = run::root().join("corpus/plans/rich/plan.json");
    for only in ["module.database", "module:module.database", "address:module.database"] {
        let text = super::report_on(&["--only", only], &plan);
        assert!(text.contains("aws_db_instance.replica[0]"), "{only}: {text}");
        assert!(!text.contains("aws_iam_role"), "{only}: {text}");
    }
}

#[test]
fn rules_and_counts_are_about_all_of_a_plan() {
    let args = ["report", "-o", "term", "--ignore-type", "gcp_*", "--fail-on", "delete", "-"];
    let output = run::piped(&args, plan().as_bytes());
    assert_eq!(output.status.code(), Some(3));
    let counts = report_of(&["-o", "gitlab", "--only", "none"], &plan());
    assert_eq!(counts, "{\"create\":1,\"update\":3,\"delete\":2}\n");
}

#[test]
fn comments_of_hidden_changes_show_rules_and_counts() {
    let args = ["report", "-o", "markdown", "--only", "none", "--fail-on", "delete", "-"];
    let output = run::piped(&args, plan().as_bytes());
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for part in [
        "## Plan: 1 to add, 3 to change, 2 to destroy.\n",
        "Hidden, as asked for: 5 changes.\n",
        "**Broken rules:**\n\n- `delete`: 1 in `gcp_c.r2`",
        "| `-` | 1 | 3 | 2 | 1 |\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("<details>"), "{text}");
}

#[test]
fn useless_filters_are_refused() {
    for args in [
        &["--values", "none", "--ignore", "whitespace"][..],
        &["--drift-only", "--changes-only"],
        &["--only", ""],
        &["--ignore-path", ""],
        &["--echo", "off"],
        &["--fit", "github"],
        &["--only", "kind:x"],
    ] {
        let args: Vec<&str> = ["report", "-"].iter().chain(args).copied().collect();
        assert_eq!(run::piped(&args, b"").status.code(), Some(64), "{args:?}");
    }
}

#[test]
fn instances_with_equal_excerpts_are_not_folded() {
    let alike = |format: &str, changes: [&str; 2]| {
        let keyed = |(key, change): (usize, &&str)| {
            format!(
                r#"{{"address":"a.b[{key}]","index":{key},"mode":"managed","type":"a","name":"b",
                    "change":{{{change}}}}}"#
            )
        };
        let changes: Vec<String> = changes.iter().enumerate().map(keyed).collect();
        let plan = format!(
            r#"{{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{}]}}"#,
            changes.join(",")
        );
        report_of(&["-o", format], &plan).contains("(2 alike)")
    };
    let created = |value: &str| {
        format!(
            r#""actions":["create"],"before":null,"after":{{"t":{value}}},"after_unknown":{{}}"#
        )
    };
    let updated = |before: &str, after: &str| {
        format!(r#""actions":["update"],"before":{{"t":{before}}},"after":{{"t":{after}}}"#)
    };
    let long = |len: usize, end: &str| format!(r#""{}{end}""#, "x".repeat(len));
    // The difference is beyond the elements that the report lists, or beyond the text that it
    // shows.
    let list = |len: usize, end: &str| format!(r#"[{}"{end}"]"#, r#""x","#.repeat(len));
    let imported = |id: &str| {
        let importing = format!(r#","importing":{{"id":"arn:{}{id}"}}"#, "x".repeat(300));
        r#""actions":["no-op"],"before":{},"after":{}"#.to_owned() + &importing
    };
    let deep = |end: &str| format!(r#""{}{end}{}""#, "[".repeat(300), "]".repeat(300));
    let pairs = ["admin", "user"].map(|end| {
        [
            created(&long(200, end)),
            created(&long(9000, end)),
            created(&list(9000, end)),
            created(&format!(r#"{{"m":{}}}"#, list(2000, end))),
            created(&deep(&end.len().to_string())),
            updated("[]", &list(2000, end)),
            updated(r#""short""#, &long(9000, end)),
            updated(
                &format!(r#""{end}{}1""#, "x".repeat(99)),
                &format!(r#""{end}{}2""#, "x".repeat(99)),
            ),
            imported(end),
        ]
    });
    let [admins, users] = &pairs;
    for format in ["term", "markdown"] {
        for (admin, user) in admins.iter().zip(users) {
            assert!(alike(format, [admin, admin]), "{format}: {}", &admin[..80]);
            assert!(!alike(format, [admin, user]), "{format}: {}", &admin[..80]);
        }
        // The report cannot compare attributes beyond its limit.
        let many = created(&list(11_000, ""));
        assert!(!alike(format, [&many, &many]));
        // Different secrets do not make instances different.
        let secret = |end: &str| {
            format!(
                r#""actions":["create"],"before":null,"after":{{"m":[[{},"{end}"]]}},
                   "after_sensitive":{{"m":[[{},true]]}}"#,
                [r#""x""#; 3000].join(","),
                ["false"; 3000].join(",")
            )
        };
        assert!(alike(format, [&secret("admin"), &secret("user")]), "{format}");
    }
}

#[test]
fn attributes_that_force_replacement_stay() {
    let list = |first: u32| {
        let elements: Vec<String> = (0..4).map(|at| format!(r#"{{"x":{}}}"#, first + at)).collect();
        elements.join(",")
    };
    let reasons: Vec<String> = (0..150).map(|key| format!(r#"["k{key}"]"#)).collect();
    let side = |value: u32| {
        let keys: Vec<String> = (0..150).map(|key| format!(r#""k{key}":{value}"#)).collect();
        format!(r#"{{"l":[{}],{}}}"#, list(value), keys.join(","))
    };
    let change = format!(
        r#""actions":["delete","create"],"before":{},"after":{},
           "replace_paths":[["l",1,"x"],{}]"#,
        side(1),
        side(2),
        reasons.join(",")
    );
    let plan = plan_of(&[("a", &change)]);
    let text = report_of(&["--ignore-path", "*"], &plan);
    assert_eq!(text.matches("# forces replacement").count(), 152, "{text}");
    let tags = r#""actions":["update"],"before":{"tags":1},"after":{"tags":2},
                  "replace_paths":[["tags"]]"#;
    let text = report_of(&["--ignore", "tags-only"], &plan_of(&[("a", tags)]));
    assert!(text.contains("# forces replacement"), "{text}");
}

/// A pattern for an attribute matches the string as a whole, not the members of a document in the
/// string. It does not matter whether the report shows values.
#[test]
fn path_patterns_match_strings_not_their_members() {
    let side = |number: u32| format!(r#"{{"p":"{{\"A\":[{number}]}}","q":{number}}}"#);
    let change = |actions: &str, more: &str| {
        let [before, after] = [1, 2].map(side);
        format!(r#""actions":[{actions}],"before":{before},"after":{after}{more}"#)
    };
    let plan = plan_of(&[
        ("a", &change(r#""update""#, "")),
        ("b", &change(r#""delete","create""#, r#","replace_paths":[["p"]]"#)),
        ("c", r#""actions":["update"],"before":{"q":1},"after":{"q":2}"#),
    ]);
    for values in ["changed", "none"] {
        let names = |args: &[&str]| {
            let text = report_of(&[args, &["--values", values]].concat(), &plan);
            let mut names = rows(&text);
            names.retain(|name| name.contains(".r"));
            (names, text)
        };
        assert_eq!(names(&["--only", "path:p"]).0, ["~ a.r0", "-/+ b.r1"], "{values}");
        assert_eq!(names(&["--only", "path:p.A"]).0, [""; 0], "{values}");
        let (left, text) = names(&["--ignore-path", "p", "--ignore-path", "q"]);
        assert_eq!(left, ["-/+ b.r1"], "{values}: {text}");
        assert!(text.contains("# forces replacement"), "{text}");
    }
}

#[test]
fn failed_checks_that_are_hidden_are_named() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"checks":[
        {"address":{"to_display":"check.a"},"status":"fail"},
        {"address":{"to_display":"check.b"},"status":"error"},
        {"address":{"to_display":"check.c"},"status":"unknown"}]}"#;
    for args in [&["--drift-only"][..], &["--only", "action:delete"]] {
        let text = report_of(args, plan);
        assert_eq!(hidden(&text), Some("2 failed checks, 1 other row."), "{text}");
        assert!(text.ends_with("\nNo changes.\n! 2 checks failed.\n"), "{text}");
        let text = report_of(&[&["-o", "markdown"], args].concat(), plan);
        assert!(text.contains("as asked for: 2 failed checks, 1 other row."), "{text}");
        assert!(text.contains("**Warning:** 2 checks failed."), "{text}");
    }
}

#[test]
fn filters_by_address_show_outputs_checks_and_actions() {
    let plan = r#"{"format_version":"1.2",
        "resource_changes":[{"address":"a.x","mode":"managed","type":"a","name":"x",
            "change":{"actions":["delete"],"before":{},"after":null}}],
        "output_changes":{
            "one":{"actions":["create"],"before":null,"after":1},
            "two":{"actions":["create"],"before":null,"after":2}},
        "checks":[{"address":{"to_display":"check.c"},"status":"fail"}]}"#;
    let shown = |only: &str| {
        let text = report_of(&["--only", only], plan);
        let names = ["a.x", "+ one", "+ two", "check.c"];
        (names.map(|name| text.contains(name)), hidden(&text).map(str::to_owned))
    };
    let others = |text: &str| Some(text.to_owned());
    assert_eq!(
        shown("output.*"),
        ([false, true, true, false], others("1 change, 1 failed check."))
    );
    for only in ["=output.one", "address:output.o*"] {
        let hidden = others("1 change, 1 failed check, 1 other row.");
        assert_eq!(shown(only), ([false, true, false, false], hidden), "{only}");
    }
    assert_eq!(shown("check.c"), ([false, false, false, true], others("1 change, 2 other rows.")));
    assert_eq!(
        shown("type:a"),
        ([true, false, false, false], others("1 failed check, 2 other rows."))
    );
    // A pattern that matches nothing is a warning, with the nearest name.
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.json"), plan).expect("a file");
    for (only, said) in [
        ("output.one", ""),
        ("*.two", ""),
        ("output.onw", "no resource has such an address, type or module: did you mean output.one?"),
        ("address:check.d", "no resource has such an address: did you mean check.c?"),
    ] {
        let run = super::report(folder.path(), &["--only", only, "p.json"], &[]);
        let expected = match said {
            "" => String::new(),
            said => format!("plansift: warning: --only {only} matches nothing, {said}\n"),
        };
        assert_eq!(run.err, expected, "{only}");
    }
}

#[test]
fn filters_without_effect_are_warnings() {
    let folder = super::folder(&["update"], &[]);
    let run = |args: &[&str]| super::report(folder.path(), &[args, &["update.json"]].concat(), &[]);
    for (option, value) in [
        ("--only", Some("type:*")),
        ("--ignore-path", Some("*")),
        ("--ignore-type", Some("*")),
        ("--ignore", Some("tags-only")),
        ("--drift-only", None),
        ("--changes-only", None),
        ("--full", None),
    ] {
        let option = [option].into_iter().chain(value).collect::<Vec<_>>();
        let words = "no effect on -o json, -o junit, which always cover the whole plan";
        let said = format!("plansift: warning: {}: {words}\n", option[0]);
        for more in [&[][..], &["-o", "term=y"]] {
            let args = [more, &["-o", "json", "-o", "junit=x"], &option[..]].concat();
            let machines = run(&args);
            assert_eq!(machines.code, Some(0), "{}", machines.err);
            assert!(machines.err.contains(&said), "{}", machines.err);
            assert!(!run(&[&args[..], &["--quiet"]].concat()).err.contains("no effect"));
        }
        let people = run(&[&["-o", "markdown"], &option[..]].concat());
        assert!(!people.err.contains("no effect"), "{}", people.err);
    }
}

/// With `--all`, what does not change has headings of its own, and no line ends with a blank.
#[test]
fn unchanged_things_have_headings_of_their_own() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"module.m.t.a","module_address":"module.m","type":"t","name":"a",
        "change":{"actions":["update"],"before":{"n":1},"after":{"n":2}}},
        {"address":"module.m.t.b","module_address":"module.m","type":"t","name":"b",
        "change":{"actions":["no-op"],"before":{"n":1},"after":{"n":1}}},
        {"address":"module.m.t.c","module_address":"module.m","type":"t","name":"c",
        "change":{"actions":["delete"],"before":{"n":1},"after":null}}],
        "output_changes":{"kept":{"actions":["no-op"],"before":1,"after":1},
        "new":{"actions":["create"],"before":null,"after":1}},
        "checks":[{"address":{"to_display":"check.a"},"status":"pass"},
        {"address":{"to_display":"check.b"},"status":"unknown"}]}"#;
    let text = report_of(&["--all"], plan);
    let lines: Vec<&str> = text.lines().collect();
    let at = |line: &str| lines.iter().position(|it| *it == line).expect(line);
    for (heading, row) in [
        ("Checks that did not pass", "      check.b  unknown"),
        ("Changes", "    ~ t.a  will be updated in place"),
        ("Changes", "    - t.c  will be destroyed"),
        ("Outputs", "    + new = 1"),
        ("Checks that passed", "      check.a  pass"),
        ("Unchanged resources", "      t.b"),
        ("Unchanged outputs", "      kept"),
    ] {
        let next = lines[at(heading) + 1..].iter().position(|line| {
            ["Checks", "Changes", "Outputs", "Unchanged", "Plan"]
                .iter()
                .any(|it| line.starts_with(it))
        });
        let end = at(heading) + 1 + next.expect("another heading or the plan line");
        assert!((at(heading)..end).contains(&at(row)), "{heading}: {row}: {text}");
    }
    assert_eq!(text.matches("\n  module.m\n").count(), 2, "once for each part: {text}");
    let blank: Vec<&str> = text.lines().filter(|line| line.ends_with(' ')).collect();
    assert!(blank.is_empty(), "{blank:?}");
}

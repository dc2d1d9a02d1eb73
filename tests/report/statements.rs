//! Besides values, a report states everything that Terraform and OpenTofu print about a plan.

use std::collections::BTreeMap;
use std::fs;

use super::{plan_of, report_of, report_on};
use crate::{run, shared_plans};

/// The two text formats for people.
const FORMATS: [&str; 2] = ["term", "markdown"];

/// Asserts that the report in both formats has `texts`, and none of `absent`.
fn assert_reported(plan: &str, texts: &[&str], absent: &[&str]) {
    for format in FORMATS {
        let report = report_of(&["-o", format], plan);
        // The terminal pads paths with spaces. Markdown has `!` where the terminal has `~`.
        let words: Vec<&str> = report.split_whitespace().collect();
        let words = words.join(" ").replace("\n! ", "\n~ ").replace(" ! ", " ~ ");
        for text in texts {
            assert!(words.contains(text), "{format}: {text}: {report}");
        }
        for text in absent {
            assert!(!words.contains(text), "{format}: {text}: {report}");
        }
    }
}

#[test]
fn write_only_attributes_of_created_resources_are_named() {
    let created = r#""actions":["create"],"before":null,
        "after":{"a_wo":null,"b":null,"c_wo_version":1,"o":{"d_wo":null}},
        "after_unknown":{"e_wo":true},"after_sensitive":{"o":{"d_wo":true}}"#;
    let kept = r#""actions":["update"],"before":{"f_wo":null,"n":1},"after":{"f_wo":null,"n":2}"#;
    let gone = r#""actions":["delete"],"before":{"g_wo":null,"n":1},"after":null"#;
    assert_reported(
        &plan_of(&[("t", created), ("t", kept), ("t", gone)]),
        &[
            // Only a mark at `null` proves that an attribute is write-only; a name does not.
            "+ a_wo = null (write-only, going by its name)",
            "+ c_wo_version = 1",
            "+ e_wo = (known after apply)",
            "+ o.d_wo = (write-only attribute)",
        ],
        &["b =", "f_wo", "g_wo"],
    );
}

#[test]
fn reports_show_null_in_lists() {
    let created = r#""actions":["create"],"before":null,
        "after":{"l":[null,"x",null],"m":{"k":null}},
        "after_unknown":{"l":[false,false,true]}"#;
    let gone = r#""actions":["delete"],"before":{"d":["x",null]},"after":null"#;
    let changed = r#""actions":["update"],"before":{"u":["a",null],"v":["b",1,null]},
        "after":{"u":["a","c"],"v":["b",1]}"#;
    assert_reported(
        &plan_of(&[("t", created), ("t", gone), ("t", changed)]),
        &[
            "+ l[0] = null",
            "+ l[2] = (known after apply)",
            "- d[1] = null",
            "~ u[1] = null -> \"c\"",
            "- v[2] = null",
        ],
        &[],
    );
}

#[test]
fn a_key_with_null_on_one_side_is_a_change() {
    let map = r#""actions":["update"],"before":{"m":{"a":"1","Owner":null},"o":{"k":{}}},
        "after":{"m":{"a":"1"},"o":{"k":{"id":null}}}"#;
    // The keys of the objects are not in order.
    let unsorted = r#""actions":["update"],"before":{"u":{"z":1,"a":null}},
        "after":{"u":{"b":null,"a":null,"z":1}}"#;
    let documents = r#""actions":["update"],
        "before":{"p":"{\"a\":1,\"n\":null}","v":["tag: v1\nreplicas: 2\n"],"w":"{}"},
        "after":{"p":"{\"a\":1,\"b\":null}","v":["tag: v1\nreplicas: 2\nlivenessProbe: null\n"],
            "w":"{\"x\":null}"}"#;
    let kept = r#""actions":["update"],"before":{"kept":null,"x":1},"after":{"kept":null,"x":2}"#;
    let plan = plan_of(&[("t", map), ("t", unsorted), ("t", documents), ("t", kept)]);
    let rows = [
        "- m.Owner = null",
        "+ o.k.id = null",
        "+ u.b = null",
        "+ jsondecode(p).b = null",
        "- jsondecode(p).n = null",
        "+ jsondecode(w).x = null",
        "+ yamldecode(v[0]).livenessProbe = null",
    ];
    assert_reported(&plan, &rows, &["u.a", "kept", "no value changes"]);
    let full = report_of(&["--full"], &plan);
    assert!(full.contains("+ livenessProbe: null") && full.contains("u.b"), "{full}");
}

#[test]
fn marks_that_come_and_go_are_shown_without_the_value() {
    let drops = r#""actions":["update"],"before":{"token":"Canary-1","size":1},
        "after":{"token":"Canary-1","size":1},"before_sensitive":{"token":true}"#;
    let gains = r#""actions":["update"],"before":{"token":"Canary-2","size":1},
        "after":{"token":"Canary-2","size":2},"after_sensitive":{"token":true}"#;
    let both = r#""actions":["update"],"before":{"token":"Canary-3"},
        "after":{"token":"Canary-4"},"before_sensitive":{"token":true}"#;
    let same = r#""actions":["update"],"before":{"m":{"x":"Canary-5"}},
        "after":{"m":{"x":"Canary-5"}},"before_sensitive":{"m":true},
        "after_sensitive":{"m":{"x":true}}"#;
    let created = r#""actions":["create"],"before":null,"after":{"c":"Canary-6"},
        "after_sensitive":{"c":true}"#;
    let changes = [("t", drops), ("t", gains), ("t", both), ("t", same), ("t", created)];
    let plan = plan_of(&changes);
    assert_reported(
        &plan,
        &[
            "1 value will no longer be marked as sensitive",
            "1 value will be marked as sensitive",
            "~ token = (sensitive value) (will no longer be marked as sensitive; the value does \
             not change)",
            "~ token = (sensitive value) (will be marked as sensitive; the value does not change)",
            "~ token = (sensitive value) (will no longer be marked as sensitive)",
            "no value changes, but a sensitive one may",
            "+ c = (sensitive value)",
        ],
        &["Canary", "c = (sensitive value) (will"],
    );
    for args in [&["--full"][..], &["--values", "none"], &["-o", "html"]] {
        let report = report_of(args, &plan);
        assert!(report.contains("will no longer be marked") && !report.contains("Canary"));
    }
    let output = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{"o":{
        "actions":["update"],"before":"Canary-7","after":"Canary-7","after_unknown":false,
        "before_sensitive":true,"after_sensitive":false}}}"#;
    assert_reported(
        output,
        &["(sensitive value) (will no longer be marked as sensitive; the value does not change)"],
        &["Canary"],
    );
}

#[test]
fn elements_with_nothing_but_null_are_shown() {
    let values = r#"{"top":null,"s":[{"x":null,"y":null},{"x":1,"y":null}],"tags":{"a":null},
        "deep":[{"o":{"p":[{"q":null}]}}],"labels":{"Owner":null,"l":"v"},
        "block":{"size":1,"mode":null,"name":"n"},"list":[{"name":"n","mode":null}]}"#;
    let created = format!(r#""actions":["create"],"before":null,"after":{values}"#);
    let gone = format!(r#""actions":["delete"],"before":{values},"after":null"#);
    let open = r#""actions":["create"],"before":null,"after":{"l":[{"a":null}]},
        "after_unknown":{"l":[{"b":true}]}"#;
    let paths = ["s[0].x", "s[0].y", "tags.a", "deep[0].o.p[0].q", "labels.Owner"];
    let absent = ["top", "s[1].y", ".mode", "l[0].a"];
    for (change, sign) in [(&created, "+"), (&gone, "-")] {
        let rows = paths.map(|path| format!("{sign} {path} = null"));
        let rows = rows.each_ref().map(String::as_str);
        assert_reported(&plan_of(&[("t", change), ("t", open)]), &rows, &absent);
    }
    // Nothing in an output is an optional argument.
    let outputs = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{
        "new":{"actions":["create"],"before":null,"after":["a",{"b":null,"c_wo":null,"d":1}],
            "after_unknown":false}}}"#;
    assert_reported(outputs, &["+ [1].b = null", "+ [1].c_wo = null", "+ [1].d = 1"], &[]);
}

#[test]
fn reports_count_unchanged_attributes() {
    let update = r#""actions":["update"],"before":{"a":1,"b":{"x":1,"y":2},"c":[],"d":null,"e":"s"},
        "after":{"a":1,"b":{"x":1,"y":3},"c":[],"d":null,"e":"s"},"after_unknown":{"e":true}"#;
    assert_reported(&plan_of(&[("t", update)]), &["(2 unchanged attributes)"], &[]);
    let one = r#""actions":["update"],"before":{"a":1,"b":2},"after":{"a":1,"b":3}"#;
    assert_reported(&plan_of(&[("t", one)]), &["(1 unchanged attribute)"], &[]);
    let all = r#""actions":["update"],"before":{"a":1},"after":{"a":2}"#;
    let created = r#""actions":["create"],"before":null,"after":{"a":2}"#;
    assert_reported(&plan_of(&[("t", all), ("t", created)]), &[], &["unchanged"]);
    let paths = report_of(&["--values", "none"], &plan_of(&[("t", update)]));
    assert!(!paths.contains("unchanged"), "paths are all that is shown: {paths}");
    let shown = report_of(&["--values", "all"], &plan_of(&[("t", update)]));
    assert!(!shown.contains("unchanged"), "{shown}");
}

#[test]
fn instances_are_alike_only_with_as_many_unchanged_attributes() {
    let instance = |index: usize, more: &str| {
        format!(
            r#"{{"address":"t.a[{index}]","mode":"managed","type":"t","name":"a","index":{index},
            "change":{{"actions":["update"],"before":{{"a":1{more}}},"after":{{"a":2{more}}}}}}}"#
        )
    };
    let changes = [instance(0, ""), instance(1, r#","b":1"#)].join(",");
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{changes}]}}"#);
    assert_reported(&plan, &["(1 unchanged attribute)"], &["alike"]);
}

#[test]
fn reports_show_generated_configuration_and_deposed_objects() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.i","type":"t","name":"i","change":{"actions":["no-op"],"before":{"a":1},
        "after":{"a":1},"importing":{"id":"x"},"generated_config":"resource \"t\" \"i\" {}"}},
        {"address":"t.d","type":"t","name":"d","deposed":"12ab","change":{"actions":["delete"],
        "before":{"a":1},"after":null}}]}"#;
    let generated = "its configuration will be generated";
    let deposed = "left over from a partially failed replacement";
    assert_reported(plan, &[generated, deposed], &[]);
}

#[test]
fn echoes_and_marked_values_look_different() {
    let changed = r#""actions":["update"],"before":{"p":"hunter22","q":"hunter22","t":"a\nb"},
        "after":{"p":"hunter23","q":"hunter23","r":["hunter23"],"t":"a\nhunter23"},
        "before_sensitive":{"p":true},"after_sensitive":{"p":true}"#;
    let plan = plan_of(&[("t", changed)]);
    assert_reported(
        &plan,
        &[
            "~ p = (sensitive value) ~ q = (repeats a sensitive value) \
             + r = [(repeats a sensitive value)]",
            "+ (repeats a sensitive value)",
        ],
        &["hunter", "-> (repeats"],
    );
    let page = report_of(&["-o", "html"], &plan);
    assert!(page.contains(r#"["q","repeated","repeated"]"#) && !page.contains("hunter"));
    let help = run::plansift().args(["report", "--help"]).output().expect("it runs");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.contains("- contains: ") && !help.contains("- off: "), "{help}");
}

#[test]
fn unknown_sensitive_values_are_sensitive() {
    let changed = r#""actions":["update"],"before":{"p":"one","q":"two","u":1},
        "after":{},"after_unknown":{"n":true,"o":{"k":true},"p":true,"q":true,"u":true},
        "before_sensitive":{"p":true},"after_sensitive":{"n":true,"o":{"k":true},"q":true}"#;
    let created = r#""actions":["create"],"before":null,"after":{"l":[null]},
        "after_unknown":{"l":[true],"s":true,"t":true},"after_sensitive":{"l":[true],"s":true}"#;
    let output = r#"{"format_version":"1.2","resource_changes":[],"output_changes":{
        "x":{"actions":["update"],"before":"one","after_unknown":true,
        "before_sensitive":true,"after_sensitive":true}}}"#;
    assert_reported(
        &plan_of(&[("t", changed), ("t", created)]),
        &[
            "+ n = (sensitive value) + o.k = (sensitive value) ~ p = (sensitive value) \
             (will no longer be marked as sensitive) ~ q = (sensitive value) \
             (will be marked as sensitive) ~ u = 1 -> (known after apply)",
            "+ l[0] = (sensitive value) + s = (sensitive value) + t = (known after apply)",
        ],
        &["-> (sensitive"],
    );
    assert_reported(output, &["(sensitive value)"], &["known after apply"]);
}

#[test]
fn imports_show_their_id() {
    let import = |importing: &str| format!(r#""importing":{importing},"before":{{"a":1}}"#);
    let plan = |importing: &str, rest: &str| plan_of(&[("t", &(import(importing) + rest))]);
    const UPDATE: &str = r#","after":{"a":2},"actions":["update"]"#;
    const NONE: &str = r#","after":{"a":1},"actions":["no-op"]"#;
    for (importing, rest, expected) in [
        (r#"{"id":"x-1"}"#, UPDATE, r#"will be updated in place, imported from "x-1""#),
        (r#"{"id":"x-1"}"#, NONE, r#"t.r0 will be imported from "x-1""#),
        (
            r#"{"identity":{"account":"1","n":[1,2]}}"#,
            NONE,
            r#"will be imported by identity { account = "1", n = [1,2] }"#,
        ),
        (
            r#"{"id":"x","identity":{"n":null}}"#,
            UPDATE,
            r#"imported from "x", identity { n = null }"#,
        ),
        (r#"{"unknown":true}"#, UPDATE, "imported from (known after apply)"),
        (r#"{"id":7}"#, UPDATE, "imported from 7"),
        ("{}", UPDATE, "will be updated in place, imported"),
    ] {
        for format in FORMATS {
            let report = report_of(&["-o", format, "--full"], &plan(importing, rest));
            let words: Vec<&str> = report.split_whitespace().collect();
            let words = words.join(" ").replace(['`', '*'], "");
            assert!(words.contains(expected), "{format}: {expected}: {report}");
            // The report also shows values that do not change.
            assert!(words.contains("a = 1"), "{format}: {report}");
        }
    }
    let marked = plan(
        r#"{"id":"hunter22"}"#,
        r#","after":{"a":"hunter22"},"after_sensitive":{"a":true},"actions":["update"]"#,
    );
    assert_reported(&marked, &["imported from"], &["hunter22", r#""(sensitive value)""#]);
    assert!(report_of(&["-o", "html"], &marked).contains("imported from (sensitive value)"));
}

#[test]
fn reports_say_that_forgotten_objects_are_not_destroyed() {
    let gone = r#""actions":["forget"],"before":{"a":1,"l":[]},"after":null"#;
    let reason = r#""action_reason":"delete_because_no_resource_config","change""#;
    let forgotten = plan_of(&[("t", gone)]).replace("\"change\"", reason);
    let words = "will no longer be managed, but will not be destroyed";
    let removed = "a removed block says not to destroy it";
    assert_reported(
        &forgotten,
        &[words, removed, " a = 1", " l = []"],
        &["- a =", "- l =", "no longer in the configuration"],
    );
    let actions = [r#"["create","forget"]"#, r#"["forget","create"]"#];
    let replaced = |actions: &str| {
        let members = r#""before":{"a":1},"after":{"a":2},"replace_paths":[["a"]]"#;
        plan_of(&[("t", &format!(r#""actions":{actions},{members}"#))])
    };
    let stays = "the old object stays and is no longer managed";
    for (actions, forgets) in actions.into_iter().zip([0, 1]) {
        let plan = replaced(actions);
        assert_reported(
            &plan,
            &["must be replaced", stays, "~ a = 1 -> 2 # forces replacement"],
            &[],
        );
        assert!(report_of(&["-o", "html"], &plan).contains(stays));
        let summary = run::piped(&["summary", "-"], plan.as_bytes());
        let summary = String::from_utf8_lossy(&summary.stdout).into_owned();
        assert!(summary.contains(stays), "{summary}");
        let note = "Replacements are counted apart here: 1 added, 0 destroyed in the plan line.";
        for more in [&[][..], &["--group-by", "type"]] {
            let args: Vec<&str> = ["summary", "-"].iter().chain(more).copied().collect();
            let table = run::piped(&args, plan.as_bytes());
            let table = String::from_utf8_lossy(&table.stdout).into_owned();
            assert!(table.contains(note), "{table}");
        }
        // The counts are those of the plan line of the tools.
        let numbers = report_of(&["-o", "variables"], &plan);
        for line in ["PLANSIFT_REPLACE=1", "PLANSIFT_DESTROY=0"] {
            assert!(numbers.lines().any(|it| it == line), "{numbers}");
        }
        assert!(numbers.contains(&format!("PLANSIFT_FORGET={forgets}\n")), "{numbers}");
        for command in ["report", "summary", "changes"] {
            for (rule, code) in [("forget", 3), ("forget:t.r0", 3), ("replace", 3), ("destroy", 0)]
            {
                let run = run::piped(&[command, "--fail-on", rule, "-"], plan.as_bytes());
                assert_eq!(run.status.code(), Some(code), "{command} {rule}: {actions}");
            }
        }
        let only = report_of(&["--only", "action:forget"], &plan);
        assert!(only.contains(stays), "{only}");
    }
    assert!(report_of(&["-o", "html"], &forgotten).contains(removed));
}

#[test]
fn reports_show_the_configuration_of_invoked_actions() {
    let plan = r#"{"format_version":"1.2","action_invocations":[{"address":"action.n.a","type":"n",
        "name":"a","config_values":{"message":"hello","list":[1,null],"none":null,
        "password":"hunter22"},"config_sensitive":{"password":true},
        "config_unknown":{"list":[false,true],"id":true},"lifecycle_action_trigger":{
        "triggering_resource_address":"t.a","action_trigger_event":"AfterCreate"}}]}"#;
    assert_reported(
        plan,
        &[
            "id = (known after apply)",
            "list[0] = 1",
            "list[1] = (known after apply)",
            "message = \"hello\"",
            "password = (sensitive value)",
        ],
        &["none", "hunter22"],
    );
    let paths = report_of(&["--values", "none"], plan);
    assert!(!paths.contains("hello") && paths.contains("id"), "{paths}");
}

#[test]
fn reports_show_deferred_actions_and_reasons() {
    let plan = r#"{"format_version":"1.2","deferred_action_invocations":[
        {"reason":"deferred_prereq","action_invocation":{"address":"action.n.b","type":"n",
        "name":"b","config_values":{"message":"later","key":"hunter22"},
        "config_sensitive":{"key":true}}}],"deferred_changes":[
        {"reason":"instance_count_unknown","resource_change":{"address":"t.a[*]","type":"t",
        "change":{"actions":["create"],"before":null,"after":{"a":1}}}},
        {"reason":"new_word","resource_change":{"address":"t.b","type":"t",
        "change":{"actions":["create"],"before":null,"after":{"a":1}}}}]}"#;
    assert_reported(
        plan,
        &[
            "Deferred to a later plan",
            "deferred because the number of instances is not known yet",
            "new_word",
            "Actions deferred to a later plan",
            "deferred because something that it needs is deferred",
            "message = \"later\"",
            "key = (sensitive value)",
        ],
        &["hunter22", "to invoke"],
    );
    let page = report_of(&["-o", "html"], plan);
    assert!(page.contains(r#"{"kind":"deferred_invocation","address":"action.n.b""#), "{page}");
    let summary = run::piped(&["summary", "-"], plan.as_bytes());
    let summary = String::from_utf8_lossy(&summary.stdout).into_owned();
    assert!(summary.contains("1 because the number of instances is not known yet"), "{summary}");
}

#[test]
fn a_document_that_is_too_long_to_search_says_why_it_is_not_shown() {
    let long = format!(r#"{{\"a\":\"{}\"}}"#, "x".repeat(1 << 20));
    let change = format!(r#""actions":["create"],"before":null,"after":{{"p":"{long}"}}"#);
    let text = report_of(&["--full"], &plan_of(&[("t", &change)]));
    assert!(text.contains("not shown: too long or too deep to search for secrets"), "{text}");
}

#[test]
fn empty_and_absent_values_look_different() {
    let change = r#""actions":["update"],"before":{"a":[],"b":{},"c":null,"d":"","t":"x\ny\n"},
        "after":{"a":null,"b":[],"c":{},"d":null,"t":"x\ny"}"#;
    assert_reported(
        &plan_of(&[("t", change)]),
        &["- a = []", "~ b = {} -> []", "+ c = {}", "- d = \"\"", "- (a line feed at the end)"],
        &[],
    );
}

#[test]
fn reports_name_the_tool_of_the_plan() {
    let drift = |version: &str, provider: &str, more: &str| {
        format!(
            r#"{{"format_version":"1.2","terraform_version":"{version}","resource_drift":[{{
            "address":"t.a","type":"t","provider_name":"{provider}/x/t","change":{{
            "actions":["update"],"before":{{"a":1}},"after":{{"a":2}}}}}}],"errored":false{more}}}"#
        )
    };
    let (builtin, applyable) = ("terraform.io/builtin", r#","applyable":true,"complete":true"#);
    for (plan, tool) in [
        (drift("1.9.0", builtin, ""), "OpenTofu"),
        (drift("1.9.0", builtin, applyable), "Terraform"),
        (drift("1.6.0", "registry.opentofu.org", ""), "OpenTofu"),
        (drift("1.9.0", "registry.terraform.io", ""), "Terraform"),
    ] {
        assert_reported(&plan, &[&format!("Changed outside of {tool} (drift)")], &[]);
        let page = report_of(&["-o", "html"], &plan);
        assert_eq!(page.contains(r#""tool":"OpenTofu""#), tool == "OpenTofu", "{page}");
    }
    let plans = [drift("1.9.0", builtin, ""), drift("1.9.0", builtin, applyable)].join("\n");
    let page = report_of(&["-o", "markdown"], &plans);
    assert!(page.contains("Changed outside of Terraform or OpenTofu (drift): 2"), "{page}");
}

#[test]
fn counts_of_one_are_singular() {
    let plan = plan_of(&[("t", r#""actions":["create"],"before":null,"after":{"a":1}"#)]);
    let failed = plan.replace(r#""format_version""#, r#""errored":true,"format_version""#);
    let page = report_of(&["-o", "markdown"], &format!("{failed}\n{plan}"));
    assert!(page.contains("Planning failed in 1 plan: incomplete."), "{page}");
    assert_reported(&failed, &["Planning failed: this plan is incomplete."], &[]);
}

/// How often each of `words` occurs in a text, by name.
fn counted(text: &str, words: &[(&'static str, &str)]) -> BTreeMap<&'static str, usize> {
    words.iter().map(|(name, words)| (*name, text.matches(words).count())).collect()
}

#[test]
fn reports_have_the_same_counts_as_terraform_renderings() {
    let mut plans = 0;
    for (name, path) in shared_plans::files() {
        let Some(plan) = shared_plans::plan_beside(&path, ".plan.txt") else { continue };
        if !name.starts_with("real/") {
            continue;
        }
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let theirs = counted(
            &text,
            &[
                ("deposed", "left over from a partially-failed replacement"),
                ("generated", "(config will be generated)"),
                ("null", "+ null,"),
                ("config", "        config {"),
            ],
        );
        let ours = report_on(&["--echo-min", "100000"], &plan);
        // The report pads paths with spaces.
        let ours: Vec<String> =
            ours.lines().map(|line| line.replace("  ", "").replace("] = ", "]= ")).collect();
        let ours = ours.join("\n") + "\n";
        let ours = counted(
            &ours,
            &[
                ("deposed", "left over from a partially failed replacement"),
                ("generated", "its configuration will be generated"),
                ("null", "]= null\n"),
                ("config", "\naction."),
            ],
        );
        assert_eq!(ours, theirs, "{name}");
        plans += 1;
    }
    assert!(plans >= 70, "{plans}");
}

/// Number of unchanged attributes of each resource that is updated or replaced, by address. Counts
/// the attributes that a rendering hides and those that it shows unchanged. `None` if the resource
/// has blocks, because a plan does not tell blocks from lists.
fn unchanged(text: &str) -> BTreeMap<String, Option<u64>> {
    let mut counts = BTreeMap::new();
    let mut current: Option<(String, Option<u64>)> = None;
    for line in text.lines() {
        let update = line.strip_prefix("  # ").and_then(|comment| {
            let verbs = [" will be updated in-place", " must be replaced"];
            verbs.iter().find_map(|verb| comment.strip_suffix(verb))
        });
        if let Some(address) = update {
            current = Some((address.to_owned(), Some(0)));
        } else if line == "    }" {
            counts.extend(current.take());
        } else if let Some((_, count)) = &mut current
            && let Some(inner) = line.strip_prefix("        ")
            && !inner.starts_with([' ', '}', ']', ')'])
        {
            let hidden = inner.strip_prefix("# (").and_then(|it| it.strip_suffix(" hidden)"));
            match hidden.and_then(|it| it.split_once(' ')) {
                Some((number, what)) if what.starts_with("unchanged attribute") => {
                    let number: u64 = number.parse().expect("a number");
                    *count = count.map(|count| count + number);
                }
                Some(_) => *count = None,
                None if inner.contains(" = ") => *count = count.map(|count| count + 1),
                None => *count = None,
            }
        } else if line.starts_with("      ") && line.ends_with('{') && !line.contains('=') {
            // A block. The rendering does not say whether the resource has unchanged blocks.
            if let Some((_, count)) = &mut current {
                *count = None;
            }
        }
    }
    counts
}

/// Number of unchanged attributes that a report states, by address.
fn reported(text: &str) -> BTreeMap<String, u64> {
    let (mut counts, mut module, mut current) = (BTreeMap::new(), String::new(), String::new());
    for line in text.lines() {
        if !line.starts_with(' ') {
            module.clear();
        } else if let Some(name) = line.strip_prefix("  module.") {
            module = format!("module.{name}.");
        } else if let Some(words) = line.trim().strip_prefix('(')
            && let Some((number, _)) = words.split_once(" unchanged attribute")
        {
            counts.insert(current.clone(), number.parse().expect("a number"));
        } else if let Some(head) = line.get(6..).filter(|head| !head.starts_with(' '))
            && let Some((head, _)) = head.split_once("  ")
        {
            current = format!("{module}{head}");
            counts.insert(current.clone(), 0);
        }
    }
    counts
}

#[test]
fn unchanged_attribute_counts_match_the_tools() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, path) in shared_plans::files() {
        let Some(plan) = shared_plans::plan_beside(&path, ".plan.txt") else { continue };
        if !name.starts_with("real/") {
            continue;
        }
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let ours = reported(&report_on(&["--changes-only"], &plan));
        for (address, count) in unchanged(&text) {
            let (Some(count), Some(ours)) = (count, ours.get(&address)) else { continue };
            compared += 1;
            if *ours != count {
                wrong.push(format!("{name}: {address}: {count} told as {ours}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 40, "{compared}");
}

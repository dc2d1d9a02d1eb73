//! Single rules of comparisons, on small plans that are written here.

use serde_json::{Value, json};

use super::Key;
use crate::run;

/// A plan with these changes.
fn plan(changes: &[Value]) -> String {
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0", "resource_changes": changes,
        "timestamp": "2026-03-01T08:00:00Z", "complete": true, "errored": false, "applyable": true,
    })
    .to_string()
}

/// A change of a resource, with these members of its change.
fn change(address: &str, members: Value) -> Value {
    let (type_name, name) = address.split_once('.').expect("a type and a name");
    json!({
        "address": address, "mode": "managed", "type": type_name, "name": name,
        "provider_name": "p", "change": members,
    })
}

/// A change with another member beside its address.
fn with(mut change: Value, key: &str, value: &str) -> Value {
    change[key] = value.into();
    change
}

fn update(before: Value, after: Value) -> Value {
    json!({"actions": ["update"], "before": before, "after": after})
}

/// Runs a command, and returns its outputs and exit code.
fn run_in(key: &Key, args: &str) -> (String, String, i32) {
    let mut command = run::plansift();
    command.current_dir(key.folder.path()).args(args.split(' '));
    let output = command.output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code().expect("an exit code"))
}

/// A value that one document marks is hidden in both, at every kind of difference.
#[test]
fn a_value_that_one_document_marks_is_shown_of_neither() {
    const SECRET: &str = "pw-7Q";
    let marked = |part: Value, marks: Value, unknown: Value| {
        let before = json!({"n": 1});
        let mut after = json!({"n": 2});
        after.as_object_mut().expect("an object").extend(part.as_object().expect("one").clone());
        change(
            "t.a",
            json!({
                "actions": ["update"], "before": before, "after": after, "after_unknown": unknown,
                "before_sensitive": {}, "after_sensitive": marks,
            }),
        )
    };
    let open = |part: Value| marked(part, json!({}), json!({}));
    let closed = |part: Value, marks: Value| marked(part, marks, json!({}));
    let unknown = |marks: Value| marked(json!({}), marks, json!({"p": true}));
    let scalar = json!({"p": SECRET});
    let map = json!({"p": {"a": SECRET, "b": [SECRET]}});
    let whole = json!({"p": true});
    let cases = [
        (open(scalar.clone()), unknown(whole.clone())),
        (open(scalar.clone()), closed(json!({"p": "another"}), whole.clone())),
        (open(map.clone()), closed(json!({"p": {"a": "x"}}), whole.clone())),
        (open(map.clone()), closed(json!({"p": {"a": "x", "b": []}}), json!({"p": {"b": true}}))),
        (open(map.clone()), closed(json!({"p": "x"}), whole.clone())),
        (open(map.clone()), closed(json!({"p": {"b": []}}), json!({"p": {"a": true}}))),
    ];
    let key = Key::new();
    for (index, (one, other)) in cases.into_iter().enumerate() {
        key.write("one.json", &plan(&[one]));
        key.write("other.json", &plan(&[other]));
        for inputs in ["one.json other.json", "other.json one.json"] {
            for form in ["term", "markdown", "html", "ndjson"] {
                let args = format!("compare --level all --full -f {form} {inputs}");
                let (out, err, code) = run_in(&key, &args);
                assert_eq!(code, 0, "{err}");
                let is_marked = index != 3 && index != 5;
                let shows = (out + &err).contains(SECRET);
                assert!(!(is_marked && shows), "case {index}, {form}, {inputs}");
            }
        }
    }
}

#[test]
fn a_masked_value_is_no_text_of_a_plan() {
    let secret = |value: &str| {
        change(
            "t.a",
            json!({
                "actions": ["update"], "before": {"p": "x"}, "after": {"p": value},
                "before_sensitive": {"p": true}, "after_sensitive": {"p": true},
            }),
        )
    };
    let key = Key::new();
    key.write("old.json", &plan(&[secret("one")]));
    key.write("new.json", &plan(&[secret("two")]));
    let (out, ..) = run_in(&key, "compare --level values old.json new.json");
    assert!(out.contains("~ p = (sensitive value)\n"), "{out}");
}

/// `#cloud-config` selects the program that reads the text.
#[test]
fn a_comment_at_the_beginning_of_a_document_counts() {
    let data = |text: &str| change("t.a", update(json!({"d": "x"}), json!({ "d": text })));
    let key = Key::new();
    let cases = [
        ("#cloud-config\na: 1\n", "a: 1\n", false),
        ("# one\na: 1\n", "# two\na: 1\n", false),
        ("\n# one\na: 1\n", "\n# two\na: 1\n", false),
        ("a: 1\n", "a:   1\n", true),
        ("a: 1\n", "a: 1 # note\n", true),
    ];
    for (one, other, is_same) in cases {
        key.write("old.json", &plan(&[data(one)]));
        key.write("new.json", &plan(&[data(other)]));
        let (_, _, code) = run_in(&key, "compare --level values --fail-on any old.json new.json");
        assert_eq!(code == 0, is_same, "{one:?} {other:?}");
    }
}

#[test]
fn moves_that_do_not_count_hide_nothing_else() {
    let kept = json!({"actions": ["no-op"], "before": {"n": 1}, "after": {"n": 1}});
    let mut imported = kept.clone();
    imported["importing"] = json!({"id": "i-1"});
    let changed = update(json!({"n": 1}), json!({"n": 2}));
    let created = json!({"actions": ["create"], "before": null, "after": {"n": 3}});
    let moved = |members: &Value| with(change("t.b", members.clone()), "previous_address", "t.a");
    let key = Key::new();
    let ask = |old: &[Value], new: &[Value]| {
        let [old, new] = [("old.json", old), ("new.json", new)]
            .map(|(name, changes)| key.write(name, &plan(changes)));
        let args = ["--ignore=moves", "--level=actions"];
        let answer = key.ask(&old, &new, &args);
        let digests = [&old, &new].map(|it: &std::path::PathBuf| key.digest(it, &args));
        let is_same = answer.differences.is_empty();
        assert_eq!(digests[0] == digests[1], is_same, "{answer:?}");
        answer.lines()
    };
    assert!(ask(&[], &[moved(&kept)]).is_empty());
    assert_eq!(ask(&[], &[moved(&imported)]), ["more actions resource_change t.a"]);
    let [new, old] = [change("t.a", created.clone()), change("t.a", changed.clone())];
    let reused = [new.clone(), moved(&changed)];
    let reversed = [moved(&changed), new];
    assert!(ask(&reused, &reversed).is_empty());
    for later in [&reused, &reversed] {
        assert_eq!(ask(std::slice::from_ref(&old), later), ["more actions resource_change t.a"]);
    }
}

#[test]
fn an_object_that_both_plans_move_shows_where_to() {
    let members = json!({"actions": ["no-op"], "before": {"n": 1}, "after": {"n": 1}});
    let to = |address: &str| with(change(address, members.clone()), "previous_address", "t.a");
    let key = Key::new();
    key.write("old.json", &plan(&[to("t.b")]));
    key.write("new.json", &plan(&[to("t.c")]));
    let (out, ..) = run_in(&key, "compare old.json new.json");
    assert!(out.contains("~ (moved to) = t.b -> t.c\n"), "{out}");
}

#[test]
fn a_workspace_of_one_folder_counts_its_hidden_objects_once() {
    let key = Key::new();
    for folder in ["a", "b"] {
        std::fs::create_dir(key.path(folder)).expect("a folder");
    }
    let changes = ["t.a", "t.b"].map(|it| change(it, update(json!({"n": 1}), json!({"n": 2}))));
    key.write("a/one.json", &plan(&changes));
    key.write("b/two.json", &plan(&changes));
    let (out, ..) = run_in(&key, "compare -f ndjson --ignore-type t a b");
    assert_eq!(out.matches(r#""hidden":2"#).count(), 2, "{out}");
}

/// An approval is no plan, in a folder and by its name.
#[test]
fn an_approval_is_only_the_earlier_document() {
    let key = Key::new();
    std::fs::create_dir(key.path("folder")).expect("a folder");
    let changed = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    key.write("folder/plan.json", &plan(&[changed]));
    let (_, err, code) =
        run_in(&key, "approve folder/plan.json --level paths -o folder/approval.json");
    assert_eq!((code, &*err), (0, "plansift: approved 1 object\n"));
    for command in ["summary folder", "digest folder"] {
        let (out, err, code) = run_in(&key, command);
        assert_eq!(code, 0, "{command}: {out}{err}");
        assert!(!err.contains("approval.json"), "{command}: {err}");
    }
    let approval = "folder/approval.json";
    for (command, words) in [
        (format!("compare folder/plan.json {approval}"), "name the approval first"),
        (format!("digest {approval}"), "this is an approval"),
        (format!("approve {approval}"), "this is an approval"),
    ] {
        let (_, err, code) = run_in(&key, &command);
        assert!(code == 1 && err.contains(words) && err.lines().count() == 1, "{command}: {err}");
    }
    let args = format!("compare {approval} folder/plan.json --key-file key");
    let (_, err, code) = run_in(&key, &args);
    assert!(code == 1 && err.contains("made without --key-file"), "{err}");
}

/// An approval that needs no key is the same at each run, so it can be committed.
#[test]
fn an_approval_without_values_has_no_key() {
    let key = Key::new();
    let created = json!({"actions": ["create"], "before": null, "after": {"n": 3}});
    key.write("plan.json", &plan(&[change("t.a", created)]));
    for level in ["actions", "paths"] {
        let approve = format!("approve plan.json --level {level}");
        let [(one, ..), (other, ..)] = [(); 2].map(|()| run_in(&key, &approve));
        assert_eq!(one, other);
        assert!(!one.contains(r#""key"#), "{one}");
        key.write("approval.json", &one);
        let (out, _, code) =
            run_in(&key, &format!("compare approval.json plan.json --level {level} --fail-on any"));
        assert_eq!(code, 0, "{out}");
    }
}

#[test]
fn a_broken_gate_says_so_beside_the_report() {
    let key = Key::new();
    let changed = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    key.write("old.json", &plan(&[]));
    key.write("new.json", &plan(&[changed]));
    let broken = "plansift: new.json: rule broken: --fail-on";
    for (args, message, code) in [
        ("--fail-on more old.json new.json", format!("{broken} more: 1 more\n"), 3),
        ("--fail-on any old.json new.json", format!("{broken} any: 1 more\n"), 3),
        ("--fail-on more new.json old.json", String::new(), 0),
        ("old.json new.json", String::new(), 0),
    ] {
        let (_, err, found) = run_in(&key, &format!("compare -f markdown -o out.md {args}"));
        assert_eq!((found, err), (code, message), "{args}");
    }
}

#[test]
fn reports_warn_of_what_makes_a_comparison_useless() {
    let key = Key::new();
    let changed = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    let late = plan(std::slice::from_ref(&changed)).replace("2026-03-01T08", "2026-03-01T09");
    key.write("early.json", &plan(&[changed]));
    key.write("late.json", &late);
    key.write("nothing.json", &plan(&[]));
    let has = |args: &str, words: &[&str]| {
        for form in ["term", "markdown", "html"] {
            let (out, err, code) = run_in(&key, &format!("compare --quiet -f {form} {args}"));
            assert_eq!((code, &*err), (0, ""));
            let text = out.split_whitespace().collect::<Vec<_>>().join(" ");
            for word in words {
                assert!(text.contains(word), "{form}, {args}: {text}");
            }
        }
    };
    has("late.json early.json", &["NEW was made before OLD: are they swapped?"]);
    has(
        "early.json late.json --only u.*",
        &["Nothing was compared: the filters hide 2 objects.", "matches nothing, no resource"],
    );
    has("nothing.json nothing.json", &["There is nothing to compare: neither changes anything."]);
    let (out, ..) = run_in(&key, "compare early.json late.json");
    assert!(!out.contains("swapped") && out.contains("The same at every level."), "{out}");
}

/// A replaced disk that is not encrypted any more is another disk.
#[test]
fn an_object_that_is_replaced_without_an_approved_attribute_is_more() {
    let key = Key::new();
    let disk = |after: Value| {
        let before = json!({"size": 1, "encrypted": null});
        change("t.a", json!({"actions": ["delete", "create"], "before": before, "after": after}))
    };
    key.write("old.json", &plan(&[disk(json!({"size": 2, "encrypted": true}))]));
    key.write("new.json", &plan(&[disk(json!({"size": 2, "encrypted": null}))]));
    let (_, _, code) = run_in(&key, "compare --fail-on more old.json new.json");
    assert_eq!(code, 3);
}

/// Strings that some reader takes for different documents are different.
#[test]
fn only_clear_documents_are_compared_by_their_meaning() {
    let data = |text: &str| change("t.a", update(json!({"d": "x"}), json!({ "d": text })));
    let key = Key::new();
    for (one, other) in [
        (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#),
        (r#"{"b":{"a":1,"a":2}}"#, r#"{"b":{"a":2,"a":1}}"#),
        ("a: no\n", "a: \"no\"\n"),
        ("a: 010\n", "a: \"010\"\n"),
        ("a: 1:30\n", "a: \"1:30\"\n"),
        ("a: [ls]\n", "a: !!python/tuple [ls]\n"),
        ("a: 1\n", "a: !!str 1\n"),
        ("a: 1\na: 2\n", "a: 2\na: 1\n"),
        ("a: 1\n---\nb: 1\n", "- a: 1\n- b: 1\n"),
        ("%YAML 1.1\n---\na: 1\n", "a: 1\n"),
        ("1: x\n", "\"1\": x\n"),
        ("[a,b]", "[ 'a' , b ] # c"),
        ("[ -f x ]", "[\"-f x\"]"),
    ] {
        key.write("old.json", &plan(&[data(one)]));
        key.write("new.json", &plan(&[data(other)]));
        let (out, ..) = run_in(&key, "compare -f ndjson --level values old.json new.json");
        assert!(out.contains(r#""verdict":"more""#), "{one:?} {other:?}: {out}");
    }
    for (one, other) in [
        (r#"{"a":1,"b":[2]}"#, "{ \"b\": [2.0], \"a\": 1 }"),
        ("a: word\nb: 1\n", "# \nb:   1\na: \"word\"\n".trim_start_matches("# \n")),
        ("a: true\n", "a:   true # note\n"),
    ] {
        key.write("old.json", &plan(&[data(one)]));
        key.write("new.json", &plan(&[data(other)]));
        let (out, ..) = run_in(&key, "compare -f ndjson --level values old.json new.json");
        assert!(!out.contains("verdict"), "{one:?} {other:?}: {out}");
    }
}

/// An approval does not tell whether a secret equals a value that is planned at another address.
#[test]
fn equal_values_have_other_digests_in_an_approval() {
    let marked = |address: &str, attribute: &str| {
        let after = json!({ attribute: "a secret value" });
        let members = json!({
            "actions": ["update"], "before": { attribute: "x" }, "after": after,
            "after_sensitive": { attribute: true },
        });
        change(address, members)
    };
    let key = Key::new();
    key.write("plan.json", &plan(&[marked("t.a", "p"), marked("t.a", "q"), marked("t.b", "p")]));
    let approve = "approve plan.json --key-file key";
    let [(one, ..), (other, ..)] = [(); 2].map(|()| run_in(&key, approve));
    let digests: Vec<&str> = [&one, &other]
        .into_iter()
        .flat_map(|text| text.split(r#""value":""#).skip(1))
        .map(|rest| &rest[..32])
        .collect();
    assert_eq!(digests.len(), 6, "{one}");
    let different: std::collections::BTreeSet<&&str> = digests.iter().collect();
    assert_eq!(different.len(), 6, "{one}{other}");
}

/// An approval that lacks a digest answers nothing, also not that values agree.
#[test]
fn an_approval_with_a_raised_level_is_damaged() {
    let key = Key::new();
    let created = json!({"actions": ["create"], "before": null, "after": {"n": 3}});
    let changes = [change("t.a", update(json!({"n": 1}), json!({"n": 2}))), change("t.b", created)];
    for change in changes {
        key.write("plan.json", &plan(&[change]));
        let (text, ..) = run_in(&key, "approve plan.json --level paths");
        key.write("raised.json", &text.replace(r#""level":"paths""#, r#""level":"all""#));
        for level in ["paths", "values", "all"] {
            let (_, err, code) =
                run_in(&key, &format!("compare raised.json plan.json --level {level}"));
            assert!(code == 1 && err.contains("damaged"), "{level}: {err}");
        }
    }
}

/// A file that is no plan is not a workspace that is gone.
#[test]
fn a_file_that_is_no_plan_is_not_compared() {
    let key = Key::new();
    for folder in ["old", "new"] {
        std::fs::create_dir(key.path(folder)).expect("a folder");
    }
    let changed = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    let deleted = json!({"actions": ["delete"], "before": {"n": 1}, "after": null});
    let late = plan(&[changed.clone(), change("t.b", deleted)]);
    let late = format!(r#"{{"padding":"{}",{}"#, "x".repeat(200_000), &late[1..]);
    key.write("old/one.json", &plan(&[changed]));
    for (text, code) in
        [("Error: no credentials\n", 1), ("[]", 1), ("{\"a\":1}", 1), ("{}", 1), (&*late, 3)]
    {
        key.write("new/one.json", text);
        let (out, err, found) = run_in(&key, "compare --fail-on more old new");
        assert_eq!((found, code > 0), (64, true), "{text:.20}: {out}{err}");
        key.write("old/two.json", &plan(&[]));
        key.write("new/two.json", &plan(&[]));
        let (out, err, found) = run_in(&key, "compare --fail-on more old new");
        assert_eq!(found, if code == 1 { 4 } else { code }, "{text:.20}: {out}{err}");
        for name in ["old/two.json", "new/two.json"] {
            std::fs::remove_file(key.path(name)).expect("a file");
        }
    }
}

/// Many equal changes take no more time than as many different ones.
#[test]
fn a_change_that_is_listed_often_is_compared_in_time() {
    let key = Key::new();
    let changed = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    let path = key.write("plan.json", &plan(&vec![changed; 100_000]));
    assert!(key.ask(&path, &path, &[]).differences.is_empty());
}

/// The checks of a state count also if they come before its versions.
#[test]
fn the_order_of_the_keys_of_a_state_does_not_matter() {
    let key = Key::new();
    let checks = json!([{"address": {"kind": "check", "to_display": "check.c"}, "status": "fail"}]);
    let values = json!({"root_module": {}});
    let versions = r#""format_version":"1.0","terraform_version":"1.12.6""#;
    let [checks, values] = [format!(r#""checks":{checks}"#), format!(r#""values":{values}"#)];
    let texts =
        [[versions, &values, &checks], [&checks, versions, &values], [&checks, &values, versions]]
            .map(|members| format!("{{{}}}", members.join(",")));
    let paths = ["one.json", "two.json", "three.json"].map(|name| key.path(name));
    paths.iter().zip(&texts).for_each(|(path, text)| std::fs::write(path, text).expect("a file"));
    let answer = key.ask(&paths[0], &paths[1], &[]);
    assert!(answer.differences.is_empty() && answer.summary["same"] == 1, "{answer:?}");
    assert!(key.ask(&paths[2], &paths[0], &[]).differences.is_empty());
}

#[test]
fn the_approval_of_a_plan_that_failed_is_warned_of() {
    let key = Key::new();
    key.write("plan.json", &plan(&[]).replace(r#""errored":false"#, r#""errored":true"#));
    let (_, err, code) = run_in(&key, "approve plan.json -o approval.json");
    assert!(code == 0 && err.contains("plan.json: warning: planning failed"), "{err}");
    assert_eq!(run_in(&key, "approve --quiet plan.json -o approval.json").1, "");
}

/// A plan by Terraform before 0.15 declares its sensitive outputs elsewhere. It may do so before or
/// after their changes.
#[test]
fn outputs_without_overlays_are_compared_as_a_whole() {
    let change = r#"{"actions":["update"],"before":{"inner":1},"after":{"inner":2}}"#;
    let changes = format!(r#""output_changes":{{"o":{change}}}"#);
    let declared = |is_sensitive: bool| {
        format!(r#""planned_values":{{"outputs":{{"o":{{"sensitive":{is_sensitive}}}}}}}"#)
    };
    let version = r#""format_version":"0.1""#;
    let key = Key::new();
    for is_sensitive in [false, true] {
        let declared = declared(is_sensitive);
        key.write("0.json", &format!("{{{version},{declared},{changes}}}"));
        key.write("1.json", &format!("{{{version},{changes},{declared}}}"));
        key.write("2.json", &format!("{{{changes},{declared},{version}}}"));
        for (one, other) in [("0.json", "1.json"), ("1.json", "2.json"), ("2.json", "0.json")] {
            let args = format!("compare --level all --fail-on any {one} {other}");
            let (out, err, code) = run_in(&key, &args);
            assert_eq!(code, 0, "{out}{err}");
        }
    }
    let other = changes.replace("inner", "other").replace('2', "3");
    key.write("3.json", &format!("{{{version},{},{other}}}", declared(false)));
    let (out, _, code) = run_in(&key, "compare --level values --fail-on any 0.json 3.json");
    assert_eq!(code, 3, "{out}");
    assert!(!out.contains("other") && out.contains("(sensitive value)"), "{out}");
}

/// The report calls a `no-op` of a moved object `move`, but no tool writes this word as an action.
#[test]
fn a_word_that_is_no_action_is_not_weaker_than_an_action() {
    let change = |action: &str| {
        change("t.a", json!({"actions": [action], "before": {"n": 1}, "after": {"n": 1}}))
    };
    let key = Key::new();
    key.write("update.json", &plan(&[change("update")]));
    for word in ["move", "import", "replace", "replace-with-forget", "unknown"] {
        key.write("word.json", &plan(&[change(word)]));
        let compare = "compare --level actions --fail-on more update.json word.json";
        let (out, _, code) = run_in(&key, compare);
        assert_eq!(code, 3, "{word}: {out}");
    }
    key.write("less.json", &plan(&[change("read")]));
    let (out, _, code) =
        run_in(&key, "compare --level actions --fail-on more update.json less.json");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn the_order_of_changes_with_one_address_does_not_matter() {
    let update = change("t.a", update(json!({"n": 1}), json!({"n": 2})));
    let delete = change("t.a", json!({"actions": ["delete"], "before": {"n": 1}, "after": null}));
    let key = Key::new();
    key.write("one.json", &plan(&[update.clone(), delete.clone()]));
    key.write("other.json", &plan(&[delete, update]));
    for level in ["actions", "paths", "values", "all"] {
        let args = ["--level", level];
        let [one, other] = ["one.json", "other.json"].map(|file| {
            let path = key.folder.path().join(file);
            key.digest(&path, &args)
        });
        assert_eq!(one, other, "{level}");
    }
    let (out, _, code) = run_in(&key, "compare --level all --fail-on any one.json other.json");
    assert_eq!(code, 0, "{out}");
}

//! `--strict-rules`: a gate that may have checked nothing fails.

use super::Folder;
use crate::run;

/// A plan that deletes a resource of a type, and has a check of a status.
fn plan(type_name: &str, status: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"{type_name}.r",
        "mode":"managed","type":"{type_name}","name":"r","change":{{"actions":["delete"],
        "before":{{"size":1}},"after":null}}}}],"checks":[{{"address":{{"kind":"check",
        "name":"c","to_display":"check.c"}},"status":"{status}"}}]}}"#
    )
}

/// A folder with the plans `one.json` and `two.json`.
fn plans() -> Folder {
    let folder = Folder::new();
    folder.write("one.json", plan("aws_one", "pass"));
    folder.write("two.json", plan("aws_two", "pass"));
    folder
}

/// Runs a command without `--strict-rules`, and with it. Returns the exit codes, and the messages
/// of the second run.
fn both(folder: &Folder, args: &str) -> ([i32; 2], String) {
    let [plain, strict] = ["", " --strict-rules"].map(|more| folder.run(&format!("{args}{more}")));
    ([plain.code, strict.code].map(|code| code.expect("a code")), strict.err)
}

#[test]
fn a_rule_without_a_match_fails() {
    let folder = plans();
    folder.write("rules", "warning create:aws_oen\n");
    let nothing = "no resource has such an address, type or module: did you mean aws_one?\n";
    for command in ["changes", "summary", "report -o markdown"] {
        for (args, codes, said) in [
            ("--fail-on create:aws_oen one.json", [0, 3], "plansift: rule create:aws_oen matches"),
            ("--fail-on create:aws_oen>9 one.json", [0, 3], "plansift: rule create:aws_oen>9 "),
            ("--fail-on changed-path:siez one.json", [0, 3], "plansift: rule changed-path:siez "),
            ("--fail-on output:o one.json", [0, 3], "no output has such a name\n"),
            ("--fail-on create:aws_oen --quiet one.json", [0, 3], nothing),
            // A match in one of the inputs is enough, and need not break the rule.
            ("--fail-on create:aws_one one.json two.json", [0, 0], ""),
            ("--fail-on create:aws_one two.json", [0, 3], "rule create:aws_one matches nothing"),
            ("--fail-on create:aws_three one.json two.json", [0, 3], "rule create:aws_three "),
            // A broken rule stays broken.
            ("--fail-on delete --fail-on create:aws_oen one.json", [3, 3], "did you mean aws_one?"),
            // A plan without the types of a set is nothing unusual.
            ("--fail-on destroy:@data one.json", [0, 0], ""),
            ("--fail-on @rules one.json", [0, 0], "warning: rule create:aws_oen matches nothing"),
            ("--fail-on create one.json", [0, 0], ""),
            ("one.json", [0, 0], ""),
            ("--detailed-exitcode --fail-on create:aws_oen one.json", [2, 3], "did you mean"),
        ] {
            let (found, err) = both(&folder, &format!("{command} {args}"));
            assert_eq!(found, codes, "{command} {args}: {err}");
            assert!(err.contains(said), "{command} {args}: {err}");
            assert_eq!(err.is_empty(), said.is_empty(), "{command} {args}: {err}");
        }
    }
    // Filters only warn.
    let (codes, err) = both(&folder, "report --only aws_oen one.json");
    assert_eq!(codes, [0, 0], "{err}");
    // Without a plan, nothing is known about the rule.
    let (codes, err) = both(&folder, "report --fail-on create:aws_oen none.json");
    assert!(codes == [1, 1] && !err.contains("matches nothing"), "{err}");
}

#[test]
fn a_rule_about_managed_resources_does_not_match_data_sources() {
    let folder = Folder::new();
    let resource = |mode: &str, address: &str, type_name: &str, action: &str| {
        format!(
            r#"{{"address":"{address}","mode":"{mode}","type":"{type_name}","name":"r","change":
            {{"actions":["{action}"],"before":null,"after":{{"id":"x"}}}}}}"#
        )
    };
    let plan = [
        resource("managed", "aws_one.r", "aws_one", "create"),
        resource("data", "data.aws_ami.r", "aws_ami", "read"),
        resource("data", "module.m.data.aws_ami.r", "aws_ami", "no-op"),
        resource("data", "data.aws_one.r", "aws_one", "no-op"),
    ];
    let plan = plan.join(",");
    folder.write("p.json", format!(r#"{{"format_version":"1.2","resource_changes":[{plan}]}}"#));
    let of_data = "matches nothing, no managed resource has such an address, type or module\n";
    for word in ["create", "update", "replace", "delete", "destroy", "forget", "changes"] {
        for (pattern, said) in [
            ("data.*", of_data),
            ("data.aws_ami.r", of_data),
            ("*.data.aws_ami.r", of_data),
            ("module.m", of_data),
            ("aws_ami", of_data),
            // The suggestion is a resource that the rule counts.
            ("aws_ami.x", "matches nothing, no resource has such an address, type or module\n"),
            ("aws_noe.r", "address, type or module: did you mean aws_one.r?\n"),
            ("aws_one>1", ""),
        ] {
            let (codes, err) = both(&folder, &format!("changes --fail-on {word}:{pattern} p.json"));
            let code = if said.is_empty() { 0 } else { 3 };
            assert_eq!(codes, [0, code], "{word}:{pattern}: {err}");
            assert!(err.ends_with(said), "{word}:{pattern}: {err}");
            assert_eq!(err.is_empty(), said.is_empty(), "{word}:{pattern}: {err}");
        }
    }
    // These rules count data sources, too.
    for rule in ["read:data.*>1", "read:aws_ami>1", "deferred:aws_ami", "changed-path:aws_ami:x"] {
        let (_, err) = both(&folder, &format!("changes --fail-on {rule} p.json"));
        assert!(!err.contains("managed"), "{rule}: {err}");
    }
}

#[test]
fn every_report_shows_a_rule_without_a_match_as_an_error() {
    let folder = plans();
    for (format, plain, strict) in [
        ("term", "! Rule create:aws_oen matches nothing, ", "! Rule create:aws_oen matches "),
        ("markdown", "**Warning:** Rule `create:aws_oen` ", "**Warning:** Rule `create:aws_oen` "),
        ("compact", "! Rule create:aws_oen ", "! Rule create:aws_oen "),
        (
            "html",
            "<li class=\"warning mild\">Rule create:aws_oen ",
            "<li class=\"warning\">Rule create:aws_oen ",
        ),
        (
            "github",
            "::warning title=Pattern matches nothing::Rule create:aws_oen ",
            "::error title=Pattern matches nothing::Rule create:aws_oen ",
        ),
        (
            "code-quality",
            r#""severity":"minor","location":{"path":"one.json","#,
            r#""severity":"critical","location":{"path":"one.json","#,
        ),
        ("junit", "<skipped message=\"Rule create:aws_oen ", "<failure message=\"Rule create:aw"),
        ("sarif", r#""level":"warning""#, r#""level":"error""#),
    ] {
        let args = format!("report -q -o {format} --fail-on create:aws_oen one.json");
        let run = folder.run(&args);
        assert!(run.code == Some(0) && run.out.contains(plain), "{format}: {}", run.out);
        assert!(run.out.contains("create:aws_oen"), "{format}: {}", run.out);
        let run = folder.run(&format!("{args} --strict-rules"));
        assert!(run.code == Some(3) && run.out.contains(strict), "{format}: {}", run.out);
    }
    let run = folder.run("report -q -o term --color always --fail-on create:a one.json");
    assert!(run.out.contains("\u{1b}[33m! Rule "), "{}", run.out);
    let run = folder.run("report -q --color always --fail-on create:a --strict-rules one.json");
    assert!(run.out.contains("\u{1b}[31m! Rule "), "{}", run.out);
}

#[test]
fn a_check_that_fails_or_is_unknown_fails() {
    let folder = Folder::new();
    folder.write("rules", "warning check\nwarning unknown-check\n");
    for (status, rule) in
        [("pass", ""), ("fail", "check"), ("error", "check"), ("unknown", "unknown-check")]
    {
        folder.write("plan.json", plan("aws_one", status));
        for command in ["changes", "summary", "report", "checks"] {
            let code = if rule.is_empty() { 0 } else { 3 };
            let (codes, err) = both(&folder, &format!("{command} plan.json"));
            assert_eq!(codes, [0, code], "{command} {status}: {err}");
            let said = format!("plan.json: rule broken: {rule}: 1 in check.c\n");
            assert_eq!(err.contains(&said), code == 3, "{command} {status}: {err}");
            // A rule of the user takes its place.
            let (codes, err) = both(&folder, &format!("{command} --fail-on @rules plan.json"));
            assert_eq!(codes, [0, 0], "{command} {status}: {err}");
            assert!(!err.contains("plan.json: rule broken"), "{command} {status}: {err}");
            // The rule of one check leaves the others.
            let one = format!("{command} --fail-on unknown-check:check.c>1 plan.json");
            assert_eq!(both(&folder, &one).0, [0, code], "{command} {status}");
        }
    }
    let run = folder.run("changes --fail-on unknown-check:check.c plan.json");
    assert_eq!(run.code, Some(3), "{}", run.err);
    let run = folder.run("changes --fail-on unknown-check:check.d plan.json");
    assert!(run.code == Some(0) && run.err.contains("did you mean check.c?"), "{}", run.err);
}

#[test]
fn an_unreadable_input_beside_a_good_one_fails() {
    let folder = plans();
    folder.write("cut.json", &plan("aws_one", "pass")[..40]);
    folder.write("a.yaml", "- count: {max: 9}\n");
    for command in ["changes", "summary", "report", "assert --file a.yaml"] {
        let (codes, err) = both(&folder, &format!("{command} one.json cut.json"));
        assert!(codes == [4, 4] && err.contains("cut.json: "), "{command}: {codes:?} {err}");
    }
}

#[test]
fn a_file_in_a_folder_that_is_not_a_plan_fails() {
    const STATE: &str = r#"{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":"x",
        "outputs":{},"resources":[],"check_results":null}"#;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    folder.write("p/one.json", plan("aws_one", "pass"));
    // Configurations and hidden files are no plans that somebody forgot.
    folder.write("p/main.tf", "resource \"a\" \"b\" {}\n");
    folder.write("p/.hidden", "text");
    folder.write("a.yaml", "- {resource: azure_vm, absent: true}\n");
    let commands = ["changes", "summary", "report", "checks", "assert --file a.yaml"];
    for command in commands {
        assert_eq!(both(&folder, &format!("{command} p")).0, [0, 0], "{command}");
    }
    folder.write("p/notes.txt", "text");
    for command in commands {
        let (codes, err) = both(&folder, &format!("{command} p"));
        assert!(codes == [0, 4] && err.contains("p/notes.txt: "), "{command}: {codes:?} {err}");
        let (codes, err) = both(&folder, &format!("{command} p --exclude notes.txt"));
        assert_eq!(codes, [0, 0], "{command}: {err}");
    }
    let run = folder.run("report -o markdown p --strict-rules");
    assert!(run.out.contains("p/notes.txt"), "{}", run.out);
    std::fs::remove_file(folder.path("p/notes.txt")).expect("a file");
    // An empty file, the state of a command that takes plans only, and the JSON of another command.
    for (content, codes_of_assert) in
        [("", [0, 4]), (STATE, [0, 0]), (r#"{"format_version":"1.0","valid":true}"#, [0, 4])]
    {
        folder.write("p/other", content);
        let (codes, err) = both(&folder, "report p");
        assert!(codes == [0, 4] && err.contains("p/other: "), "{content}: {codes:?} {err}");
        let (codes, err) = both(&folder, "assert --file a.yaml p");
        assert_eq!(codes, codes_of_assert, "{content}: {err}");
    }
}

#[test]
fn a_comparison_is_strict_about_its_folders() {
    let folder = Folder::new();
    for name in ["old", "new", "new/live"] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
    }
    for name in ["old/a.json", "new/a.json"] {
        folder.write(name, plan("aws_one", "pass"));
    }
    folder.write("old/main.tf", "resource \"a\" \"b\" {}\n");
    folder.write("old/.hidden", "text");
    let gates = ["", " --fail-on any", " --fail-on more"];
    for gate in gates {
        let (codes, err) = both(&folder, &format!("compare old new{gate}"));
        assert_eq!(codes, [0, 0], "{gate}: {err}");
    }
    for file in ["old/notes.txt", "new/notes.txt", "new/live/plan.log"] {
        folder.write(file, "text");
        for gate in gates {
            let (codes, err) = both(&folder, &format!("compare old new{gate}"));
            let said = format!("plansift: {file}: ");
            assert!(codes == [0, 4] && err.contains(&said), "{gate} {file}: {codes:?} {err}");
            let (_, name) = file.rsplit_once('/').expect("a folder");
            let (codes, err) = both(&folder, &format!("compare old new{gate} --exclude {name}"));
            assert_eq!(codes, [0, 0], "{gate} {file}: {err}");
        }
        std::fs::remove_file(folder.path(file)).expect("a file");
    }
    // Two inputs that the user names are read with and without the option.
    let (codes, err) = both(&folder, "compare old/a.json new/a.json --fail-on any");
    assert_eq!(codes, [0, 0], "{err}");
    // Without any plan, there is nothing to compare.
    for name in ["old/a.json", "new/a.json"] {
        folder.write(name, "text");
    }
    let (codes, err) = both(&folder, "compare old new");
    assert_eq!(codes, [64, 1], "{err}");
}

#[cfg(unix)]
#[test]
fn a_comparison_fails_at_a_link_to_a_folder_and_at_a_pipe() {
    let folder = Folder::new();
    for name in ["old", "new", "elsewhere"] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
    }
    for name in ["old/a.json", "new/a.json"] {
        folder.write(name, plan("aws_one", "pass"));
    }
    std::os::unix::fs::symlink("../elsewhere", folder.path("new/link")).expect("a link");
    let pipe = std::process::Command::new("mkfifo").arg(folder.path("old/tfplan")).status();
    assert!(pipe.expect("it runs").success());
    let (codes, err) = both(&folder, "compare old new --fail-on any");
    let said = "plansift: old/tfplan: this is a pipe, a socket or a device, which is not opened in \
                a folder: name it, or leave it out with --exclude\nplansift: new/link: this is a \
                link to a folder, which is not followed: name the link, or leave it out with \
                --exclude\n";
    assert_eq!((codes, &*err), ([0, 4], said));
    let run = folder.run("compare old new -f markdown --strict-rules");
    let shown = ["**Not compared: 2**", "- `old/tfplan`: `", "- `new/link`: `"];
    assert!(shown.iter().all(|text| run.out.contains(text)), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_or_a_pipe_in_a_folder_fails_and_is_not_opened() {
    let folder = Folder::new();
    for name in ["p", "elsewhere"] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
    }
    folder.write("p/one.json", plan("aws_one", "pass"));
    std::os::unix::fs::symlink("../elsewhere", folder.path("p/link")).expect("a link");
    let (codes, err) = both(&folder, "changes p");
    let said = "p/link: this is a link to a folder, which is not followed";
    assert!(codes == [0, 4] && err.contains(said), "{codes:?} {err}");
    std::fs::remove_file(folder.path("p/link")).expect("a link");
    let pipe = std::process::Command::new("mkfifo").arg(folder.path("p/tfplan")).status();
    assert!(pipe.expect("it runs").success());
    let (codes, err) = both(&folder, "changes p");
    let said = "p/tfplan: this is a pipe, a socket or a device";
    assert!(codes == [0, 4] && err.contains(said), "{codes:?} {err}");
}

#[test]
fn a_pattern_in_an_assertion_that_covers_nothing_fails() {
    let folder = plans();
    for (assertion, code, said) in [
        ("only: ['*']", 0, ""),
        (
            "only: ['*', aws_oen]",
            3,
            "expected something that aws_oen in `only` covers, found nothing; did you mean \
             aws_one?\n",
        ),
        ("only: ['*', aws_oen], optional: true", 0, ""),
        ("only: ['*', aws_oen], severity: warning", 0, ""),
        ("only: ['*', '@data']", 0, ""),
        (
            "resource: aws_oen.r, absent: true",
            3,
            "expected a resource of the type aws_oen, found nothing; did you mean aws_one?\n",
        ),
        ("resource: aws_oen.r, absent: true, optional: true", 0, ""),
        ("resource: azure_vm.r, absent: true", 0, ""),
        ("resource: aws_two, action: delete, optional: true", 0, ""),
        ("resource: '@data', not_action: delete", 0, ""),
    ] {
        folder.write("a.yaml", format!("- {{{assertion}}}\n"));
        for command in ["assert --file a.yaml", "report --values none --assert a.yaml"] {
            let (codes, err) = both(&folder, &format!("{command} one.json"));
            assert_eq!(codes, [0, code], "{command} {assertion}: {err}");
        }
        let results = folder.run("assert --file a.yaml --strict-rules one.json");
        assert!(results.out.contains(said), "{assertion}: {}", results.out);
        let args = ["assert", "--strict-rules", "-e", assertion, "one.json"];
        let output = run::plansift().args(args).current_dir(folder.path("")).output();
        assert_eq!(output.expect("it runs").status.code(), Some(code), "{assertion}");
        for (out, more, code) in [("plain", "", 0), ("strict", " --strict-rules", code)] {
            let args = format!("batch one.json --out {out} --assert a.yaml{more}");
            let run = folder.run(&args);
            assert_eq!(run.code, Some(code), "{assertion}: {}", run.err);
            std::fs::remove_dir_all(folder.path(out)).expect("a folder");
        }
    }
    // The assertions of packs fit every plan.
    let packs = "--pack protect --pack aws --pack azure --pack google --pack kubernetes";
    for command in ["assert", "report", "batch --out out"] {
        let run = folder.run(&format!("{command} one.json two.json --strict-rules {packs}"));
        assert_eq!(run.code, Some(0), "{command}: {}", run.err);
    }
}

#[test]
fn a_batch_is_strict_about_its_folder_and_its_assertions() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    folder.write("p/one.json", plan("aws_one", "pass"));
    folder.write("a.yaml", "- only: ['*', aws_oen]\n");
    let batch = "batch p --out out --assert a.yaml";
    assert_eq!(folder.run(batch).code, Some(0));
    // The journal keeps the failures, so a strict run is another batch.
    let run = folder.run(&format!("{batch} --strict-rules"));
    assert!(run.code == Some(1) && run.err.contains("--strict-rules"), "{:?}", run);
    let batch = "batch p --out strict --assert a.yaml --strict-rules";
    for _ in 0..2 {
        let run = folder.run(batch);
        assert_eq!(run.code, Some(3), "{}", run.err);
    }
    assert_eq!(folder.run("merge strict").code, Some(3));
    folder.write("p/notes.txt", "text");
    let run = folder.run(batch);
    assert!(run.code == Some(4) && run.err.contains("p/notes.txt: "), "{:?}", run);
}

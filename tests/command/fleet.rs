//! The summary table of many plans.

use unicode_width::UnicodeWidthStr;

use super::{Folder, Run};
use crate::hostile::sample::PLAN;

/// An element with an action; its address, type and other keys are derived from its name.
fn change(name: &str, module: Option<&str>, actions: &str) -> String {
    let kind = name.split('.').next().unwrap_or_default();
    let provider = kind.split('_').next().unwrap_or_default();
    let module = module.map(|module| format!(r#""module_address":"{module}","#));
    format!(
        r#"{{"address":"{name}",{}"type":"{kind}",
        "provider_name":"registry.terraform.io/h/{provider}",
        "change":{{"actions":["{actions}"],"before":{{}},"after":{{}}}}}}"#,
        module.unwrap_or_default()
    )
    .replace("\n        ", "")
}

fn plan(changes: &[String]) -> String {
    format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","))
}

/// Creates four workspaces: two with changes, one without, and a truncated one.
fn fleet() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    let keyed = |key: &str| format!(r#"module.m[\"{key}\"]"#);
    let prod = [
        change("aws_a.one", None, "create"),
        change("aws_a.two", Some(&keyed("x")), "delete"),
        change("aws_b.one", Some(&keyed("y")), r#"delete","create"#),
    ];
    let dev = [change("aws_a.one", None, "update"), change("gcp_c.same", None, "no-op")];
    folder.write("p/prod.json", plan(&prod));
    folder.write("p/dev.json", plan(&dev));
    folder.write("p/quiet.json", plan(&dev[1..]));
    folder.write("p/cut.json", &plan(&prod)[..200]);
    folder
}

/// The first line of the output that begins with `name`, with single spaces between words.
fn row(run: &Run, name: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rows = run.out.lines().map(words);
    rows.find(|row| row.starts_with(name)).unwrap_or_else(|| panic!("{name}: {}", run.out))
}

#[test]
fn unreadable_plans_do_not_count_as_unchanged() {
    let folder = fleet();
    let run = folder.run("batch p/cut.json --out out");
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("\nNo plan could be read.\n"), "{}", run.out);
    assert!(!run.out.contains("No changes"), "{}", run.out);
}

#[test]
fn several_plans_are_summarized_by_workspace() {
    let run = fleet().run("summary p");
    assert_eq!(run.code, Some(4));
    assert!(run.err.starts_with("plansift: p/cut.json: byte 200"), "{}", run.err);
    for (name, expected) in [
        ("4 workspaces", "4 workspaces: 2 with changes, 1 without, 1 not read"),
        ("!", "! 1 plan could not be read: what it does is not counted."),
        ("Plan:", "Plan: 2 to add, 1 to change, 2 to destroy."),
        ("add", "add change destroy replace"),
        ("p/prod", "p/prod 1 · 1 1"),
        ("p/dev", "p/dev · 1 · ·"),
        ("total", "total 1 1 1 1"),
        ("Not read", "Not read: 1"),
        ("! p/cut", "! p/cut.json"),
        (
            "byte",
            "byte 200, at resource_changes[1]: the document is incomplete: the input ends here",
        ),
        ("Most by type", "Most by type plans add change destroy replace"),
        ("aws_a", "aws_a 2 1 1 1 ·"),
        ("aws_b", "aws_b 1 · · · 1"),
        ("(root", "(root module) 2 1 1 · ·"),
        ("module.m", "module.m 1 · · 1 1"),
        ("h/aws", "h/aws 2 1 1 1 1"),
    ] {
        assert_eq!(row(&run, name), expected, "{}", run.out);
    }
    assert!(!run.out.contains("quiet") && !run.out.contains("gcp"), "{}", run.out);
}

#[test]
fn the_table_is_grouped_sorted_and_cut() {
    let folder = fleet();
    let names = |args: &str| -> Vec<String> {
        let run = folder.run(&format!("summary p {args}"));
        let table = run.out.split("\n\n").nth(2).unwrap_or_default().lines().skip(1);
        let first = |line: &str| {
            let name = line.trim_start_matches('!').trim_start().split("  ").next();
            name.filter(|name| !name.starts_with("Replacements")).map(str::to_owned)
        };
        table.filter_map(first).collect()
    };
    for (args, expected) in [
        ("--sort changes", &["p/prod", "p/dev", "total"][..]),
        ("--sort name", &["p/dev", "p/prod", "total"]),
        ("--sort input", &["p/dev", "p/prod", "total"]),
        ("--sort change", &["p/dev", "p/prod", "total"]),
        ("--sort replace", &["p/prod", "p/dev", "total"]),
        ("--top 1", &["p/prod", "and 1 more workspace", "total"]),
        ("--top 2", &["p/prod", "p/dev", "total"]),
        ("--group-by type", &["aws_a", "aws_b", "total"]),
        ("--group-by type --sort replace --top 1", &["aws_b", "and 1 more type", "total"]),
        ("--group-by module", &["(root module)", "module.m", "total"]),
        ("--group-by provider", &["h/aws"]),
        ("--group-by action --sort name", &["create", "delete", "replace", "update", "total"]),
    ] {
        assert_eq!(names(args), expected, "{args}");
    }
    let run = folder.run("summary p --group-by type");
    assert_eq!(row(&run, "Not read"), "Not read: 1");
    for args in ["--sort size", "--group-by name", "--top 0", "--top all"] {
        assert_eq!(folder.run(&format!("summary p {args}")).code, Some(64), "{args}");
    }
}

#[test]
fn replacements_destroy_in_the_order_of_the_table() {
    let folder = Folder::new();
    let [deleted, replaced] = ["delete", r#"delete","create"#];
    for (name, actions) in [
        ("a", &["create"; 4][..]),
        ("b", &[deleted]),
        ("c", &[replaced; 3]),
        ("d", &[deleted, replaced]),
        ("e", &[deleted, deleted]),
    ] {
        let addresses = ["aws_a.one", "aws_a.two", "aws_a.three", "aws_a.four"];
        let changes = addresses.iter().zip(actions).map(|(address, it)| change(address, None, it));
        folder.write(&format!("{name}.json"), plan(&changes.collect::<Vec<_>>()));
    }
    for sort in ["destroy", "delete"] {
        let run = folder.run(&format!("summary . --sort {sort}"));
        let names: Vec<&str> = run.out.lines().filter_map(|line| line.get(2..3)).collect();
        assert!(names.concat().contains("cdeba"), "{sort}: {}", run.out);
    }
}

#[test]
fn one_plan_has_its_own_page_unless_a_table_is_asked_for() {
    let folder = fleet();
    let page = folder.run("summary p/prod.json").out;
    assert!(page.starts_with("p/prod.json"), "{page}");
    let page = folder.run("summary p/prod.json --top 3").out;
    assert!(page.starts_with("p/prod.json"), "{page}");
    for args in ["--sort name", "--group-by type", "--workspace-from {workspace}.json"] {
        let run = folder.run(&format!("summary p/prod.json {args}"));
        assert!(run.out.starts_with("1 workspace: 1 with changes, 0 without\n"), "{}", run.out);
    }
    assert_eq!(Run::piped("summary", PLAN).out, folder_page(PLAN));
    let two = Run::piped("summary", format!("{0}\n{0}\n", plan(&[])));
    assert!(two.out.starts_with("2 workspaces: 0 with changes, 2 without\n"), "{}", two.out);
}

#[test]
fn workspaces_whose_planning_failed_are_named() {
    let folder = fleet();
    let errored = |changes: &[String]| plan(changes).replacen('{', r#"{"errored":true,"#, 1);
    folder.write("p/half.json", errored(&[change("aws_a.one", None, "create")]));
    folder.write("p/nothing.json", errored(&[]));
    let run = folder.run("summary p --exclude cut.json");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(row(&run, "! Planning"), "! Planning failed in 2 plans: incomplete.");
    assert!(run.out.contains("\nPlanning failed: 2\n! p/half\n! p/nothing\n"), "{}", run.out);
    assert_eq!(row(&run, "! p/half"), "! p/half 1 · · ·");
    let run = folder.run("summary p --exclude cut.json --top 1 --group-by type");
    let named = "\nPlanning failed: 2\n! p/half\n  and 1 more\n";
    assert!(run.out.contains(named), "{}", run.out);
    // A batch and its merge print the same table.
    for args in ["batch p --exclude cut.json --out out", "merge out"] {
        let run = folder.run(args);
        assert!(run.out.contains("\nPlanning failed: 2\n! p/half\n! p/nothing\n"), "{}", run.out);
    }
}

#[test]
fn workspaces_that_leave_changes_for_another_plan_are_named() {
    let folder = fleet();
    let with = |flags: &str| plan(&[change("aws_a.one", None, "create")]).replacen('{', flags, 1);
    folder.write("p/part.json", with(r#"{"complete":false,"#));
    // When planning fails, Terraform writes `"complete":false`; OpenTofu does not.
    folder.write("p/failed.json", with(r#"{"complete":false,"errored":true,"#));
    folder.write("p/failed-too.json", with(r#"{"errored":true,"#));
    let run = folder.run("summary p --exclude cut.json");
    assert_eq!(row(&run, "! 1 plan"), "! 1 plan will leave changes for another plan.");
    let named = "\nLeaves changes for another plan: 1\n! p/part\n";
    assert!(run.out.contains(named), "{}", run.out);
    assert!(run.out.contains("\nPlanning failed: 2\n"), "{}", run.out);
    let run = folder.run("report p -o variables --exclude cut.json");
    assert!(run.out.contains("PLANSIFT_INCOMPLETE_PLANS=3\n"), "{}", run.out);
    assert!(run.out.contains("PLANSIFT_ERRORED_PLANS=2\n"), "{}", run.out);
}

/// Two files of one folder with generic names (`plan`, `tfplan`) are probably the same plan.
#[test]
fn two_generic_plan_names_in_one_folder_are_a_warning() {
    let folder = Folder::new();
    folder.write("plan.json", plan(&[change("aws_a.one", None, "create")]));
    folder.write("tfplan.json", plan(&[change("aws_a.one", None, "create")]));
    let run = folder.run("summary .");
    let said = "warning: ./tfplan.json: an earlier input has the same workspace, and both count: \
                if it is the same plan, leave one out with --exclude;";
    assert!(run.err.contains(said), "{}", run.err);
    assert!(!folder.run("summary . --exclude tfplan.json").err.contains("warning"));
}

/// Columns agree with the plan line, and the table says how replacements count.
#[test]
fn tables_note_that_replacements_are_counted_separately() {
    let folder = fleet();
    let note =
        "  Replacements are counted apart here, and as added and destroyed in the plan line.\n";
    for args in ["p", "p --group-by type", "p --group-by module", "p/prod.json"] {
        let run = folder.run(&format!("summary {args}"));
        assert_eq!(run.out.matches(note).count(), 1, "{args}: {}", run.out);
    }
    let run = folder.run("summary p/dev.json p/quiet.json");
    assert!(!run.out.contains("Replacements"), "{}", run.out);
}

/// The page of a plan whose file name is `-`.
fn folder_page(plan: &str) -> String {
    let folder = Folder::new();
    folder.write("-", plan);
    folder.run("summary ./-").out.replacen("./-  ", "-  ", 1).replacen("./-", "-", 1)
}

#[test]
fn failed_plans_add_nothing_to_the_totals() {
    let folder = fleet();
    let both = folder.run("summary --top 9 p/prod.json p/cut.json");
    assert_eq!(row(&both, "Plan:"), "Plan: 2 to add, 0 to change, 2 to destroy.");
    assert_eq!(row(&both, "aws_a"), "aws_a 1 1 · 1 ·", "{}", both.out);
    let none = folder.run("summary p/cut.json p/none.json");
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""), "nothing was read");
}

#[test]
fn reads_unknown_actions_and_drift_count_as_changes() {
    let folder = Folder::new();
    folder.write("read.json", plan(&[change("aws_a.one", None, "read")]));
    folder.write("new.json", plan(&[change("aws_a.one", None, r#"update","rename"#)]));
    let drift = plan(&[change("aws_a.one", None, "update")]);
    folder.write("refresh.json", drift.replace("resource_changes", "resource_drift"));
    folder.write("none.json", plan(&[]));
    let run = folder.run("summary read.json new.json refresh.json none.json");
    assert!(run.out.starts_with("4 workspaces: 3 with changes, 1 without\n"), "{}", run.out);
    let run = folder.run("report -o markdown=- read.json new.json none.json");
    assert!(run.out.contains("3 plans, 1 without changes."), "{}", run.out);
    for (name, code) in [("read", 2), ("new", 2), ("refresh", 2), ("none", 0)] {
        let run = folder.run(&format!("summary --detailed-exitcode {name}.json"));
        assert_eq!(run.code, Some(code), "{name}");
    }
    let run = folder.run("summary --group-by action read.json new.json");
    assert_eq!([row(&run, "read"), row(&run, "update+rename")], ["read 1 1", "update+rename 1 1"]);
}

#[test]
fn a_folder_without_a_plan_is_no_workspace() {
    let folder = Folder::new();
    folder.write("one.json", plan(&[change("aws_a.one", None, "update")]));
    std::fs::create_dir(folder.path("empty")).expect("a folder");
    let run = folder.run("summary one.json empty");
    let title = "1 workspace: 1 with changes, 0 without; 1 input without a plan\n";
    assert!(run.code == Some(4) && run.out.starts_with(title), "{}", run.out);
}

#[test]
fn workspaces_of_the_same_name_are_one_row() {
    let folder = fleet();
    let run = folder.run("summary p --exclude cut* --workspace-from {workspace}/*.json");
    assert_eq!(row(&run, "1 workspace"), "1 workspace (3 plans): 1 with changes, 0 without");
    assert_eq!(row(&run, "p "), "p 1 1 1 1");
}

#[test]
fn tables_fit_the_terminal_and_are_escaped() {
    let folder = Folder::new();
    let hostile = "\\u001b[31m\\u202e表表表表表表表表表表表表表表表表表表表表表表表表表";
    let long = "x".repeat(300);
    for (number, name) in ["a", "表表表表表表表表表表表表表表表", &long[..200]].iter().enumerate()
    {
        let every = ["create", "update", "delete", "forget", r#"create","delete"#];
        let mut changes: Vec<String> = Vec::new();
        for actions in every {
            for kind in [hostile, &long] {
                let module = format!("module.{kind}");
                let one = change(kind, Some(&module), actions);
                let more = r#""importing":{},"actions""#;
                changes.extend(vec![one.replace(r#""actions""#, more); 400 * number + 1]);
            }
        }
        let plan = plan(&changes).replace("\"address\"", "\"previous_address\":\"q\",\"address\"");
        let drift = plan.replacen("resource_changes", "resource_drift", 1);
        let drift = drift.trim_end_matches('}');
        let checks = r#""checks":[{"address":{"to_display":"c"},"status":"fail"}]"#;
        let both =
            format!("{drift},{checks},{}", plan.replacen(r#"{"format_version":"1.2","#, "", 1));
        folder.write(&format!("{name}.json"), both);
    }
    folder.write("cut\u{1b}.json", &PLAN[..500]);
    for args in ["", "--group-by type", "--group-by module", "--group-by action", "--top 1"] {
        for color in ["never", "always"] {
            let args = format!("summary . --color {color} {args}").replace("  ", " ");
            let run = folder.run_with(args.trim(), &[("COLUMNS", "80")]);
            assert_eq!(run.code, Some(4), "{}", run.err);
            assert_eq!(run.out.contains('\u{1b}'), color == "always");
            let mut plain = run.out.clone();
            for code in ["0", "1", "2", "31", "32", "33", "36"] {
                plain = plain.replace(&format!("\u{1b}[{code}m"), "");
            }
            for line in plain.lines() {
                assert!(line.width() <= 80, "{args}: {} {line}", line.width());
                assert!(!line.chars().any(|it| it.is_control() || it == '\u{202e}'), "{line:?}");
            }
            assert!(plain.contains("\\u{1b}") || args.contains("action"), "{plain}");
        }
    }
}

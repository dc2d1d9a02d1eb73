//! `--type-sets`: sets of types from files of the user.

use super::{Folder, Run};
use crate::run;

/// The file of the corpus: it extends `@data`, replaces `@network` and adds `@pager`.
const SHOP: &str = "corpus/type-sets/shop.txt";
const PLAN: &str = "corpus/plans/rich/plan.json";

/// Runs plansift in the folder of the project. Blanks separate the arguments, and a `+` in an
/// argument stands for a blank.
fn on_corpus(args: &str) -> Run {
    let args = args.split(' ').map(|arg| arg.replace('+', " "));
    let mut command = run::plansift();
    Run::of(&command.current_dir(run::root()).args(args).output().expect("it runs"))
}

#[test]
fn a_file_extends_replaces_and_adds_sets() {
    let shop = format!("--type-sets {SHOP} ");
    let of_data = "destroy:@data: 1 in module.database.aws_db_instance.replica[0]\n";
    let of_more = "destroy:@data: 2 in module.database.aws_db_instance.replica[0], \
                   module.dns.aws_acm_certificate.this\n";
    let of_network =
        "destroy:@network>1: 2 in module.network.aws_eip.nat[1], module.network.aws_nat_gateway.";
    for (sets, rule, said) in [
        ("", "destroy:@data", of_data),
        (&*shop, "destroy:@data", of_more),
        ("", "destroy:@network>1", of_network),
        (&*shop, "destroy:@network>1", ""),
        (&*shop, "destroy:@network", "destroy:@network: 1 in module.network.aws_eip.nat[1]\n"),
        (&*shop, "create:@pager>3", "create:@pager>3: 4 in "),
        (&*shop, "destroy:@pager", ""),
        (&*shop, "destroy:@access", ""),
    ] {
        let run = on_corpus(&format!("changes -o /dev/null {sets}--fail-on {rule} {PLAN}"));
        let broken = run.err.split_once("rule broken: ").map_or("", |(_, broken)| broken);
        let (code, is_right) = match said {
            "" => (0, run.err.is_empty()),
            said => (3, broken.starts_with(said)),
        };
        assert!(run.code == Some(code) && is_right, "{sets}{rule}: {run:?}");
    }
}

#[test]
fn sets_of_a_file_work_wherever_patterns_do() {
    let shop = format!("--type-sets {SHOP} {PLAN}");
    for (of, action, found) in [
        ("@network", "delete", "module.network.aws_eip.nat[1]: expected not delete"),
        ("@network", "update", ""),
        ("@pager", "create", "module.monitoring.module.alarms.aws_sns_topic.alarms"),
    ] {
        let assertion = format!("resource:+'{of}',+not_action:+{action}");
        let run = on_corpus(&format!("assert -e {assertion} {shop}"));
        let code = if found.is_empty() { 0 } else { 3 };
        assert!(run.code == Some(code) && run.out.contains(found), "{assertion}: {run:?}");
        assert!(!run.out.contains("aws_nat_gateway"), "{assertion}: {run:?}");
    }
    let run = on_corpus(&format!("assert --pack protect {shop}"));
    assert!(run.out.contains("module.dns.aws_acm_certificate.this"), "{run:?}");
    let types = |args: &str| {
        let run = on_corpus(&format!("{args} {shop}"));
        assert_eq!(run.code, Some(0), "{args}: {}", run.err);
        let has = |name: &str| run.out.contains(name);
        ["aws_sns_topic", "aws_cloudwatch_metric_alarm", "aws_db_instance", "aws_acm_"].map(has)
    };
    for only in ["@pager", "type:@pager"] {
        let args = format!("report --values none --only {only}");
        assert_eq!(types(&args), [true, true, false, false], "{only}");
    }
    assert_eq!(types("resources --only @pager"), [true, true, false, false]);
    assert_eq!(types("resources --only @data"), [false, false, true, true]);
    assert_eq!(types("slim --keep changes --only @pager"), [true, true, false, false]);
    // The losses of data come first.
    let summary = on_corpus(&format!("summary --format json {shop}"));
    let summary: serde_json::Value = serde_json::from_str(&summary.out).expect("JSON");
    let losses = summary["losses"].as_array().expect("a list");
    let of_data = losses.iter().take_while(|loss| loss["holds_data"] == true);
    let of_data: Vec<_> = of_data.map(|loss| loss["address"].as_str().expect("a text")).collect();
    let expected =
        ["module.database.aws_db_instance.replica[0]", "module.dns.aws_acm_certificate.this"];
    assert_eq!(of_data, expected);
}

#[test]
fn several_files_count_in_order() {
    let folder = Folder::new();
    folder.write("plan.json", std::fs::read(run::root().join(PLAN)).expect("a plan"));
    folder.write("none.txt", "# Ours follow.\n@data =\n");
    folder.write("dns.txt", "@data aws_acm_certificate\n");
    folder.write("other.txt", "@data =\n@data no_such_type\n");
    let empty = "plansift: none.txt: line 2: the set has no types after this line, so a rule about \
                 it would count nothing: write its types on the lines below\n";
    for (sets, code, said) in [
        ("--type-sets none.txt", 64, empty),
        ("--type-sets none.txt --type-sets=dns.txt", 3, "rule broken: destroy:@data: 1 in "),
        ("--type-sets=dns.txt --type-sets none.txt", 64, empty),
        ("--type-sets=dns.txt --type-sets other.txt", 0, ""),
    ] {
        let run = folder.run(&format!("summary --fail-on destroy:@data {sets} plan.json"));
        assert!(run.code == Some(code) && run.err.contains(said), "{sets}: {run:?}");
    }
}

#[test]
fn a_set_that_nothing_names_may_have_a_typo() {
    let folder = Folder::of_plans();
    folder.write("more.txt", "@pager x\n");
    folder.write("dat.txt", "@pager x\n\n@dat x\n@dat y\n@netwrok =\n@netwrok x\n");
    folder.write("rules", "destroy:@dat\n");
    folder.write("a.yaml", "- {resource: '@dat', not_action: create}\n");
    let of_data =
        "plansift: warning: dat.txt: line 3: no pattern names the set @dat: did you mean @data?\n";
    let of_network = "plansift: warning: dat.txt: line 5: no pattern names the set @netwrok: did \
                      you mean @network?\n";
    let sets = "--type-sets more.txt --type-sets dat.txt plan.json";
    for (args, has_data) in [
        ("summary --fail-on destroy:@data", true),
        ("changes --fail-on destroy:@dat", false),
        ("changes --fail-on @rules", false),
        ("report --only @dat", false),
        ("report --assert a.yaml", false),
        ("assert --file a.yaml", false),
        ("assert --pack protect", true),
        ("digest", true),
        ("batch --out out", true),
        ("resources --only @dat", false),
        ("slim", true),
    ] {
        let run = folder.run(&format!("{args} {sets}"));
        assert_ne!(run.code, Some(64), "{args}: {}", run.err);
        assert_eq!(run.err.contains(of_data), has_data, "{args}: {}", run.err);
        assert!(run.err.contains(of_network), "{args}: {}", run.err);
        let run = folder.run(&format!("{args} --quiet {sets}"));
        assert!(!run.err.contains("no pattern names"), "{args}: {}", run.err);
    }
    // Wrong arguments may have kept patterns from being read.
    let run = folder.run(&format!("changes --fail-on destory {sets}"));
    assert!(run.code == Some(64) && !run.err.contains("no pattern names"), "{}", run.err);
}

#[test]
fn the_variable_names_a_file_for_commands_without_the_option() {
    let folder = Folder::new();
    folder.write("plan.json", std::fs::read(run::root().join(PLAN)).expect("a plan"));
    folder.write("none.txt", "@data =\n@data no_such_type\n");
    folder.write("dns.txt", "@data =\n@data aws_acm_certificate\n");
    let summary = "summary --fail-on destroy:@data plan.json";
    for (args, file, code) in [
        (summary, "", 3),
        (summary, "none.txt", 0),
        (summary, "dns.txt", 3),
        (&*format!("{summary} --type-sets none.txt"), "dns.txt", 0),
        (&*format!("{summary} --type-sets none.txt"), "no-such.txt", 0),
        (summary, "no-such.txt", 1),
        // Commands that take no patterns do not read the file.
        ("schema", "no-such.txt", 0),
        ("redact plan.json", "no-such.txt", 0),
        ("--help", "no-such.txt", 0),
    ] {
        let run = folder.run_with(args, &[("PLANSIFT_TYPE_SETS", file)]);
        assert_eq!(run.code, Some(code), "{args} {file}: {}", run.err);
        let said = "plansift: PLANSIFT_TYPE_SETS=no-such.txt: cannot read it: ";
        assert_eq!(run.err.starts_with(said), code == 1, "{args} {file}: {}", run.err);
    }
}

#[test]
fn wrong_files_are_refused() {
    let folder = Folder::of_plans();
    folder.write("own.txt", "@own aws_db_*\n");
    folder.write("line.txt", "@own aws_db_*\n\n@own CANARY.main\n");
    folder.write("empty.txt", "# None yet.\n");
    folder.write("rules.txt", "destroy:@data\n");
    let unknown = "the sets are @access, @data, @network, @own\n";
    for (args, code, said) in [
        ("--type-sets line.txt", 64, "plansift: line.txt: line 3: expected types such as aws_db_*"),
        ("--type-sets empty.txt", 64, "plansift: empty.txt: line 1: this file has no sets"),
        ("--type-sets rules.txt", 64, "plansift: rules.txt: line 1: expected the name of a set"),
        ("--type-sets none.txt", 1, "plansift: --type-sets none.txt: cannot read it: "),
        ("--type-sets own.txt --fail-on destroy:@won", 64, unknown),
        ("--type-sets own.txt -o own.txt", 64, "own.txt: this is an input: "),
        ("--type-sets", 64, "a value is required for '--type-sets <FILE>'"),
    ] {
        let run = folder.run(&format!("changes plan.json {args}"));
        assert!(run.code == Some(code) && run.err.contains(said), "{args}: {run:?}");
        assert!(!run.err.contains("CANARY"), "{args}: {}", run.err);
    }
    for command in ["redact", "audit", "show", "config", "outputs", "variables", "schema"] {
        let run = folder.run(&format!("{command} --type-sets own.txt"));
        let said = "--type-sets is an option of summary, ";
        assert!(run.code == Some(64) && run.err.contains(said), "{command}: {run:?}");
        assert!(!folder.run(&format!("{command} --help")).out.contains("--type-sets"), "{command}");
    }
}

#[test]
fn a_batch_keeps_its_sets() {
    let folder = Folder::of_plans();
    folder.write("a.yaml", "- {resource: '@own', absent: true}\n");
    folder.write("own.txt", "@own no_such_type\n");
    folder.write("same.txt", "@own no_such_type\n");
    folder.write("other.txt", "@own *\n");
    let batch = |file: &str| {
        folder.run(&format!("batch plan.json --out out --assert a.yaml --type-sets {file}"))
    };
    assert_eq!(batch("own.txt").code, Some(0));
    assert_eq!(batch("same.txt").code, Some(0));
    // The journal keeps what failed, so a run with other sets is another batch.
    let run = batch("other.txt");
    assert!(run.code == Some(1) && run.err.contains("--type-sets"), "{run:?}");
}

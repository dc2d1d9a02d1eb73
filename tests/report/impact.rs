//! What depends on the resources that a plan destroys, replaces or forgets.

use std::path::Path;

use super::json::valid;
use super::summary_document::summary;
use super::{folder, report, report_on, written};
use crate::run::{self, corpus};

/// A plan file in which two modules' values depend on a replaced resource through local values.
fn plan_file() -> String {
    corpus("planfiles/impact/plan.tfplan").display().to_string()
}

/// The same plan as JSON, which has no local values.
fn plan_json() -> String {
    corpus("planfiles/impact/plan.json").display().to_string()
}

fn source() -> String {
    corpus("planfiles/impact").display().to_string()
}

/// What depends on the replaced resource, and through what.
const DEPENDENTS: &str = "3 depend on it: terraform_data.record (updated, through local.records), \
                          module.zone.terraform_data.server (updated, through \
                          module.zone.var.address), output.name_servers (updated, through \
                          module.zone.output.servers)";

/// What is known without the local values.
const UNKNOWN: &str = "what depends on it through local.addresses, local.records is not known";

fn page(args: &[&str]) -> String {
    written(&run::plansift().arg("summary").args(args).output().expect("it runs"))
}

/// The lines of a page as one, because a page wraps them.
fn unwrapped(page: &str) -> String {
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_names_what_depends_on_a_loss_through_local_values() {
    let [file, json, source] = [plan_file(), plan_json(), source()];
    assert!(unwrapped(&page(&["--impact", &file])).contains(DEPENDENTS));
    assert!(unwrapped(&page(&["--impact", &json])).contains(UNKNOWN));
    let with_source = page(&["--impact", "--source", &source, &json]);
    assert!(unwrapped(&with_source).contains(DEPENDENTS), "{with_source}");
    for args in [&["--impact", "--no-source", &*file][..], &[&*file]] {
        assert!(!page(args).contains("depend"), "{args:?}");
    }
}

#[test]
fn every_report_for_people_names_what_depends_on_a_loss() {
    let file = plan_file();
    for format in ["term", "markdown", "compact", "html", "github"] {
        let report = report_on(&["--impact", "-o", format], Path::new(&file));
        let text = unwrapped(&report.replace('`', ""));
        assert!(text.contains(DEPENDENTS), "{format}: {report}");
        let without = report_on(&["-o", format], Path::new(&file));
        assert!(!without.contains("depend on it"), "{format}: {without}");
    }
}

#[test]
fn the_json_summary_lists_what_depends_on_a_loss() {
    let file = plan_file();
    let (document, _) = summary(&["--impact", &file], 0);
    let impact = &document["losses"][0]["impact"];
    assert_eq!(impact["count"], 3, "{document}");
    let record = &impact["dependents"][0];
    assert_eq!(record["address"], "terraform_data.record");
    assert_eq!((&record["distance"], &record["through"]), (&3.into(), &"local.records".into()));
    assert_eq!(record["actions"][0], "update");
    assert!(impact.get("unread").is_none(), "{impact}");
    let (document, _) = summary(&["--impact", &plan_json()], 0);
    let impact = &document["losses"][0]["impact"];
    assert_eq!(impact["unread"][0], "local.addresses", "{document}");
    let (document, _) = summary(&[&file], 0);
    assert!(document["losses"][0].get("impact").is_none(), "{document}");
}

#[test]
fn the_json_report_lists_the_losses_of_each_plan_as_the_json_summary_does() {
    let file = plan_file();
    let (summary, _) = summary(&["--impact", &file], 0);
    let document = valid(&report_on(&["--impact", "-o", "json"], Path::new(&file)));
    let plan = &document["plans"][0];
    assert_eq!(plan["losses"], summary["losses"]);
    assert_eq!(plan["losses"][0]["impact"]["count"], 3, "{plan}");
    let without = valid(&report_on(&["-o", "json"], Path::new(&file)));
    assert!(without["plans"][0].get("losses").is_none(), "{without}");
    // Each plan has its own losses, and a plan that fails has none.
    let cut = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","change":{"actions":["delete"]}},
        {"address":"t.b","change":{"actions":["delete"#;
    let folder = folder(&[], &[("cut.json", cut)]);
    let cut = folder.path().join("cut.json").display().to_string();
    let files = [&*file, &cut, &plan_json()];
    let run = report(folder.path(), &[&["--impact", "-o", "json"], &files[..]].concat(), &[]);
    let plans = valid(&run.out)["plans"].clone();
    assert_eq!((&plans[0]["losses"], &plans[1]["status"]), (&plan["losses"], &"failed".into()));
    assert_eq!(plans[2]["losses"].as_array().map(Vec::len), Some(1), "{plans}");
}

/// The output of a command about a plan that replaces `t.a`, and has this source file.
fn with_source(main: &str, args: &[&str]) -> String {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","type":"t","name":"a","change":{"actions":["delete","create"]}}]}"#;
    let folder = folder(&[], &[("plan.json", plan), ("main.tf", main)]);
    let [source, plan] = ["", "plan.json"].map(|name| folder.path().join(name));
    let [source, plan] = [source, plan].map(|path| path.display().to_string());
    let all = [args, &["--source", &source, &plan]].concat();
    unwrapped(&written(&run::plansift().args(all).output().expect("it runs")))
}

#[test]
fn a_check_and_an_import_depend_on_what_their_blocks_refer_to() {
    let main = r#"
        resource "t" "a" {}
        check "health" {
          data "http" "page" { url = t.a.id }
          assert {
            condition     = data.http.page.status_code == 200
            error_message = "No."
          }
        }
        check "other" {
          assert {
            condition     = var.x
            error_message = "No."
          }
        }
        import {
          to = module.m["k"].t.imported
          id = t.a.id
        }"#;
    let page = with_source(main, &["summary", "--impact"]);
    let expected = "3 depend on it: data.http.page, module.m.t.imported, check.health (through \
                    data.http.page)";
    assert!(page.contains(expected), "{page}");
    let listed = with_source(main, &["config", "--dependents", "t.a"]);
    assert!(listed.contains("check check.health through data.http.page"), "{listed}");
    assert!(listed.ends_with("has 2 resources, 2 checks, 1 import."), "{listed}");
}

#[test]
fn source_files_say_what_the_output_of_a_module_comes_from() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.b","type":"t","name":"b","change":{"actions":["create"],"before":null,
        "after":{},"after_unknown":{"x":true}}}]}"#;
    let main =
        "resource \"t\" \"b\" {\n x = module.m.id\n}\nmodule \"m\" {\n source = \"./m\"\n}\n";
    let inner = "resource \"t\" \"in\" {}\noutput \"id\" {\n value = t.in.id\n}\n";
    let folder = folder(&[], &[("plan.json", plan), ("main.tf", main)]);
    std::fs::create_dir(folder.path().join("m")).expect("a folder");
    std::fs::write(folder.path().join("m/main.tf"), inner).expect("a file");
    let source = folder.path().display().to_string();
    let report = report_on(&["--impact", "--source", &source], &folder.path().join("plan.json"));
    assert!(report.contains("x = (known after apply, from module.m.t.in.id)"), "{report}");
}

#[test]
fn a_page_says_that_the_search_ended_before_it_found_a_dependent() {
    let next = |at| format!("locals {{\n l{} = local.l{at}\n}}\n", at + 1);
    let chain: String = (0..1000).map(next).collect();
    let main = format!(
        "locals {{\n l0 = t.a.id\n}}\n{chain}resource \"t\" \"b\" {{\n x = local.l1000\n}}\n"
    );
    let page = with_source(&main, &["summary", "--impact"]);
    let expected = "what depends on it is not known, because the search ended at its limit";
    assert!(page.contains(expected), "{page}");
}

#[test]
fn a_plan_without_a_configuration_has_a_warning() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","type":"t","name":"a","change":{"actions":["delete"]}}]}"#;
    let folder = folder(&[], &[("plan.json", plan)]);
    let path = folder.path().join("plan.json").display().to_string();
    let output = run::plansift().args(["summary", "--impact", &path]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the plan has no configuration"), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("depend"));
}

#[test]
fn dependents_are_followed_through_local_values_of_source_files() {
    let dependents = |args: &[&str]| {
        let all = ["config", "--dependents", "terraform_data.address"];
        written(&run::plansift().args(all).args(args).output().expect("it runs"))
    };
    let [file, json, source] = [plan_file(), plan_json(), source()];
    for args in [&[&*file][..], &["--source", &source, &json]] {
        let found = dependents(args);
        assert!(found.contains("local     local.records"), "{args:?}: {found}");
        assert!(found.contains("output    output.name_servers"), "{args:?}: {found}");
    }
    assert!(!dependents(&[&json]).contains("output.name_servers"));
}

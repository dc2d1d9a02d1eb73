//! Markdown reports, as a Markdown parser reads them.

use super::page::{self, Page};
use super::{folder, report};
use crate::{corpus, run};

#[test]
fn every_plan_of_the_corpus_has_a_page() {
    for case in corpus::cases() {
        let name = case.source();
        let run = report(&case.folder, &["-o", "markdown", "--all", &name], &[]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let page = page::read(&run.out);
        assert_eq!(page.markers.len(), 1, "{}", run.out);
        for (title, count) in &page.sections {
            assert_eq!(page.shown(title), *count, "{title}: {}", run.out);
        }
    }
}

#[test]
fn markdown_lists_several_plans_in_one_table() {
    let plans = ["create", "delete", "no-changes", "update"];
    let folder = folder(&plans, &[("cut.json", r#"{"format_version":"1.2","resource_changes":["#)]);
    let args = ["-o", "markdown", "--fail-on", "delete", "."];
    let run = report(folder.path(), &args, &[]);
    assert_eq!(run.code, Some(4), "{run:?}");
    let page = page::read(&run.out);
    let rows: Vec<String> = page.rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(rows[0], "Plan Add Change Destroy", "{rows:?}");
    assert_eq!(rows.last().expect("rows"), "Total 1 2 4", "{rows:?}");
    assert_eq!(rows.len(), 5, "plans without changes, and unread plans, have no row: {rows:?}");
    let errors = "**Not read: 1**\n\n- `./cut.json`: `byte 44, ";
    assert!(run.out.contains(errors), "{}", run.out);
    assert!(page.text.contains("5 plans, 1 without changes."), "{}", page.text);
    assert!(page.text.contains("1 plan could not be read"), "{}", page.text);
    assert!(page.text.contains("Broken rules"), "{}", page.text);
    let heads = heads(&page);
    assert!(heads.iter().any(|head| head.starts_with("`create`: `+` **`")), "{heads:?}");
}

#[test]
fn plans_that_fail_half_way_leave_only_an_error() {
    let cut = std::fs::read_to_string(run::root().join("corpus/plans/rich/plan.json"));
    let cut = cut.expect("a plan");
    let cut = &cut[..cut.len() - 100];
    let folder = folder(&["create", "update"], &[("m.json", cut)]);
    let args = ["-o", "markdown", "create.json", "m.json", "update.json"];
    let run = report(folder.path(), &args, &[]);
    assert_eq!(run.code, Some(4), "{run:?}");
    let page = page::read(&run.out);
    let heads = heads(&page);
    assert_eq!(heads.len(), 3, "{heads:?}");
    assert!(heads.iter().any(|head| head.starts_with("`create`")), "{heads:?}");
    assert!(heads.iter().any(|head| head.starts_with("`update`")), "{heads:?}");
}

#[test]
fn the_marker_depends_on_the_inputs() {
    let folder = folder(&["create", "update", "delete"], &[]);
    let marker = |inputs: &[&str]| {
        let args: Vec<&str> =
            ["-o", "markdown"].into_iter().chain(inputs.iter().copied()).collect();
        let page = page::read(&report(folder.path(), &args, &[]).out);
        let [marker] = &page.markers[..] else { panic!("{:?}", page.markers) };
        marker.clone()
    };
    let one = marker(&["create.json", "update.json"]);
    assert_eq!(one, marker(&["update.json", "create.json"]), "their order does not matter");
    assert_ne!(one, marker(&["create.json", "delete.json"]));
    std::fs::copy(folder.path().join("delete.json"), folder.path().join("update.json"))
        .expect("a copy");
    assert_eq!(one, marker(&["create.json", "update.json"]), "what is in them neither");
}

#[test]
fn instances_that_change_alike_are_one_entry() {
    let change = |index: usize, size: usize| {
        format!(
            r#"{{"address":"a.b[{index}]","mode":"managed","type":"a","name":"b","index":{index},
            "change":{{"actions":["update"],"before":{{"size":1}},"after":{{"size":{size}}}}}}}"#
        )
    };
    let changes: Vec<String> = (0..12).map(|index| change(index, 2 + index / 10)).collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let folder = folder(&[], &[("plan.json", &plan)]);
    let run = report(folder.path(), &["-o", "markdown", "plan.json"], &[]);
    let alike = "`~` **`a.b`** `[0]`, `[1]`, `[2]` and 7 more (10 alike) will be updated in place";
    let two = "`~` **`a.b`** `[10]`, `[11]` (2 alike) will be updated in place";
    assert_eq!(heads(&page::read(&run.out)), [alike, two], "{}", run.out);
    assert_eq!(run.out.matches("! size = 1 -> ").count(), 2, "{}", run.out);
}

#[test]
fn excerpts_show_where_long_values_differ() {
    let policy = |action: &str| format!("{}{action}{}", "x".repeat(300), "y".repeat(300));
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{{
        "actions":["update"],"before":{{"p":"{}"}},"after":{{"p":"{}"}}}}}}]}}"#,
        policy("GET"),
        policy("PUT")
    );
    let folder = folder(&[], &[("plan.json", &plan)]);
    let run = report(folder.path(), &["-o", "markdown", "plan.json"], &[]);
    let [before, after] = ["GETyyy", "PUTyyy"].map(|part| run.out.find(part));
    assert!(before.is_some() && after.is_some(), "{}", run.out);
}

#[test]
fn destructive_changes_are_not_folded() {
    let change = |number: usize, action: &str| {
        format!(
            r#"{{"address":"a.b{number}","mode":"managed","type":"a","name":"b{number}",
            "change":{{"actions":[{action}],"before":{{"n":1}},"after":null}}}}"#
        )
    };
    let plan = |actions: &[&str]| {
        let changes: Vec<String> =
            actions.iter().enumerate().map(|(number, action)| change(number, action)).collect();
        format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","))
    };
    let top = |page: &str| page.split("<details>").next().unwrap_or_default().to_owned();
    let few = plan(&[r#""forget""#, r#""create""#, r#""delete","create""#, r#""delete""#]);
    let folder = folder(&["no-changes"], &[("plan.json", &few)]);
    let run = report(folder.path(), &["-o", "markdown", "plan.json"], &[]);
    let list = "**Destroyed, replaced or forgotten: 3**\n\n\
        - `-` **`a.b3`** will be destroyed\n\
        - `-/+` **`a.b2`** must be replaced\n\
        - `.` **`a.b0`** will no longer be managed, but will not be destroyed\n\n";
    assert!(top(&run.out).contains(list), "{}", run.out);
    page::read(&run.out);

    let many = plan(&[r#""delete""#; 30]);
    let folder = self::folder(&["create"], &[("plan.json", &many), ("cut.json", &many[..3000])]);
    let run = report(folder.path(), &["-o", "markdown", "plan.json"], &[]);
    let top_of = top(&run.out);
    assert_eq!(top_of.matches("will be destroyed").count(), 10, "{top_of}");
    assert!(top_of.contains("- … and 20 more\n"), "{top_of}");
    // The report drops the changes of a plan that fails half-way.
    let run = report(folder.path(), &["-o", "markdown", "cut.json", "create.json"], &[]);
    assert!(!run.out.contains("Destroyed"), "{}", run.out);
}

#[test]
fn the_table_agrees_with_the_plan_line() {
    let folder = folder(&["rich", "replace-by-forgetting", "create"], &[]);
    let run = report(folder.path(), &["-o", "markdown", "rich.json"], &[]);
    let page = page::read(&run.out);
    let [heading, row] = &page.rows[..] else { panic!("{:?}", page.rows) };
    let cell = |word: &str| {
        let column = heading.iter().position(|it| it == word).expect("a column");
        row[column].clone()
    };
    let cells = ["Import", "Add", "Change", "Destroy", "Forget"].map(cell);
    let [import, add, change, destroy, forget] = cells;
    let line = format!(
        "Plan: {import} to import, {add} to add, {change} to change, {destroy} to destroy, \
         {forget} to forget."
    );
    assert!(run.out.contains(&line), "{line}: {}", run.out);
    let words = "Add, Destroy and Forget count replacements as the plan line does.";
    assert!(run.out.contains(words), "{}", run.out);
    let run = report(folder.path(), &["-o", "markdown", "create.json"], &[]);
    assert!(!run.out.contains("replacements"), "{}", run.out);
    let run = report(folder.path(), &["-o", "markdown", "."], &[]);
    let total = page::read(&run.out).rows.pop().expect("rows");
    let sum = |column: usize| -> u64 {
        let rows = &page::read(&run.out).rows;
        let rows = &rows[1..rows.len() - 1];
        rows.iter().filter_map(|row| row[column].parse::<u64>().ok()).sum()
    };
    assert_eq!(total[1], sum(1).to_string(), "{}", run.out);
}

/// The first lines of all entries of a page.
pub fn heads(page: &Page) -> Vec<String> {
    page.entries.values().flatten().map(|(head, _)| head.clone()).collect()
}

#[test]
fn failed_checks_stand_before_the_table() {
    let run = report(run::root(), &["-o", "markdown", "corpus/plans/rich/plan.json"], &[]);
    let place = |text: &str| run.out.find(text).unwrap_or_else(|| panic!("{text}: {}", run.out));
    assert!(place("**Warning:** 2 checks failed.") < place("| Plan |"), "{}", run.out);
}

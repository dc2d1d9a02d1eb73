//! The page about a fleet (`plansift merge -o html=FILE`) in a real browser: its numbers, search
//! and filters, and that no name runs as code.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::browser::{Browser, ESCAPE};
use super::hostile;
use crate::run;

/// The number of workspaces. Every tenth destroys something, and every fiftieth is not a plan.
const WORKSPACES: usize = 600;
/// The number of rows that the page shows at first.
const SHOWN: u64 = 200;

/// Batches a fleet and a plan with a hostile name, and writes the page.
fn write(folder: &Path) -> PathBuf {
    let plans = folder.join("plans");
    std::fs::create_dir(&plans).expect("a folder");
    for number in 0..WORKSPACES {
        let action = if number % 10 == 0 { "delete" } else { "no-op" };
        let plan = match number % 50 {
            49 => "{".to_owned(),
            _ => format!(
                r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","type":"a",
                "change":{{"actions":["{action}"],"before":{{}},"after":{{}}}}}}]}}"#
            ),
        };
        std::fs::write(plans.join(format!("team-{number:03}.json")), plan).expect("a file");
    }
    hostile::write(&plans);
    let page = folder.join("fleet.html");
    let target = format!("html={}", page.display());
    for args in
        [&["batch", "--quiet", "plans", "--out", "out"][..], &["merge", "out", "-o", &target]]
    {
        let output = run::plansift().args(args).current_dir(folder).output().expect("it runs");
        assert_eq!(output.status.code(), Some(4), "{output:?}");
    }
    page
}

/// The number that the page shows for a class of workspaces.
fn number(browser: &Browser, class: &str) -> u64 {
    browser.text(&format!("#numbers [data-is={class}] b")).parse().expect("a number")
}

fn click(browser: &Browser, selector: &str) {
    browser.eval(&format!("document.querySelector({selector:?}).click()"));
    browser.settle();
}

#[test]
fn workspaces_are_searched_and_filtered() {
    let Some(browser) = Browser::start() else { return };
    let folder: TempDir = tempfile::tempdir().expect("a folder");
    let page = write(folder.path());
    browser.open(&page);
    const ROWS: &str = "#plans tr[data-is]";
    assert_eq!(browser.complaints(), Vec::<Value>::new());
    assert_eq!(browser.requests(), [format!("file://{}", page.display())]);
    assert_eq!(browser.eval("typeof hostile"), "undefined");
    let workspaces = WORKSPACES as u64 + 1;
    assert_eq!(browser.text("#found"), format!("{workspaces} workspaces"));
    assert_eq!(browser.count(ROWS), SHOWN);
    click(&browser, "#plans > .more");
    assert_eq!(browser.count(ROWS), 2 * SHOWN);

    // The hostile plan also destroys something. The other hostile file is skipped.
    let [failures, destroys] = ["failures", "destroys"].map(|class| number(&browser, class));
    assert_eq!([failures, destroys], [WORKSPACES as u64 / 50, WORKSPACES as u64 / 10 + 1]);
    click(&browser, "input[value=failures]");
    assert_eq!(browser.count(ROWS), failures);
    click(&browser, "input[value=destroys]");
    assert_eq!(browser.count(ROWS), failures + destroys);
    assert_eq!(
        browser.text("#found"),
        format!("{} of {workspaces} workspaces", failures + destroys)
    );

    click(&browser, "[type=reset]");
    assert_eq!(browser.count(ROWS), SHOWN);
    browser.press("/");
    browser.press("team-12 destroys");
    browser.settle();
    assert_eq!(browser.count(ROWS), 1);
    browser.press(&ESCAPE.to_string());
    browser.settle();
    assert_eq!(browser.count(ROWS), SHOWN);

    assert!(browser.count("#errors li") < failures);
    click(&browser, "#errors > .more");
    assert_eq!(browser.count("#errors li"), failures);
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

#[test]
fn the_page_has_every_workspace_without_scripts() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = std::fs::read_to_string(write(folder.path())).expect("a page");
    assert_eq!(page.matches("<tr data-is=").count(), WORKSPACES + 1);
    assert_eq!(page.matches("<script").count(), 1);
    let rows = page.split("<tr data-is=\"").skip(1);
    let classes: Vec<&str> = rows.filter_map(|row| row.split(['"', ' ']).next()).collect();
    let order = ["failures", "destroys", "planned-changes", "drift", "in-the-desired-state"];
    let rank = |class: &&str| order.iter().position(|other| other == class).expect("a class");
    assert!(classes.iter().map(rank).is_sorted(), "{classes:?}");
}

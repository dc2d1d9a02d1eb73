//! The pages pass axe-core, a checker of accessibility: in light colours and a wide window,
//! and in dark colours and a narrow one, closed and with every entry open.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::browser::Browser;
use super::plan;
use crate::run;

/// Two nights of a fleet.
const NIGHTS: [&str; 2] = ["corpus/compare/nights/2026-03-01", "corpus/compare/nights/2026-03-02"];

/// axe-core from `scripts/axe`, if it is installed.
static AXE: LazyLock<Option<String>> = LazyLock::new(|| {
    let file = run::root().join("target/axe/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(file).ok()
});

/// The source of axe-core. Without it, says so and returns `None`.
fn axe() -> Option<&'static str> {
    if AXE.is_none() {
        run::left_out("axe-core: it needs npm and `scripts/axe`");
    }
    AXE.as_deref()
}

/// Writes the page that a command prints. Its exit code does not matter.
fn write(args: &[&str], page: &Path) {
    let output = run::plansift().args(args).current_dir(run::root()).output().expect("it runs");
    assert!(output.stdout.starts_with(b"<!doctype html>"), "{args:?}: {:?}", output.status);
    std::fs::write(page, output.stdout).expect("a file");
}

/// Asserts that axe-core finds nothing in a page.
fn check(browser: &Browser, axe: &str, page: &Path) {
    let name = page.file_name().expect("a name").display();
    for (scheme, width) in [("light", 1280), ("dark", 420)] {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.command("Emulation.setEmulatedMedia", json!({"features": features}));
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.command("Emulation.setDeviceMetricsOverride", size);
        browser.open(page);
        assert_eq!(violations(browser, axe), [""; 0], "{name}, {scheme}, {width} pixels");
        browser.eval("document.querySelectorAll('details').forEach(it => it.open = true)");
        browser.settle();
        assert_eq!(violations(browser, axe), [""; 0], "{name}, {scheme}, {width} pixels, open");
    }
}

/// The rules that the page breaks, each with the first element that breaks it.
fn violations(browser: &Browser, axe: &str) -> Vec<String> {
    let script = format!("(async () => {{ {axe}; return await axe.run(document) }})()");
    let found = browser.eval(&script);
    let passes = found["passes"].as_array().expect("a list").len();
    assert!(passes > 20, "only {passes} rules have something to check");
    let told = |rule: &Value| format!("{}: {}", rule["help"], rule["nodes"][0]["html"]);
    found["violations"].as_array().expect("a list").iter().map(told).collect()
}

#[test]
fn reports_and_comparisons_pass_axe() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let rich = plan("rich").display().to_string();
    let shop = ["corpus/compare/shop/approved.json", "corpus/compare/shop/next-commit.json"];
    let failed = ["corpus/plans/errored-half-way/plan.json", "corpus/wrong/empty.json"];
    for (name, args) in [
        ("report.html", &["report", "-o", "html", "--quiet", &rich][..]),
        ("several.html", &["report", "-o", "html", "--quiet", &rich, failed[0], failed[1]]),
        ("comparison.html", &["compare", "-f", "html", "--level", "values", shop[0], shop[1]]),
        ("folders.html", &["compare", "-f", "html", NIGHTS[0], NIGHTS[1]]),
    ] {
        let page = folder.path().join(name);
        write(args, &page);
        check(&browser, axe, &page);
        // The nights differ in no value.
        let opened = browser.count("#lists details[open] .attributes");
        assert!(opened > 0 || name == "folders.html", "{name}: no entry was open");
    }
}

#[test]
fn pages_about_fleets_pass_axe() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name).display().to_string());
    for (plans, out) in [(NIGHTS[0], &old), ("corpus/plans", &new)] {
        let mut command = run::plansift();
        command.args(["batch", "--quiet", plans, "--out", out]).current_dir(run::root());
        command.output().expect("it runs");
    }
    for (name, args) in [
        ("fleet.html", &["merge", "--format", "html", &new][..]),
        ("since.html", &["merge", "--format", "html", &new, "--since", &old]),
    ] {
        let page = folder.path().join(name);
        write(args, &page);
        check(&browser, axe, &page);
    }
}

#[test]
fn axe_finds_a_missing_name() {
    let Some(axe) = axe() else { return };
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    write(&["report", "-o", "html", "--quiet", &plan("rich").display().to_string()], &page);
    browser.open(&page);
    browser.eval("document.querySelector('#text').removeAttribute('placeholder')");
    browser
        .eval("document.querySelector('label.text').replaceWith(document.querySelector('#text'))");
    let found = violations(&browser, axe);
    assert!(found.iter().any(|it| it.contains("must have labels")), "{found:?}");
}

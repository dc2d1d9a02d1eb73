//! The HTML report in a real browser: its numbers, filters, keyboard shortcuts and dark mode, and
//! that no text of a plan runs as code.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use plansift::record::RecordOptions;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::browser::{Browser, DOWN, ENTER, ESCAPE, SPACE, TAB};
use super::{hostile, plan};
use crate::{corpus, run};

/// A browser that shows the report of some inputs.
struct Opened {
    browser: Browser,
    _folder: TempDir,
    page: PathBuf,
}

fn open(inputs: &[&Path]) -> Option<Opened> {
    open_with(&[], inputs)
}

fn open_with(options: &[&str], inputs: &[&Path]) -> Option<Opened> {
    let browser = Browser::start()?;
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    let target = format!("html={}", page.display());
    let mut command = run::plansift();
    command.args(["report", "--quiet", "--output", &target]).args(options);
    let output = command.args(inputs).current_dir(run::root()).output().expect("it runs");
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{output:?}");
    browser.open(&page);
    Some(Opened { browser, _folder: folder, page })
}

impl Opened {
    /// Asserts that the browser logged no errors and requested nothing but the page.
    fn is_quiet(&self) {
        assert_eq!(self.browser.complaints(), Vec::<Value>::new());
        let page = format!("file://{}", self.page.display());
        assert_eq!(self.browser.requests(), [page]);
    }

    /// The number of entries that the heading of a section shows.
    fn number(&self, part: &str) -> u64 {
        let script = format!(
            "(it => it.checkVisibility() ? it.querySelector('.number').textContent : '0')\
             (document.getElementById('{part}'))"
        );
        let text = self.browser.eval(&script);
        text.as_str().expect("a text").replace(',', "").parse().expect("a number")
    }

    /// Sets a filter field and sends the events of user input.
    fn set(&self, id: &str, value: &str) {
        let script = format!(
            "(it => {{ it.value = {value:?}; \
             it.dispatchEvent(new Event('input', {{bubbles: true}})); \
             return it.value; }})(document.getElementById('{id}'))"
        );
        assert_eq!(self.browser.eval(&script), value, "{id}");
    }

    fn clear(&self) {
        self.browser.eval("document.getElementById('filters').reset()");
        self.browser.settle();
    }
}

/// The records of a plan that uses every feature.
fn rich() -> Vec<Value> {
    let input = corpus::open(&run::root().join(plan("rich"))).expect("a plan");
    run::records(input, &RecordOptions::default()).expect("a plan").0
}

#[test]
fn the_overview_says_what_the_plan_does() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    let records = rich();
    let summary = records.last().expect("a summary");
    let counted = |word: &str| summary["terraform"][word].as_u64().expect("a number");
    let line = format!(
        "Plan: {} to import, {} to add, {} to change, {} to destroy, {} to forget. \
         Actions: 1 to invoke.",
        counted("import"),
        counted("add"),
        counted("change"),
        counted("destroy"),
        counted("forget")
    );
    assert_eq!(browser.text("#line"), line);
    assert_eq!(browser.text("h1"), "corpus/plans/rich/plan.json");
    let facts = browser.text("#facts");
    assert!(facts.contains("3 changed outside of Terraform (drift)"), "{facts}");
    assert!(facts.ends_with(" · Terraform 1.15.0 · format 1.2"), "{facts}");
    let warnings = "2 checks failed.\nSome changes are deferred to a later plan.";
    assert_eq!(browser.text("#warnings"), warnings);
    let legend = browser.text("#legend").replace('\n', " ");
    assert_eq!(
        legend,
        "- delete 6 -/+ replace 7 . forget 2 ~ update 17 + create 8 <= read 1 unchanged 3"
    );
    for (kind, part) in [
        ("resource_change", "change"),
        ("resource_drift", "drift"),
        ("deferred_change", "deferred"),
        ("output_change", "output"),
        ("action_invocation", "invocation"),
        ("check", "check"),
    ] {
        let number = records.iter().filter(|record| record["kind"] == kind).count();
        assert_eq!(opened.number(part), number as u64, "{part}");
    }
    opened.is_quiet();
}

#[test]
fn the_tool_is_named_where_it_is_known() {
    let [rich, tofu] = ["rich", "opentofu"].map(plan);
    let Some(opened) = open(&[&tofu]) else { return };
    let facts = opened.browser.text("#facts");
    assert!(facts.contains(" · OpenTofu 1."), "{facts}");
    let Some(opened) = open(&[&tofu, &rich]) else { return };
    let drift = opened.browser.text("section[aria-labelledby=drift] h2");
    assert!(drift.contains("changed outside of Terraform or OpenTofu"), "{drift}");
    opened.is_quiet();
}

#[test]
fn filters_show_matching_changes() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    let records = rich();
    let changes: Vec<_> = records.iter().filter(|it| it["kind"] == "resource_change").collect();
    let numbers = |key: &str| {
        let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
        for change in &changes {
            *numbers.entry(change[key].as_str().unwrap_or("")).or_default() += 1;
        }
        numbers
    };
    for (action, number) in numbers("action") {
        browser.eval(&format!("document.querySelector('[value=\"{action}\"]').click()"));
        assert_eq!(opened.number("change"), number, "{action}");
        assert_eq!(browser.count("#lists .row.update") > 0, action == "update");
        opened.clear();
    }
    for (name, number) in numbers("type") {
        opened.set("type", name);
        assert_eq!(opened.number("change"), number, "{name}");
    }
    opened.clear();
    for module in numbers("module_address").into_keys().filter(|module| !module.is_empty()) {
        let is_below = |it: &&&Value| {
            let address = it["address"].as_str().unwrap_or("");
            address.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
        };
        opened.set("module", module);
        assert_eq!(
            opened.number("change"),
            changes.iter().filter(is_below).count() as u64,
            "{module}"
        );
    }
    opened.set("module", ".");
    assert_eq!(opened.number("change"), numbers("module_address")[""]);
    opened.clear();
    opened.set("text", "Database  primary");
    assert_eq!([opened.number("change"), opened.number("check")], [2, 0]);
    assert!(browser.text("#found").contains(" of 57 entries"));
    opened.set("text", "nothing has this name");
    assert_eq!(browser.text("#found"), "0 of 57 entries");
    opened.clear();
    assert_eq!(browser.text("#found"), "57 entries");
    // A type in the overview is a filter, too.
    browser.eval("document.querySelector('#types tbody button').click()");
    assert_eq!(browser.eval("document.getElementById('type').value"), "aws_iam_role");
    opened.is_quiet();
}

#[test]
fn an_opened_change_shows_its_values() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    browser.eval("document.querySelectorAll('#lists .heading button').forEach(it => it.click())");
    browser.settle();
    let shown = browser.text("section[aria-labelledby=change]");
    for text in [
        "~\tallocated_storage\t200 → 400",
        "# forces replacement",
        "(known after apply)",
        "(sensitive value)",
        "Moved from\naws_ecr_repository.service",
        "imported from \"ci-plan\"",
        "(deposed 5d1c8e0f)",
        "left over from a partially failed replacement",
        "its module is no longer in the configuration",
    ] {
        assert!(shown.contains(text), "{text} is not in:\n{shown}");
    }
    assert!(!browser.eval("document.documentElement.textContent").to_string().contains("CANARY"));
    // Failed checks come first.
    let checks = browser.text("#lists section");
    assert!(checks.starts_with("Checks that did not pass 4"), "{checks}");
    assert!(checks.contains("The certificate of example.com ends within 30 days."), "{checks}");
    // Details show the number of unchanged attributes, and the configuration of an action.
    let subnet = "(it => it.parentElement.querySelector('.details').lastChild.textContent)\
                  ([...document.querySelectorAll('summary')].find(it => \
                  it.textContent.includes('aws_db_instance.primary')))";
    let note = browser.eval(subnet);
    let number = unchanged("module.database.aws_db_instance.primary");
    assert_eq!(note, format!("{number} unchanged attributes not shown"));
    let action = browser.text("section[aria-labelledby=invocation]");
    for text in ["function_name\t\"shop-warm-cache\"", "payload\t(known after apply)"] {
        assert!(action.contains(text), "{text}: {action}");
    }
    // What the page says without its script is gone.
    assert_eq!(browser.count(".unscripted"), 0);
    let drift = browser.text("section[aria-labelledby=drift]");
    assert!(drift.starts_with("Drift: changed outside of Terraform 3"), "{drift}");
    opened.is_quiet();
}

/// Number of unchanged attributes of a resource.
fn unchanged(address: &str) -> usize {
    let text = std::fs::read_to_string(run::root().join(plan("rich"))).expect("a plan");
    let plan: Value = serde_json::from_str(&text).expect("JSON");
    let changes = plan["resource_changes"].as_array().expect("changes");
    let of = |it: &&Value| it["address"] == address && it["deposed"].is_null();
    let change = &changes.iter().find(of).expect("it is there")["change"];
    let stays = |(key, value): &(&String, &Value)| {
        let is_unknown = change["after_unknown"].get(key).is_some_and(|it| *it == true);
        !value.is_null() && change["before"][key.as_str()] == **value && !is_unknown
    };
    change["after"].as_object().expect("an object").iter().filter(stays).count()
}

#[test]
fn values_and_types_are_searched() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    let found = |text: &str| {
        opened.set("text", text);
        browser.text("#found").split(' ').next().map(str::to_owned).unwrap_or_default()
    };
    for (text, number) in [
        ("shop-warm-cache", "1"),
        ("SHOP-16-20250110", "3"),
        ("aws_iam_role", "3"),
        ("certificate example.com ends", "1"),
        ("ci-plan", "1"),
        // Words that occur in the data but not in the page.
        ("attributes", "0"),
        ("withheld", "0"),
        ("\\u003c", "0"),
    ] {
        assert_eq!(found(text), number, "{text}");
    }
    assert_ne!(found("(sensitive value)"), "0");
    assert!(!["0", "57"].contains(&found("\"eu-west-1c\"").as_str()));
    opened.is_quiet();
}

#[test]
fn links_restore_the_filters() {
    let Some(opened) = open(&[&plan("rich"), &plan("delete")]) else { return };
    let browser = &opened.browser;
    let fragment = || browser.eval("location.hash").as_str().expect("a text").to_owned();
    assert_eq!(fragment(), "");
    opened.set("text", "a/b&c=d #");
    assert_eq!(fragment(), "#q=a%2Fb%26c%3Dd+%23");
    opened.set("text", "module");
    opened.set("module", "module.database");
    opened.set("plan", "0");
    browser.eval("document.querySelector('[value=replace]').click()");
    let sent = fragment();
    let rich = "corpus%2Fplans%2Frich";
    let expected = format!("#q=module&module=module.database&plan={rich}&action=replace");
    assert_eq!(sent, expected);
    let number = opened.number("change");
    assert!(number > 0);
    opened.clear();
    assert_eq!(fragment(), "");
    assert!(opened.number("change") > number);
    // The user follows the link in an open page and in a new one.
    browser.eval(&format!("(location.hash = '{sent}')"));
    browser.settle();
    assert_eq!(opened.number("change"), number);
    browser.eval("(location.hash = '#change')");
    browser.settle();
    assert_eq!(opened.number("change"), number, "a place is no filter");
    browser.eval(&format!("history.replaceState(null, '', '{sent}')"));
    browser.eval("location.reload()");
    browser.settle();
    assert_eq!((opened.number("change"), fragment()), (number, sent));
    let set = "['text', 'type', 'module'].map(id => document.getElementById(id).value)";
    assert_eq!(browser.eval(set), json!(["module", "", "module.database"]));
    // A hostile link is treated as text.
    browser
        .eval("(location.hash = '#type=<img src=x onerror=hostile=1>&plan=x&action=constructor')");
    browser.settle();
    assert_eq!(browser.eval("typeof window.hostile"), "undefined");
    assert_eq!(opened.number("change"), 0);
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

#[test]
fn values_are_shown_as_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for (values, number) in [("none", false), ("changed", true), ("all", true)] {
        let page = folder.path().join(format!("{values}.html"));
        let target = format!("html={}", page.display());
        let mut command = run::plansift();
        command.args(["report", "--values", values, "-o", &target]).arg(plan("rich"));
        assert!(command.current_dir(run::root()).status().expect("it runs").success());
        let text = std::fs::read_to_string(&page).expect("a page");
        let data = text.split("application/x-ndjson").nth(1).expect("data");
        assert!(data.contains("allocated_storage"), "{values}");
        assert_eq!(data.contains("\"200\",\"400\""), number, "{values}");
        assert_eq!(data.contains("shop-warm-cache"), number, "{values}");
        assert_eq!(data.contains(",\"same\"]"), values == "all", "{values}");
        assert_eq!(data.contains("\"unchanged\":"), values == "changed", "{values}");
    }
}

#[test]
fn the_page_can_be_used_with_the_keyboard_alone() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    let focused = || browser.eval("document.activeElement.id || document.activeElement.tagName");
    browser.press("/");
    assert_eq!(focused(), "text");
    browser.press("dns/");
    assert_eq!(browser.eval("document.activeElement.value"), "dns/");
    browser.press(&ESCAPE.to_string());
    browser.settle();
    assert_eq!(browser.eval("document.getElementById('text').value"), "");
    browser.press("module.dns.");
    assert_eq!(opened.number("change"), 4);
    // Tabs pass the type and the module; the third stop is the first action.
    browser.press(&[TAB, TAB, TAB, SPACE].iter().collect::<String>());
    assert_eq!(browser.eval("document.activeElement.value"), "delete");
    assert_eq!(opened.number("change"), 1);
    browser.press(&SPACE.to_string());
    for _ in 0..40 {
        if focused() == "SUMMARY" {
            break;
        }
        browser.press(&TAB.to_string());
    }
    assert_eq!(focused(), "SUMMARY");
    let outline = browser.eval("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid");
    browser.press(&ENTER.to_string());
    browser.settle();
    assert_eq!(browser.count("#lists details[open] .attributes"), 1);
    browser.press(&[DOWN, ENTER].iter().collect::<String>());
    browser.settle();
    assert_eq!(browser.count("#lists details[open] .attributes"), 2);
    opened.is_quiet();
}

#[test]
fn controls_have_accessible_names() {
    let Some(opened) = open(&[&plan("rich"), &plan("errored")]) else { return };
    let tree = opened.browser.command("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let mut roles: BTreeMap<&str, u64> = BTreeMap::new();
    for node in nodes.iter().filter(|node| node["ignored"] == false) {
        let role = node["role"]["value"].as_str().unwrap_or("");
        *roles.entry(role).or_default() += 1;
        const NAMED: [&str; 7] =
            ["button", "checkbox", "combobox", "link", "region", "searchbox", "columnheader"];
        let name = node["name"]["value"].as_str().unwrap_or("");
        assert!(!NAMED.contains(&role) || !name.trim().is_empty(), "{node}");
    }
    for role in ["banner", "main", "search", "navigation", "contentinfo", "status", "heading"] {
        assert!(roles.contains_key(role), "{role} is not among {roles:?}");
    }
}

#[test]
fn light_and_dark_schemes_have_enough_contrast() {
    let Some(opened) = open(&[&plan("rich")]) else { return };
    let browser = &opened.browser;
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        browser.command("Emulation.setEmulatedMedia", json!({"features": features}));
        let color = |name: &str| {
            let script =
                format!("getComputedStyle(document.documentElement).getPropertyValue('--{name}')");
            browser.eval(&script).as_str().expect("a colour").trim().to_owned()
        };
        let papers_here = [color("paper"), color("raised")];
        for (name, least) in [
            ("ink", 7.0),
            ("dim", 4.5),
            ("accent", 4.5),
            ("delete", 4.5),
            ("forget", 4.5),
            ("other", 4.5),
            ("update", 4.5),
            ("create", 4.5),
            ("read", 4.5),
        ] {
            for paper in &papers_here {
                let contrast = contrast(&color(name), paper);
                assert!(contrast >= least, "{scheme}: {name} on {paper}: {contrast}");
            }
        }
        papers.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(papers[0], papers[1]);
}

/// The contrast ratio of two colours, as defined by WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |color: &str| {
        let part = |place: usize| {
            let hex = color.get(place..place + 2).expect("six digits");
            let value = f64::from(u8::from_str_radix(hex, 16).expect("hexadecimal")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn the_page_fits_a_narrow_window() {
    let Some(opened) = open(&[&plan("rich"), &plan("errored")]) else { return };
    let size = json!({"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": false});
    opened.browser.command("Emulation.setDeviceMetricsOverride", size);
    opened.browser.eval("document.querySelectorAll('details').forEach(it => it.open = true)");
    opened.browser.settle();
    let fits = "(it => it.scrollWidth <= it.clientWidth)(document.documentElement)";
    assert_eq!(opened.browser.eval(fits), true);
    // Each column has a visible heading, and the numbers of each row are visible.
    let unseen = "[...document.querySelectorAll('main table')].filter(it => it.checkVisibility())\
        .flatMap(it => [...it.querySelectorAll('thead th')]).filter(it => \
        it.innerText.trim() === '' || it.offsetWidth < 8 || it.offsetHeight < 8)\
        .map(it => it.outerHTML)";
    assert_eq!(opened.browser.eval(unseen), json!([]));
    let headings = "[...document.querySelectorAll('#types thead th')].map(it => \
        [...it.querySelectorAll('.word')].every(it => it.offsetHeight > 8))";
    let headings = opened.browser.eval(headings);
    let headings = headings.as_array().expect("a list");
    assert!(headings.len() > 5 && headings.iter().all(|it| it == true), "{headings:?}");
}

#[test]
fn the_page_lists_several_plans_separately() {
    let wrong = Path::new("corpus/wrong/empty.json");
    let Some(opened) = open(&[&plan("rich"), &plan("errored-half-way"), wrong, &plan("delete")])
    else {
        return;
    };
    let browser = &opened.browser;
    assert_eq!(browser.text("h1"), "4 plans");
    assert!(browser.text("#warnings").contains("1 plan could not be read"));
    assert!(browser.text("#warnings").contains("Planning failed in 1 plan: incomplete."));
    // All plans: the numbers of the plan lines, and the actions.
    let line = browser.text("#line");
    assert!(line.ends_with(" to forget. Actions: 1 to invoke."), "{line}");
    let headings = browser.text("#plans thead").replace(['\n', '\t'], " ");
    let columns = "Plan Add Change Destroy Replace Import Move Forget Drift Failed checks Problem";
    assert_eq!(headings.trim_end(), columns);
    let note = browser.text("#plans");
    assert!(note.contains("Add, Destroy and Forget count replacements"), "{note}");
    // A plan that was not read has no numbers, only its error.
    let unread = browser.text("#errors");
    assert!(unread.contains("corpus/wrong/empty.json: the input is empty"), "{unread}");
    assert!(!browser.text("#plans").contains("corpus/wrong/empty"));
    let first = browser.text("#plans tbody tr");
    assert!(first.contains("planning failed"), "{first}");
    // A name in the table is a filter.
    browser.eval("document.querySelectorAll('#plans tbody button')[1].click()");
    assert_eq!(browser.eval("document.getElementById('plan').value"), "0");
    opened.clear();
    let all = opened.number("change");
    opened.set("plan", "0");
    let of_rich = opened.number("change");
    opened.set("plan", "1");
    let of_errored = opened.number("change");
    opened.set("plan", "3");
    assert_eq!(all, of_rich + of_errored + opened.number("change"));
    opened.set("plan", "2");
    assert_eq!(browser.text("#found").split(' ').next(), Some("0"));
    opened.is_quiet();
}

#[test]
fn hostile_plans_run_no_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plan, wrong] = hostile::write(folder.path());
    let Some(opened) = open(&[&plan, &wrong]) else { return };
    let browser = &opened.browser;
    let parts = ["change", "drift", "deferred", "output", "invocation", "check"];
    let strings = hostile::STRINGS.len() as u64;
    assert_eq!(parts.map(|part| opened.number(part)), [strings; 6]);
    browser.eval("document.querySelectorAll('details').forEach(it => it.open = true)");
    browser.settle();
    assert!(browser.count("#lists .details") >= strings * 5);
    for id in ["type", "module", "plan"] {
        // Every option that the page offers.
        browser.eval(&format!(
            "[...document.getElementById('{id}').options].forEach(it => {{ it.selected = true; \
             it.parentElement.dispatchEvent(new Event('input', {{bubbles: true}})); }})"
        ));
    }
    browser.eval("document.querySelectorAll('button, a, summary').forEach(it => it.click())");
    assert!(!browser.asks(), "a dialog");
    assert_eq!(browser.eval("typeof window.hostile"), "undefined");
    assert_eq!(
        browser.eval("document.querySelectorAll('img, svg, iframe, object, base').length"),
        0
    );
    assert_eq!(browser.eval("document.scripts.length"), 2, "the data and the page's own");
    let handlers = "[...document.querySelectorAll('*')].flatMap(it => it.getAttributeNames())\
                    .filter(it => it.startsWith('on') || it === 'srcdoc' || it === 'src')";
    assert_eq!(browser.eval(handlers), json!([]));
    let links = "[...document.links].every(it => it.getAttribute('href').startsWith('#'))";
    assert_eq!(browser.eval(links), true);
    // The text is readable.
    let addresses = "[...document.querySelectorAll('#lists .address')].map(it => it.textContent)";
    let addresses = browser.eval(addresses);
    let addresses = addresses.as_array().expect("a list").iter().filter_map(Value::as_str);
    let of_first = addresses.filter(|it| it.starts_with(hostile::STRINGS[0]));
    assert_eq!(of_first.count(), parts.len());
    assert!(browser.eval("document.title").as_str().is_some_and(|it| it.starts_with("2 plans")));
    opened.is_quiet();
}

#[test]
fn the_content_security_policy_blocks_injected_markup() {
    let Some(opened) = open(&[&plan("least")]) else { return };
    let browser = &opened.browser;
    let markup = "(() => { try { document.body.innerHTML = '<b>x</b>'; } \
                  catch (error) { return error.name; } })()";
    assert_eq!(browser.eval(markup), "TypeError");
    // Written into the file, as injected markup would be.
    let page = std::fs::read_to_string(&opened.page).expect("the page");
    let hurt = page.replace(
        "</footer>",
        "</footer><script>hostile=1</script><b onclick=\"hostile=1\">x</b><img src=x.png>",
    );
    std::fs::write(&opened.page, hurt).expect("a file");
    browser.open(&opened.page);
    browser.eval("document.querySelector('b').click()");
    assert_eq!(browser.eval("typeof window.hostile"), "undefined");
    assert_eq!(opened.number("change"), 1);
    assert_eq!(browser.complaints().len(), 4, "markup, script, handler and image");
}

#[test]
fn a_hundred_thousand_changes_are_usable() {
    const CHANGES: u32 = 100_000;
    let folder = tempfile::tempdir().expect("a folder");
    let large = folder.path().join("large.json");
    std::fs::write(&large, of_many(CHANGES)).expect("a file");
    let Some(opened) = open(&[&large]) else { return };
    let browser = &opened.browser;
    assert_eq!(opened.number("change"), u64::from(CHANGES));
    assert_eq!(browser.count("#lists li"), 100);
    browser.eval("document.querySelectorAll('.pages button')[3].click()");
    assert!(browser.text("#lists .pages").contains("99,901–100,000 of 100,000"));
    for (id, value, number) in [
        ("text", "thing[4711]", 1),
        ("type", "aws_thing_7", CHANGES / 100),
        ("module", "module.m3", CHANGES / 500),
    ] {
        opened.clear();
        opened.set(id, value);
        assert_eq!(opened.number("change"), u64::from(number), "{id}");
    }
    // The time that a user waits for; `scripts/page` prints it.
    let measured = "performance.getEntriesByType('measure').map(it => \
                    `${it.name} ${it.duration.toFixed(0)} ms`).join(', ') + `; page loaded in \
                    ${performance.getEntriesByType('navigation')[0].loadEventEnd.toFixed(0)} ms`";
    println!("{CHANGES} changes: {}", browser.eval(measured));
    opened.is_quiet();
}

/// A plan with `changes` changes of some size.
fn of_many(changes: u32) -> String {
    let mut plan = r#"{"format_version":"1.2","resource_changes":["#.to_owned();
    for number in 0..changes {
        let comma = if number > 0 { "," } else { "" };
        let (module, kind) = (number % 500, number % 100);
        let _ = write!(
            plan,
            r#"{comma}{{"address":"module.m{module}.aws_thing_{kind}.thing[{number}]",
            "module_address":"module.m{module}","mode":"managed","type":"aws_thing_{kind}",
            "name":"thing","index":{number},"change":{{"actions":["update"],
            "before":{{"name":"thing-{number}","size":1,"tags":{{"team":"a"}}}},
            "after":{{"name":"thing-{number}-new","size":2,"tags":{{"team":"b"}}}},
            "after_unknown":{{"arn":true}}}}}}"#
        );
    }
    plan + "]}"
}

#[test]
fn a_rule_that_only_warns_looks_milder_than_an_error() {
    let rules = ["--fail-on", "warning delete", "--fail-on", "replace"];
    let Some(opened) = open_with(&rules, &[&plan("rich")]) else { return };
    let classes = "[...document.querySelectorAll('#warnings li')].slice(0, 3)\
                   .map(it => it.className + ': ' + it.textContent.split(':')[0]).join(', ')";
    let expected =
        "warning: Rule broken, warning mild: Warning, rule broken, warning: 2 checks failed.";
    assert_eq!(opened.browser.eval(classes), expected);
    opened.is_quiet();
}

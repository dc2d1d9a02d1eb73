//! The HTML report (`plansift report -o html`): the data that it embeds, which no plan text can
//! break out of. `html/page.rs` tests it in a browser.

mod axe;
mod browser;
mod fleet;
mod hostile;
mod page;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run;

/// The start and the end of a block of data.
const BLOCK: [&str; 2] = ["<script type=\"application/x-ndjson\">\n", "</script>\n"];

/// The HTML page for some inputs, which need not all be plans.
fn page<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    let mut command = run::plansift();
    command.args(["report", "--output", "html", "--quiet"]).args(args).current_dir(run::root());
    let output = command.output().expect("it runs");
    assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn plan(case: &str) -> PathBuf {
    Path::new("corpus/plans").join(case).join("plan.json")
}

/// Splits a page into its text without the data, and the data.
pub fn parts(page: &str) -> (String, String) {
    let (mut rest, mut data) = (String::new(), String::new());
    let mut pieces = page.split(BLOCK[0]);
    rest.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (block, behind) = piece.split_once(BLOCK[1]).expect("the end of a block");
        data.push_str(block);
        rest.push_str(behind);
    }
    (rest, data)
}

/// The lines of the data as JSON values.
fn lines(data: &str) -> Vec<Value> {
    data.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn page_data_labels_withheld_hidden_and_unchanged_values() {
    let told = |args: &[&str]| lines(&parts(&page(args)).1);
    let without = told(&["--values", "none", "corpus/plans/replace-paths/plan.json"]);
    let details = without.iter().find(|details| details["attributes"].is_array());
    let first = &details.expect("a change with paths")["attributes"][0];
    assert_eq!([&first[1], &first[2], &first[3]], ["withheld", "withheld", "replaces"]);
    let plan = "corpus/plans/rich/plan.json";
    let (rest, _) = parts(&page(&["--only", "action:delete", plan]));
    assert!(rest.contains("Hidden, as asked for: 41 changes, "), "{rest}");
    let all = told(&["--values", "all", plan]);
    let attributes = all.iter().filter_map(|details| details["attributes"].as_array()).flatten();
    assert!(attributes.filter(|attribute| attribute[3] == "same").count() > 10);
}

#[test]
fn failed_inputs_are_reported_beside_the_others() {
    let inputs = ["corpus/plans/least/plan.json", "corpus/wrong/empty.json", "no-such-plan.json"];
    let (_, data) = parts(&page(&inputs));
    let kinds: Vec<Value> = lines(&data).iter().step_by(2).map(|it| it["kind"].clone()).collect();
    assert_eq!(kinds, ["plan", "change", "summary", "failed", "failed"]);
}

#[test]
fn page_data_is_split_into_blocks_of_limited_length() {
    let change = |number: u32| {
        format!(
            r#"{{"address":"a.b[{number}]","mode":"managed","type":"a","name":"b","index":{number},
                "change":{{"actions":["create"],"before":null,"after":{{"x":"{}"}}}}}}"#,
            "y".repeat(200)
        )
    };
    let changes: Vec<String> = (0..10_000).map(change).collect();
    let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    let output = run::piped(&["report", "--output", "html", "-"], plan.as_bytes());
    let page = String::from_utf8(output.stdout).expect("UTF-8");
    let (_, data) = parts(&page);
    assert_eq!(lines(&data).len(), 2 * (10_000 + 2));
    let lens: Vec<usize> = page.split(BLOCK[0]).skip(1).map(str::len).collect();
    assert!(lens.len() > 2 && lens.iter().all(|&len| len < 1_100_000), "{lens:?}");
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let (rest, _) = parts(&page(&[plan("rich")]));
    for part in ["src=", "href=\"http", "url(", "@import", "http://", "https://", "//cdn"] {
        assert!(!rest.contains(part), "{part}");
    }
    let policy = rest.split("Content-Security-Policy\" content=\"").nth(1).expect("a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"));
    for part in ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("]
    {
        assert!(!rest.contains(part), "{part}");
    }
}

#[test]
fn a_hostile_plan_changes_only_the_page_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plan, wrong] = hostile::write(folder.path());
    let (rest, data) = parts(&page(&[plan.as_path(), wrong.as_path()]));
    assert!(!data.contains(['<', '>', '&']), "markup in the data");
    let hidden = |c: char| (c.is_control() && c != '\n') || ('\u{2028}'..='\u{202e}').contains(&c);
    assert!(!data.contains(hidden), "characters that nobody sees");
    // The rest has the tags of a harmless page, and text.
    let inputs = ["rich", "errored-half-way"].map(self::plan);
    let wrong = PathBuf::from("corpus/wrong/empty.json");
    let harmless = parts(&page(&[&inputs[0], &inputs[1], &wrong])).0;
    let known: BTreeSet<&str> = tags(&harmless).into_iter().collect();
    for tag in tags(&rest) {
        assert!(known.contains(tag), "{tag}");
    }
    assert!(!rest.contains(hidden), "characters that nobody sees");
    for text in hostile::STRINGS.into_iter().filter(|text| text.contains(['<', '"'])) {
        assert!(!rest.contains(text), "{text}");
    }
    let shown = "&lt;/script&gt;&lt;img src=x onerror=&quot;hostile=1;alert(1)&quot;&gt;";
    assert!(rest.contains(shown), "the address of a replaced resource");
    // The data arrived unchanged.
    let told = lines(&data);
    let changes: Vec<&Value> = told.iter().filter(|line| line["kind"] == "change").collect();
    assert_eq!(changes.len(), hostile::STRINGS.len());
    assert_eq!(changes[0]["address"], hostile::STRINGS[0]);
}

/// The tags in the body of a page, without its script.
fn tags(page: &str) -> Vec<&str> {
    let body = page.split_once("<body>").expect("a body").1;
    let body = body.split_once("<script type=\"module\">").expect("a script").0;
    let tags = body.split('<').skip(1);
    tags.map(|rest| rest.split_once('>').expect("the end of a tag").0).collect()
}

#[test]
fn a_page_without_scripts_says_what_the_plans_do() {
    let plans = ["rich", "errored-half-way"].map(plan);
    let wrong = PathBuf::from("corpus/wrong/empty.json");
    let (rest, _) = parts(&page(&[plans[0].as_os_str()]));
    for line in [
        "<h1 id=\"title\">corpus/plans/rich/plan.json</h1>",
        "13 to destroy, 2 to forget. Actions: 1 to invoke.</p>",
        "<li class=\"warning\">2 checks failed.</li>",
        "<li class=\"warning mild\">Some changes are deferred to a later plan.</li>",
        "<h2>Destroyed, replaced or forgotten: 15</h2>",
        "<li><code>-/+ module.database.aws_db_instance.replica[0]</code> must be replaced, because \
         it cannot be updated in place</li>",
        "<tr><th scope=\"row\" class=\"name\">aws_instance</th><td class=\"create\">·</td>\
         <td class=\"update\">·</td><td class=\"delete\">2</td>",
        "<h2>Other changes: 29</h2>",
    ] {
        assert!(rest.contains(line), "{line}\n{rest}");
    }
    // The losses of data come first.
    let losses = rest.split("<h2>").nth(1).expect("losses");
    assert!(losses.split("<code>").nth(1).expect("a loss").contains("aws_db_instance"));
    let (several, _) =
        parts(&page(&[plans[0].as_os_str(), plans[1].as_os_str(), wrong.as_os_str()]));
    for line in [
        "<h1 id=\"title\">3 plans</h1>",
        "<li class=\"warning\">1 plan could not be read: what it changes is not in this report.",
        "<h2 id=\"errors-title\">Not read: 1</h2>",
        "<li><code>corpus/wrong/empty.json</code>: the input is empty: ",
        "<td class=\"problem\">planning failed</td>",
    ] {
        assert!(several.contains(line), "{line}\n{several}");
    }
}

#[test]
fn no_secret_is_in_a_page() {
    let plans: Vec<PathBuf> = crate::corpus::cases().into_iter().map(|case| case.plan).collect();
    let (_, data) = parts(&page(&plans));
    assert!(data.contains("sensitive"));
    // Checks whole texts: a secret that is only a part of a text is not an echo.
    let secret = data.lines().find(|line| line.contains("\"CANARY-"));
    assert_eq!(secret, None);
}

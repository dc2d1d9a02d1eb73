//! Runs the commands of the README and of the manual, and compares what they print with what the
//! pages show. Links between pages lead somewhere.
//!
//! ```text
//! ```console        `$ command` lines, each followed by its whole standard output.
//!                   A line `…` stands for any number of lines.
//! ```sh             commands, one a line (`\` continues a line); they must succeed.
//! ```bash           commands that packages/python/tests runs
//! ```
//!
//! Commands run in the project's folder through a shell, with the binary under test as `plansift`.
//! `cargo run --release -- ARGS` is the same binary, and `cargo run --example NAME ARGS` is the
//! example that `cargo test` built. [`ELSEWHERE`] lists commands that are not run.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::run;

/// Prefixes of commands that are not run here, and what runs them instead.
const ELSEWHERE: [(&str, &str); 10] = [
    ("cargo test", "this is it"),
    ("cargo build", "the test binary cannot exist without it"),
    ("cargo install --path .", "builds the package as `cargo build --release` does, by night"),
    ("cargo bench", "takes minutes; its results are files in benches/results"),
    ("cargo run --release --example generate", "the tests of the generator run it"),
    ("cargo +nightly fuzz", "needs a nightly toolchain; the corpus is replayed by the tests"),
    ("scripts/bench", "takes an hour; its results are files in benches/results"),
    ("scripts/", "each script is a step of CI"),
    ("terraform ", "needs a configuration and its providers"),
    ("tofu ", "needs a configuration and its providers"),
];

/// Prefix of a command that runs an example program.
const EXAMPLE: &str = "cargo run --example ";

/// Stands for any number of lines.
const ANYTHING: &str = "…";

/// A command, and its expected output if the page shows it.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    line: usize,
    command: String,
    output: Option<Vec<String>>,
}

/// The commands of a page, in order.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let (mut fence, mut continued) = ("", false);
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_empty() { language } else { "" };
            if !fence.is_empty() && language.is_empty() {
                fence = "text";
            }
            continued = false;
            continue;
        }
        let command = match fence {
            "console" => line.strip_prefix("$ "),
            "sh" if line.is_empty() || line.starts_with('#') => continue,
            "sh" => Some(line),
            _ => continue,
        };
        match (command, examples.last_mut()) {
            (_, Some(last)) if continued => last.command += &format!("\n{line}"),
            (Some(command), _) => {
                let output = (fence == "console").then(Vec::new);
                examples.push(Example { line: index + 1, command: command.to_owned(), output });
            }
            (None, Some(Example { output: Some(output), .. })) => output.push(line.to_owned()),
            (None, _) => panic!("line {}: output before any command", index + 1),
        }
        continued = examples.last().is_some_and(|last| {
            line.ends_with('\\') && last.output.as_ref().is_none_or(Vec::is_empty)
        });
    }
    examples
}

/// Whether the printed lines match the shown ones, in which `…` stands for any number of lines.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [first, rest @ ..] if first == ANYTHING => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        [first, rest @ ..] => {
            printed.first().is_some_and(|line| line == first) && matches(rest, &printed[1..])
        }
    }
}

/// The reason why an example fails, or `None`.
fn problem(example: &Example) -> Option<String> {
    let Example { line, command, output: shown } = example;
    if ELSEWHERE.iter().any(|(beginning, _)| command.starts_with(beginning)) {
        return None;
    }
    let ours = command.replace("cargo run --release -- ", "plansift ");
    let is_ours = |part: &str| {
        let part = part.trim_start();
        part.starts_with("plansift ") || part.starts_with(EXAMPLE)
    };
    if !ours.split('|').any(is_ours) {
        return Some(format!("line {line}: nothing runs `{command}`"));
    }
    let ours = match ours.contains(EXAMPLE) {
        true => {
            let examples = run::example("generate").with_file_name("");
            ours.replace(EXAMPLE, &examples.to_string_lossy())
        }
        false => ours,
    };
    let run = run::shell(&ours).output().expect("a shell");
    let (printed, said) =
        (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    match shown {
        None if run.status.success() => None,
        None => Some(format!("line {line}: `{command}`: {}\n{said}", run.status)),
        Some(shown) if matches(shown, &printed.lines().collect::<Vec<_>>()) => None,
        Some(_) => Some(format!("line {line}: `{command}` prints\n{printed}{said}")),
    }
}

#[test]
fn the_page_about_the_library_shows_the_programs_that_run() {
    let page = read("docs/library.md");
    let program = read("examples/values.rs");
    let (_, code) = program.split_once("\n\n").expect("a head, and code");
    assert!(page.contains(code), "docs/library.md shows another program than examples/values.rs");
    assert!(code.lines().count() <= 45, "a small program");
    let program = read("examples/deletions.rs");
    let (_, code) = program.split_once("\n\n").expect("a head, and code");
    assert!(
        page.contains(code),
        "docs/library.md shows another program than examples/deletions.rs"
    );
}

/// The failures of all commands of a page.
fn problems(text: &str) -> Vec<String> {
    examples(text).iter().filter_map(problem).collect()
}

/// Paths of the README, the other top-level pages and the manual, relative to the project.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = ["docs", "crates"].map(PathBuf::from).to_vec();
    for entry in fs::read_dir(run::root()).expect("the project's folder") {
        pages.push(PathBuf::from(entry.expect("an entry").file_name()));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(run::root().join(&folder)).expect("a folder of pages") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().expect("a type").is_dir();
            if is_folder { &mut folders } else { &mut pages }.push(path);
        }
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages.into_iter().map(|page| page.to_str().expect("a name in UTF-8").to_owned()).collect()
}

fn read(page: &str) -> String {
    fs::read_to_string(run::root().join(page)).expect("a page")
}

#[test]
fn the_commands_of_every_page_print_the_shown_output() {
    let pages = pages();
    assert!(pages.iter().any(|page| page == "README.md"), "{pages:?}");
    let mut wrong = Vec::new();
    for page in pages {
        let problems = problems(&read(&page));
        wrong.extend(problems.into_iter().map(|problem| format!("{page}: {problem}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_shows_output_and_is_short() {
    let readme = read("README.md");
    assert!(examples(&readme).iter().any(|example| example.output.is_some()), "no output is shown");
    assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
}

/// The link targets of a page that are files.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let target = rest.split_once(')')?.0;
        let file = target.split('#').next().unwrap_or_default();
        (!file.is_empty() && !file.contains("://") && !file.contains(' ')).then_some(file)
    })
}

#[test]
fn links_lead_to_files() {
    let mut links_found = 0;
    for page in pages() {
        let folder = run::root().join(&page).parent().expect("a folder").to_owned();
        for link in links(&read(&page)) {
            assert!(folder.join(link).exists(), "{page}: {link}");
            links_found += 1;
        }
    }
    assert!(links_found > 40, "{links_found}");
}

#[test]
fn the_summary_of_the_manual_lists_every_page() {
    let summary = read("docs/SUMMARY.md");
    let listed: BTreeSet<&str> = links(&summary).collect();
    for page in pages() {
        let Some(page) = page.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") else {
            continue;
        };
        assert!(listed.contains(page), "docs/SUMMARY.md does not list {page}");
    }
}

#[test]
fn the_scripts_of_the_pages_are_there() {
    let text: String = pages().iter().map(|page| read(page)).collect();
    let words = text.split(|c: char| c.is_whitespace() || "`(),;:".contains(c));
    let scripts: BTreeSet<&str> = words.filter(|word| word.starts_with("scripts/")).collect();
    assert!(scripts.contains("scripts/bench"), "{scripts:?}");
    for script in scripts {
        let file = run::root().join(script);
        let first = std::fs::read_to_string(&file).expect("a script");
        assert!(first.starts_with("#!/usr/bin/env "), "{script} can be called by its name");
    }
}

#[test]
fn examples_are_found_in_a_text() {
    let text = "# x\n```console\n$ plansift a \\\n    b\none\n\ntwo\n$ plansift c\n```\n\
                ```\n$ no\n```\n```sh\n# why\nplansift d\n```\n```json\n{}\n```\n";
    let example = |line, command: &str, output: Option<&[&str]>| Example {
        line,
        command: command.to_owned(),
        output: output.map(|lines| lines.iter().map(|line| line.to_string()).collect()),
    };
    assert_eq!(
        examples(text),
        [
            example(3, "plansift a \\\n    b", Some(&["one", "", "two"])),
            example(8, "plansift c", Some(&[])),
            example(15, "plansift d", None),
        ]
    );
}

#[test]
fn a_line_can_stand_for_any_number_of_lines() {
    let matches = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.split(' ').map(str::to_owned).collect();
        matches(&shown, &printed.split(' ').collect::<Vec<_>>())
    };
    assert!(matches("a b", "a b") && !matches("a b", "a") && !matches("a", "a b"));
    assert!(matches("a … d", "a b c d") && matches("a …", "a") && matches("… …", "a"));
    assert!(!matches("a … d", "a b c") && !matches("… b", "a"));
}

#[test]
fn a_page_that_is_wrong_is_found_out() {
    let version = format!("plansift {}", env!("CARGO_PKG_VERSION"));
    let console = |text: &str| problems(&format!("```console\n{text}\n```\n")).len();
    // The version is followed by the commit.
    let cut = "| cut -d' ' -f1-2";
    assert_eq!(console(&format!("$ plansift -V {cut}\n{version}")), 0);
    assert_eq!(console(&format!("$ cargo run --release -- -V {cut}\n{version}")), 0);
    assert_eq!(console("$ plansift -V | wc -l | tr -d ' '\n1"), 0);
    assert_eq!(console("$ plansift --help\n…\nUsage: plansift <COMMAND>\n…"), 0);
    assert_eq!(console("$ plansift --version\nplansift 0.0.0"), 1);
    assert_eq!(console("$ plansift --version"), 1, "output that is not shown");
    assert_eq!(console("$ curl example.com"), 1, "a command that nothing runs");
    let sh = |command: &str| {
        let shown = format!("```console\n$ plansift -V {cut}\n{version}\n```\n");
        problems(&format!("{shown}```sh\n{command}\n```\n")).len()
    };
    assert_eq!(sh("plansift --version\ncargo test"), 0);
    assert_eq!(sh("plansift changes no-such-file.json"), 1);
    assert_eq!(sh("rm -r target"), 1);
}

/// The paths in backticks that begin at the root of the project.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|path| {
        let is_plain = !path.contains(|c: char| c.is_whitespace() || "*=".contains(c));
        let folder = path.split('/').next().unwrap_or_default();
        let is_of_project = matches!(folder, "src" | "crates" | "tests" | "docs" | "benches");
        is_plain && path.contains('/') && is_of_project
    })
}

#[test]
fn paths_of_the_source_exist() {
    let mut count = 0;
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for path in paths(&read(page)) {
            assert!(run::root().join(path).exists(), "{page}: {path}");
            count += 1;
        }
    }
    assert!(count > 20, "the paths are found: {count}");
}

/// The pairs "`name` in `path`" of a page whose path begins at the root of the project.
fn named_places(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("` in `").collect();
    let pairs = parts.windows(2).map(|pair| {
        let name = pair[0].rsplit('`').next().unwrap_or_default();
        (name, pair[1].split('`').next().unwrap_or_default())
    });
    pairs.filter(|(_, path)| path.starts_with("src/") || path.starts_with("crates/")).collect()
}

#[test]
fn named_places_have_their_names() {
    let page = read("ARCHITECTURE.md");
    let mut count = 0;
    for (name, path) in named_places(&page) {
        let item = name.rsplit("::").next().unwrap_or_default();
        assert!(read(path).contains(item), "{path} has no `{name}`");
        count += 1;
    }
    assert!(count >= 10, "the places are found: {count}");
}

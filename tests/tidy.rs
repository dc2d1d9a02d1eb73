//! Rules for the source that rustfmt, clippy and cargo do not check: which file may import which,
//! where `unsafe` may be used, file sizes, file heads and leftovers. Cargo checks which crate
//! imports which.
//!
//! The rules read lines. Rules about the program skip comments and code that only tests compile
//! (files named `tests.rs` or in folders named `tests`, modules under `#[cfg(test)]`).

mod circles;
mod manifests;
mod types;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// `main.rs` has the program's allocator, the only way to avoid an abort when memory runs out.
const UNSAFE: [&str; 4] = [
    "crates/core/src/scan/",
    "crates/core/src/input/mapped.rs",
    "crates/core/src/input/mapping.rs",
    "src/main.rs",
];
/// Maximum number of lines of a file of the program, and of any other file.
const LINES_MAX: [usize; 2] = [600, 700];
const COLUMNS_MAX: usize = 100;

/// Leftovers that must not be committed. Each is in two halves, so that this file contains none.
const LEFTOVERS: [(&str, &str); 7] = [
    ("TO", "DO"),
    ("FIX", "ME"),
    ("XX", "X:"),
    ("dbg", "!("),
    ("todo", "!("),
    ("unimplemented", "!("),
    ("#[ign", "ore"),
];

/// A source file of the project.
struct File {
    /// Path relative to the searched folder, with `/` as the separator.
    path: String,
    text: String,
}

impl File {
    fn is_of_tests(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/")
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| {
            self.path == *place || (place.ends_with('/') && self.path.starts_with(place))
        })
    }

    /// The lines of the program with their numbers, without comments and test code.
    fn program(&self) -> Vec<(usize, &str)> {
        let mut lines = Vec::new();
        let mut skipped_until = None;
        for (number, line) in self.text.lines().enumerate() {
            if let Some(end) = skipped_until {
                if line == end {
                    skipped_until = None;
                }
                continue;
            }
            if line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test, ") {
                skipped_until = Some("}");
                let next = self.text.lines().nth(number + 1);
                if next.is_some_and(|next| next.ends_with(';')) {
                    skipped_until = next;
                }
                continue;
            }
            let code = line.split("//").next().unwrap_or_default();
            // Keeps lines that contain `//` in a string whole; no rule needs their comments.
            lines.push((number + 1, if line.contains("\"//") { line } else { code }));
        }
        lines
    }
}

/// Matches every file extension.
const ANY: &str = "*";

fn files_below(root: &Path, extension: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let entries = path.read_dir().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for entry in entries {
            let entry = entry.expect("a readable folder");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if extension == ANY || path.extension().is_some_and(|it| it == extension) {
                // The corpus has texts that are not UTF-8.
                let bytes = std::fs::read(entry.path()).expect("a readable file");
                let text = String::from_utf8_lossy(&bytes).into_owned();
                files.push(File { path: path.to_string_lossy().replace('\\', "/"), text });
            }
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The Rust files of a folder, with their paths from the root of the project.
fn rust_below(folder: &str) -> Vec<File> {
    let files = files_below(&run::root().join(folder), "rs").into_iter();
    files.map(|File { path, text }| File { path: format!("{folder}/{path}"), text }).collect()
}

/// The names of the crates of the library, which are also the names of their folders.
fn crates() -> Vec<String> {
    let entries = run::root().join("crates").read_dir().expect("a folder");
    let names = entries.map(|entry| entry.expect("a readable folder").file_name());
    let mut names: Vec<String> =
        names.map(|name| name.into_string().expect("a name in Unicode")).collect();
    names.sort_unstable();
    names
}

/// The Rust files of the program and of the library's crates.
fn sources() -> Vec<File> {
    let mut files = rust_below("src");
    for name in crates() {
        files.append(&mut rust_below(&format!("crates/{name}/src")));
    }
    assert!(files.len() > 400, "the sources are found");
    files
}

/// All Rust files of the project.
fn all_rust() -> Vec<File> {
    let mut files = sources();
    for folder in ["tests", "benches", "fuzz/src", "fuzz/targets"] {
        files.append(&mut rust_below(folder));
    }
    files
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|&c| c.is_ascii_alphanumeric() || c == '_').collect()
}

#[test]
fn unsafe_code_is_only_in_the_listed_files() {
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| !file.is_in(&UNSAFE)) {
        for (number, line) in file.text.lines().enumerate() {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let is_code = !line.starts_with("#![forbid(") && !line.trim_start().starts_with("//");
            if is_code && words.into_iter().any(|word| matches!(word, "unsafe" | "unsafe_code")) {
                wrong.push(format!("{}:{}", file.path, number + 1));
            }
        }
    }
    assert_none("unsafe code outside of its places", &wrong);
}

#[test]
fn standard_error_is_written_in_one_place() {
    let mut found = Vec::new();
    for file in sources() {
        let writes = |line: &str| {
            let has = |word: &str| line.contains(word);
            has("print!(") || has("println!(") || (has("stderr()") && !has("is_terminal"))
        };
        let lines = file.program().into_iter().filter(|(_, line)| writes(line));
        found.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", file.path)));
    }
    // The only exception is a function that makes every line visible.
    assert!(matches!(&found[..], [only] if only.starts_with("src/cli/messages.rs")), "{found:#?}");
}

#[test]
fn unsafe_code_is_denied_elsewhere() {
    let manifest = std::fs::read_to_string(run::root().join("Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("\nunsafe_code = \"deny\"\n"));
    assert!(manifest.contains("\nundocumented_unsafe_blocks = \"deny\"\n"));
    for name in crates().iter().filter(|name| *name != "core") {
        let path = run::root().join(format!("crates/{name}/src/lib.rs"));
        let text = std::fs::read_to_string(path).expect("a library");
        assert!(text.contains("\n#![forbid(unsafe_code)]\n"), "{name}");
    }
}

/// Whether a line names a crate: `name::` that is not part of a longer path or word.
fn names(line: &str, name: &str) -> bool {
    let name = name.replace('-', "_") + "::";
    line.match_indices(&name).any(|(at, _)| {
        let before = &line[..at];
        let outermost = before.strip_suffix("::").unwrap_or(before);
        let continued = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        !outermost.ends_with(continued) && (outermost != before || !before.ends_with("::"))
    })
}

/// The names under `[dependencies]` of a manifest, including platform-specific ones.
fn dependencies(folder: &str) -> Vec<String> {
    let path = run::root().join(folder).join("Cargo.toml");
    let manifest = std::fs::read_to_string(path).expect("a manifest");
    let mut is_of_the_program = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_of_the_program = line == "[dependencies]"
                || (line.ends_with(".dependencies]") && !line.starts_with("[workspace."));
        } else if is_of_the_program
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(['.', ' '])
        {
            names.push(name.trim().to_owned());
        }
    }
    assert!(!names.is_empty(), "{folder}: the dependencies are found");
    names
}

#[test]
fn every_dependency_is_used() {
    let crates = crates().into_iter().map(|name| format!("crates/{name}"));
    let mut unused = Vec::new();
    for folder in crates.chain([String::new()]) {
        let files = rust_below(format!("{folder}/src").trim_start_matches('/'));
        let files: Vec<&File> = files.iter().filter(|file| !file.is_of_tests()).collect();
        let is_named = |name: &str| {
            let mut lines = files.iter().flat_map(|file| file.program());
            lines.any(|(_, line)| names(line, name) || is_imported(line, name))
        };
        for name in dependencies(&folder) {
            if !is_named(&name) {
                unused.push(format!("{folder}: {name}"));
            }
        }
    }
    assert_none("dependencies that nothing uses", &unused);
}

/// Whether a line imports a whole crate: `use name;`, `use name as other;`, `pub use name`.
fn is_imported(line: &str, name: &str) -> bool {
    let name = name.replace('-', "_");
    let path = line.trim_start().trim_start_matches("pub ").strip_prefix("use ");
    path.is_some_and(|path| first_word(path) == name)
}

/// Maximum number of crates of `plansift-plan` without features, itself included.
const ENGINE_CRATES_MAX: usize = 25;

#[test]
fn the_engine_alone_has_few_crates() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "-p", "plansift-plan", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(run::root())
        .output()
        .expect("cargo");
    let tree = String::from_utf8(tree.stdout).expect("text");
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(crates.iter().any(|name| name.starts_with("plansift-plan ")), "{crates:?}");
    assert!(crates.len() <= ENGINE_CRATES_MAX, "{} crates: {crates:#?}", crates.len());
}

#[test]
fn crates_are_found_in_every_spelling() {
    for line in ["use csv::Writer;", "let x = ::csv::Writer::new();", "f(csv::Writer::new())"] {
        assert!(names(line, "csv"), "{line}");
    }
    for line in ["use crate::sink::csv::Csv;", "mycsv::x", "super::csv::Csv"] {
        assert!(!names(line, "csv"), "{line}");
    }
    assert!(names("simd_json::to_tree()", "simd-json") && !names("simd_json::x", "json"));
}

#[test]
fn data_is_never_unwrapped() {
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| !file.is_of_tests()) {
        for (number, line) in file.program() {
            let panics = line.contains(".unwrap()") || line.contains(".expect(");
            // The `expect` attribute is not a call.
            if panics && !line.trim_start().starts_with("#[") {
                wrong.push(format!("{}:{number}", file.path));
            }
        }
    }
    assert_none("unwrap or expect in the program", &wrong);
}

#[test]
fn panics_have_messages() {
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| !file.is_of_tests()) {
        for (number, line) in file.program() {
            for call in ["panic!(", "unreachable!(", "assert!("] {
                let Some((_, rest)) = line.split_once(call) else { continue };
                let is_silent =
                    rest.starts_with(')') || (call != "assert!(" && !rest.contains('"'));
                if is_silent && !rest.is_empty() {
                    wrong.push(format!("{}:{number}", file.path));
                }
            }
        }
    }
    assert_none("panics without words", &wrong);
}

#[test]
fn no_leftovers_are_committed() {
    let mut wrong = Vec::new();
    for file in all_rust() {
        for (number, line) in file.text.lines().enumerate() {
            for (head, tail) in LEFTOVERS {
                if line.contains(&[head, tail].concat()) {
                    wrong.push(format!("{}:{}: {head}{tail}", file.path, number + 1));
                }
            }
        }
    }
    assert_none("leftovers", &wrong);
}

#[test]
fn files_and_lines_are_short() {
    let mut wrong = Vec::new();
    for file in all_rust() {
        let count = file.text.lines().count();
        let [in_program, elsewhere] = LINES_MAX;
        let is_of_program = file.path.starts_with("src/") || file.path.starts_with("crates/");
        if count > if is_of_program { in_program } else { elsewhere } {
            wrong.push(format!("{}: {count} lines", file.path));
        }
        for (number, line) in file.text.lines().enumerate() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            if columns > COLUMNS_MAX {
                wrong.push(format!("{}:{}: {columns} columns", file.path, number + 1));
            }
        }
    }
    assert_none("too long", &wrong);
}

#[test]
fn files_begin_with_their_purpose() {
    let mut wrong = Vec::new();
    for file in all_rust() {
        let first = file.text.lines().next().unwrap_or_default();
        let is_headed = first.starts_with("//! ") || first.starts_with("#![doc = include_str!");
        if !is_headed || file.text.contains(&["(to be", " written)"].concat()) {
            wrong.push(file.path);
        }
    }
    assert_none("files without a head", &wrong);
}

#[test]
fn no_file_names_a_path_of_a_machine() {
    let places =
        [["/wo", "rk/"], ["/ho", "me/"], ["/ro", "ot/"], ["/Use", "rs/"]].map(|p| p.concat());
    let texts = ["scripts", "benches", "corpus", ".ci"].into_iter().flat_map(|folder| {
        let files = files_below(&run::root().join(folder), ANY).into_iter();
        files.map(move |File { path, text }| File { path: format!("{folder}/{path}"), text })
    });
    let at_top = ["README.md", "CHANGELOG.md", "Cargo.toml"].map(|name| {
        let text = std::fs::read_to_string(run::root().join(name)).expect("a readable file");
        File { path: name.to_owned(), text }
    });
    let mut wrong = Vec::new();
    for file in all_rust().into_iter().chain(texts).chain(at_top) {
        for (number, line) in file.text.lines().enumerate() {
            if places.iter().any(|place| line.contains(place.as_str())) {
                wrong.push(format!("{}:{}", file.path, number + 1));
            }
        }
    }
    assert_none("places of one machine", &wrong);
}

//! Rules for the source that rustfmt and clippy do not check: which module may import which, where
//! `unsafe` and each third-party crate may be used, file sizes, file heads and leftovers.
//!
//! The rules read lines. Rules about the program skip comments and code that only tests compile
//! (files named `tests.rs` or in folders named `tests`, modules under `#[cfg(test)]`).

mod circles;
mod types;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// The modules and their levels (the table in ARCHITECTURE.md). A module imports from lower
/// levels only; modules of level 0 may import each other.
const LEVELS: [(&str, u32); 34] = [
    ("allocation", 0),
    ("budget", 0),
    ("error", 0),
    ("glob", 0),
    ("inert", 0),
    ("limits", 0),
    ("pool", 0),
    ("input", 1),
    ("scan", 1),
    ("json", 2),
    ("path", 3),
    ("plan", 3),
    ("wire", 3),
    ("config", 4),
    ("diff", 4),
    ("hcl", 4),
    ("known", 4),
    ("marks", 4),
    ("nearest", 4),
    ("planfile", 4),
    ("blocks", 5),
    ("plancheck", 5),
    ("record", 5),
    ("secret", 5),
    ("source", 5),
    ("assertion", 6),
    ("redact", 6),
    ("view", 6),
    ("audit", 7),
    ("sink", 7),
    ("slim", 7),
    ("run", 8),
    ("batch", 9),
    ("cli", 10),
];

/// The third-party crates, and the modules that may name them. Dependencies that only enable
/// features may be named nowhere.
const CRATES: [(&str, &[&str]); 43] = [
    ("base64", &["cli/args/wire.rs", "cli/wire.rs"]),
    (
        "blake3",
        &[
            "batch/",
            "planfile/locks.rs",
            "planfile/schema_files.rs",
            "redact/mask.rs",
            "sink/code_quality.rs",
            "sink/markdown/",
            "sink/moves.rs",
            "sink/short.rs",
            "source/key.rs",
        ],
    ),
    ("bytes", &["source/store/client/"]),
    ("clap", &["cli/args.rs", "cli/args/"]),
    ("clap_complete", &["cli/args.rs", "cli/args/completions.rs"]),
    ("clap_mangen", &["cli/args/manual.rs"]),
    ("csv", &["sink/csv.rs"]),
    ("flate2", &["input/compressed/", "planfile/archive.rs"]),
    (
        "foldhash",
        &[
            "assertion/init.rs",
            "assertion/list.rs",
            "secret/first_pass_index.rs",
            "marks/marked_paths.rs",
            "sink/findings/table.rs",
            "wire/type_cache.rs",
        ],
    ),
    ("futures-util", &["source/store/client/"]),
    ("globset", &["source/expansion.rs", "source/globs.rs", "source/store/client/keys.rs"]),
    (
        "hashbrown",
        &[
            "config/names.rs",
            "planfile/tree.rs",
            "record/importing.rs",
            "secret/set.rs",
            "sink/fleet/rows.rs",
        ],
    ),
    ("hcl-edit", &["blocks/file.rs", "hcl/"]),
    ("indicatif", &["cli/bar.rs", "cli/progress.rs"]),
    ("libc", &["input/rereadable.rs", "input/mapped.rs", "main.rs"]),
    ("libmimalloc-sys", &["main.rs"]),
    (
        "memchr",
        &[
            "audit/names.rs",
            "glob.rs",
            "hcl/",
            "json/",
            "marks/",
            "plan/",
            "redact/echo_context.rs",
            "secret/",
        ],
    ),
    ("memmap2", &["input/buffer.rs", "input/mapped.rs"]),
    ("mimalloc", &["main.rs"]),
    ("num-bigint", &["wire/"]),
    ("object_store", &["source/store/client/"]),
    ("rawzip", &["planfile/archive.rs"]),
    ("regex", &["audit/names.rs", "known/regexp.rs", "known/regexp_class.rs", "secret/names.rs"]),
    ("reqwest", &["source/store/client/wire.rs"]),
    ("rustix", &["cli/secrecy.rs", "input/interruptible.rs", "input/regular.rs"]),
    ("rustls", &["source/store/client/wire.rs"]),
    ("saphyr-parser", &["assertion/read.rs", "secret/yaml.rs"]),
    (
        "serde",
        &[
            "audit/mod.rs",
            "batch/",
            "config/",
            "json/value/typed.rs",
            "path/mod.rs",
            "record/",
            "sink/assertions.rs",
            "sink/cells.rs",
            "sink/csv.rs",
            "sink/fleet/",
            "sink/html/",
            "sink/json.rs",
            "sink/junit.rs",
            "sink/ndjson.rs",
            "sink/source_link.rs",
        ],
    ),
    (
        "serde_json",
        &[
            "assertion/read.rs",
            "batch/",
            "json/value/typed.rs",
            "path/",
            "record/",
            "secret/yaml.rs",
            "sink/",
        ],
    ),
    ("signal-hook", &["cli/interrupt.rs"]),
    ("simd-json", &["json/value/typed.rs"]),
    ("simdutf8", &["scan/", "json/string.rs"]),
    ("smallvec", &["json/value/walk.rs", "plan/walk/scope.rs"]),
    (
        "tempfile",
        &[
            "cli/interrupt.rs",
            "cli/output.rs",
            "input/rereadable.rs",
            "sink/markdown/",
            "sink/spool.rs",
        ],
    ),
    ("terminal_size", &["cli/screen.rs"]),
    ("tokio", &["source/store/client/"]),
    ("unicode-normalization", &["hcl/", "wire/text.rs"]),
    ("unicode-segmentation", &["hcl/", "wire/text.rs"]),
    ("toml", &["assertion/read.rs"]),
    ("unicode-width", &["sink/screen.rs", "sink/wrap.rs"]),
    ("walkdir", &["source/expansion.rs", "source/walk.rs"]),
    ("zeroize", &["secret/contained.rs", "secret/copies.rs"]),
    ("zstd", &["input/compressed/"]),
];

/// `main.rs` has the program's allocator, the only way to avoid an abort when memory runs out.
const UNSAFE: [&str; 4] = ["scan/", "input/mapped.rs", "input/mapping.rs", "main.rs"];
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

    /// The name of the library module that the file belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
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

fn sources() -> Vec<File> {
    let files = files_below(&run::root().join("src"), "rs");
    assert!(files.len() > 30, "the sources are found");
    files
}

/// All Rust files of the project, by folder.
fn all_rust() -> Vec<(&'static str, File)> {
    let folders = ["src", "tests", "benches", "fuzz/src", "fuzz/targets"];
    let below = |folder: &'static str| {
        files_below(&run::root().join(folder), "rs").into_iter().map(move |file| (folder, file))
    };
    folders.into_iter().flat_map(below).collect()
}

fn level(module: &str) -> u32 {
    let found = LEVELS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("the module `{module}` has no level")).1
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The modules that a file imports, as `crate::x`, `crate::{x, y}`, or `super::x` at the top.
fn imported(file: &File) -> BTreeSet<String> {
    let code: Vec<&str> = file.program().into_iter().map(|(_, line)| line).collect();
    let code = code.join("\n");
    let at_top = !file.path.contains('/') || file.path.ends_with("/mod.rs");
    let prefixes: &[&str] = if at_top { &["crate::", "super::"] } else { &["crate::"] };
    let mut found = BTreeSet::new();
    for prefix in prefixes {
        for (at, _) in code.match_indices(prefix) {
            let rest = &code[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(list) => found.extend(first_words_of_list(list)),
                None => found.extend([first_word(rest)]),
            }
        }
    }
    found.retain(|name| name.starts_with(|first: char| first.is_ascii_lowercase()));
    found
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|&c| c.is_ascii_alphanumeric() || c == '_').collect()
}

/// The first word of each item of a list in braces, without the opening brace.
fn first_words_of_list(list: &str) -> Vec<String> {
    let (mut depth, mut words, mut item) = (0, Vec::new(), String::new());
    for character in list.chars() {
        match character {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => words.push(first_word(std::mem::take(&mut item).trim())),
            _ => item.push(character),
        }
    }
    words.push(first_word(item.trim()));
    words
}

#[test]
fn imports_are_found_in_every_spelling() {
    let text = "use crate::plan::{self, Change};\nuse crate::{sink::{Sink, csv}, error};\n\
                fn f() -> crate::path::Paths {}\n// use crate::cli;\n#[cfg(test)]\n\
                mod tests {\n    use crate::cli;\n}\n#[cfg(test)]\nmod more;\nuse crate::scan;\n";
    let file = File { path: "json/word.rs".to_owned(), text: text.to_owned() };
    let found: Vec<String> = imported(&file).into_iter().collect();
    assert_eq!(found, ["error", "path", "plan", "scan", "sink"]);
    assert_eq!(file.module(), "json");
    let file = File { path: "path/mod.rs".to_owned(), text: "use super::json;".to_owned() };
    assert_eq!(imported(&file).into_iter().collect::<Vec<_>>(), ["json"]);
}

#[test]
fn modules_import_downwards_only() {
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| !file.is_of_tests()) {
        let module = file.module();
        if matches!(module, "lib" | "main") {
            continue;
        }
        for other in imported(file).iter().filter(|other| *other != module) {
            let (own, theirs) = (level(module), level(other));
            if theirs > own || (own > 0 && theirs == own) {
                wrong.push(format!("{}: {module} ({own}) -> {other} ({theirs})", file.path));
            }
        }
    }
    assert_none("imports that do not go downwards", &wrong);
}

#[test]
fn unsafe_code_is_only_in_the_listed_files() {
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| !file.is_in(&UNSAFE)) {
        for (number, line) in file.text.lines().enumerate() {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let code = !line.trim_start().starts_with("//");
            if code && words.into_iter().any(|word| matches!(word, "unsafe" | "unsafe_code")) {
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
    assert!(matches!(&found[..], [only] if only.starts_with("cli/messages.rs")), "{found:#?}");
}

#[test]
fn unsafe_code_is_denied_elsewhere() {
    let manifest = std::fs::read_to_string(run::root().join("Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("\nunsafe_code = \"deny\"\n"));
    assert!(manifest.contains("\nundocumented_unsafe_blocks = \"deny\"\n"));
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

/// The names under `[dependencies]`, including platform-specific ones.
fn dependencies() -> Vec<String> {
    let manifest = std::fs::read_to_string(run::root().join("Cargo.toml")).expect("a manifest");
    let mut is_of_the_program = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_of_the_program = line == "[dependencies]" || line.ends_with(".dependencies]");
        } else if is_of_the_program
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(" = ")
        {
            names.push(name.trim().to_owned());
        }
    }
    names
}

#[test]
fn third_party_crates_are_used_only_in_the_listed_files() {
    let mut listed: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    let mut dependencies = dependencies();
    listed.sort_unstable();
    dependencies.sort_unstable();
    assert_eq!(dependencies, listed, "each dependency has its places");
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in sources().iter().filter(|file| !file.is_of_tests()) {
        for (number, line) in file.program() {
            for (name, places) in CRATES.iter().filter(|(name, _)| names(line, name)) {
                used.insert(*name);
                if !file.is_in(places) {
                    wrong.push(format!("{}:{number}: {name}", file.path));
                }
            }
        }
    }
    assert_none("crates named outside of their places", &wrong);
    let unused = CRATES.iter().filter(|(name, places)| !places.is_empty() && !used.contains(name));
    let unused: Vec<String> = unused.map(|(name, _)| name.to_string()).collect();
    assert_none("dependencies that nothing uses", &unused);
}

/// Maximum number of crates of the library without features, itself included.
const ENGINE_CRATES_MAX: usize = 24;

#[test]
fn the_engine_alone_has_few_crates() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--no-default-features", "--edges", "normal"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(run::root())
        .output()
        .expect("cargo");
    let tree = String::from_utf8(tree.stdout).expect("text");
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    assert!(crates.iter().any(|name| name.starts_with("plansift ")), "{crates:?}");
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
    for (folder, file) in all_rust() {
        for (number, line) in file.text.lines().enumerate() {
            for (head, tail) in LEFTOVERS {
                if line.contains(&[head, tail].concat()) {
                    wrong.push(format!("{folder}/{}:{}: {head}{tail}", file.path, number + 1));
                }
            }
        }
    }
    assert_none("leftovers", &wrong);
}

#[test]
fn files_and_lines_are_short() {
    let mut wrong = Vec::new();
    for (folder, file) in all_rust() {
        let count = file.text.lines().count();
        let [in_program, elsewhere] = LINES_MAX;
        if count > if folder == "src" { in_program } else { elsewhere } {
            wrong.push(format!("{folder}/{}: {count} lines", file.path));
        }
        for (number, line) in file.text.lines().enumerate() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            if columns > COLUMNS_MAX {
                wrong.push(format!("{folder}/{}:{}: {columns} columns", file.path, number + 1));
            }
        }
    }
    assert_none("too long", &wrong);
}

#[test]
fn files_begin_with_their_purpose() {
    let mut wrong = Vec::new();
    for (folder, file) in all_rust() {
        let first = file.text.lines().next().unwrap_or_default();
        if !first.starts_with("//! ") || file.text.contains(&["(to be", " written)"].concat()) {
            wrong.push(format!("{folder}/{}", file.path));
        }
    }
    assert_none("files without a head", &wrong);
}

#[test]
fn no_file_names_a_path_of_a_machine() {
    let places =
        [["/wo", "rk/"], ["/ho", "me/"], ["/ro", "ot/"], ["/Use", "rs/"]].map(|p| p.concat());
    let texts = ["scripts", "benches", "corpus", ".ci"].into_iter().flat_map(|folder| {
        let files = files_below(&run::root().join(folder), ANY);
        files.into_iter().map(move |file| (folder, file))
    });
    let at_top = ["README.md", "CHANGELOG.md", "Cargo.toml"].map(|name| {
        let text = std::fs::read_to_string(run::root().join(name)).expect("a readable file");
        ("", File { path: name.to_owned(), text })
    });
    let mut wrong = Vec::new();
    for (folder, file) in all_rust().into_iter().chain(texts).chain(at_top) {
        for (number, line) in file.text.lines().enumerate() {
            if places.iter().any(|place| line.contains(place.as_str())) {
                wrong.push(format!("{folder}/{}:{}", file.path, number + 1));
            }
        }
    }
    assert_none("places of one machine", &wrong);
}

//! The files of a crate import each other without circles, and so do its modules, and the parts of
//! a module (a file, or a folder with all its files).
//!
//! A path is followed to the file that defines its item: `super::InputEntry` leads through a `pub
//! use` of the parent to `input_entry.rs`. A file may name its own submodules, which import from
//! it; those imports of a parent are not counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, sources};

/// A file as the path of its module, after its crate: `["fleet", "source", "store", "address"]`.
type Module = Vec<String>;

/// The files of the program, and which items of their submodules they export.
struct Program {
    files: BTreeMap<Module, String>,
    exports: BTreeMap<(Module, String), Module>,
}

impl Program {
    fn new(files: &[File]) -> Program {
        let files: BTreeMap<Module, String> = files
            .iter()
            .filter(|file| is_counted(file))
            .map(|file| (module(file), code(file)))
            .collect();
        let mut program = Program { files, exports: BTreeMap::new() };
        for (module, code) in &program.files {
            for path in used(code, |visibility| visibility.starts_with("pub")) {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let path = path.strip_prefix(&["self"]).unwrap_or(&path);
                let [first, .., item] = path else { continue };
                let inner = join(module, first);
                if program.files.contains_key(&inner) {
                    program.exports.insert((module.clone(), (*item).to_owned()), inner);
                }
            }
        }
        program
    }

    /// The file that a path leads to from a module.
    fn resolve(&self, from: &Module, path: &[String]) -> Module {
        let (mut place, mut rest) = match path.first().map(String::as_str) {
            Some("crate") => (from[..1].to_vec(), &path[1..]),
            Some("self") => (from.clone(), &path[1..]),
            _ => (from.clone(), path),
        };
        while let Some(("super", after)) = rest.split_first().map(|(first, rest)| (&**first, rest))
        {
            place.pop();
            rest = after;
        }
        for step in rest {
            let inner = join(&place, step);
            match self.exports.get(&(place.clone(), step.clone())) {
                _ if self.files.contains_key(&inner) => place = inner,
                Some(definer) => place = definer.clone(),
                None => break,
            }
        }
        place
    }

    /// The files that each file names in imports and in paths, its own submodules left out.
    fn imports(&self) -> Imports {
        let targets_of = |module: &Module, code: &str| {
            let paths = used(code, str::is_empty).into_iter().chain(named(code));
            let targets = paths.filter_map(|path: Vec<String>| {
                let is_inner = matches!(&*path[0], "super" | "crate" | "self");
                let target = is_inner.then(|| self.resolve(module, &path))?;
                (!target.starts_with(module)).then_some(target)
            });
            targets.collect()
        };
        self.files.iter().map(|(module, code)| (module.clone(), targets_of(module, code))).collect()
    }

    /// The imports between modules of `depth` steps: 2 for the modules of a crate, and 3 for the
    /// parts of a module. Leaves out the parts of `source`: a listing of a store yields entries,
    /// and an entry names its store.
    fn between(&self, depth: usize) -> Imports {
        let mut between = Imports::new();
        for (module, targets) in self.imports() {
            let part = |module: &Module| module[..depth.min(module.len())].to_vec();
            let from = part(&module);
            let targets = targets.iter().map(part).filter(|target| {
                let is_near = target.len() == depth && target[1] == from[1] || depth == 2;
                is_near && from.get(1).is_none_or(|name| name != "source") && *target != from
            });
            let targets: Vec<Module> = targets.collect();
            between.entry(from.clone()).or_default().extend(targets);
        }
        between
    }
}

/// The modules that each module imports from.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

fn is_counted(file: &File) -> bool {
    // Stand-ins have the imports of the module in whose place they are.
    let name = file.path.rsplit('/').next().unwrap_or_default();
    !file.is_of_tests() && !name.starts_with("without") && name != "main.rs"
}

fn module(file: &File) -> Module {
    let path = file.path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
    let path = match path.strip_prefix("crates/") {
        Some(path) => path.replacen("/src", "", 1),
        None => path.replacen("src", "plansift", 1),
    };
    path.split('/').map(str::to_owned).collect()
}

fn code(file: &File) -> String {
    file.program().into_iter().map(|(_, line)| format!("{} ", line.trim())).collect()
}

fn join(module: &Module, step: &str) -> Module {
    let mut inner = module.clone();
    inner.push(step.to_owned());
    inner
}

/// The paths outside of `use` declarations that begin with `super` or `crate`.
fn named(code: &str) -> Vec<Vec<String>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let starts =
        ["super::", "crate::"].map(|start| code.match_indices(start)).into_iter().flatten();
    // `pub(super)` has no `::` after it, and `use` declarations are read by [`used`].
    let starts =
        starts.filter(|(at, _)| !code[..*at].ends_with(is_part) && !code[..*at].ends_with("use "));
    let paths = starts.map(|(at, _)| code[at..].split(|c| !is_part(c)).next().unwrap_or_default());
    paths.map(|path| path.split("::").map(str::to_owned).collect()).collect()
}

/// The paths in the `use` declarations whose visibility the caller takes.
fn used(code: &str, takes: fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end();
        let is_word =
            code[..at].ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
        let before = before.rsplit([';', '}', '{', ']']).next().unwrap_or_default().trim();
        let Some(end) = code[at..].find(';').filter(|_| !is_word) else { continue };
        if takes(before) {
            expand("", code[at + 4..at + end].trim(), &mut paths);
        }
    }
    paths
        .into_iter()
        .map(|path| path.split("::").map(|step| step.trim().to_owned()).collect())
        .collect()
}

/// Adds every path of a tree such as `super::{a, b::{c, d as e}}`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((head, list)) = tree.split_once('{').filter(|_| tree.ends_with('}')) else {
        let path = tree.split(" as ").next().unwrap_or_default();
        paths.push(format!("{prefix}{path}"));
        return;
    };
    let prefix = format!("{prefix}{head}");
    let (mut depth, mut start) = (0, 0);
    let list = &list[..list.len() - 1];
    for (at, character) in list.char_indices().chain([(list.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let item = list[start..at].trim();
                if !item.is_empty() {
                    expand(&prefix, item, paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The files that are on a circle: what remains when files that import none of the rest go, again
/// and again.
fn on_circles(mut imports: Imports) -> Vec<String> {
    loop {
        let left: BTreeSet<Module> = imports.keys().cloned().collect();
        let before = imports.len();
        imports.retain(|_, targets| targets.iter().any(|target| left.contains(target)));
        if imports.len() == before {
            break;
        }
    }
    imports.into_keys().map(|module| module.join("/")).collect()
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn import_cycles_are_found_through_reexports() {
    let parent = file(
        "crates/c/src/a/mod.rs",
        "mod one;\nmod two;\npub use one::One;\nuse two::{self, Two};\n",
    );
    let one = file("crates/c/src/a/one.rs", "use super::{\n    two::Two,\n    Own,\n};\n");
    let two = file("crates/c/src/a/two.rs", "use crate::a::One;\n// use super::x;\n");
    let found = on_circles(Program::new(&[parent, one, two]).imports());
    assert_eq!(found, ["c/a/one", "c/a/two"]);
    let parent = file("src/a/mod.rs", "pub use one::One;\nuse two::Two;\n");
    let one = file("src/a/one.rs", "use super::Own;\n");
    let two = file("src/a/two.rs", "use super::{One, Own};\n");
    assert!(on_circles(Program::new(&[parent, one, two]).imports()).is_empty());
    let root = file("crates/c/src/lib.rs", "mod one;\nmod two;\npub use one::One;\n");
    let one = file("crates/c/src/one.rs", "use crate::two::Two;\n");
    let two = file("crates/c/src/two.rs", "use crate::One;\n");
    let found = on_circles(Program::new(&[root, one, two]).imports());
    assert_eq!(found, ["c/one", "c/two"]);
}

#[test]
fn circles_of_folders_are_found() {
    let parent = file("src/a/mod.rs", "");
    let one = file("src/a/one/mod.rs", "mod inner;\n");
    let inner = file("src/a/one/inner.rs", "use crate::a::two::Two;\n");
    let two = file("src/a/two.rs", "fn f() { super::one::g(); }\n");
    let found = on_circles(Program::new(&[parent, one, inner, two]).between(3));
    assert_eq!(found, ["plansift/a/one", "plansift/a/two"]);
    let error = file("crates/c/src/error.rs", "use crate::limits::Limit;\n");
    let limits = file("crates/c/src/limits/mod.rs", "");
    let table = file("crates/c/src/limits/table.rs", "use crate::error::Error;\n");
    let found = on_circles(Program::new(&[error, limits, table]).between(2));
    assert_eq!(found, ["c/error", "c/limits"]);
}

#[test]
fn files_of_a_crate_import_without_circles() {
    let program = Program::new(&sources());
    let found = on_circles(program.imports());
    super::assert_none("files on a circle of imports, or on a way to one", &found);
    for depth in [2, 3] {
        let found = on_circles(program.between(depth));
        super::assert_none("modules on a circle of imports, or on a way to one", &found);
    }
}

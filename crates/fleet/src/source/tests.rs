//! Tests how folders, globs and lists become inputs, in order and without losses.

use std::path::Path;

use tempfile::TempDir;

use super::*;
use plansift_core::error::ErrorKind;

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[]}"#;

/// Creates a folder with these files, between blanks. Those that end with `.json` hold a plan.
fn folder(files: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files.split(' ') {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, if file.ends_with(".json") { PLAN } else { "words" }).unwrap();
    }
    folder
}

/// Lists the inputs of a selection: paths relative to the folder, and errors with a leading `!`.
fn list(folder: &Path, selection: &Selection) -> (Vec<String>, Skipped) {
    let inputs = Inputs::list(selection, Rule::Path);
    let short = |name: &str| {
        let name = name.replace(&format!("{}/", folder.display()), "");
        name.replace(&folder.display().to_string(), ".")
    };
    let shown = inputs.entries.iter().map(|entry| match entry {
        Ok(entry) => short(&entry.source()),
        Err(unlisted) => format!("!{} {:?}", short(&unlisted.source), unlisted.error.cause()),
    });
    (shown.collect(), inputs.skipped)
}

fn select(folder: &Path, names: &[&str]) -> Selection {
    let name = |name: &&str| match name.strip_prefix('@') {
        Some(list) => format!("@{}/{list}", folder.display()).into(),
        None if *name == "-" => "-".into(),
        None => format!("{}/{name}", folder.display()).into(),
    };
    Selection { names: names.iter().map(name).collect(), ..Selection::default() }
}

fn globs(include: &[&str], exclude: &[&str]) -> Globs {
    let strings = |list: &[&str]| list.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    Globs::new(&strings(include), &strings(exclude)).unwrap()
}

const TREE: &str =
    "b/x.json a/z.json a/README a.json a/b/c.json .hidden/x.json a/.x.json a-b/x.json top";

#[test]
fn a_folder_lists_its_plans_sorted_by_path_component() {
    let folder = folder(TREE);
    let (names, skipped) = list(folder.path(), &select(folder.path(), &[""]));
    assert_eq!(names, ["a/b/c.json", "a/z.json", "a-b/x.json", "a.json", "b/x.json"]);
    assert_eq!(skipped, Skipped { others: 2, hidden: 2, ..Skipped::default() });
}

#[test]
fn named_inputs_keep_their_order_without_duplicates() {
    let folder = folder(TREE);
    let names = ["b", "a.json", "-", "a", "a.json", "none.json", ".hidden", "a/.x.json", "top"];
    let (names, _) = list(folder.path(), &select(folder.path(), &names));
    let expected = "b/x.json a.json - a/b/c.json a/z.json none.json .hidden/x.json a/.x.json top";
    assert_eq!(names.join(" "), expected, "what is named is an input, a plan or not, there or not");
}

#[test]
fn globs_pick_files_of_a_folder() {
    let folder = folder(TREE);
    for (include, exclude, names, excluded) in [
        (&["*.json"][..], &["z*"][..], &["a/b/c.json", "a-b/x.json", "a.json", "b/x.json"][..], 3),
        (&["a/**"], &[], &["a/b/c.json", "a/z.json"], 4),
        (&[], &["a"], &["a-b/x.json", "a.json", "b/x.json"], 1),
        (&[], &["a/b"], &["a/z.json", "a-b/x.json", "a.json", "b/x.json"], 1),
        (&["x.*"], &["b/*"], &["a-b/x.json"], 6),
    ] {
        let globs = globs(include, exclude);
        let selection = Selection { globs, ..select(folder.path(), &[""]) };
        let (found, skipped) = list(folder.path(), &selection);
        assert_eq!(found, names, "{include:?} {exclude:?}");
        assert_eq!(skipped.excluded, excluded, "{include:?} {exclude:?}");
    }
}

#[test]
fn globs_expand_as_in_a_shell() {
    let folder = folder(&format!("{TREE} a/[x].json d/{{b}}/p.json"));
    for (glob, names) in [
        ("*/x.json", &["a-b/x.json", "b/x.json"][..]),
        (
            "**/*.json",
            &[
                "a/[x].json",
                "a/b/c.json",
                "a/z.json",
                "a-b/x.json",
                "a.json",
                "b/x.json",
                "d/{b}/p.json",
            ],
        ),
        ("a*", &["a/[x].json", "a/b/c.json", "a/z.json", "a-b/x.json", "a.json"]),
        ("a*/", &["a/[x].json", "a/b/c.json", "a/z.json", "a-b/x.json"]),
        ("{b,a-b}/*", &["a-b/x.json", "b/x.json"]),
        ("{b/x,a/z}.json", &["a/z.json", "b/x.json"]),
        (".h*/*", &[".hidden/x.json"]),
        ("a/.*", &["a/.x.json"]),
        ("?/[a-c]/*", &["a/b/c.json"]),
        ("a/[x].json", &["a/[x].json"]),
        ("d/{b}/p.json", &["d/{b}/p.json"]),
        ("to?", &["top"]),
        ("x*", &["!x* Fault(NoPlan)"]),
        ("a[", &["!a[ Fault(Pattern)"]),
    ] {
        let (found, _) = list(folder.path(), &select(folder.path(), &[glob]));
        assert_eq!(found, names, "{glob}");
    }
}

#[test]
fn list_files_name_inputs() {
    let folder = folder(TREE);
    let path = |name: &str| format!("{}/{name}", folder.path().display());
    let write = |name: &str, text: String| std::fs::write(path(name), text).unwrap();
    write("lines", format!("{}\r\n\n{}\n{}", path("a.json"), path("b"), path("a/*.json")));
    write("zeros", format!("{}\0{}\0", path("a.json"), path("odd\nname")));
    write("none", "\n\n".to_owned());
    let (names, _) = list(folder.path(), &select(folder.path(), &["b", "@lines", "@no", "@none"]));
    let expected = ["b/x.json", "a.json", "a/z.json", "!@no Kind(Read)", "!@none Fault(NoPlan)"];
    assert_eq!(names, expected);
    let selection = Selection {
        files_from: Some(List::File(path("zeros").into())),
        separator: Separator::Null,
        ..select(folder.path(), &["b"])
    };
    assert_eq!(list(folder.path(), &selection).0, ["b/x.json", "a.json", "odd\nname"]);
}

#[test]
fn a_folder_without_plans_is_an_error() {
    let folder = folder("a/README b/x.json");
    let (names, skipped) = list(folder.path(), &select(folder.path(), &["a", "b"]));
    assert_eq!(names, ["!a Fault(NoPlan)", "b/x.json"]);
    assert_eq!(skipped.others, 1);
}

#[test]
fn other_files_are_inputs_if_the_selection_takes_them() {
    let folder = folder("a/README a/x.json a/main.tf a/.hidden a/b.md b/README");
    let globs = Globs::new(&[], &["*.md".to_owned()]).unwrap().with_others();
    let selection = Selection { globs, ..select(folder.path(), &["a", "b"]) };
    let (names, skipped) = list(folder.path(), &selection);
    assert_eq!(names, ["a/README", "a/x.json", "b/README"]);
    assert_eq!(skipped, Skipped { sources: 1, hidden: 1, excluded: 1, ..Skipped::default() });
}

#[test]
fn an_empty_file_that_should_hold_json_is_an_input() {
    let folder = folder("a.json");
    for name in ["empty.json", "empty.JSON.GZ", "empty", "empty.txt"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let (names, skipped) = list(folder.path(), &select(folder.path(), &[""]));
    assert_eq!(names, ["a.json", "empty.JSON.GZ", "empty.json"]);
    assert_eq!(skipped.others, 2);
}

#[test]
fn compressed_plans_are_known_by_their_content() {
    use std::io::Write;
    let folder = folder("a.json");
    let path = |name: &str| folder.path().join(name);
    let gzip = |text: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    std::fs::write(path("plan"), gzip(PLAN.as_bytes())).unwrap();
    std::fs::write(path("words"), gzip(b"words")).unwrap();
    std::fs::write(path("zplan"), zstd::encode_all(PLAN.as_bytes(), 1).unwrap()).unwrap();
    let cut = gzip(PLAN.as_bytes());
    std::fs::write(path("cut"), &cut[..cut.len() - 12]).unwrap();
    let (names, _) = list(folder.path(), &select(folder.path(), &[""]));
    assert_eq!(names, ["a.json", "cut", "plan", "zplan"]);
}

#[cfg(unix)]
#[test]
fn folders_include_links_to_files_but_not_links_to_folders() {
    use std::os::unix::fs::symlink;
    let folder = folder("a/x.json");
    let path = |name: &str| folder.path().join(name);
    symlink(path("a/x.json"), path("link.json")).unwrap();
    symlink(path(""), path("a/loop")).unwrap();
    symlink(path("a"), path("again")).unwrap();
    symlink(path("gone"), path("gone.json")).unwrap();
    let (names, skipped) = list(folder.path(), &select(folder.path(), &[""]));
    assert_eq!(names, ["a/x.json", "gone.json", "link.json"], "what is gone fails when it is read");
    assert_eq!(skipped.links, 2);
    let (names, _) = list(folder.path(), &select(folder.path(), &["again"]));
    assert_eq!(names, ["again/x.json"], "a link that is named is followed");
    let globs = Globs::default().with_others();
    let (names, skipped) =
        list(folder.path(), &Selection { globs, ..select(folder.path(), &[""]) });
    let [link, again] = ["!a/loop Fault(LinkToFolder)", "!again Fault(LinkToFolder)"];
    assert_eq!(names, [link, "a/x.json", again, "gone.json", "link.json"]);
    assert_eq!(skipped.links, 0);
}

#[test]
fn an_entry_has_its_size_and_modification_time() {
    let folder = folder("a.json");
    let inputs = Inputs::list(&select(folder.path(), &["", "none", "-"]), Rule::Path);
    let entries: Vec<&InputEntry> = inputs.entries.iter().flatten().collect();
    assert_eq!(entries[0].len, Some(PLAN.len() as u64));
    assert!(entries[0].modified.is_some());
    assert_eq!((entries[1].len, entries[2].len), (None, None));
    assert_eq!(
        entries[1].open(&Default::default()).err().map(|error| error.kind()),
        Some(ErrorKind::Read)
    );
}

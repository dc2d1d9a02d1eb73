//! Tests for the attributes of changes.

use super::*;
use plansift_core::input::Slice;
use plansift_core::limits::Limits;
use plansift_plan::diff::Differ;
use plansift_plan::plan::{Flow, Piece, PieceKind, PlanOptions, ResourceChange, Visitor, read};
use plansift_plan::record::Line;

/// Limits that allow more paths than a view shows.
fn limits() -> Limits {
    Limits { paths: 1 << 30, ..Limits::default() }
}

/// Returns the attributes of an update, one line for each. `members` are the members of its
/// `change`.
fn lines(members: &str, secrets: &[&str]) -> Vec<String> {
    struct Lines<'s>(AttributeViewer<'s>, Vec<String>);
    impl Visitor for Lines<'_> {
        fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
            if piece.kind != PieceKind::ResourceChange {
                return Ok(Flow::Continue);
            }
            let it = ResourceChange::parse(piece.section, piece.value)?;
            let mut differ = Differ::new(&limits());
            differ.diff(&it.change)?;
            let mut replace_paths = Paths::new();
            if it.change.replace_paths.is_some() {
                replace_paths.push_text("r").unwrap();
            }
            let (changed, unknown) = (&differ.changed, &differ.unknown);
            let none = &Paths::new();
            let view_paths = ViewPaths {
                changed,
                unknown,
                sensitive_added: none,
                sensitive_removed: none,
                replace_paths: &replace_paths,
            };
            let subject = ViewSubject::Resource(piece.section, it.address);
            let Attributes { list, left_out, .. } = self.0.view(subject, &it.change, view_paths)?;
            self.1.extend(list.iter().map(line));
            self.1.extend((left_out > 0).then(|| format!("{left_out} more")));
            Ok(Flow::Continue)
        }
    }
    let options = secret::SecretOptions {
        read: PlanOptions::default(),
        echo_min: 8,
        echo: secret::EchoOf::Whole,
        names: None,
    };
    let mut collected = Collected::nothing(&options);
    for secret in secrets {
        collected.secrets.insert(secret.as_bytes(), 0).unwrap();
    }
    let known = ViewSettings { collected: &collected, options: &options, detail: Detail::Excerpts };
    let mut lines =
        Lines(AttributeViewer::new(AttributeView::Changed(known), &limits()), Vec::new());
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[
            {{"address":"a.b","change":{{"actions":["update"],{members}}}}}]}}"#
    );
    read(Slice(plan.as_bytes()), &PlanOptions::default(), &mut lines).unwrap();
    lines.1
}

fn line(attribute: &Attribute) -> String {
    let Attribute { path, before, after, replaces, difference, mark: _, lines, .. } = attribute;
    let shown = |shown: &Shown| match shown {
        Shown::Absent => "-".to_owned(),
        Shown::Unknown | Shown::UnknownFrom(_) => "?".to_owned(),
        Shown::Sensitive => "*".to_owned(),
        Shown::Echo => "%".to_owned(),
        Shown::Withheld => "#".to_owned(),
        Shown::WriteOnly => "w".to_owned(),
        Shown::NamedWriteOnly => "w?".to_owned(),
        Shown::Scalar(text) | Shown::Container(text) => match text.left_out {
            0 => text.text.clone(),
            left_out => format!("{} bytes and {left_out} more", text.text.len()),
        },
    };
    let reason = if *replaces { " !" } else { "" };
    let how = match difference {
        Difference::Value | Difference::Mark => "",
        Difference::Space => " (space)",
        Difference::Format => " (format)",
        Difference::Order => " (order)",
        Difference::Nothing => " (nothing)",
    };
    if let Some(lines @ Lines { left_out, .. }) = lines {
        assert_eq!((before, after), (&Shown::Withheld, &Shown::Withheld));
        let line = |line: Line<'_>| match line {
            Line::Same(text) => format!(" {text}"),
            Line::Removed(text) => format!("-{text}"),
            Line::Added(text) => format!("+{text}"),
            Line::Skipped(count) => format!("@{count}"),
        };
        let list: Vec<String> = lines.iter().map(line).collect();
        return format!("{path}: {} ({left_out} more){reason}{how}", list.join("|"));
    }
    format!("{path}: {} -> {}{reason}{how}", shown(before), shown(after))
}

#[test]
fn changes_are_listed_with_both_sides() {
    for (members, expected) in [
        (r#""before":{"a":1,"b":"x"},"after":{"a":2,"b":"x"}"#, &["a: 1 -> 2"][..]),
        (
            r#""before":{"l":[1,{"k":"x","z":0}],"t":{"b":1,"a":2}},
               "after":{"l":[1,{"z":0,"k":"y"}],"t":{"a":2,"b":3,"c":[{}]}}"#,
            &[r#"l[1].k: "x" -> "y""#, "t.b: 1 -> 3", "t.c: - -> [{}]"],
        ),
        (
            r#""before":{"a":null,"b":1},"after":{"a":true,"b":null}"#,
            &["a: - -> true", "b: 1 -> -"],
        ),
        (
            r#""before":{"a":1,"o":{"x":1}},"after":{"o":{"x":1}},
               "after_unknown":{"a":true,"o":{"y":true}}"#,
            &["a: 1 -> ?", "o.y: - -> ?"],
        ),
        (
            r#""before":{"l":[1]},"after":{"l":[1,{}]},"after_unknown":{"l":[false,{"id":true}]}"#,
            &[r#"l[1]: - -> {"id":(known after apply)}"#],
        ),
        (
            r#""before":{"r":1,"s":1},"after":{"r":2,"s":2},"replace_paths":[["r"]]"#,
            &["r: 1 -> 2 !", "s: 1 -> 2"],
        ),
        (
            r#""before":{"a.b":{"\u0061":1},"q\"":1},"after":{"a.b":{"a":2},"q\"":2}"#,
            &[r#"["a.b"].a: 1 -> 2"#, r#"["q\""]: 1 -> 2"#],
        ),
        (
            r#""before":{"a":"é\n\""},"after":{"a":{"b":[1,"x",null,{}]}}"#,
            &[r#"a: "é\n\"" -> {"b":[1,"x",null,{}]}"#],
        ),
    ] {
        assert_eq!(lines(members, &[]), expected, "{members}");
    }
}

#[test]
fn lists_are_compared_as_sets_if_that_is_shorter() {
    for (before, after, expected) in [
        // One element changes in place.
        ("[1,2]", "[1,3]", &["l[1]: 2 -> 3"][..]),
        ("[1]", "[2]", &["l[0]: 1 -> 2"]),
        // The diff as sets is as long as the diff by index. The sets win, as in Terraform.
        ("[1,2]", "[2,3]", &["l[0]: 1 -> -", "l[1]: - -> 3"]),
        ("[1,2,3]", "[1,3,4]", &["l[1]: 2 -> -", "l[2]: - -> 4"]),
        (
            r#"[{"a":1},{"a":2}]"#,
            r#"[{"a":2},{"a":3}]"#,
            &[r#"l[0]: {"a":1} -> -"#, r#"l[1]: - -> {"a":3}"#],
        ),
        ("[1,2,3]", "[3,1,2]", &["l: [1,2,3] -> [3,1,2] (order)"]),
        ("[1,2,3]", "[9,1,2]", &["l[2]: 3 -> -", "l[0]: - -> 9"]),
        ("[1,2]", "[2]", &["l[0]: 1 -> -"]),
        ("[1,1,2]", "[1,2,2]", &["l[1]: 1 -> 2"]),
        ("[1]", "[2,3]", &["l: [1] -> [2,3]"]),
        ("[]", "[2]", &["l: [] -> [2]"]),
        (
            r#"[{"a":1,"b":1,"c":1},{"a":2,"b":2,"c":2}]"#,
            r#"[{"a":2,"b":2,"c":2},{"a":3,"b":3,"c":3}]"#,
            &[r#"l[0]: {"a":1,"b":1,"c":1} -> -"#, r#"l[1]: - -> {"a":3,"b":3,"c":3}"#],
        ),
    ] {
        let change = format!(r#""before":{{"l":{before}}},"after":{{"l":{after}}}"#);
        assert_eq!(lines(&change, &[]), expected, "{change}");
    }
    let appended =
        r#""before":{"l":[1]},"after":{"l":[1,null]},"after_unknown":{"l":[false,true]}"#;
    assert_eq!(lines(appended, &[]), ["l[1]: - -> ?"]);
    // An overlay that is longer than its list does not turn the list into a set.
    let longer = r#""before":{"l":[1]},"after":{"l":[1]},"after_unknown":{"l":[false,true]}"#;
    assert_eq!(lines(longer, &[]), ["l[1]: - -> ?"]);
    // A new element of a set is shown as one value that includes its unknown attributes.
    let [one, two] = [r#"{"a":1,"b":1,"id":"x"}"#, r#"{"a":2,"b":2,"id":"y"}"#];
    let new = r#"{"a":3,"b":3}"#;
    let set = |after: &str, open: &str| {
        let change = format!(r#""before":{{"l":[{one},{two}]}},"after":{{"l":[{after}]}}"#);
        lines(&format!(r#"{change},"after_unknown":{{"l":[{open}]}}"#), &[])
    };
    let known = &new[..new.len() - 1];
    let added = |index| [format!(r#"l[{index}]: - -> {known},"id":(known after apply)}}"#)];
    let open = r#"{"id":true}"#;
    assert_eq!(set(&format!("{new},{one},{two}"), &format!("{open},{{}},{{}}")), added(0));
    let gone = format!("l[0]: {one} -> -");
    let expected = [&[gone][..], &added(1)].concat();
    assert_eq!(set(&format!("{two},{new}"), &format!("{{}},{open}")), expected);
    // On a tie with an unknown attribute, the comparison by index wins. Lists with a sensitive
    // attribute are never compared as sets.
    let change = r#""before":{"l":[{"a":1},{"a":2}]},"after":{"l":[{"a":2},{"a":1}]}"#;
    let unknown = r#","after_unknown":{"l":[{},{"id":true}]}"#;
    let marked = r#","after_sensitive":{"l":[{},{"a":true}]}"#;
    assert_eq!(lines(change, &[]).len(), 1);
    let places = ["l[0].a: 1 -> 2", "l[1].a: 2 -> 1", "l[1].id: - -> ?"];
    assert_eq!(lines(&(change.to_owned() + unknown), &[]), places);
    assert_eq!(lines(&(change.to_owned() + marked), &[]), ["l[0].a: 1 -> 2", "l[1].a: * -> *"]);
}

#[test]
fn elements_of_nested_sets_are_removed_and_added() {
    for (before, after, expected) in [
        // One list has a different element, at a different index.
        (
            r#"[["a","b"],["c"],["d"]]"#,
            r#"[["c"],["d"],["a","x"]]"#,
            &[r#"l[0]: ["a","b"] -> -"#, r#"l[2]: - -> ["a","x"]"#][..],
        ),
        // One list has an additional element. Only that element is listed.
        (r#"[["a","b"],["c"]]"#, r#"[["a","b","x"],["c"]]"#, &[r#"l[0][2]: - -> "x""#]),
        // The lists have no element in common.
        (
            r#"[["a","b"]]"#,
            r#"[["a","c"],["d"]]"#,
            &[r#"l[0]: ["a","b"] -> -"#, r#"l[0]: - -> ["a","c"]"#, r#"l[1]: - -> ["d"]"#],
        ),
        (
            r#"[{"k":["a"]},{"k":["b"]}]"#,
            r#"[{"k":["c"]}]"#,
            &[
                r#"l[0]: {"k":["a"]} -> -"#,
                r#"l[1]: {"k":["b"]} -> -"#,
                r#"l[0]: - -> {"k":["c"]}"#,
            ],
        ),
        (
            r#"[[["a"],["b"]]]"#,
            r#"[[["b"],["a","c"]]]"#,
            &[r#"l[0][0]: ["a"] -> -"#, r#"l[0][1]: - -> ["a","c"]"#],
        ),
        // Lists of scalars and empty lists are shown as a whole.
        (r#"["a","b"]"#, r#"["c"]"#, &[r#"l: ["a","b"] -> ["c"]"#]),
        ("[]", r#"[["a"]]"#, &[r#"l: [] -> [["a"]]"#]),
    ] {
        let change = format!(r#""before":{{"l":{before}}},"after":{{"l":{after}}}"#);
        assert_eq!(lines(&change, &[]), expected, "{change}");
    }
}

#[test]
fn strings_with_documents_are_compared_as_documents() {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    for (before, after, expected) in [
        (
            r#"{"a":[{"b":1}],"n":12345678901234567890}"#,
            r#"{ "a": [{"b": 2}], "n": 12345678901234567891 }"#,
            &[
                "jsondecode(p).a[0].b: 1 -> 2",
                "jsondecode(p).n: 12345678901234567890 -> 12345678901234567891",
            ][..],
        ),
        ("[1,2]", "[1,3]", &["jsondecode(p)[1]: 2 -> 3"]),
        ("{}", "[1]", &["jsondecode(p): {} -> [1]"]),
        (
            r#"{"a":1,"b":2}"#,
            r#"{"b": 2, "a": 1.0}"#,
            &[r#"p: {"a":1,"b":2} -> {"b":2,"a":1.0} (format)"#],
        ),
        ("a: 1\nb: [x]\n", "a: 1\nb: [x, z]\n", &[r#"yamldecode(p).b[1]: - -> "z""#]),
        (
            r#"{"k":"hunter22"}"#,
            r#"{"k":"other","l":"hunter22"}"#,
            &[r#"jsondecode(p).k: % -> "other""#, "jsondecode(p).l: - -> %"],
        ),
        // A string with a duplicate key is not decoded.
        (
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"a":2}"#,
            &[r#"p: jsonencode({"a":1,"a":1}) -> jsonencode({"a":1,"a":2})"#],
        ),
        // YAML with equal values is shown as a text, unless it repeats a secret.
        ("tag: yes\nx: 1\n", "tag: 'yes'\nx: 1\n", &["p: -tag: yes|+tag: 'yes'| x: 1 (0 more)"]),
        (
            "pw: hunter22\nx: 0777\n",
            "pw: hunter22\nx: '0777'\n",
            &[concat!(
                r#"p: {"pw":(repeats a sensitive value),"x":"0777"} "#,
                r#"-> {"pw":(repeats a sensitive value),"x":"0777"}"#
            )],
        ),
        ("a: NULL\nb: x\n", "a: null\nb: x\n", &["p: -a: NULL|+a: null| b: x (0 more)"]),
        // A program that looks like YAML.
        ("if x:\n  a\n  b\n", "if x:\n  a\nb\n", &["p:  if x:|   a|-  b|+b (0 more) (space)"]),
        ("x  y\n", " x y", &[r#"p: "x  y\n" -> " x y" (space)"#]),
        ("", " ", &[r#"p: "" -> " " (space)"#]),
    ] {
        let (before, after) = (quoted(before), quoted(after));
        let change = format!(r#""before":{{"p":{before}}},"after":{{"p":{after}}}"#);
        assert_eq!(lines(&change, &["hunter22"]), expected, "{change}");
    }
    let one = quoted(r#"{"k": "hunter22", "l": [true]}"#);
    assert_eq!(
        lines(&format!(r#""before":null,"after":{{"p":{one}}}"#), &["hunter22"]),
        [r#"p: - -> jsonencode({"k":(repeats a sensitive value),"l":[true]})"#]
    );
}

#[test]
fn long_strings_are_shown_from_their_first_difference() {
    let same = "é".repeat(100);
    let change = format!(r#""before":{{"t":"{same}x"}},"after":{{"t":"{same}yy"}}"#);
    let near = "é".repeat(12);
    assert_eq!(lines(&change, &[]), [format!(r#"t: "…{near}x" -> "…{near}yy""#)]);
}

#[test]
fn changes_with_one_side_list_every_scalar() {
    for (members, expected) in [
        (
            r#""before":null,"after":{"a":1,"b":null,"e":{},"l":["x",[]],"o":{"k":{"z":false}}}"#,
            &["a: - -> 1", "e: - -> {}", r#"l[0]: - -> "x""#, "l[1]: - -> []", "o.k.z: - -> false"]
                [..],
        ),
        (
            r#""before":null,"after":{"b":1,"d":{"x":1}},
               "after_unknown":{"a":true,"d":{"w":true,"y":true},"id":true}"#,
            &["a: - -> ?", "b: - -> 1", "d.w: - -> ?", "d.x: - -> 1", "d.y: - -> ?", "id: - -> ?"],
        ),
        (r#""before":{"a":1},"after":null"#, &["a: 1 -> -"]),
        (r#""before":null,"after":null,"after_unknown":{"a":true}"#, &["a: - -> ?"]),
        (r#""before":null,"after_unknown":true"#, &[": - -> ?"]),
    ] {
        assert_eq!(lines(members, &[]), expected, "{members}");
    }
}

#[test]
fn marked_values_are_hidden_on_both_sides() {
    for (members, expected) in [
        (
            r#""before":{"p":"old","q":1},"after":{"p":"new","q":2},"after_sensitive":{"p":true}"#,
            &["p: * -> *", "q: 1 -> 2"][..],
        ),
        (
            r#""before":{"m":{"a":"x"}},"after":{"m":{"b":"y"}},"before_sensitive":{"m":true}"#,
            &["m: * -> *"],
        ),
        (
            r#""before":{"l":[]},"after":{"l":[{"k":"x","o":1}]},
               "after_sensitive":{"l":[{"k":true}]}"#,
            &[r#"l[0]: - -> {"k":(sensitive value),"o":1}"#],
        ),
        (
            r#""before":null,"after":{"m":{"a":"x"},"n":[1,2]},
               "after_sensitive":{"m":true,"n":[false,true]}"#,
            &["m: - -> *", "n[0]: - -> 1", "n[1]: - -> *"],
        ),
        (
            r#""before":null,"after":{"b":[{"k":"x"}],"n":1},"after_unknown":{"b":[{"i":true}]},
               "after_sensitive":{"b":true}"#,
            &["b: - -> *", "n: - -> 1"],
        ),
        (r#""before":{"a":1},"after":null,"before_sensitive":true"#, &[": * -> -"]),
        // An overlay that does not fit its value hides the whole value.
        (
            r#""before":{"a":"x","b":1},"after":{"a":"y","b":2},
               "after_sensitive":{"a":{"k":true}}"#,
            &["a: * -> *", "b: 1 -> 2"],
        ),
    ] {
        assert_eq!(lines(members, &[]), expected, "{members}");
    }
}

#[test]
fn echoes_are_hidden() {
    let secrets = ["hunter22", "Key-of-it", "123456789"];
    for (members, expected) in [
        (
            r#""before":{"a":"hunter2"},
               "after":{"a":"\u0068unter22","b":["x","hunter22"],"n":123456789}"#,
            &[r#"a: "hunter2" -> %"#, r#"b: - -> ["x",(repeats a sensitive value)]"#, "n: - -> %"]
                [..],
        ),
        (
            r#""before":{"Key-of-it":1,"z":{"Key-of-it":1}},"after":{"Key-of-it":2}"#,
            &[
                r#"["(repeats a sensitive value)"]: 1 -> 2"#,
                r#"z: {(repeats a sensitive value):1} -> -"#,
            ],
        ),
        (
            r#""before":null,"after":{"m":{"Key-of-it":"x"}}"#,
            &[r#"m["(repeats a sensitive value)"]: - -> "x""#],
        ),
        // The mask in a redacted plan is not an echo of a secret.
        (r#""before":null,"after":{"m":"(sensitive value)"}"#, &["m: - -> *"]),
    ] {
        assert_eq!(lines(members, &secrets), expected, "{members}");
    }
}

#[test]
fn long_values_and_lists_are_cut() {
    let long = "é".repeat(20_000);
    let change = format!(r#""before":{{"a":"{long}"}},"after":{{"a":["{long}","{long}",1]}}"#);
    let found = lines(&change, &[]);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("a: 16386 bytes and 23616 more -> 16"), "{}", &found[0]);
    let many: Vec<String> = (0..12_000).map(|number| format!(r#""k{number:05}":1"#)).collect();
    let found = lines(&format!(r#""before":null,"after":{{{}}}"#, many.join(",")), &[]);
    assert_eq!(found.len(), ATTRIBUTES_MAX + 1);
    assert_eq!(found[ATTRIBUTES_MAX], "2000 more");
}

#[test]
fn all_paths_share_one_limit() {
    let key = "k".repeat(100_000);
    let below: Vec<String> = (0..300).map(|number| format!(r#""k{number:05}":1"#)).collect();
    let below = below.join(",");
    for change in [
        format!(r#""before":null,"after":{{"{key}":{{{below}}}}}"#),
        format!(r#""before":{{"{key}":{{{below}}}}},"after":{{"{key}":{{}}}}"#),
        format!(r#""before":null,"after":{{}},"after_unknown":{{"{key}":{{{below}}}}}"#)
            .replace(":1", ":true"),
    ] {
        let found = lines(&change, &[]);
        let shown = PATHS_MAX / (key.len() + 7);
        assert_eq!(found.len(), shown + 1);
        assert_eq!(found[shown], format!("{} more", 300 - shown));
    }
}

#[test]
fn secrets_in_documents_are_hidden() {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let long = "x".repeat(60);
    let inner = |version: u32| {
        let document = format!(r#"{{"a":"{long}","v":{version},"pw":"hunter22"}}"#);
        format!(r#"{{"in":{}}}"#, quoted(&document))
    };
    let twice = |value: u32| format!(r#"{{"a":"{long}","b":1,"b":{value},"pw":"hunter22"}}"#);
    for (before, after) in [
        (None, "a: 1\npw: hunter22\n".to_owned()),
        (Some(r#"{"pw":"hunter22"}"#.to_owned()), "a: 1\npw: hunter22\n".to_owned()),
        (Some(inner(1)), inner(2)),
        (Some(twice(1)), twice(2)),
        (Some("a: 1\nb: 2\n".to_owned()), "a: !hunter22 x\nb: 2\n".to_owned()),
    ] {
        let side = |text: &String| format!(r#"{{"p":{}}}"#, quoted(text));
        let before = before.as_ref().map_or("null".to_owned(), side);
        let change = format!(r#""before":{before},"after":{}"#, side(&after));
        let found = lines(&change, &["hunter22"]);
        assert!(!found.is_empty() && !found.concat().contains("hunter22"), "{found:?}");
    }
}

#[test]
fn only_equal_documents_differ_in_format() {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    for (before, after, how) in [
        (r#"{"a":1,"b":[true]}"#, r#"{ "b": [true], "a": 1.0 }"#, Some("(format)")),
        (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, None),
        (r#"{"a":null}"#, r#"{"b":null}"#, None),
        ("a: 0644\nb: 1\n", "a: '0644'\nb: 1\n", None),
        ("#cloud-config\na: 1\n", "#cloud-boothook\na: 1\n", None),
        ("a: 1\n", "a: 1\nc:\n", None),
        ("a: 1\nb: x\n", "a:  1\n\nb: x\n", Some("(space)")),
    ] {
        let change =
            format!(r#""before":{{"p":{}}},"after":{{"p":{}}}"#, quoted(before), quoted(after));
        let found = lines(&change, &[]);
        // Two members that only one side has are two lines.
        assert_eq!(found.len(), if after == r#"{"b":null}"# { 2 } else { 1 }, "{found:?}");
        for line in &found {
            let remark = ["(format)", "(space)"].into_iter().find(|it| line.ends_with(it));
            assert_eq!(remark, how, "{found:?}");
        }
    }
}

#[test]
fn attributes_that_force_a_replacement_are_flagged() {
    let moved = r#""before":{"r":[1,2,3,4]},"after":{"r":[2,3,4,5]},"replace_paths":[["r"]]"#;
    assert_eq!(lines(moved, &[]), ["r[0]: 1 -> - !", "r[3]: - -> 5 !"]);
    // Elements that change in place stay in place.
    let in_place =
        r#""before":{"l":[{"a":1,"b":1,"c":1},7]},"after":{"l":[{"a":2,"b":2,"c":2},7]}"#;
    let places = ["l[0].a: 1 -> 2", "l[0].b: 1 -> 2", "l[0].c: 1 -> 2"];
    assert_eq!(lines(in_place, &[]), places);
}

#[test]
fn deep_values_with_many_changes_take_linear_time() {
    let side = |value: u32| {
        let keys: Vec<String> = (0..1000).map(|key| format!(r#""k{key}":{value}"#)).collect();
        format!("{}{{{}}}{}", r#"{"a":"#.repeat(3000), keys.join(","), "}".repeat(3000))
    };
    let change = format!(r#""before":{},"after":{}"#, side(1), side(2));
    assert_eq!(lines(&change, &[]).len(), 1000);
    let nested = |text: &str| format!("{}\"{text}\"{}", "[".repeat(2000), "]".repeat(2000));
    let long = "x".repeat(1 << 20);
    let (before, after) = (nested(&long), nested(&(long.clone() + "y")));
    assert_eq!(lines(&format!(r#""before":{before},"after":{after}"#), &[]).len(), 1);
}

#[test]
fn documents_in_documents_are_parsed_to_a_limit() {
    let nested = |depth: usize| {
        let keys = (0..depth).map(|level| format!("{}k: |\n", " ".repeat(level)));
        let (keys, space) = (keys.collect::<String>(), " ".repeat(depth));
        serde_json::to_string(&format!("{keys}{space}pw: hunter22\n{space}b: 2\n")).unwrap()
    };
    let shown = |depth| {
        let change = format!(r#""before":null,"after":{{"p":{}}}"#, nested(depth));
        lines(&change, &["hunter22"]).concat()
    };
    assert!(shown(2).contains(r#""pw":(repeats a sensitive value)"#), "{}", shown(2));
    // Each document parses the documents in it: without a limit, this takes minutes.
    let deep = shown(2500);
    assert!(deep.contains('…') && !deep.contains("hunter22"), "{deep}");
}

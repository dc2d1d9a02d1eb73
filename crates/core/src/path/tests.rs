//! Tests of paths, and of writing and parsing their text.

use proptest::prelude::*;

use super::*;

fn steps(text: &str) -> Result<String, Error> {
    let mut paths = Paths::new();
    paths.push_text(text)?;
    let path = paths.iter().next().map(|path| format!("{:?}", path.steps().collect::<Vec<_>>()));
    Ok(path.unwrap_or_default())
}

#[test]
fn valid_paths_are_parsed_and_invalid_ones_rejected() {
    for text in [
        "",
        "a",
        "root_block_device[0].volume_size",
        r#"tags["kubernetes.io/name"]"#,
        r#"data["été"]"#,
        r#"["0a"]["\\\"\n\u0001"][""].x"#,
        "[4294967295][0]",
        "set[*].a-b",
    ] {
        let mut paths = Paths::new();
        paths.push_text(text).unwrap();
        assert_eq!(paths.iter().next().unwrap().to_string(), text);
    }
    for (place, texts) in [
        (0, &[".a", "a b"][..]),
        (1, &["a..b", "a.", "a[", "a[01]", "a[4294967296]", "a[-1]", "a[]", "a[1", r#"a["b"#]),
        (1, &[r#"a["b"x"#, "a.été"]),
        (4, &["a[0]b"]),
    ] {
        for text in texts {
            let error = steps(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Path, "{text}");
            assert_eq!(error.location().unwrap().offset, place, "{text}");
        }
    }
}

#[test]
fn paths_are_cut_at_a_depth() {
    let mut paths = Paths::new();
    for text in ["b.secret.y", "b.secret.x", "a[0]", "secret"] {
        paths.push_text(text).unwrap();
    }
    let secret = |path: Path<'_>| path.steps().position(|step| step == Step::Key("secret"));
    let cut = paths.cut(|path| secret(path).map(|place| place + 1)).unwrap();
    let texts: Vec<String> = cut.iter().map(|path| path.to_string()).collect();
    assert_eq!(texts, ["a[0]", "b.secret", "secret"]);
    assert!(cut.cut(|_| Some(2)).is_none() && cut.cut(|_| None).is_none());
}

/// Fewer than `end` paths, each a list of keys. There are few different keys, and many of them
/// begin with the same letters.
fn plain_paths(end: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec("(attribu)?[ab]{0,2}", 0..4), 0..end)
}

proptest! {
    #[test]
    fn a_printed_path_parses_back_to_itself(
        keys in prop::collection::vec(prop_oneof![".*", "[a-z_][a-z0-9_-]{0,3}"], 0..5),
        index in any::<u32>(),
    ) {
        let mut paths = Paths::new();
        let keyed = keys.iter().map(|key| Step::Key(key));
        paths.push(keyed.chain([Step::Index(index), Step::Element]));
        let text = paths.iter().next().unwrap().to_string();
        paths.push_text(&text).unwrap();
        let both: Vec<_> = paths.iter().collect();
        prop_assert_eq!(both[0], both[1]);
    }

    #[test]
    fn paths_are_cut_at_their_outermost_listed_prefix(
        list in plain_paths(9),
        places in plain_paths(4),
    ) {
        let of = |list: &[Vec<String>]| {
            let mut paths = Paths::new();
            list.iter().for_each(|path| paths.push(path.iter().map(|key| Step::Key(key))));
            paths
        };
        let (mut paths, mut outermost) = (of(&list), of(&places));
        outermost.sort_outermost();
        let is_cut = paths.cut_at(&outermost);
        let cut = |path: &Vec<String>| {
            let shortest = (0..path.len()).find(|&len| places.contains(&path[..len].to_vec()));
            path[..shortest.unwrap_or(path.len())].to_vec()
        };
        let plain: Vec<_> = list.iter().map(cut).collect();
        prop_assert_eq!(is_cut, plain != list);
        let mut expected = of(&plain);
        let steps = |paths: &Paths| -> Vec<String> {
            paths.iter().map(|path| format!("{:?}", path.steps().collect::<Vec<_>>())).collect()
        };
        prop_assert_eq!(steps(&paths), steps(&expected));
        // Sorting relies on `Span::lead`, which must belong to the path after the cut.
        paths.sort();
        expected.sort();
        prop_assert_eq!(steps(&paths), steps(&expected));
    }

    #[test]
    fn a_sorted_list_has_each_path_once_and_in_the_order_of_its_steps(
        list in prop::collection::vec(
            prop::collection::vec((0..3, "(attribu|a)?[ab\\x00é]{0,3}"), 0..3),
            0..12,
        ),
    ) {
        fn step((kind, key): &(i32, String)) -> Step<'_> {
            match kind {
                0 => Step::Key(key),
                1 => Step::Index(key.len() as u32),
                _ => Step::Element,
            }
        }
        let mut plain: Vec<Vec<Step<'_>>> =
            list.iter().map(|path| path.iter().map(step).collect()).collect();
        let mut paths = Paths::new();
        plain.iter().for_each(|path| paths.push(path.iter().copied()));
        plain.sort();
        plain.dedup();
        paths.sort();
        let sorted: Vec<Vec<_>> = paths.iter().map(|path| path.steps().collect()).collect();
        prop_assert_eq!(sorted, plain);
    }
}

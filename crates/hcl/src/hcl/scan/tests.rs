//! Tests of the scanner, also against the parser of whole files.

use super::*;

/// The items of a text: the text of each head, and of each value or body.
fn items(text: &str) -> Vec<(String, String)> {
    let part = |range: Range<usize>| text[range].to_owned();
    Items::new(text, 0..text.len())
        .map(|item| match item {
            Ok(Item::Attribute { name, value }) => (part(name), part(value)),
            Ok(Item::Block { kind, head_end, body, .. }) => {
                (part(kind.start..head_end), part(body))
            }
            Err(Fault(at)) => (String::from("fault"), part(at..text.len())),
        })
        .collect()
}

fn heads(text: &str) -> Vec<String> {
    items(text).into_iter().map(|(head, _)| head).collect()
}

#[test]
fn blocks_end_at_their_own_brace() {
    for inside in [
        "",
        " x = 1 ",
        "\n  x = { a = [1, (2)] }\n",
        "\n  # } \" {\n  // } \" {\n  /* } \" \n { */\n",
        "\n  x = \"}\"\n",
        r#" x = "\"}" "#,
        r#" x = "\\" "#,
        r#" x = "$${ %%{ $$${ $ } %" "#,
        r#" x = "${"}"}" "#,
        r#" x = "${a["${b}"]}%{ if c }}%{ endif }" "#,
        "\n  x = <<A\n } A \" {\n ${\"}\"} A\nA \n A\n",
        "\n  x = <<-A\n }\n\tA\n",
        "\n  x = <<A\r\n}\r\nA\r\n",
        "\n  x = [<<A\n}\nA\n, 1]\n",
        "\n  x = 4 < 5 / 6\n",
        "\n  x = a << b\n",
        "\n  y \"}\" é {\n  }\n",
    ] {
        let text = format!("a \"b\" {{{inside}}}\nc {{}}\n");
        let expected = [("a \"b\"", inside), ("c", "")];
        let expected = expected.map(|(head, body)| (head.to_owned(), body.to_owned()));
        assert_eq!(items(&text), expected, "{text}");
    }
}

#[test]
fn attributes_end_with_their_line() {
    let text = "a = 1 # x\nb = [\n1,\n]\nc = \"${\n1}\"\nd /* \n */ = <<A\n1\nA\ne = 1";
    assert_eq!(heads(text), ["a", "b", "c", "d", "e"]);
    let inner = " x = 1 ";
    assert_eq!(items(inner), [(String::from("x"), String::from(" 1 "))]);
}

#[test]
fn an_item_without_an_end_is_a_fault() {
    for text in [
        "a {",
        "a { x = \"}",
        "a { x = <<A\n}\n",
        "a { x = [}",
        "a { /* }",
        "a \"b {}",
        "a = (\n",
        "a = ]\n",
        "a",
        "a \"b\" = 1\n",
        "/* a",
        "1 {}",
        "} a {}",
        "\"a\" {}",
    ] {
        let listed = heads(&format!("c {{}}\n{text}"));
        assert_eq!(listed, ["c", "fault"], "{text}");
    }
    for open in ["{", "[", "(", "\"${"] {
        assert_eq!(heads(&format!("a = {}", open.repeat(100_000))), ["fault"]);
    }
}

#[test]
fn only_a_few_labels_are_kept() {
    let text = format!("a {}{{}}", "b ".repeat(100_000));
    let Some(Ok(Item::Block { labels, head_end, .. })) = Items::new(&text, 0..text.len()).next()
    else {
        panic!("a block");
    };
    assert_eq!((labels.len(), head_end), (LABELS_MAX, 200_001));
}

#[test]
fn the_line_of_an_item_contains_its_comments() {
    for (text, expected) in [
        ("a {} # x\nb {}", 9),
        ("a {} /* \n */ // x\r\nb {}", 19),
        ("a {} b {}\nc {}", 10),
        ("a {} /* x\nb {}", 10),
        ("a {}", 4),
    ] {
        let items = Items::new(text, 0..text.len());
        assert_eq!(items.line_end(4), expected, "{text}");
    }
}

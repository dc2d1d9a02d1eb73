//! Elements of lists and sets that go and come: what reports show of each.

use super::{plan_of, report_of};

/// The lines of the attributes of an update, in the term report.
fn shown(args: &[&str], before: &str, after: &str, more: &str) -> Vec<String> {
    let change = format!(r#""actions":["update"],"before":{before},"after":{after}{more}"#);
    let text = report_of(args, &plan_of(&[("t", &change)]));
    let lines = text.lines().filter(|line| line.starts_with("        "));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn members_without_a_value_are_left_out_of_elements() {
    let before = r#"{"l":[{"a":1,"n":null,"o":{"p":null}},{"a":2,"n":null,"o":null}]}"#;
    let after = r#"{"l":[{"a":2,"n":null,"o":null},{"a":3,"n":null,"o":null},
        {"a":4,"n":null,"o":[null,{"q":null}]}]}"#;
    assert_eq!(
        shown(&[], before, after, ""),
        [
            r#"- l[0] = {"a":1,"o":{"p":null}}"#,
            r#"+ l[1] = {"a":3,"o":null}"#,
            r#"+ l[2] = {"a":4,"o":[null,{"q":null}]}"#,
        ]
    );
    // An object with nothing but `null` would look empty.
    let empty = shown(&[], r#"{"l":[{"x":1},{"n":null}]}"#, r#"{"l":[{"x":1},{"n":null},{}]}"#, "");
    assert_eq!(empty, ["+ l[2] = {}"]);
    let null = shown(&[], r#"{"l":[{"x":1}]}"#, r#"{"l":[{"x":1},{"n":null}]}"#, "");
    assert_eq!(null, [r#"+ l[1] = {"n":null}"#]);
    // `--full` shows all of them.
    let full = shown(&["--full"], before, after, "");
    assert!(full.contains(&r#"- l[0] = {"a":1,"n":null,"o":{"p":null}}"#.to_owned()), "{full:?}");
}

#[test]
fn nulls_that_distinguish_elements_are_shown() {
    let before = r#"{"l":[{"a":1,"n":null,"u":null},{"a":2}]}"#;
    let after = r#"{"l":[{"a":2},{"a":1,"n":"x","u":null}]}"#;
    let expected = [r#"- l[0] = {"a":1,"n":null}"#, r#"+ l[1] = {"a":1,"n":"x"}"#];
    assert_eq!(shown(&[], before, after, ""), expected);
    // Without any null, both would look alike.
    let after = r#"{"l":[{"a":2},{"a":1,"n":null}]}"#;
    let expected = [r#"- l[0] = {"a":1,"n":null,"u":null}"#, r#"+ l[1] = {"a":1,"n":null}"#];
    assert_eq!(shown(&[], before, after, ""), expected);
}

#[test]
fn unknown_members_are_shown_in_their_elements() {
    let before = r#"{"s":[{"a":1,"id":"i-1"},{"a":2,"id":"i-2"}]}"#;
    let after = r#"{"s":[{"a":2,"id":"i-2"},{"a":3,"b":{}},{"a":4,"z":null}]}"#;
    let unknown = r#","after_unknown":{"s":[{},{"id":true,"b":{"c":true}},{"id":true,"z":true}]}"#;
    assert_eq!(
        shown(&[], before, after, unknown),
        [
            r#"- s[0]     = {"a":1,"id":"i-1"}"#,
            r#"+ s[1]     = {"a":3,"b":{},"id":(known after apply)}"#,
            r#"+ s[2]     = {"a":4,"id":(known after apply),"z":(known after apply)}"#,
            r#"+ s[1].b.c = (known after apply)"#,
        ]
    );
    let marked = r#","after_unknown":{"s":[{},{"id":true},{"z":true}]},
        "after_sensitive":{"s":[{},{"id":true}]}"#;
    let text = shown(&[], before, after, marked).join("\n");
    assert!(text.contains("(sensitive value)") && !text.contains("i-3"), "{text}");
}

#[test]
fn an_element_of_unknown_members_alone_is_an_object() {
    let before = r#"{"s":[{"a":1},{"a":2}]}"#;
    let after = r#"{"s":[{"a":2},{},{"a":4}]}"#;
    let unknown = r#","after_unknown":{"s":[{},{"b":true,"a":true},{}]}"#;
    assert_eq!(
        shown(&[], before, after, unknown),
        [
            r#"- s[0] = {"a":1}"#,
            r#"+ s[1] = {"a":(known after apply),"b":(known after apply)}"#,
            r#"+ s[2] = {"a":4}"#,
        ]
    );
}

#[test]
fn multi_line_texts_have_no_extra_line() {
    let created = r#""actions":["create"],"before":null,"after":{"t":"a\n\tb\n"}"#;
    let text = report_of(&[], &plan_of(&[("t", created)]));
    assert!(text.contains("= <<-EOT\n            a\n            \\tb\n          EOT\n"), "{text}");
    let changed =
        r#""actions":["update"],"before":{"t":"a\n\tb\nc\n"},"after":{"t":"a\n\tB\nc\n"}"#;
    let text = report_of(&[], &plan_of(&[("t", changed)]));
    let lines = ["  a", "- \\tb", "+ \\tB", "  c"].map(|line| format!("            {line}\n"));
    assert!(text.contains(&format!("<<-EOT\n{}          EOT\n", lines.concat())), "{text}");
    let text = report_of(&["-o", "markdown"], &plan_of(&[("t", changed)]));
    assert!(text.contains("      a\n-     \\tb\n+     \\tB\n      c\n```"), "{text}");
    // Whether only one of two texts ends with a line feed is still said.
    let changed = r#""actions":["update"],"before":{"t":"a\nb\n"},"after":{"t":"a\nb"}"#;
    let text = report_of(&[], &plan_of(&[("t", changed)]));
    assert!(text.contains("- (a line feed at the end)"), "{text}");
}

#[test]
fn commands_in_errors_can_be_copied() {
    let combined = r#"[{"path":"a","contents":{}}]"#;
    let folder = super::folder(&["update"], &[("a.json", combined)]);
    let run = super::report(folder.path(), &["-o", "markdown", "update.json", "a.json"], &[]);
    assert!(!run.out.contains("\\u{60}"), "{}", run.out);
    let command = "`jq '.[].contents' FILE | plansift ...`";
    let line = run.out.lines().find(|line| line.contains(command)).expect(command);
    assert!(line.starts_with("- `a.json`: ``") && line.ends_with("``"), "{line}");
    assert!(!line.contains("\\u{"), "{line}");
}

//! Tests of the parser of rules.

use super::*;

#[test]
fn rules_are_parsed_into_word_pattern_path_and_count() {
    for (text, word, address, path, allowed) in [
        ("replace", "replace", None, None, 0),
        ("delete:aws_db_*", "delete", Some("aws_db_x"), None, 0),
        ("changes>200", "changes", None, None, 200),
        (" changes > 200 ", "changes", None, None, 200),
        ("sensitive-removed:aws_db_*", "sensitive-removed", Some("aws_db_x"), None, 0),
        ("drift:module.a.*>1", "drift", Some("module.a.b"), None, 1),
        (r#"delete:a.b["x,y"]"#, "delete", Some(r#"a.b["x,y"]"#), None, 0),
        (r#"destroy:a.b["x:y>z"]"#, "destroy", Some(r#"a.b["x:y>z"]"#), None, 0),
        ("unknown-path:*.password", "unknown-path", None, Some("a[0].password"), 0),
        ("changed-path:*_db:engine>2", "changed-path", Some("aws_db"), Some("engine"), 2),
        (
            r#"changed-path:a.b["x:y"]:tags.*"#,
            "changed-path",
            Some(r#"a.b["x:y"]"#),
            Some("tags.k"),
            0,
        ),
        ("changed-path:a_*:=tags>1", "changed-path", Some("a_b"), Some("tags"), 1),
        (r#"changed-path:tags["a:b"]"#, "changed-path", None, Some(r#"tags["a:b"]"#), 0),
        (
            "changed-path:a_*:jsondecode(policy).Statement[0].Action>3",
            "changed-path",
            Some("a_b"),
            Some("jsondecode(policy).Statement[0].Action"),
            3,
        ),
        (
            r#"changed-path:=yamldecode(m["a b"]).c"#,
            "changed-path",
            None,
            Some(r#"yamldecode(m["a b"]).c"#),
            0,
        ),
        ("changed-path:*jsondecode(p)*", "changed-path", None, Some("jsondecode(p).a"), 0),
    ] {
        let rule = Rule::parse(text).unwrap();
        assert!(SUBJECTS.contains(&(word, rule.subject)), "{text}");
        let matches = |name| rule.address.as_ref().map(|address| address.covers(name));
        assert_eq!(address.map(|_| true), matches(address.unwrap_or_default()), "{text}");
        assert_ne!(matches("other"), Some(true), "{text}");
        let covers = |name| rule.path.as_ref().map(|path| path.covers(name));
        assert_eq!(path.map(|_| true), covers(path.unwrap_or_default()), "{text}");
        assert_ne!(covers("other"), Some(true), "{text}");
        assert_eq!((rule.allowed(), rule.text()), (allowed, text.trim()));
    }
}

#[test]
fn a_rule_has_a_severity_and_a_message() {
    for (text, severity, rule, message) in [
        ("delete", Severity::Error, "delete", None),
        ("error delete:a_*", Severity::Error, "delete:a_*", None),
        ("warning  changes > 20", Severity::Warning, "changes > 20", None),
        (r#"delete "Ask \"us\"." "#, Severity::Error, "delete", Some(r#"Ask "us"."#)),
        (
            r#"warning delete:a.b["x y"]>1  "No.""#,
            Severity::Warning,
            r#"delete:a.b["x y"]>1"#,
            Some("No."),
        ),
        (r#"delete:a.b["x \"y"]"#, Severity::Error, r#"delete:a.b["x \"y"]"#, None),
    ] {
        let parsed = Rule::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = (parsed.severity(), parsed.text(), parsed.message());
        assert_eq!(found, (severity, rule, message));
    }
}

#[test]
fn invalid_rules_are_rejected_with_their_fault() {
    use RuleFault::*;
    for (text, fault) in [
        ("", Empty),
        ("warning ", Unknown(None)),
        ("error \"m\"", Empty),
        ("deletes", Unknown(Some("delete"))),
        ("Delete", Unknown(Some("delete"))),
        ("dleete:aws_db", Unknown(Some("delete"))),
        ("warn delete", Severity("warning")),
        ("shrink", Unknown(None)),
        (">3", Unknown(None)),
        (":aws_db", Unknown(None)),
        ("delete :aws_*", Blank("delete")),
        ("delete terraform_data", Blank("delete")),
        ("delete:", NoPattern("delete")),
        ("delete:>3", NoPattern("delete")),
        ("changed-path:aws_db:", NoPattern("changed-path")),
        ("changed-path::engine", NoPattern("changed-path")),
        ("delete>x", Count("delete")),
        ("delete>", Count("delete")),
        ("delete:aws_*>=3", Count("delete")),
        ("delete:aws_* > x", Count("delete")),
        ("delete:a>x", Count("delete")),
        ("delete>-1", Count("delete")),
        ("changes>99999999999999999999", Count("changes")),
        ("delete: aws_*", Stray),
        ("delete:aws_* # none", Stray),
        ("delete:=aws_db", Stray),
        ("delete:aws_*,replace", Comma),
        ("delete,replace", Comma),
        ("changed-path:aws_db:engine,name", Comma),
        ("delete:\"aws_*\"", Quoted),
        ("changed-path:\"aws_db\":engine", Quoted),
        ("changed-path:aws_db:\"engine\"", Quoted),
        ("changed-path:aws_db: engine", Stray),
        ("changed-path:=a=b", Stray),
        ("errored:a", NeedlessPattern("errored")),
        ("changed-path", NoPath("changed-path")),
        ("changed-path:", NoPath("changed-path")),
        ("sensitive-path>3", NoPath("sensitive-path")),
        ("changed-path:=", NoPattern("changed-path")),
        ("changed-path:a..b", Path),
        ("changed-path:@data", NoPathBehindSet("changed-path")),
        ("destroy:@data:engine", PathBehindSet("destroy")),
        ("unknown-path:jsondecode(policy)", Document("unknown-path")),
        ("replace-path:a:jsondecode(policy).Statement[0]>3", Document("replace-path")),
        ("sensitive-path:=yamldecode(m[\"a b\"]).c", Document("sensitive-path")),
        ("changed-path:jsondecode(yamldecode(x).y).z", NestedDocument),
        ("changed-path:policy(x)", Decoder),
        ("changed-path:jsondecode(policy", Decoder),
        ("unknown-path:policy(x)", Decoder),
        ("changed-path:m[\"(repeats a sensitive value)\"].x", MaskedKey),
        (r#"delete "Ask"#, Message),
        (r#"delete "Ask" us"#, Message),
    ] {
        assert_eq!(Rule::parse(text).unwrap_err(), fault, "{text}");
    }
}

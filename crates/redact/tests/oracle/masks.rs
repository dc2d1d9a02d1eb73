//! The details of masks that the oracle leaves open: whether a mask says that the secret changes,
//! and which masks are equal.

use crate::error::{Error, ErrorKind, Result};
use crate::input::Slice;
use crate::plan::Documents;
use crate::redact::mask::{Key, Masking};
use crate::redact::{RedactOptions, redact as rewrite};
use crate::secret::collect;
use crate::{answers, redact};

/// A plan whose first change marks these values as secrets before and after, and these other
/// sections.
fn plan(secrets: [&str; 2], sections: &str) -> String {
    let [before, after] = secrets.map(|secret| format!(r#"{{"p":{secret}}}"#));
    let sides = format!(r#""before":{before},"after":{after}"#);
    let change = format!(r#"{{"actions":["update"],{sides},"after_sensitive":{{"p":true}}}}"#);
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{change}}}],
        {sections}}}"#
    )
}

/// Changes of three kinds. Each kind has two pieces.
fn sections(changes: [&str; 2]) -> String {
    let [one, two] = changes.map(|it| {
        let element = format!(r#"{{"address":"a.c","change":{it}}}"#);
        let deferred = format!(r#"{{"reason":"unknown","resource_change":{element}}}"#);
        [element, deferred]
    });
    format!(
        r#""resource_drift":[{},{}],"deferred_changes":[{},{}],"output_changes":{{"o":{},"p":{}}}"#,
        one[0], two[0], one[1], two[1], changes[0], changes[1],
    )
}

/// Asserts the masks of echoes in two changes of each kind. `<>` stands for the mask, and
/// `<changed>` for the mask of a value that changes.
fn hold(secrets: [&str; 2], args: &[&str], changes: [&str; 2], expected: [&str; 2]) {
    let text = plan(secrets, &sections(changes));
    let expected = plan(["<>", "<changed>"], &sections(expected));
    let expected = expected.replace("\"<>\"", "<>").replace("\"<changed>\"", "<changed>");
    let expected = expected
        .replace("<>", r#""(sensitive value)""#)
        .replace("<changed>", r#""(sensitive value, changed)""#);
    assert_eq!(redact(args, text.as_bytes()), Ok(expected), "{text}");
}

const SECRETS: [&str; 2] = [r#""secret-one""#, r#""secret-two""#];
const NO_MARKS: &str = r#""before_sensitive":false,"after_sensitive":false"#;

/// A change without marks.
fn change(before: &str, after: &str) -> String {
    format!(r#"{{"actions":["update"],"before":{before},"after":{after},{NO_MARKS}}}"#)
}

#[test]
fn the_mask_of_an_echo_says_whether_the_value_changes() {
    let one = change(
        r#"{"l":["secret-one",1,"secret-one"],"m":{"k":"secret-one"},"s":["secret-one"]}"#,
        r#"{"l":["secret-two",2,"secret-one"],"m":{"k":"secret-two"},"s":["secret-two",1],
            "n":"secret-two"}"#,
    );
    let one_masked = change(
        r#"{"l":[<>,1,<>],"m":{"k":<>},"s":[<>]}"#,
        r#"{"l":[<changed>,2,<>],"m":{"k":<changed>},"s":[<>,1],
            "n":<>}"#,
    );
    let two = change(
        r#"{"a":"secret-one","k":["secret-two",{"b":0}]}"#,
        r#"{"a":"secret-one","k":["secret-one",{"b":"secret-one"}]}"#,
    );
    let two_masked =
        change(r#"{"a":<>,"k":[<>,{"b":0}]}"#, r#"{"a":<>,"k":[<changed>,{"b":<changed>}]}"#);
    hold(SECRETS, &[], [&one, &two], [&one_masked, &two_masked]);
    hold(SECRETS, &[], [&two, &one], [&two_masked, &one_masked]);
}

/// A value whose spelling changes does not change.
#[test]
fn the_mask_of_an_echo_with_another_spelling_does_not_say_that_it_changes() {
    let spelled = change(r#"["secret-one"]"#, r#"["\u0073ecret-one"]"#);
    let masked = change("[<>]", "[<>]");
    hold(SECRETS, &[], [&spelled, &spelled], [&masked, &masked]);
    let numbers = change("[12345678,12345678,1]", "[12345678.0,87654321,12345678]");
    let masked = change("[<>,<>,1]", "[<>,<changed>,<changed>]");
    hold(["12345678", "87654321"], &[], [&numbers, &numbers], [&masked, &masked]);
}

#[test]
fn the_mask_of_a_copy_in_a_document_says_whether_it_changes() {
    let json = change(
        r#"["{\"k\":\"secret-one\",\"l\":\"secret-one\"}","plain",1]"#,
        r#"["{\"k\":\"secret-two\",\"l\":\"secret-one\"}","[\"secret-one\"]","[\"secret-one\"]"]"#,
    );
    let [mask, changed] = ["(sensitive value)", "(sensitive value, changed)"];
    let json_masked = change(
        &format!(r#"["{{\"k\":\"{mask}\",\"l\":\"{mask}\"}}","plain",1]"#),
        &format!(r#"["{{\"k\":\"{changed}\",\"l\":\"{mask}\"}}","[\"{mask}\"]","[\"{mask}\"]"]"#),
    );
    let yaml = change(
        r#"["k: secret-one\nl: secret-two\n",1]"#,
        r#"["k: secret-one\nl: secret-one\n",2]"#,
    );
    let yaml_masked = change(
        r#"["k: (sensitive value)\nl: (sensitive value)\n",1]"#,
        r#"["k: (sensitive value)\nl: '(sensitive value, changed)'\n",2]"#,
    );
    hold(SECRETS, &[], [&json, &yaml], [&json_masked, &yaml_masked]);
    hold(SECRETS, &[], [&yaml, &json], [&yaml_masked, &json_masked]);
}

/// Such documents need no escapes. With a small minimum, they may be very short.
#[test]
fn the_mask_of_a_copy_in_a_document_of_numbers_says_whether_it_changes() {
    let masked =
        change(r#"["[\"(sensitive value)\", 1]"]"#, r#"["[\"(sensitive value, changed)\", 1]"]"#);
    let numbers = change(r#"["[12345678, 1]"]"#, r#"["[87654321, 1]"]"#);
    hold(["12345678", "87654321"], &[], [&numbers, &numbers], [&masked, &masked]);
    let masked =
        change(r#"["[\"(sensitive value)\"]"]"#, r#"["[\"(sensitive value, changed)\"]"]"#);
    let short = change(r#"["[7]"]"#, r#"["[8]"]"#);
    hold(["7", "8"], &["--echo-min", "1"], [&short, &short], [&masked, &masked]);
}

/// The digests in the redaction of a plan with these values, and marked values. The values are not
/// marked.
fn digests(secrets: [&str; 2], values: &str) -> Vec<String> {
    let RedactOptions { secret, .. } = answers::options();
    let masking = Masking::Digest(Key::of(b"a key of many bytes").expect("a key"));
    let options = RedactOptions { secret, masking };
    let text = plan(secrets, &format!(r#""output_changes":{{"o":{}}}"#, change("null", values)));
    let collected = collect(|| Ok(Slice(text.as_bytes())), &options.secret).expect("a plan");
    let mut out = Vec::new();
    let mut documents = Documents::only(Slice(text.as_bytes()), &options.secret.read);
    rewrite(&mut documents, Some(&collected), &options, &mut out).expect("a plan");
    let out = String::from_utf8(out).expect("UTF-8");
    let parts = out.split("(sensitive value ").skip(1);
    parts.map(|part| part.split(')').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn an_echo_has_the_digest_of_its_secret_in_any_spelling() {
    let secrets = [r#""se\"cret\\one""#, r#""secret-two""#];
    let found = digests(secrets, r#"["se\u0022cret\\one","secret\u002dtwo","[\"secret-two\"]"]"#);
    let [one, two, ..] = &found[..] else { panic!("{found:?}") };
    assert_ne!(one, two);
    assert_eq!(found[2..], [one, two, two].map(String::clone));
    let found = digests(["12345678", "87654321.50"], r#"[12345678.0,8765432150e-2,"12345678"]"#);
    let [one, two, ..] = &found[..] else { panic!("{found:?}") };
    assert_ne!(one, two);
    assert_eq!(found[2..], [one, two, one].map(String::clone));
}

/// Redacts a text with the result of a first pass over another text, or without a first pass.
fn redacted_after(first: Option<&str>, text: &str) -> Result<String> {
    let options = answers::options();
    let collected =
        first.map(|first| collect(|| Ok(Slice(first.as_bytes())), &options.secret)).transpose()?;
    let mut documents = Documents::only(Slice(text.as_bytes()), &options.secret.read);
    let mut out = Vec::new();
    rewrite(&mut documents, collected.as_ref(), &options, &mut out)?;
    Ok(String::from_utf8(out).expect("UTF-8"))
}

fn kind(redacted: Result<String>) -> std::result::Result<String, ErrorKind> {
    redacted.map_err(|error: Error| error.kind())
}

/// A plan of one change.
fn alone(members: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{{
        "actions":["update"],{members}}}}}]}}"#
    )
}

/// Without a first pass, everything suspicious is masked. After a first pass, the text was valid.
#[test]
fn a_duplicate_key_in_a_marked_value_is_an_error_after_a_first_pass() {
    let twice = alone(
        r#""before":{"m":{"k":1,"k":2}},"after":{"m":{"k":1,"k":3}},"after_sensitive":{"m":true}"#,
    );
    let other = alone(r#""before":{"m":1},"after":{"m":2},"after_sensitive":{"m":true}"#);
    assert_eq!(kind(redacted_after(Some(&other), &twice)), Err(ErrorKind::DuplicateKey));
    let masked = twice
        .replace(r#"{"k":1,"k":2}"#, r#""(sensitive value)""#)
        .replace(r#"{"k":1,"k":3}"#, r#""(sensitive value, changed)""#);
    assert_eq!(kind(redacted_after(None, &twice)), Ok(masked));
}

#[test]
fn a_duplicate_key_in_an_overlay_is_an_error_after_a_first_pass() {
    let twice = alone(
        r#""before":{"m":{"k":1,"l":2}},"after":{"m":{"k":1,"l":2}},"before_sensitive":{"m":true},
        "after_sensitive":{"m":{"k":true,"k":true}}"#,
    );
    let other = alone(r#""before":{"m":1},"after":{"m":2},"after_sensitive":{"m":true}"#);
    assert_eq!(kind(redacted_after(Some(&other), &twice)), Err(ErrorKind::DuplicateKey));
    let masked = twice
        .replace(r#"{"k":1,"l":2}"#, r#""(sensitive value)""#)
        .replace(r#"{"k":true,"k":true}"#, "true");
    assert_eq!(kind(redacted_after(None, &twice)), Ok(masked));
}

/// If all values of a map are secret, so are its keys.
#[test]
fn constants_with_secret_values_only_are_masked_as_a_whole() {
    let configured = |constant: &str| {
        let resource = format!(
            r#"{{"address":"a.c","type":"a","name":"c","expressions":{{
            "o":{{"constant_value":{constant}}}}}}}"#
        );
        let configuration = format!(r#"{{"root_module":{{"resources":[{resource}]}}}}"#);
        plan(SECRETS, &format!(r#""configuration":{configuration}"#))
    };
    let cases = [
        (r#"{"my key":"secret-one"}"#, "<>"),
        (r#"{"my key_wo":"short"}"#, "<>"),
        (r#"{"my key":"secret-one","k":1}"#, r#"{"my key":<>,"k":1}"#),
        (r#"{"my key":[]}"#, r#"{"my key":[]}"#),
        (r#"{"key":"secret-one"}"#, r#"{"key":<>}"#),
    ];
    for (constant, expected) in cases {
        let mask = r#""(sensitive value)""#;
        let redacted = redact(&[], configured(constant).as_bytes()).expect("a plan");
        let expected = configured(&expected.replace("<>", mask))
            .replace(SECRETS[0], mask)
            .replace(SECRETS[1], r#""(sensitive value, changed)""#);
        assert_eq!(redacted, expected, "{constant}");
    }
}

/// A member of a check that comes twice is an error. Other sections may have keys twice.
#[test]
fn duplicate_keys_in_checks_are_an_error() {
    let check = r#"{"address":{"kind":"check"},"status":"pass","status":"fail"}"#;
    let text = |section: &str, element: &str| {
        format!(r#"{{"format_version":"1.2","resource_changes":[],"{section}":[{element}]}}"#)
    };
    for (section, is_known) in [("checks", true), ("newer", false)] {
        let twice = text(section, check);
        let found = kind(redacted_after(Some(&text(section, "{}")), &twice));
        let expected = if is_known { Err(ErrorKind::DuplicateKey) } else { Ok(twice) };
        assert_eq!(found, expected, "{section}");
    }
}

/// Only keys in pieces are masked, so each chunk needs its own pieces.
#[test]
fn secret_keys_in_a_long_plan_are_masked() {
    let note = "nothing to see here ".repeat(20);
    let element = |place| {
        format!(r#"{{"address":"a.c[{place}]","m":{{"secret-one":"{note}","secret-two":1}}}}"#)
    };
    let list: Vec<_> = (0..2500).map(element).collect();
    let text = plan(SECRETS, &format!(r#""checks":[{}]"#, list.join(",")));
    let redacted = redact(&[], text.as_bytes()).expect("a plan");
    assert_eq!(redacted.matches("\"(sensitive value 1)\"").count(), 2500);
    assert_eq!(redacted.matches("\"(sensitive value 2)\"").count(), 2500);
    assert!(!redacted.contains("secret-"));
}

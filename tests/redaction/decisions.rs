//! The redaction of small documents, case by case. The oracle and the command must agree with the
//! expected text.

use super::model::{self, Echo, Options};
use super::redact;

/// Asserts that each document redacts to its expected text. `<>` stands for the mask, and
/// `<changed>` for the mask of a value that changes. Line breaks are removed from both.
pub fn hold(cases: &[(&str, &str)], options: Options, around: impl Fn(&str) -> String) {
    let args = super::arguments(options);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    for (text, expected) in cases {
        let expected = expected
            .replace("<>", r#""(sensitive value)""#)
            .replace("<changed>", r#""(sensitive value, changed)""#);
        let (text, expected) = (joined(&around(text)), joined(&around(&expected)));
        assert_eq!(model::redaction(&text, options).apply(&text), expected, "the oracle: {text}");
        assert_eq!(redact(&args, text.as_bytes()), Ok(expected), "{text}");
    }
}

/// Removes line breaks and indentation from a text.
pub fn joined(text: &str) -> String {
    text.lines().map(str::trim_start).collect()
}

/// A plan of one change.
fn change(members: &str) -> String {
    let change = format!(r#"{{"actions":["update"],{members}}}"#);
    let element = format!(r#"{{"address":"a.b","change":{change}}}"#);
    format!(r#"{{"format_version":"1.2","resource_changes":[{element}]}}"#)
}

fn plan(sections: &str) -> String {
    format!(r#"{{"format_version":"1.2","planned_values":{{}},{sections}}}"#)
}

#[test]
fn marks_hold_on_both_sides() {
    let cases = [
        (
            r#""before":{"p":"x","q":1},"after":{"p":"y","q":1},"after_sensitive":{"p":true}"#,
            r#""before":{"p":<>,"q":1},"after":{"p":<changed>,"q":1},"after_sensitive":{"p":true}"#,
        ),
        (
            r#""before":{"p":1.0},"after":{ "p" : 1 },"before_sensitive":{"p":true}"#,
            r#""before":{"p":<>},"after":{ "p" : <> },"before_sensitive":{"p":true}"#,
        ),
        // A container has one mask. `null` stays.
        (
            r#""before":{"m":{"k":1},"n":null},"after":{"m":{"k":2},"n":[]},
                "before_sensitive":{"m":true,"n":true}"#,
            r#""before":{"m":<>,"n":null},"after":{"m":<changed>,"n":<>},
                "before_sensitive":{"m":true,"n":true}"#,
        ),
        (
            r#""before":null,"after":{"p":"x"},"after_sensitive":true"#,
            r#""before":null,"after":<>,"after_sensitive":true"#,
        ),
        // A mark of an element covers that index on both sides, even if their lengths differ.
        (
            r#""before":["x","y"],"after":["y"],"before_sensitive":[false,true],
                "after_sensitive":[true]"#,
            r#""before":[<>,<>],"after":[<changed>],"before_sensitive":[false,true],
                "after_sensitive":[true]"#,
        ),
        // A mask stays.
        (
            r#""before":{"p":"(sensitive value)"},"after":{"p":"(sensitive value, changed)"},
                "after_sensitive":{"p":true}"#,
            r#""before":{"p":<>},"after":{"p":<changed>},"after_sensitive":{"p":true}"#,
        ),
    ];
    hold(&cases, Options::default(), change);
}

#[test]
fn overlays_do_not_show_keys_of_secret_maps() {
    let cases = [
        (
            r#""before":null,"after":{},"after_unknown":{"m":{"key":true},"n":{"key":true}},
                "after_sensitive":{"m":true}"#,
            r#""before":null,"after":{},"after_unknown":{"m":true,"n":{"key":true}},
                "after_sensitive":{"m":true}"#,
        ),
        (
            r#""before":null,"after":{},"after_unknown":{"m":[{"key":false}],"l":[false,true],
                "e":[{}]},"after_sensitive":{"m":true,"l":true,"e":true}"#,
            r#""before":null,"after":{},"after_unknown":{"m":false,"l":[false,true],"e":[{}]},
                "after_sensitive":{"m":true,"l":true,"e":true}"#,
        ),
    ];
    hold(&cases, Options::default(), change);
}

#[test]
fn a_redacted_plan_shows_which_marks_a_change_adds_and_removes() {
    let cases = [
        (
            r#""before":{"m":{"k":"x","l":"y"}},"after":{"m":{"k":"x","l":"y"}},
                "before_sensitive":{"m":true},"after_sensitive":{"m":{"k":true}}"#,
            r#""before":{"m":<>},"after":{"m":<>},
                "before_sensitive":{"m":true},"after_sensitive":{"m":false}"#,
        ),
        (
            r#""before":{"m":["x","y"]},"after":{"m":["x","y"]},
                "before_sensitive":{"m":[true,false]},"after_sensitive":{"m":true}"#,
            r#""before":{"m":<>},"after":{"m":<>},
                "before_sensitive":{"m":false},"after_sensitive":{"m":true}"#,
        ),
        // Marks on everything in a value are a mark on the value.
        (
            r#""before":{"m":{"k":"x"}},"after":{"m":{"k":"x"}},
                "before_sensitive":{"m":true},"after_sensitive":{"m":{"k":true}}"#,
            r#""before":{"m":<>},"after":{"m":<>},
                "before_sensitive":{"m":true},"after_sensitive":{"m":true}"#,
        ),
    ];
    hold(&cases, Options::default(), change);
    for (text, _) in cases {
        let text = change(text);
        let redacted = redact(&[], text.as_bytes()).expect("a plan");
        assert_eq!(super::other_records(&text, &redacted), None, "{redacted}");
    }
}

#[test]
fn values_with_misfitting_overlays_are_masked_whole() {
    let cases = [
        // A string in place of a mark, an object over a list, a list over a string.
        (
            r#""before":null,"after":{"p":"x","q":["y"],"r":"z"},"after_sensitive":{"p":"yes",
                "q":{"k":true},"r":[true]}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"r":<>},"after_sensitive":{"p":"yes",
                "q":{"k":true},"r":[true]}"#,
        ),
        // An overlay list with another length than its value.
        (
            r#""before":null,"after":{"l":["x","y"]},"after_sensitive":{"l":[true]}"#,
            r#""before":null,"after":{"l":<>},"after_sensitive":{"l":[true]}"#,
        ),
        // An overlay without a mark need not fit.
        (
            r#""before":null,"after":{"l":["x"],"p":"y"},"after_sensitive":{"l":[false,
                {"k":null}],"p":{"q":[]}}"#,
            r#""before":null,"after":{"l":["x"],"p":"y"},"after_sensitive":{"l":[false,
                {"k":null}],"p":{"q":[]}}"#,
        ),
        // If an overlay does not fit one side, both sides are masked.
        (
            r#""before":{"m":{"k":"x","l":"y"}},"after":{"m":"z"},
                "before_sensitive":{"m":{"k":true}},"after_sensitive":{}"#,
            r#""before":{"m":<>},"after":{"m":<changed>},"before_sensitive":{"m":{"k":true}},
                "after_sensitive":{}"#,
        ),
    ];
    hold(&cases, Options::default(), change);
}

#[test]
fn echoes_equal_a_secret_of_the_minimum_length() {
    let cases = [
        (
            r#""before":null,"after":{"p":"12345678","q":12345678,"r":"1234\u00356\u00378",
                "s":"123456789","t":12345678.0},"after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"r":<>,"s":"123456789","t":<>},
                "after_sensitive":{"p":true}"#,
        ),
        (
            r#""before":null,"after":{"p":"1234567","q":"1234567"},"after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"q":"1234567"},"after_sensitive":{"p":true}"#,
        ),
        // The echo changes from one secret to another.
        (
            r#""before":{"p":"secret-one","q":"secret-one"},"after":{"p":"secret-two",
                "q":"secret-two"},"after_sensitive":{"p":true}"#,
            r#""before":{"p":<>,"q":<>},"after":{"p":<changed>,"q":<changed>},
                "after_sensitive":{"p":true}"#,
        ),
        // A key that could be the name of an attribute stays.
        (
            r#""before":null,"after":{"p":"secret-one","q":"password",
                "secret-one":{"password":1}},"after_sensitive":{"p":true,"q":true,
                "secret-one":{"password":false}}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"(sensitive value 1)":{"password":1}},
                "after_sensitive":{"p":true,"q":true,"(sensitive value 1)":{"password":false}}"#,
        ),
    ];
    let numbered =
        |text: &str| joined(&change(text)).replace("(sensitive value 2)", "(sensitive value 1)");
    hold(&cases[..3], Options::default(), change);
    let text = joined(&change(cases[3].0));
    let redaction = model::redaction(&text, Options::default());
    let redacted = redact(&[], text.as_bytes()).expect("a plan");
    let found = super::agree::difference(&text, &redaction, &redacted, super::agree::Masks::Text);
    assert_eq!(found, None);
    let expected = numbered(&cases[3].1.replace("<>", r#""(sensitive value)""#));
    assert_eq!(redacted.replace("(sensitive value 2)", "(sensitive value 1)"), expected);
}

#[test]
fn texts_that_contain_a_secret_are_masked_when_asked() {
    let cases = [(
        r#""before":null,"after":{"p":"secret-one","q":"a secret-one b",
            "r":"{\"k\":\"secret-one\"}","s":"secret-on"},"after_sensitive":{"p":true}"#,
        r#""before":null,"after":{"p":<>,"q":<>,"r":"{\"k\":\"(sensitive value)\"}",
            "s":"secret-on"},"after_sensitive":{"p":true}"#,
    )];
    hold(&cases, Options { echo: Echo::Contains, ..Options::default() }, change);
}

/// Such a document needs no escapes in a string.
#[test]
fn a_document_in_a_string_may_begin_with_spaces() {
    let cases = [(
        r#""before":null,"after":{"p":12345678,"q":"[12345678, 1]","r":" [12345678]",
            "s":"   {\"k\":12345678}","t":" 12345678"},"after_sensitive":{"p":true}"#,
        r#""before":null,"after":{"p":<>,"q":"[\"(sensitive value)\", 1]",
            "r":" [\"(sensitive value)\"]","s":"   {\"k\":\"(sensitive value)\"}",
            "t":" 12345678"},"after_sensitive":{"p":true}"#,
    )];
    hold(&cases, Options::default(), change);
}

#[test]
fn constants_and_identities_are_secrets_of_any_length() {
    let cases = [(
        r#""before":null,"after":{"p":"x"},"after_sensitive":{"p":true},"importing":{"id":"x",
            "identity":{"x":["x","y"]}},"after_identity":{"id":"x"}"#,
        r#""before":null,"after":{"p":<>},"after_sensitive":{"p":true},"importing":{"id":<>,
            "identity":{"x":[<>,"y"]}},"after_identity":{"id":<>}"#,
    )];
    hold(&cases, Options::default(), change);
    let cases = [(
        r#""variables":{"v":{"value":7},"w":{"value":7}},
            "configuration":{"root_module":{"resources":[{"expressions":{"a":{"constant_value":"7"},
            "b":{"constant_value":[true,7]}}}],
            "variables":{"v":{"default":{"k":"z"},"sensitive":true},"w":{"default":"z"}}}}"#,
        r#""variables":{"v":{"value":<>},"w":{"value":7}},
            "configuration":{"root_module":{"resources":[{"expressions":{"a":{"constant_value":<>},
            "b":{"constant_value":[true,<>]}}}],
            "variables":{"v":{"default":<>,"sensitive":true},"w":{"default":<>}}}}"#,
    )];
    hold(&cases, Options::default(), plan);
}

/// The order of the sections does not matter.
#[test]
fn one_pass_masks_all_variables_and_constants() {
    let variables = |mask: &str, list: &str| {
        format!(
            r#""variables":{{"v":{{"value":{mask}}},"w":{{"value":{list}}},"n":{{"value":null}}}}"#
        )
    };
    let configuration = |constant: &str, list: &str, default: &str| {
        let resource = format!(
            r#"{{"expressions":{{"p":{{"constant_value":{constant}}},
            "n":{{"constant_value":{list}}}}}}}"#
        );
        format!(
            r#""configuration":{{"root_module":{{"resources":[{resource}],
            "variables":{{"v":{{"default":{default},"sensitive":true}},
            "w":{{"default":{list}}}}}}}}}"#
        )
    };
    let change = |mask: &str| {
        format!(
            r#""resource_changes":[{{"address":"a.b","change":{{"actions":["create"],
            "before":null,"after":{{"p":{mask}}},"after_sensitive":{{"p":true}}}}}}]"#
        )
    };
    let sections =
        |sections: [&str; 3]| format!(r#"{{"format_version":"1.2",{}}}"#, sections.join(","));
    let [v, c, r] = [
        variables(r#""x""#, r#"{"k":"y"}"#),
        configuration(r#""a-secret""#, "[7,true]", r#""d""#),
        change(r#""a-secret""#),
    ];
    let [v_masked, c_masked, r_masked] =
        [variables("<>", "<>"), configuration("<>", "[<>,true]", "<>"), change("<>")];
    let cases = [
        (sections([&v, &c, &r]), sections([&v_masked, &c_masked, &r_masked])),
        (sections([&c, &v, &r]), sections([&c_masked, &v_masked, &r_masked])),
        (sections([&r, &v, &c]), sections([&r_masked, &v_masked, &c_masked])),
    ];
    let cases = cases.each_ref().map(|(text, expected)| (text.as_str(), expected.as_str()));
    let options = Options { echo: Echo::Off, ..Options::default() };
    hold(&cases, options, str::to_owned);
}

/// Terraform before 0.15 marks outputs, but not their changes.
#[test]
fn changes_to_sensitive_outputs_without_overlays_are_secret() {
    let document = |output: &str, change: &str| {
        format!(
            r#"{{"format_version":"0.1","planned_values":{{"outputs":{{
            "o":{{"sensitive":true{output}}},"n":{{"sensitive":false,"value":"n"}}}}}},
            "output_changes":{{"o":{{"actions":["create"],"before":null,"after":{change},
            "after_unknown":{{"id":true}}}},"n":{{"actions":["create"],"before":null,"after":"n"}},
            "m":{{"actions":["update"],"before":"m","after":"k","before_sensitive":null,
            "after_sensitive":false}}}}}}"#
        )
    };
    let object = r#"{"password":"s"}"#;
    let cases = [
        [document("", object), document("", "<>").replace(r#"{"id":true}"#, "true")],
        [
            document(r#","value":"s""#, r#""s""#),
            document(r#","value":<>"#, "<>").replace(r#"{"id":true}"#, "true"),
        ],
    ];
    let cases = cases.each_ref().map(|[text, expected]| (text.as_str(), expected.as_str()));
    hold(&cases, Options::default(), str::to_owned);
    // With `--echo off`, all changes to outputs without overlays are masked.
    let off = Options { echo: Echo::Off, ..Options::default() };
    let [text, expected] = [object, "<>"].map(|after| document("", after));
    let expected = expected.replace(r#"{"id":true}"#, "true");
    let expected = expected.replace(r#""after":"n""#, r#""after":<>"#);
    hold(&[(&text, &expected)], off, str::to_owned);
}

#[test]
fn values_of_sensitive_output_changes_have_echoes() {
    let document = |other: &str, change: &str| {
        format!(
            r#"{{"format_version":"0.1","planned_values":{{"outputs":{{"o":{{"sensitive":true}},
            "n":{{"sensitive":false,"value":{other}}}}}}},"output_changes":{{"o":{{
            "actions":["create"],"before":null,"after":{change}}}}}}}"#
        )
    };
    let text = document(r#""a long secret""#, r#"["a long secret"]"#);
    hold(&[(&text, &document("<>", "<>"))], Options::default(), str::to_owned);
}

#[test]
fn values_outputs_and_actions_are_masked_by_their_own_marks() {
    let values = |mask: &str| {
        let resource = format!(
            r#"{{"address":"a.b","values":{{"p":{mask}}},"sensitive_values":{{"p":true}},
                "identity":{{"id":{mask}}}}}"#,
        );
        let child = format!(r#"{{"child_modules":[{{"resources":[{resource}]}}]}}"#);
        format!(
            r#"{{"outputs":{{"o":{{"sensitive":true,"value":[{mask}]}},"s":{{"sensitive":false,
                "value":[1]}}}},"root_module":{{"resources":[{resource}],
                "child_modules":[{child}]}}}}"#,
        )
    };
    let (text, expected) = (values(r#""x""#), values("<>").replace("[<>]", "<>"));
    let prior = |values: &str| format!(r#""prior_state":{{"values":{values}}}"#);
    hold(&[(&prior(&text), &prior(&expected))], Options::default(), plan);
    let planned = |values: &str| format!(r#"{{"format_version":"1.2","planned_values":{values}}}"#);
    hold(&[(&text, &expected)], Options::default(), planned);
    let state = |values: &str| format!(r#"{{"format_version":"1.0","values":{values}}}"#);
    hold(&[(&text, &expected)], Options::default(), state);
    let action = |value: &str, unknown: &str| {
        let action = format!(
            r#"{{"address":"action.a.b","config_values":{{"m":{value}}},
                "config_sensitive":{{"m":true}},"config_unknown":{{"m":{unknown}}}}}"#,
        );
        format!(
            r#""action_invocations":[{action}],"deferred_action_invocations":[{{"reason":"r",
                "action_invocation":{action}}}]"#,
        )
    };
    let case = (action(r#"{"k":"x"}"#, r#"{"l":true}"#), action("<>", "true"));
    hold(&[(&case.0, &case.1)], Options::default(), plan);
}

#[test]
fn fields_of_the_plan_format_are_not_masked_as_echoes() {
    let words = r#"{"actions":["no-op","a-secret"],"before":null,"after":{"p":<M>},
        "after_sensitive":{"p":true}}"#;
    let text = |mask: &str, echo: &str| {
        format!(
            r#"{{"format_version":"1.2","timestamp":"a-secret",
                "resource_changes":[{{"address":"a.b","mode":"a-secret","type":"a-secret",
                "name":"a-secret","index":{echo},"provider_name":"a-secret","change":{},
                "action_reason":"a-secret"}}],"x":{echo}}}"#,
            words.replace("<M>", mask),
        )
    };
    let case = (text(r#""a-secret""#, r#""a-secret""#), text("<>", "<>"));
    hold(&[(&case.0, &case.1)], Options::default(), str::to_owned);
    // Values of other types under the same keys are no words of the format.
    let text = |mask: &str, echo: &str| {
        let change = change(r#""before":null,"after":{"p":<M>},"after_sensitive":{"p":true}"#);
        let rest = format!(
            r#""timestamp":{{"a":{echo}}},"terraform_version":[{echo}],"errored":{echo},
                "complete":{{"x":{echo}}}}}"#
        );
        format!("{},{rest}", change.strip_suffix('}').expect("an object").replace("<M>", mask))
    };
    let case = (text(r#""a-secret""#, r#""a-secret""#), text("<>", "<>"));
    hold(&[(&case.0, &case.1)], Options::default(), str::to_owned);
}

#[test]
fn masked_keys_stay_distinct() {
    let text = change(
        r#""before":{"t":{"a-secret":0,"(sensitive value 1)":"b"}},
            "after":{"p":"a-secret","t":{"a-secret":1,"(sensitive value 1)":"b",
                "(sensitive value 7)":"c"}},"after_sensitive":{"p":true}"#,
    );
    let expected = change(
        r#""before":{"t":{"(sensitive value 8)":0,"(sensitive value 1)":"b"}},
            "after":{"p":"(sensitive value)","t":{"(sensitive value 8)":1,
                "(sensitive value 1)":"b","(sensitive value 7)":"c"}},
            "after_sensitive":{"p":true}"#,
    );
    assert_eq!(redact(&[], joined(&text).as_bytes()), Ok(joined(&expected)));
    assert_eq!(redact(&[], joined(&expected).as_bytes()), Ok(joined(&expected)));
}

#[test]
fn attribute_names_are_recognised_in_any_spelling() {
    let cases = [(
        r#""before":{"m":{"hunter22":1}},"after":{"m":{"\u0068unter22":1},"p":"hunter22"},
            "after_sensitive":{"p":true}"#,
        r#""before":{"m":{"hunter22":1}},"after":{"m":{"\u0068unter22":1},"p":<>},
            "after_sensitive":{"p":true}"#,
    )];
    hold(&cases, Options::default(), change);
}

/// JSON readers differ in which of two values of the same key they use.
#[test]
fn duplicate_keys_are_refused_or_masked() {
    let output = r#""outputs":{"o":{"sensitive":true,"value":"a-secret","value":"b-secret"}}"#;
    let resource = r#""root_module":{"resources":[{"address":"a.b","values":{"p":"a-secret"},
        "sensitive_values":{"p":true},"values":{"p":"b-secret"}}]}"#;
    let duplicate_keys = r#""variables":{"v":{"value":"a-secret","value":"b-secret"}},
        "configuration":{"root_module":{"variables":{"v":{"sensitive":true}}}}"#;
    let variable = r#""variables":{"v":{"value":"a-secret"},"v":{"value":"b-secret"}},
        "configuration":{"root_module":{"variables":{"v":{"sensitive":true}}}}"#;
    let module = r#""root_module":{"resources":[],"resources":[{"address":"a.b",
        "values":{"p":"b-secret"},"sensitive_values":{"p":true}}]}"#;
    let change =
        r#""after":{"p":"a-secret"},"after":{"p":"b-secret"},"after_sensitive":{"p":true}"#;
    for text in [
        plan(&format!(r#""prior_state":{{"values":{{{output}}}}}"#)),
        plan(&format!(r#""prior_state":{{"values":{{{resource}}}}}"#)),
        plan(&format!(r#""prior_state":{{"values":{{{module}}}}}"#)),
        plan(duplicate_keys),
        plan(variable),
        self::change(change),
    ] {
        for echo in ["equal", "off"] {
            let redacted = redact(&["--echo", echo], text.as_bytes()).unwrap_or_default();
            assert!(!redacted.contains("b-secret"), "{echo}: {redacted}");
        }
    }
}

#[test]
fn a_digest_depends_on_its_secret_and_the_key() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = change(
        r#""before":{"p":"one","q":"one","r":"two"},"after":{"p":"\u006fne","q":"two","r":"two"},
            "after_sensitive":{"p":true,"q":true,"r":true}"#,
    );
    let digests = |key: &str| {
        let file = folder.path().join(key);
        std::fs::write(&file, key.repeat(32)).expect("a key");
        let args = ["--mask", "hash", "--key-file", file.to_str().expect("UTF-8")];
        let redacted = redact(&args, text.as_bytes()).expect("a plan");
        let redaction = model::redaction(&text, Options::default());
        let masks = super::agree::Masks::Hash;
        assert_eq!(super::agree::difference(&text, &redaction, &redacted, masks), None);
        assert_eq!(redact(&args, redacted.as_bytes()).as_ref(), Ok(&redacted));
        assert_eq!(super::other_records(&text, &redacted), None);
        let parts = redacted.split("(sensitive value ").skip(1);
        parts.map(|part| part[..32].to_owned()).collect::<Vec<_>>()
    };
    let [one, other] = ["a", "b"].map(digests);
    assert_eq!([&one[1], &one[3]], [&one[0], &one[0]]);
    assert_eq!([&one[4], &one[5]], [&one[2], &one[2]]);
    assert_ne!(one[0], one[2]);
    assert!(one.iter().all(|digest| !other.contains(digest)));
}

#[test]
fn also_names_masks_a_partly_marked_value_as_a_whole() {
    let text = change(
        r#""before":null,"after":{"pw":{"a":"x","b":"y"}},"after_sensitive":{"pw":{"a":true}}"#,
    );
    let redacted = redact(&["--also-names", "^pw$"], text.as_bytes()).expect("a plan");
    // The overlay names a key of the masked value, so it becomes `true`.
    let expected = text.replace(r#"{"a":"x","b":"y"}"#, "\"(sensitive value)\"");
    assert_eq!(redacted, expected.replace(r#"{"a":true}"#, "true"));
}

#[test]
fn mask_null_writes_null() {
    let text = change(r#""before":null,"after":{"p":["x"],"q":1},"after_sensitive":{"p":true}"#);
    let expected = change(r#""before":null,"after":{"p":null,"q":1},"after_sensitive":{"p":true}"#);
    assert_eq!(redact(&["--mask", "null"], text.as_bytes()), Ok(expected));
}

#[test]
fn also_names_masks_values_of_matching_keys() {
    let text = change(
        r#""before":null,"after":{"db_password":"x","open":["y",{"Password2":{"k":1}}]},
            "after_sensitive":{}"#,
    );
    let redacted = redact(&["--also-names", "(?i)password"], text.as_bytes()).expect("a plan");
    let expected = text.replace(r#""x""#, "<>").replace(r#"{"k":1}"#, "<>");
    assert_eq!(redacted, expected.replace("<>", "\"(sensitive value)\""));
}

#[test]
fn imports_by_a_secret_number_keep_their_records() {
    let text = change(
        r#""before":null,"after":{"p":4711},"after_sensitive":{"p":true},
            "importing":{"identity":{"pin":4711}}"#,
    );
    let redacted = redact(&[], text.as_bytes()).expect("a plan");
    assert_eq!(super::other_records(&text, &redacted), None);
}

#[test]
fn line_ends_behind_a_value_do_not_matter() {
    let cases = [
        // The secret or the echo may have line ends, of any kind and number.
        (
            r#""before":null,"after":{"p":"SECRET-12","q":"SECRET-12\n","r":"SECRET-12\r\n\n"},
                "after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"r":<>},"after_sensitive":{"p":true}"#,
        ),
        (
            r#""before":null,"after":{"p":"SECRET-12\r\n","q":"SECRET-12","r":"\nSECRET-12"},
                "after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"r":"\nSECRET-12"},
                "after_sensitive":{"p":true}"#,
        ),
        // A text that is too short without its line ends is an echo only with them.
        (
            r#""before":null,"after":{"p":"seven-7\n","q":"seven-7\n","r":"seven-7","s":"seven-7\r"
                },"after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"q":<>,"r":"seven-7","s":"seven-7\r"
                },"after_sensitive":{"p":true}"#,
        ),
        // Keys are compared with their line ends, so that no two keys get the same mask.
        (
            r#""before":null,"after":{"p":"SECRET-12","m":{"SECRET-12\n":1}},
                "after_sensitive":{"p":true}"#,
            r#""before":null,"after":{"p":<>,"m":{"SECRET-12\n":1}},
                "after_sensitive":{"p":true}"#,
        ),
    ];
    hold(&cases, Options::default(), change);
    let contains = Options { echo: Echo::Contains, ..Options::default() };
    let cases = [(
        r#""before":null,"after":{"p":"SECRET-12\n","q":"a SECRET-12 b"},
            "after_sensitive":{"p":true}"#,
        r#""before":null,"after":{"p":<>,"q":<>},"after_sensitive":{"p":true}"#,
    )];
    hold(&cases, contains, change);
    let constant = r#"{"expressions":{"p":{"constant_value":"SECRET-12\n"}}}"#;
    let text = plan(&format!(
        r#""variables":{{"v":{{"value":"SECRET-12"}}}},"configuration":{{"root_module":{{
            "variables":{{"v":{{"sensitive":true}}}},"resources":[{constant}]}}}}"#
    ));
    let redacted = redact(&["--echo-min", "9"], text.as_bytes()).expect("a plan");
    assert!(!redacted.contains("SECRET"), "{redacted}");
}

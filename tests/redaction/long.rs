//! Documents that are long enough for lookahead.

/// Minimum length of the documents in bytes.
pub const SIZE: usize = 3 << 20;

/// Removes line breaks and indentation.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim_start).collect()
}

/// A resource of planned values. By its number, it has a marked secret, an echo of one, no overlay,
/// or none of these.
pub fn resource(place: usize) -> String {
    let secret = format!("a secret text {}", place % 50);
    let (password, other, marks) = match place % 7 {
        0 => (secret.as_str(), "", r#","sensitive_values":{"password":true}"#),
        1 if (place / 800).is_multiple_of(2) => ("", secret.as_str(), r#","sensitive_values":{}"#),
        2 if place % 91 == 2 => ("", "", ""),
        _ => ("", "", r#","sensitive_values":{}"#),
    };
    let note = "nothing to see here ".repeat(20);
    one_line(&format!(
        r#"{{"address":"a.r[{place}]","mode":"managed","type":"a","name":"r","index":{place},
        "provider_name":"p","schema_version":0,
        "values":{{"note":"{note}","other":"{other}","password":"{password}",
        "tags":[{{}},{{"address":"x"}}]}}{marks}}}"#
    ))
}

/// Planned values with `modules` modules of a few resources. Modules nest up to `depth` levels, and
/// have their keys in two orders.
pub fn planned_values(modules: usize, depth: usize) -> String {
    let mut place = 0;
    let mut resources = |count| {
        let list: Vec<_> = (place..place + count).map(resource).collect();
        place += count;
        list.join(",")
    };
    let mut tree = String::from(r#"{"outputs":{"o":{"sensitive":true,"value":"an output"}},"#);
    tree += &format!(r#""root_module":{{"resources":[{}],"child_modules":["#, resources(3));
    for module in 0..modules {
        tree.push_str(if module > 0 { "," } else { "" });
        let inner = module % depth;
        for level in 0..inner {
            let own = resources(level % 3);
            tree += &format!(r#"{{"resources":[{own}],"address":"m","child_modules":["#);
        }
        tree += &format!(r#"{{"address":"module.m","resources":[{}]}}"#, resources(4));
        tree.push_str(&"]}".repeat(inner));
    }
    tree + "]}}"
}

/// A plan with the same values as planned values and as prior state.
pub fn plan(planned_values: &str) -> String {
    let change = r#"{"actions":["create"],"before":null,"after":{"p":"a secret text 3"},
        "after_unknown":{},"before_sensitive":false,"after_sensitive":{"p":true}}"#;
    let before = format!(
        r#"{{"format_version":"1.2","planned_values":{planned_values},
        "resource_changes":[{{"address":"a.b","change":{change}}}],
        "prior_state":{{"format_version":"1.0","values":{planned_values}}},"#
    );
    let constant = r#"{"constant_value":"a secret text 21"}"#;
    let resource = format!(r#"{{"address":"a.b","expressions":{{"p":{constant}}}}}"#);
    format!(r#"{before}"configuration":{{"root_module":{{"resources":[{resource}]}}}}}}"#)
}

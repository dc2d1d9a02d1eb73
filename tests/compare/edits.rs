//! Edits of a plan whose meaning is clear by construction.

use serde_json::{Value, json};

/// An edit: the element that it changes, its name, the level of the difference (empty without an
/// effect), its directions forward and back, and the element before and after it.
pub type Edit =
    (Subject, &'static str, &'static str, [&'static str; 2], fn(&mut Value, &mut Value));

/// What an edit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A resource that is updated.
    Updated,
    /// A resource that is created.
    Created,
    Output,
    Check,
    Invocation,
    /// The whole plan.
    Plan,
}

/// The difference that a comparison at the level `all` must find: the object, its address, the
/// level, the direction.
pub type Expected = (&'static str, String, &'static str, &'static str);

/// A plan before and after an edit.
#[derive(Clone, Debug)]
pub struct Edited {
    pub old: Value,
    pub new: Value,
    /// `None` if the edit has no effect.
    pub expected: Option<Expected>,
}

/// The address of the resource that edits change.
const ADDRESS: &str = r#"module.edit.e.e["one"]"#;

/// The sections that can have the resource, and their kinds.
const SECTIONS: [(&str, &str); 3] = [
    ("resource_changes", "resource_change"),
    ("resource_drift", "resource_drift"),
    ("deferred_changes", "deferred_change"),
];

/// All edits.
pub const EDITS: &[Edit] = &[
    (Subject::Updated, "stronger", "actions", ["more", "less"], |_, new| {
        new["change"]["actions"] = json!(["delete", "create"]);
    }),
    (Subject::Updated, "deleted", "actions", ["more", "more"], |_, new| ended(new, "delete")),
    (Subject::Updated, "forgotten", "actions", ["more", "more"], |_, new| ended(new, "forget")),
    (Subject::Updated, "replaced and forgotten", "actions", ["more", "more"], |old, new| {
        old["change"]["actions"] = json!(["delete", "create"]);
        new["change"]["actions"] = json!(["create", "forget"]);
    }),
    (Subject::Updated, "unknown action", "actions", ["more", "more"], |_, new| {
        new["change"]["actions"] = json!(["purge"]);
    }),
    (Subject::Updated, "stays", "actions", ["less", "more"], |_, new| stay(new)),
    (Subject::Updated, "only moves", "actions", ["more", "more"], |_, new| {
        stay(new);
        new["previous_address"] = json!("e.old");
    }),
    (Subject::Updated, "no longer moves", "actions", ["less", "more"], |old, new| {
        [&mut *old, new].into_iter().for_each(stay);
        old["previous_address"] = json!("e.old");
    }),
    (Subject::Updated, "moved", "actions", ["more", "less"], |_, new| {
        new["previous_address"] = json!("e.old");
    }),
    (Subject::Updated, "moved from elsewhere", "actions", ["more", "more"], |old, new| {
        old["previous_address"] = json!("e.old");
        new["previous_address"] = json!("e.older");
    }),
    (Subject::Updated, "moved to elsewhere", "actions", ["more", "more"], |old, new| {
        old["address"] = json!("e.other");
        old["previous_address"] = json!("e.old");
        new["previous_address"] = json!("e.old");
    }),
    (Subject::Updated, "renamed", "actions", ["more", "less"], |old, new| {
        old["address"] = json!("e.old");
        new["previous_address"] = json!("e.old");
    }),
    (Subject::Updated, "imported", "actions", ["more", "less"], |_, new| {
        new["change"]["importing"] = json!({"id": "i-1"});
    }),
    (Subject::Updated, "imported by nothing", "actions", ["more", "less"], |_, new| {
        new["change"]["importing"] = json!({});
    }),
    (Subject::Updated, "imported instead", "values", ["more", "more"], |old, new| {
        old["change"]["importing"] = json!({"id": "i-1"});
        new["change"]["importing"] = json!({"id": "i-2"});
    }),
    (Subject::Updated, "another secret is imported", "values", ["more", "more"], |old, new| {
        for (element, secret) in [(old, "secret-one"), (new, "secret-two")] {
            element["change"]["importing"] = json!({"id": secret});
            element["change"]["before"]["same"] = json!(secret);
            element["change"]["after"]["same"] = json!(secret);
            element["change"]["before_sensitive"]["same"] = json!(true);
            element["change"]["after_sensitive"]["same"] = json!(true);
        }
    }),
    (Subject::Updated, "known import", "values", ["resolved", "more"], |old, new| {
        old["change"]["importing"] = json!({"unknown": true});
        new["change"]["importing"] = json!({"id": "i-1"});
    }),
    (Subject::Updated, "spelling of an identity", "", ["", ""], |old, new| {
        old["change"]["importing"] = json!({"identity": {"a": 1, "b": "x"}});
        new["change"]["importing"] = json!({"identity": {"b": "x", "a": number("1.0")}});
    }),
    (Subject::Updated, "reason", "paths", ["more", "less"], |_, new| {
        new["action_reason"] = json!("replace_because_tainted");
    }),
    (Subject::Updated, "other reason", "paths", ["more", "more"], |old, new| {
        old["action_reason"] = json!("replace_because_tainted");
        new["action_reason"] = json!("replace_by_request");
    }),
    (Subject::Updated, "cause", "paths", ["more", "less"], |_, new| {
        new["change"]["replace_paths"] = json!([["size"]]);
    }),
    (Subject::Updated, "path", "paths", ["more", "less"], |_, new| {
        new["change"]["after"]["same"] = json!("other");
    }),
    (Subject::Updated, "removed path", "paths", ["more", "less"], |_, new| remove(new, "same")),
    (Subject::Updated, "element", "paths", ["more", "less"], |_, new| {
        new["change"]["after"]["rules"] = json!([{"port": 80}, {"port": 22}]);
    }),
    (Subject::Updated, "no element", "paths", ["more", "less"], |_, new| {
        new["change"]["after"]["rules"] = json!([]);
    }),
    (Subject::Updated, "unknown path", "paths", ["more", "resolved"], |_, new| {
        remove(new, "same");
        new["change"]["after_unknown"]["same"] = json!(true);
    }),
    (Subject::Updated, "known map", "paths", ["resolved", "more"], |_, new| {
        known(new, json!({"a": 1, "b": {"c": []}}));
    }),
    (Subject::Updated, "known and unchanged", "paths", ["resolved", "more"], |_, new| {
        known(new, json!("c"));
    }),
    (Subject::Updated, "known", "values", ["resolved", "more"], |_, new| known(new, json!("d"))),
    (Subject::Updated, "removed and known", "values", ["resolved", "more"], |_, new| {
        new["change"]["after_unknown"] = json!({});
    }),
    (Subject::Updated, "value", "values", ["more", "more"], |_, new| {
        new["change"]["after"]["size"] = json!(3);
    }),
    (Subject::Updated, "exact value", "values", ["more", "more"], |old, new| {
        old["change"]["after"]["size"] = json!(9007199254740992_u64);
        new["change"]["after"]["size"] = json!(9007199254740993_u64);
    }),
    (Subject::Updated, "type of a value", "values", ["more", "more"], |_, new| {
        new["change"]["after"]["size"] = json!("2");
    }),
    (Subject::Updated, "no value", "values", ["more", "more"], |_, new| remove(new, "size")),
    (Subject::Updated, "value in a document", "values", ["more", "more"], |_, new| {
        new["change"]["after"]["policy"] = json!(r#"{"b": [2, 1], "a": 1}"#);
    }),
    (Subject::Updated, "value in a secret", "values", ["more", "more"], |old, new| {
        for (element, value) in [(old, 1), (new, 2)] {
            element["change"]["after"]["secret"] = json!({"a": {"b": [value]}});
            element["change"]["after_sensitive"]["secret"] = json!(true);
        }
    }),
    (Subject::Updated, "value beside an unknown secret", "values", ["more", "more"], |old, new| {
        for (element, value) in [(old, 1), (new, 2)] {
            element["change"]["after"]["secret"] = json!({"a": value});
            element["change"]["after_unknown"]["secret"] = json!({"b": true});
            element["change"]["after_sensitive"]["secret"] = json!(true);
        }
    }),
    (Subject::Updated, "sensitive", "all", ["more", "more"], |_, new| {
        new["change"]["after_sensitive"]["size"] = json!(true);
    }),
    (Subject::Updated, "sensitive and unchanged", "all", ["more", "more"], |_, new| {
        new["change"]["after_sensitive"]["rules"] = json!(true);
    }),
    (Subject::Updated, "sensitive before", "all", ["more", "more"], |_, new| {
        new["change"]["before_sensitive"]["same"] = json!(true);
    }),
    (Subject::Created, "updated instead", "actions", ["more", "less"], |_, new| {
        new["change"]["actions"] = json!(["update"]);
        new["change"]["before"] = json!({"size": 1});
    }),
    (Subject::Created, "path", "paths", ["more", "more"], |_, new| {
        new["change"]["after"]["public"] = json!(true);
    }),
    (Subject::Created, "empty list", "paths", ["more", "more"], |_, new| {
        new["change"]["after"]["public"] = json!([]);
    }),
    (Subject::Created, "unknown path", "paths", ["more", "resolved"], |_, new| {
        new["change"]["after_unknown"]["public"] = json!(true);
    }),
    (Subject::Created, "known map", "paths", ["resolved", "more"], |_, new| {
        known(new, json!({"a": 1, "b": {"c": []}}));
    }),
    (Subject::Created, "known member", "values", ["resolved", "more"], |old, new| {
        for element in [&mut *old, new] {
            element["change"]["after"]["members"] = json!({});
            element["change"]["after_unknown"]["members"] = json!({"a": true});
        }
        new["change"]["after"]["members"] = json!({"a": 1});
        new["change"]["after_unknown"]["members"] = json!({});
    }),
    (Subject::Created, "known and null", "paths", ["resolved", "more"], |_, new| {
        known(new, Value::Null);
    }),
    (Subject::Created, "known", "values", ["resolved", "more"], |_, new| known(new, json!("c"))),
    (Subject::Created, "value", "values", ["more", "more"], |_, new| {
        new["change"]["after"]["size"] = json!(3);
    }),
    (Subject::Created, "sensitive", "all", ["more", "more"], |_, new| {
        new["change"]["after_sensitive"]["size"] = json!(true);
    }),
    (Subject::Created, "sensitive without a value", "all", ["more", "more"], |_, new| {
        new["change"]["after_sensitive"]["absent"] = json!(true);
    }),
    (Subject::Created, "null", "", ["", ""], |_, new| new["change"]["after"]["none"] = Value::Null),
    (Subject::Updated, "number", "", ["", ""], |_, new| {
        new["change"]["after"]["size"] = number("20.0e-1");
    }),
    (Subject::Updated, "document", "", ["", ""], |_, new| {
        new["change"]["after"]["policy"] = json!("{ \"b\": [1, 2.0],\n \"a\" : 1}\n");
    }),
    (Subject::Updated, "unchanged value", "", ["", ""], |_, new| {
        new["change"]["before"]["same"] = json!("other");
        new["change"]["after"]["same"] = json!("other");
    }),
    (Subject::Updated, "earlier value", "", ["", ""], |_, new| {
        new["change"]["before"]["size"] = json!(0);
    }),
    (Subject::Updated, "words that count as absent", "", ["", ""], |_, new| {
        new["action_reason"] = json!("");
        new["previous_address"] = json!(ADDRESS);
        new["change"]["importing"] = Value::Null;
        new["change"]["after_sensitive"]["size"] = json!(false);
    }),
    (Subject::Updated, "order of a replacement", "", ["", ""], |old, new| {
        old["change"]["actions"] = json!(["delete", "create"]);
        new["change"]["actions"] = json!(["create", "delete"]);
    }),
    (Subject::Output, "deleted", "actions", ["more", "more"], |_, new| {
        new["actions"] = json!(["delete"]);
        new["after"] = Value::Null;
    }),
    (Subject::Output, "stays", "actions", ["less", "more"], |_, new| {
        new["actions"] = json!(["no-op"]);
        new["after"] = new["before"].clone();
    }),
    (Subject::Output, "value", "values", ["more", "more"], |_, new| new["after"] = json!("d")),
    (Subject::Output, "sensitive", "all", ["more", "more"], |_, new| {
        new["after_sensitive"] = json!(true);
    }),
    (Subject::Check, "passes", "actions", ["resolved", "more"], |_, new| {
        new["status"] = json!("pass");
    }),
    (Subject::Check, "fails", "actions", ["more", "less"], |_, new| new["status"] = json!("fail")),
    (Subject::Check, "is an error", "actions", ["more", "less"], |old, new| {
        old["status"] = json!("fail");
        new["status"] = json!("error");
    }),
    (Subject::Check, "message", "values", ["more", "more"], |old, new| {
        for (element, message) in [(old, "one"), (new, "two")] {
            element["status"] = json!("fail");
            element["instances"] = json!([{"problems": [{"message": message}]}]);
        }
    }),
    (Subject::Invocation, "path", "paths", ["more", "more"], |_, new| {
        new["config_values"]["public"] = json!(true);
    }),
    (Subject::Invocation, "value", "values", ["more", "more"], |_, new| {
        new["config_values"]["size"] = json!(2);
    }),
    (Subject::Invocation, "known", "values", ["resolved", "more"], |old, _| {
        old["config_values"] = json!({});
        old["config_unknown"] = json!({"size": true});
    }),
    (Subject::Invocation, "name", "", ["", ""], |_, new| new["name"] = json!("other")),
    (Subject::Plan, "errored", "actions", ["more", "less"], |old, new| {
        old["errored"] = json!(false);
        new["errored"] = json!(true);
    }),
    (Subject::Plan, "complete", "actions", ["more", "less"], |old, new| {
        old["complete"] = json!(true);
        new["complete"] = json!(false);
    }),
    (Subject::Plan, "facts of a run", "", ["", ""], |_, new| {
        new["timestamp"] = json!("2026-02-03T04:05:06Z");
        new["terraform_version"] = json!("1.99.0");
        new["applyable"] = json!(new["applyable"] != json!(true));
        new["relevant_attributes"] = json!([{"resource": "e.e", "attribute": ["id"]}]);
    }),
    (Subject::Plan, "objects that stay", "", ["", ""], |_, new| {
        let mut element = updated();
        stay(&mut element);
        put(new, "resource_changes", element);
        new["output_changes"]["stays"] = json!({"actions": ["no-op"], "before": 1, "after": 1});
        let address = json!({"to_display": "check.passes"});
        put(new, "checks", json!({"address": address, "status": "pass"}));
    }),
];

/// Makes an update a change that only removes its object.
fn ended(element: &mut Value, action: &str) {
    element["change"]["actions"] = json!([action]);
    element["change"]["after"] = Value::Null;
    element["change"]["after_unknown"] = json!({});
    element["change"]["after_sensitive"] = json!(false);
}

/// Makes an update a `no-op`.
fn stay(element: &mut Value) {
    element["change"]["actions"] = json!(["no-op"]);
    element["change"]["after"] = element["change"]["before"].clone();
    element["change"]["after_unknown"] = json!({});
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).expect("a number")
}

fn remove(element: &mut Value, key: &str) {
    element["change"]["after"].as_object_mut().expect("an object").remove(key);
}

fn known(element: &mut Value, value: Value) {
    element["change"]["after"]["computed"] = value;
    element["change"]["after_unknown"] = json!({});
}

fn put(plan: &mut Value, section: &str, element: Value) {
    match &mut plan[section] {
        Value::Array(elements) => elements.push(element),
        absent => *absent = json!([element]),
    }
}

fn updated() -> Value {
    json!({
        "address": ADDRESS, "mode": "managed", "type": "e", "name": "e",
        "change": {
            "actions": ["update"],
            "before": {
                "same": "s", "size": 1, "rules": [{"port": 80}], "policy": "", "computed": "c",
            },
            "after": {
                "same": "s", "size": 2, "rules": [{"port": 80}], "policy": r#"{"a":1,"b":[1,2]}"#,
            },
            "after_unknown": {"computed": true}, "before_sensitive": {}, "after_sensitive": {},
        },
    })
}

impl Subject {
    /// What the edit changes, and how its difference names it.
    fn element(self, plan: &Value) -> Value {
        match self {
            Subject::Updated => updated(),
            Subject::Created => {
                let mut element = updated();
                element["change"]["actions"] = json!(["create"]);
                element["change"]["before"] = Value::Null;
                element["change"]["before_sensitive"] = json!(false);
                element
            }
            Subject::Output => json!({
                "actions": ["update"], "before": "b", "after": "c", "after_unknown": false,
                "before_sensitive": false, "after_sensitive": false,
            }),
            Subject::Check => json!({
                "address": {"kind": "check", "to_display": "check.edit"}, "status": "unknown",
            }),
            Subject::Invocation => json!({
                "address": "action.e.e", "type": "e", "name": "e",
                "config_values": {"size": 1}, "config_unknown": {}, "config_sensitive": {},
            }),
            Subject::Plan => plan.clone(),
        }
    }

    /// The plan with the element.
    fn plan(self, plan: &Value, section: &str, element: Value) -> Value {
        let mut plan = plan.clone();
        match self {
            Subject::Updated | Subject::Created if section == "deferred_changes" => {
                put(&mut plan, section, json!({"reason": "unknown", "resource_change": element}));
            }
            Subject::Updated | Subject::Created => put(&mut plan, section, element),
            Subject::Output => plan["output_changes"]["edit"] = element,
            Subject::Check => put(&mut plan, "checks", element),
            Subject::Invocation => put(&mut plan, "action_invocations", element),
            Subject::Plan => plan = element,
        }
        plan
    }
}

/// The edit with this number of a plan, forward or back.
pub fn edited(plan: &Value, number: usize, section: usize, is_back: bool) -> Edited {
    let (subject, name, level, directions, edit) = EDITS[number % EDITS.len()];
    let (section, kind) = SECTIONS[section % SECTIONS.len()];
    let mut old = subject.element(plan);
    let mut new = old.clone();
    edit(&mut old, &mut new);
    if is_back {
        std::mem::swap(&mut old, &mut new);
    }
    let (kind, address) = match subject {
        Subject::Updated | Subject::Created => (kind, new["address"].as_str().unwrap_or_default()),
        Subject::Output => ("output_change", "edit"),
        Subject::Check => ("check", "check.edit"),
        Subject::Invocation => ("action_invocation", "action.e.e"),
        Subject::Plan => ("plan", name),
    };
    let direction = directions[usize::from(is_back)];
    let expected = (!level.is_empty()).then(|| (kind, address.to_owned(), level, direction));
    let [old, new] = [old, new].map(|element| subject.plan(plan, section, element));
    Edited { old, new, expected }
}

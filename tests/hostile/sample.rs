//! A small plan with every section of the format, for tests to truncate, damage and compress.

/// The plan, without space around it.
pub const PLAN: &str = r#"{"format_version":"1.2","terraform_version":"1.14.0",
"variables":{"region":{"value":"eu\u002dcentral-1"},"sizes":{"value":[1,2.50,-3e2,null,true]}},
"planned_values":{"root_module":{"resources":[{"address":"a.one","values":{"x":"[{\"}]"}}]}},
"resource_drift":[
{"address":"a.drifted","mode":"managed","type":"a","name":"drifted","change":{"actions":["update"],
 "before":{"n":1,"same":1.0},"after":{"n":2,"same":1},"after_unknown":{},
 "before_sensitive":{},"after_sensitive":{}}}],
"resource_changes":[
{"address":"a.one[0]","mode":"managed","type":"a","name":"one","index":0,
 "provider_name":"registry.terraform.io/x/a","change":{"actions":["create"],"before":null,
 "after":{"name":"é😀\\\"","tags":{"k":"v"}},"after_unknown":{"id":true,"list":[{"arn":true}]},
 "before_sensitive":false,"after_sensitive":{"tags":{}}}},
{"address":"a.two[\"ключ\"]","mode":"managed","type":"a","name":"two","index":"ключ",
 "module_address":"module.m","change":{"actions":["update"],
 "before":{"list":[1,{"a":"b"}],"tags":{"a.b":"1","gone":true},"password":"p1","s":"\u00e9"},
 "after":{"list":[1,{"a":"c"}],"tags":{"a.b":"2","new":[]},"password":"p2","s":"é"},
 "after_unknown":{"tags":{"late":true}},"before_sensitive":{"password":true},
 "after_sensitive":{"password":true,"tags":{"a.b":true}}}},
{"address":"a.three","mode":"managed","type":"a","name":"three","change":{
 "actions":["delete","create"],"before":{"k":[1,2]},"after":{"k":[1,2,3]},"after_unknown":{},
 "before_sensitive":{},"after_sensitive":{},"replace_paths":[["k",0],["set",{"x":1},"y"]]},
 "action_reason":"replace_because_cannot_update"},
{"address":"a.four","deposed":"0123abcd","mode":"managed","type":"a","name":"four","change":{
 "actions":["delete"],"before":{"k":"v"},"after":null,"before_sensitive":true,
 "after_sensitive":false}},
{"address":"a.five","previous_address":"a.cinq","mode":"managed","type":"a","name":"five",
 "change":{"actions":["no-op"],"before":{"k":1e2},"after":{"k":100}}},
{"address":"a.six","mode":"managed","type":"a","name":"six","change":{"actions":["no-op"],
 "before":{"id":"i-1","token":"hush"},"after":{"id":"i-1","token":"hush"},
 "after_sensitive":{"token":true},"importing":{"id":"hush","identity":{"n":7}},
 "generated_config":"resource {}"}},
{"address":"a.same","mode":"managed","type":"a","name":"same","change":{"actions":["no-op"],
 "before":{"id":"1"},"after":{"id":"1"}}},
{"address":"data.a.read","mode":"data","type":"a","name":"read","change":{"actions":["read"],
 "before":null,"after":{"q":"1"},"after_unknown":true}}],
"deferred_changes":[{"reason":"provider_config_unknown","resource_change":{"address":"a.late",
 "mode":"managed","type":"a","name":"late","change":{"actions":["create"],"before":null,
 "after":{"x":1},"after_unknown":{"id":true}}}}],
"deferred_action_invocations":[{"reason":"x","action_invocation":{"address":"action.z.z"}}],
"output_changes":{"url":{"actions":["update"],"before":"a","after":"b","after_unknown":false,
 "before_sensitive":false,"after_sensitive":true},"same":{"actions":["no-op"],"before":[],
 "after":[]}},
"action_invocations":[{"address":"action.a.go","type":"a","name":"go",
 "lifecycle_action_trigger":{"triggering_resource_address":"a.three"}}],
"prior_state":{"format_version":"1.0","values":{"root_module":{"resources":[{"values":{}}]}}},
"configuration":{"provider_config":{"a":{"name":"a"}},"root_module":{}},
"relevant_attributes":[{"resource":"a.one","attribute":["id"]}],
"checks":[{"address":{"kind":"check","name":"c","to_display":"check.c"},"status":"fail",
 "instances":[{"address":{"to_display":"check.c"},"status":"fail",
 "problems":[{"message":"Not\nwell."},{"message":"At all."}]}]}],
"timestamp":"2026-01-02T03:04:05Z","applyable":true,"complete":false,"errored":false}"#;

/// A plan of `count` elements; `change` makes the text of each from its number.
pub fn of_changes(count: usize, change: impl Fn(usize) -> String) -> String {
    let changes: Vec<String> = (0..count).map(change).collect();
    format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","))
}

/// An element that creates a resource.
pub fn create(number: usize) -> String {
    format!(
        r#"{{"address":"a.n[{number}]","type":"a","change":{{
        "actions":["create"],"before":null,"after":{{}}}}}}"#
    )
}

/// A plan whose only change is an update from one value to another.
pub fn update(before: &str, after: &str) -> String {
    of_changes(1, |_| {
        format!(
            r#"{{"address":"a.b","change":{{
            "actions":["update"],"before":{before},"after":{after}}}}}"#
        )
    })
}

//! A plan with markup, scripts, links and entities in every text.

use std::path::{Path, PathBuf};

use serde_json::json;

/// Texts that try to run as code. A script that runs sets `hostile` or shows a dialog.
pub const STRINGS: [&str; 8] = [
    "</script><img src=x onerror=\"hostile=1;alert(1)\">",
    "<!--<script>hostile=1;alert(1)</script>",
    "javascript:hostile=1",
    "\" autofocus onfocus=\"hostile=1",
    "&lt;img src=x onerror=hostile=1&gt;",
    "</title></style></template><iframe srcdoc='<script>parent.hostile=1</script>'></iframe>",
    "constructor",
    "\u{202e}\u{2028}\u{0}${hostile=1}{{hostile=1}}",
];

/// File names, which cannot contain a slash.
const NAMES: [&str; 2] =
    ["<img src=x onerror=hostile=1>.json", "<svg onload=hostile=1>&quot; onfocus=.json"];

/// Writes a plan and a file that is not a plan, both under hostile names.
pub fn write(folder: &Path) -> [PathBuf; 2] {
    let [plan, wrong] = NAMES.map(|name| folder.join(name));
    std::fs::write(&plan, text()).expect("a file");
    std::fs::write(&wrong, "{}").expect("a file");
    [plan, wrong]
}

fn text() -> String {
    let values = |of: &str| json!({of: of, "list": [of, {of: of}], "same": of.len()});
    let change = |(place, of): (usize, &&str)| {
        let actions = match place {
            0 => json!(["delete", "create"]),
            1 => json!(["update"]),
            2 => json!(["create"]),
            _ => json!([of]),
        };
        let (mut before, mut after) = (values(of), values(STRINGS[(place + 1) % STRINGS.len()]));
        if place == 2 {
            (before, after) = (json!(null), values(of));
        }
        json!({
            "address": of, "previous_address": format!("{of}."), "module_address": of,
            "mode": "managed", "type": of, "name": of, "index": of, "deposed": of,
            "provider_name": of, "action_reason": of,
            "change": {
                "actions": actions, "before": before, "after": after,
                "after_unknown": {of.to_string(): true}, "replace_paths": [[of]],
                "importing": {"id": of}, "generated_config": of,
            },
        })
    };
    let changes: Vec<_> = STRINGS.iter().enumerate().map(change).collect();
    let deferred = changes.iter().map(|it| json!({"reason": STRINGS[0], "resource_change": it}));
    let outputs = STRINGS.map(|of| {
        let change = json!({"actions": ["update"], "before": of, "after": format!("{of}.")});
        (of.to_owned(), change)
    });
    let checks = STRINGS.map(|of| {
        json!({
            "address": {"kind": of, "to_display": of}, "status": of,
            "instances": [{"address": {"to_display": of}, "status": of,
                           "problems": [{"message": of}]}],
        })
    });
    let invocations = STRINGS.map(|of| {
        json!({
            "address": of, "type": of, "name": of,
            "lifecycle_action_trigger": {"triggering_resource_address": of},
        })
    });
    json!({
        "format_version": "1.2", "terraform_version": STRINGS[0], "timestamp": STRINGS[1],
        "resource_changes": changes, "resource_drift": changes,
        "deferred_changes": deferred.collect::<Vec<_>>(),
        "output_changes": serde_json::Map::from_iter(outputs),
        "checks": checks, "action_invocations": invocations,
    })
    .to_string()
}

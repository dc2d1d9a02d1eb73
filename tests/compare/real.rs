//! Plans of real tools. The differences were listed by hand, from reading the plans.

use super::Key;
use crate::run;

/// The tools, by the first words of the documents in [`PAIRS`].
const TOOLS: [(&str, &str); 3] =
    [("1.11", "terraform1.11"), ("1.17", "terraform-dev1.17"), ("tofu", "tofu1.12")];

/// Two documents in the folder with real plans, the strongest level at which they agree, the number
/// of equal objects, and the differences at the level `all`: one line each, as in
/// [`Answer::lines`](super::Answer::lines).
type Pair = (&'static str, &'static str, Option<&'static str>, u64, &'static [&'static str]);

const PAIRS: &[Pair] = &[
    // Two tools, one configuration.
    ("1.11 imports.plan", "1.17 imports.plan", Some("all"), 4, &[]),
    ("1.11 imports.plan", "tofu imports.plan", Some("all"), 4, &[]),
    ("1.11 secrets-change.plan", "tofu secrets-change.plan", Some("all"), 11, &[]),
    ("1.11 deposed-tainted.plan", "tofu deposed-tainted.plan", Some("all"), 1, &[]),
    ("1.11 actions.plan", "1.17 actions.plan", Some("all"), 35, &[]),
    ("1.11 modules-create.plan", "1.17 modules-create.plan", Some("all"), 14, &[]),
    // The tools choose the keys of deposed objects at random.
    (
        "1.11 acme-deposed-replace.plan",
        "tofu acme-deposed-replace.plan",
        None,
        2,
        &[
            r#"more actions resource_change acme_remote.a["one"] (deposed 08cef295)"#,
            r#"less actions resource_change acme_remote.a["one"] (deposed 38cade45)"#,
            r#"less actions resource_change acme_remote.a["two.x"] (deposed 0ba4aa3f)"#,
            r#"more actions resource_change acme_remote.a["two.x"] (deposed f31a5e96)"#,
        ],
    ),
    // Terraform 1.17 knows that the output becomes null.
    (
        "1.11 values-change.plan",
        "1.17 values-change.plan",
        Some("paths"),
        11,
        &["resolved values resource_change terraform_data.tonull"],
    ),
    (
        "1.17 values-change.plan",
        "tofu values-change.plan",
        Some("paths"),
        11,
        &["more values resource_change terraform_data.tonull"],
    ),
    // OpenTofu marks an attribute that is never stored.
    (
        "1.11 acme-import-read-writeonly.plan",
        "tofu acme-import-read-writeonly.plan",
        Some("values"),
        5,
        &["more all resource_change acme_everything.w"],
    ),
    // OpenTofu does not say that the plan is not complete.
    ("1.11 errored.plan", "tofu errored.plan", None, 3, &["less actions plan complete"]),
    // A file was changed behind the back of the tool. One plan did not look.
    (
        "1.11 drift.plan",
        "1.11 drift-no-refresh.plan",
        None,
        0,
        &[
            "less actions resource_change data.local_file.read_later",
            r#"less actions resource_change local_file.a["one"]"#,
            r#"less actions resource_change local_file.a["two"]"#,
            "less actions resource_change terraform_data.uses",
            "less actions output_change hash",
            r#"less actions resource_drift local_file.a["one"]"#,
            r#"less actions resource_drift local_file.a["two"]"#,
        ],
    ),
    (
        "tofu drift-no-refresh.plan",
        "1.17 drift.plan",
        None,
        0,
        &[
            "more actions resource_change data.local_file.read_later",
            r#"more actions resource_change local_file.a["one"]"#,
            r#"more actions resource_change local_file.a["two"]"#,
            "more actions resource_change terraform_data.uses",
            "more actions output_change hash",
            r#"more actions resource_drift local_file.a["one"]"#,
            r#"more actions resource_drift local_file.a["two"]"#,
        ],
    ),
    // A plan, and the plan after it was applied.
    (
        "1.11 checks-create.plan",
        "1.11 checks-no-op.plan",
        None,
        2,
        &[
            r#"less actions resource_change module.m["x"].terraform_data.in"#,
            r#"less actions resource_change module.m["y.z"].terraform_data.in"#,
            "less actions resource_change terraform_data.a[0]",
            "less actions resource_change terraform_data.a[1]",
            "less actions resource_change terraform_data.later",
            "less actions output_change guarded",
            "resolved actions check check.unknown",
            "resolved actions check terraform_data.a",
        ],
    ),
    // A plan of only a part.
    (
        "1.11 actions.plan",
        "1.11 actions-target.plan",
        None,
        6,
        &[
            "more actions plan complete",
            "less actions resource_change terraform_data.counted[1]",
            "less actions resource_change terraform_data.counted[2]",
            "less actions resource_change terraform_data.created",
            "less actions resource_change terraform_data.forgotten",
            "less actions resource_change terraform_data.gone",
            "less actions resource_change terraform_data.imported",
            r#"less actions resource_change terraform_data.keyed["$${x}"]"#,
            r#"less actions resource_change terraform_data.keyed["%%{if}"]"#,
            r#"less actions resource_change terraform_data.keyed["a"]"#,
            r#"less actions resource_change terraform_data.keyed["b.c"]"#,
            r#"less actions resource_change terraform_data.keyed["back\\slash"]"#,
            r#"less actions resource_change terraform_data.keyed["d\"e"]"#,
            r#"less actions resource_change terraform_data.keyed["emoji 😀"]"#,
            r#"less actions resource_change terraform_data.keyed["f]g"]"#,
            r#"less actions resource_change terraform_data.keyed["h i"]"#,
            r#"less actions resource_change terraform_data.keyed["j\\k"]"#,
            r#"less actions resource_change terraform_data.keyed["new\nline"]"#,
            r#"less actions resource_change terraform_data.keyed["quote\"'`"]"#,
            r#"less actions resource_change terraform_data.keyed["tab\t"]"#,
            r#"less actions resource_change terraform_data.keyed["ü"]"#,
            r#"less actions resource_change terraform_data.keyed["日本語"]"#,
            "less actions resource_change terraform_data.partly_unknown",
            "less actions resource_change terraform_data.replaced",
            "less actions resource_change terraform_data.replaced_cbd",
            "less actions output_change o_changed",
            "less actions output_change o_gone",
            "less actions output_change o_new",
            "less actions output_change o_secret",
            "less actions output_change o_unknown",
        ],
    ),
    // A plan that only refreshes moves objects, too. It lists the moves as drift.
    (
        "1.11 actions-target.plan",
        "1.11 actions-refresh-only.plan",
        None,
        0,
        &[
            "less actions plan complete",
            "less actions resource_change terraform_data.changed",
            "less actions resource_change terraform_data.new_and_changed",
            "less actions resource_change terraform_data.new_name",
            "less actions resource_change terraform_data.single[0]",
            "less actions resource_change terraform_data.single[1]",
            "more actions output_change o_changed",
            "less actions output_change o_from_resource",
            "more actions output_change o_gone",
            "more actions output_change o_new",
            "more actions output_change o_secret",
            "more actions output_change o_unknown",
            "more actions resource_drift terraform_data.new_and_changed",
            "more actions resource_drift terraform_data.new_name",
            "more actions resource_drift terraform_data.single[0]",
        ],
    ),
    // The objects were replaced. Only the deposed objects remain.
    (
        "tofu acme-deposed-replace.plan",
        "tofu acme-deposed-tainted.plan",
        None,
        2,
        &[
            r#"less actions resource_change acme_remote.a["one"]"#,
            r#"less actions resource_change acme_remote.a["two.x"]"#,
        ],
    ),
    // A first plan, and a plan after the configuration changed.
    (
        "1.11 secrets-create.plan",
        "1.11 secrets-change.plan",
        None,
        0,
        &[
            "more actions resource_change local_sensitive_file.f",
            "more actions resource_change random_password.p",
            "more actions resource_change random_pet.pet",
            "more actions resource_change random_shuffle.sh",
            "less actions resource_change random_string.s",
            "more actions resource_change terraform_data.json",
            "more actions resource_change terraform_data.map",
            "more actions resource_change terraform_data.unmarked_copy",
            "more actions resource_change terraform_data.whole",
            "less actions resource_change tls_private_key.k",
            "more actions resource_change tls_self_signed_cert.c",
            "more actions output_change nested",
            "more actions output_change token",
        ],
    ),
    (
        "1.17 acme-everything-create.plan",
        "1.17 acme-everything-update.plan",
        None,
        0,
        &[
            "more actions resource_change acme_everything.chained",
            "more actions resource_change acme_everything.full",
            "less actions resource_change acme_everything.r",
            "more actions output_change nested",
        ],
    ),
    (
        "1.11 empty.plan",
        "1.11 errored.plan",
        None,
        0,
        &[
            "more actions plan complete",
            "more actions plan errored",
            "more actions resource_change terraform_data.first",
            "more actions check terraform_data.bad",
        ],
    ),
    ("1.11 no-changes.plan", "1.11 empty.plan", Some("all"), 0, &[]),
    // Actions that resources trigger, and one that the user invokes.
    (
        "1.17 invocations-create.plan",
        "1.17 invocations-invoke.plan",
        None,
        0,
        &[
            "less actions resource_change terraform_data.a",
            "less actions resource_change terraform_data.b",
            "less actions action_invocation action.local_command.many[0]",
            "less actions action_invocation action.local_command.many[0]",
            "more actions action_invocation action.local_command.say",
            "less actions action_invocation action.local_command.say",
            "less actions action_invocation action.local_command.say",
        ],
    ),
    // States of two tools: the providers chose other ids.
    (
        "1.11 deposed-tainted.state",
        "tofu deposed-tainted.state",
        Some("paths"),
        0,
        &[
            "more values resource terraform_data.d",
            r#"more values resource terraform_data.each["k\"2"]"#,
            r#"more values resource terraform_data.each["k.1"]"#,
            "more values resource terraform_data.t",
        ],
    ),
    (
        "1.11 checks-no-op.state",
        "1.17 checks-no-op.state",
        Some("paths"),
        3,
        &[
            r#"more values resource module.m["x"].terraform_data.in"#,
            r#"more values resource module.m["y.z"].terraform_data.in"#,
            "more values resource terraform_data.a[0]",
            "more values resource terraform_data.a[1]",
            "more values resource terraform_data.later",
        ],
    ),
    (
        "1.11 no-changes.state",
        "1.11 drift.state",
        None,
        0,
        &[
            "more actions resource data.local_file.read_later",
            "more actions resource data.local_file.read_now",
            r#"more actions resource local_file.a["one"]"#,
            r#"more actions resource local_file.a["three"]"#,
            r#"more actions resource local_file.a["two"]"#,
            "less actions resource terraform_data.a",
            "more actions resource terraform_data.uses",
            "more actions resource time_static.t",
            "more actions output hash",
            "less actions output o",
        ],
    ),
];

#[test]
fn real_plans_differ_as_listed_by_hand() {
    let Some(shared) = run::shared() else { return };
    let folder = shared.join("plans/real");
    let key = Key::new();
    let path = |document: &str| {
        let (tool, name) = document.split_once(' ').expect("a tool and a name");
        let (_, tool) = TOOLS.iter().find(|(word, _)| *word == tool).expect("a tool");
        folder.join(tool).join(format!("{name}.json"))
    };
    for (old, new, agrees, same, differences) in PAIRS {
        let answer = key.ask(&path(old), &path(new), &["--level=all"]);
        let mut lines = answer.lines();
        let mut expected: Vec<String> = differences.iter().map(|line| line.to_string()).collect();
        lines.sort();
        expected.sort();
        assert_eq!(lines, expected, "{old} {new}");
        assert_eq!(answer.summary["agrees"].as_str(), *agrees, "{old} {new}");
        assert_eq!(answer.summary["same"], *same, "{old} {new}");
    }
}

//! Typical policies in Rego give the same verdict for a plan and for its slim form.

use plansift::input::Slice;
use regorus::{Engine, Value};

use super::model::Wanted;
use super::{DEFAULT, Plan, Secrets, plans, slim_with};
use crate::run;

/// A policy in Rego, and the parts of a plan that it needs. Its verdict is the rule `result`.
struct Policy {
    name: &'static str,
    wanted: Wanted<'static>,
    rego: &'static str,
}

/// Folders of plans that mark whole resources. Policies see a mask in place of their tags and keys.
const MARKS_RESOURCES: &str = "corpus/plans/sensitive";

const POLICIES: [Policy; 8] = [
    Policy {
        name: "nothing that holds data is destroyed",
        wanted: DEFAULT,
        rego: r#"
            holds_data(type) if contains(type, "db_instance")
            holds_data(type) if contains(type, "bucket")
            holds_data(type) if contains(type, "database")
            holds_data(type) if type in {"terraform_data", "null_resource"}
            result contains rc.address if {
                some rc in input.resource_changes
                holds_data(rc.type)
                "delete" in rc.change.actions
            }"#,
    },
    Policy {
        name: "what is created or updated has the tags that everything must have",
        wanted: Wanted { paths: &["tags"], ..DEFAULT },
        rego: r#"
            required := {"Owner", "Environment", "Name"}
            result contains [rc.address, missing] if {
                some rc in input.resource_changes
                some action in rc.change.actions
                action in {"create", "update"}
                tags := object.get(rc.change.after, "tags", {})
                is_object(tags)
                missing := required - object.keys(tags)
                count(missing) > 0
            }"#,
    },
    Policy {
        name: "only some types are changed",
        wanted: DEFAULT,
        rego: r#"
            allowed := {"null_resource", "random_id", "aws_instance", "local_file"}
            result contains [rc.type, rc.provider_name] if {
                some rc in input.resource_changes
                rc.change.actions != ["no-op"]
                not rc.type in allowed
            }"#,
    },
    Policy {
        name: "the blast radius is small",
        wanted: DEFAULT,
        rego: r#"
            weight := {"create": 1, "update": 2, "delete": 10}
            by_action[action] := count(found) if {
                some action, _ in weight
                found := [rc.address |
                    some rc in input.resource_changes
                    action in rc.change.actions
                ]
            }
            result := {
                "score": sum([points |
                    some action, n in by_action
                    points := weight[action] * n
                ]),
                "by_action": by_action,
            }"#,
    },
    Policy {
        name: "outputs do not change unseen",
        wanted: DEFAULT,
        rego: r#"
            result contains [name, output.change, output.sensitive] if {
                some name, change in input.output_changes
                change.actions != ["no-op"]
                output := {
                    "change": concat(",", change.actions),
                    "sensitive": object.get(change, "after_sensitive", false),
                }
            }"#,
    },
    Policy {
        name: "modules and provisioners of the configuration",
        wanted: Wanted { keep: &["configuration"], ..DEFAULT },
        rego: r#"
            calls contains call if {
                some call in input.configuration.root_module.module_calls
            }
            calls contains call if {
                some around in input.configuration.root_module.module_calls
                some call in around.module.module_calls
            }
            result contains ["module", call.source] if {
                some call in calls
                not call.version_constraint
            }
            result contains ["provider", name, version] if {
                some name, provider in input.configuration.provider_config
                version := object.get(provider, "version_constraint", "any")
            }
            result contains ["provisioner", resource.address] if {
                some resource in input.configuration.root_module.resources
                count(resource.provisioners) > 0
            }"#,
    },
    Policy {
        name: "the plan is whole",
        wanted: DEFAULT,
        rego: r#"
            result contains "errored" if input.errored
            result contains "incomplete" if input.complete == false
            result contains "nothing to apply" if input.applyable == false
            result contains version if version := input.terraform_version"#,
    },
    Policy {
        name: "everything that there is",
        wanted: Wanted { all: true, ..DEFAULT },
        rego: r#"
            result := {
                "all": count(input.resource_changes),
                "types": {type: n |
                    some type in {rc.type | some rc in input.resource_changes}
                    n := count([rc.address |
                        some rc in input.resource_changes
                        rc.type == type
                    ])
                },
                "unknown": {[rc.address, object.keys(rc.change.after_unknown)] |
                    some rc in input.resource_changes
                    is_object(rc.change.after_unknown)
                },
            }"#,
    },
];

/// The verdict of a policy about a plan. `None` if the policy fails because a section of the plan
/// is `null`.
fn verdict(engine: &mut Engine, plan: Value) -> Option<Value> {
    engine.set_input(plan);
    match engine.eval_rule("data.policy.result".to_owned()) {
        Ok(said) => Some(said),
        Err(error) => {
            assert!(error.to_string().contains("Got `null`"), "{error}");
            None
        }
    }
}

/// Whether a policy found nothing.
fn is_empty(verdict: &Option<Value>) -> bool {
    match verdict {
        None | Some(Value::Undefined) => true,
        Some(Value::Set(found)) => found.is_empty(),
        _ => false,
    }
}

#[test]
fn policies_have_the_same_verdict_for_slim_plans() {
    let plans = plans();
    for Policy { name, wanted, rego } in &POLICIES {
        let mut engine = Engine::new();
        // Like `opa eval`: a function that fails gives `undefined`.
        engine.set_strict_builtin_errors(false);
        let text = format!("package policy\nimport rego.v1\n{rego}\n");
        engine.add_policy(format!("{name}.rego"), text).unwrap_or_else(|error| panic!("{error}"));
        let mut found = 0;
        for (number, Plan { name: plan, text, .. }) in plans.iter().enumerate() {
            // Some plans have numbers that are too long for the Rego engine.
            let Ok(whole) = Value::from_json_str(text) else { continue };
            let expected = verdict(&mut engine, whole);
            // One form of two by day.
            for (form, secrets) in [Secrets::Masked, Secrets::Shown].into_iter().enumerate() {
                if !run::is_tried_of(2, number + form) {
                    continue;
                }
                let slim = slim_with(Slice(text.as_bytes()), text.as_bytes(), *wanted, secrets);
                let slim = String::from_utf8(slim).expect("a text");
                let found_in_slim =
                    verdict(&mut engine, Value::from_json_str(&slim).expect("a plan is JSON"));
                if secrets == Secrets::Shown || !plan.contains(MARKS_RESOURCES) {
                    assert_eq!(found_in_slim, expected, "{plan}: {name}, {secrets:?}");
                }
            }
            found += u32::from(!is_empty(&expected));
        }
        assert!(found >= 3, "{name}: {found} plans");
    }
}

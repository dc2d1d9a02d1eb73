//! Small plans after the reports of users: what a gate must let pass, and what it must stop.

use std::path::PathBuf;

use super::Key;
use crate::run;

/// A pair of plans, further arguments, the exit code, and the differences. A difference is its
/// direction, level, object and address.
struct Case {
    plans: &'static str,
    args: &'static [&'static str],
    code: i32,
    differences: &'static [&'static str],
}

const fn case(
    plans: &'static str,
    args: &'static [&'static str],
    code: i32,
    differences: &'static [&'static str],
) -> Case {
    Case { plans, args, code, differences }
}

const MORE: &str = "--fail-on=more";
const ANY: &str = "--fail-on=any";
const VALUES: &str = "--level=values";
const DETAILED: &str = "--detailed-exitcode";

const CASES: &[Case] = &[
    // The hash of an archive changes at every run.
    case("archive-hash", &[DETAILED], 0, &[]),
    case("archive-hash", &[MORE], 0, &[]),
    case(
        "archive-hash",
        &[VALUES, MORE],
        3,
        &["more values resource_change aws_lambda_function.resize"],
    ),
    case("archive-hash", &[VALUES, DETAILED, "--ignore-path=source_code_hash"], 0, &[]),
    // The name of an image contains the hash of a commit.
    case("commit-in-image", &[VALUES, DETAILED, "--ignore-path=*.image"], 0, &[]),
    case("commit-in-image", &[VALUES, ANY, "--ignore-path=*.image"], 0, &[]),
    case(
        "commit-in-image",
        &[VALUES, MORE],
        3,
        &["more values resource_change google_cloud_run_v2_service.api"],
    ),
    // OLD changes only what is ignored, so it has no such update.
    case(
        "commit-in-image-and-more",
        &[VALUES, MORE, "--ignore-path=*.image"],
        3,
        &["more actions resource_change google_cloud_run_v2_service.api"],
    ),
    // A part of the plan was applied.
    case("half-applied", &[VALUES, MORE], 0, HALF_APPLIED),
    case("half-applied", &[VALUES, DETAILED], 2, HALF_APPLIED),
    case("half-applied", &[VALUES, ANY], 3, HALF_APPLIED),
    // An unknown value became known.
    case("unknown-became-known", &[MORE], 0, WEB),
    case("unknown-became-known", &[VALUES, MORE], 0, WEB),
    case("unknown-became-known", &["--level=all", MORE, DETAILED], 2, WEB),
    // Somebody added a rule.
    case("inline-rule", &[MORE], 3, &["more paths resource_change aws_security_group.web"]),
    case("inline-rule", &["--level=actions", MORE], 0, &[]),
    case(
        "inline-rule-of-a-new-group",
        &[MORE],
        3,
        &["more paths resource_change aws_security_group.db"],
    ),
    case(
        "rule-resource",
        &["--level=actions", MORE],
        3,
        &["more actions resource_change aws_security_group_rule.ssh"],
    ),
    case("rule-resource", &["--level=actions", MORE, "--ignore-type=*_rule"], 0, &[]),
    // A new disk is no longer encrypted.
    case("lost-encryption", &[MORE], 3, &["more paths resource_change aws_ebs_volume.data"]),
    // A refactoring moves everything.
    case(
        "refactoring",
        &["--level=all", ANY],
        3,
        &[
            "more actions resource_change module.logs.aws_s3_bucket.this",
            "more actions resource_change module.queue.aws_sqs_queue.jobs",
        ],
    ),
    case("refactoring", &["--level=all", ANY, "--ignore=moves"], 0, &[]),
    // The same plan of another version of the tool, in another layout.
    case("formatting", &["--level=all", DETAILED], 0, &[]),
    case("formatting", &["--level=all", ANY], 0, &[]),
    case(
        "formatting",
        &["--level=all", ANY, "--with=versions"],
        3,
        &["more all plan terraform_version"],
    ),
];

const HALF_APPLIED: &[&str] = &[
    "less actions resource_change aws_s3_bucket.old",
    "less actions resource_change aws_sqs_queue.jobs",
    r#"resolved values resource_change aws_subnet.main["a"]"#,
    "less actions resource_change aws_vpc.main",
    "resolved values output_change vpc_id",
];

const WEB: &[&str] = &["resolved paths resource_change aws_instance.web[0]"];

fn plan(name: &str, side: &str) -> PathBuf {
    run::root().join(format!("tests/compare/cases/{name}.{side}.json"))
}

#[test]
fn reported_cases_answer_as_their_reporters_need() {
    let key = Key::new();
    for Case { plans, args, code, differences } in CASES {
        let [old, new] = ["old", "new"].map(|side| plan(plans, side));
        let filters: Vec<&str> =
            args.iter().copied().filter(|it| it.starts_with("--ignore")).collect();
        let approval = key.approve(&old, &filters);
        for old in [&old, &approval] {
            let answer = key.ask(old, &new, args);
            assert_eq!(answer.code, *code, "{plans} {args:?}: {answer:#?}");
            assert_eq!(answer.lines(), *differences, "{plans} {args:?}");
        }
    }
}

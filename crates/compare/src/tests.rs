//! Without the key, neither an approval nor a digest can be used to test guesses of values.

use std::collections::HashSet;

use crate::approval::{self, ApprovalKey};
use crate::collect::{Collector, Facts};
use crate::digest::digest;
use crate::join::Objects;
use crate::meaning::ValueKey;
use crate::view::PlannedView;
use plansift_core::error::{ErrorKind, Result};
use plansift_core::input::Slice;
use plansift_core::limits::Limit;
use plansift_plan::plan::Documents;
use plansift_plan::record::{CompareLevel, RecordOptions, RecordRequest, write_records};

/// Returns the objects of a plan that sets a sensitive attribute to this word.
fn objects(word: &str, key: &ValueKey) -> (Objects, Facts) {
    let plan = format!(
        r#"{{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[
            {{"address":"a.created","change":{{"actions":["create"],"before":null,
              "after":{{"password":"{word}","size":1}},"after_unknown":{{"id":true}},
              "before_sensitive":false,"after_sensitive":{{"password":true}}}}}},
            {{"address":"a.updated","change":{{"actions":["update"],
              "before":{{"password":"old"}},"after":{{"password":"{word}"}},"after_unknown":{{}},
              "before_sensitive":{{"password":true}},"after_sensitive":{{"password":true}}}}}}]}}"#
    );
    objects_of(&plan, &RecordOptions::default(), key).expect("a plan")
}

fn objects_of(plan: &str, options: &RecordOptions, key: &ValueKey) -> Result<(Objects, Facts)> {
    let view = PlannedView { key, shown: None };
    let (mut objects, mut facts) = (Objects::new(u64::MAX), Facts::default());
    let mut each = |planned| objects.push(planned);
    let mut collector = Collector::new(key, &[], &mut facts, &mut each);
    let mut documents = Documents::only(Slice(plan.as_bytes()), &options.read);
    let request = RecordRequest::new("plan", options).with_view(Some(&view));
    write_records(&mut documents, request, &mut collector)?;
    Ok((objects, facts))
}

fn approval(word: &str, level: CompareLevel, key: &ApprovalKey) -> String {
    let (objects, facts) = objects(word, &key.key());
    let mut out = Vec::new();
    approval::write(objects, &facts, level, key, Vec::new(), &mut out).expect("an approval");
    String::from_utf8(out).expect("UTF-8")
}

/// The digests in an approval: all words of 32 hexadecimal digits.
fn digests(approval: &str) -> impl Iterator<Item = &str> {
    let words = approval.split('"');
    words.filter(|word| word.len() == 32 && word.bytes().all(|it| it.is_ascii_hexdigit()))
}

fn dictionary() -> impl Iterator<Item = String> {
    (0..10_000).map(|number| format!("word{number}"))
}

#[test]
fn a_dictionary_finds_no_secret_without_the_key() {
    let secret = ApprovalKey::of_file(&ValueKey::random().expect("a key")).expect("a salt");
    let victim = approval("word4711", CompareLevel::All, &secret);
    let digests_of_victim: HashSet<&str> = digests(&victim).collect();
    assert!(digests_of_victim.len() == 4, "{victim}");
    // The attacker knows the plan but for the secret, and all keys that are no secret.
    let guesses = [ValueKey::public(), ValueKey::new([0; 32])].map(ApprovalKey::InFile);
    for word in dictionary() {
        for key in &guesses {
            let guess = approval(&word, CompareLevel::All, key);
            assert!(digests(&guess).all(|digest| !digests_of_victim.contains(digest)), "{word}");
        }
    }
    // With the key, the same guess succeeds.
    assert_eq!(approval("word4711", CompareLevel::All, &secret), victim);
    assert_ne!(approval("word4712", CompareLevel::All, &secret), victim);
}

#[test]
fn digests_and_approvals_without_values_do_not_depend_on_secrets() {
    let key = ApprovalKey::Public;
    let of = |word: &str| {
        let (objects, _) = objects(word, &key.key());
        let digest = digest(objects, CompareLevel::Paths, Vec::new()).expect("a digest");
        (digest.to_string(), approval(word, CompareLevel::Paths, &key))
    };
    let first = of("word0");
    for word in dictionary() {
        assert_eq!(of(&word), first, "{word}");
    }
}

/// The number of objects in a plan with one change, with 64 KiB for its paths.
fn count_with_few_paths(before: &str, after: &str) -> Result<usize> {
    let action = if before == "null" { "create" } else { "update" };
    let plan = format!(
        r#"{{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[
            {{"address":"a.b","change":{{"actions":["{action}"],"before":{before},
              "after":{after}}}}}]}}"#
    );
    let mut options = RecordOptions::default();
    options.read.limits.paths = 64 << 10;
    let (objects, _) = objects_of(&plan, &options, &ValueKey::public())?;
    Ok(objects.sorted()?.count())
}

#[test]
fn the_memory_of_planned_paths_is_limited() {
    let list = |element: &str| format!(r#"{{"l":[{}]}}"#, vec![element; 10_000].join(","));
    let is_limit = |error: plansift_core::error::Error| {
        matches!(error.kind(), ErrorKind::Limit { limit: Limit::Paths, .. })
    };
    // A created object plans no `null`.
    assert_eq!(count_with_few_paths("null", &list("null")).expect("one object"), 1);
    for (before, after) in
        [("null", list("1")), (r#"{"l":"a"}"#, list("null")), (r#"{"l":"a"}"#, list("1"))]
    {
        let error = count_with_few_paths(before, &after).expect_err("a limit");
        assert!(is_limit(error), "{before}");
        let error = count_with_few_paths(&after, r#"{"l":"a"}"#);
        assert!(before == "null" || error.is_err_and(is_limit), "{before}");
    }
}

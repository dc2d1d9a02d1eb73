//! Asks plansift the questions of vectors.

use plansift::input::Slice;
use plansift::json::detached::Detached;
use plansift::json::mended::mend;
use plansift::known::{Comparer, MaskedValue, Regexp, traverse};
use plansift::limits::Limits;
use plansift::plancheck::{Checked, check_plan, check_state};
use serde_json::{Value as Json, json};

use super::answer::Answer;
use super::question;

/// Asks all questions about a document, in one pass over it for plans and one for states.
pub fn document(text: &[u8], vectors: &[&Json]) -> Vec<Answer> {
    let limits = Limits::default();
    let mut states = Vec::new();
    let mut plans = Vec::new();
    let is_state: Vec<bool> = vectors
        .iter()
        .map(|vector| match question::state_check(vector) {
            Some(check) => {
                states.push(check);
                true
            }
            None => {
                plans.push(question::plan_check(vector));
                false
            }
        })
        .collect();
    let mut of_states = answers(check_state(Slice(text), &states, &limits), states.len());
    let mut of_plans = answers(check_plan(Slice(text), &plans, &limits), plans.len());
    let next = |is_state| if is_state { of_states.next() } else { of_plans.next() };
    is_state.into_iter().filter_map(next).collect()
}

fn answers(results: plansift::Result<Vec<Checked>>, count: usize) -> impl Iterator<Item = Answer> {
    let answers = match results {
        Ok(results) => results.into_iter().map(Answer::from).collect(),
        Err(error) => (0..count).map(|_| Answer::Refused(error.to_string())).collect::<Vec<_>>(),
    };
    answers.into_iter()
}

/// Reads a document as a plan or as a state.
pub fn load(text: &[u8], kind: &Json) -> Answer {
    let limits = Limits::default();
    let loaded = match kind.as_str() {
        Some("plan") => check_plan(Slice(text), &[], &limits).map(|_| ()),
        _ => check_state(Slice(text), &[], &limits).map(|_| ()),
    };
    match loaded {
        Ok(()) => Answer::Passed,
        Err(error) => Answer::Refused(error.to_string()),
    }
}

/// Reads a text as a value.
fn with_values<T>(
    texts: &[&str],
    ask: impl FnOnce(&[MaskedValue<'_>]) -> plansift::Result<T>,
) -> T {
    let read = |text: &&str| {
        let mut text = text.as_bytes().to_vec();
        mend(&mut text, true);
        Detached::read(&text, Limits::default()).expect("JSON")
    };
    let mut detached: Vec<_> = texts.iter().map(read).collect();
    let values: Vec<MaskedValue<'_>> =
        detached.iter_mut().map(|it| MaskedValue::clear(it.value())).collect();
    ask(&values).expect("valid values")
}

/// Follows a path.
pub fn path(vector: &Json) -> Answer {
    let path = question::path(&vector["steps"]);
    if path.to_tfjsonpath() != vector["string"] {
        return Answer::Refused(format!("the path's text is {}", path.to_tfjsonpath()));
    }
    let document = vector["doc"].as_str().expect("a document");
    with_values(&[document], |values| {
        Ok(match traverse(values[0], &path)? {
            Ok(found) => Answer::Value(question::canonical(found.data)?),
            Err(failure) => Answer::Failed(failure),
        })
    })
}

/// Checks a value.
pub fn known_value(vector: &Json) -> Answer {
    if let Some(pattern) = vector.get("invalid_check").map(|_| &vector["check"]["string_regexp"]) {
        let pattern = pattern.as_str().expect("a pattern");
        return match Regexp::new(pattern) {
            Ok(_) => Answer::Passed,
            Err(error) => Answer::Refused(error.to_string()),
        };
    }
    let check = question::known_value(&vector["check"]);
    let value = vector["value"].as_str().expect("a value");
    with_values(&[value], |values| check.check(values[0]).map(Answer::from))
}

/// Compares values.
pub fn compare(vector: &Json) -> Answer {
    let comparer = match vector["comparer"] == json!("values_same") {
        true => Comparer::Same,
        false => Comparer::Differ,
    };
    let texts = vector["values"].as_array().expect("values");
    let texts: Vec<&str> = texts.iter().map(|text| text.as_str().expect("a text")).collect();
    with_values(&texts, |values| comparer.compare(values).map(Answer::from))
}

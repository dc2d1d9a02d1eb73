//! Paths, known values, plan checks and state checks, as terraform-plugin-testing has them. The
//! folder's README describes the form of a question and of an answer.
//!
//! Texts of failures must be equal, and kinds where the vector has one. A panic of Go is a failure
//! of the kind `Panic`. Of documents that Go does not load, only that is compared.

#[path = "checks/answer.rs"]
mod answer;
#[path = "checks/question.rs"]
mod question;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use plansift::input::Slice;
use plansift::known::{Comparer, Found, Regexp, traverse};
use plansift::limits::Limits;
use plansift::plancheck::{check_plan, check_state};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use self::answer::{Answer, RULES, Verdict};
use super::Tally;

/// How many differences of a file are shown.
const SHOWN_MAX: usize = 10;

/// Asks all vectors of a folder.
pub fn ask(folder: &Path, plans: &Path) -> Tally {
    let mut asker = Asker { tally: Tally::default(), used: [0; RULES.len()], shown: 0 };
    for name in ["checks", "fresh", "inline", "states", "fresh-states", "inline-states"] {
        asker.shown = 0;
        asker.documents(&lines(folder, name), plans);
    }
    for (name, answer) in
        [("paths", path as fn(&Json) -> Answer), ("knownvalue", known_value), ("compare", compare)]
    {
        asker.shown = 0;
        for vector in lines(folder, name) {
            let answer = answer(&vector);
            asker.judge(&vector, &answer);
        }
    }
    asker.shown = 0;
    for vector in lines(folder, "load") {
        let text = fs::read(plans.join(vector["file"].as_str().expect("a file"))).expect("a plan");
        if hex(&Sha256::digest(&text)) == vector["sha256"] {
            asker.judge(&vector, &load(&text, &vector["as"]));
        } else {
            asker.judge(&vector, &Answer::Stale);
        }
    }
    for (rule, count) in RULES.iter().zip(asker.used) {
        println!("{count:6} {}: {}", rule.name, rule.reason);
    }
    asker.tally
}

/// The lines of a file, if the folder has it.
fn lines(folder: &Path, name: &str) -> Vec<Json> {
    let path = folder.join(name).with_extension("ndjson");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines().map(|line| super::wire::parse(line.as_bytes())).collect()
}

struct Asker {
    tally: Tally,
    used: [usize; RULES.len()],
    shown: usize,
}

impl Asker {
    /// Asks the questions about each document in one pass over it.
    fn documents(&mut self, vectors: &[Json], plans: &Path) {
        let mut documents: BTreeMap<(bool, String), Vec<&Json>> = BTreeMap::new();
        for vector in vectors {
            if vector["check"] == "Load" {
                let text = vector["inline"].as_str().expect("a document").as_bytes();
                let answer = load(text, &vector["args"]["as"]);
                self.judge(vector, &answer);
                continue;
            }
            let word =
                ["plan", "state", "inline"].into_iter().find(|word| vector.get(word).is_some());
            let word = word.expect("a document");
            let document = vector[word].as_str().expect("a document").to_owned();
            documents.entry((word == "inline", document)).or_default().push(vector);
        }
        for ((is_inline, document), vectors) in documents {
            let text = match is_inline {
                true => document.into_bytes(),
                false => {
                    let path: PathBuf = plans.join(document);
                    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
                }
            };
            let is_state = |vector: &&&Json| question::state_check(vector).is_some();
            let (states, plans): (Vec<&Json>, Vec<&Json>) =
                vectors.iter().partition(|vector| is_state(&vector));
            let limits = Limits::default();
            let checks: Vec<_> = plans.iter().map(|it| question::plan_check(it)).collect();
            self.judge_all(&plans, check_plan(Slice(&text), &checks, &limits));
            let checks: Vec<_> = states.iter().filter_map(|it| question::state_check(it)).collect();
            self.judge_all(&states, check_state(Slice(&text), &checks, &limits));
        }
    }

    fn judge_all(
        &mut self,
        vectors: &[&Json],
        results: plansift::Result<Vec<plansift::plancheck::Checked>>,
    ) {
        if vectors.is_empty() {
            return;
        }
        match results {
            Ok(results) => {
                for (vector, result) in vectors.iter().zip(results) {
                    self.judge(vector, &Answer::from(result));
                }
            }
            Err(error) => {
                for vector in vectors {
                    self.judge(vector, &Answer::Refused(error.to_string()));
                }
            }
        }
    }

    fn judge(&mut self, vector: &Json, answer: &Answer) {
        self.tally.asked += 1;
        let Verdict::Differs = answer.judge(vector) else { return };
        self.tally.differ += 1;
        let rule = RULES.iter().position(|rule| (rule.explains)(vector, answer));
        if let Some(rule) = rule {
            self.tally.listed += 1;
            self.used[rule] += 1;
        } else if self.shown < SHOWN_MAX {
            self.shown += 1;
            let cut = |text: String| text.chars().take(900).collect::<String>();
            println!("checks: {}", cut(vector.to_string()));
            println!("  ours: {}", cut(format!("{answer:?}")));
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn load(text: &[u8], kind: &Json) -> Answer {
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
fn with_values<T>(texts: &[&str], ask: impl FnOnce(&[Found<'_>]) -> plansift::Result<T>) -> T {
    let read = |text: &&str| {
        plansift::json::detached::Detached::read(text.as_bytes(), Limits::default()).expect("JSON")
    };
    let mut detached: Vec<_> = texts.iter().map(read).collect();
    let values: Vec<Found<'_>> = detached.iter_mut().map(|it| Found::clear(it.value())).collect();
    ask(&values).expect("valid values")
}

fn path(vector: &Json) -> Answer {
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

fn known_value(vector: &Json) -> Answer {
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

fn compare(vector: &Json) -> Answer {
    let comparer = match vector["comparer"] == json!("values_same") {
        true => Comparer::Same,
        false => Comparer::Differ,
    };
    let texts = vector["values"].as_array().expect("values");
    let texts: Vec<&str> = texts.iter().map(|text| text.as_str().expect("a text")).collect();
    with_values(&texts, |values| comparer.compare(values).map(Answer::from))
}

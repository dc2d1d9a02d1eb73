//! Paths, known values, plan checks and state checks, as terraform-plugin-testing has them. The
//! folder's README describes the form of a question and of an answer.
//!
//! Texts of failures must be equal, and kinds where the vector has one. A panic of Go is a failure
//! of the kind `Panic`. Of documents that Go does not load, only that is compared.

#[path = "checks/answer.rs"]
mod answer;
#[path = "checks/ask.rs"]
mod ask;
#[path = "checks/question.rs"]
mod question;
#[path = "checks/rules.rs"]
mod rules;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use self::answer::{Answer, Verdict};
use self::rules::RULES;
use super::{Plans, Tally, reference};

/// How many differences of a file are shown.
const SHOWN_MAX: usize = 10;

/// Asks all vectors of a folder.
pub fn ask(folder: &Path, plans: &Plans) -> Tally {
    let mut asker = Asker { tally: Tally::default(), used: [0; RULES.len()], stale: 0, shown: 0 };
    for name in ["checks", "fresh", "inline", "states", "fresh-states", "inline-states"] {
        asker.shown = 0;
        asker.documents(&lines(folder, name), plans);
    }
    for (name, answer) in [
        ("paths", ask::path as fn(&Json) -> Answer),
        ("knownvalue", ask::known_value),
        ("compare", ask::compare),
    ] {
        asker.shown = 0;
        for vector in lines(folder, name) {
            let answer = answer(&vector);
            asker.judge(&vector, &answer);
        }
    }
    asker.shown = 0;
    for vector in lines(folder, "load") {
        let Some(text) = plans.read(vector["file"].as_str().expect("a file")) else {
            asker.tally.left_out += 1;
            continue;
        };
        if answer::hex(&Sha256::digest(&text)) == vector["sha256"] {
            asker.judge(&vector, &ask::load(&text, &vector["as"]));
        } else {
            asker.stale += 1;
            asker.tally.asked += 1;
            asker.tally.differ += 1;
            asker.tally.listed += 1;
        }
    }
    for (rule, count) in RULES.iter().zip(asker.used) {
        println!("{count:6} {}: {}", rule.name, rule.reason);
    }
    println!("{:6} stale: the file was made again after its vector", asker.stale);
    asker.tally
}

/// The lines of a file, if the folder has it.
fn lines(folder: &Path, name: &str) -> Vec<Json> {
    let path = folder.join(name).with_extension("ndjson");
    let text = reference::text(&path);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

struct Asker {
    tally: Tally,
    used: [usize; RULES.len()],
    /// The number of files that were made again after their vectors.
    stale: usize,
    shown: usize,
}

impl Asker {
    /// Asks the questions about each document in one pass over it.
    fn documents(&mut self, vectors: &[Json], plans: &Plans) {
        let mut documents: BTreeMap<(bool, String), Vec<&Json>> = BTreeMap::new();
        for vector in vectors {
            if vector["check"] == "Load" {
                let text = vector["inline"].as_str().expect("a document").as_bytes();
                let answer = ask::load(text, &vector["args"]["as"]);
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
                true => Some(document.into_bytes()),
                false => plans.read(&document),
            };
            let Some(text) = text else {
                self.tally.left_out += vectors.len();
                continue;
            };
            for (vector, answer) in vectors.iter().zip(ask::document(&text, &vectors)) {
                self.judge(vector, &answer);
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
            println!("  ours: {}", cut(answer.words()));
        }
    }
}

//! A comparison of two plans or two states, an approval and a digest give the answers of the oracle
//! over trees.
//!
//! The input bytes are choices for building the documents. A failure prints them.

use arbitrary::{Result, Unstructured};
use plansift::compare::approval::{self, Approval, ApprovalKey};
use plansift::compare::join::{JoinOptions, join};
use plansift::error;
use plansift::input::Slice;
use plansift::limits::Limits;
use plansift::record::{CompareLevel, ComparisonSummary, Record};
use plansift::sink::Sink;
use serde_json::Value;

use super::objects::{self, Read};
use crate::compare::plans::pairs;
use crate::compare::{oracle, plans};

/// Compares the documents that `choices` describe.
pub fn check(choices: &[u8]) {
    let mut u = Unstructured::new(choices);
    let Ok(Pair { old, new, texts }) = pair(&mut u) else { return };
    if oracle::has_unclear_moves(&old, &new) {
        return;
    }
    let said = || format!("{}\n{}", texts[0], texts[1]);
    for (number, level) in CompareLevel::ALL.into_iter().enumerate() {
        let (expected, summary) = oracle::compare(&old, &new, number);
        let read = objects::read_pair(&texts[0], &texts[1]);
        let (found, agrees) = joined(read, level, false);
        let expected = objects_of(&expected);
        assert_eq!(found, expected, "{}\n{}", level.name(), said());
        assert_eq!(agrees.map(CompareLevel::name), summary["agrees"].as_str(), "{}", said());
        let digests = [&texts[0], &texts[1]].map(|text| objects::digest(text, level));
        assert_eq!(digests[0] == digests[1], found.is_empty(), "{}\n{}", level.name(), said());
        if old.get("values").is_none() {
            let (approved, _) = joined(approved(&texts[0], &texts[1]), level, true);
            assert_eq!(approved, expected, "from an approval, {}\n{}", level.name(), said());
        }
    }
}

/// Two documents and their texts.
struct Pair {
    old: Value,
    new: Value,
    texts: [String; 2],
}

fn pair(u: &mut Unstructured<'_>) -> Result<Pair> {
    let (old, new) = match u.ratio(1, 8)? {
        true => (plans::state(u)?, plans::state(u)?),
        false => pairs::pair(u)?,
    };
    let texts = match u.arbitrary()? {
        true => [&old, &new].map(Value::to_string),
        false => [pairs::reformatted(u, &old)?, pairs::reformatted(u, &new)?],
    };
    Ok(Pair { old, new, texts })
}

/// The keys of an object, its level and its direction.
const KEYS: [&str; 7] = ["object", "address", "deposed", "old_address", "in", "level", "direction"];

fn objects_of(records: &[Value]) -> Vec<Value> {
    let object = |it: &Value| Value::from(KEYS.map(|key| it[key].clone()).to_vec());
    let mut objects: Vec<Value> = records.iter().map(object).collect();
    objects.sort_by_cached_key(Value::to_string);
    objects
}

/// Receives differences.
struct Kept(Vec<Value>);

impl Sink for Kept {
    fn record(&mut self, record: &Record<'_>) -> error::Result<()> {
        let text = serde_json::to_string(record).expect("a record is JSON");
        self.0.push(serde_json::from_str(&text).expect("a record is JSON"));
        Ok(())
    }

    fn finish(&mut self) -> error::Result<()> {
        Ok(())
    }
}

/// The objects that differ, and the strongest level without a difference.
fn joined(
    [old, new]: [Read; 2],
    level: CompareLevel,
    approved: bool,
) -> (Vec<Value>, Option<CompareLevel>) {
    let options = JoinOptions {
        level,
        level_max: CompareLevel::All,
        extras: Default::default(),
        key: objects::key(),
        spool_max: Limits::default().spool,
        alike: 0,
        approved,
    };
    let mut kept = Kept(Vec::new());
    let sides = [old, new].map(|Read { objects, facts }| (objects, facts));
    let [(old, before), (new, after)] = sides;
    let found = join((old, &before), (new, &after), &options, &mut kept);
    let ComparisonSummary { agrees, .. } = found.expect("objects in memory");
    let differences: Vec<Value> =
        kept.0.into_iter().filter(|record| record["kind"] == "difference").collect();
    (objects_of(&differences), agrees)
}

/// The objects of an approval of the first plan, and those of the second plan.
fn approved(old: &str, new: &str) -> [Read; 2] {
    let Read { objects, facts } = objects::read(old);
    let key = ApprovalKey::InFile(objects::key());
    let mut text = Vec::new();
    let level = CompareLevel::All;
    approval::write(objects, &facts, level, &key, Vec::new(), &mut text).expect("a buffer");
    let limits = Limits::default();
    let approval = Approval::open(Slice(&text), &limits).expect("an approval").expect("a header");
    let mut objects = plansift::compare::join::Objects::new(limits.spool);
    let facts = approval.read(&mut objects).expect("an approval");
    [Read { objects, facts }, self::objects::read(new)]
}

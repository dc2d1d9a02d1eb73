//! Compares the JSON of a plan file with that of the tool, and sorts the differences by rules.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

/// A difference that a plan file cannot avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The versions of schemas are not in the file.
    SchemaVersion,
    /// Defaults of variables are in the configuration.
    Default,
    /// The tool orders relevant attributes by a map of its own.
    Order,
    /// What a change marks on either side is marked in values before and after it.
    MarkedHere,
    /// What an unknown value will be is in its schema.
    UnknownShape,
    /// A number of many digits is stored as a string.
    NumberAsText,
    /// OpenTofu marks what its data sources return when it prints them.
    DataSourceMarks,
}

impl Rule {
    pub const ALL: [Rule; 7] = [
        Rule::SchemaVersion,
        Rule::Default,
        Rule::Order,
        Rule::MarkedHere,
        Rule::UnknownShape,
        Rule::NumberAsText,
        Rule::DataSourceMarks,
    ];
}

/// A count of sections and of differences.
#[derive(Debug, Default)]
pub struct Table {
    files: usize,
    /// For each section: how many are equal byte for byte, and how many there are.
    sections: BTreeMap<String, (usize, usize)>,
    differences: BTreeMap<(String, Rule), usize>,
    unexplained: Vec<String>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} plan files", self.files)?;
        for (section, (equal, count)) in &self.sections {
            writeln!(f, "{section}: {equal} of {count} equal byte for byte")?;
        }
        for ((section, rule), count) in &self.differences {
            writeln!(f, "{section}: {rule:?}: {count}")?;
        }
        Ok(())
    }
}

impl Table {
    /// The number of plan files.
    pub fn files(&self) -> usize {
        self.files
    }

    /// Asserts that every difference has one of the rules.
    pub fn assert_only(&self, known: &[Rule]) {
        assert!(self.unexplained.is_empty(), "{}\n{self}", self.unexplained.join("\n"));
        for (section, rule) in self.differences.keys() {
            assert!(known.contains(rule), "{section}: {rule:?}\n{self}");
        }
    }

    /// Compares the documents of a plan.
    pub fn compare(&mut self, name: &str, ours: &str, theirs: &str) {
        self.files += 1;
        let raw = |text: &str| -> BTreeMap<String, Box<RawValue>> {
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let (raw_ours, raw_theirs) = (raw(ours), raw(theirs));
        let tree = |text: &str| -> Value { serde_json::from_str(text).expect("it is JSON") };
        let (ours, theirs) = (tree(ours), tree(theirs));
        let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
        // The sections stand in the order of the tool.
        let common: Vec<_> = theirs.keys().filter(|key| ours.contains_key(*key)).collect();
        assert_eq!(ours.keys().collect::<Vec<_>>(), common, "{name}");
        for section in theirs.keys().filter(|section| *section != "configuration") {
            let count = self.sections.entry(section.clone()).or_default();
            count.1 += 1;
            let text = |raw: &BTreeMap<String, Box<RawValue>>| {
                raw.get(section).map(|raw| raw.get().to_owned())
            };
            if text(&raw_ours) == text(&raw_theirs) {
                count.0 += 1;
                continue;
            }
            let mut walk = Walk { table: self, name, section, path: Vec::new() };
            walk.compare(ours.get(section), theirs.get(section));
        }
    }
}

struct Walk<'a> {
    table: &'a mut Table,
    name: &'a str,
    section: &'a str,
    path: Vec<String>,
}

impl Walk<'_> {
    fn compare(&mut self, ours: Option<&Value>, theirs: Option<&Value>) {
        if ours == theirs {
            return;
        }
        if let Some(rule) = self.rule(ours, theirs) {
            *self.table.differences.entry((self.section.to_owned(), rule)).or_default() += 1;
            return;
        }
        match (ours, theirs) {
            (Some(Value::Object(one)), Some(Value::Object(two))) => {
                let keys = one.keys().chain(two.keys().filter(|key| !one.contains_key(*key)));
                for key in keys {
                    self.inside(key.clone(), one.get(key), two.get(key));
                }
            }
            (Some(Value::Array(one)), Some(Value::Array(two))) if one.len() == two.len() => {
                for (at, (one, two)) in one.iter().zip(two).enumerate() {
                    self.inside(at.to_string(), Some(one), Some(two));
                }
            }
            _ => self.table.unexplained.push(format!(
                "{}: {}.{}: {ours:?} {theirs:?}",
                self.name,
                self.section,
                self.path.join(".")
            )),
        }
    }

    fn inside(&mut self, key: String, ours: Option<&Value>, theirs: Option<&Value>) {
        self.path.push(key);
        self.compare(ours, theirs);
        self.path.pop();
    }

    /// The rule of a difference.
    fn rule(&self, ours: Option<&Value>, theirs: Option<&Value>) -> Option<Rule> {
        let key = self.path.last().map(String::as_str);
        let is_in = |name: &str| self.path.iter().any(|key| key == name);
        let is_of_marks = is_in("after_sensitive") || is_in("sensitive_values");
        let is_unmarked = |side: Option<&Value>| {
            side.is_none_or(|side| *side == Value::Bool(false) || is_empty(side))
        };
        match (self.section, ours, theirs) {
            ("planned_values", None, Some(Value::Number(_)))
                if matches!(key, Some("schema_version" | "identity_schema_version")) =>
            {
                Some(Rule::SchemaVersion)
            }
            ("variables", None, Some(_)) => Some(Rule::Default),
            ("relevant_attributes", Some(Value::Array(one)), Some(Value::Array(two))) => {
                let sorted = |list: &[Value]| {
                    let mut list: Vec<_> = list.iter().map(Value::to_string).collect();
                    list.sort();
                    list
                };
                (sorted(one) == sorted(two)).then_some(Rule::Order)
            }
            ("planned_values" | "prior_state", Some(Value::Bool(true)), other) if is_of_marks => {
                is_unmarked(other).then_some(Rule::MarkedHere)
            }
            ("prior_state", other, Some(_)) if is_of_marks && is_unmarked(other) => {
                self.name.contains("tofu").then_some(Rule::DataSourceMarks)
            }
            (_, None | Some(Value::Bool(false)), Some(other)) if is_of_marks => {
                is_empty(other).then_some(Rule::UnknownShape)
            }
            (_, Some(Value::String(text)), Some(Value::Number(number))) => {
                (*text == number.to_string()).then_some(Rule::NumberAsText)
            }
            _ => None,
        }
    }
}

/// Whether a value is an empty object or an empty array.
fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
}

//! The oracle: a comparison of two documents, computed from their trees.
//!
//! It follows docs/format/comparison.md and shares no code with the engine. Each object becomes an
//! [`Item`], which has everything that any level compares. The result has the form of the records.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

#[path = "planned.rs"]
mod planned;

use planned::{Planned, ends, meaning};

use crate::naive::{
    Path, action, child, elements, filled, given, members, moves, replace_path, secret_places,
    sensitive, text, words,
};

/// The levels, the weakest first.
pub const LEVELS: [&str; 4] = ["actions", "paths", "values", "all"];

const ACTIONS: usize = 0;
const PATHS: usize = 1;
const VALUES: usize = 2;
const ALL: usize = 3;

/// The directions, the least severe first.
pub const DIRECTIONS: [&str; 3] = ["resolved", "less", "more"];

const RESOLVED: usize = 0;
const LESS: usize = 1;
const MORE: usize = 2;

/// The kinds of objects, in the order of the records.
const KINDS: [&str; 10] = [
    "plan",
    "resource_change",
    "deferred_change",
    "output_change",
    "action_invocation",
    "deferred_action_invocation",
    "check",
    "resource_drift",
    "resource",
    "output",
];

/// Actions from the weakest to the strongest.
const STRENGTH: [&str; 8] =
    ["no-op", "read", "import", "move", "create", "update", "replace", "delete"];

/// States of a check from the weakest to the strongest.
const STATUS: [&str; 4] = ["pass", "unknown", "fail", "error"];

/// What a document plans for one object.
#[derive(Clone, Debug, Default)]
struct Item {
    kind: &'static str,
    address: String,
    deposed: Option<String>,
    /// What else identifies an invocation: the resource that triggers it, and when.
    trigger: [Option<String>; 2],
    type_name: Option<String>,
    previous: Option<String>,
    /// The meaning of `importing`, which may be unknown.
    imported: Option<Option<String>>,
    action: Option<String>,
    reasons: BTreeSet<String>,
    causes: BTreeSet<String>,
    planned: Planned,
    /// The messages of a check.
    messages: Vec<String>,
    sensitive: BTreeSet<Path>,
    /// The JSON texts of the values, with their order of keys and their spellings.
    texts: Vec<Option<String>>,
}

impl Item {
    fn id(&self) -> (&str, &str, &Option<String>, &[Option<String>; 2]) {
        (self.kind, &self.address, &self.deposed, &self.trigger)
    }

    /// The address before any move.
    fn prior_id(&self) -> (&str, &str, &Option<String>, &[Option<String>; 2]) {
        let address = self.previous.as_ref().unwrap_or(&self.address);
        (self.kind, address, &self.deposed, &self.trigger)
    }
}

/// A difference of an object: its aspect, level, direction and path.
type Difference = (&'static str, usize, usize, Option<String>);

/// The `difference` records of a comparison, without the texts of values, and its `summary`.
///
/// `summary.left_out.text` is right if both documents are compact.
pub fn compare(old: &Value, new: &Value, level: usize) -> (Vec<Value>, Value) {
    let pairs = paired(items(old), items(new));
    let mut records = Vec::new();
    let (mut same, mut verdict, mut text) = (0, None, 0);
    let (mut differing, mut by_level) = ([0; 3], [0; 4]);
    for pair in &pairs {
        let found = match pair {
            (Some(old), Some(new)) => differences(old, new),
            (Some(old), None) if old.action.as_deref() == Some("unknown") => {
                vec![("action", ACTIONS, RESOLVED, None)]
            }
            (Some(_), None) => vec![("action", ACTIONS, LESS, None)],
            _ => vec![("action", ACTIONS, MORE, None)],
        };
        match found.iter().map(|it| it.1).min() {
            Some(weakest) => by_level[weakest] += 1,
            None => {
                text += usize::from(
                    pair.0.as_ref().map(|it| &it.texts) != pair.1.as_ref().map(|it| &it.texts),
                )
            }
        }
        let mut deciding: Vec<_> = found.into_iter().filter(|it| it.1 <= level).collect();
        let Some(direction) = deciding.iter().map(|it| it.2).max() else {
            same += 1;
            continue;
        };
        differing[direction] += 1;
        verdict = verdict.max(Some(direction));
        if pair.0.is_none() || pair.1.is_none() {
            deciding.clear();
        }
        records.push(record(pair, direction, &deciding));
    }
    let agrees = by_level.iter().position(|count| *count > 0).unwrap_or(4).checked_sub(1);
    let mut summary = json!({
        "same": same,
        "differing": counts(&["resolved", "less", "more"], &differing),
        "by_level": counts(&LEVELS, &by_level),
        "left_out": left_out(old, new, text),
    });
    if let Some(agrees) = agrees {
        summary["agrees"] = json!(LEVELS[agrees]);
    }
    if let Some(verdict) = verdict {
        summary["verdict"] = json!(DIRECTIONS[verdict]);
    }
    (records, summary)
}

fn counts(names: &[&str], counts: &[usize]) -> Value {
    let members = names.iter().zip(counts).map(|(name, count)| (name.to_string(), json!(count)));
    Value::Object(members.collect())
}

/// Section 5: what has no effect.
fn left_out(old: &Value, new: &Value, text: usize) -> Value {
    let differs =
        |key: &str| given(old, key).zip(given(new, key)).is_some_and(|(old, new)| old != new);
    let attributes = |plan: &Value| {
        let all = elements(&plan["relevant_attributes"]).map(meaning);
        all.collect::<BTreeSet<String>>()
    };
    let attributes = [attributes(old), attributes(new)];
    let found = [
        ("timestamp", usize::from(differs("timestamp"))),
        ("versions", usize::from(differs("terraform_version") || differs("format_version"))),
        ("applyable", usize::from(differs("applyable"))),
        ("relevant_attributes", attributes[0].symmetric_difference(&attributes[1]).count()),
        ("text", text),
    ];
    let found = found.into_iter().filter(|(_, count)| *count > 0);
    Value::Object(found.map(|(name, count)| (name.to_owned(), json!(count))).collect())
}

type Pair = (Option<Item>, Option<Item>);

/// Section 2: pairs objects by address, and the remaining ones by their moves.
fn paired(mut old: Vec<Item>, new: Vec<Item>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for new in new {
        match old.iter().position(|old| old.id() == new.id()) {
            Some(place) => pairs.push((Some(old.remove(place)), Some(new))),
            None => rest.push(new),
        }
    }
    for new in std::mem::take(&mut rest) {
        match old.iter().position(|old| old.prior_id() == new.prior_id()) {
            Some(place) => pairs.push((Some(old.remove(place)), Some(new))),
            None => rest.push(new),
        }
    }
    pairs.extend(old.into_iter().map(|old| (Some(old), None)));
    pairs.extend(rest.into_iter().map(|new| (None, Some(new))));
    pairs.sort_by_key(|(old, new)| {
        let item = new.as_ref().or(old.as_ref()).expect("an item");
        let kind = KINDS.iter().position(|kind| *kind == item.kind);
        (kind, item.address.clone(), item.deposed.clone(), item.trigger.clone())
    });
    pairs
}

/// Whether the moves of two documents allow different pairs.
pub fn has_unclear_moves(old: &Value, new: &Value) -> bool {
    let (old, new) = (items(old), items(new));
    let lacks = |item: &Item, others: &[Item]| others.iter().all(|other| other.id() != item.id());
    let [old_rest, new_rest] = [(&old, &new), (&new, &old)]
        .map(|(items, others)| items.iter().filter(|it| lacks(it, others)).collect::<Vec<_>>());
    let is_pair = |old: &Item, new: &Item| old.prior_id() == new.prior_id();
    old_rest.iter().any(|old| new_rest.iter().filter(|new| is_pair(old, new)).count() > 1)
        || new_rest.iter().any(|new| old_rest.iter().filter(|old| is_pair(old, new)).count() > 1)
}

/// Whether two objects of a document had one address before its moves.
pub fn reuses_an_address(document: &Value) -> bool {
    let items = items(document);
    let mut ids: Vec<_> = items.iter().map(Item::prior_id).collect();
    ids.sort();
    ids.windows(2).any(|pair| pair[0] == pair[1])
}

/// Section 4: the differences of an object that both documents have.
fn differences(old: &Item, new: &Item) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    if let Some(direction) = of_actions(old, new) {
        found.push(("action", ACTIONS, direction, None));
    }
    let only = |old: bool, new: bool| match (old, new) {
        (false, true) => Some(MORE),
        (true, false) => Some(LESS),
        _ => None,
    };
    let is_other_move = old.previous != new.previous || old.address != new.address;
    match only(old.previous.is_some(), new.previous.is_some()) {
        Some(direction) => found.push(("move", ACTIONS, direction, None)),
        None if is_other_move => found.push(("move", ACTIONS, MORE, None)),
        None => {}
    }
    match only(old.imported.is_some(), new.imported.is_some()) {
        Some(direction) => found.push(("import", ACTIONS, direction, None)),
        None if old.imported != new.imported => {
            let is_known = old.imported == Some(None);
            found.push(("import", VALUES, if is_known { RESOLVED } else { MORE }, None));
        }
        None => {}
    }
    for reason in old.reasons.symmetric_difference(&new.reasons) {
        let direction = if new.reasons.contains(reason) { MORE } else { LESS };
        found.push(("reason", PATHS, direction, None));
    }
    for cause in old.causes.symmetric_difference(&new.causes) {
        let direction = if new.causes.contains(cause) { MORE } else { LESS };
        found.push(("cause", PATHS, direction, Some(cause.clone())));
    }
    let makes = |item: &Item| {
        let is_replaced = item.action.as_deref().is_some_and(|it| it.starts_with("replace"));
        item.planned.is_created || is_replaced
    };
    of_paths(&old.planned, &new.planned, makes(old) || makes(new), &mut found);
    if old.messages != new.messages {
        found.push(("value", VALUES, MORE, Some("problems".to_owned())));
    }
    for path in old.sensitive.symmetric_difference(&new.sensitive) {
        found.push(("sensitive", ALL, MORE, Some(text(path))));
    }
    // A path ends where one of the documents marks a value.
    let marks: Vec<String> = old.sensitive.union(&new.sensitive).map(|it| text(it)).collect();
    let mut ended: Vec<Difference> = Vec::new();
    for (aspect, level, direction, path) in found {
        let above = |path: &str| {
            let is_above = |mark: &&String| {
                let rest = path.strip_prefix(mark.as_str()).unwrap_or_default();
                (mark.is_empty() && !rest.is_empty()) || rest.starts_with(['.', '['])
            };
            marks.iter().filter(is_above).min_by_key(|mark| mark.len()).cloned()
        };
        let path = path.map(|path| above(&path).unwrap_or(path));
        let single = (aspect, level, direction, path);
        if single.3.is_none() || !ended.contains(&single) {
            ended.push(single);
        }
    }
    ended
}

/// The direction of another action.
fn of_actions(old: &Item, new: &Item) -> Option<usize> {
    let ladder = if old.kind == "check" { &STATUS[..] } else { &STRENGTH[..] };
    let of = |item: &Item| {
        let word = item.action.clone().unwrap_or_default();
        (ladder.iter().position(|it| *it == word), word)
    };
    let (old, new) = (of(old), of(new));
    match (old.0, new.0) {
        _ if old == new => None,
        (Some(old), Some(new)) if new < old => Some(LESS),
        _ => Some(MORE),
    }
}

fn of_paths(old: &Planned, new: &Planned, is_made: bool, found: &mut Vec<Difference>) {
    let is_within = |path: &Path, unknown: &BTreeSet<Path>| {
        (0..=path.len()).any(|len| unknown.contains(&path[..len]))
    };
    let paths = [old, new].map(Planned::paths);
    for path in paths[0].union(&paths[1]) {
        let (aspect, level, direction) = match paths.each_ref().map(|it| it.contains(path)) {
            [true, true] => {
                let known = [old, new].map(|it| it.known.get(path));
                let part = [old, new].map(|it| it.parts.get(path));
                let direction = match (known, part) {
                    ([Some(old), Some(new)], _) if old == new => continue,
                    ([None, None], [old, new]) if old == new => continue,
                    ([None, Some(_)], _) | ([None, None], [None, _]) => RESOLVED,
                    _ => MORE,
                };
                ("value", VALUES, direction)
            }
            [false, _] if is_within(path, &old.unknown) => ("path", PATHS, RESOLVED),
            [false, _] => ("path", PATHS, MORE),
            [true, _] if old.unknown.contains(path) => ("path", PATHS, RESOLVED),
            [true, _] if is_made => ("path", PATHS, MORE),
            [true, _] => ("path", PATHS, LESS),
        };
        found.push((aspect, level, direction, Some(text(path))));
    }
}

fn record(pair: &Pair, direction: usize, differences: &[Difference]) -> Value {
    let (old, new) = pair;
    let item = new.as_ref().or(old.as_ref()).expect("an item");
    let mut record = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            record.insert(key.to_owned(), value);
        }
    };
    put("object", Some(json!(item.kind)));
    put("address", Some(json!(item.address)));
    put("deposed", item.deposed.clone().map(Value::from));
    let old_address = old.as_ref().map(|it| &it.address).filter(|it| **it != item.address);
    put("old_address", old_address.map(|it| json!(it)));
    put("type", item.type_name.clone().map(Value::from));
    let found_in = if old.is_none() {
        "new"
    } else if new.is_none() {
        "old"
    } else {
        "both"
    };
    put("in", Some(json!(found_in)));
    let level = differences.iter().map(|it| it.1).min().unwrap_or(ACTIONS);
    put("level", Some(json!(LEVELS[level])));
    put("direction", Some(json!(DIRECTIONS[direction])));
    put("old_action", old.as_ref().and_then(|it| it.action.clone()).map(Value::from));
    put("new_action", new.as_ref().and_then(|it| it.action.clone()).map(Value::from));
    let single = |(aspect, level, direction, path): &Difference| {
        let mut single = json!({
            "aspect": aspect, "level": LEVELS[*level], "direction": DIRECTIONS[*direction],
        });
        if let Some(path) = path {
            single["path"] = json!(path);
        }
        single
    };
    let mut list: Vec<Value> = differences.iter().map(single).collect();
    list.sort_by_cached_key(Value::to_string);
    put("differences", (!list.is_empty()).then(|| list.into()));
    Value::Object(record)
}

/// The objects of a plan or a state that count.
fn items(document: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    if document.get("values").is_some() {
        outputs_of_state(document, &mut items);
        module(&document["values"]["root_module"], &mut items);
    }
    for (key, word) in [("errored", true), ("complete", false)] {
        if document[key] == json!(word) {
            let (kind, action) = ("plan", Some(word.to_string()));
            items.push(Item { kind, address: key.to_owned(), action, ..Item::default() });
        }
    }
    let of = |key: &str| elements(&document[key]);
    items.extend(of("resource_changes").map(|it| resource("resource_change", it)));
    items.extend(of("resource_drift").map(|it| resource("resource_drift", it)));
    for element in of("deferred_changes") {
        let mut item = resource("deferred_change", &element["resource_change"]);
        item.reasons.extend(word(element, "reason"));
        items.push(item);
    }
    for (name, it) in members(&document["output_changes"]) {
        let mut item = change("output_change", it);
        item.address = name.clone();
        items.push(item);
    }
    items.extend(of("action_invocations").map(|it| invocation("action_invocation", it)));
    for element in of("deferred_action_invocations") {
        let mut item = invocation("deferred_action_invocation", &element["action_invocation"]);
        item.reasons.extend(word(element, "reason"));
        items.push(item);
    }
    items.extend(of("checks").map(check));
    items.retain(|item| !matches!(item.action.as_deref(), Some("no-op" | "pass")));
    // A new resource without any attribute plans nothing.
    let resources = items.iter_mut().filter(|item| !item.kind.starts_with("output"));
    for planned in resources.map(|item| &mut item.planned).filter(|it| it.is_created) {
        planned.known.retain(|path, value| !path.is_empty() || value.as_deref() != Some("{}"));
    }
    items
}

fn word(element: &Value, key: &str) -> Option<String> {
    filled(element, key).and_then(Value::as_str).map(str::to_owned)
}

fn resource(kind: &'static str, element: &Value) -> Item {
    let mut item = change(kind, &element["change"]);
    item.address = word(element, "address").unwrap_or_default();
    item.deposed = word(element, "deposed");
    item.type_name = word(element, "type");
    item.previous = moves(element).then(|| word(element, "previous_address")).flatten();
    item.reasons.extend(word(element, "action_reason"));
    if item.action.as_deref() == Some("no-op") {
        let does = if item.previous.is_some() { "move" } else { "import" };
        let is_settled = item.previous.is_none() && item.imported.is_none();
        item.action = Some(if is_settled { "no-op" } else { does }.to_owned());
    }
    item
}

/// A change, without what its element says.
fn change(kind: &'static str, change: &Value) -> Item {
    let words = words(change);
    let secret = secret_places(change);
    let causes = elements(&change["replace_paths"]).map(|path| replace_path(path, &secret));
    let ends = ends(change);
    let is_created = change["before"].is_null();
    let only_removes =
        !words.is_empty() && words.iter().all(|word| ["delete", "forget"].contains(word));
    let planned = match only_removes {
        true => Planned::default(),
        _ if is_created => Planned::created(change.get("after"), &change["after_unknown"], &ends),
        _ => Planned::updated(change, &ends),
    };
    Item {
        kind,
        imported: given(change, "importing").map(|importing| {
            let is_unknown = importing["unknown"] == json!(true);
            (!is_unknown).then(|| meaning(importing))
        }),
        action: Some(match words[..] {
            ["create", "forget"] | ["forget", "create"] => "replace-with-forget".to_owned(),
            _ => action(change),
        }),
        causes: causes.collect(),
        planned,
        sensitive: sensitive(change),
        texts: texts(change, CHANGE),
        ..Item::default()
    }
}

/// The keys of a change whose texts count.
const CHANGE: &[&str] = &[
    "before",
    "after",
    "after_unknown",
    "before_sensitive",
    "after_sensitive",
    "replace_paths",
    "importing",
];

fn texts(value: &Value, keys: &[&str]) -> Vec<Option<String>> {
    keys.iter().map(|key| value.get(key).map(Value::to_string)).collect()
}

fn invocation(kind: &'static str, element: &Value) -> Item {
    let trigger = &element["lifecycle_action_trigger"];
    let keys = ["triggering_resource_address", "action_trigger_event"];
    let values = json!({
        "after_sensitive": element["config_sensitive"], "after": element["config_values"],
    });
    let marks = sensitive(&values);
    let unknown = child_of(element, "config_unknown");
    Item {
        kind,
        address: word(element, "address").unwrap_or_default(),
        trigger: keys.map(|key| word(trigger, key)),
        type_name: word(element, "type"),
        action: Some("invoke".to_owned()),
        planned: Planned::created(element.get("config_values"), unknown, &marks),
        sensitive: marks,
        texts: texts(element, &["config_values", "config_unknown", "config_sensitive"]),
        ..Item::default()
    }
}

fn child_of<'v>(value: &'v Value, key: &str) -> &'v Value {
    child(value, &crate::naive::Step::Key(key.to_owned()))
}

fn check(element: &Value) -> Item {
    let problems = elements(&element["instances"]).flat_map(|it| elements(&it["problems"]));
    Item {
        kind: "check",
        address: word(&element["address"], "to_display").unwrap_or_default(),
        action: word(element, "status"),
        messages: problems.filter_map(|it| word(it, "message")).collect(),
        ..Item::default()
    }
}

fn outputs_of_state(document: &Value, items: &mut Vec<Item>) {
    for (name, output) in members(&document["values"]["outputs"]) {
        let mark = json!({ "after_sensitive": output["sensitive"] });
        items.push(of_state("output", name.clone(), output, "value", &mark));
    }
}

fn module(module: &Value, items: &mut Vec<Item>) {
    for resource in elements(&module["resources"]) {
        let mark = json!({ "after_sensitive": resource["sensitive_values"] });
        let address = word(resource, "address").unwrap_or_default();
        let mut item = of_state("resource", address, resource, "values", &mark);
        item.deposed = word(resource, "deposed_key");
        item.type_name = word(resource, "type");
        items.push(item);
    }
    elements(&module["child_modules"]).for_each(|inner| self::module(inner, items));
}

fn of_state(kind: &'static str, address: String, element: &Value, key: &str, mark: &Value) -> Item {
    let marks = sensitive(mark);
    Item {
        kind,
        address,
        action: Some("exists".to_owned()),
        planned: Planned::created(element.get(key), &Value::Null, &marks),
        sensitive: marks,
        texts: texts(element, &[key, "sensitive", "sensitive_values"]),
        ..Item::default()
    }
}

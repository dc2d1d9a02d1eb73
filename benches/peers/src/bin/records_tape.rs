//! Task B with simd-json: computes the records from a tape. Each list of a record is computed by a
//! walk of its own over the change.
//!
//! Integers that fit into an `i64` are compared exactly. Other numbers are compared as doubles, so
//! numbers that differ only beyond the precision of a double count as equal, as in jq.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};

use plansift_peers::copied;
use serde_json::{Map, Value, json};
use simd_json::prelude::*;

type Node<'t> = simd_json::tape::Value<'t, 't>;

const ELEMENT_KEYS: [&str; 9] = [
    "address",
    "previous_address",
    "module_address",
    "mode",
    "type",
    "name",
    "index",
    "deposed",
    "provider_name",
];

/// Ordered like paths: keys before indices, and keys by their bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step<'t> {
    Key(&'t str),
    Index(usize),
    /// A step of a replace path that is neither a key nor an index.
    Any,
}

type Path<'t> = Vec<Step<'t>>;

fn main() {
    let source = std::env::args().nth(1).expect("usage: records_tape PLAN");
    let mut plan = copied();
    let bytes = plan.len();
    let tape = simd_json::to_tape(&mut plan).expect("a plan");
    let plan = tape.as_value();
    let mut stream = Stream {
        out: BufWriter::with_capacity(1 << 16, std::io::stdout().lock()),
        counts: Counts::default(),
    };
    let mut head = record("plan");
    head.insert("schema_version".into(), json!(1));
    head.insert("source".into(), json!(source));
    copy(&mut head, plan, "format_version", "format_version");
    copy(&mut head, plan, "terraform_version", "terraform_version");
    stream.write(head);
    for (key, section) in plan.as_object().expect("a plan is an object").iter() {
        stream.section(key, section);
    }
    let summary = stream.counts.record(plan, bytes);
    stream.write(summary);
    stream.out.flush().expect("standard output is open");
}

struct Stream<W: Write> {
    out: W,
    counts: Counts,
}

impl<W: Write> Stream<W> {
    fn write(&mut self, record: Map<String, Value>) {
        serde_json::to_writer(&mut self.out, &record).expect("standard output is open");
        self.out.write_all(b"\n").expect("standard output is open");
    }

    fn section(&mut self, key: &str, section: Node<'_>) {
        match key {
            "resource_changes" => elements(section).for_each(|it| self.resource_change(it)),
            "resource_drift" => elements(section).for_each(|it| {
                self.counts.count("resource_drift", &action(member(it, "change")));
                self.write(resource("resource_drift", it, Paths::of(member(it, "change"))));
            }),
            "deferred_changes" => elements(section).for_each(|it| {
                let element = member(it, "resource_change").expect("a resource change");
                let change = member(element, "change");
                self.counts.count("deferred_changes", &action(change));
                let mut record = resource("deferred_change", element, Paths::of(change));
                copy(&mut record, it, "reason", "deferred_reason");
                self.write(record);
            }),
            "output_changes" => members(section).for_each(|(name, it)| self.output(name, it)),
            "action_invocations" => elements(section).for_each(|it| self.write(invocation(it))),
            "checks" => elements(section).for_each(|it| self.check(it)),
            _ => {}
        }
    }

    fn resource_change(&mut self, element: Node<'_>) {
        let change = member(element, "change");
        let paths = Paths::of(change);
        let imports = change.and_then(|it| member(it, "importing")).is_some();
        let previous = text(element, "previous_address");
        let moves = previous.is_some() && previous != text(element, "address");
        self.counts.count("resource_changes", &action(change));
        self.counts.paths[0] += paths.unknown.len();
        self.counts.paths[1] += paths.sensitive.len();
        self.counts.paths[2] += paths.changed.len();
        self.counts.moved += usize::from(moves);
        self.counts.plan_line(element, &words(change), imports);
        if words(change) != ["no-op"] || moves || imports {
            self.write(resource("resource_change", element, paths));
        }
    }

    fn output(&mut self, name: &str, change: Node<'_>) {
        self.counts.count("output_changes", &action(Some(change)));
        let words = words(Some(change));
        if words != ["no-op"] {
            let mut record = record("output_change");
            record.insert("name".into(), json!(name));
            record.insert("action".into(), json!(action(Some(change))));
            record.insert("actions".into(), json!(words));
            Paths::of(Some(change)).put(&mut record);
            self.write(record);
        }
    }

    fn check(&mut self, check: Node<'_>) {
        let status = text(check, "status").expect("a status");
        self.counts.count("checks", status);
        if status == "pass" {
            return;
        }
        let mut record = record("check");
        if let Some(address) = member(check, "address") {
            copy(&mut record, address, "to_display", "address");
            copy(&mut record, address, "kind", "check_kind");
        }
        copy(&mut record, check, "status", "status");
        let problems: Vec<&str> = member(check, "instances")
            .into_iter()
            .flat_map(elements)
            .filter_map(|it| member(it, "problems"))
            .flat_map(elements)
            .filter_map(|it| text(it, "message"))
            .collect();
        list(&mut record, "problems", problems.iter().map(|it| json!(it)).collect());
        self.write(record);
    }
}

#[derive(Default)]
struct Counts {
    words: BTreeMap<&'static str, BTreeMap<String, usize>>,
    terraform: [usize; 5],
    moved: usize,
    paths: [usize; 3],
}

impl Counts {
    fn count(&mut self, section: &'static str, word: &str) {
        *self.words.entry(section).or_default().entry(word.to_owned()).or_default() += 1;
    }

    fn plan_line(&mut self, element: Node<'_>, words: &[&str], imports: bool) {
        let mode = text(element, "mode").unwrap_or("managed");
        let [import, add, change, destroy, forget] = &mut self.terraform;
        if mode == "ephemeral" {
            return;
        }
        *import += usize::from(imports);
        *add += usize::from(words.contains(&"create"));
        *change += usize::from(words == ["update"]);
        *destroy +=
            usize::from(words.contains(&"delete") && (words.len() > 1 || mode == "managed"));
        *forget += usize::from(words.first() == Some(&"forget"));
    }

    fn record(&self, plan: Node<'_>, bytes: usize) -> Map<String, Value> {
        let words = |section| json!(self.words.get(section).cloned().unwrap_or_default());
        let mut record = record("summary");
        record.insert("bytes".into(), json!(bytes));
        for section in ["resource_changes", "resource_drift", "output_changes", "deferred_changes"]
        {
            record.insert(section.into(), words(section));
        }
        let [import, add, change, destroy, forget] = self.terraform;
        let line = json!({"import": import, "add": add, "change": change, "destroy": destroy,
                          "forget": forget});
        record.insert("terraform".into(), line);
        record.insert("moved".into(), json!(self.moved));
        for (key, sum) in
            ["unknown_paths", "sensitive_paths", "changed_paths"].iter().zip(self.paths)
        {
            record.insert((*key).into(), json!(sum));
        }
        record.insert("checks".into(), words("checks"));
        for key in ["applyable", "complete", "errored", "timestamp"] {
            copy(&mut record, plan, key, key);
        }
        record
    }
}

fn resource(kind: &str, element: Node<'_>, paths: Paths<'_>) -> Map<String, Value> {
    let change = member(element, "change").expect("a change");
    let mut record = record(kind);
    for key in ELEMENT_KEYS {
        copy(&mut record, element, key, key);
    }
    record.insert("action".into(), json!(action(Some(change))));
    record.insert("actions".into(), json!(words(Some(change))));
    copy(&mut record, element, "action_reason", "action_reason");
    paths.put(&mut record);
    let replace = member(change, "replace_paths").into_iter().flat_map(elements);
    let replace = replace.map(|path| json!(replace_path(path, &paths.sensitive)));
    list(&mut record, "replace_paths", replace.collect());
    if let Some(importing) = member(change, "importing") {
        record.insert("importing".into(), masked(importing, &secrets(change, &paths.sensitive)));
    }
    if member(change, "generated_config").is_some() {
        record.insert("generated_config".into(), json!(true));
    }
    record
}

fn invocation(element: Node<'_>) -> Map<String, Value> {
    let mut record = record("action_invocation");
    for key in ["address", "type", "name"] {
        copy(&mut record, element, key, key);
    }
    if let Some(trigger) = member(element, "lifecycle_action_trigger") {
        record.insert("trigger".into(), json!("lifecycle"));
        copy(&mut record, trigger, "triggering_resource_address", "triggering_address");
    } else if member(element, "invoke_action_trigger").is_some() {
        record.insert("trigger".into(), json!("invoke"));
    }
    record
}

/// The reported paths of a change.
struct Paths<'t> {
    changed: BTreeSet<Path<'t>>,
    unknown: BTreeSet<Path<'t>>,
    sensitive: BTreeSet<Path<'t>>,
}

impl<'t> Paths<'t> {
    fn of(change: Option<Node<'t>>) -> Paths<'t> {
        let part = |key| change.and_then(|it| member(it, key));
        let (before, after, unknown) = (part("before"), part("after"), part("after_unknown"));
        let mut changed = Vec::new();
        if before.is_some() && after.is_some() {
            compare(before, after, unknown, &mut Path::new(), &mut changed);
        }
        let mut marks = BTreeSet::new();
        marked(unknown, &mut Path::new(), &mut marks);
        let mut hidden = BTreeSet::new();
        for side in ["before_sensitive", "after_sensitive"] {
            marked(part(side), &mut Path::new(), &mut hidden);
        }
        let covered = |path: &Path| (0..path.len()).any(|len| hidden.contains(&path[..len]));
        let sensitive = hidden.iter().filter(|path| !covered(path)).cloned().collect();
        let cut_all = |paths: &mut dyn Iterator<Item = Path<'t>>| {
            paths.map(|path| cut(path, &sensitive)).collect()
        };
        Paths {
            changed: cut_all(&mut changed.into_iter()),
            unknown: cut_all(&mut marks.into_iter()),
            sensitive,
        }
    }

    fn put(&self, record: &mut Map<String, Value>) {
        let texts = |paths: &mut dyn Iterator<Item = &Path<'_>>| {
            paths.map(|path| json!(path_text(path))).collect()
        };
        list(record, "changed", texts(&mut self.changed.iter()));
        list(record, "unknown", texts(&mut self.unknown.iter()));
        list(record, "sensitive", texts(&mut self.sensitive.iter()));
    }
}

/// Cuts a path that leads below a sensitive place, so that it ends there.
fn cut<'t>(mut path: Path<'t>, sensitive: &BTreeSet<Path<'t>>) -> Path<'t> {
    if let Some(len) = (0..path.len()).find(|&len| sensitive.contains(&path[..len])) {
        path.truncate(len);
    }
    path
}

fn compare<'t>(
    before: Option<Node<'t>>,
    after: Option<Node<'t>>,
    unknown: Option<Node<'t>>,
    at: &mut Path<'t>,
    found: &mut Vec<Path<'t>>,
) {
    let equal = same(before, after);
    if equal && !holds_true(unknown) {
        return;
    }
    let objects = [before, after].map(|side| side.and_then(|it| it.as_object()));
    let arrays = [before, after].map(|side| side.and_then(|it| it.as_array()));
    let mut steps = BTreeSet::new();
    let changes = match (objects, arrays) {
        _ if is_true(unknown) => true,
        ([Some(_), Some(_)], _) => {
            for side in [before, after, unknown].into_iter().flatten() {
                steps.extend(members(side).map(|(key, _)| Step::Key(key)));
            }
            false
        }
        (_, [Some(before), Some(after)]) if before.len() == after.len() => {
            steps.extend((0..before.len()).map(Step::Index));
            false
        }
        (_, [Some(_), Some(_)]) => true,
        _ => !equal || holds_true(unknown),
    };
    if changes {
        found.push(at.clone());
    }
    for step in steps {
        let [before, after, unknown] = [before, after, unknown].map(|side| child(side, step));
        at.push(step);
        compare(before, after, unknown, at, found);
        at.pop();
    }
}

/// Whether two values are equal; an absent value counts as null.
fn same(a: Option<Node<'_>>, b: Option<Node<'_>>) -> bool {
    let (Some(a), Some(b)) = (a.filter(|it| !it.is_null()), b.filter(|it| !it.is_null())) else {
        return a.is_none_or(|it| it.is_null()) && b.is_none_or(|it| it.is_null());
    };
    if let (Some(a), Some(b)) = (a.as_object(), b.as_object()) {
        let mut members = a.iter();
        return a.len() == b.len()
            && members
                .all(|(key, value)| b.get(key).is_some_and(|it| same(Some(value), Some(it))));
    }
    if let (Some(a), Some(b)) = (a.as_array(), b.as_array()) {
        let mut pairs = a.iter().zip(b.iter());
        return a.len() == b.len() && pairs.all(|(a, b)| same(Some(a), Some(b)));
    }
    match (a.cast_f64(), b.cast_f64()) {
        (Some(x), Some(y)) => a.as_i64().zip(b.as_i64()).map_or(x == y, |(a, b)| a == b),
        (None, None) => a.as_str() == b.as_str() && a.as_bool() == b.as_bool(),
        _ => false,
    }
}

fn child<'t>(value: Option<Node<'t>>, step: Step<'t>) -> Option<Node<'t>> {
    match step {
        Step::Key(key) => value?.as_object()?.get(key),
        Step::Index(index) => value?.as_array()?.get(index),
        Step::Any => None,
    }
}

fn is_true(value: Option<Node<'_>>) -> bool {
    value.and_then(|it| it.as_bool()) == Some(true)
}

fn holds_true(overlay: Option<Node<'_>>) -> bool {
    overlay.is_some_and(|it| {
        is_true(Some(it))
            || members(it).any(|(_, inner)| holds_true(Some(inner)))
            || elements(it).any(|inner| holds_true(Some(inner)))
    })
}

fn marked<'t>(overlay: Option<Node<'t>>, at: &mut Path<'t>, found: &mut BTreeSet<Path<'t>>) {
    let Some(overlay) = overlay else { return };
    if is_true(Some(overlay)) {
        found.insert(at.clone());
    }
    let keyed = members(overlay).map(|(key, inner)| (Step::Key(key), inner));
    let indexed = elements(overlay).enumerate().map(|(index, it)| (Step::Index(index), it));
    for (step, inner) in keyed.chain(indexed) {
        at.push(step);
        marked(Some(inner), at, found);
        at.pop();
    }
}

/// The strings of both sides at or below sensitive places.
fn secrets<'t>(change: Node<'t>, places: &BTreeSet<Path<'t>>) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    for (place, side) in places.iter().flat_map(|it| [(it, "before"), (it, "after")]) {
        let hidden = place.iter().fold(member(change, side), |value, step| child(value, *step));
        strings(hidden, &mut found);
    }
    found
}

fn strings<'t>(value: Option<Node<'t>>, found: &mut BTreeSet<&'t str>) {
    let Some(value) = value else { return };
    found.extend(value.into_string().filter(|text| !text.is_empty()));
    members(value).for_each(|(_, inner)| strings(Some(inner), found));
    elements(value).for_each(|inner| strings(Some(inner), found));
}

fn masked(value: Node<'_>, secrets: &BTreeSet<&str>) -> Value {
    if let Some(object) = value.as_object() {
        return object.iter().map(|(key, it)| (key.to_owned(), masked(it, secrets))).collect();
    }
    if let Some(array) = value.as_array() {
        return array.iter().map(|it| masked(it, secrets)).collect();
    }
    match value.as_str() {
        Some(text) if secrets.contains(text) => json!("(sensitive value)"),
        _ => scalar(value),
    }
}

fn path_text(path: &[Step<'_>]) -> String {
    path.iter().fold(String::new(), |so_far, step| match step {
        Step::Index(index) => so_far + &format!("[{index}]"),
        Step::Any => so_far + "[*]",
        Step::Key(key) => with_key(so_far, key),
    })
}

fn with_key(so_far: String, key: &str) -> String {
    let first = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let ident = first && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match (ident, so_far.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => so_far + "." + key,
        (false, _) => so_far + &format!("[{}]", json!(key)),
    }
}

/// A replace path as text, cut at a sensitive place.
fn replace_path<'t>(path: Node<'t>, sensitive: &BTreeSet<Path<'t>>) -> String {
    let steps = elements(path).map(|step| match (step.into_string(), step.as_u32()) {
        (Some(key), _) => Step::Key(key),
        (_, Some(index)) => Step::Index(index as usize),
        _ => Step::Any,
    });
    path_text(&cut(steps.collect(), sensitive))
}

fn words(change: Option<Node<'_>>) -> Vec<&str> {
    let actions = change.and_then(|it| member(it, "actions")).expect("actions");
    elements(actions).map(|word| word.into_string().expect("a word")).collect()
}

fn action(change: Option<Node<'_>>) -> String {
    match words(change)[..] {
        ["delete", "create"] | ["create", "delete"] => "replace".to_owned(),
        ["create", "forget"] | ["forget", "create"] => "replace".to_owned(),
        ref words => words.join("+"),
    }
}

fn record(kind: &str) -> Map<String, Value> {
    Map::from_iter([("kind".to_owned(), json!(kind))])
}

fn list(record: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    if !list.is_empty() {
        record.insert(key.to_owned(), list.into());
    }
}

fn copy(record: &mut Map<String, Value>, from: Node<'_>, key: &str, name: &str) {
    if let Some(value) = member(from, key) {
        record.insert(name.to_owned(), scalar(value));
    }
}

fn scalar(value: Node<'_>) -> Value {
    if let Some(text) = value.as_str() {
        json!(text)
    } else if let Some(truth) = value.as_bool() {
        json!(truth)
    } else if let Some(number) = value.as_i64() {
        json!(number)
    } else {
        json!(value.as_f64())
    }
}

/// The member with this key, unless it is null.
fn member<'t>(object: Node<'t>, key: &str) -> Option<Node<'t>> {
    object.as_object()?.get(key).filter(|it| !it.is_null())
}

fn text<'t>(object: Node<'t>, key: &str) -> Option<&'t str> {
    member(object, key)?.into_string()
}

fn members<'t>(value: Node<'t>) -> impl Iterator<Item = (&'t str, Node<'t>)> {
    value.as_object().into_iter().flat_map(|it| it.iter())
}

fn elements<'t>(value: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    value.as_array().into_iter().flat_map(|it| it.iter())
}

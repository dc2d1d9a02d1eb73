//! The oracle: the records of a plan, computed from the whole tree.
//!
//! It follows docs/format/records.md and shares no code with the engine, so a rule that one of the
//! two gets wrong shows as a difference. It is simple rather than fast: the document is a tree of
//! values in document order, paths are vectors in ordered sets, and every question walks the tree
//! again. It takes ten times the memory of the document.
//!
//! It expects a well-formed plan: a malformed plan makes it panic or lose records. It does not
//! support exponents of more than 38 digits.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value, json};

#[path = "naive/configuration.rs"]
pub mod configuration;
#[path = "naive/marks.rs"]
mod marks;
#[path = "naive/native.rs"]
pub mod native;
#[path = "naive/tests.rs"]
mod tests;
#[path = "naive/values.rs"]
pub mod values;

use marks::{Mark, mark_changes, masked, secrets};
pub use marks::{secret_places, spelling};

/// Keys that a record copies from an element, in order.
const ELEMENT_KEYS: &str =
    "address previous_address module_address mode type name index deposed provider_name";

/// The counts of the plan line, in the order of the summary.
const PLAN_LINE: [&str; 5] = ["import", "add", "change", "destroy", "forget"];

/// One step of a path. The derived order is the order in records: keys by bytes, indices by number.
/// If overlays disagree about the kind of a value, keys come before indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// The derived order puts a path before its children.
pub type Path = Vec<Step>;

/// Whether a change adds the mark of its whole value, and whether it removes it.
pub fn changes_whole_mark(change: &Value) -> [bool; 2] {
    [Mark::Added, Mark::Removed].map(|mark| mark_changes(change, mark).contains(&Path::new()))
}

/// The first difference between the records of the engine and of the oracle.
pub fn difference(engine: &[Value], oracle: &[Value]) -> Option<String> {
    let keys = |record: &Value| record.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
    let same =
        |(engine, oracle): &(&Value, &Value)| engine == oracle && keys(engine) == keys(oracle);
    if let Some((engine, oracle)) = engine.iter().zip(oracle).find(|pair| !same(pair)) {
        return Some(format!("engine {engine}\noracle {oracle}"));
    }
    let (ours, theirs) = (engine.len(), oracle.len());
    (ours != theirs).then(|| format!("{ours} records of the engine, {theirs} of the oracle"))
}

/// The records of `document`: the plan first, the summary last, the others in document order.
///
/// `bytes` is the length of the document, which the tree does not contain.
pub fn records(document: &Value, source: &str, bytes: u64, show_all: bool) -> Vec<Value> {
    let mut stream =
        Stream { document, show_all, summary: Summary::default(), records: Vec::new() };
    stream.records.push(plan(document, source));
    for (key, section) in document.as_object().expect("a plan is an object") {
        stream.section(key, section);
    }
    let summary = stream.summary.record(document, bytes);
    stream.records.push(summary);
    stream.records
}

fn plan(document: &Value, source: &str) -> Value {
    let format =
        given(document, "format_version").or_else(|| given(document, "plan_format_version"));
    let mut record = Fields::of("plan");
    record.put("schema_version", json!(1));
    record.put("source", json!(source));
    record.copy("format_version", format);
    record.copy("terraform_version", given(document, "terraform_version"));
    record.into()
}

/// The records so far, and the counts for the `summary` record.
struct Stream<'d> {
    document: &'d Value,
    show_all: bool,
    summary: Summary,
    records: Vec<Value>,
}

impl Stream<'_> {
    fn section(&mut self, key: &str, section: &Value) {
        match key {
            "resource_changes" => elements(section).for_each(|it| self.resource_change(it)),
            "resource_drift" => elements(section).for_each(|it| {
                count(&mut self.summary.resource_drift, &action(&it["change"]));
                self.records.push(resource("resource_drift", it, None));
            }),
            "deferred_changes" => elements(section).for_each(|it| {
                let element = &it["resource_change"];
                count(&mut self.summary.deferred_changes, &action(&element["change"]));
                let reason = given(it, "reason");
                self.records.push(resource("deferred_change", element, reason));
            }),
            "output_changes" => members(section).for_each(|(name, it)| self.output(name, it)),
            "action_invocations" => {
                elements(section).for_each(|it| self.records.push(invocation(it)));
            }
            "checks" => elements(section).for_each(|it| self.check(it)),
            _ => {}
        }
    }

    fn resource_change(&mut self, element: &Value) {
        let change = &element["change"];
        let summary = &mut self.summary;
        count(&mut summary.resource_changes, &action(change));
        summary.unknown_paths += unknown(change).len();
        summary.sensitive_paths += sensitive(change).len();
        summary.changed_paths += changed(change).len();
        summary.moved += usize::from(moves(element));
        for (sum, number) in summary.terraform.iter_mut().zip(plan_line(element)) {
            *sum += number;
        }
        let imports = given(change, "importing").is_some();
        if self.show_all || words(change) != ["no-op"] || moves(element) || imports {
            self.records.push(resource("resource_change", element, None));
        }
    }

    fn output(&mut self, name: &str, change: &Value) {
        count(&mut self.summary.output_changes, &action(change));
        if self.show_all || words(change) != ["no-op"] {
            let mut record = Fields::of("output_change");
            record.put("name", json!(name));
            record.put("action", json!(action(change)));
            record.put("actions", change["actions"].clone());
            record.paths_of(change, self.hides(name, change));
            self.records.push(record.into());
        }
    }

    /// Whether the record of an output shows only the root path of its change. In format 0.x,
    /// changes have no overlays, and other sections declare outputs sensitive, mostly before the
    /// changes.
    fn hides(&self, name: &str, change: &Value) -> bool {
        let versions = ["format_version", "plan_format_version"];
        let version = versions.iter().find_map(|key| self.document[key].as_str());
        let keys = || self.document.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        let is_before =
            |key: &str| keys().take_while(|it| *it != "output_changes").any(|before| before == key);
        let overlays = ["before_sensitive", "after_sensitive"];
        let is_old = version.is_none_or(|it| it.starts_with("0."))
            || !versions.iter().any(|key| is_before(key));
        if !is_old || overlays.iter().any(|key| given(change, key).is_some()) {
            return false;
        }
        let declared = [
            ("planned_values", &self.document["planned_values"]["outputs"][name]),
            ("configuration", &self.document["configuration"]["root_module"]["outputs"][name]),
        ];
        let declared = declared.iter().filter(|(section, _)| is_before(section));
        declared.clone().count() == 0
            || declared.clone().any(|(_, it)| it["sensitive"] == json!(true))
    }

    fn check(&mut self, check: &Value) {
        let status = given(check, "status");
        if let Some(status) = status {
            count(&mut self.summary.checks, status.as_str().expect("a status is a string"));
        }
        if self.show_all || status != Some(&json!("pass")) {
            let problems: Vec<Value> = elements(&check["instances"])
                .flat_map(|instance| elements(&instance["problems"]))
                .filter_map(|problem| given(problem, "message").cloned())
                .collect();
            let mut record = Fields::of("check");
            record.copy("address", given(&check["address"], "to_display"));
            record.copy("check_kind", given(&check["address"], "kind"));
            record.copy("status", status);
            record.list("problems", problems);
            self.records.push(record.into());
        }
    }
}

fn resource(kind: &str, element: &Value, deferred_reason: Option<&Value>) -> Value {
    let change = &element["change"];
    let mut record = Fields::of(kind);
    for key in ELEMENT_KEYS.split(' ') {
        record.copy(key, filled(element, key));
    }
    record.put("action", json!(action(change)));
    record.put("actions", change["actions"].clone());
    record.copy("action_reason", filled(element, "action_reason"));
    record.copy("deferred_reason", deferred_reason);
    record.paths_of(change, false);
    record.list(
        "replace_paths",
        elements(&change["replace_paths"])
            .map(|path| json!(replace_path(path, &secret_places(change))))
            .collect(),
    );
    if let Some(importing) = given(change, "importing") {
        let mut shown = masked(importing, &secrets(change));
        // `unknown` is a keyword of the format, not a value.
        if let Some(word @ Value::Bool(_)) = importing.get("unknown") {
            shown["unknown"] = word.clone();
        }
        record.put("importing", shown);
    }
    if given(change, "generated_config").is_some() {
        record.put("generated_config", json!(true));
    }
    record.into()
}

fn invocation(element: &Value) -> Value {
    let lifecycle = given(element, "lifecycle_action_trigger");
    let mut record = Fields::of("action_invocation");
    for key in ["address", "type", "name"] {
        record.copy(key, given(element, key));
    }
    if let Some(trigger) = lifecycle {
        record.put("trigger", json!("lifecycle"));
        record.copy("triggering_address", given(trigger, "triggering_resource_address"));
    } else if given(element, "invoke_action_trigger").is_some() {
        record.put("trigger", json!("invoke"));
    }
    record.into()
}

/// The members of a record, in order. A member without a value is left out.
struct Fields(Map<String, Value>);

impl Fields {
    fn of(kind: &str) -> Self {
        Self(Map::from_iter([("kind".to_owned(), json!(kind))]))
    }

    fn put(&mut self, key: &str, value: Value) {
        self.0.insert(key.to_owned(), value);
    }

    fn copy(&mut self, key: &str, value: Option<&Value>) {
        if let Some(value) = value {
            self.put(key, value.clone());
        }
    }

    fn list(&mut self, key: &str, list: Vec<Value>) {
        if !list.is_empty() {
            self.put(key, list.into());
        }
    }

    fn paths_of(&mut self, change: &Value, hides: bool) {
        let shown = |paths: BTreeSet<Path>| match hides {
            true => paths.into_iter().map(|_| Path::new()).collect(),
            false => paths,
        };
        let paths = [
            ("changed", shown(changed(change))),
            ("unknown", shown(unknown(change))),
            ("sensitive", sensitive(change)),
            ("sensitive_added", mark_changes(change, Mark::Added)),
            ("sensitive_removed", mark_changes(change, Mark::Removed)),
        ];
        for (key, paths) in paths {
            self.list(key, paths.iter().map(|path| json!(text(path))).collect());
        }
    }
}

impl From<Fields> for Value {
    fn from(fields: Fields) -> Self {
        Self::Object(fields.0)
    }
}

/// The counts of the summary record.
#[derive(Default)]
struct Summary {
    resource_changes: Map<String, Value>,
    resource_drift: Map<String, Value>,
    output_changes: Map<String, Value>,
    deferred_changes: Map<String, Value>,
    terraform: [usize; 5],
    moved: usize,
    unknown_paths: usize,
    sensitive_paths: usize,
    changed_paths: usize,
    checks: Map<String, Value>,
}

impl Summary {
    fn record(self, document: &Value, bytes: u64) -> Value {
        let mut record = Fields::of("summary");
        record.put("bytes", json!(bytes));
        record.put("resource_changes", self.resource_changes.into());
        record.put("resource_drift", self.resource_drift.into());
        record.put("output_changes", self.output_changes.into());
        record.put("deferred_changes", self.deferred_changes.into());
        let terraform = PLAN_LINE.into_iter().zip(self.terraform);
        record.put("terraform", terraform.map(|(key, sum)| (key, json!(sum))).collect());
        record.put("moved", json!(self.moved));
        record.put("unknown_paths", json!(self.unknown_paths));
        record.put("sensitive_paths", json!(self.sensitive_paths));
        record.put("changed_paths", json!(self.changed_paths));
        record.put("checks", self.checks.into());
        for key in ["applyable", "complete", "errored"] {
            record.copy(key, given(document, key));
        }
        let module = &document["planned_values"]["root_module"];
        let holds = |key: &str| module[key].as_array().is_some_and(|list| !list.is_empty());
        if (holds("resources") || holds("child_modules")) && document["resource_changes"].is_null()
        {
            record.put("lacks_resource_changes", json!(true));
        }
        record.copy("timestamp", given(document, "timestamp"));
        record.into()
    }
}

/// The numbers that an element adds to the counts of the plan line, in the order of [`PLAN_LINE`].
fn plan_line(element: &Value) -> [usize; 5] {
    let change = &element["change"];
    let mode = given(element, "mode").and_then(Value::as_str).unwrap_or("managed");
    let import = usize::from(given(change, "importing").is_some());
    match words(change)[..] {
        _ if mode == "ephemeral" => [0; 5],
        ["create"] | ["create", "forget"] => [import, 1, 0, 0, 0],
        ["update"] => [import, 0, 1, 0, 0],
        ["delete"] => [import, 0, 0, usize::from(mode == "managed"), 0],
        ["delete", "create"] | ["create", "delete"] => [import, 1, 0, 1, 0],
        ["forget", "create"] => [import, 1, 0, 0, 1],
        ["forget"] => [import, 0, 0, 0, 1],
        // An unknown list of actions counts as each of its actions.
        ref others => {
            let has = |word| usize::from(others.contains(&word));
            let destroy = if mode == "managed" { has("delete") } else { 0 };
            [import, has("create"), has("update"), destroy, has("forget")]
        }
    }
}

fn count(counts: &mut Map<String, Value>, word: &str) {
    let so_far = counts.get(word).and_then(Value::as_u64).unwrap_or(0);
    counts.insert(word.to_owned(), json!(so_far + 1));
}

/// The member, or `None` if it is absent or null.
pub fn given<'a>(object: &'a Value, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// Like `given`, for the keys whose empty text counts as absent.
pub fn filled<'a>(object: &'a Value, key: &str) -> Option<&'a Value> {
    let can_be_empty =
        matches!(key, "previous_address" | "module_address" | "deposed" | "action_reason");
    given(object, key).filter(|value| !can_be_empty || **value != json!(""))
}

pub fn elements(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

pub fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

pub fn words(change: &Value) -> Vec<&str> {
    elements(&change["actions"]).map(|word| word.as_str().expect("an action is a word")).collect()
}

pub fn action(change: &Value) -> String {
    match words(change)[..] {
        ["delete", "create"] | ["create", "delete"] => "replace".to_owned(),
        ["create", "forget"] | ["forget", "create"] => "replace".to_owned(),
        ref words => words.join("+"),
    }
}

pub fn moves(element: &Value) -> bool {
    filled(element, "previous_address").is_some_and(|previous| *previous != element["address"])
}

/// Collects the paths at which an overlay is exactly `true`.
fn marked(overlay: &Value, at: &mut Path, found: &mut BTreeSet<Path>) {
    if *overlay == json!(true) {
        found.insert(at.clone());
    }
    for (step, inner) in children(overlay) {
        at.push(step);
        marked(inner, at, found);
        at.pop();
    }
}

pub fn children(value: &Value) -> Vec<(Step, &Value)> {
    match value {
        Value::Object(members) => {
            members.iter().map(|(key, inner)| (Step::Key(key.clone()), inner)).collect()
        }
        Value::Array(elements) => {
            elements.iter().enumerate().map(|(index, inner)| (Step::Index(index), inner)).collect()
        }
        _ => Vec::new(),
    }
}

fn unknown(change: &Value) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    marked(&change["after_unknown"], &mut Path::new(), &mut found);
    cut(found, change)
}

pub fn sensitive(change: &Value) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    for side in ["before_sensitive", "after_sensitive"] {
        marked(&change[side], &mut Path::new(), &mut found);
    }
    let covered = |path: &Path| (0..path.len()).any(|len| found.contains(&path[..len]));
    found.iter().filter(|path| !covered(path)).cloned().collect()
}

fn changed(change: &Value) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    if let (Some(before), Some(after)) = (given(change, "before"), given(change, "after")) {
        let unknown = change.get("after_unknown");
        compare(Some(before), Some(after), unknown, &mut Path::new(), &mut found);
    }
    cut(found, change)
}

/// Whether a value or anything inside it changes.
pub fn is_changed(before: &Value, after: &Value, unknown: &Value) -> bool {
    let mut found = BTreeSet::new();
    compare(Some(before), Some(after), Some(unknown), &mut Path::new(), &mut found);
    !found.is_empty()
}

/// Replaces paths below a sensitive path by that path: the keys of a map that is marked as a whole
/// are secret, too.
fn cut(paths: BTreeSet<Path>, change: &Value) -> BTreeSet<Path> {
    let marks = secret_places(change);
    let cut = |path: Path| {
        let above = (0..path.len()).find(|&len| marks.contains(&path[..len]));
        path[..above.unwrap_or(path.len())].to_vec()
    };
    paths.into_iter().map(cut).collect()
}

/// Rules 1 to 6 of docs/format/records.md, section 9. A side is `None` if the member is absent.
fn compare(
    before: Option<&Value>,
    after: Option<&Value>,
    unknown: Option<&Value>,
    at: &mut Path,
    found: &mut BTreeSet<Path>,
) {
    let steps: BTreeSet<Step> = match (before, after) {
        _ if unknown == Some(&json!(true)) => BTreeSet::new(),
        (Some(Value::Object(_)), Some(Value::Object(_))) => [before, after, unknown]
            .into_iter()
            .flatten()
            .flat_map(children)
            .map(|(step, _)| step)
            .filter(|step| matches!(step, Step::Key(_)))
            .collect(),
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            (0..old.len()).map(Step::Index).collect()
        }
        _ => BTreeSet::new(),
    };
    for step in steps {
        let [before, after, unknown] =
            [before, after, unknown].map(|side| side.and_then(|side| inner(side, &step)));
        at.push(step);
        compare(before, after, unknown, at, found);
        at.pop();
    }
    if differs(before, after, unknown) {
        found.insert(at.clone());
    }
}

/// Whether the value itself changes, regardless of its members.
fn differs(before: Option<&Value>, after: Option<&Value>, unknown: Option<&Value>) -> bool {
    let is_open = unknown.is_some_and(holds_true);
    match (before, after) {
        _ if unknown == Some(&json!(true)) => true,
        (Some(Value::Object(_)), Some(Value::Object(_))) => false,
        (Some(Value::Array(old)), Some(Value::Array(new))) => old.len() != new.len(),
        (Some(Value::Number(old)), Some(Value::Number(new))) => {
            decimal(old) != decimal(new) || is_open
        }
        _ => before != after || is_open,
    }
}

/// The value at a step, or null if there is none.
pub fn child<'a>(value: &'a Value, step: &Step) -> &'a Value {
    inner(value, step).unwrap_or(&Value::Null)
}

fn inner<'a>(value: &'a Value, step: &Step) -> Option<&'a Value> {
    match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    }
}

pub fn holds_true(overlay: &Value) -> bool {
    *overlay == json!(true) || children(overlay).iter().any(|(_, inner)| holds_true(inner))
}

/// A number as its sign, its digits without leading and trailing zeros, and the power of ten of the
/// last digit. Zero has no digits and one form.
pub fn decimal(number: &Number) -> (bool, String, i128) {
    let text = number.to_string();
    let magnitude = text.trim_start_matches('-');
    let (mantissa, power) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() - significant.len();
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return (false, String::new(), 0);
    }
    let power: i128 = power.parse().expect("an exponent of less than 39 digits");
    let exponent = power + zeros as i128 - fraction.len() as i128;
    (text.starts_with('-'), significant.to_owned(), exponent)
}

pub fn text(path: &[Step]) -> String {
    path.iter().fold(String::new(), |so_far, step| match step {
        Step::Index(index) => so_far + &format!("[{index}]"),
        Step::Key(key) => with_key(so_far, key),
    })
}

/// Appends a key to a path. An identifier stands without quotes, after a dot unless it is the first
/// step.
fn with_key(so_far: String, key: &str) -> String {
    let first = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let ident = first && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match (ident, so_far.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => so_far + "." + key,
        (false, _) => so_far + &format!("[{}]", json!(key)),
    }
}

/// The text of an entry of `replace_paths`, up to a sensitive path.
pub fn replace_path(path: &Value, sensitive: &BTreeSet<Path>) -> String {
    let mut at = Some(Path::new());
    let mut so_far = String::new();
    for step in elements(path) {
        let number = step.as_number().and_then(|index| index.to_string().parse::<u32>().ok());
        let (known, text) = match (step, number) {
            (Value::String(key), _) => {
                (Some(Step::Key(key.clone())), with_key(so_far.clone(), key))
            }
            (_, Some(index)) => (Some(Step::Index(index as usize)), format!("{so_far}[{index}]")),
            _ => (None, format!("{so_far}[*]")),
        };
        // An overlay may mark an element of a set, and the step may then be the secret element
        // itself. So the text ends before a step whose kind differs from that of a mark.
        let has_other_kind = |place: &Path, at: &Path| {
            !matches!(
                (place.get(at.len()), &known),
                (Some(Step::Key(_)), Some(Step::Key(_)))
                    | (Some(Step::Index(_)), Some(Step::Index(_)))
            )
        };
        if let Some(at) = &at
            && sensitive.iter().any(|place| place.starts_with(at) && has_other_kind(place, at))
        {
            break;
        }
        so_far = text;
        at = at.zip(known).map(|(at, step)| [at, vec![step]].concat());
    }
    so_far
}

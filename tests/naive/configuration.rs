//! The oracle for configurations: their elements, the block of a resource and what depends on an
//! element, computed from the whole tree.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// A member of a module's configuration that declares an element, and the module.
struct Module<'d> {
    /// The names of the calls that lead to the module.
    calls: Vec<&'d str>,
    tree: &'d Value,
}

impl Module<'_> {
    fn address(&self) -> String {
        self.calls.iter().map(|call| format!("module.{call}")).collect::<Vec<_>>().join(".")
    }

    fn path(&self) -> String {
        let steps = self.calls.iter().map(|call| match is_word(call) {
            true => format!(".module_calls.{call}.module"),
            false => format!(".module_calls[{}].module", quoted(call)),
        });
        format!("root_module{}", steps.collect::<String>())
    }

    fn inside(&self, local: &str) -> String {
        let module = self.address();
        if module.is_empty() { local.to_owned() } else { format!("{module}.{local}") }
    }
}

/// The elements of the configuration of a document, in the order in which they end.
pub fn elements(document: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    for (key, part) in members(&document["configuration"]) {
        match key.as_str() {
            "provider_config" => {
                found.extend(members(part).filter(|(_, it)| it.is_object()).map(provider));
            }
            "root_module" => module(&Module { calls: Vec::new(), tree: part }, &mut found),
            _ => {}
        }
    }
    found
}

fn module(module: &Module<'_>, found: &mut Vec<Value>) {
    for (key, part) in members(module.tree) {
        match key.as_str() {
            "resources" => {
                let resources = elements_of(part).iter().enumerate();
                found.extend(resources.filter_map(|(at, tree)| resource(module, at, tree)));
            }
            "actions" => found.extend(elements_of(part).iter().filter_map(|it| action(module, it))),
            "outputs" => {
                let outputs = members(part).filter(|(_, it)| it.is_object());
                found.extend(outputs.map(|(name, tree)| output(module, name, tree)));
            }
            "variables" => {
                let variables = members(part).filter(|(_, it)| it.is_object());
                found.extend(variables.map(|(name, tree)| variable(module, name, tree)));
            }
            "module_calls" => {
                for (name, tree) in members(part).filter(|(_, it)| it.is_object()) {
                    let calls = module.calls.iter().copied().chain([name.as_str()]).collect();
                    let called = Module { calls, tree: &tree["module"] };
                    self::module(&called, found);
                    found.push(call(module, &called, name, tree));
                }
            }
            _ => {}
        }
    }
}

fn provider((key, tree): (&String, &Value)) -> Value {
    let mut record = Map::new();
    record.insert("kind".into(), json!("provider"));
    record.insert("address".into(), json!(format!("provider.{key}")));
    copy(&mut record, "module_address", &tree["module_address"]);
    if record.get("module_address") == Some(&json!("")) {
        record.shift_remove("module_address");
    }
    copy(&mut record, "name", &tree["name"]);
    record.insert("provider_config_key".into(), json!(key));
    for key in ["full_name", "alias", "version_constraint"] {
        copy(&mut record, key, &tree[key]);
    }
    let mut list = Vec::new();
    expressions(&tree["expressions"], "", &mut list);
    put_list(&mut record, "expressions", list);
    Value::Object(record)
}

fn resource(module: &Module<'_>, at: usize, tree: &Value) -> Option<Value> {
    let address = tree["address"].as_str()?;
    let mut record = declared(module, "resource", address);
    let path = format!("{}.resources[{at}]", module.path());
    record.insert("config_address".into(), json!(path));
    for key in ["mode", "type", "name", "provider_config_key"] {
        copy(&mut record, key, &tree[key]);
    }
    let mut list = Vec::new();
    expressions(&tree["expressions"], "", &mut list);
    let mut types = Vec::new();
    for (at, provisioner) in elements_of(&tree["provisioners"]).iter().enumerate() {
        types.push(json!(provisioner["type"].as_str().unwrap_or_default()));
        let path = format!("provisioners[{at}]");
        expressions(&provisioner["expressions"], &path, &mut list);
    }
    repetition(tree, &mut list);
    put_list(&mut record, "provisioners", types);
    put_list(&mut record, "depends_on", elements_of(&tree["depends_on"]).to_vec());
    put_list(&mut record, "expressions", list);
    Some(Value::Object(record))
}

fn action(module: &Module<'_>, tree: &Value) -> Option<Value> {
    let mut record = declared(module, "action", tree["address"].as_str()?);
    for key in ["type", "name", "provider_config_key"] {
        copy(&mut record, key, &tree[key]);
    }
    let mut list = Vec::new();
    repetition(tree, &mut list);
    put_list(&mut record, "expressions", list);
    Some(Value::Object(record))
}

fn output(module: &Module<'_>, name: &str, tree: &Value) -> Value {
    let mut record = declared(module, "output", &format!("output.{name}"));
    record.insert("name".into(), json!(name));
    flag(&mut record, "sensitive", tree["sensitive"] == true);
    put_list(&mut record, "depends_on", elements_of(&tree["depends_on"]).to_vec());
    let mut list = Vec::new();
    lone("expression", &tree["expression"], &mut list);
    put_list(&mut record, "expressions", list);
    Value::Object(record)
}

fn variable(module: &Module<'_>, name: &str, tree: &Value) -> Value {
    let mut record = declared(module, "variable", &format!("var.{name}"));
    record.insert("name".into(), json!(name));
    flag(&mut record, "sensitive", tree["sensitive"] == true);
    flag(&mut record, "required", tree.get("default").is_none());
    Value::Object(record)
}

fn call(caller: &Module<'_>, called: &Module<'_>, name: &str, tree: &Value) -> Value {
    let mut record = declared(caller, "module_call", "");
    record.insert("address".into(), json!(called.address()));
    record.insert("name".into(), json!(name));
    copy(&mut record, "module_source", &tree["source"]);
    copy(&mut record, "version_constraint", &tree["version_constraint"]);
    put_list(&mut record, "depends_on", elements_of(&tree["depends_on"]).to_vec());
    let mut list = Vec::new();
    expressions(&tree["expressions"], "", &mut list);
    repetition(tree, &mut list);
    put_list(&mut record, "expressions", list);
    Value::Object(record)
}

fn declared(module: &Module<'_>, kind: &str, local: &str) -> Map<String, Value> {
    let mut record = Map::new();
    record.insert("kind".into(), json!(kind));
    record.insert("address".into(), json!(module.inside(local)));
    if !module.calls.is_empty() {
        record.insert("module_address".into(), json!(module.address()));
    }
    record
}

fn repetition(tree: &Value, list: &mut Vec<Value>) {
    lone("count", &tree["count_expression"], list);
    lone("for_each", &tree["for_each_expression"], list);
}

fn lone(path: &str, tree: &Value, list: &mut Vec<Value>) {
    if !tree.is_null() {
        list.push(expression(path, tree));
    }
}

/// The record of an expression.
fn expression(path: &str, tree: &Value) -> Value {
    let mut record = Map::new();
    record.insert("path".into(), json!(path));
    let references = if is_expression(tree) { elements_of(&tree["references"]) } else { &[] };
    put_list(&mut record, "references", references.to_vec());
    Value::Object(record)
}

/// Whether a tree is an expression, and no block: section 8 of docs/format/plan.md.
fn is_expression(tree: &Value) -> bool {
    let Some(members) = tree.as_object() else { return !tree.is_array() };
    members.iter().all(|(key, value)| match key.as_str() {
        "constant_value" => true,
        "references" => {
            value.is_null()
                || value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
        }
        _ => false,
    })
}

fn expressions(block: &Value, path: &str, list: &mut Vec<Value>) {
    for (key, part) in members(block) {
        let path = match (path, is_word(key)) {
            ("", true) => key.clone(),
            (_, true) => format!("{path}.{key}"),
            (_, false) => format!("{path}[{}]", quoted(key)),
        };
        below(part, &path, list);
    }
}

fn below(part: &Value, path: &str, list: &mut Vec<Value>) {
    if let Some(blocks) = part.as_array() {
        for (at, block) in blocks.iter().enumerate() {
            nested(block, &format!("{path}[{at}]"), list);
        }
    } else if is_expression(part) {
        list.push(expression(path, part));
    } else {
        nested(part, path, list);
    }
}

/// The expressions of a nested block, in which `constant_value` is no attribute.
fn nested(block: &Value, path: &str, list: &mut Vec<Value>) {
    let Some(members) = block.as_object() else { return };
    let mut rest = members.clone();
    rest.shift_remove("constant_value");
    expressions(&Value::Object(rest), path, list);
}

/// What the block of a resource instance says: the members that `changes --with-config` adds.
pub fn block(document: &Value, address: &str) -> Value {
    let configuration = &document["configuration"];
    let mut names = without_keys(address);
    let mut record = Map::new();
    let (mut tree, mut path) = (&configuration["root_module"], "root_module".to_owned());
    while names.len() > 2 && names[0] == "module" {
        let call = &tree["module_calls"][&names[1]];
        record.clear();
        copy(&mut record, "module_source", &call["source"]);
        copy(&mut record, "module_version_constraint", &call["version_constraint"]);
        path += &format!(".module_calls.{}.module", names[1]);
        tree = &call["module"];
        names.drain(..2);
    }
    let local = names.join(".");
    let resources = elements_of(&tree["resources"]);
    if let Some(at) = resources.iter().position(|it| it["address"] == local.as_str()) {
        record.insert("config_address".into(), json!(format!("{path}.resources[{at}]")));
        if let Some(key) = resources[at]["provider_config_key"].as_str() {
            record.insert("provider_config_key".into(), json!(key));
            match configuration["provider_config"].get(key) {
                Some(provider) => copy(&mut record, "provider_alias", &provider["alias"]),
                None => {
                    let local = key.rsplit(':').next().unwrap_or_default();
                    let alias = local.split_once('.').map(|(_, alias)| alias);
                    copy(&mut record, "provider_alias", &json!(alias));
                }
            }
        }
    }
    Value::Object(record)
}

/// The addresses of the elements that depend on the element with this address.
pub fn dependents(document: &Value, address: &str) -> BTreeSet<String> {
    let elements = elements(document);
    let declared = elements.iter().filter_map(|element| element["address"].as_str()).collect();
    let mut affected = Affected { all: BTreeSet::from([address.to_owned()]), declared };
    loop {
        let before = affected.all.len();
        for element in &elements {
            let new = newly_affected(element, &affected);
            affected.all.extend(new);
        }
        if affected.all.len() == before {
            break;
        }
    }
    let Affected { all, declared } = affected;
    all.into_iter().filter(|it| it != address && declared.contains(&**it)).collect()
}

/// The affected addresses. They may have variables that no module declares.
struct Affected<'e> {
    all: BTreeSet<String>,
    /// The addresses of the elements.
    declared: BTreeSet<&'e str>,
}

/// What an element adds to the affected addresses: its own, or those of variables that it sets.
fn newly_affected(element: &Value, affected: &Affected<'_>) -> Vec<String> {
    let module = element["module_address"].as_str().unwrap_or_default();
    let own = element["address"].as_str().expect("an address");
    let is_used = |reference: &str| is_affected(reference, module, affected);
    let mut new = Vec::new();
    if any(elements_of(&element["depends_on"]), &is_used) || affected.all.contains(module) {
        new.push(own.to_owned());
    }
    for expression in elements_of(&element["expressions"]) {
        if any(elements_of(&expression["references"]), &is_used) {
            let path = expression["path"].as_str().expect("a path");
            let is_argument = is_call(element) && !matches!(path, "count" | "for_each");
            let end = path.find(['.', '[']).unwrap_or(path.len());
            let argument = format!("{own}.var.{}", &path[..end]);
            new.push(if is_argument { argument } else { own.to_owned() });
        }
    }
    let key = element["provider_config_key"].as_str().filter(|_| element["kind"] != "provider");
    if key.is_some_and(|key| affected.all.contains(&format!("provider.{key}"))) {
        new.push(own.to_owned());
    }
    new
}

/// Whether an affected element is what a reference in a module leads to.
fn is_affected(reference: &str, module: &str, affected: &Affected<'_>) -> bool {
    let names = without_keys(reference);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let local = match names[..] {
        ["each" | "count" | "path" | "terraform" | "tofu" | "self", ..] => return false,
        ["module", call] => {
            let call = inside(module, &format!("module.{call}"));
            let members = format!("{call}.");
            let is_member =
                |it: &String| it.starts_with(&members) && affected.declared.contains(&**it);
            return affected.all.contains(&call) || affected.all.iter().any(is_member);
        }
        ["module", call, output, ..] => format!("module.{call}.output.{output}"),
        ["data" | "ephemeral" | "action", a, b, ..] => format!("{}.{a}.{b}", names[0]),
        ["data" | "ephemeral" | "action" | "module", ..] => return false,
        [a, b, ..] => format!("{a}.{b}"),
        _ => return false,
    };
    affected.all.contains(&inside(module, &local))
}

fn is_call(element: &Value) -> bool {
    element["kind"] == "module_call"
}

fn inside(module: &str, local: &str) -> String {
    if module.is_empty() { local.to_owned() } else { format!("{module}.{local}") }
}

/// Whether the first reference of a traversal is used. Later ones repeat it without its last steps.
fn any(references: &[Value], is_used: &impl Fn(&str) -> bool) -> bool {
    let texts: Vec<&str> = references.iter().filter_map(Value::as_str).collect();
    texts.iter().enumerate().any(|(at, text)| {
        let is_repeated = at > 0
            && texts[at - 1].len() > text.len()
            && texts[at - 1].starts_with(text)
            && matches!(texts[at - 1].as_bytes()[text.len()], b'.' | b'[');
        !is_repeated && is_used(text)
    })
}

/// The names of an address or reference.
fn without_keys(address: &str) -> Vec<String> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    for character in address.chars() {
        let was_escaped = std::mem::take(&mut is_escaped);
        match character {
            _ if was_escaped => {}
            '\\' if is_quoted => is_escaped = true,
            '"' if depth > 0 => is_quoted = !is_quoted,
            '[' if depth == 0 => depth = 1,
            ']' if depth > 0 && !is_quoted => depth = 0,
            '.' if depth == 0 => names.push(std::mem::take(&mut name)),
            character if depth == 0 => name.push(character),
            _ => {}
        }
    }
    names.push(name);
    names.retain(|name| !name.is_empty());
    names
}

fn copy(record: &mut Map<String, Value>, key: &str, value: &Value) {
    if !value.is_null() {
        record.insert(key.into(), value.clone());
    }
}

fn flag(record: &mut Map<String, Value>, key: &str, is_set: bool) {
    if is_set {
        record.insert(key.into(), json!(true));
    }
}

fn put_list(record: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    if !list.is_empty() {
        record.insert(key.into(), Value::Array(list));
    }
}

fn members(tree: &Value) -> impl Iterator<Item = (&String, &Value)> {
    tree.as_object().into_iter().flatten()
}

fn elements_of(tree: &Value) -> &[Value] {
    tree.as_array().map_or(&[], Vec::as_slice)
}

fn is_word(key: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let first = key.chars().next();
    first.is_some_and(|it| it.is_ascii_alphabetic() || it == '_') && key.chars().all(is_part)
}

fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}

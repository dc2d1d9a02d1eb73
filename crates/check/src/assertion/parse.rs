//! Reads assertions from the tree of a file.

use super::bounds::Bounds;
use super::node::{FileError, Member, Node, NodeKind, boolean, text, unknown_key, unknown_word};
use super::read::{Syntax, read};
use super::subject::{
    Action, Assertion, Condition, DEFERRAL_REASONS, DocumentSelector, Expectation, PlanState,
    Reference, Severity, Subject, ValueSelector,
};
use super::values::{bounds, matcher, misplaced_key, transition};
use plansift_core::error::Error;
use plansift_core::path::{
    AddressPattern, AttributePath, AttributeQuery, DECODERS, DocumentPath, refuse_document,
    split_document,
};

/// Maximum number of assertions in a file.
pub(super) const ASSERTIONS_MAX: usize = 100_000;

/// The subject that a key is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Any,
    Plan,
    Resources,
    Resource,
    Change,
    Value,
}

const KEYS: [(&str, Scope); 24] = [
    ("name", Scope::Any),
    ("resource", Scope::Any),
    ("output", Scope::Any),
    ("plan", Scope::Plan),
    ("only", Scope::Plan),
    ("count", Scope::Resources),
    ("when", Scope::Any),
    ("path", Scope::Any),
    ("path_style", Scope::Any),
    ("action", Scope::Change),
    ("not_action", Scope::Change),
    ("known", Scope::Value),
    ("before", Scope::Value),
    ("change", Scope::Value),
    ("not_change", Scope::Value),
    ("unknown", Scope::Value),
    ("sensitive", Scope::Value),
    ("null", Scope::Value),
    ("unchanged", Scope::Value),
    ("absent", Scope::Value),
    ("deferred", Scope::Resource),
    ("severity", Scope::Any),
    ("message", Scope::Any),
    ("optional", Scope::Any),
];

/// Parses a file: a list of assertions, or a mapping with the key `assertions`.
///
/// # Errors
///
/// Fails at the first line that is wrong.
pub fn parse(text: &str, syntax: Syntax) -> Result<Vec<Assertion>, FileError> {
    let root = read(text, syntax)?;
    let mut is_dotted = false;
    let list = match root.kind {
        NodeKind::Mapping(members) => {
            let mut list = None;
            for Member { line, key, value } in members {
                match key.as_str() {
                    "assertions" => list = Some(value),
                    "path_style" => is_dotted = path_style(line, &value)?,
                    _ => return Err(unknown_key(line, &key, &["assertions", "path_style"])),
                }
            }
            list.ok_or_else(|| FileError::new(root.line, "the key `assertions` is missing"))?
        }
        _ => root,
    };
    let NodeKind::List(elements) = list.kind else {
        return Err(list.wrong("assertions", "a list"));
    };
    if elements.is_empty() {
        return Err(FileError::new(list.line, "there is no assertion: the list is empty"));
    }
    if elements.len() > ASSERTIONS_MAX {
        let text = format!("there are more than {ASSERTIONS_MAX} assertions");
        return Err(FileError::new(list.line, text));
    }
    elements.into_iter().map(|element| assertion(element, is_dotted)).collect()
}

/// Parses one assertion as YAML, with or without braces: `resource: a.b, action: no-op`.
///
/// # Errors
///
/// Fails if the assertion is wrong.
pub fn parse_one(text: &str) -> Result<Assertion, FileError> {
    let text = text.trim();
    let is_whole = text.starts_with('{') || text.contains('\n');
    let read = match is_whole {
        true => read(text, Syntax::Yaml),
        false => read(&format!("{{{text}}}"), Syntax::Yaml),
    };
    let node = read.map_err(|error| match text.contains('[') {
        true => FileError::new(
            error.line,
            format!("{}: put an address or a path with brackets in quotes: \"a.b[0]\"", error.text),
        ),
        false => error,
    })?;
    assertion(node, false)
}

/// The parts of an assertion that have been read so far.
#[derive(Default)]
struct Parts {
    line: usize,
    name: Option<String>,
    resource: Option<String>,
    output: Option<String>,
    path: Option<(usize, Node)>,
    is_dotted: bool,
    expectations: Vec<Expectation>,
    severity: Severity,
    message: Option<String>,
    is_optional: bool,
    when: Option<Node>,
    keys: Vec<(&'static str, Scope)>,
}

fn assertion(node: Node, is_dotted: bool) -> Result<Assertion, FileError> {
    let NodeKind::Mapping(members) = node.kind else {
        return Err(node.wrong("an assertion", "a mapping"));
    };
    let mut parts = Parts { line: node.line, is_dotted, ..Parts::default() };
    for member in members {
        parts.add(member)?;
    }
    parts.finish()
}

impl Parts {
    fn add(&mut self, Member { line, key, value }: Member) -> Result<(), FileError> {
        match key.as_str() {
            "name" => self.name = Some(text(&value, "name")?),
            "message" => self.message = Some(text(&value, "message")?),
            "resource" => self.resource = Some(text(&value, "resource")?),
            "output" => self.output = Some(text(&value, "output")?),
            "optional" => self.is_optional = boolean(&value, "optional")?,
            "severity" => {
                let words = [("error", Severity::Error), ("warning", Severity::Warning)];
                self.severity = meaning(line, "severity", &text(&value, "severity")?, &words)?;
            }
            "when" => self.when = Some(value),
            "path" => self.path = Some((line, value)),
            "path_style" => self.is_dotted = path_style(line, &value)?,
            _ => self.add_expectation(line, &key, &value)?,
        }
        Ok(())
    }

    fn add_expectation(&mut self, line: usize, key: &str, value: &Node) -> Result<(), FileError> {
        let Some(&(key, scope)) = KEYS.iter().find(|(known, _)| *known == key) else {
            return Err(misplaced_key(line, key, &KEYS.map(|(key, _)| key), "known"));
        };
        self.keys.push((key, scope));
        let flag = |expectation: fn(bool) -> Expectation| boolean(value, key).map(expectation);
        self.expectations.push(match key {
            "plan" => {
                let word = text(value, "plan")?;
                Expectation::Plan(meaning(line, "plan", &word, &PlanState::WORDS)?)
            }
            "only" => {
                let texts = texts(value, "only")?;
                let patterns = texts.iter().map(|text| pattern(line, text));
                Expectation::Only(patterns.collect::<Result<_, _>>()?)
            }
            "count" => count(value)?,
            "action" => Expectation::Action(actions(value, line)?),
            "not_action" => Expectation::NotAction(actions(value, line)?),
            "deferred" => deferred(value, line)?,
            "known" => Expectation::Known(matcher(value)?),
            "before" => Expectation::Before(matcher(value)?),
            "change" => Expectation::Change(transition(value, key)?),
            "not_change" => Expectation::NotChange(transition(value, key)?),
            "unknown" => flag(Expectation::Unknown)?,
            "sensitive" => flag(Expectation::Sensitive)?,
            "null" => flag(Expectation::Null)?,
            "unchanged" => flag(Expectation::Unchanged)?,
            "absent" => flag(Expectation::Absent)?,
            _ => return Ok(()),
        });
        Ok(())
    }

    fn first(&self, scope: Scope) -> Option<&'static str> {
        self.keys.iter().find(|(_, known)| *known == scope).map(|(key, _)| *key)
    }

    fn subject(&self) -> Result<Subject, FileError> {
        Ok(match (&self.resource, &self.output) {
            (Some(text), _) => match text.strip_prefix("output.") {
                Some(name) => Subject::Output(of_output(self.line, name)?),
                None => Subject::Resource(pattern(self.line, text)?),
            },
            (_, Some(text)) => {
                let name = text.strip_prefix("output.").unwrap_or(text);
                Subject::Output(of_output(self.line, name)?)
            }
            _ => Subject::Plan,
        })
    }

    /// Returns an error message if the keys do not fit the subject.
    fn misuse(&self, subject: &Subject) -> Option<String> {
        let of_one = [Scope::Value, Scope::Change, Scope::Resource];
        let of_one = of_one.into_iter().find_map(|scope| self.first(scope));
        let is_plan = matches!(subject, Subject::Plan);
        let is_output = matches!(subject, Subject::Output(_));
        if self.expectations.is_empty() {
            Some("the assertion expects nothing: add a key like `action` or `known`".to_owned())
        } else if self.resource.is_some() && self.output.is_some() {
            Some("the assertion is about a resource and an output: make two".to_owned())
        } else if let (false, Some(key)) = (is_plan, self.first(Scope::Plan)) {
            Some(format!("`{key}` is about the plan: it needs no resource and no output"))
        } else if let (true, Some(key)) = (is_plan, of_one) {
            Some(format!("`{key}` needs a `resource` or an `output`"))
        } else if is_plan && self.when.is_some() {
            Some("`when` needs a `resource` or an `output`".to_owned())
        } else if self.when.is_some() && self.first(Scope::Resources).is_some() {
            Some("`count` counts all resources of the pattern: it goes without `when`".to_owned())
        } else if let (true, Some(key)) = (is_output, self.first(Scope::Resource)) {
            Some(format!("`{key}` is about a resource, not an output"))
        } else {
            let counts = is_output && self.first(Scope::Resources).is_some();
            counts.then(|| "`count` is about resources, not an output".to_owned())
        }
    }

    fn finish(mut self) -> Result<Assertion, FileError> {
        let subject = self.subject()?;
        if let Some(text) = self.misuse(&subject) {
            return Err(FileError::new(self.line, text));
        }
        let path = self.value_selector(&subject)?;
        let when = self.when.take().map(|node| condition(node, self.is_dotted, &subject));
        let when = when.transpose()?;
        let Parts { line, name, expectations, severity, message, is_optional, .. } = self;
        Ok(Assertion {
            name: name.unwrap_or_else(|| named(&subject, &path, &expectations)),
            file: String::new(),
            is_of_pack: false,
            line,
            subject,
            when,
            path,
            expectations,
            severity,
            message,
            is_optional,
        })
    }

    /// Reads the path of the values that the assertion or condition is about.
    fn value_selector(&mut self, subject: &Subject) -> Result<ValueSelector, FileError> {
        let Some((line, node)) = self.path.take() else {
            return Ok(ValueSelector::At(AttributePath::root()));
        };
        if self.first(Scope::Value).is_none() {
            let text = "`path` needs a key about a value, like `known` or `unchanged`";
            return Err(FileError::new(line, text));
        }
        let path = path(&node, self.is_dotted)?;
        if matches!(subject, Subject::Resource(_)) && path.begins_with_index() {
            let text = "the path can never match: the values of a resource are an object, so \
                        begin with an attribute";
            return Err(FileError::new(line, text));
        }
        Ok(path)
    }
}

/// Reads the condition of an assertion, such as `{path: engine, before: postgres}`.
fn condition(node: Node, is_dotted: bool, subject: &Subject) -> Result<Condition, FileError> {
    let NodeKind::Mapping(members) = node.kind else {
        return Err(node.wrong("when", "a mapping like {path: engine, before: postgres}"));
    };
    let scopes = [Scope::Value, Scope::Change, Scope::Resource];
    let of_item =
        KEYS.iter().filter(|(key, scope)| key.starts_with("path") || scopes.contains(scope));
    let keys: Vec<&str> = of_item.map(|(key, _)| *key).chain([REFERS_TO]).collect();
    let mut parts = Parts { line: node.line, is_dotted, ..Parts::default() };
    let mut refers_to = None;
    for member in members {
        if !keys.contains(&member.key.as_str()) {
            return Err(misplaced_key(member.line, &member.key, &keys, "known"));
        }
        if member.key == REFERS_TO {
            parts.keys.push((REFERS_TO, Scope::Value));
            refers_to = Some(reference(member.value, is_dotted)?);
            continue;
        }
        parts.add(member)?;
    }
    if parts.expectations.is_empty() && refers_to.is_none() {
        let text = "the condition expects nothing: add a key like `action` or `known`";
        return Err(FileError::new(parts.line, text));
    }
    if refers_to.is_some() && parts.path.is_none() && matches!(subject, Subject::Resource(_)) {
        let text = "`refers_to` is about a value: add the `path` of the value";
        return Err(FileError::new(parts.line, text));
    }
    if let (Subject::Output(_), Some(key)) = (subject, parts.first(Scope::Resource)) {
        let text = format!("`{key}` is about a resource, not an output");
        return Err(FileError::new(parts.line, text));
    }
    let path = parts.value_selector(subject)?;
    Ok(Condition { path, expectations: parts.expectations, refers_to })
}

/// The key of a condition about what a value refers to.
const REFERS_TO: &str = "refers_to";

/// Reads what a value refers to, such as `{resource: aws_security_group, attribute: id}`. The other
/// keys are a condition on that resource.
fn reference(node: Node, is_dotted: bool) -> Result<Reference, FileError> {
    let NodeKind::Mapping(members) = node.kind else {
        return Err(node.wrong(REFERS_TO, "a mapping like {resource: aws_security_group}"));
    };
    let (mut resource, mut attribute, mut rest) = (None, None, Vec::new());
    for member in members {
        match member.key.as_str() {
            "resource" => {
                let text = text(&member.value, "resource")?;
                resource = Some(pattern(member.line, &text)?);
            }
            "attribute" => attribute = Some(attribute_path(&member.value)?),
            REFERS_TO => {
                let text = "a reference leads to one resource, and no further";
                return Err(FileError::new(member.line, text));
            }
            _ => rest.push(member),
        }
    }
    let Some(resource) = resource else {
        return Err(FileError::new(node.line, "`refers_to` needs a `resource`"));
    };
    let subject = Subject::Resource(resource.clone());
    let rest =
        (!rest.is_empty()).then_some(Node { line: node.line, kind: NodeKind::Mapping(rest) });
    let condition = rest.map(|node| condition(node, is_dotted, &subject)).transpose()?;
    let attribute = attribute.unwrap_or_else(|| AttributePath::root().at_map_key("id"));
    Ok(Reference { resource, attribute, condition: condition.map(Box::new) })
}

fn attribute_path(node: &Node) -> Result<AttributePath, FileError> {
    AttributePath::parse(&text(node, "attribute")?).map_err(|_| {
        FileError::new(node.line, "`attribute` must be a path without wildcards, such as id")
    })
}

/// The default name of an assertion: the assertion in a few words.
fn named(subject: &Subject, path: &ValueSelector, expectations: &[Expectation]) -> String {
    let mut name = match subject {
        Subject::Resource(pattern) => pattern.text().to_owned(),
        Subject::Output(pattern) => format!("output {}", pattern.text()),
        Subject::Plan => "plan".to_owned(),
    };
    if !path.is_root() {
        name += &format!(": {}", path.text());
    }
    let words: Vec<String> = expectations.iter().map(super::values::words).collect();
    format!("{name}: {}", words.join(", "))
}

fn pattern(line: usize, text: &str) -> Result<AddressPattern, FileError> {
    AddressPattern::parse(text).map_err(|error| FileError::new(line, error.to_string()))
}

fn of_output(line: usize, name: &str) -> Result<AddressPattern, FileError> {
    match name.starts_with('@') {
        true => Err(FileError::new(line, "a set of types has no outputs")),
        false => Ok(AddressPattern::new(name)),
    }
}

/// Reads one string or a list of strings.
fn texts(node: &Node, name: &str) -> Result<Vec<String>, FileError> {
    match &node.kind {
        NodeKind::List(elements) => elements.iter().map(|element| text(element, name)).collect(),
        _ => Ok(vec![text(node, name)?]),
    }
}

/// Reads whether paths may have dotted numbers, as `tfjsonpath` prints them.
fn path_style(line: usize, node: &Node) -> Result<bool, FileError> {
    meaning(line, "path_style", &text(node, "path_style")?, &[("tfjson", true)])
}

fn path(node: &Node, is_dotted: bool) -> Result<ValueSelector, FileError> {
    let text = text(node, "path")?;
    let calls = DECODERS.map(|decoder| text.matches(&format!("{decoder}(")).count());
    if calls.iter().sum::<usize>() > DOCUMENTS_MAX {
        let text = format!("the path leads into more than {DOCUMENTS_MAX} nested documents");
        return Err(FileError::new(node.line, text));
    }
    selector(&text, is_dotted).map_err(|error| {
        if refuse_document(&text).is_some() {
            let text = "the path is invalid: write one like jsondecode(policy).Statement[*].Action \
                        or yamldecode(values).image.tag";
            return FileError::new(node.line, text);
        }
        let at = error.location().map_or(0, |location| location.offset);
        let hint = match AttributeQuery::parse_dotted(&text) {
            Ok(_) => "; add `path_style: tfjson` to write indices like ingress.0.port",
            Err(_) => "",
        };
        let text = format!(
            "the path is invalid at byte {at}: write one like tags.Name, ingress[*].port or \
             tags[\"a.b\"]{hint}"
        );
        FileError::new(node.line, text)
    })
}

/// Maximum number of documents in documents that a path leads into.
const DOCUMENTS_MAX: usize = 4;

fn selector(text: &str, is_dotted: bool) -> Result<ValueSelector, Error> {
    if let Some(DocumentPath { decoder, string, inside }) = split_document(text) {
        let inside = match inside {
            "" => ValueSelector::At(AttributePath::root()),
            inside => selector(inside, is_dotted)?,
        };
        let string = selector(string, is_dotted)?;
        return Ok(ValueSelector::Document(Box::new(DocumentSelector { decoder, string, inside })));
    }
    let concrete = match is_dotted {
        true => AttributeQuery::parse_dotted(text).map(ValueSelector::Dotted),
        false => AttributePath::parse(text).map(ValueSelector::At),
    };
    match concrete {
        Ok(path) => Ok(path),
        Err(error) => match AttributeQuery::parse(text) {
            Ok(query) => Ok(ValueSelector::Each(query)),
            Err(of_query) if text.contains('*') => Err(of_query),
            Err(_) => Err(error),
        },
    }
}

fn actions(node: &Node, line: usize) -> Result<Vec<Action>, FileError> {
    let words = texts(node, "action")?;
    words.iter().map(|word| meaning(line, "action", word, &Action::WORDS)).collect()
}

fn deferred(node: &Node, line: usize) -> Result<Expectation, FileError> {
    match &node.kind {
        NodeKind::Boolean(is_deferred) => Ok(Expectation::Deferred(*is_deferred)),
        NodeKind::Text(reason) if DEFERRAL_REASONS.contains(&reason.as_str()) => {
            Ok(Expectation::DeferredFor(reason.clone()))
        }
        NodeKind::Text(reason) => {
            Err(unknown_word(line, "reason", reason, &DEFERRAL_REASONS, "use"))
        }
        _ => Err(node.wrong("deferred", "true, false or a reason")),
    }
}

/// Reads a count, such as `{action: delete, max: 0}`.
fn count(node: &Node) -> Result<Expectation, FileError> {
    let NodeKind::Mapping(members) = &node.kind else {
        return Err(node.wrong("count", "a mapping like {action: delete, max: 0}"));
    };
    let mut counted = vec![Action::Change];
    let mut limits = Bounds::default();
    for Member { line, key, value } in members {
        match key.as_str() {
            "action" => counted = actions(value, *line)?,
            "min" | "max" => bounds(&mut limits, key, value)?,
            _ => return Err(unknown_key(*line, key, &["action", "min", "max"])),
        }
    }
    if limits == Bounds::default() {
        return Err(FileError::new(node.line, "`count` needs `min` or `max`"));
    }
    Ok(Expectation::Count(counted, limits))
}

/// Returns the meaning of a word, or an error that suggests a known word.
fn meaning<T: Copy>(
    line: usize,
    name: &str,
    word: &str,
    known: &[(&str, T)],
) -> Result<T, FileError> {
    let found = known.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    let words = || known.iter().map(|(word, _)| *word).collect::<Vec<_>>();
    found.ok_or_else(|| unknown_word(line, name, word, &words(), "use"))
}

//! Reads assertions from the tree of a file.

use super::bounds::Bounds;
use super::node::{FileError, Member, Node, NodeKind, boolean, shown, text, unknown_key};
use super::read::{Syntax, read};
use super::subject::{
    Action, Assertion, DEFERRAL_REASONS, Expectation, PlanState, Severity, Subject, Where,
};
use super::values::{bounds, matcher};
use crate::nearest::nearest;
use crate::path::{AddressPattern, AttributePath, AttributeQuery, AttributeStep, DottedPath};

/// Maximum number of assertions of a file.
const ASSERTIONS_MAX: usize = 100_000;

/// The keys of an assertion.
const KEYS: [&str; 19] = [
    "name",
    "resource",
    "output",
    "plan",
    "only",
    "count",
    "path",
    "path_style",
    "action",
    "not_action",
    "known",
    "unknown",
    "sensitive",
    "null",
    "unchanged",
    "absent",
    "deferred",
    "severity",
    "message",
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
            format!("{}: put an address with brackets in quotes: \"a.b[0]\"", error.text),
        ),
        false => error,
    })?;
    assertion(node, false)
}

/// The parts of an assertion, as they are read.
struct Parts {
    line: usize,
    name: Option<String>,
    resource: Option<String>,
    output: Option<String>,
    path: Option<(usize, Node)>,
    /// Whether a path may have dotted numbers.
    is_dotted: bool,
    expectations: Vec<Expectation>,
    severity: Severity,
    message: Option<String>,
    is_optional: bool,
    /// The first key about the plan as a whole.
    of_plan: Option<&'static str>,
    /// The first key about a value.
    of_value: Option<&'static str>,
    /// The first key about a change.
    of_change: Option<&'static str>,
    /// The first key about a resource only.
    of_resource: Option<&'static str>,
    has_count: bool,
}

fn assertion(node: Node, is_dotted: bool) -> Result<Assertion, FileError> {
    let NodeKind::Mapping(members) = node.kind else {
        return Err(node.wrong("an assertion", "a mapping"));
    };
    let mut parts = Parts {
        line: node.line,
        name: None,
        resource: None,
        output: None,
        path: None,
        is_dotted,
        expectations: Vec::new(),
        severity: Severity::Error,
        message: None,
        is_optional: false,
        of_plan: None,
        of_value: None,
        of_change: None,
        of_resource: None,
        has_count: false,
    };
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
                let word = text(&value, "severity")?;
                self.severity = match word.as_str() {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    _ => return Err(unknown_word(line, "severity", &word, &["error", "warning"])),
                };
            }
            "path" => self.path = Some((line, value)),
            "path_style" => self.is_dotted = path_style(line, &value)?,
            _ => self.add_expectation(line, &key, &value)?,
        }
        Ok(())
    }

    /// Adds an expectation.
    fn add_expectation(&mut self, line: usize, key: &str, value: &Node) -> Result<(), FileError> {
        let expectation = match key {
            "plan" => {
                self.of_plan.get_or_insert("plan");
                let word = text(value, "plan")?;
                let state = PlanState::WORDS.iter().find(|(known, _)| *known == word);
                let known = PlanState::WORDS.map(|(word, _)| word);
                let state = state.ok_or_else(|| unknown_word(line, "plan", &word, &known))?;
                Expectation::Plan(state.1)
            }
            "only" => {
                self.of_plan.get_or_insert("only");
                let texts = texts(value, "only")?;
                Expectation::Only(texts.iter().map(|text| AddressPattern::new(text)).collect())
            }
            "count" => {
                self.has_count = true;
                count(value)?
            }
            "action" | "not_action" => {
                self.of_change.get_or_insert(if key == "action" { "action" } else { "not_action" });
                let actions = actions(value, line)?;
                match key {
                    "action" => Expectation::Action(actions),
                    _ => Expectation::NotAction(actions),
                }
            }
            "deferred" => {
                self.of_resource.get_or_insert("deferred");
                match &value.kind {
                    NodeKind::Boolean(is_deferred) => Expectation::Deferred(*is_deferred),
                    NodeKind::Text(reason) if DEFERRAL_REASONS.contains(&reason.as_str()) => {
                        Expectation::DeferredFor(reason.clone())
                    }
                    NodeKind::Text(reason) => {
                        return Err(unknown_word(line, "reason", reason, &DEFERRAL_REASONS));
                    }
                    _ => return Err(value.wrong("deferred", "true, false or a reason")),
                }
            }
            "known" => {
                self.of_value.get_or_insert("known");
                Expectation::Known(matcher(value)?)
            }
            "unknown" => {
                self.of_value.get_or_insert("unknown");
                Expectation::Unknown(boolean(value, "unknown")?)
            }
            "sensitive" => {
                self.of_value.get_or_insert("sensitive");
                Expectation::Sensitive(boolean(value, "sensitive")?)
            }
            "null" => {
                self.of_value.get_or_insert("null");
                Expectation::Null(boolean(value, "null")?)
            }
            "unchanged" => {
                self.of_value.get_or_insert("unchanged");
                Expectation::Unchanged(boolean(value, "unchanged")?)
            }
            "absent" => {
                self.of_value.get_or_insert("absent");
                Expectation::Absent(boolean(value, "absent")?)
            }
            _ => {
                let keys: Vec<&str> = KEYS.into_iter().chain(["optional"]).collect();
                return Err(unknown_key(line, key, &keys));
            }
        };
        self.expectations.push(expectation);
        Ok(())
    }

    fn finish(self) -> Result<Assertion, FileError> {
        let error = |text: String| Err(FileError::new(self.line, text));
        if self.expectations.is_empty() {
            return error(
                "the assertion expects nothing: add a key like `action` or `known`".into(),
            );
        }
        if self.resource.is_some() && self.output.is_some() {
            return error("the assertion is about a resource and an output: make two".into());
        }
        let of_one = self.of_value.or(self.of_change).or(self.of_resource);
        let subject = match (&self.resource, &self.output) {
            (Some(pattern), _) => match pattern.strip_prefix("output.") {
                Some(name) => Subject::Output(AddressPattern::new(name)),
                None => Subject::Resource(AddressPattern::new(pattern)),
            },
            (_, Some(pattern)) => {
                let name = pattern.strip_prefix("output.").unwrap_or(pattern);
                Subject::Output(AddressPattern::new(name))
            }
            _ => Subject::Plan,
        };
        let is_plan = matches!(subject, Subject::Plan);
        if let Some(key) = self.of_plan.filter(|_| !is_plan) {
            return error(format!("`{key}` is about the plan: it needs no resource and no output"));
        }
        if let Some(key) = of_one.filter(|_| is_plan) {
            return error(format!("`{key}` needs a `resource` or an `output`"));
        }
        if let (Subject::Output(_), Some(key)) = (&subject, self.of_resource) {
            return error(format!("`{key}` is about a resource, not an output"));
        }
        if let (Subject::Output(_), true) = (&subject, self.has_count) {
            return error("`count` is about resources, not an output".into());
        }
        let path = match self.path {
            Some((line, node)) => Some((line, path(&node, self.is_dotted)?)),
            None => None,
        };
        if let Some((line, path)) = &path {
            if self.of_value.is_none() {
                let text = "`path` needs a key about a value, like `known` or `unchanged`";
                return Err(FileError::new(*line, text));
            }
            let begins_with_index = match path {
                Where::At(path) => matches!(path.steps().first(), Some(AttributeStep::Index(_))),
                Where::Dotted(path) => path.begins_with_index(),
                Where::Each(query) => query.to_string().starts_with('['),
            };
            if matches!(subject, Subject::Resource(_)) && begins_with_index {
                let text = "the path can never match: the values of a resource are an object, so \
                            begin with an attribute";
                return Err(FileError::new(*line, text));
            }
        }
        let path = path.map_or_else(|| Where::At(AttributePath::root()), |(_, path)| path);
        let name = self.name.unwrap_or_else(|| named(&subject, &path, &self.expectations));
        Ok(Assertion {
            name,
            file: String::new(),
            line: self.line,
            subject,
            path,
            expectations: self.expectations,
            severity: self.severity,
            message: self.message,
            is_optional: self.is_optional,
        })
    }
}

/// The assertion in a few words.
fn named(subject: &Subject, path: &Where, expectations: &[Expectation]) -> String {
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

/// One text or a list of texts.
fn texts(node: &Node, name: &str) -> Result<Vec<String>, FileError> {
    match &node.kind {
        NodeKind::List(elements) => elements.iter().map(|element| text(element, name)).collect(),
        _ => Ok(vec![text(node, name)?]),
    }
}

/// Whether paths may have dotted numbers, as `tfjsonpath` prints them.
fn path_style(line: usize, node: &Node) -> Result<bool, FileError> {
    let word = text(node, "path_style")?;
    match word.as_str() {
        "tfjson" => Ok(true),
        _ => Err(unknown_word(line, "path_style", &word, &["tfjson"])),
    }
}

fn path(node: &Node, is_dotted: bool) -> Result<Where, FileError> {
    let text = text(node, "path")?;
    let concrete = match is_dotted {
        true => DottedPath::parse(&text).map(Where::Dotted),
        false => AttributePath::parse(&text).map(Where::At),
    };
    let parsed = match concrete {
        Ok(path) => Ok(path),
        Err(error) => match AttributeQuery::parse(&text) {
            Ok(query) => Ok(Where::Each(query)),
            Err(of_query) if text.contains('*') => Err(of_query),
            Err(_) => Err(error),
        },
    };
    parsed.map_err(|error| {
        let at = error.location().map_or(0, |location| location.offset);
        let hint = match DottedPath::parse(&text) {
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

fn actions(node: &Node, line: usize) -> Result<Vec<Action>, FileError> {
    let words = texts(node, "action")?;
    let action = |word: &String| {
        let known: Vec<&str> = Action::WORDS.iter().map(|(word, _)| *word).collect();
        Action::named(word).ok_or_else(|| unknown_word(line, "action", word, &known))
    };
    words.iter().map(action).collect()
}

/// `{action: delete, max: 0}`.
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

fn unknown_word(line: usize, name: &str, word: &str, known: &[&str]) -> FileError {
    let near = nearest(word, known.iter().copied());
    let hint = near.map(|near| format!(": did you mean `{near}`?"));
    let hint = hint.unwrap_or_else(|| format!(": use {}", known.join(", ")));
    FileError::new(line, format!("unknown {name} `{}`{hint}", shown(word)))
}

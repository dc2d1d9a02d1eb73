//! Parses a rule about what a plan must not do, and counts records for it.
//!
//! ```text
//! line  := ["error" | "warning"] rule ["message"]          warning changes>200 "Ask the team."
//! rule  := subject [":" where] [">" count]                 delete:aws_db_*        changes>200
//!        | subject "-path:" [where ":"] path [">" count]   unknown-path:*.password
//!                                                          changed-path:aws_db_*:engine_version
//! ```
//!
//! `where` is a type, an address or a name ([`AddressPattern`]), `path` a [`path::Pattern`], and
//! the message a JSON string.

use super::fault::RuleFault;
use plansift_core::nearest::nearest;
use plansift_core::path::{self, AddressPattern, Paths, document_strings, split_exact};
use plansift_plan::marks::ECHO;
use plansift_plan::record::counts::Summary;
use plansift_plan::record::patterns::{Named, NamedKind};
use plansift_plan::record::{MarkChange, Record, ResourceChange};

/// A parsed rule.
#[derive(Clone, Debug)]
pub struct Rule {
    text: String,
    severity: Severity,
    message: Option<String>,
    subject: Subject,
    address: Option<AddressPattern>,
    path: Option<path::Pattern>,
    /// The largest count that does not break the rule.
    allowed: u64,
    /// The file and the line of an assertion.
    place: Option<(String, u64)>,
    id: Option<String>,
}

/// The effect of a broken rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// The run fails.
    #[default]
    Error,
    /// The run shows a warning.
    Warning,
}

impl Severity {
    const ALL: [Severity; 2] = [Severity::Error, Severity::Warning];

    /// Returns the word for the severity in a rule.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// The kind of thing that a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// Changes to managed resources with the given action word. For `read`, all resource changes.
    Action(&'static str),
    /// Changes to managed resources that destroy an object, including replacements.
    Destroy,
    /// Changes to managed resources that forget an object, including replacements.
    Forget,
    /// Changes to managed resources other than `no-op` and `read`.
    Changes,
    Import,
    Move,
    Drift,
    Deferred,
    Output,
    Invocation,
    /// Checks that failed or could not be evaluated.
    Check,
    UnknownCheck,
    Errored,
    Incomplete,
    /// Changes to resources and outputs that mark a value as sensitive, or remove such a mark.
    Mark(MarkChange),
    /// Paths of resource changes.
    Path(PathList),
    /// Failures of the assertion with this index.
    Assertion(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathList {
    Changed,
    Unknown,
    Sensitive,
    Replace,
}

/// The words that begin a rule, and their subjects.
const SUBJECTS: [(&str, Subject); 24] = [
    ("create", Subject::Action("create")),
    ("read", Subject::Action("read")),
    ("update", Subject::Action("update")),
    ("replace", Subject::Action("replace")),
    ("delete", Subject::Action("delete")),
    ("forget", Subject::Forget),
    ("destroy", Subject::Destroy),
    ("changes", Subject::Changes),
    ("import", Subject::Import),
    ("move", Subject::Move),
    ("drift", Subject::Drift),
    ("deferred", Subject::Deferred),
    ("output", Subject::Output),
    ("action", Subject::Invocation),
    ("check", Subject::Check),
    ("unknown-check", Subject::UnknownCheck),
    ("errored", Subject::Errored),
    ("incomplete", Subject::Incomplete),
    ("sensitive-added", Subject::Mark(MarkChange::Added)),
    ("sensitive-removed", Subject::Mark(MarkChange::Removed)),
    ("changed-path", Subject::Path(PathList::Changed)),
    ("unknown-path", Subject::Path(PathList::Unknown)),
    ("sensitive-path", Subject::Path(PathList::Sensitive)),
    ("replace-path", Subject::Path(PathList::Replace)),
];

impl Rule {
    /// Parses a rule as the user writes it.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a rule.
    pub fn parse(text: &str) -> Result<Rule, RuleFault> {
        let (severity, text) = severity(text.trim());
        let (text, message) = with_message(text)?;
        if text.is_empty() {
            return Err(RuleFault::Empty);
        }
        let (head, count) = match last_outside_quotes(text, '>') {
            Some(at) => (text[..at].trim_end(), Some(text[at + 1..].trim())),
            None => (text, None),
        };
        let (word, argument) = match head.split_once(':') {
            Some((word, argument)) => (word, Some(argument)),
            None => (head, None),
        };
        let known = SUBJECTS.iter().find(|(known, _)| *known == word);
        let &(word, subject) = known.ok_or_else(|| unknown(head))?;
        let allowed = match count {
            None => 0,
            Some(count) if is_count(count) => count.parse().map_err(|_| RuleFault::Count(word))?,
            Some(_) => return Err(RuleFault::Count(word)),
        };
        let (address, path) = match (subject, argument) {
            (Subject::Path(_), None | Some("")) => return Err(RuleFault::NoPath(word)),
            (Subject::Errored | Subject::Incomplete, Some(_)) => {
                return Err(RuleFault::NeedlessPattern(word));
            }
            (Subject::Path(_), Some(argument)) => match last_outside_quotes(argument, ':') {
                Some(at) => (Some(&argument[..at]), Some(&argument[at + 1..])),
                None => (None, Some(argument)),
            },
            (_, argument) => (argument, None),
        };
        let bare_path = path.map(|path| split_exact(path).0);
        for pattern in [address, bare_path].into_iter().flatten() {
            if pattern.is_empty() {
                return Err(RuleFault::NoPattern(word));
            }
            if pattern.starts_with('"') {
                return Err(RuleFault::Quoted);
            }
            if last_outside_quotes(pattern, ',').is_some() {
                return Err(RuleFault::Comma);
            }
            if has_stray(pattern) {
                return Err(RuleFault::Stray);
            }
        }
        check_set(word, address, path)?;
        let address = address.map(AddressPattern::parse).transpose().map_err(RuleFault::Set)?;
        let path = path.map(path::Pattern::parse).transpose().map_err(|_| RuleFault::Path)?;
        if let Some(path) = path.as_ref().filter(|path| path.is_of_documents()) {
            match (subject, document_strings(path.text()).len()) {
                (Subject::Path(PathList::Changed), 1) => {}
                (_, 0) => return Err(RuleFault::Decoder),
                (Subject::Path(PathList::Changed), _) => return Err(RuleFault::NestedDocument),
                _ => return Err(RuleFault::Document(word)),
            }
        }
        if path.as_ref().is_some_and(|path| path.text().contains(ECHO)) {
            return Err(RuleFault::MaskedKey);
        }
        let (text, place, id) = (text.to_owned(), None, None);
        Ok(Rule { text, severity, message, subject, address, path, allowed, place, id })
    }

    /// Creates a rule that a plan breaks if it fails an assertion. `index` is the assertion's index
    /// in the run. `id` is unique among the assertions of the run.
    pub fn of_assertion(index: usize, name: &str, id: String, severity: Severity) -> Rule {
        Rule {
            text: name.to_owned(),
            severity,
            message: None,
            subject: Subject::Assertion(index),
            address: None,
            path: None,
            allowed: 0,
            place: None,
            id: Some(id),
        }
    }

    /// Adds a message to show when the rule is broken.
    pub fn with_message(self, message: Option<&str>) -> Rule {
        Rule { message: message.map(str::to_owned), ..self }
    }

    /// Adds the file and the line where the user wrote the rule.
    pub fn at(self, file: &str, line: u64) -> Rule {
        Rule { place: Some((file.to_owned(), line)), ..self }
    }

    /// Returns the index of the assertion that the rule is about.
    pub fn assertion(&self) -> Option<usize> {
        match self.subject {
            Subject::Assertion(index) => Some(index),
            _ => None,
        }
    }

    /// Returns the file and the line where the user wrote the rule, if known.
    pub fn place(&self) -> Option<(&str, u64)> {
        self.place.as_ref().map(|(file, line)| (file.as_str(), *line))
    }

    /// Returns a unique identifier: the text of the rule, or the identifier of an assertion.
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.text)
    }

    /// Returns the title of a broken rule in reports.
    pub fn broken_words(&self) -> &'static str {
        match self.subject {
            Subject::Assertion(_) => "Assertion failed",
            _ => "Rule broken",
        }
    }

    /// Returns the words that a rule may begin with.
    pub fn subjects() -> impl Iterator<Item = &'static str> {
        SUBJECTS.iter().map(|(word, _)| *word)
    }

    /// Returns the text of the rule, without its severity and message.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the effect of breaking the rule.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the message to show when the rule is broken.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Whether the rule needs the paths of changes.
    pub fn looks_at_paths(&self) -> bool {
        matches!(self.subject, Subject::Path(_) | Subject::Mark(_))
    }

    /// Returns the path of the rule if it leads into documents in strings.
    pub fn document_pattern(&self) -> Option<&path::Pattern> {
        self.path.as_ref().filter(|path| path.is_of_documents())
    }

    /// Whether the rule counts changes to resources, or paths in them.
    pub fn counts_resource_changes(&self) -> bool {
        use Subject::{Action, Changes, Destroy, Forget, Import, Mark, Move, Path};
        matches!(
            self.subject,
            Action(_) | Changes | Destroy | Forget | Import | Mark(_) | Move | Path(_)
        )
    }

    /// Whether the rule counts managed resources only, and no data sources.
    fn counts_managed(&self) -> bool {
        match self.subject {
            Subject::Action(word) => word != "read",
            subject => matches!(subject, Subject::Destroy | Subject::Forget | Subject::Changes),
        }
    }

    /// Whether the rule is about checks.
    pub fn is_of_checks(&self) -> bool {
        matches!(self.subject, Subject::Check | Subject::UnknownCheck)
    }

    /// Whether the rule has the subject of `other` and no pattern, so that it counts as much.
    pub fn includes(&self, other: &Rule) -> bool {
        self.subject == other.subject && self.address.is_none() && self.path.is_none()
    }

    /// Returns the objects and paths that the rule's patterns name.
    pub fn named(&self) -> impl Iterator<Item = Named> {
        let address = self.address.clone().map(|address| match self.subject {
            Subject::Output => Named::NonResource(NamedKind::Output, address),
            Subject::Invocation => Named::NonResource(NamedKind::Action, address),
            Subject::Check | Subject::UnknownCheck => Named::NonResource(NamedKind::Check, address),
            _ if self.counts_managed() => Named::Managed(address),
            _ => Named::Resource(address),
        });
        let path = self.path.clone().map(|path| Named::Path(path, self.address.clone()));
        address.into_iter().chain(path)
    }

    /// Returns the largest count that does not break the rule.
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    fn is_counted_check(&self, address: &str, status: &str) -> bool {
        let is_counted = match self.subject {
            Subject::Check => matches!(status, "fail" | "error"),
            Subject::UnknownCheck => !matches!(status, "pass" | "fail" | "error"),
            _ => false,
        };
        is_counted && self.matches_any([Some(address)])
    }

    /// Returns the number that a record adds to the rule's count. For a `summary` record, see
    /// `count_at_end`.
    pub(super) fn count(&self, record: &Record<'_>) -> u64 {
        let is_counted = match record {
            Record::ResourceChange(change) => match self.subject {
                Subject::Path(which) => return self.paths(change, which),
                subject => is_counted(change, subject) && self.matches_resource(change),
            },
            Record::ResourceDrift(drift) => {
                self.subject == Subject::Drift
                    && drift.action != "no-op"
                    && self.matches_resource(drift)
            }
            Record::DeferredChange(deferred) => {
                self.subject == Subject::Deferred && self.matches_resource(deferred)
            }
            Record::OutputChange(output) => {
                let is_counted = match self.subject {
                    Subject::Output => true,
                    // The pattern of such a rule names resources.
                    Subject::Mark(MarkChange::Added) => {
                        self.address.is_none() && !output.paths.sensitive_added.is_empty()
                    }
                    Subject::Mark(MarkChange::Removed) => {
                        self.address.is_none() && !output.paths.sensitive_removed.is_empty()
                    }
                    _ => false,
                };
                is_counted && output.action != "no-op" && self.matches_any([Some(&*output.name)])
            }
            Record::Check(check) => self.is_counted_check(&check.address, &check.status),
            Record::CheckResult(check) => self.is_counted_check(&check.address, &check.status),
            Record::ActionInvocation(invoked) => {
                let names = [Some(&*invoked.address), invoked.type_name.as_deref()];
                self.subject == Subject::Invocation && self.matches_any(names)
            }
            _ => false,
        };
        u64::from(is_counted)
    }

    /// Returns the number that the last record of a plan adds to the rule's count.
    pub(super) fn count_at_end(&self, summary: &Summary) -> u64 {
        u64::from(match self.subject {
            Subject::Errored => summary.plan.errored == Some(true),
            Subject::Incomplete => {
                // OpenTofu does not mark a plan as incomplete if its planning failed.
                let is_whole =
                    summary.plan.complete != Some(false) && summary.plan.errored != Some(true);
                !is_whole || summary.plan.lacks_resource_changes
            }
            _ => false,
        })
    }

    fn paths(&self, change: &ResourceChange<'_>, which: PathList) -> u64 {
        let paths: &Paths = match which {
            PathList::Changed => &change.paths.changed,
            PathList::Unknown => &change.paths.unknown,
            PathList::Sensitive => &change.paths.sensitive,
            PathList::Replace => &change.replace_paths,
        };
        // Unchanged resources have records only on request, so they never count.
        if paths.is_empty() || change.action == "no-op" || !self.matches_resource(change) {
            return 0;
        }
        let Some(pattern) = &self.path else { return 0 };
        let in_documents = match (&change.documents, which) {
            (Some(documents), PathList::Changed) => documents.count(pattern),
            _ => 0,
        };
        let covered = paths.iter().filter(|path| pattern.covers(&path.to_string()));
        covered.count() as u64 + in_documents
    }

    /// Whether the rule's address pattern matches a resource.
    fn matches_resource(&self, change: &ResourceChange<'_>) -> bool {
        self.matches_any([change.resource.address.as_deref(), change.resource.type_name.as_deref()])
    }

    fn matches_any<'n>(&self, names: impl IntoIterator<Item = Option<&'n str>>) -> bool {
        let Some(address) = &self.address else { return true };
        names.into_iter().flatten().any(|name| address.covers(name))
    }
}

fn is_counted(change: &ResourceChange<'_>, subject: Subject) -> bool {
    // As in the plan line: a data source that is no longer read is not a delete.
    let is_managed = change.resource.mode.as_deref().is_none_or(|mode| mode == "managed");
    match subject {
        Subject::Action(word) => {
            change.effects().any(|effect| effect == word) && (is_managed || word == "read")
        }
        Subject::Destroy => is_managed && change.actions.iter().any(|action| action == "delete"),
        Subject::Forget => is_managed && change.forgets(),
        Subject::Changes => is_managed && change.action != "no-op" && change.action != "read",
        Subject::Mark(MarkChange::Added) => {
            change.action != "no-op" && !change.paths.sensitive_added.is_empty()
        }
        Subject::Mark(MarkChange::Removed) => {
            change.action != "no-op" && !change.paths.sensitive_removed.is_empty()
        }
        Subject::Import => change.importing.is_some(),
        Subject::Move => change.moved_from().is_some(),
        _ => false,
    }
}

fn is_count(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the fault of a rule that does not begin with a known word.
fn unknown(head: &str) -> RuleFault {
    let subject = |word: &str| SUBJECTS.iter().map(|(known, _)| *known).find(|it| *it == word);
    let (first, rest) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
    if let (Some(word), false) = (subject(first), rest.is_empty()) {
        return RuleFault::Blank(word);
    }
    if first.split_once(',').is_some_and(|(word, _)| subject(word).is_some()) {
        return RuleFault::Comma;
    }
    let second = rest.split([':', ' ', '>']).next().unwrap_or_default();
    let severity = nearest(first, Severity::ALL.map(Severity::word));
    if let (Some(word), Some(_)) = (severity, subject(second)) {
        return RuleFault::Severity(word);
    }
    let word = first.split(':').next().unwrap_or(first);
    RuleFault::Unknown(nearest(word, SUBJECTS.iter().map(|(word, _)| *word)))
}

/// Whether a pattern has a character that hints at a misplaced count or comment.
fn has_stray(text: &str) -> bool {
    let mut is_quoted = false;
    text.chars().any(|character| {
        is_quoted ^= character == '"';
        !is_quoted && (character.is_whitespace() || matches!(character, '>' | '<' | '='))
    })
}

/// Returns the byte offset of the last `wanted` outside quotes. Quoted instance keys may contain
/// the character, too.
pub(super) fn last_outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut is_quoted = false;
    let mut last = None;
    for (at, character) in text.char_indices() {
        is_quoted ^= character == '"';
        if character == wanted && !is_quoted {
            last = Some(at);
        }
    }
    last
}

/// Checks that a path follows a set of types in a rule about paths, and in no other rule.
fn check_set(
    word: &'static str,
    address: Option<&str>,
    path: Option<&str>,
) -> Result<(), RuleFault> {
    // No attribute begins with `@`.
    let is_set = |text: Option<&str>| text.is_some_and(|text| text.starts_with('@'));
    match path {
        Some(_) if is_set(path) => Err(RuleFault::NoPathBehindSet(word)),
        None if is_set(address) && address.is_some_and(|set| set.contains(':')) => {
            Err(RuleFault::PathBehindSet(word))
        }
        _ => Ok(()),
    }
}

/// Splits the severity off the start of a line. The default is [`Severity::Error`].
pub(super) fn severity(text: &str) -> (Severity, &str) {
    let named = Severity::ALL.into_iter().find_map(|severity| {
        let rest = text.strip_prefix(severity.word())?;
        rest.starts_with(char::is_whitespace).then(|| (severity, rest.trim_start()))
    });
    named.unwrap_or((Severity::Error, text))
}

/// Splits a line into the rule and its message, which starts at the first quote after a blank.
pub(super) fn with_message(text: &str) -> Result<(&str, Option<String>), RuleFault> {
    let (mut is_quoted, mut after_blank) = (false, true);
    let start = text.char_indices().find(|&(_, character)| {
        let starts = character == '"' && after_blank && !is_quoted;
        is_quoted ^= character == '"';
        after_blank = character.is_whitespace();
        starts
    });
    let Some((start, _)) = start else { return Ok((text, None)) };
    let message = serde_json::from_str(&text[start..]).map_err(|_| RuleFault::Message)?;
    Ok((text[..start].trim_end(), Some(message)))
}

#[cfg(test)]
mod tests;

//! A rule about what a plan must not do, as the user writes it.
//!
//! ```text
//! rule := subject [":" where] [">" count]                  delete:aws_db_*        changes>200
//!       | subject "-path:" [where ":"] path [">" count]    unknown-path:*.password
//!                                                          changed-path:aws_db_*:engine_version
//! ```
//!
//! `where` is a whole type, address or name, and `path` a whole path as `changes` writes it; in
//! both `*` is any text. What begins with `*.` may also begin behind it.

use crate::error::{Error, ErrorKind, Result};
use crate::glob::Pattern;
use crate::path::{self, Paths};
use crate::record::counts::Summary;
use crate::record::{Record, ResourceChange};

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    text: String,
    subject: Subject,
    place: Option<Pattern>,
    path: Option<path::Pattern>,
    /// So many are no reason to complain.
    allowed: u64,
}

/// What a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// Resource changes of that action word; but for `read`, of managed resources.
    Action(&'static str),
    /// The same that destroy something, to replace it or not.
    Destroy,
    /// The same that are neither `no-op` nor `read`.
    Changes,
    Import,
    Move,
    Drift,
    Deferred,
    Output,
    Invocation,
    /// Checks that failed or could not be made.
    Check,
    Errored,
    Incomplete,
    /// Paths of resource changes.
    Path(Which),
}

/// Which of the paths of a resource change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Changed,
    Unknown,
    Sensitive,
    Replace,
}

/// The words that a rule may begin with.
const SUBJECTS: [(&str, Subject); 21] = [
    ("create", Subject::Action("create")),
    ("read", Subject::Action("read")),
    ("update", Subject::Action("update")),
    ("replace", Subject::Action("replace")),
    ("delete", Subject::Action("delete")),
    ("forget", Subject::Action("forget")),
    ("destroy", Subject::Destroy),
    ("changes", Subject::Changes),
    ("import", Subject::Import),
    ("move", Subject::Move),
    ("drift", Subject::Drift),
    ("deferred", Subject::Deferred),
    ("output", Subject::Output),
    ("action", Subject::Invocation),
    ("check", Subject::Check),
    ("errored", Subject::Errored),
    ("incomplete", Subject::Incomplete),
    ("changed-path", Subject::Path(Which::Changed)),
    ("unknown-path", Subject::Path(Which::Unknown)),
    ("sensitive-path", Subject::Path(Which::Sensitive)),
    ("replace-path", Subject::Path(Which::Replace)),
];

impl Rule {
    /// A rule as it is written.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Rule`]: it is none.
    pub fn parse(text: &str) -> Result<Rule> {
        let malformed = || Error::new(ErrorKind::Rule);
        let text = text.trim();
        let (head, allowed) = match text.rsplit_once('>') {
            Some((head, count)) if is_count(count) => {
                (head.trim_end(), count.trim().parse().map_err(|_| malformed())?)
            }
            _ => (text, 0),
        };
        let (word, what) = match head.split_once(':') {
            Some((word, what)) => (word, Some(what)),
            None => (head, None),
        };
        let subject = SUBJECTS.iter().find(|(known, _)| *known == word).ok_or_else(malformed)?.1;
        let (place, path) = match (subject, what) {
            (_, Some("")) | (Subject::Path(_), None) => return Err(malformed()),
            (Subject::Errored | Subject::Incomplete, Some(_)) => return Err(malformed()),
            (Subject::Path(_), Some(what)) => match last_colon(what) {
                Some(at) => (Some(&what[..at]), Some(&what[at + 1..])),
                None => (None, Some(what)),
            },
            (_, what) => (what, None),
        };
        let without_sign = path.map(|path| path.strip_prefix('=').unwrap_or(path));
        if [place, without_sign].into_iter().flatten().any(|pattern| !is_pattern(pattern)) {
            return Err(malformed());
        }
        let place = place.map(Pattern::new);
        let path = path.map(path::Pattern::parse).transpose().map_err(|_| malformed())?;
        Ok(Rule { text: text.to_owned(), subject, place, path, allowed })
    }

    /// The words that a rule may begin with.
    pub fn subjects() -> impl Iterator<Item = &'static str> {
        SUBJECTS.iter().map(|(word, _)| *word)
    }

    /// The rule as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it looks at the paths of changes.
    pub fn looks_at_paths(&self) -> bool {
        matches!(self.subject, Subject::Path(_))
    }

    /// How many of what it counts are no reason to complain.
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// How many of what it counts a record tells, which is not the last of its plan.
    pub(super) fn count(&self, record: &Record<'_>) -> u64 {
        let is_counted = match record {
            Record::ResourceChange(change) => match self.subject {
                Subject::Path(which) => return self.paths(change, which),
                subject => is_counted(change, subject) && self.is_there(change),
            },
            Record::ResourceDrift(drift) => {
                self.subject == Subject::Drift && drift.action != "no-op" && self.is_there(drift)
            }
            Record::DeferredChange(deferred) => {
                self.subject == Subject::Deferred && self.is_there(deferred)
            }
            Record::OutputChange(output) => {
                self.subject == Subject::Output
                    && output.action != "no-op"
                    && self.is_at([Some(&*output.name)])
            }
            Record::Check(check) => {
                self.subject == Subject::Check
                    && matches!(&*check.status, "fail" | "error")
                    && self.is_at([Some(&*check.address)])
            }
            Record::ActionInvocation(invoked) => {
                let names = [Some(&*invoked.address), invoked.type_name.as_deref()];
                self.subject == Subject::Invocation && self.is_at(names)
            }
            Record::Plan(_) | Record::Summary(_) => false,
        };
        u64::from(is_counted)
    }

    /// How many of what it counts the last record of a plan tells.
    pub(super) fn count_at_end(&self, summary: &Summary) -> u64 {
        u64::from(match self.subject {
            Subject::Errored => summary.errored == Some(true),
            Subject::Incomplete => summary.complete == Some(false),
            _ => false,
        })
    }

    fn paths(&self, change: &ResourceChange<'_>, which: Which) -> u64 {
        let paths: &Paths = match which {
            Which::Changed => &change.changed,
            Which::Unknown => &change.unknown,
            Which::Sensitive => &change.sensitive,
            Which::Replace => &change.replace_paths,
        };
        // Of what stays as it is there is a record only where all are asked for.
        if paths.is_empty() || change.action == "no-op" || !self.is_there(change) {
            return 0;
        }
        let Some(pattern) = &self.path else { return 0 };
        paths.iter().filter(|path| pattern.covers(&path.to_string())).count() as u64
    }

    /// Whether a resource is where the rule is about.
    fn is_there(&self, change: &ResourceChange<'_>) -> bool {
        self.is_at([change.address.as_deref(), change.type_name.as_deref()])
    }

    fn is_at<'n>(&self, names: impl IntoIterator<Item = Option<&'n str>>) -> bool {
        let Some(place) = &self.place else { return true };
        names.into_iter().flatten().any(|name| place.matches(name))
    }
}

fn is_counted(change: &ResourceChange<'_>, subject: Subject) -> bool {
    // As in the plan line: data that is no longer read is not deleted.
    let is_managed = change.mode.as_deref().is_none_or(|mode| mode == "managed");
    match subject {
        Subject::Action(word) => {
            change.effects().any(|effect| effect == word) && (is_managed || word == "read")
        }
        Subject::Destroy => is_managed && change.actions.iter().any(|action| action == "delete"),
        Subject::Changes => is_managed && change.action != "no-op" && change.action != "read",
        Subject::Import => change.importing.is_some(),
        Subject::Move => change.moved_from().is_some(),
        _ => false,
    }
}

fn is_count(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text may be a pattern: what would be a count or a comment, written otherwise, is none.
fn is_pattern(text: &str) -> bool {
    let mut is_quoted = false;
    let is_stray = |character: char| {
        is_quoted ^= character == '"';
        !is_quoted && (character.is_whitespace() || matches!(character, '>' | '<' | '='))
    };
    !text.is_empty() && !text.chars().any(is_stray)
}

/// The last colon that stands in no quotes: keys of instances may have some.
fn last_colon(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut last = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b':' if !is_quoted => last = Some(at),
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for (text, word, place, path, allowed) in [
            ("replace", "replace", None, None, 0),
            ("delete:aws_db_*", "delete", Some("aws_db_x"), None, 0),
            ("changes>200", "changes", None, None, 200),
            (" changes > 200 ", "changes", None, None, 200),
            ("drift:module.a.*>1", "drift", Some("module.a.b"), None, 1),
            (r#"destroy:a.b["x:y>z"]"#, "destroy", Some(r#"a.b["x:y>z"]"#), None, 0),
            ("unknown-path:*.password", "unknown-path", None, Some("a[0].password"), 0),
            ("changed-path:*_db:engine>2", "changed-path", Some("aws_db"), Some("engine"), 2),
            (
                r#"changed-path:a.b["x:y"]:tags.*"#,
                "changed-path",
                Some(r#"a.b["x:y"]"#),
                Some("tags.k"),
                0,
            ),
            ("changed-path:a_*:=tags>1", "changed-path", Some("a_b"), Some("tags"), 1),
            (r#"changed-path:tags["a:b"]"#, "changed-path", None, Some(r#"tags["a:b"]"#), 0),
        ] {
            let rule = Rule::parse(text).unwrap();
            assert!(SUBJECTS.contains(&(word, rule.subject)), "{text}");
            let matches = |name| rule.place.as_ref().map(|place| place.matches(name));
            assert_eq!(place.map(|_| true), matches(place.unwrap_or_default()), "{text}");
            assert_ne!(matches("other"), Some(true), "{text}");
            let covers = |name| rule.path.as_ref().map(|path| path.covers(name));
            assert_eq!(path.map(|_| true), covers(path.unwrap_or_default()), "{text}");
            assert_ne!(covers("other"), Some(true), "{text}");
            assert_eq!((rule.allowed(), rule.text()), (allowed, text.trim()));
        }
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in [
            "",
            "deletes",
            "Delete",
            "delete:",
            "delete:>3",
            "delete>x",
            "delete: aws_*",
            "delete :aws_*",
            "delete:aws_*>=3",
            "delete:aws_* > x",
            "delete:a>x",
            "delete:aws_* # none",
            "changed-path:aws_db: engine",
            "delete>-1",
            "delete>99999999999999999999",
            "errored:a",
            "changed-path",
            "changed-path:",
            "changed-path:aws_db:",
            "changed-path::engine",
            "changed-path:a..b",
            "changed-path:=",
            "changed-path:=a=b",
            "delete:=aws_db",
            ">3",
            ":aws_db",
        ] {
            assert_eq!(Rule::parse(text).unwrap_err().kind(), ErrorKind::Rule, "{text}");
        }
    }
}

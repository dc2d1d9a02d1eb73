//! Queries for paths: paths with wildcards.
//!
//! | query | matches |
//! | --- | --- |
//! | `ingress[*].port` | `port` of each element of `ingress` |
//! | `tags.*` | each member of `tags` |
//! | `**.password` | `password` at any depth |
//!
//! A query has a type of its own, so that code cannot mistake a query for a concrete path.
//! [`Pattern`](super::Pattern) is a different language: its `*` matches any part of a path.

use std::fmt;

use super::Step;
use super::attribute::{AttributePath, AttributeStep, parse_step};
use crate::error::{Error, ErrorKind};

/// A path with wildcards.
///
/// ```
/// use plansift_core::path::{AttributePath, AttributeQuery};
///
/// let query = AttributeQuery::parse("ingress[*].port")?;
/// assert!(query.matches(&AttributePath::parse("ingress[3].port")?));
/// assert!(!query.matches(&AttributePath::parse("ingress.a.port")?));
/// # Ok::<(), plansift_core::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeQuery {
    steps: Vec<QueryStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum QueryStep {
    Step(AttributeStep),
    /// `*`: any key.
    AnyKey,
    /// `[*]`: any index.
    AnyIndex,
    /// `**`: any number of steps, including none.
    AnySteps,
}

const STEPS_MAX: usize = 64;

impl AttributeQuery {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`] at the offset of the first invalid step, or of the first step
    /// beyond the maximum.
    pub fn parse(text: &str) -> Result<AttributeQuery, Error> {
        let mut steps = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let step = query_step(&text[at..], at == 0).filter(|_| steps.len() < STEPS_MAX);
            let (step, len) = step.ok_or_else(|| Error::at(ErrorKind::Path, at as u64))?;
            steps.push(step);
            at += len;
        }
        Ok(AttributeQuery { steps })
    }

    /// Returns the path, if the query has no wildcards.
    pub fn as_path(&self) -> Option<AttributePath> {
        let step = |step: &QueryStep| match step {
            QueryStep::Step(step) => Some(step.clone()),
            _ => None,
        };
        self.steps.iter().map(step).collect()
    }

    /// Whether the query matches a path.
    pub fn matches(&self, path: &AttributePath) -> bool {
        let mut state = self.start();
        for step in path.steps() {
            state = self.advanced(state, step.borrowed());
        }
        self.is_end(state)
    }

    /// Returns the state before the first step. Bit N is set if the first N steps of the query
    /// match.
    pub fn start(&self) -> u128 {
        self.skipping(1)
    }

    /// Returns the state after one more step of a path. Zero if neither this path nor a longer one
    /// matches.
    pub fn advanced(&self, state: u128, step: Step<'_>) -> u128 {
        let mut next = 0;
        for (place, expected) in
            self.steps.iter().enumerate().filter(|(at, _)| state >> at & 1 == 1)
        {
            next |= match (expected, step) {
                (QueryStep::AnySteps, _) => 1 << place,
                (QueryStep::AnyKey, Step::Key(_)) | (QueryStep::AnyIndex, Step::Index(_)) => {
                    2 << place
                }
                (QueryStep::Step(expected), step) if expected.borrowed() == step => 2 << place,
                _ => 0,
            };
        }
        self.skipping(next)
    }

    /// Whether a path in this state matches.
    pub fn is_end(&self, state: u128) -> bool {
        state >> self.steps.len() & 1 == 1
    }

    /// Adds the states that the query reaches when each `**` matches zero steps.
    fn skipping(&self, mut state: u128) -> u128 {
        for (place, step) in self.steps.iter().enumerate() {
            if *step == QueryStep::AnySteps && state >> place & 1 == 1 {
                state |= 2 << place;
            }
        }
        state
    }
}

impl fmt::Display for AttributeQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            let dot = if place == 0 { "" } else { "." };
            match step {
                QueryStep::Step(step) => step.write(place == 0, f)?,
                QueryStep::AnyKey => write!(f, "{dot}*")?,
                QueryStep::AnyIndex => f.write_str("[*]")?,
                QueryStep::AnySteps => write!(f, "{dot}**")?,
            }
        }
        Ok(())
    }
}

/// Parses the step at the start of a string. Returns the step and its length in bytes.
fn query_step(text: &str, is_first: bool) -> Option<(QueryStep, usize)> {
    if text.starts_with("[*]") {
        return Some((QueryStep::AnyIndex, 3));
    }
    let name = match text.strip_prefix('.') {
        Some(name) => name,
        None if is_first => text,
        None => "",
    };
    let dot = text.len() - name.len();
    for (stars, step) in [("**", QueryStep::AnySteps), ("*", QueryStep::AnyKey)] {
        if let Some(rest) = name.strip_prefix(stars)
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            return Some((step, dot + stars.len()));
        }
    }
    parse_step(text, is_first).map(|(step, len)| (QueryStep::Step(step), len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_steps_of_their_kind() {
        for (query, matches, paths) in [
            ("", true, &[""][..]),
            ("a", true, &["a"]),
            ("a", false, &["a.b"]),
            ("a[*].b", true, &["a[12].b"]),
            ("a[*].b", false, &["a.x.b"]),
            ("a.*", true, &["a.b"]),
            ("a.*", false, &["a[0]"]),
            ("*", true, &["a"]),
            ("[*]", true, &["[1]"]),
            ("**", true, &["", "a[0].b"]),
            ("**.p", true, &["p", "a[0].b.p"]),
            ("**.p", false, &["a.p.b"]),
            ("a.**.p[*]", true, &["a.p[1]", "a.x.p.p[1]"]),
            ("a.**.**", true, &["a"]),
            (r#"a["*"]"#, true, &[r#"a["*"]"#]),
            (r#"a["*"]"#, false, &["a.b"]),
        ] {
            let parsed = AttributeQuery::parse(query).expect(query);
            assert_eq!(parsed.to_string(), query);
            for path in paths {
                let path = AttributePath::parse(path).expect(path);
                assert_eq!(parsed.matches(&path), matches, "{query} {path}");
            }
        }
    }

    #[test]
    fn invalid_queries_are_errors_at_their_offset() {
        for (text, offset) in [("a*", 0), ("a.*b", 1), ("a.***", 1), ("a[**]", 1), ("a*[0]", 0)] {
            let error = AttributeQuery::parse(text).expect_err(text);
            assert_eq!(error.location().map(|it| it.offset), Some(offset), "{text}");
        }
        assert!(AttributeQuery::parse(&"[*]".repeat(STEPS_MAX)).is_ok());
        assert!(AttributeQuery::parse(&"[*]".repeat(STEPS_MAX + 1)).is_err());
    }
}

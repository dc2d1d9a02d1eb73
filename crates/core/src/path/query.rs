//! Queries for paths: paths with wildcards or dotted numbers.
//!
//! | query | matches |
//! | --- | --- |
//! | `ingress[*].port` | `port` of each element of `ingress` |
//! | `tags.*` | each member of `tags` |
//! | `**.password` | `password` at any depth |
//! | `ingress.0.port` | `port` of the first element of `ingress`, as `tfjsonpath` prints the path |
//!
//! A number after a dot may be an index or a key, so the value decides: `0` is an index if it
//! follows the path of a list, and a key otherwise.
//!
//! A query has a type of its own, so that code cannot mistake a query for a concrete path.
//! [`Pattern`](super::Pattern) is a different language: its `*` matches any part of a path.

use std::fmt;

use super::Step;
use super::attribute::{AttributePath, AttributeStep, index, parse_step, parse_steps};
use crate::error::{Error, ErrorKind};

/// A path with wildcards or dotted numbers.
///
/// ```
/// use plansift_core::path::{AttributePath, AttributeQuery};
///
/// let query = AttributeQuery::parse("ingress[*].port")?;
/// assert!(query.matches(&AttributePath::parse("ingress[3].port")?));
/// assert!(!query.matches(&AttributePath::parse("ingress.a.port")?));
///
/// let dotted = AttributeQuery::parse_dotted("ingress.0.tags.0")?;
/// let path = dotted.resolve(|before| Ok::<_, ()>(before.to_string() == "ingress"));
/// assert_eq!(path, Ok(Some(AttributePath::parse(r#"ingress[0].tags["0"]"#)?)));
/// # Ok::<(), plansift_core::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeQuery {
    steps: Vec<QueryStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum QueryStep {
    Step(AttributeStep),
    /// A number after a dot: an index or a key of digits.
    Number(String),
    /// `*`: any key.
    AnyKey,
    /// `[*]`: any index.
    AnyIndex,
    /// `**`: any number of steps, including none.
    AnySteps,
}

const STEPS_MAX: usize = 64;

impl AttributeQuery {
    /// Parses a query with wildcards.
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

    /// Parses a path with dotted numbers. Besides these, the parser accepts everything that
    /// [`AttributePath::parse`] accepts. A quoted number is a key, and an unquoted number in
    /// brackets is an index.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`] at the offset of the first invalid step.
    pub fn parse_dotted(text: &str) -> Result<AttributeQuery, Error> {
        if text.starts_with("json:") {
            let path = AttributePath::parse(text)?;
            let steps = path.steps().iter().cloned().map(QueryStep::Step).collect();
            return Ok(AttributeQuery { steps });
        }
        let steps = parse_steps(text, |text, is_first| {
            let step = || parse_step(text, is_first);
            number(text, is_first)
                .or_else(|| step().map(|(step, len)| (QueryStep::Step(step), len)))
        })?;
        Ok(AttributeQuery { steps })
    }

    /// Whether the first step is an index in brackets.
    pub fn begins_with_index(&self) -> bool {
        matches!(self.steps.first(), Some(QueryStep::Step(AttributeStep::Index(_))))
    }

    /// Returns the key with which every path begins that the query matches; `None` if there is no
    /// such key.
    pub fn first_key(&self) -> Option<&str> {
        match self.steps.first() {
            Some(QueryStep::Step(AttributeStep::Key(key))) => Some(key),
            _ => None,
        }
    }

    /// Returns the one path that the query matches; `None` if the query has wildcards. `is_list`
    /// says whether the value at a path is a list.
    ///
    /// # Errors
    ///
    /// Fails with the first error of `is_list`.
    pub fn resolve<E>(
        &self,
        mut is_list: impl FnMut(&AttributePath) -> Result<bool, E>,
    ) -> Result<Option<AttributePath>, E> {
        let mut path = AttributePath::root();
        for step in &self.steps {
            path = match step {
                QueryStep::Step(AttributeStep::Key(key)) => path.at_map_key(key),
                QueryStep::Step(AttributeStep::Index(index)) => path.at_slice_index(*index),
                QueryStep::Number(digits) => match index(digits) {
                    Some(index) if is_list(&path)? => path.at_slice_index(index),
                    _ => path.at_map_key(digits),
                },
                QueryStep::AnyKey | QueryStep::AnyIndex | QueryStep::AnySteps => return Ok(None),
            };
        }
        Ok(Some(path))
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
                (QueryStep::Number(digits), Step::Key(key)) if digits == key => 2 << place,
                (QueryStep::Number(digits), Step::Index(found))
                    if index(digits) == Some(found.into()) =>
                {
                    2 << place
                }
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
                QueryStep::Number(digits) => write!(f, "{dot}{digits}")?,
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

/// Parses the dotted number at the start of a string. Returns the step and its length in bytes.
fn number(text: &str, is_first: bool) -> Option<(QueryStep, usize)> {
    let digits = match text.strip_prefix('.') {
        Some(digits) => digits,
        None if is_first => text,
        None => return None,
    };
    let end = digits.find(['.', '[']).unwrap_or(digits.len());
    let is_number = end > 0 && digits[..end].bytes().all(|byte| byte.is_ascii_digit());
    let step = is_number.then(|| QueryStep::Number(digits[..end].to_owned()))?;
    Some((step, text.len() - digits.len() + end))
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

    #[test]
    fn a_dotted_number_is_an_index_of_a_list_and_a_key_of_anything_else() {
        for (text, in_lists, elsewhere) in [
            ("a.0.b", "a[0].b", r#"a["0"].b"#),
            ("a.0", "a[0]", r#"a["0"]"#),
            (".a.10.2", "a[10][2]", r#"a["10"]["2"]"#),
            ("0.Value", "[0].Value", r#"["0"].Value"#),
            (r#"a["0"].b"#, r#"a["0"].b"#, r#"a["0"].b"#),
            ("a[0].1", "a[0][1]", r#"a[0]["1"]"#),
            ("a.007", r#"a["007"]"#, r#"a["007"]"#),
            ("a.4294967296", r#"a["4294967296"]"#, r#"a["4294967296"]"#),
            (r#"json:["a",0]"#, "a[0]", "a[0]"),
            ("", "", ""),
        ] {
            let path = AttributeQuery::parse_dotted(text)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            for (is_list, expected) in [(true, in_lists), (false, elsewhere)] {
                let found = path.resolve(|_| Ok::<_, ()>(is_list)).expect("no error");
                let found = found.expect("no wildcards");
                assert_eq!(found.to_string(), expected, "{text}");
                assert!(path.matches(&found), "{text}");
            }
            if !text.starts_with(['.', 'j']) {
                assert_eq!(path.to_string(), text);
            }
        }
    }

    #[test]
    fn invalid_dotted_paths_are_errors_at_their_offset() {
        for (text, offset) in
            [("a..0", 1), ("a.0b", 1), ("a.0.", 3), ("a.-1", 1), ("a[01]", 1), ("a.0 ", 1)]
        {
            let error = AttributeQuery::parse_dotted(text).expect_err(text);
            assert_eq!(error.location().map(|it| it.offset), Some(offset), "{text}");
        }
    }
}

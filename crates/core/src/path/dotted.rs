//! Paths with dotted numbers: `ingress.0.port`, as `tfjsonpath` prints paths.
//!
//! The number `0` may be an index or a key, so the value decides: `0` is an index if it follows the
//! path of a list, and a key otherwise.

use std::fmt;

use super::attribute::{AttributePath, AttributeStep, index, parse_step, parse_steps};
use crate::error::Error;

/// A path in which numbers may follow dots.
///
/// ```
/// use plansift_core::path::DottedPath;
///
/// let path = DottedPath::parse("ingress.0.tags.0")?;
/// let found = path.resolve(|before| Ok::<_, ()>(before.to_string() == "ingress"));
/// assert_eq!(found.map(|path| path.to_string()), Ok(r#"ingress[0].tags["0"]"#.to_owned()));
/// # Ok::<(), plansift_core::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DottedPath {
    steps: Vec<DottedStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DottedStep {
    Step(AttributeStep),
    /// An index or a key of digits.
    Number(String),
}

impl DottedPath {
    /// Parses the text of a path. Besides dotted numbers, the parser accepts everything that
    /// [`AttributePath::parse`] accepts. A quoted number is a key, and an unquoted number in
    /// brackets is an index.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`](crate::error::ErrorKind::Path) at the offset of the first
    /// invalid step.
    pub fn parse(text: &str) -> Result<DottedPath, Error> {
        if text.starts_with("json:") {
            let path = AttributePath::parse(text)?;
            let steps = path.steps().iter().cloned().map(DottedStep::Step).collect();
            return Ok(DottedPath { steps });
        }
        let steps = parse_steps(text, |text, is_first| {
            let step = || parse_step(text, is_first);
            number(text, is_first)
                .or_else(|| step().map(|(step, len)| (DottedStep::Step(step), len)))
        })?;
        Ok(DottedPath { steps })
    }

    /// Whether the first step is an index in brackets.
    pub fn begins_with_index(&self) -> bool {
        matches!(self.steps.first(), Some(DottedStep::Step(AttributeStep::Index(_))))
    }

    /// Returns the concrete path. `is_list` says whether the value at a path is a list.
    ///
    /// # Errors
    ///
    /// Fails with the first error of `is_list`.
    pub fn resolve<E>(
        &self,
        mut is_list: impl FnMut(&AttributePath) -> Result<bool, E>,
    ) -> Result<AttributePath, E> {
        let mut path = AttributePath::root();
        for step in &self.steps {
            path = match step {
                DottedStep::Step(AttributeStep::Key(key)) => path.at_map_key(key),
                DottedStep::Step(AttributeStep::Index(index)) => path.at_slice_index(*index),
                DottedStep::Number(digits) => match index(digits) {
                    Some(index) if is_list(&path)? => path.at_slice_index(index),
                    _ => path.at_map_key(digits),
                },
            };
        }
        Ok(path)
    }
}

impl fmt::Display for DottedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            match step {
                DottedStep::Step(step) => step.write(place == 0, f)?,
                DottedStep::Number(digits) if place == 0 => f.write_str(digits)?,
                DottedStep::Number(digits) => write!(f, ".{digits}")?,
            }
        }
        Ok(())
    }
}

/// Parses the dotted number at the start of a string. Returns the step and its length in bytes.
fn number(text: &str, is_first: bool) -> Option<(DottedStep, usize)> {
    let digits = match text.strip_prefix('.') {
        Some(digits) => digits,
        None if is_first => text,
        None => return None,
    };
    let end = digits.find(['.', '[']).unwrap_or(digits.len());
    let is_number = end > 0 && digits[..end].bytes().all(|byte| byte.is_ascii_digit());
    let step = is_number.then(|| DottedStep::Number(digits[..end].to_owned()))?;
    Some((step, text.len() - digits.len() + end))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let path = DottedPath::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            for (is_list, expected) in [(true, in_lists), (false, elsewhere)] {
                let found = path.resolve(|_| Ok::<_, ()>(is_list)).expect("no error");
                assert_eq!(found.to_string(), expected, "{text}");
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
            let error = DottedPath::parse(text).expect_err(text);
            assert_eq!(error.location().map(|it| it.offset), Some(offset), "{text}");
        }
    }
}

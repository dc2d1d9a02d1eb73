//! Files of sets of types. The file `type-sets.txt` has the same form.

use std::fmt;

/// Longest name of a set, in bytes.
const NAME_MAX: usize = 64;

/// A line of a file: a set, a glob of types, and a reason, which may be missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub set: &'t str,
    /// `=` drops the types that the set had before.
    pub glob: &'t str,
    /// For people. The manual has those of the built-in sets.
    #[cfg(test)]
    pub reason: &'t str,
}

impl<'t> Entry<'t> {
    /// Parses a line. Returns `None` for an empty line and for a comment.
    pub fn parse(line: &'t str) -> Result<Option<Entry<'t>>, TypeSetFault> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (set, rest) = word(line);
        let (glob, reason) = word(rest);
        let is_of_name = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        let name = set.strip_prefix('@').unwrap_or_default();
        if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(is_of_name) {
            return Err(TypeSetFault::Name);
        }
        let is_of_type = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '*');
        match glob {
            "" => Err(TypeSetFault::NoTypes),
            "=" if reason.is_empty() || reason.starts_with('#') => Ok(()),
            "=" => Err(TypeSetFault::AfterEquals),
            glob if glob.chars().all(is_of_type) => Ok(()),
            _ => Err(TypeSetFault::Types),
        }?;
        Ok(Some(Entry {
            set,
            glob,
            #[cfg(test)]
            reason,
        }))
    }
}

/// Splits a text after its first word.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// A line of a file of sets of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSetPlace {
    /// The index of the file, in the order of [`TypeSets::add`](super::TypeSets::add).
    pub file: usize,
    /// The line, from 1.
    pub line: u64,
}

/// An error in a file of sets of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSetError {
    /// The line that is wrong.
    pub place: TypeSetPlace,
    /// What is wrong.
    pub fault: TypeSetFault,
}

/// Why a file of sets of types is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeSetFault {
    /// The file is longer than this number of bytes.
    TooLong(usize),
    /// The file has no set.
    Empty,
    /// The files have more lines with types than this number.
    TooManyTypes(usize),
    /// There are more sets than this number.
    TooManySets(usize),
    /// The line does not begin with the name of a set.
    Name,
    /// The line has only the name of a set.
    NoTypes,
    /// The types are not a glob of types.
    Types,
    /// A text follows `=`.
    AfterEquals,
    /// The line drops the types of a set, and no later line adds any.
    EmptySet,
}

impl fmt::Display for TypeSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.place.line, self.fault)
    }
}

impl fmt::Display for TypeSetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeSetFault::TooLong(max) => write!(f, "the file is longer than {max} bytes"),
            TypeSetFault::Empty => f.write_str("this file has no sets of types"),
            TypeSetFault::TooManyTypes(max) => {
                write!(f, "the files have more than {max} lines with types")
            }
            TypeSetFault::TooManySets(max) => write!(f, "there are more than {max} sets"),
            TypeSetFault::Name => write!(
                f,
                "expected the name of a set, such as @data: `@`, and up to {NAME_MAX} lower-case \
                 letters, digits, `-` and `_`"
            ),
            TypeSetFault::NoTypes => {
                f.write_str("expected types after the name of the set, as in @data aws_db_*")
            }
            TypeSetFault::Types => f.write_str(
                "expected types such as aws_db_*: letters, digits, `_` and `-`, and `*` for any \
                 text",
            ),
            TypeSetFault::AfterEquals => {
                f.write_str("nothing stands after `=`: write the types on the lines below")
            }
            TypeSetFault::EmptySet => f.write_str(
                "the set has no types after this line, so a rule about it would count nothing: \
                 write its types on the lines below",
            ),
        }
    }
}

impl std::error::Error for TypeSetError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_set_and_types() {
        for (line, set, glob, reason) in [
            ("@data aws_db_*", "@data", "aws_db_*", ""),
            (
                "  @data\t aws_db_*\t It holds rows. # x\r",
                "@data",
                "aws_db_*",
                "It holds rows. # x",
            ),
            ("@own-set_2 *", "@own-set_2", "*", ""),
            ("@data =", "@data", "=", ""),
            ("@data = # Ours follow.", "@data", "=", "# Ours follow."),
        ] {
            assert_eq!(Entry::parse(line), Ok(Some(Entry { set, glob, reason })), "{line}");
        }
        for line in ["", " ", "# @data x", "  # x"] {
            assert_eq!(Entry::parse(line), Ok(None), "{line}");
        }
    }

    #[test]
    fn invalid_lines_are_refused() {
        let long = format!("@{} x", "n".repeat(NAME_MAX + 1));
        for (line, fault) in [
            ("data aws_db_*", TypeSetFault::Name),
            ("@ aws_db_*", TypeSetFault::Name),
            ("@Data aws_db_*", TypeSetFault::Name),
            ("@data= aws_db_*", TypeSetFault::Name),
            ("@dätä aws_db_*", TypeSetFault::Name),
            (&long, TypeSetFault::Name),
            ("@data", TypeSetFault::NoTypes),
            ("@data aws_db_instance.main", TypeSetFault::Types),
            ("@data @access", TypeSetFault::Types),
            ("@data =aws_db_instance", TypeSetFault::Types),
            ("@data aws_db_*,aws_rds_*", TypeSetFault::Types),
            ("@data = aws_db_instance", TypeSetFault::AfterEquals),
        ] {
            assert_eq!(Entry::parse(line), Err(fault), "{line}");
        }
    }
}

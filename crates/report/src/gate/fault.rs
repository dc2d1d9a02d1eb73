//! The faults of rules, in words.

use std::fmt;

use plansift_core::path::{PATH_OF_STRING, UnknownSet};

/// Why a rule is invalid. The strings in the variants are keywords that valid rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleFault {
    /// The rule is empty.
    Empty,
    /// The first word is unknown. Holds a similar known word, if there is one.
    Unknown(Option<&'static str>),
    /// A blank stands between this word and the pattern.
    Blank(&'static str),
    /// The rule begins with a misspelt severity. Holds the known severity.
    Severity(&'static str),
    /// A rule about paths has no path.
    NoPath(&'static str),
    /// A pattern is missing after a colon.
    NoPattern(&'static str),
    /// A rule about the whole plan has a pattern.
    NeedlessPattern(&'static str),
    /// The text after `>` is not an integer, or is too large.
    Count(&'static str),
    /// A pattern has a blank, `>`, `<` or `=` outside quotes.
    Stray,
    /// A pattern has a comma outside quotes.
    Comma,
    /// A pattern begins with a quote.
    Quoted,
    /// The pattern is the name of no set of types.
    Set(UnknownSet),
    /// A path follows a set of types, in a rule that is not about paths.
    PathBehindSet(&'static str),
    /// No path follows a set of types, in a rule about paths.
    NoPathBehindSet(&'static str),
    /// The path is invalid.
    Path,
    /// The path leads into the document in a string, which only `changed-path` may do.
    Document(&'static str),
    /// The path leads into a document in another document.
    NestedDocument,
    /// The path has parentheses, but calls no function that decodes a document.
    Decoder,
    /// The path has a key that a report masks.
    MaskedKey,
    /// The message at the end is not a JSON string.
    Message,
}

/// Why rules other than `changed-path` do not lead into documents.
const WHOLE_STRING: &str =
    "is about a string as a whole, because a plan marks nothing in the document in it";

/// Why a rule does not lead into a document in a document.
const ONE_DOCUMENT: &str = "a rule leads into one document, and not into a document in it";

impl RuleFault {
    /// Returns why a path into the document in a string is an error, without the words that say
    /// what to write. `None` for other faults.
    pub fn document_reason(&self) -> Option<String> {
        match self {
            RuleFault::Document(word) => Some(format!("`{word}` {WHOLE_STRING}")),
            RuleFault::NestedDocument => Some(ONE_DOCUMENT.to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleFault::Empty => f.write_str("the rule is empty"),
            RuleFault::Unknown(None) => f.write_str("no rule begins with this word"),
            RuleFault::Unknown(Some(near)) => {
                write!(f, "no rule begins with this word: did you mean `{near}`?")
            }
            RuleFault::Blank(word) => {
                write!(f, "a colon stands before a pattern: did you mean `{word}:PATTERN`?")
            }
            RuleFault::Severity(word) => write!(
                f,
                "the severities of a rule are `error` and `warning`: did you mean `{word}`?"
            ),
            RuleFault::NoPath(word) => write!(f, "a rule like this needs a path: {word}:PATTERN"),
            RuleFault::NoPattern(word) => write!(
                f,
                "a pattern is missing after a colon: write `{word}` for everything, or \
                 {word}:PATTERN for a part"
            ),
            RuleFault::NeedlessPattern(word) => {
                write!(f, "`{word}` is about the whole plan and takes no pattern")
            }
            RuleFault::Count(word) => {
                write!(f, "expected a whole number after '>', as in {word}>10")
            }
            RuleFault::Comma => f.write_str(
                "a rule has one pattern, and a pattern has no comma outside quotes: write each \
                 rule on its own",
            ),
            RuleFault::Quoted => {
                f.write_str("a pattern does not begin with a quote: write it without quotes")
            }
            RuleFault::Stray => f.write_str(
                "a pattern must not contain a blank, '>', '<' or '=' outside quotes; write the \
                 number last, as in delete:aws_*>3",
            ),
            RuleFault::Set(error) => error.fmt(f),
            RuleFault::PathBehindSet(word) => write!(
                f,
                "`{word}` takes no path behind a set of types: a rule about paths does, as in \
                 changed-path:@data:engine"
            ),
            RuleFault::NoPathBehindSet(word) => {
                write!(f, "a path is missing behind the set of types: write {word}:@SET:PATH")
            }
            RuleFault::Path => f.write_str(
                "invalid path: write one like tags.Name, *.password, ingress[0] or \
                 tags[\"a.b\"]",
            ),
            RuleFault::Document(word) => {
                write!(f, "`{word}` {WHOLE_STRING}: write {PATH_OF_STRING}")
            }
            RuleFault::NestedDocument => write!(
                f,
                "{ONE_DOCUMENT}: write the path of the inner string, such as jsondecode(policy).a \
                 for jsondecode(jsondecode(policy).a).b"
            ),
            RuleFault::Decoder => f.write_str(
                "only jsondecode(...) and yamldecode(...) lead into the document in a string, as \
                 in jsondecode(policy).Statement",
            ),
            RuleFault::MaskedKey => f.write_str(
                "reports mask this key, so no path has it: write `*` in its place, as in \
                 tags[\"*\"]",
            ),
            RuleFault::Message => f.write_str(
                "the message needs quotes around it: write it last, as in delete:aws_* \"Ask us.\"",
            ),
        }
    }
}

impl std::error::Error for RuleFault {}

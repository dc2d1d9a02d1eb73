//! The syntaxes of documents in strings.

use crate::path::DECODERS;

/// The syntax of a document in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each name says it")]
pub enum Syntax {
    Json,
    Yaml,
    /// Several YAML documents in one string, read as a list. Terraform decodes only single
    /// documents.
    YamlStream,
}

impl Syntax {
    /// Returns the name of the Terraform function that decodes the syntax.
    pub fn decoder(self) -> &'static str {
        DECODERS[usize::from(self != Syntax::Json)]
    }

    /// Returns the name of the Terraform function that encodes the syntax.
    pub fn encoder(self) -> &'static str {
        match self {
            Syntax::Json => "jsonencode",
            Syntax::Yaml | Syntax::YamlStream => "yamlencode",
        }
    }
}

/// What an alias (`*name`) in YAML becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aliases {
    /// A string, which has a place in the text.
    Names,
    /// A copy of its node, as for Terraform. Copies have no place in the text.
    Copies,
}

/// The error for a string that is too long to parse, a document that is nested too deep, and, in a
/// build without the feature `yaml`, a string that may be YAML. The contents of the string are
/// unknown and may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread;

/// The result of parsing a string; `None` if the string is not a document.
pub(super) type Read<T> = Result<Option<T>, Unread>;

//! The places in the grammar of JSON, for whoever follows it token by token.

/// What the grammar wants next, when every token is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
}

impl Want {
    pub(super) fn words(self) -> &'static str {
        match self {
            Want::Value => "a value",
            Want::ValueOrClose => "a value or the end of the array",
            Want::Key => "a key",
            Want::KeyOrClose => "a key or the end of the object",
            Want::Colon => "a colon",
            Want::CommaOrClose => "a comma or a closing bracket",
        }
    }
}

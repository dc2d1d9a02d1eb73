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
    /// The document has ended, or does with the string that is open.
    Nothing,
}

impl Want {
    /// As an error says it, of a place in an object or not.
    pub(super) fn words(self, is_in_object: bool) -> &'static str {
        match self {
            Want::Value => "a value",
            Want::ValueOrClose => "a value or the end of the array",
            Want::Key => "a key",
            Want::KeyOrClose => "a key or the end of the object",
            Want::Colon => "a colon",
            Want::CommaOrClose if is_in_object => "a comma or the end of the object",
            Want::CommaOrClose => "a comma or the end of the array",
            Want::Nothing => "nothing",
        }
    }
}

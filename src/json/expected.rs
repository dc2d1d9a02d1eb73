//! What may come next in the grammar of JSON, for a walk token by token.

/// What the grammar expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    /// Nothing: the document has ended, or ends with the open string.
    Nothing,
}

impl Expected {
    /// The words for an error message, in an object or elsewhere.
    pub(super) fn words(self, is_in_object: bool) -> &'static str {
        match self {
            Expected::Value => "a value",
            Expected::ValueOrClose => "a value or the end of the array",
            Expected::Key => "a key",
            Expected::KeyOrClose => "a key or the end of the object",
            Expected::Colon => "a colon",
            Expected::CommaOrClose if is_in_object => "a comma or the end of the object",
            Expected::CommaOrClose => "a comma or the end of the array",
            Expected::Nothing => "nothing",
        }
    }
}

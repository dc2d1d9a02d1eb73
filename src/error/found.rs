//! The classes of bytes that errors name.

/// The class of an unexpected token. Never contains bytes of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum Found {
    ObjectOpen,
    ObjectClose,
    ArrayOpen,
    ArrayClose,
    Colon,
    Comma,
    String,
    Number,
    Letter,
    /// Any other byte.
    Other,
}

impl Found {
    /// The class of a byte outside strings.
    pub fn of(byte: u8) -> Found {
        match byte {
            b'{' => Found::ObjectOpen,
            b'}' => Found::ObjectClose,
            b'[' => Found::ArrayOpen,
            b']' => Found::ArrayClose,
            b':' => Found::Colon,
            b',' => Found::Comma,
            b'"' => Found::String,
            b'-' | b'0'..=b'9' => Found::Number,
            b'a'..=b'z' | b'A'..=b'Z' => Found::Letter,
            _ => Found::Other,
        }
    }

    /// The words for the class in messages.
    pub(super) fn words(self) -> &'static str {
        match self {
            Found::ObjectOpen => "an object",
            Found::ObjectClose => "the end of an object",
            Found::ArrayOpen => "an array",
            Found::ArrayClose => "the end of an array",
            Found::Colon => "a colon",
            Found::Comma => "a comma",
            Found::String => "a string",
            Found::Number => "a number",
            Found::Letter => "a letter",
            Found::Other => "another byte",
        }
    }
}

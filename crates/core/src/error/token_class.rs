//! The classes of bytes that errors name.

/// The class of an unexpected token. Never contains bytes of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum TokenClass {
    ObjectOpen,
    ObjectClose,
    ArrayOpen,
    ArrayClose,
    Colon,
    Comma,
    String,
    Number,
    Letter,
    Other,
}

impl TokenClass {
    /// The class of a byte outside strings.
    pub fn of(byte: u8) -> TokenClass {
        match byte {
            b'{' => TokenClass::ObjectOpen,
            b'}' => TokenClass::ObjectClose,
            b'[' => TokenClass::ArrayOpen,
            b']' => TokenClass::ArrayClose,
            b':' => TokenClass::Colon,
            b',' => TokenClass::Comma,
            b'"' => TokenClass::String,
            b'-' | b'0'..=b'9' => TokenClass::Number,
            b'a'..=b'z' | b'A'..=b'Z' => TokenClass::Letter,
            _ => TokenClass::Other,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            TokenClass::ObjectOpen => "an object",
            TokenClass::ObjectClose => "the end of an object",
            TokenClass::ArrayOpen => "an array",
            TokenClass::ArrayClose => "the end of an array",
            TokenClass::Colon => "a colon",
            TokenClass::Comma => "a comma",
            TokenClass::String => "a string",
            TokenClass::Number => "a number",
            TokenClass::Letter => "a letter",
            TokenClass::Other => "another byte",
        }
    }
}

//! The words in the names of secrets, for the guess which unmarked values are secret.
//!
//! `audit` and the redaction for an agent make the same guess.

use std::sync::LazyLock;

use regex::bytes::Regex;

/// Words in the names of secrets. They also match in other spellings: `db_password`, `DB_PASSWORD`,
/// `dbPassword`.
const WORDS: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "api_key",
    "access_key",
    "private_key",
    "connection_string",
];

/// Endings of names whose values describe a secret without being one.
const TELLING: [&str; 16] = [
    "_arn",
    "_name",
    "_url",
    "_uri",
    "_path",
    "_file",
    "_type",
    "_version",
    "_policy",
    "_endpoint",
    "_length",
    "_enabled",
    "_hash",
    "_ttl",
    "_id",
    "_ids",
];

/// The words in all their spellings.
pub(crate) static SPELLINGS: LazyLock<Regex> = LazyLock::new(|| {
    let spellings: Vec<String> = WORDS.iter().flat_map(|word| spellings(word)).collect();
    match Regex::new(&spellings.join("|")) {
        Ok(words) => words,
        Err(error) => panic!("the words of names are no expression: {error}"),
    }
});

/// Whether a name looks as if its value were secret.
pub(crate) fn looks_secret(name: &[u8]) -> bool {
    SPELLINGS.is_match(name) && !is_telling(name)
}

/// The spellings of a word: `api_key`, `api-key`, `API_KEY`, `apiKey`, `ApiKey`, `apikey`.
fn spellings(word: &str) -> Vec<String> {
    let camel = |first_up: bool| -> String {
        let mut up = first_up;
        let mut spelling = String::new();
        for character in word.chars() {
            match character {
                '_' => up = true,
                other if std::mem::take(&mut up) => spelling.push(other.to_ascii_uppercase()),
                other => spelling.push(other),
            }
        }
        spelling
    };
    let mut spellings = vec![
        word.to_owned(),
        word.replace('_', "-"),
        word.replace('_', ""),
        word.to_ascii_uppercase(),
        camel(false),
        camel(true),
    ];
    spellings.sort_unstable();
    spellings.dedup();
    spellings
}

/// Whether the value of a name with such a word describes a secret without being one.
pub(crate) fn is_telling(name: &[u8]) -> bool {
    let ends_with = |ending: &str| {
        let start = name.len().checked_sub(ending.len());
        start.is_some_and(|start| name[start..].eq_ignore_ascii_case(ending.as_bytes()))
    };
    TELLING.iter().any(|ending| ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_secret_are_recognised() {
        assert!(looks_secret(b"db_password") && looks_secret(b"Token"));
        assert!(!looks_secret(b"password_length") && !looks_secret(b"user"));
    }
}

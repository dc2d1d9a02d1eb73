//! Classifies the list `actions` of a change. The result is the `action` of a record, which is one
//! word (docs/format/records.md, section 4), and the effects of the change.

use std::borrow::Cow;

use crate::plan::{Change, DocumentFault};
use plansift_core::error::{Error, Result};
use plansift_core::json::string;
use plansift_core::json::value::Text;

/// Maximum length of an action word, in bytes.
pub(super) const WORD_MAX: usize = 1024;

/// The effects that a change can have, the most severe first.
pub(super) const EFFECTS: [&str; 6] = ["delete", "replace", "forget", "update", "create", "read"];

/// Returns the effects of a list of actions, the most severe first. An unknown list, such as
/// `["delete","forget"]`, has the effects of all its actions. All code that counts effects uses
/// this function.
pub fn effects(actions: &[Cow<'_, str>]) -> impl Iterator<Item = &'static str> + use<> {
    let has = |word: &str| actions.iter().any(|action| action == word);
    let [creates, deletes, forgets] = ["create", "delete", "forget"].map(has);
    let does = [
        deletes && !creates,
        creates && (deletes || forgets),
        forgets && (deletes || !creates),
        has("update"),
        creates && !deletes && !forgets,
        has("read"),
    ];
    EFFECTS.into_iter().zip(does).filter_map(|(word, does)| does.then_some(word))
}

/// Returns the effects of a list of actions, given the word for the list ([`Action::word`]).
pub(crate) fn effects_of_word(word: &str) -> impl Iterator<Item = &'static str> + use<> {
    match word {
        "replace" => effects(&[DELETE, CREATE]),
        joined => effects(&joined.split('+').map(Cow::Borrowed).collect::<Vec<_>>()),
    }
}

/// Whether a resource stays as it is: no action, no move and no import. `word` is the word for its
/// list of actions; `None` for an unknown list.
pub fn is_settled<A, I>(word: Option<&str>, moved_from: Option<A>, importing: Option<I>) -> bool {
    word == Some("no-op") && moved_from.is_none() && importing.is_none()
}

const CREATE: Cow<'static, str> = Cow::Borrowed("create");
const DELETE: Cow<'static, str> = Cow::Borrowed("delete");
const FORGET: Cow<'static, str> = Cow::Borrowed("forget");

/// A list of actions: one of the known lists, or [`Action::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum Action {
    NoOp,
    Create,
    Read,
    Update,
    Delete,
    Forget,
    /// The action of an ephemeral resource (docs/format/plan.md, section 3).
    Open,
    DeleteThenCreate,
    CreateThenDelete,
    CreateThenForget,
    ForgetThenCreate,
    Other,
}

impl Action {
    /// Returns the action of a change: one for its whole list of actions.
    pub fn of(change: &Change<'_>) -> Result<Action> {
        let (mut list, mut len) = ([Action::Other; 2], 0);
        for text in change.actions()? {
            let action = Action::single(text?);
            if let Some(slot) = list.get_mut(len) {
                *slot = action;
            }
            len += 1;
        }
        use Action::*;
        Ok(match list.get(..len) {
            Some(&[one]) => one,
            Some([Delete, Create]) => DeleteThenCreate,
            Some([Create, Delete]) => CreateThenDelete,
            Some([Create, Forget]) => CreateThenForget,
            Some([Forget, Create]) => ForgetThenCreate,
            _ => Other,
        })
    }

    fn single(text: Text<'_>) -> Action {
        use Action::*;
        [NoOp, Create, Read, Update, Delete, Forget, Open]
            .into_iter()
            .find(|action| action.known_word().is_some_and(|word| text.is(word)))
            .unwrap_or(Other)
    }

    /// The known lists and their words, in the order of the enum.
    const KNOWN: [(Action, &str, &[Cow<'static, str>]); 11] = [
        (Action::NoOp, "no-op", &[Cow::Borrowed("no-op")]),
        (Action::Create, "create", &[CREATE]),
        (Action::Read, "read", &[Cow::Borrowed("read")]),
        (Action::Update, "update", &[Cow::Borrowed("update")]),
        (Action::Delete, "delete", &[DELETE]),
        (Action::Forget, "forget", &[FORGET]),
        (Action::Open, "open", &[Cow::Borrowed("open")]),
        (Action::DeleteThenCreate, "replace", &[DELETE, CREATE]),
        (Action::CreateThenDelete, "replace", &[CREATE, DELETE]),
        (Action::CreateThenForget, "replace", &[CREATE, FORGET]),
        (Action::ForgetThenCreate, "replace", &[FORGET, CREATE]),
    ];

    /// Returns the word for the list; `None` for an unknown list.
    pub fn known_word(self) -> Option<&'static str> {
        Action::KNOWN.get(self as usize).map(|(_, word, _)| *word)
    }

    /// Returns the word for the list. The word for an unknown list is its actions, joined by `+`.
    /// Fails if `actions` is not an array of strings, or if the word is longer than [`WORD_MAX`].
    pub(super) fn word(self, change: &Change<'_>) -> Result<Cow<'static, str>> {
        match self.known_word() {
            Some(word) => Ok(Cow::Borrowed(word)),
            None => {
                let too_long =
                    |offset| Error::at(DocumentFault::LongWord, offset).within("actions");
                let mut joined = String::new();
                for (index, word) in change.actions()?.enumerate() {
                    let word = word?;
                    if index > 0 {
                        joined.push('+');
                    }
                    if word.raw().len() > string::EXPANSION_MAX * WORD_MAX {
                        return Err(too_long(word.offset()));
                    }
                    joined += &word.decode()?;
                    if joined.len() > WORD_MAX {
                        return Err(too_long(word.offset()));
                    }
                }
                Ok(Cow::Owned(joined))
            }
        }
    }

    pub(super) fn words<'w>(self, change: &Change<'_>) -> Result<Cow<'w, [Cow<'w, str>]>> {
        match Action::KNOWN.get(self as usize) {
            Some((_, _, actions)) => Ok(Cow::Borrowed(*actions)),
            None => {
                let words = change.actions()?.map(|word| Ok(word?.decode()?.into()));
                words.collect::<Result<Vec<_>>>().map(Cow::Owned)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_effects_of_their_actions() {
        for (actions, expected) in [
            (&["no-op"][..], &[][..]),
            (&["open"], &[]),
            (&[], &[]),
            (&["read"], &["read"]),
            (&["create"], &["create"]),
            (&["update"], &["update"]),
            (&["delete"], &["delete"]),
            (&["forget"], &["forget"]),
            (&["delete", "create"], &["replace"]),
            (&["create", "delete"], &["replace"]),
            (&["create", "forget"], &["replace"]),
            (&["forget", "create"], &["replace"]),
            (&["delete", "forget"], &["delete", "forget"]),
            (&["forget", "delete"], &["delete", "forget"]),
            (&["update", "delete"], &["delete", "update"]),
            (&["create", "delete", "forget"], &["replace", "forget"]),
            (&["purge", "delete"], &["delete"]),
            (&["purge"], &[]),
        ] {
            let actions: Vec<_> = actions.iter().map(|&action| Cow::Borrowed(action)).collect();
            assert_eq!(effects(&actions).collect::<Vec<_>>(), expected, "{actions:?}");
            let by_word = effects_of_word(&actions.join("+"));
            assert_eq!(by_word.collect::<Vec<_>>(), expected, "{actions:?}");
        }
        assert_eq!(effects_of_word("replace").collect::<Vec<_>>(), ["replace"]);
    }
}

//! What a list of `actions` amounts to: one word (docs/format/records.md, section 4), and what
//! Terraform counts.

use std::borrow::Cow;

use super::counts::WORD_MAX;
use crate::error::Result;
use crate::json::value::Text;
use crate::plan::Change;

/// A list of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    NoOp,
    Create,
    Read,
    Update,
    Delete,
    Forget,
    /// Of an ephemeral resource (docs/format/plan.md, section 3).
    Open,
    DeleteThenCreate,
    CreateThenDelete,
    CreateThenForget,
    ForgetThenCreate,
    /// Any other list.
    Other,
}

impl Action {
    /// The actions of a change.
    ///
    /// # Errors
    ///
    /// They are no array of strings.
    pub(crate) fn of(change: &Change<'_>) -> Result<Action> {
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

    fn known_word(self) -> Option<&'static str> {
        Some(match self {
            Action::NoOp => "no-op",
            Action::Create => "create",
            Action::Read => "read",
            Action::Update => "update",
            Action::Delete => "delete",
            Action::Forget => "forget",
            Action::Open => "open",
            Action::DeleteThenCreate
            | Action::CreateThenDelete
            | Action::CreateThenForget
            | Action::ForgetThenCreate => "replace",
            Action::Other => return None,
        })
    }

    /// The one word; of an unknown list, its words joined, and no more of them than make it too
    /// long to be counted.
    ///
    /// # Errors
    ///
    /// The actions of the change are no array of strings.
    pub(super) fn word(self, change: &Change<'_>) -> Result<Cow<'static, str>> {
        match self.known_word() {
            Some(word) => Ok(Cow::Borrowed(word)),
            None => {
                let mut joined = String::new();
                for (place, word) in change.actions()?.enumerate() {
                    if place > 0 {
                        joined.push('+');
                    }
                    joined += &word?.decode()?;
                    if joined.len() > WORD_MAX {
                        break;
                    }
                }
                Ok(Cow::Owned(joined))
            }
        }
    }

    /// The words of the list.
    ///
    /// # Errors
    ///
    /// The actions of the change are no array of strings.
    pub(super) fn words<'w>(self, change: &Change<'_>) -> Result<Cow<'w, [Cow<'w, str>]>> {
        use Cow::Borrowed;
        let known: &'w [Cow<'w, str>] = match self {
            Action::NoOp => &[Borrowed("no-op")],
            Action::Create => &[Borrowed("create")],
            Action::Read => &[Borrowed("read")],
            Action::Update => &[Borrowed("update")],
            Action::Delete => &[Borrowed("delete")],
            Action::Forget => &[Borrowed("forget")],
            Action::Open => &[Borrowed("open")],
            Action::DeleteThenCreate => &[Borrowed("delete"), Borrowed("create")],
            Action::CreateThenDelete => &[Borrowed("create"), Borrowed("delete")],
            Action::CreateThenForget => &[Borrowed("create"), Borrowed("forget")],
            Action::ForgetThenCreate => &[Borrowed("forget"), Borrowed("create")],
            Action::Other => {
                let words = change.actions()?.map(|word| Ok(word?.decode()?.into()));
                return words.collect::<Result<Vec<_>>>().map(Cow::Owned);
            }
        };
        Ok(Borrowed(known))
    }
}

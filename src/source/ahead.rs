//! Looks up the addresses among the next names in parallel, before their turn comes.

use std::collections::VecDeque;
use std::ffi::OsString;

use super::store::{Asked, Named, Stores};
use crate::error::Result;

/// The number of names to read ahead.
const AHEAD: usize = 32;

/// A name, and the pending request to its store if it is an address.
pub(super) struct Upcoming {
    pub name: OsString,
    pub asked: Option<Asked>,
}

/// A queue of names that were read ahead.
#[derive(Default)]
pub(super) struct Ahead {
    names: VecDeque<Upcoming>,
    /// How the names end, once that is known: complete or with an error.
    end: Option<Result<()>>,
}

impl Ahead {
    /// The next name from `names`; `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if `names` has failed, after all names before the error were returned.
    pub fn next(
        &mut self,
        stores: &Stores,
        mut names: impl FnMut() -> Result<Option<OsString>>,
    ) -> Result<Option<Upcoming>> {
        while self.names.len() < AHEAD && self.end.is_none() {
            match names() {
                Ok(Some(name)) => {
                    let named = name.to_str().and_then(Named::parse);
                    let asked = match named {
                        Some(Ok(Named::Object(address))) => Some(stores.ask(&address)),
                        _ => None,
                    };
                    self.names.push_back(Upcoming { name, asked });
                }
                Ok(None) => self.end = Some(Ok(())),
                Err(error) => self.end = Some(Err(error)),
            }
        }
        match self.names.pop_front() {
            Some(next) => Ok(Some(next)),
            None => self.end.take().unwrap_or(Ok(())).map(|()| None),
        }
    }
}

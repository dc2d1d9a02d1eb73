//! Names, with what was asked of stores about them before their turn came: many are asked in the
//! time of one.

use std::collections::VecDeque;
use std::ffi::OsString;

use super::store::{Asked, Named, Stores};
use crate::error::Result;

/// How many names are looked at ahead.
const AHEAD: usize = 32;

/// A name, and the answer that is to come if it is an address.
pub(super) struct Upcoming {
    pub name: OsString,
    pub asked: Option<Asked>,
}

/// The names that were looked at.
#[derive(Default)]
pub(super) struct Ahead {
    names: VecDeque<Upcoming>,
    /// What comes behind them, once that is known.
    end: Option<Result<()>>,
}

impl Ahead {
    /// The next of names that come from there; `None`: there are no more.
    ///
    /// # Errors
    ///
    /// That of `names`, when all before it are told.
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

//! The stub of `view` for builds without the feature `report`. A viewer cannot exist, so its
//! methods never run, and the attributes of all records are empty.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::Attributes;
pub(super) use super::subject::{ViewPaths, ViewSubject};
use crate::error::Result;
use crate::limits::Limits;
use crate::plan::Change;

/// A view. This type has no values.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'s>(Infallible, PhantomData<&'s ()>);

/// A viewer. This type has no values.
#[derive(Debug)]
pub(super) struct Viewer<'s>(View<'s>);

impl<'s> Viewer<'s> {
    pub fn new(view: View<'s>, _: &Limits) -> Viewer<'s> {
        Viewer(view)
    }

    pub fn is_secret(&self, _: &[u8]) -> bool {
        match self.0.0 {}
    }

    pub fn is_secret_number(&self, _: &[u8]) -> bool {
        match self.0.0 {}
    }

    pub fn is_name(&self, _: &str) -> bool {
        match self.0.0 {}
    }

    pub fn declares(&self, _: &str) -> bool {
        match self.0.0 {}
    }

    pub fn text(&self, _: String) -> String {
        match self.0.0 {}
    }

    pub fn view(
        &mut self,
        _: ViewSubject<'_>,
        _: &Change<'_>,
        _: ViewPaths<'_>,
    ) -> Result<Attributes> {
        match self.0.0 {}
    }
}

//! The stub of `assertions` for builds without the feature `assert`. A checker cannot exist, so its
//! methods never run.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::failed_assertion::FailedAssertion;
use crate::error::Result;
use crate::plan::{Document, Piece};

/// The assertions to check. This type has no values.
pub(super) struct AssertionRequest<'a> {
    none: Infallible,
    pub mask: Mask<'a>,
}

/// Replaces the function that masks secrets.
pub(super) type Mask<'a> = PhantomData<&'a ()>;

/// A checker. This type has no values.
pub(super) struct AssertionChecker<'a>(Infallible, PhantomData<&'a ()>);

#[derive(Default)]
pub(super) struct PartialResults;

impl PartialResults {
    pub fn size(&self) -> u64 {
        0
    }
}

impl<'a> AssertionChecker<'a> {
    pub fn new(request: &AssertionRequest<'a>) -> AssertionChecker<'a> {
        match request.none {}
    }

    pub fn fresh(&self) -> AssertionChecker<'a> {
        match self.0 {}
    }

    pub fn piece(&mut self, _: &Piece<'_>) -> Result<()> {
        match self.0 {}
    }

    pub fn piece_into(&mut self, _: &Piece<'_>, _: &mut PartialResults) -> Result<()> {
        match self.0 {}
    }

    pub fn append(&mut self, _: &mut PartialResults) {
        match self.0 {}
    }

    pub fn note_state(&mut self) {
        match self.0 {}
    }

    pub fn finish(
        self,
        _: &Document,
        _: Mask<'_>,
        _: &mut dyn FnMut(FailedAssertion<'_>) -> Result<()>,
    ) -> Result<()> {
        match self.0 {}
    }
}

//! Collects the refinements of an unknown value, and detects when they allow only one value.

use std::cmp::Ordering;

use super::error::ErrorKind;
use super::text::normalize;
use super::types::Type;
use super::unknown::{Bound, LENGTH_ANY, Range, Unknown};
use super::value::{Data, Value};

/// Collects the refinements of an unknown value.
#[derive(Debug)]
pub struct Refiner {
    ty: Type,
    is_null: Option<bool>,
    range: Range,
}

impl Refiner {
    /// Starts with a type and without refinements.
    pub fn new(ty: &Type) -> Refiner {
        let range = match ty {
            Type::String => Range::Prefix(Vec::new()),
            Type::Number => Range::Bounds { min: None, max: None },
            Type::List(_) | Type::Set(_) | Type::Map(_) => {
                Range::Length { min: 0, max: LENGTH_ANY }
            }
            _ => Range::Any,
        };
        Refiner { ty: ty.clone(), is_null: None, range }
    }

    /// Adds the fact that the value is null, or that it is not null.
    ///
    /// # Errors
    ///
    /// Fails if the opposite is known.
    pub fn null(&mut self, is_null: bool) -> Result<(), ErrorKind> {
        possible(self.is_null.is_none_or(|known| known == is_null))?;
        self.is_null = Some(is_null);
        Ok(())
    }

    /// Adds a known prefix of a string.
    ///
    /// # Errors
    ///
    /// Fails if the type is not a string, or if the prefix contradicts a known prefix.
    pub fn prefix(&mut self, prefix: &[u8]) -> Result<(), ErrorKind> {
        let Range::Prefix(known) = &mut self.range else {
            return Err(ErrorKind::Refinement);
        };
        let prefix = normalize(prefix);
        possible(prefix.iter().zip(known.iter()).all(|(left, right)| left == right))?;
        if prefix.len() > known.len() {
            *known = prefix.into_owned();
        }
        Ok(())
    }

    /// Adds a lower and an upper bound.
    ///
    /// # Errors
    ///
    /// Fails if the type is not a number, or if no number is within the bounds.
    pub fn bounds(&mut self, lower: Option<Bound>, upper: Option<Bound>) -> Result<(), ErrorKind> {
        let Range::Bounds { min, max } = &mut self.range else {
            return Err(ErrorKind::Refinement);
        };
        tighten(min, lower, Ordering::Less);
        tighten(max, upper, Ordering::Greater);
        possible(is_range(min.as_ref(), max.as_ref()))
    }

    /// Adds the minimum and the maximum number of elements.
    ///
    /// # Errors
    ///
    /// Fails if the type is not a collection, or if no length is possible.
    pub fn length(&mut self, least: i64, greatest: i64) -> Result<(), ErrorKind> {
        let Range::Length { min, max } = &mut self.range else {
            return Err(ErrorKind::Refinement);
        };
        (*min, *max) = (least.max(*min), greatest.min(*max));
        possible(*min <= *max)
    }

    /// Returns the value. The value is unknown unless the refinements allow only one choice: null,
    /// a number, an empty collection, or a list of unknown elements. The length of such a list is
    /// taken from `budget`.
    ///
    /// # Errors
    ///
    /// Fails if the budget is exceeded.
    pub fn finish(self, budget: &mut usize) -> Result<Value, ErrorKind> {
        let Refiner { ty, is_null, range } = self;
        let data = match (is_null, &range) {
            (Some(true), _) => Data::Null,
            (Some(false), Range::Bounds { min: Some(min), max: Some(max) })
                if min.is_inclusive && max.is_inclusive && min.number == max.number =>
            {
                Data::Number(min.number.clone())
            }
            (Some(false), Range::Length { min, max }) if min == max => match (&ty, *min) {
                (Type::Map(_), 0) => Data::Map(Default::default()),
                (Type::List(_) | Type::Set(_), 0) | (Type::List(_), _) | (Type::Set(_), 1) => {
                    Data::List(unknown_elements(*min, budget)?)
                }
                _ => unknown(true, range),
            },
            _ => unknown(is_null == Some(false), range),
        };
        Ok(Value { ty, data })
    }
}

fn unknown(is_not_null: bool, range: Range) -> Data {
    let range = match range {
        Range::Prefix(prefix) if prefix.is_empty() => Range::Any,
        Range::Bounds { min: None, max: None } => Range::Any,
        Range::Length { min: 0, max: LENGTH_ANY } => Range::Any,
        range => range,
    };
    Data::Unknown(Box::new(Unknown { is_not_null, range }))
}

fn unknown_elements(length: i64, budget: &mut usize) -> Result<Vec<Data>, ErrorKind> {
    let length = usize::try_from(length).map_err(|_| ErrorKind::Expansion)?;
    *budget = budget.checked_sub(length).ok_or(ErrorKind::Expansion)?;
    Ok(vec![Data::unknown(); length])
}

/// Replaces a known bound unless the new bound is looser. `looser` is `Less` for a lower bound and
/// `Greater` for an upper bound.
fn tighten(known: &mut Option<Bound>, bound: Option<Bound>, looser: Ordering) {
    let Some(bound) = bound else { return };
    let is_looser = known.as_ref().is_some_and(|known| {
        let order = bound.number.compare(&known.number);
        order == looser || order.is_eq() && bound.is_inclusive && !known.is_inclusive
    });
    if !is_looser {
        *known = Some(bound);
    }
}

fn is_range(min: Option<&Bound>, max: Option<&Bound>) -> bool {
    let (Some(min), Some(max)) = (min, max) else {
        return true;
    };
    let order = min.number.compare(&max.number);
    order.is_lt() || order.is_eq() && min.is_inclusive == max.is_inclusive
}

fn possible(is_possible: bool) -> Result<(), ErrorKind> {
    if is_possible { Ok(()) } else { Err(ErrorKind::Refinement) }
}

//! Copies of records that borrow nothing. A record needs one if it waits, or if it goes to another
//! thread.

use std::borrow::Cow;

use super::Attributes;
use super::impact::Impact;
use crate::config::{Block, Origin};
use crate::plan::Timing;
use plansift_core::path::Paths;

/// A value with a copy that borrows nothing.
pub trait Owned {
    /// The type of the copy.
    type Copy;

    /// Copies the value.
    fn owned(&self) -> Self::Copy;
}

/// Declares a record, and implements [`Owned`] for it. The copy of a record has the copies of its
/// fields.
macro_rules! with_owned {
    (
        $(#[$attribute:meta])*
        pub struct $record:ident<'a> {
            $($(#[$field_attribute:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        pub struct $record<'a> {
            $($(#[$field_attribute])* pub $field: $type,)*
        }

        impl $crate::record::Owned for $record<'_> {
            type Copy = $record<'static>;

            fn owned(&self) -> $record<'static> {
                $record { $($field: $crate::record::Owned::owned(&self.$field),)* }
            }
        }
    };
}
pub(super) use with_owned;

impl Owned for Cow<'_, str> {
    type Copy = Cow<'static, str>;

    fn owned(&self) -> Cow<'static, str> {
        Cow::Owned(self.to_string())
    }
}

impl Owned for Cow<'_, Paths> {
    type Copy = Cow<'static, Paths>;

    fn owned(&self) -> Cow<'static, Paths> {
        Cow::Owned(Paths::clone(self))
    }
}

impl<T: Clone + Owned<Copy: Clone + 'static>> Owned for Cow<'_, [T]> {
    type Copy = Cow<'static, [T::Copy]>;

    fn owned(&self) -> Cow<'static, [T::Copy]> {
        self.iter().map(T::owned).collect()
    }
}

impl<T: Owned> Owned for Option<T> {
    type Copy = Option<T::Copy>;

    fn owned(&self) -> Option<T::Copy> {
        self.as_ref().map(T::owned)
    }
}

/// Implements [`Owned`] for types that borrow nothing: the copy is a clone.
macro_rules! cloned {
    ($($type:ty),*) => {
        $(impl $crate::record::Owned for $type {
            type Copy = $type;

            fn owned(&self) -> $type {
                self.clone()
            }
        })*
    };
}
pub(super) use cloned;

cloned!(bool, u64, usize, &'static str, Timing, Attributes, Box<Block>, Box<Origin>, Box<Impact>);

//! Visits the parts of a value in the order in which they are written, without recursion.

use std::collections::btree_map;
use std::slice;

use super::types::{Parts, Type};
use super::value::{Data, Value};

/// A step of the walk. The types in events are the actual types of the data.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The start of a value whose expected type is dynamic. The value is written with its actual
    /// type.
    BeginTyped(&'a Type),
    /// The end of a value whose expected type is dynamic.
    EndTyped(&'a Type),
    /// Null, an unknown value, a boolean, a number or a string.
    Leaf(&'a Data, &'a Type),
    /// The start of a value with parts: a collection, a tuple or an object.
    Begin(&'a Data, &'a Type),
    /// The start of a part. The events of the part's value follow.
    Part {
        /// The number of the part, from 0.
        index: usize,
        /// The key of the part, if the value is a map or an object.
        key: Option<&'a [u8]>,
        /// The type of the value that contains the part.
        of: &'a Type,
    },
    /// The end of a value with parts.
    End(&'a Data, &'a Type),
}

/// A walk over a value and the type as which it is written.
#[derive(Debug)]
pub struct Walk<'a> {
    next: Option<NextValue<'a>>,
    stack: Vec<Open<'a>>,
}

/// Data, its actual type, and its expected type.
type NextValue<'a> = (&'a Data, &'a Type, &'a Type);

// Few stack entries are `Typed`, so the unused bytes of that variant do not matter.
#[expect(clippy::large_enum_variant)]
#[derive(Debug)]
enum Open<'a> {
    Typed(&'a Type),
    Parts {
        data: &'a Data,
        own: &'a Type,
        items: Items<'a>,
        types: (Parts<'a>, Parts<'a>),
        index: usize,
    },
}

#[derive(Debug)]
enum Items<'a> {
    Elements(slice::Iter<'a, Data>),
    Entries(btree_map::Iter<'a, Vec<u8>, Data>),
}

impl<'a> Walk<'a> {
    /// Starts with a value that conforms to the type.
    pub fn new(value: &'a Value, ty: &'a Type) -> Walk<'a> {
        Walk { next: Some((&value.data, &value.ty, ty)), stack: Vec::new() }
    }

    /// Starts with data of a type. This walk has no [`Event::BeginTyped`] and no
    /// [`Event::EndTyped`].
    pub fn of_data(data: &'a Data, own: &'a Type) -> Walk<'a> {
        Walk { next: Some((data, own, own)), stack: Vec::new() }
    }

    /// Skips the value of the part that was just yielded. Returns the value's actual type.
    pub fn skip_part(&mut self) -> Option<&'a Type> {
        self.next.take().map(|(_, own, _)| own)
    }

    fn begin(&mut self, (data, own, ty): NextValue<'a>) -> Event<'a> {
        if matches!(ty, Type::Dynamic) && !matches!(own, Type::Dynamic) {
            self.stack.push(Open::Typed(own));
            self.next = Some((data, own, own));
            return Event::BeginTyped(own);
        }
        let items = match data {
            Data::List(elements) => Items::Elements(elements.iter()),
            Data::Map(entries) => Items::Entries(entries.iter()),
            _ => return Event::Leaf(data, own),
        };
        let types = (own.parts(), ty.parts());
        self.stack.push(Open::Parts { data, own, items, types, index: 0 });
        Event::Begin(data, own)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(next) = self.next.take() {
            return Some(self.begin(next));
        }
        let event = match self.stack.last_mut()? {
            Open::Typed(own) => Event::EndTyped(own),
            Open::Parts { data, own, items, types, index } => {
                let item = items.next().zip(types.0.next().zip(types.1.next()));
                if let Some(((key, part), (part_own, part_ty))) = item {
                    self.next = Some((part, part_own, part_ty));
                    *index += 1;
                    return Some(Event::Part { index: *index - 1, key, of: own });
                }
                Event::End(data, own)
            }
        };
        self.stack.pop();
        Some(event)
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = (Option<&'a [u8]>, &'a Data);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Items::Elements(elements) => elements.next().map(|data| (None, data)),
            Items::Entries(entries) => {
                entries.next().map(|(key, data)| (Some(key.as_slice()), data))
            }
        }
    }
}

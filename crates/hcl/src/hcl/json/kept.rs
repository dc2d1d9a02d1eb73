//! Which values of a document the parser keeps.

use crate::hcl::schema::{BlockSchema, BodySchema, Rest};

/// Which values inside a value are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    /// All values.
    All,
    /// No values.
    Nothing,
    /// The value is a body. Keeps its properties without what is inside them, and the labels and
    /// bodies of its blocks without what is inside the bodies.
    Body(&'static BodySchema),
    /// Like `Body`, in an array.
    BodyElement(&'static BodySchema),
    /// The value has the labels of a block. So many labels are outside of it.
    Labels(&'static BlockSchema, usize),
    /// Like `Labels`, in an array.
    LabelsElement(&'static BlockSchema, usize),
    /// The value is the body of a block, or an array of bodies. Keeps the elements of the array.
    Bodies,
}

impl Kept {
    /// Returns what is kept inside a property of this value. `None` if the property is not kept.
    pub fn property(self, name: &str) -> Option<Kept> {
        match self {
            Kept::All => Some(Kept::All),
            Kept::Nothing | Kept::Bodies => None,
            Kept::Body(schema) | Kept::BodyElement(schema) => match schema.block(name) {
                Some(block) => Some(Kept::labels(block, 0)),
                None if schema.rest == Rest::Skipped && schema.attribute(name).is_none() => None,
                None => Some(Kept::Nothing),
            },
            Kept::Labels(block, outside) | Kept::LabelsElement(block, outside) => {
                Some(Kept::labels(block, outside + 1))
            }
        }
    }

    /// Returns what is kept inside an element of this value. `None` if the element is not kept.
    pub fn element(self) -> Option<Kept> {
        match self {
            Kept::All => Some(Kept::All),
            Kept::Nothing => None,
            Kept::Body(schema) => Some(Kept::BodyElement(schema)),
            Kept::Labels(block, outside) => Some(Kept::LabelsElement(block, outside)),
            Kept::BodyElement(_) | Kept::LabelsElement(..) | Kept::Bodies => Some(Kept::Nothing),
        }
    }

    fn labels(block: &'static BlockSchema, outside: usize) -> Kept {
        match block.labels.len() > outside {
            true => Kept::Labels(block, outside),
            false => Kept::Bodies,
        }
    }
}

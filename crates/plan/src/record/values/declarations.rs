//! Collects the variables of a plan. The tools write the values of variables before their
//! declarations, so all variables stay in memory until the end of the document.

use std::collections::BTreeMap;

use super::{MaskValues, rows};
use crate::plan::{Piece, VariableDeclaration};
use crate::record::texts::decoded;
use crate::record::{JsonText, Variable};
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};

/// The variables of a plan, and their declarations.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// The names and values, in document order.
    values: Vec<(String, Option<JsonText<'static>>)>,
    declarations: BTreeMap<String, Variable<'static>>,
    /// Memory in bytes.
    size: u64,
}

impl Variables {
    /// Records a member of `variables`. Fails if the member is malformed, or if the variables
    /// exceed [`Limits::change`].
    pub fn value(
        &mut self,
        piece: &Piece<'_>,
        limits: &Limits,
        masked: Option<&mut (dyn MaskValues + '_)>,
    ) -> Result<()> {
        let value = piece.value.get("value")?;
        let value = rows::value(value, piece, masked).map_err(|error| error.within("value"))?;
        let name = piece.name.unwrap_or_default().to_owned();
        let len = value.as_ref().map_or(0, |value| value.get().len());
        self.take(name.len() + len, piece, limits)?;
        self.values.push((name, value));
        Ok(())
    }

    /// Records a declaration of the root module. Fails if the declaration is malformed, or if the
    /// variables exceed [`Limits::change`].
    pub fn declare(&mut self, piece: &Piece<'_>, limits: &Limits) -> Result<()> {
        let declaration = VariableDeclaration::parse(piece.value)?;
        let name = piece.name.unwrap_or_default().to_owned();
        let variable = Variable {
            name: name.clone().into(),
            type_name: rows::plain(declaration.type_name).map_err(|error| error.within("type"))?,
            sensitive: Some(declaration.sensitive),
            ephemeral: declaration.ephemeral,
            required: declaration.required,
            default: Some(declaration.default.is_some()),
            description: decoded(declaration.description)?,
            deprecated: decoded(declaration.deprecated)?,
            value: None,
        };
        // The strings of the variable are parts of the declaration, so its length is an upper
        // bound.
        self.take(2 * name.len() + piece.value.raw().len(), piece, limits)?;
        self.declarations.insert(name, variable);
        Ok(())
    }

    fn take(&mut self, len: usize, piece: &Piece<'_>, limits: &Limits) -> Result<()> {
        self.size += (len + size_of::<Variable<'_>>()) as u64;
        match self.size > limits.change {
            true => Err(Error::limit(Limit::Change, limits.change, piece.value.offset())),
            false => Ok(()),
        }
    }

    /// Calls `each` with the variables: first those with values, in document order, then the
    /// others, sorted by name. Makes one row at a time, because a row is much larger than a name.
    pub fn each(mut self, mut each: impl FnMut(Variable<'static>) -> Result<()>) -> Result<()> {
        for (name, value) in self.values {
            each(match self.declarations.remove(&name) {
                Some(declared) => Variable { value, ..declared },
                None => Variable { name: name.into(), value, ..Variable::default() },
            })?;
        }
        self.declarations.into_values().try_for_each(each)
    }
}

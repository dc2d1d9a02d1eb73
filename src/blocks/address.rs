//! Addresses without instance keys, by which a configuration is searched.

use crate::path::split_modules;

/// The place of an object in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The names of the module calls, outermost first, joined by dots. Empty for the root module.
    pub module: String,
    /// The address in its module, without keys, such as `data.aws_ami.web`.
    pub address: String,
}

impl Local {
    /// Removes the instance keys of an address. Keys can hold dots, brackets and escaped quotes.
    pub fn of(address: &str) -> Local {
        let (module, names) = split_modules(address);
        Local { module: module.join("."), address: names.join(".") }
    }
}

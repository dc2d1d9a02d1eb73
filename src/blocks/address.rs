//! Addresses without instance keys, for finding blocks in a configuration.

use crate::path::split_modules;

/// The address of an object in a configuration: its module, and its address in that module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The names of the module calls, outermost first, joined by dots. Empty for the root module.
    pub module: String,
    /// The address in its module, without keys, such as `data.aws_ami.web`.
    pub address: String,
}

impl Local {
    /// Splits an address and removes its instance keys. Keys can contain dots, brackets and escaped
    /// quotes.
    pub fn of(address: &str) -> Local {
        let (module, names) = split_modules(address);
        Local { module: module.join("."), address: names.join(".") }
    }
}

//! Addresses in a configuration. A configuration has no instances, so its addresses have no keys.

use crate::path::{push_key, split_modules};

/// An address without its instance keys: the modules, and the address in the innermost module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local<'t> {
    /// The names of the module calls, outermost first.
    pub calls: Vec<&'t str>,
    /// The names that follow: `["data", "t", "n"]` for `data.t.n[0]`.
    pub names: Vec<&'t str>,
}

impl<'t> Local<'t> {
    /// Splits an address. Instance keys may hold dots, brackets and escaped quotes.
    pub fn of(address: &'t str) -> Local<'t> {
        let (calls, names) = split_modules(address);
        Local { calls, names }
    }

    pub(super) fn module_path(&self) -> String {
        let mut path = ROOT.to_owned();
        self.calls.iter().for_each(|call| push_call(&mut path, call));
        path
    }

    /// Returns the address of the module; empty for the root module.
    pub(super) fn module_address(&self) -> String {
        let mut address = String::new();
        for call in &self.calls {
            push_name(&mut address, "module");
            push_name(&mut address, call);
        }
        address
    }
}

/// The path of the root module in the `configuration` section.
pub(super) const ROOT: &str = "root_module";

/// Extends the path of a module to the module that its call `name` calls.
pub(super) fn push_call(path: &mut String, name: &str) {
    path.push_str(".module_calls");
    push_key(path, name);
    path.push_str(".module");
}

pub(super) fn push_name(address: &mut String, name: &str) {
    if !address.is_empty() {
        address.push('.');
    }
    address.push_str(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_paths_quote_call_names_that_contain_dots() {
        let path = Local::of("module.a.module.b.t.n").module_path();
        assert_eq!(path, "root_module.module_calls.a.module.module_calls.b.module");
        let mut path = ROOT.to_owned();
        push_call(&mut path, "a.b");
        assert_eq!(path, r#"root_module.module_calls["a.b"].module"#);
    }
}

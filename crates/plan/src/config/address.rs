//! Addresses in a configuration. A configuration has no instances, so its addresses have no keys.

use plansift_core::path::{ConfigAddress, push_key};

/// Returns the path of the module of an address in the `configuration` section.
pub(super) fn module_path(address: &ConfigAddress<'_>) -> String {
    let mut path = ROOT.to_owned();
    address.calls.iter().for_each(|call| push_call(&mut path, call));
    path
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
        let path = module_path(&ConfigAddress::of("module.a.module.b.t.n"));
        assert_eq!(path, "root_module.module_calls.a.module.module_calls.b.module");
        let mut path = ROOT.to_owned();
        push_call(&mut path, "a.b");
        assert_eq!(path, r#"root_module.module_calls["a.b"].module"#);
    }
}

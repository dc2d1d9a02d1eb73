//! The expressions that refer to one element.

use super::address::push_name;
use super::element::{Element, User};
use super::reference::{Target, traversals};
use plansift_core::error::Result;
use plansift_core::path::ConfigAddress;

/// Finds the expressions that refer to one element.
#[derive(Debug)]
pub struct Users {
    /// The address of the element, without instance keys.
    address: String,
    /// The prefix of the addresses of the element's outputs, if the element is a called module.
    outputs: String,
    /// True once the element, or a reference to it, was found.
    pub is_known: bool,
}

impl Users {
    /// Creates a search for references to the element with this address. The address may have
    /// instance keys. `module.m.o` names the output `o` of the module `m`.
    pub fn of(address: &str) -> Users {
        let address = element_address(address);
        let outputs = format!("{address}.output.");
        Users { address, outputs, is_known: false }
    }

    /// Calls `each` with every expression of `element` that refers to the searched element.
    ///
    /// # Errors
    ///
    /// Fails if `each` fails.
    pub fn find(
        &mut self,
        element: &Element,
        mut each: impl FnMut(&User) -> Result<()>,
    ) -> Result<()> {
        self.is_known |= element.address == self.address;
        let user = |path: &str, reference: &str| User {
            address: element.address.clone(),
            element: element.kind,
            path: path.to_owned(),
            reference: reference.to_owned(),
        };
        if let Some(key) = element.used_provider()
            && self.address.strip_prefix(PROVIDER) == Some(key)
        {
            self.is_known = true;
            each(&user("provider", key))?;
        }
        for (path, references) in element.references() {
            for reference in traversals(references) {
                let Some(target) = Target::of(reference) else { continue };
                let address = target.address(element.module());
                if address == self.address || address.starts_with(&self.outputs) {
                    self.is_known = true;
                    each(&user(path, reference))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the addresses that the expressions of an element refer to.
pub fn targets(element: &Element) -> impl Iterator<Item = String> {
    let references = element.references().flat_map(|(_, references)| traversals(references));
    references.filter_map(|text| Some(Target::of(text)?.address(element.module())))
}

/// The prefix of the address of a provider configuration.
pub(super) const PROVIDER: &str = "provider.";

/// Returns the address of an element that the user names: without instance keys and attributes, and
/// with `output` before the output of a module.
pub fn element_address(text: &str) -> String {
    if text.starts_with(PROVIDER) {
        return text.to_owned();
    }
    let local = ConfigAddress::of(text);
    let mut address = local.module_address();
    let names = match &local.names[..] {
        [output] if !local.calls.is_empty() => vec!["output", output],
        names @ ["data" | "ephemeral" | "action", _, _, ..] => names[..3].to_vec(),
        names => names[..names.len().min(2)].to_vec(),
    };
    names.iter().for_each(|name| push_name(&mut address, name));
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_may_write_an_address_in_several_ways() {
        for (text, address) in [
            ("t.n[0].id", "t.n"),
            ("data.t.n.id", "data.t.n"),
            (r#"module.m["a.b"].o"#, "module.m.output.o"),
            ("module.m.output.o", "module.m.output.o"),
            ("module.m[0]", "module.m"),
            ("module.m.module.k", "module.m.module.k"),
            ("module.m.var.v", "module.m.var.v"),
            ("var.v", "var.v"),
            ("provider.module.m:aws.west", "provider.module.m:aws.west"),
            ("", ""),
        ] {
            assert_eq!(element_address(text), address, "{text}");
        }
    }
}

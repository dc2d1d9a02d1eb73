//! Patterns that match addresses, for rules and filters that select resources.
//!
//! | pattern | covers |
//! | --- | --- |
//! | `aws_db_*` | resources of these types |
//! | `aws_instance.web` | the resource with all its instances |
//! | `aws_instance.web[0]` | one instance |
//! | `module.network` | the module: all instances, resources and child modules |
//! | `module.network["a"]` | one instance of the module, and everything in it |
//! | `*.primary` | resources named `primary` in any module |
//! | `=aws_instance.web` | exactly this address, without instances |
//! | `@data` | resources of the types of this set ([`TypeSet`]) |
//!
//! `*` matches any string, including dots and brackets. A leading `*.` also matches the empty
//! string. After `=`, `*` is a plain character.

use super::address::{module_calls, split_object};
use super::type_set::{TypeSet, UnknownSet};
use crate::glob::Glob;

/// A pattern that matches addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPattern {
    text: Box<str>,
    whole: Glob,
    /// The pattern without its leading `*.`, if it has one.
    behind: Option<Glob>,
    /// True if the pattern names a module, so that it covers everything in the module.
    names_module: bool,
    /// The set of types that the pattern names, if it names one.
    set: Option<&'static TypeSet>,
}

impl AddressPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is the name of no set, like `@dta`. Every other string is valid.
    pub fn parse(text: &str) -> Result<AddressPattern, UnknownSet> {
        UnknownSet::check(text).map(|()| AddressPattern::new(text))
    }

    /// Creates a pattern. Every string is valid. The name of no set covers nothing.
    pub fn new(text: &str) -> AddressPattern {
        let behind = text.strip_prefix("*.");
        let names_module = behind.unwrap_or(text).starts_with("module.");
        let (whole, behind) = (Glob::new(text), behind.map(Glob::new));
        AddressPattern { text: text.into(), whole, behind, names_module, set: TypeSet::named(text) }
    }

    /// Returns the pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern is a set of types, such as `@data`.
    pub fn is_set(&self) -> bool {
        self.set.is_some()
    }

    /// Returns the only address that the pattern covers; `None` if it may cover several.
    pub fn exact(&self) -> Option<&str> {
        let (address, is_exact) = super::split_exact(&self.text);
        is_exact.then_some(address)
    }

    /// Whether the pattern covers an address, a resource type or the name of an output.
    pub fn covers(&self, address: &str) -> bool {
        if let Some(set) = self.set {
            // A type has no dot, and an address has one.
            return !address.contains('.') && set.has(address);
        }
        if let Some(exact) = self.exact() {
            return exact == address;
        }
        std::iter::once(&self.whole).chain(&self.behind).any(|glob| {
            glob.matches(address.as_bytes())
                || glob.matches_up_to(address.as_bytes(), self.ends(address))
        })
    }

    /// Returns the offsets at which the names of the address's containers end: each module with and
    /// without its instance key, and the resource without its instance key.
    fn ends<'a>(&self, address: &'a str) -> impl Iterator<Item = usize> + use<'a> {
        let calls = self.names_module.then(|| module_calls(address));
        let of_calls = calls.into_iter().flatten().flat_map(|call| [call.name_end, call.end]);
        let object = split_object(address).1;
        let of_object = object.find('[').map(|end| address.len() - object.len() + end);
        of_calls.chain(of_object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_covers_everything_in_it_and_a_resource_its_instances() {
        for (text, holds, addresses) in [
            ("aws_db.a", true, &["aws_db.a", "aws_db.a[0]", r#"aws_db.a["x.y[0]"]"#][..]),
            ("aws_db.a", false, &["aws_db.ab"]),
            ("aws_db.a[1]", false, &["aws_db.a[0]"]),
            ("aws_db", false, &["aws_db.a"]),
            ("aws_*", true, &["aws_db"]),
            ("module.dns", true, &["module.dns.aws_db.a", "module.dns[0].aws_db.a[1]"]),
            ("module.dns", true, &[r#"module.dns["a.b"].module.x.aws_db.a"#, "module.dns"]),
            ("module.dns", true, &["module.dns[0]", "module.dns[0"]),
            (r#"module.dns["a.b"]"#, true, &[r#"module.dns["a.b"].module.x.aws_db.a"#]),
            (r#"module.dns["a.b"]"#, false, &[r#"module.dns["a.c"].module.x.aws_db.a"#]),
            ("module.a.module.dns", true, &["module.a.module.dns[3].data.aws_db.a"]),
            ("*.module.dns", true, &["module.a.module.dns[3].data.aws_db.a"]),
            ("*.module.dns", true, &["module.dns.aws_db.a"]),
            ("module.dns", false, &["module.a.module.dns[3].data.aws_db.a"]),
            ("module.dns", false, &["module.dns2.aws_db.a", "", "module."]),
            ("module.d*", true, &["module.dns.aws_db.a"]),
            ("module.dns.aws_db.a", true, &["module.dns.aws_db.a[0]"]),
            ("*.primary", false, &["module.primary.aws_db.a"]),
            ("*.primary", true, &["module.x.aws_db.primary", "module.x.aws_db.primary[0]"]),
            ("", true, &[""]),
            ("a", true, &["a[0]b.c"]),
            ("=aws_db.a", true, &["aws_db.a"]),
            ("=aws_db.a", false, &["aws_db.a[0]", "aws_db", "=aws_db.a"]),
            ("=module.dns", false, &["module.dns.aws_db.a"]),
            (r#"=aws_db.a["*"]"#, true, &[r#"aws_db.a["*"]"#]),
            (r#"=aws_db.a["*"]"#, false, &[r#"aws_db.a["x"]"#]),
            ("@data", true, &["aws_db_instance", "aws_s3_bucket"]),
            ("@data", false, &["aws_iam_role.my_db_instance", "aws_db_subnet_group", "@data"]),
        ] {
            for address in addresses {
                assert_eq!(AddressPattern::new(text).covers(address), holds, "{address} {text}");
            }
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_loses_its_keys_whatever_they_hold() {
        for (address, module, local) in [
            ("t.a", "", "t.a"),
            ("t.a[0]", "", "t.a"),
            (r#"t.a["x.y[0]"]"#, "", "t.a"),
            (r#"t.a["\"]"]"#, "", "t.a"),
            ("data.t.a", "", "data.t.a"),
            ("module.m", "", "module.m"),
            (r#"module.m["a.b"]"#, "", "module.m"),
            (r#"module.m["a.b"].t.x[0]"#, "m", "t.x"),
            (r#"module.a[0].module.b.data.d.e["k]"]"#, "a.b", "data.d.e"),
            (r#"module.a["\\"].t.b"#, "a", "t.b"),
            ("", "", ""),
            ("t.a[", "", "t.a"),
        ] {
            let expected = Local { module: module.into(), address: local.into() };
            assert_eq!(Local::of(address), expected, "{address}");
        }
    }
}

//! Extracts the module and the resource or action from an address.

/// The parts of an address, without instance keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleOf<'t> {
    /// The module names, joined by dots; empty for the root module.
    pub module: String,
    /// Type and name of the resource or action. `None` if the address lacks one of them.
    pub resource: Option<(&'t str, &'t str)>,
}

/// Parses an address such as `module.a["k"].module.b[0].data.type.name[1]`.
pub(crate) fn module_of(address: &str) -> ModuleOf<'_> {
    let (mut module, mut rest) = (String::new(), address);
    while let Some((name, below)) = split_module(rest) {
        if !module.is_empty() {
            module.push('.');
        }
        module.push_str(name);
        rest = below;
    }
    for mode in ["data.", "ephemeral.", "action."] {
        rest = rest.strip_prefix(mode).unwrap_or(rest);
    }
    let resource = rest
        .split_once('.')
        .map(|(type_name, name)| (type_name, &name[..name.find(['.', '[']).unwrap_or(name.len())]));
    ModuleOf { module, resource }
}

/// Returns the address of the module that contains a resource, with instance keys. The address of
/// the root module is empty.
pub(crate) fn module_address(address: &str) -> &str {
    let mut rest = address;
    while let Some((_, below)) = split_module(rest) {
        rest = below;
    }
    let module = &address[..address.len() - rest.len()];
    module.strip_suffix('.').unwrap_or(module)
}

/// Splits off the first module of an address: its name, and the address below it.
fn split_module(address: &str) -> Option<(&str, &str)> {
    let named = address.strip_prefix("module.")?;
    let (name, rest) = named.split_at(named.find(['.', '[']).unwrap_or(named.len()));
    let rest = skip_instance_key(rest);
    Some((name, rest.strip_prefix('.').unwrap_or(rest)))
}

/// Skips an instance key at the start of `text`.
fn skip_instance_key(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('[') else { return text };
    let mut is_quoted = false;
    let mut is_escaped = false;
    let end = inside.bytes().position(|byte| match byte {
        _ if std::mem::take(&mut is_escaped) => false,
        b'\\' => {
            is_escaped = is_quoted;
            false
        }
        b'"' => {
            is_quoted = !is_quoted;
            false
        }
        byte => byte == b']' && !is_quoted,
    });
    end.map_or("", |end| &inside[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_whatever_their_keys_contain() {
        for (address, module, resource) in [
            ("a.b", "", Some(("a", "b"))),
            ("data.a.b[0]", "", Some(("a", "b"))),
            ("module.m.action.a.b[0]", "m", Some(("a", "b"))),
            ("module.m.a.b", "m", Some(("a", "b"))),
            (r#"module.m["x.y]\"["].module.n[0].data.a.b["k.l"]"#, "m.n", Some(("a", "b"))),
            ("module.m[*].a.b[*]", "m", Some(("a", "b"))),
            ("module.m", "m", None),
            ("module.m[\"", "m", None),
            ("", "", None),
        ] {
            let expected = ModuleOf { module: module.to_owned(), resource };
            assert_eq!(module_of(address), expected, "{address}");
        }
    }

    #[test]
    fn the_address_of_a_module_has_its_keys() {
        for (address, module) in [
            ("a.b", ""),
            ("data.a.b[0]", ""),
            ("module.m.a.b[\"module.x\"]", "module.m"),
            (r#"module.m["x.y]\"["].module.n[0].data.a.b"#, r#"module.m["x.y]\"["].module.n[0]"#),
            ("module.m", "module.m"),
            ("module.m[\"", "module.m[\""),
        ] {
            assert_eq!(module_address(address), module, "{address}");
        }
    }
}

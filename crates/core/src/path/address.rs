//! Addresses of modules, resources and other objects, split into names and instance keys. A
//! reference in an expression has the same form.
//!
//! ```text
//! module.net["a.b"].data.aws_subnet.main[0]
//! ------ ---######- ---- ---------- ----###    - name   # instance key
//! ```
//!
//! Instance keys may hold dots, brackets and escaped quotes. The functions here split any text.
//! [`ResourceAddress`](super::ResourceAddress) accepts only what the tools write.

use std::borrow::Cow;

use super::position_outside_quotes;

/// A part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    Name(&'t str),
    /// An instance key with its brackets.
    Key(&'t str),
}

/// Reads the parts of an address from left to right. Skips a dot before each name.
#[derive(Clone, Debug)]
pub(super) struct Parts<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parts<'t> {
    pub fn of(text: &'t str) -> Parts<'t> {
        Parts { text, at: 0 }
    }

    /// Returns the text that is not read yet.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        let rest = self.rest();
        if let Some(key) = rest.strip_prefix('[') {
            let end = position_outside_quotes(key, |_, byte| byte == b']');
            let len = end.map_or(rest.len(), |end| end + 2);
            self.at += len;
            return Some(Part::Key(&rest[..len]));
        }
        let name = rest.strip_prefix('.').unwrap_or(rest);
        if name.is_empty() {
            return None;
        }
        let end = name.bytes().position(|byte| matches!(byte, b'.' | b'['));
        let len = end.unwrap_or(name.len());
        self.at += rest.len() - name.len() + len;
        Some(Part::Name(&name[..len]))
    }
}

/// A module call in an address, such as `module.net["a"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleCall<'t> {
    pub name: &'t str,
    /// The instance key with its brackets; empty if the call has none.
    pub key: &'t str,
    /// The offset in the address at which the name ends.
    pub name_end: usize,
    /// The offset in the address at which the call ends.
    pub end: usize,
}

/// Returns the module calls at the start of an address, outermost first.
pub fn module_calls(address: &str) -> impl Iterator<Item = ModuleCall<'_>> {
    let mut parts = Parts::of(address);
    std::iter::from_fn(move || {
        let dot = if parts.at == 0 { "" } else { "." };
        let call = parts.rest().strip_prefix(dot)?.strip_prefix("module")?;
        if !call.starts_with('.') {
            return None;
        }
        parts.at = address.len() - call.len();
        let Some(Part::Name(name)) = parts.next() else { return None };
        let name_end = parts.at;
        let key = match parts.rest().starts_with('[').then(|| parts.next()) {
            Some(Some(Part::Key(key))) => key,
            _ => "",
        };
        Some(ModuleCall { name, key, name_end, end: parts.at })
    })
    .fuse()
}

/// Splits an address into the address of its module instance and the rest, which names an object in
/// the module. The address of the root module is empty.
pub(crate) fn split_object(address: &str) -> (&str, &str) {
    let end = module_calls(address).last().map_or(0, |call| call.end);
    let (module, object) = address.split_at(end);
    (module, if end > 0 { object.strip_prefix('.').unwrap_or(object) } else { object })
}

/// Returns the address of the module that contains a resource, with instance keys. The address of
/// the root module is empty.
pub fn module_address(address: &str) -> &str {
    split_object(address).0
}

/// Returns the names of the module calls of an address, joined by dots; empty for the root module.
pub fn module_names(address: &str) -> String {
    let mut names = String::new();
    for call in module_calls(address) {
        if !names.is_empty() {
            names.push('.');
        }
        names.push_str(call.name);
    }
    names
}

/// Returns type and name of the resource or action that an address names; `None` if the address
/// lacks one of them.
pub fn resource_names(address: &str) -> Option<(&str, &str)> {
    let mut names = Parts::of(split_object(address).1).filter_map(|part| match part {
        Part::Name(name) => Some(name),
        Part::Key(_) => None,
    });
    let first = names.next()?;
    let type_name = if MODES.contains(&first) { names.next()? } else { first };
    Some((type_name, names.next()?))
}

/// The first names of addresses of objects that are not managed resources but have a type and a
/// name.
const MODES: [&str; 3] = ["data", "ephemeral", "action"];

/// Returns an address without instance keys.
pub fn without_keys(address: &str) -> Cow<'_, str> {
    if !address.contains('[') {
        return Cow::Borrowed(address);
    }
    let (mut parts, mut text) = (Parts::of(address), String::with_capacity(address.len()));
    let mut start = 0;
    while let Some(part) = parts.next() {
        if let Part::Name(_) = part {
            text.push_str(&address[start..parts.at]);
        }
        start = parts.at;
    }
    Cow::Owned(text + parts.rest())
}

/// Returns an address without the instance key at its end; `None` if it has none.
pub fn without_key(address: &str) -> Option<&str> {
    let mut parts = Parts::of(address);
    match parts.by_ref().last()? {
        Part::Key(key) => address.strip_suffix(key),
        Part::Name(_) => None,
    }
}

/// An address without its instance keys. A configuration has no instances, so its addresses have no
/// keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigAddress<'t> {
    /// The names of the module calls, outermost first. If an address ends with a module call, that
    /// call stays among the names.
    pub calls: Vec<&'t str>,
    /// The names that follow: `["data", "t", "n"]` for `data.t.n[0]`.
    pub names: Vec<&'t str>,
}

impl<'t> ConfigAddress<'t> {
    /// Splits an address.
    pub fn of(address: &'t str) -> ConfigAddress<'t> {
        let (mut names, mut calls) = (names(address), Vec::new());
        while let ["module", call, _, ..] = &names[calls.len() * 2..] {
            calls.push(*call);
        }
        names.drain(..calls.len() * 2);
        ConfigAddress { calls, names }
    }

    /// Returns the address of the module; empty for the root module.
    pub fn module_address(&self) -> String {
        let calls = self.calls.iter().map(|call| format!("module.{call}"));
        calls.collect::<Vec<_>>().join(".")
    }
}

/// Returns the names of an address or a reference, without instance keys.
pub fn names(text: &str) -> Vec<&str> {
    let name = |part| match part {
        Part::Name(name) => Some(name).filter(|name| !name.is_empty()),
        Part::Key(_) => None,
    };
    Parts::of(text).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_with_any_instance_keys() {
        for (address, calls, names) in [
            ("t.n", "", "t.n"),
            ("t.n[0]", "", "t.n"),
            ("data.t.n", "", "data.t.n"),
            ("data.t.n[0]", "", "data.t.n"),
            (r#"t.n["x.y[0]"]"#, "", "t.n"),
            (r#"t.n["\"]"]"#, "", "t.n"),
            ("t.n[", "", "t.n"),
            ("module", "", "module"),
            ("module.a", "", "module.a"),
            (r#"module.m["a.b"]"#, "", "module.m"),
            ("module.m[\"", "", "module.m"),
            ("module.a.module.b", "a", "module.b"),
            (r#"module.m["a.b"].t.n"#, "m", "t.n"),
            (r#"module.m["a.b"].t.n[0]"#, "m", "t.n"),
            (r#"module.a["\\"].t.n"#, "a", "t.n"),
            (r#"module.a["$${x}"].var.v"#, "a", "var.v"),
            (r#"module.a[0].module.b.data.t.n["k"]"#, "a.b", "data.t.n"),
            (r#"module.a["]\"].module.x"].module.b[0].t.n["k"]"#, "a.b", "t.n"),
            ("", "", ""),
        ] {
            let found = ConfigAddress::of(address);
            let joined = (found.calls.join("."), found.names.join("."));
            assert_eq!(joined, (calls.to_owned(), names.to_owned()), "{address}");
        }
    }

    #[test]
    fn the_last_instance_key_is_removed_from_an_address() {
        for (address, without) in [
            ("t.n", None),
            ("t.n[0]", Some("t.n")),
            (r#"module.m[0].t.n["a[0]"]"#, Some("module.m[0].t.n")),
            ("module.m[0].t.n", None),
            ("t.n[", Some("t.n")),
            ("", None),
        ] {
            assert_eq!(without_key(address), without, "{address}");
        }
    }

    #[test]
    fn instance_keys_are_removed_from_addresses() {
        for (address, plain) in [
            ("module.a", "module.a"),
            ("module.a[0].module.b", "module.a.module.b"),
            (r#"module.a["x.y"].module.b["]"]"#, "module.a.module.b"),
            (r#"module.a["\"]"].module.b"#, "module.a.module.b"),
            ("module.a[", "module.a"),
            (r#"module.a["x]y"].module.b[0].aws_db.c["\"k\""]"#, "module.a.module.b.aws_db.c"),
            ("aws_*.", "aws_*."),
            ("a[0].", "a."),
            ("", ""),
        ] {
            assert_eq!(without_keys(address), plain);
        }
    }

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
            assert_eq!(module_names(address), module, "{address}");
            assert_eq!(resource_names(address), resource, "{address}");
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

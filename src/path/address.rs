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
//!
//! `*` matches any string, including dots and brackets. A leading `*.` also matches the empty
//! string. After `=`, `*` is a plain character.

use super::position_outside_quotes;
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
}

impl AddressPattern {
    /// Parses a pattern. Every string is valid.
    pub fn new(text: &str) -> AddressPattern {
        let behind = text.strip_prefix("*.");
        let names_module = behind.unwrap_or(text).starts_with("module.");
        let (whole, behind) = (Glob::new(text), behind.map(Glob::new));
        AddressPattern { text: text.into(), whole, behind, names_module }
    }

    /// Returns the pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the only address that the pattern covers; `None` if it may cover several.
    pub fn exact(&self) -> Option<&str> {
        let (address, is_exact) = super::split_exact(&self.text);
        is_exact.then_some(address)
    }

    /// Whether the pattern covers an address, a resource type or the name of an output.
    pub fn covers(&self, address: &str) -> bool {
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
        let names_module = self.names_module;
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let rest = &address[at..];
                if let Some(key) = rest.strip_prefix('[') {
                    at += 1 + key_len(key);
                    if at < address.len() && names_module {
                        return Some(at);
                    }
                } else if let Some(name) = rest.strip_prefix("module.") {
                    at += rest.len() - name.len() + name.find(['.', '[']).unwrap_or(name.len());
                    if names_module {
                        return Some(at);
                    }
                } else if let Some(rest) = rest.strip_prefix('.') {
                    at = address.len() - rest.len();
                } else {
                    let end = rest.find('[').map(|end| at + end);
                    at = address.len();
                    return end;
                }
            }
        })
        .fuse()
    }
}

/// Returns an address without instance keys.
pub fn without_keys(address: &str) -> String {
    let (mut text, mut is_quoted, mut depth) = (String::new(), false, 0_u32);
    for character in address.chars() {
        is_quoted ^= character == '"';
        match character {
            '[' if !is_quoted => depth += 1,
            ']' if !is_quoted => depth = depth.saturating_sub(1),
            other if depth == 0 => text.push(other),
            _ => {}
        }
    }
    text
}

/// Returns an address without the instance key at its end; `None` if it has none.
pub(crate) fn without_key(address: &str) -> Option<&str> {
    let (mut start, mut end) = (None, 0);
    while let Some(open) = address[end..].find('[') {
        let key = end + open + 1;
        start = Some(key - 1);
        end = key + key_len(&address[key..]);
    }
    start.filter(|_| end == address.len()).map(|start| &address[..start])
}

/// Splits an address without its instance keys: the names of the module calls, outermost first, and
/// the names that follow: `["data", "t", "n"]` for `data.t.n[0]`. If an address ends with a module
/// call, that call stays among the names.
pub(crate) fn split_modules(address: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut names, mut calls) = (names(address), Vec::new());
    while let ["module", call, _, ..] = &names[calls.len() * 2..] {
        calls.push(*call);
    }
    names.drain(..calls.len() * 2);
    (calls, names)
}

/// Returns the names of an address or a reference, without instance keys.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let (mut names, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        if let Some(key) = rest.strip_prefix('[') {
            rest = &key[key_len(key)..];
        } else if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
        } else {
            let (name, behind) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            names.push(name);
            rest = behind;
        }
    }
    names
}

/// Returns the length of an instance key with its closing bracket, in bytes.
fn key_len(key: &str) -> usize {
    position_outside_quotes(key, |_, byte| byte == b']').map_or(key.len(), |end| end + 1)
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
        ] {
            for address in addresses {
                assert_eq!(AddressPattern::new(text).covers(address), holds, "{address} {text}");
            }
        }
    }

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
            let found = split_modules(address);
            assert_eq!(
                (found.0.join("."), found.1.join(".")),
                (calls.into(), names.into()),
                "{address}"
            );
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
        let address = r#"module.a["x]y"].module.b[0].aws_db.c["\"k\""]"#;
        assert_eq!(without_keys(address), "module.a.module.b.aws_db.c");
    }
}

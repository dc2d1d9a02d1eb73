//! Resolves a reference in an expression to the element that it names.
//!
//! The tools write several references for one traversal, the longest first: `module.m[0].o`, then
//! `module.m[0]`. Only the first one names what the expression uses.

use super::address::push_name;
use plansift_core::path::names;

/// The element that a reference names, in the module of the expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target<'t> {
    /// A resource, variable, local value or action: its address in the module.
    Local(Vec<&'t str>),
    /// An output of a called module: the names of the call and of the output.
    Output(&'t str, &'t str),
    /// A called module as a whole.
    Call(&'t str),
}

impl<'t> Target<'t> {
    /// Returns the names of a reference up to the attribute of a resource, without keys. Deeper
    /// names may be the keys of a map, which may be secret.
    pub fn named(reference: &'t str) -> Option<String> {
        let target = Target::of(reference)?;
        let mut names = names(reference);
        if names.first() == Some(&"resource") && names.len() > 2 {
            names.remove(0);
        }
        let len = match &target {
            Target::Local(local) if matches!(local[..], ["var" | "local", _]) => 2,
            Target::Local(local) => local.len() + 1,
            Target::Output(..) => 3,
            Target::Call(_) => 2,
        };
        names.truncate(len);
        Some(names.join("."))
    }

    /// Returns the target of a reference; `None` if the reference names no element, such as
    /// `each.key`.
    pub fn of(reference: &'t str) -> Option<Target<'t>> {
        let mut names = names(reference);
        // The tools accept `resource.t.n` for `t.n`.
        if let ["resource", _, _, ..] = names[..] {
            names.remove(0);
        }
        let len = match names[..] {
            ["each" | "count" | "path" | "terraform" | "tofu" | "self", ..] => return None,
            ["module", call, output, ..] => return Some(Target::Output(call, output)),
            ["module", call] => return Some(Target::Call(call)),
            ["data" | "ephemeral" | "action", _, _, ..] => 3,
            ["data" | "ephemeral" | "action" | "module", ..] => return None,
            [_, _, ..] => 2,
            _ => return None,
        };
        names.truncate(len);
        Some(Target::Local(names))
    }

    /// Returns the address of the target. `module` is the address of the module with the
    /// expression.
    pub fn address(&self, module: &str) -> String {
        let mut address = module.to_owned();
        match self {
            Target::Local(names) => names.iter().for_each(|name| push_name(&mut address, name)),
            Target::Output(call, output) => {
                let names = ["module", call, "output", output];
                names.iter().for_each(|name| push_name(&mut address, name));
            }
            Target::Call(call) => {
                ["module", call].iter().for_each(|name| push_name(&mut address, name));
            }
        }
        address
    }
}

/// Returns the first reference of each traversal in a list of references.
pub(super) fn traversals(references: &[String]) -> impl Iterator<Item = &str> {
    let mut last: Option<&str> = None;
    references.iter().map(String::as_str).filter(move |&reference| {
        let is_shorter = last.is_some_and(|last| is_step_of(reference, last));
        last = Some(reference);
        !is_shorter
    })
}

/// Whether `reference` is `longer` without its last steps.
fn is_step_of(reference: &str, longer: &str) -> bool {
    longer.strip_prefix(reference).is_some_and(|rest| rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_one_target() {
        for (reference, address) in [
            ("var.a", Some("module.x.var.a")),
            ("local.a.b", Some("module.x.local.a")),
            ("t.n[0].id", Some("module.x.t.n")),
            ("t.n", Some("module.x.t.n")),
            ("resource.t.n[0].id", Some("module.x.t.n")),
            (r#"data.t.n["a.b"].id"#, Some("module.x.data.t.n")),
            ("module.m[0].o.k", Some("module.x.module.m.output.o")),
            (r#"module.m["k"]"#, Some("module.x.module.m")),
            ("each.key", None),
            ("path.module", None),
            ("data.t", None),
            ("module", None),
            ("", None),
        ] {
            let found = Target::of(reference).map(|target| target.address("module.x"));
            assert_eq!(found.as_deref(), address, "{reference}");
        }
    }

    #[test]
    fn a_reference_is_named_without_keys() {
        for (reference, name) in [
            (r#"t.n["a"].id["b"].c"#, Some("t.n.id")),
            ("resource.t.n.id", Some("t.n.id")),
            ("t.n", Some("t.n")),
            ("data.t.n[0].id.x", Some("data.t.n.id")),
            ("local.a.b", Some("local.a")),
            (r#"module.m["k"].o.x"#, Some("module.m.o")),
            ("module.m", Some("module.m")),
            ("each.value.x", None),
        ] {
            assert_eq!(Target::named(reference).as_deref(), name, "{reference}");
        }
    }

    #[test]
    fn prefixes_of_the_previous_reference_are_skipped() {
        let all = ["module.m[0].o", "module.m[0]", "module.m[0]", "t.n.id", "t.n", "t.nn", "var.a"];
        let all = all.map(str::to_owned);
        let first: Vec<&str> = traversals(&all).collect();
        assert_eq!(first, ["module.m[0].o", "module.m[0]", "t.n.id", "t.nn", "var.a"]);
    }
}

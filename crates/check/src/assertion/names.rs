//! Samples the names in a document. They serve to suggest a similar name if the document lacks a
//! name.

use plansift_core::nearest::{Sample, nearest, nearest_address};
use plansift_core::path::{module_address, split_exact, without_keys};

/// Samples of the names in a document. Keys of instances are left out, because they are data.
#[derive(Debug, Default)]
pub(super) struct Names {
    addresses: Sample,
    modules: Sample,
    types: Sample,
    outputs: Sample,
    /// The last address and type. Neighbours often repeat them, and a repeated name is not added
    /// again.
    last: [String; 2],
}

impl Names {
    pub fn add_resource(&mut self, address: &str, type_name: &str) {
        let address = without_keys(address);
        let [last_address, last_type] = &mut self.last;
        if type_name != last_type {
            self.types.add(type_name);
            type_name.clone_into(last_type);
        }
        if address != *last_address {
            self.modules.add(module_address(&address));
            self.addresses.add(&address);
            *last_address = address.into_owned();
        }
    }

    pub fn add_output(&mut self, name: &str) {
        self.outputs.add(name);
    }

    /// Adds the names of another part of the document.
    pub fn append(&mut self, other: &mut Names) {
        let Names { addresses, modules, types, outputs, .. } = std::mem::take(other);
        for (own, theirs) in [
            (&mut self.addresses, addresses),
            (&mut self.modules, modules),
            (&mut self.types, types),
            (&mut self.outputs, outputs),
        ] {
            theirs.names().for_each(|name| own.add(name));
        }
    }

    /// The address, module or type that is nearest to a pattern.
    pub fn near_resource(&self, pattern: &str) -> Option<String> {
        let samples = [&self.types, &self.modules, &self.addresses];
        nearest_address(&without_keys(split_exact(pattern).0), &sorted(samples))
    }

    pub fn near_output(&self, name: &str) -> Option<String> {
        nearest(split_exact(name).0, sorted([&self.outputs])).map(str::to_owned)
    }

    /// The name that is nearest to a pattern of resources and outputs.
    pub fn near_any(&self, pattern: &str) -> Option<String> {
        match pattern.strip_prefix("output.") {
            Some(name) => self.near_output(name).map(|name| format!("output.{name}")),
            None => self.near_resource(pattern).or_else(|| self.near_output(pattern)),
        }
    }

    /// If the document lacks the type in `pattern`: this type, and the nearest type in the
    /// document.
    pub fn near_type(&self, pattern: &str) -> Option<(String, String)> {
        let address = without_keys(split_exact(pattern).0);
        let resource = address[module_address(&address).len()..].trim_start_matches('.');
        let resource = resource.strip_prefix("data.").unwrap_or(resource);
        let type_name = resource.split('.').next().unwrap_or_default();
        let known = sorted([&self.types]);
        if type_name.is_empty() || type_name.contains('*') || known.contains(&type_name) {
            return None;
        }
        nearest(type_name, known).map(|near| (type_name.to_owned(), near.to_owned()))
    }
}

/// All names of samples, in a fixed order.
fn sorted<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> Vec<&'s str> {
    let mut names: Vec<&str> = samples.into_iter().flat_map(Sample::names).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        names.add_resource(r#"module.net["a"].aws_vpc.main[0]"#, "aws_vpc");
        names.add_resource("data.aws_ami.linux", "aws_ami");
        names.add_output("url");
        names
    }

    #[test]
    fn the_nearest_name_has_no_keys_of_instances() {
        for (pattern, near) in [
            ("module.nett", Some("module.net")),
            ("module.net.aws_vpc.mian[3]", Some("module.net.aws_vpc.main")),
            ("aws_vpc.mian", Some("module.net.aws_vpc.main")),
            ("aws_vcp", Some("aws_vpc")),
            ("output.ulr", Some("output.url")),
            ("ulr", Some("url")),
            ("google_sql", None),
        ] {
            assert_eq!(names().near_any(pattern).as_deref(), near, "{pattern}");
        }
    }

    #[test]
    fn a_type_is_suggested_only_for_a_type_that_the_document_lacks() {
        for (pattern, near) in [
            ("module.x.aws_vcp.other", Some(("aws_vcp", "aws_vpc"))),
            ("data.aws_imi.other", Some(("aws_imi", "aws_ami"))),
            ("aws_vpc.other", None),
            ("aws_vc*.other", None),
            ("module.x", None),
        ] {
            let found = names().near_type(pattern);
            let found = found.as_ref().map(|(name, near)| (name.as_str(), near.as_str()));
            assert_eq!(found, near, "{pattern}");
        }
    }
}

//! The addresses of object stores below which calls may read. Without one, a call reads files only.
//!
//! Web servers are not among them: an address there has no version, and a redirect may lead to
//! another place.

/// The schemes of object stores.
const SCHEMES: [&str; 3] = ["s3", "gs", "az"];

/// Addresses of object stores.
#[derive(Clone, Debug, Default)]
pub struct AllowedStores(Vec<String>);

impl AllowedStores {
    /// Allows all objects below an address, such as `s3://bucket/plans/`. Returns whether this is
    /// the address of an object store.
    pub fn add(&mut self, address: &str) -> bool {
        let is_store = address.split_once("://").is_some_and(|(scheme, place)| {
            SCHEMES.contains(&scheme) && !place.starts_with('/') && is_plain(place)
        });
        if is_store {
            self.0.push(address.to_owned());
        }
        is_store
    }

    /// The addresses.
    pub(crate) fn list(&self) -> &[String] {
        &self.0
    }

    /// Whether a name is an address below an allowed one, as far as its text tells.
    pub(crate) fn allow(&self, name: &str) -> bool {
        self.0.iter().any(|allowed| {
            let rest = name.strip_prefix(allowed.as_str());
            rest.is_some_and(|rest| {
                (allowed.ends_with('/') || rest.starts_with('/'))
                    && is_plain(rest)
                    && !rest.ends_with('/')
            })
        })
    }
}

/// Whether a part of an address names one place: without `..`, a glob and a query.
fn is_plain(place: &str) -> bool {
    let is_special = |c: char| "?*[]{}\\".contains(c) || c.is_control();
    !place.is_empty()
        && !place.contains(is_special)
        && !place.split('/').any(|part| matches!(part, "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_below_an_allowed_one_are_allowed() {
        let mut stores = AllowedStores::default();
        assert!(!stores.allow("s3://plans/a.json"));
        assert!(stores.add("s3://plans/prod") && stores.add("az://container/p/"));
        for name in
            ["s3://plans/prod/a.json", "s3://plans/prod/b c/%d@e.json", "az://container/p/a"]
        {
            assert!(stores.allow(name), "{name}");
        }
        for name in [
            "s3://plans/prod",
            "s3://plans/prod/",
            "s3://plans/production/a.json",
            "s3://plans/prod/../test/a.json",
            "s3://plans/prod/./a.json",
            "s3://plans/prod/*",
            "s3://plans/prod/a.json?x",
            "S3://plans/prod/a.json",
            "az://container/p/",
            "az://other/p/a",
            "plan.json",
        ] {
            assert!(!stores.allow(name), "{name}");
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in
            ["", "plans", "/plans", "file:///plans", "s3://", "s3:///x", "https://host/plans/"]
        {
            assert!(!AllowedStores::default().add(text), "{text}");
        }
    }
}

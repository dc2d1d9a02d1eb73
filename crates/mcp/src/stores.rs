//! The addresses of object stores and web servers below which calls may read. Without one, a call
//! reads files only.

/// The schemes of stores.
const SCHEMES: [&str; 5] = ["s3", "gs", "az", "https", "http"];

/// Addresses of stores.
#[derive(Clone, Debug, Default)]
pub struct AllowedStores(Vec<String>);

impl AllowedStores {
    /// Allows all objects below an address, such as `s3://bucket/plans/`. Returns whether this is
    /// the address of a store.
    pub fn add(&mut self, address: &str) -> bool {
        let is_store = address.split_once("://").is_some_and(|(scheme, place)| {
            SCHEMES.contains(&scheme) && !place.starts_with('/') && is_plain(place)
        });
        if is_store {
            self.0.push(address.to_owned());
        }
        is_store
    }

    /// Whether a name is an address below an allowed one. Such a name has no part that a store
    /// might take for another place, or for several objects.
    pub(crate) fn allow(&self, name: &str) -> bool {
        self.0.iter().any(|allowed| {
            let rest = name.strip_prefix(allowed.as_str());
            rest.is_some_and(|rest| {
                (allowed.ends_with('/') || rest.starts_with('/')) && is_plain(rest)
            })
        })
    }
}

/// Whether a part of an address is a place as it stands: without `..`, escapes, globs, a user and a
/// query.
fn is_plain(place: &str) -> bool {
    let is_special = |c: char| "?#%\\*[]{}@".contains(c) || c.is_whitespace() || c.is_control();
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
        assert!(stores.add("s3://plans/prod") && stores.add("https://example.com:8443/p/"));
        for name in [
            "s3://plans/prod/a.json",
            "s3://plans/prod/b/c.json",
            "https://example.com:8443/p/a.json",
        ] {
            assert!(stores.allow(name), "{name}");
        }
        for name in [
            "s3://plans/prod",
            "s3://plans/production/a.json",
            "s3://plans/prod/../test/a.json",
            "s3://plans/prod/./a.json",
            "s3://plans/prod/*",
            "s3://plans/prod/a.json?x",
            "S3://plans/prod/a.json",
            "https://example.com:8443/p/%2e%2e/a.json",
            "https://example.com:8443/p/",
            "https://example.com/p/a.json",
            "http://example.com:8443/p/a.json",
            "https://example.com:8443/p/x@y",
            "plan.json",
        ] {
            assert!(!stores.allow(name), "{name}");
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in
            ["", "plans", "/plans", "file:///plans", "s3://", "s3:///x", "https://u@h/", "ftp://x/"]
        {
            assert!(!AllowedStores::default().add(text), "{text}");
        }
    }
}

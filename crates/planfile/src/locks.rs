//! The member `.terraform.lock.hcl`: the providers of the plan and their versions.
//!
//! Terraform and OpenTofu always write the file in the same layout, so plansift reads it line by
//! line.

use std::collections::BTreeMap;

/// Returns the name of the file with the schemas of these providers in a schema folder:
/// `DIGEST.json`. The digest depends only on the addresses and versions of the providers.
pub(super) fn schema_key(locks: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (address, version) in providers(&String::from_utf8_lossy(locks)) {
        hasher.update(format!("{address} {version}\n").as_bytes());
    }
    let mut digest = [0; 16];
    hasher.finalize_xof().fill(&mut digest);
    format!("{:032x}.json", u128::from_be_bytes(digest))
}

/// Whether a name has the form of the names that [`schema_key`] returns.
pub(super) fn is_schema_key(name: &str) -> bool {
    let digits = name.strip_suffix(".json").unwrap_or_default();
    digits.len() == 32 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the versions of the providers, by address.
fn providers(text: &str) -> BTreeMap<&str, &str> {
    let mut providers = BTreeMap::new();
    let mut address = None;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("provider ") {
            address = quoted(rest);
        } else if line.starts_with('}') {
            address = None;
        } else if let (Some(address), Some((key, value))) = (address, line.split_once('='))
            && key.trim_end() == "version"
            && let Some(version) = quoted(value)
        {
            providers.insert(address, version);
        }
    }
    providers
}

/// Returns the string between the first two quotes.
fn quoted(text: &str) -> Option<&str> {
    text.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKS: &str = "# This file is maintained automatically by \"terraform init\".\n\n\
        provider \"registry.terraform.io/hashicorp/random\" {\n  version     = \"3.6.0\"\n  \
        constraints = \"~> 3.0\"\n  hashes = [\n    \"h1:R5Ucn26riKIEijcsiOM\",\n    \
        \"version = \\\"1\\\"\",\n  ]\n}\n\n\
        provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"5.31.0\"\n}\n";

    #[test]
    fn a_lock_file_names_its_providers_and_their_versions() {
        let expected = [
            ("registry.terraform.io/hashicorp/aws", "5.31.0"),
            ("registry.terraform.io/hashicorp/random", "3.6.0"),
        ];
        assert_eq!(providers(LOCKS).into_iter().collect::<Vec<_>>(), expected);
        assert!(providers("").is_empty() && providers("provider {\nversion = 1\n}").is_empty());
    }

    #[test]
    fn the_key_depends_on_providers_and_versions_alone() {
        let key = schema_key(LOCKS.as_bytes());
        assert!(is_schema_key(&key), "{key}");
        assert!(!is_schema_key(&key[1..]) && !is_schema_key(&key.to_uppercase()));
        let (first, second) =
            LOCKS.split_at(LOCKS.find("provider \"registry.terraform.io/hashicorp/aws").unwrap());
        let other_order = format!("{second}{}", first.replace("~> 3.0", ">= 3.5"));
        assert_eq!(schema_key(other_order.as_bytes()), key);
        assert_ne!(schema_key(LOCKS.replace("5.31.0", "5.31.1").as_bytes()), key);
        assert_ne!(schema_key(LOCKS.replace("hashicorp/aws", "acme/aws").as_bytes()), key);
        assert_ne!(schema_key(b""), key);
    }
}

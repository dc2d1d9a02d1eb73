//! Parses addresses, which start with `scheme://`.
//!
//! Keys are not percent-encoded, as in the stores' own tools. Web addresses are sent unchanged.
//! The query and the user of an address may be secret, so a displayed address has neither.

use std::fmt;
use std::path::PathBuf;

use super::fault::StoreFault;
use plansift_core::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Amazon S3 and compatible stores.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage.
    Az,
    Web,
}

/// The address of an object, or of all objects whose keys have a common prefix.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    kind: Kind,
    /// The bucket. For a web server, the whole address, which may contain secrets.
    bucket: String,
    key: String,
}

/// A parsed name with a scheme.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::source) enum Named {
    File(PathBuf),
    Object(Address),
}

impl Named {
    /// Parses a name. Returns `None` if the name has no scheme, which makes it a plain path.
    pub(in crate::source) fn parse(name: &str) -> Option<Result<Named>> {
        let (scheme, rest) = name.split_once("://")?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        is_scheme.then(|| {
            let kind = match scheme.to_ascii_lowercase().as_str() {
                "s3" => Kind::S3,
                "gs" => Kind::Gs,
                "az" => Kind::Az,
                "http" | "https" => return Address::of_web(name, rest).map(Named::Object),
                "file" => return local(rest).map(Named::File),
                _ => return Err(Error::new(StoreFault::Name)),
            };
            Address::of_bucket(kind, rest).map(Named::Object)
        })
    }
}

impl Address {
    fn of_bucket(kind: Kind, rest: &str) -> Result<Address> {
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.contains('@') || has_query(rest) {
            return Err(Error::new(StoreFault::Query));
        }
        let is_bucket = |c: char| c.is_ascii_alphanumeric() || "-_.$".contains(c);
        if bucket.is_empty() || !bucket.chars().all(is_bucket) {
            return Err(Error::new(StoreFault::Name));
        }
        Ok(Address { kind, bucket: bucket.to_owned(), key: key.to_owned() })
    }

    fn of_web(text: &str, rest: &str) -> Result<Address> {
        let place = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        if host.contains('@') {
            return Err(Error::new(StoreFault::Query));
        }
        if host.is_empty() {
            return Err(Error::new(StoreFault::Name));
        }
        if path.is_empty() || path.ends_with('/') || path.contains(['*', '[', '{']) {
            return Err(Error::new(StoreFault::Listing));
        }
        Ok(Address { kind: Kind::Web, bucket: text.to_owned(), key: String::new() })
    }

    /// Returns the address of another key in the same bucket.
    pub(super) fn with_key(&self, key: &str) -> Address {
        Address { kind: self.kind, bucket: self.bucket.clone(), key: key.to_owned() }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the bucket. For a web server, returns the whole address with its secrets, which must
    /// not be displayed.
    pub(super) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Returns the name that yields this address. It contains the secrets of the address.
    pub(in crate::source) fn name(&self) -> String {
        match self.kind {
            Kind::Web => self.bucket.clone(),
            Kind::S3 | Kind::Gs | Kind::Az => self.to_string(),
        }
    }

    /// Returns the key in the bucket; empty for a web server.
    pub(in crate::source) fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            Kind::S3 => "s3",
            Kind::Gs => "gs",
            Kind::Az => "az",
            Kind::Web => return f.write_str(&shown(&self.bucket)),
        };
        write!(f, "{scheme}://{}/{}", self.bucket, self.key)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// Returns a name in displayable form. If the name has a scheme, removes its user, query and
/// fragment. The name need not be a valid address.
pub(in crate::source) fn shown(name: &str) -> String {
    let Some((scheme, rest)) = name.split_once("://") else { return name.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Whether a key seems to contain a query. A `?` alone may be part of a glob.
fn has_query(key: &str) -> bool {
    key.split_once('?').is_some_and(|(_, query)| query.contains('='))
}

/// Returns the path in a `file://` address. The path is percent-encoded, and the host must be empty
/// or `localhost`.
fn local(rest: &str) -> Result<PathBuf> {
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return Err(Error::new(StoreFault::Name));
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = escaped(rest);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    path_of(bytes)
}

/// Decodes the percent-encoded byte at the start of `text`, if there is one.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Result<PathBuf> {
    let text = String::from_utf8(bytes).map_err(|_| Error::new(StoreFault::Name))?;
    // On Windows, the drive letter follows the slash.
    Ok(text.trim_start_matches('/').into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_scheme_are_addresses() {
        for (name, shown) in [
            ("s3://bucket/live/prod/plan.json", "s3://bucket/live/prod/plan.json"),
            ("S3://bucket", "s3://bucket/"),
            ("gs://b.example.com/a b%20c", "gs://b.example.com/a b%20c"),
            ("az://$web/ü/plan.json", "az://$web/ü/plan.json"),
            ("s3://bucket/a?.json", "s3://bucket/a?.json"),
            ("https://host:8443/a/b.json?X-Sig=secret#x", "https://host:8443/a/b.json"),
            ("http://[::1]:80/p", "http://[::1]:80/p"),
        ] {
            match Named::parse(name) {
                Some(Ok(Named::Object(address))) => {
                    assert_eq!(address.to_string(), shown, "{name}");
                    assert_eq!(format!("{address:?}"), format!("Address({shown})"));
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        for (name, path) in [
            ("file:///a/b.json", "/a/b.json"),
            ("file://localhost/a%20b%2", "/a b%2"),
            ("FILE:///%e2%82%ac", "/€"),
        ] {
            assert_eq!(Named::parse(name).unwrap().unwrap(), Named::File(path.into()), "{name}");
        }
        for path in ["plan.json", "a/b", "://x", "1a://x", "a b://c", "s3:/bucket"] {
            assert!(Named::parse(path).is_none(), "{path}");
        }
    }

    #[test]
    fn errors_about_invalid_addresses_hide_secrets() {
        for (name, expected, printed) in [
            ("ftp://host/plan.json", StoreFault::Name, "ftp://host/plan.json"),
            ("s3:///key", StoreFault::Name, "s3:///key"),
            ("s3://", StoreFault::Name, "s3://"),
            ("s3://a b/key", StoreFault::Name, "s3://a b/key"),
            ("https:///plan", StoreFault::Name, "https:///plan"),
            ("file://host/plan", StoreFault::Name, "file://host/plan"),
            ("az://c/plan?sv=1&sig=secret", StoreFault::Query, "az://c/plan"),
            ("s3://key:secret@bucket/plan", StoreFault::Query, "s3://bucket/plan"),
            ("https://user:secret@host/plan", StoreFault::Query, "https://host/plan"),
            ("https://host/plans/", StoreFault::Listing, "https://host/plans/"),
            ("https://host?sig=secret", StoreFault::Listing, "https://host"),
            ("https://host/*/plan.json", StoreFault::Listing, "https://host/*/plan.json"),
        ] {
            let error = Named::parse(name).expect("a scheme").expect_err(name);
            assert_eq!(error.fault(), Some(&expected), "{name}");
            assert_eq!(shown(name), printed);
        }
    }
}

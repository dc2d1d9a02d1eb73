//! The faults of object stores and web servers, as causes of errors.

use std::fmt;

use plansift_core::error::Fault;

/// Why an object store or a web server returned nothing. Messages do not repeat the server's own
/// text, because it may quote a request with its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFault {
    /// This build has no clients for stores.
    Unsupported,
    /// The address has an unknown scheme or no bucket.
    Name,
    /// The client library cannot request this key.
    Key,
    /// The address of an object has a query, which has no meaning there and may hold a signature.
    Query,
    /// A web server cannot be listed.
    Listing,
    /// The store's settings in the environment are invalid.
    Settings,
    /// The environment has no credentials, or the service that issues them failed.
    Credentials,
    /// The store has no object with this name.
    NotFound,
    /// The store refused access; the object may exist.
    Denied,
    /// The bucket is in another region.
    Elsewhere,
    /// The server redirects to another host. The error's source holds the name of that host.
    OtherHost,
    /// The server redirects again and again.
    Redirects,
    /// The server answered with an HTTP status that is not a success and has no variant of its own.
    Status(u16),
    /// No byte arrived within the timeout.
    Silent,
    /// The connection failed: refused, without a trusted certificate, or broken.
    Connection,
    /// The connection broke, and the server cannot send the missing part alone.
    Broken,
    /// The server's answer is invalid.
    Answer,
}

impl Fault for StoreFault {}

impl fmt::Display for StoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StoreFault::Unsupported => {
                "this plansift was built without object stores (the feature `stores`)"
            }
            StoreFault::Name => {
                "not the address of a plan: use s3://BUCKET/KEY, gs://BUCKET/KEY, \
                 az://CONTAINER/KEY, https://HOST/PATH, http://HOST/PATH or file:///PATH"
            }
            StoreFault::Key => {
                "cannot read keys with an empty part, `.`, `..` or a control character"
            }
            StoreFault::Query => {
                "the address must not have a query or a user: credentials come from the environment"
            }
            StoreFault::Listing => "a web server cannot be listed: name its plans one by one",
            StoreFault::Settings => {
                "the settings of the store in the environment are invalid or incomplete"
            }
            StoreFault::Credentials => "no credentials for the store in the environment",
            StoreFault::NotFound => "there is no object of that name",
            StoreFault::Denied => "the store refuses access with these credentials",
            StoreFault::Elsewhere => "the bucket is in another region: set AWS_REGION to it",
            StoreFault::OtherHost => {
                "plansift follows redirects only to the same host: if you trust the other host, \
                 name the plan there, or set the endpoint or the region of the store"
            }
            StoreFault::Redirects => {
                "the store redirects more than ten times: name the final address"
            }
            StoreFault::Status(status) => {
                return write!(f, "the store answered with status {status}");
            }
            StoreFault::Silent => {
                "the store sent nothing before the timeout: raise it with --store-timeout"
            }
            StoreFault::Connection => {
                "the connection to the store failed, broke, or has no trusted certificate"
            }
            StoreFault::Broken => "the connection broke, and the store cannot send the rest alone",
            StoreFault::Answer => "the store sent an invalid answer",
        })
    }
}

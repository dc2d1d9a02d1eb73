//! Creates the clients of buckets from environment variables.
//!
//! The client library reads the environment variables of the stores' own tools, and some others.
//! This module adds the variables and settings that the client library lacks.

use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpRequest, HttpRequestBody,
};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    ClientOptions, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, RetryConfig,
};

use super::Version;
use super::address::{Address, Kind};
use super::wire::{BodyMax, Connector, Marker};
use crate::source::store::fault::StoreFault;
use plansift_core::error::{Error, Result};

/// The maximum length of a page of a listing, in bytes. Stores send at most 5000 keys, of at most
/// 1024 bytes each, in a page.
const PAGE_MAX: usize = 64 << 20;

#[derive(Default)]
pub(super) struct Clients {
    buckets: Mutex<HashMap<(Kind, String), Bucket>>,
    /// The HTTP clients of web servers: `secure` for `https` addresses, `plain` for `http`
    /// addresses.
    secure: Browser,
    plain: Browser,
}

impl Clients {
    pub(super) fn bucket(&self, address: &Address) -> Result<Bucket> {
        if address.kind() == Kind::Web {
            return self.web(address.bucket()).ok_or_else(|| Error::new(StoreFault::Name));
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (address.kind(), address.bucket().to_owned());
        if let Some(bucket) = buckets.get(&name) {
            return Ok(bucket.clone());
        }
        let bucket = Bucket::open(address).ok_or_else(|| Error::new(StoreFault::Settings))?;
        buckets.insert(name, bucket.clone());
        Ok(bucket)
    }

    fn web(&self, url: &str) -> Option<Bucket> {
        let is_plain = url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"));
        let browser = if is_plain { &self.plain } else { &self.secure };
        // An encrypted address must not redirect to an unencrypted one.
        let options = ClientOptions::new().with_allow_http(is_plain);
        let web = HttpBuilder::new().with_url(url).with_retry(no_retries());
        let web = web.with_client_options(options).with_http_connector(browser.clone());
        Some(Bucket { objects: Arc::new(web.build().ok()?), lists: None })
    }
}

/// A client for a bucket, or for an object on a web server.
#[derive(Clone)]
pub(super) struct Bucket {
    objects: Arc<dyn ObjectStore>,
    /// Lists the bucket; `None` for a web server.
    lists: Option<Arc<dyn PaginatedListStore>>,
}

impl Bucket {
    fn open(address: &Address) -> Option<Bucket> {
        let name = address.bucket();
        match address.kind() {
            Kind::S3 => Bucket::of(s3()?.with_bucket_name(name).build()),
            Kind::Gs => Bucket::of(gs()?.with_bucket_name(name).build()),
            Kind::Az => Bucket::of(az()?.with_container_name(name).build()),
            Kind::Web => None,
        }
    }

    fn of<S, E: Debug>(built: std::result::Result<S, E>) -> Option<Bucket>
    where
        S: ObjectStore + PaginatedListStore,
    {
        let store = Arc::new(built.ok()?);
        Some(Bucket { objects: store.clone(), lists: Some(store) })
    }

    pub(super) async fn head(&self, path: &Path, marker: Marker) -> object_store::Result<Version> {
        let options =
            GetOptions { head: true, extensions: marker.extensions(), ..GetOptions::default() };
        let answer = self.objects.get_opts(path, options).await?;
        Ok(Version::of(&answer))
    }

    /// Requests an object or a range of it. With `if_match`, requests only the version with that
    /// entity tag.
    pub(super) async fn get(
        &self,
        path: &Path,
        range: Option<GetRange>,
        if_match: Option<String>,
        marker: Marker,
    ) -> object_store::Result<GetResult> {
        let extensions = marker.extensions();
        let options = GetOptions { range, if_match, extensions, ..GetOptions::default() };
        self.objects.get_opts(path, options).await
    }

    /// Requests a byte range of an object.
    pub(super) async fn bytes(
        &self,
        path: &Path,
        range: Range<u64>,
        marker: Marker,
    ) -> object_store::Result<Bytes> {
        let mut extensions = marker.extensions();
        extensions.insert(BodyMax((range.end - range.start) as usize));
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            extensions,
            ..GetOptions::default()
        };
        self.objects.get_opts(path, options).await?.bytes().await
    }

    /// Requests a page of the objects whose keys start with `prefix`.
    pub(super) async fn list(
        &self,
        prefix: &str,
        page_token: Option<String>,
        marker: Marker,
    ) -> object_store::Result<PaginatedListResult> {
        let Some(lists) = &self.lists else {
            // Unreachable, because an address of a web server is never a folder.
            return Err(object_store::Error::NotImplemented {
                operation: "list".to_owned(),
                implementer: self.objects.to_string(),
            });
        };
        let mut extensions = marker.extensions();
        extensions.insert(BodyMax(PAGE_MAX));
        let options = PaginatedListOptions { page_token, extensions, ..Default::default() };
        lists.list_paginated(Some(prefix).filter(|it| !it.is_empty()), options).await
    }
}

impl Version {
    pub(super) fn listed(meta: &ObjectMeta) -> Version {
        Version {
            len: Some(meta.size),
            modified: Some(meta.last_modified.into()),
            etag: meta.e_tag.as_deref().map(quoted),
        }
    }
}

/// Adds missing quotes to an entity tag. Requests need the quotes, but some stores omit them in a
/// listing.
fn quoted(tag: &str) -> String {
    match tag.ends_with('"') {
        true => tag.to_owned(),
        false => format!("\"{tag}\""),
    }
}

/// Converts a key to a path of the client library. Fails if the conversion changes the key.
pub(super) fn path(key: &str) -> Result<Path> {
    let path = Path::parse(key).ok().filter(|path| path.as_ref() == key);
    path.ok_or_else(|| Error::new(StoreFault::Key))
}

/// Disables the retries of the client library: only [`super::retry`] retries.
fn no_retries() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

fn s3() -> Option<AmazonS3Builder> {
    let builder = AmazonS3Builder::from_env().with_retry(no_retries());
    let builder = builder.with_http_connector(Connector);
    let endpoints = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    Some(match is_plain(endpoints.iter().find_map(|key| builder.get_config_value(key)))? {
        true => builder.with_allow_http(true),
        false => builder,
    })
}

fn gs() -> Option<GoogleCloudStorageBuilder> {
    let builder = GoogleCloudStorageBuilder::from_env().with_retry(no_retries());
    let builder = builder.with_http_connector(Connector);
    Some(match is_plain(builder.get_config_value(&GoogleConfigKey::BaseUrl))? {
        true => builder.with_config(GoogleConfigKey::Client(ClientConfigKey::AllowHttp), "true"),
        false => builder,
    })
}

fn az() -> Option<MicrosoftAzureBuilder> {
    let mut builder = MicrosoftAzureBuilder::from_env().with_retry(no_retries());
    // Also reads the variables that the tool `az` uses.
    for (key, variable) in [
        (AzureConfigKey::AccountName, "AZURE_STORAGE_ACCOUNT"),
        (AzureConfigKey::AccessKey, "AZURE_STORAGE_KEY"),
    ] {
        if builder.get_config_value(&key).is_none()
            && let Ok(value) = std::env::var(variable)
        {
            builder = builder.with_config(key, value);
        }
    }
    let builder = builder.with_http_connector(Connector);
    Some(match is_plain(builder.get_config_value(&AzureConfigKey::Endpoint))? {
        true => builder.with_allow_http(true),
        false => builder,
    })
}

/// Whether the user's endpoint is unencrypted. Without such an endpoint, the encrypted default
/// applies. Returns `None` for an invalid address, on which the client library would panic.
fn is_plain(endpoint: Option<String>) -> Option<bool> {
    let Some(endpoint) = endpoint else { return Some(false) };
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.uri_mut() = endpoint.parse().ok()?;
    request.uri().host()?;
    match request.uri().scheme_str()? {
        "http" => Some(true),
        "https" => Some(false),
        _ => None,
    }
}

/// Shares one HTTP client among all objects on web servers. So connections are reused, and the
/// system's certificates are read only once.
#[derive(Clone, Debug, Default)]
struct Browser(Arc<OnceLock<HttpClient>>);

impl HttpConnector for Browser {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        if let Some(client) = self.0.get() {
            return Ok(client.clone());
        }
        let client = Connector.connect(options)?;
        Ok(self.0.get_or_init(|| client).clone())
    }
}

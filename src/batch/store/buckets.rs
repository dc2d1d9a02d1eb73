//! Clients, made of what is in the environment.
//!
//! The client takes what the stores' own tools take, and some more names of its own. Here is only
//! what it does not know.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::client::{ClientConfigKey, HttpClient, HttpConnector};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    ClientOptions, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, RetryConfig,
};

use super::Version;
use super::address::{Address, Kind, fault};
use super::wire::{Connector, Marker};
use crate::error::{Result, StoreFault};

/// A bucket, or an object of a web server.
#[derive(Clone)]
pub(super) struct Bucket {
    objects: Arc<dyn ObjectStore>,
    /// What can list it; a web server cannot be.
    lists: Option<Arc<dyn PaginatedListStore>>,
}

impl Bucket {
    /// The client of the bucket of an address; `None`: the environment makes no sense.
    pub(super) fn open(address: &Address) -> Option<Bucket> {
        let name = address.bucket();
        match address.kind() {
            Kind::S3 => Bucket::of(s3().with_bucket_name(name).build()),
            Kind::Gs => Bucket::of(gs().with_bucket_name(name).build()),
            Kind::Az => Bucket::of(az().with_container_name(name).build()),
            Kind::Web => {
                let web = HttpBuilder::new().with_url(name).with_retry(no_retries());
                let web = web.with_http_connector(Browser::of(name)).build().ok()?;
                Some(Bucket { objects: Arc::new(web), lists: None })
            }
        }
    }

    fn of<S, E: Debug>(built: std::result::Result<S, E>) -> Option<Bucket>
    where
        S: ObjectStore + PaginatedListStore,
    {
        let store = Arc::new(built.ok()?);
        Some(Bucket { objects: store.clone(), lists: Some(store) })
    }

    /// The key of an address, as the client wants it.
    pub(super) fn path(&self, address: &Address) -> Result<Path> {
        Path::parse(address.key()).map_err(|_| fault(StoreFault::Key))
    }

    /// Asks what is known of an object.
    pub(super) async fn head(&self, path: &Path, marker: Marker) -> object_store::Result<Version> {
        let options =
            GetOptions { head: true, extensions: marker.extensions(), ..GetOptions::default() };
        let answer = self.objects.get_opts(path, options).await?;
        Ok(Version::of(&answer))
    }

    /// Asks for an object, or for a part of it; only in that version if one is named.
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

    /// Asks for some bytes of an object.
    pub(super) async fn bytes(
        &self,
        path: &Path,
        range: Range<u64>,
        marker: Marker,
    ) -> object_store::Result<Bytes> {
        let range = Some(GetRange::Bounded(range));
        self.get(path, range, None, marker).await?.bytes().await
    }

    /// Asks for a page of the objects whose keys begin so.
    pub(super) async fn list(
        &self,
        prefix: &str,
        page_token: Option<String>,
        marker: Marker,
    ) -> object_store::Result<PaginatedListResult> {
        let Some(lists) = &self.lists else {
            // An address of a web server is never taken for a folder.
            return Err(object_store::Error::NotImplemented {
                operation: "list".to_owned(),
                implementer: self.objects.to_string(),
            });
        };
        let extensions = marker.extensions();
        let options = PaginatedListOptions { page_token, extensions, ..Default::default() };
        lists.list_paginated(Some(prefix).filter(|it| !it.is_empty()), options).await
    }
}

impl Version {
    /// What a listing says of an object.
    pub(super) fn listed(meta: &ObjectMeta) -> Version {
        Version {
            len: Some(meta.size),
            modified: Some(meta.last_modified.into()),
            etag: meta.e_tag.as_deref().map(quoted),
        }
    }
}

/// A tag as requests spell it: in a listing some stores leave the quotes out.
fn quoted(tag: &str) -> String {
    match tag.ends_with('"') {
        true => tag.to_owned(),
        false => format!("\"{tag}\""),
    }
}

/// What is asked again is asked again by [`super::patience`] alone.
fn no_retries() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

fn s3() -> AmazonS3Builder {
    let builder = AmazonS3Builder::from_env().with_retry(no_retries());
    let builder = builder.with_http_connector(Connector);
    let endpoints = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    match endpoints.iter().any(|key| is_plain(builder.get_config_value(key))) {
        true => builder.with_allow_http(true),
        false => builder,
    }
}

fn gs() -> GoogleCloudStorageBuilder {
    let builder = GoogleCloudStorageBuilder::from_env().with_retry(no_retries());
    let builder = builder.with_http_connector(Connector);
    match is_plain(builder.get_config_value(&GoogleConfigKey::BaseUrl)) {
        true => builder.with_config(GoogleConfigKey::Client(ClientConfigKey::AllowHttp), "true"),
        false => builder,
    }
}

fn az() -> MicrosoftAzureBuilder {
    let mut builder = MicrosoftAzureBuilder::from_env().with_retry(no_retries());
    // As the tool `az` calls them.
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
    match is_plain(builder.get_config_value(&AzureConfigKey::Endpoint)) {
        true => builder.with_allow_http(true),
        false => builder,
    }
}

/// Whether an address that the user has set asks for no encryption.
fn is_plain(url: Option<String>) -> bool {
    url.is_some_and(|url| url.to_ascii_lowercase().starts_with("http://"))
}

/// Gives all objects of web servers one client: it has read the system's certificates, and keeps
/// connections.
#[derive(Clone, Copy, Debug)]
struct Browser {
    options: fn() -> ClientOptions,
    client: &'static OnceLock<HttpClient>,
}

impl Browser {
    fn of(url: &str) -> Browser {
        static PLAIN: OnceLock<HttpClient> = OnceLock::new();
        static SECURE: OnceLock<HttpClient> = OnceLock::new();
        match is_plain(Some(url.to_owned())) {
            true => Browser {
                options: || ClientOptions::new().with_allow_http(true),
                client: &PLAIN,
            },
            // Nor may such a server lead to one without encryption.
            false => Browser { options: ClientOptions::new, client: &SECURE },
        }
    }
}

impl HttpConnector for Browser {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let client = Connector.connect(&(self.options)())?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

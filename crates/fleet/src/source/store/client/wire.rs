//! Sends HTTP requests and classifies their failures.
//!
//! The client library reports the status of a response only as text. So each request contains a
//! [`Marker`]. A failed response to a marked request becomes a [`Refusal`], which [`Marker::cause`]
//! finds in the chain of causes. If an operation fails before it sends a marked request, the client
//! library found no credentials.
//!
//! **Redirects.** A request may hold credentials: a header, or the query of its address. The client
//! therefore follows redirects only within one origin ([`redirect`]). The request of a redirect
//! keeps its headers, and no other host gets them.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpService,
};
use object_store::{ClientOptions, Extensions, HeaderValue};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::tls::Certificate;
use reqwest::{NoProxy, Proxy, Url};

use crate::source::store::fault::StoreFault;
use plansift_core::error::{Cause, ErrorKind};

/// Marks the requests of an operation. Records whether one was sent, and the pause that the store
/// requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Marker(Arc<Noted>);

#[derive(Debug, Default)]
struct Noted {
    was_sent: AtomicBool,
    /// The pause that the store requests, in seconds.
    pause: AtomicU64,
    /// The other host to which the store redirects.
    other_host: OnceLock<String>,
}

impl Marker {
    pub(super) fn extensions(&self) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(self.clone());
        extensions
    }

    /// Returns the reason why there was no response in time.
    pub(super) fn silence(&self) -> StoreFault {
        match self.was_sent() {
            true => StoreFault::Silent,
            false => StoreFault::Credentials,
        }
    }

    /// Returns the reason for an error of the client library.
    pub(super) fn cause(&self, error: &object_store::Error) -> Cause {
        let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
        let mut is_of_body = false;
        while let Some(error) = cause {
            if let Some(Refusal(cause)) = error.downcast_ref() {
                return cause.clone();
            }
            is_of_body |= error.is::<HttpError>();
            cause = error.source();
        }
        let fault = match error {
            object_store::Error::InvalidPath { .. } => StoreFault::Key,
            _ if self.was_sent() && is_of_body => StoreFault::Connection,
            _ if self.was_sent() => StoreFault::Answer,
            _ => StoreFault::Credentials,
        };
        fault.into()
    }

    fn was_sent(&self) -> bool {
        self.0.was_sent.load(Ordering::Relaxed)
    }

    pub(super) fn pause(&self) -> Duration {
        Duration::from_secs(self.0.pause.load(Ordering::Relaxed))
    }

    /// Returns the other host to which the store redirects, if it does.
    pub(super) fn other_host(&self) -> Option<String> {
        self.0.other_host.get().cloned()
    }

    /// Records the header `retry-after` of a failed response. Ignores the header if it is a date.
    fn note(&self, answer: &HttpResponse) {
        let pause = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
        if let Some(pause) = pause.and_then(|text| text.trim().parse().ok()) {
            self.0.pause.store(pause, Ordering::Relaxed);
        }
    }
}

/// An extension of requests: the maximum length of the body of a response, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMax(pub usize);

/// An extension that marks a response without a length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsized;

/// The error of a marked request, as the source of an [`HttpError`].
#[derive(Debug)]
struct Refusal(Cause);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Refusal {}

impl Refusal {
    /// Creates an error that the client library returns without a retry.
    fn of(cause: impl Into<Cause>) -> HttpError {
        HttpError::new(HttpErrorKind::Unknown, Refusal(cause.into()))
    }
}

fn meaning(answer: &HttpResponse) -> Cause {
    let fault = match answer.status().as_u16() {
        301 | 307 | 308 => StoreFault::Elsewhere,
        // S3 responds with 400 if the signature is for another region.
        400 if answer.headers().contains_key("x-amz-bucket-region") => StoreFault::Elsewhere,
        401 | 403 => StoreFault::Denied,
        404 | 410 => StoreFault::NotFound,
        412 => return ErrorKind::Changed.into(),
        status => StoreFault::Status(status),
    };
    fault.into()
}

/// Creates the HTTP clients of the stores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // An error means that the provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = client(options).map_err(|error| object_store::Error::Generic {
            store: "HTTP client",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(Wire(HttpClient::new(client))))
    }
}

/// Creates a client with the proxy of the options, or else the proxy of the environment.
fn client(options: &ClientOptions) -> reqwest::Result<reqwest::Client> {
    let option = |key| options.get_config_value(&key);
    // There is no timeout for a whole response, because a large object takes long.
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("plansift/", env!("CARGO_PKG_VERSION")))
        .https_only(option(ClientConfigKey::AllowHttp).as_deref() != Some("true"))
        .connect_timeout(Duration::from_secs(5))
        .http1_only()
        .referer(false)
        .redirect(Policy::custom(redirect));
    if let Some(url) = option(ClientConfigKey::ProxyUrl) {
        let excludes = option(ClientConfigKey::ProxyExcludes);
        let excludes = excludes.and_then(|hosts| NoProxy::from_string(&hosts));
        builder = builder.proxy(Proxy::all(&url)?.no_proxy(excludes));
    }
    if let Some(certificate) = option(ClientConfigKey::ProxyCaCertificate) {
        let certificate = Certificate::from_pem(certificate.as_bytes())?;
        builder = builder.tls_certs_merge([certificate]);
    }
    builder.build()
}

/// The maximum number of redirects of a request.
const REDIRECTS_MAX: usize = 10;

/// Follows a redirect within an origin. Other redirects are errors.
fn redirect(attempt: Attempt<'_>) -> Action {
    match attempt.previous().last() {
        Some(from) if is_same_host(from, attempt.url()) => {
            match attempt.previous().len() > REDIRECTS_MAX {
                true => attempt.error(Redirect::TooMany),
                false => attempt.follow(),
            }
        }
        _ => {
            let host = attempt.url().host_str().unwrap_or_default();
            let port = attempt.url().port().map(|port| format!(":{port}")).unwrap_or_default();
            let scheme = attempt.url().scheme();
            let other = Redirect::OtherHost(format!("{scheme}://{host}{port}"));
            attempt.error(other)
        }
    }
}

/// Whether two addresses have the same scheme, host and port. A redirect from `http` on port 80 to
/// `https` on port 443 also stays on the host.
fn is_same_host(from: &Url, to: &Url) -> bool {
    fn place(url: &Url) -> (&str, Option<u16>) {
        (url.scheme(), url.port_or_known_default())
    }
    let is_upgrade = (place(from), place(to)) == (("http", Some(80)), ("https", Some(443)));
    from.host_str() == to.host_str() && (place(from) == place(to) || is_upgrade)
}

/// Why a redirect is not followed.
#[derive(Debug)]
enum Redirect {
    /// The scheme, the host and the port of the other origin.
    OtherHost(String),
    TooMany,
}

impl fmt::Display for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the redirect is not followed")
    }
}

impl StdError for Redirect {}

/// Returns the cause of a failed request that is an unfollowed redirect.
fn unfollowed(error: &HttpError) -> Option<&Redirect> {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(redirect) = error.downcast_ref() {
            return Some(redirect);
        }
        cause = error.source();
    }
    None
}

#[derive(Debug)]
struct Wire(HttpClient);

impl Wire {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let Some(marker) = request.extensions().get::<Marker>().cloned() else {
            return self.0.execute(request).await;
        };
        marker.0.was_sent.store(true, Ordering::Relaxed);
        let body_max = request.extensions().get::<BodyMax>().copied();
        let mut response = match self.0.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                return Err(Refusal::of(match unfollowed(&error) {
                    Some(Redirect::OtherHost(host)) => {
                        marker.0.other_host.get_or_init(|| host.clone());
                        StoreFault::OtherHost
                    }
                    Some(Redirect::TooMany) => StoreFault::Redirects,
                    None if error.kind() == HttpErrorKind::Timeout => StoreFault::Silent,
                    None => StoreFault::Connection,
                }));
            }
        };
        if !response.status().is_success() {
            marker.note(&response);
            return Err(Refusal::of(meaning(&response)));
        }
        if !response.headers().contains_key(LENGTH) {
            // The client library requires a length. `Unsized` says that this one is not real.
            response.headers_mut().insert(LENGTH, HeaderValue::from_static("0"));
            response.extensions_mut().insert(Unsized);
        }
        match body_max {
            Some(BodyMax(max)) => within(response, max).await,
            None => Ok(response),
        }
    }
}

/// Reads the whole body of a response, up to a maximum length in bytes.
async fn within(response: HttpResponse, max: usize) -> Result<HttpResponse, HttpError> {
    let (parts, body) = response.into_parts();
    let (mut chunks, mut bytes) = (body.bytes_stream(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if bytes.len() + chunk.len() > max {
            return Err(Refusal::of(StoreFault::Answer));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(HttpResponse::from_parts(parts, bytes.into()))
}

const LENGTH: &str = "content-length";

impl HttpService for Wire {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(self.send(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_within_an_origin() {
        let url = |text: &str| Url::parse(text).expect("an address");
        for (from, to, is_same) in [
            ("http://a/x", "http://a/y?z", true),
            ("http://a/x", "http://a:80/y", true),
            ("http://a:81/x", "http://a:81/y", true),
            ("https://A/x", "https://a:443/y", true),
            ("http://a/x", "https://a/x", true),
            ("http://a:80/x", "https://a:443/x", true),
            ("https://a/x", "http://a/x", false),
            ("http://a:8080/x", "https://a/x", false),
            ("http://a/x", "https://a:8443/x", false),
            ("http://a:443/x", "https://a:443/x", false),
            ("https://a/x", "https://a:8443/x", false),
            ("https://a/x", "https://b.a/x", false),
            ("https://a/x", "https://a./x", false),
            ("http://127.0.0.1/x", "http://localhost/x", false),
            ("http://[::1]/x", "http://[::1]/y", true),
            ("https://a/x", "ftp://a/x", false),
        ] {
            assert_eq!(is_same_host(&url(from), &url(to)), is_same, "{from} {to}");
        }
    }
}

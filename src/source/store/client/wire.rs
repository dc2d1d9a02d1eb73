//! Sends HTTP requests and classifies their failures.
//!
//! The client library reports the status of a response only as text. So each request contains a
//! [`Marker`]. A failed response to a marked request becomes a [`Refusal`], which [`Marker::fault`]
//! finds in the chain of causes. If an operation fails before it sends a marked request, the client
//! library found no credentials.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use object_store::{ClientOptions, Extensions, HeaderValue};

use crate::error::{ErrorKind, StoreFault};

/// Marks the requests of an operation. Records whether one was sent, and the pause that the store
/// requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Marker(Arc<Noted>);

#[derive(Debug, Default)]
struct Noted {
    was_sent: AtomicBool,
    /// The pause that the store requests, in seconds.
    pause: AtomicU64,
}

impl Marker {
    pub(super) fn extensions(&self) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(self.clone());
        extensions
    }

    /// Returns the reason why there was no response in time.
    pub(super) fn silence(&self) -> ErrorKind {
        ErrorKind::Store(match self.was_sent() {
            true => StoreFault::Silent,
            false => StoreFault::Credentials,
        })
    }

    /// Returns the reason for an error of the client library.
    pub(super) fn fault(&self, error: &object_store::Error) -> ErrorKind {
        let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
        let mut is_of_body = false;
        while let Some(error) = cause {
            if let Some(Refusal(kind)) = error.downcast_ref() {
                return *kind;
            }
            is_of_body |= error.is::<HttpError>();
            cause = error.source();
        }
        ErrorKind::Store(match error {
            object_store::Error::InvalidPath { .. } => StoreFault::Key,
            _ if self.was_sent() && is_of_body => StoreFault::Connection,
            _ if self.was_sent() => StoreFault::Answer,
            _ => StoreFault::Credentials,
        })
    }

    fn was_sent(&self) -> bool {
        self.0.was_sent.load(Ordering::Relaxed)
    }

    pub(super) fn pause(&self) -> Duration {
        Duration::from_secs(self.0.pause.load(Ordering::Relaxed))
    }

    /// Records the header `retry-after` of a failed response. Ignores the header if it is a date.
    fn note(&self, answer: &HttpResponse) {
        let pause = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
        if let Some(pause) = pause.and_then(|text| text.trim().parse().ok()) {
            self.0.pause.store(pause, Ordering::Relaxed);
        }
    }
}

/// An extension that marks a response without a length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsized;

/// The error of a marked request, as the source of an [`HttpError`].
#[derive(Debug)]
struct Refusal(ErrorKind);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Refusal {}

impl Refusal {
    /// Creates an error that the client library returns without a retry.
    fn of(kind: ErrorKind) -> HttpError {
        HttpError::new(HttpErrorKind::Unknown, Refusal(kind))
    }
}

fn meaning(answer: &HttpResponse) -> ErrorKind {
    ErrorKind::Store(match answer.status().as_u16() {
        301 | 307 | 308 => StoreFault::Elsewhere,
        // S3 responds with 400 if the signature is for another region.
        400 if answer.headers().contains_key("x-amz-bucket-region") => StoreFault::Elsewhere,
        401 | 403 => StoreFault::Denied,
        404 | 410 => StoreFault::NotFound,
        412 => return ErrorKind::Changed,
        status => StoreFault::Status(status),
    })
}

/// Creates the HTTP clients of the stores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // An error means that the provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The timeout would cover the whole response, and a large object takes long.
        let options = options.clone().with_timeout_disabled().with_user_agent(AGENT);
        let client = ReqwestConnector::default().connect(&options)?;
        Ok(HttpClient::new(Wire(client)))
    }
}

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("plansift/", env!("CARGO_PKG_VERSION")));

#[derive(Debug)]
struct Wire(HttpClient);

impl Wire {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let Some(marker) = request.extensions().get::<Marker>().cloned() else {
            return self.0.execute(request).await;
        };
        marker.0.was_sent.store(true, Ordering::Relaxed);
        let mut response = match self.0.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                return Err(Refusal::of(ErrorKind::Store(match error.kind() {
                    HttpErrorKind::Timeout => StoreFault::Silent,
                    _ => StoreFault::Connection,
                })));
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
        Ok(response)
    }
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

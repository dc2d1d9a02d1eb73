//! Timeouts and retries of requests.
//!
//! Transient failures are retried: no response in time, a broken connection, and the statuses 408,
//! 429 and most of 5xx. The wait doubles after each try, up to 10 seconds. Each wait is shortened
//! by a random part, up to half of it, so that many readers do not retry at the same time. If a
//! store requests a longer pause (`Retry-After`), the wait has that length, up to [`PAUSE_MAX`].

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::time::Duration;

use super::RetryPolicy;
use super::wire::Marker;
use crate::source::store::fault::StoreFault;
use plansift_core::error::{Cause, Error, Result};

const WAIT_FIRST: Duration = Duration::from_millis(200);
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The maximum pause that a store can request.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The reason for a failed try.
#[derive(Clone, Debug)]
pub(super) struct FailedAttempt {
    pub cause: Cause,
    pause: Duration,
    /// The other host to which the store redirects, for [`StoreFault::OtherHost`].
    other_host: Option<String>,
}

impl<C: Into<Cause>> From<C> for FailedAttempt {
    fn from(cause: C) -> FailedAttempt {
        FailedAttempt { cause: cause.into(), pause: Duration::ZERO, other_host: None }
    }
}

/// Counts the failed tries of a request.
pub(super) struct Attempts {
    retry_policy: RetryPolicy,
    made: u32,
}

impl Attempts {
    pub(super) fn new(retry_policy: RetryPolicy) -> Attempts {
        Attempts { retry_policy, made: 0 }
    }

    /// Resets the count after progress.
    pub(super) fn went_well(&mut self) {
        self.made = 0;
    }

    /// Waits before the next try. Fails with the error of the last try if that error is not
    /// transient, or if no retry is left.
    pub(super) async fn again(&mut self, failure: FailedAttempt) -> Result<()> {
        self.made += 1;
        if !is_passing(&failure.cause) || self.made > self.retry_policy.retries {
            return Err(match failure.other_host {
                Some(host) => {
                    let source = io::Error::other(format!("the store redirects to {host}"));
                    Error::io(failure.cause, source)
                }
                None => Error::new(failure.cause),
            });
        }
        tokio::time::sleep(wait(self.made).max(failure.pause.min(PAUSE_MAX))).await;
        Ok(())
    }
}

/// Whether a failure is transient.
fn is_passing(cause: &Cause) -> bool {
    matches!(
        cause.fault(),
        Some(
            StoreFault::Silent
            | StoreFault::Connection
            | StoreFault::Status(408 | 429 | 500 | 502..=504 | 509..),
        )
    )
}

/// Returns the wait after `made` failed tries.
fn wait(made: u32) -> Duration {
    let longest = WAIT_FIRST.saturating_mul(1 << (made - 1).min(16)).min(WAIT_MAX);
    let random = RandomState::new().hash_one(made) as u32;
    longest - longest.mul_f64(f64::from(random) / f64::from(u32::MAX) / 2.0)
}

/// Tries a request once. `request` must pass the marker to the client library.
pub(super) async fn once<T, F>(
    retry_policy: RetryPolicy,
    request: impl FnOnce(Marker) -> F,
) -> std::result::Result<T, FailedAttempt>
where
    F: Future<Output = object_store::Result<T>>,
{
    let marker = Marker::default();
    match tokio::time::timeout(retry_policy.timeout, request(marker.clone())).await {
        Ok(answer) => answer.map_err(|error| FailedAttempt {
            cause: marker.cause(&error),
            pause: marker.pause(),
            other_host: marker.other_host(),
        }),
        Err(_) => Err(marker.silence().into()),
    }
}

/// Tries a request until it succeeds, fails permanently or has no retries left.
pub(super) async fn request_with_retries<T, F>(
    retry_policy: RetryPolicy,
    request: impl Fn(Marker) -> F,
) -> Result<T>
where
    F: Future<Output = object_store::Result<T>>,
{
    let mut attempts = Attempts::new(retry_policy);
    loop {
        match once(retry_policy, &request).await {
            Ok(answer) => return Ok(answer),
            Err(failure) => attempts.again(failure).await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::error::ErrorKind;

    #[test]
    fn retry_delays_double_up_to_a_maximum() {
        for made in 1..40 {
            let longest = Duration::from_millis(200 << (made - 1).min(6)).min(WAIT_MAX);
            for _ in 0..20 {
                let wait = wait(made);
                assert!(wait <= longest && wait * 2 >= longest, "{made}: {wait:?}");
            }
        }
    }

    #[test]
    fn only_transient_errors_are_retried() {
        let is_passing = |cause: Cause| is_passing(&cause);
        let status = |status| StoreFault::Status(status).into();
        for passing in [408, 429, 500, 502, 503, 504, 509, 520, 599] {
            assert!(is_passing(status(passing)), "{passing}");
        }
        for lasting in [400, 402, 409, 416, 418, 501, 505] {
            assert!(!is_passing(status(lasting)), "{lasting}");
        }
        for fault in [StoreFault::Denied, StoreFault::NotFound, StoreFault::Credentials] {
            assert!(!is_passing(fault.into()), "{fault:?}");
        }
        assert!(!is_passing(ErrorKind::Changed.into()));
    }
}

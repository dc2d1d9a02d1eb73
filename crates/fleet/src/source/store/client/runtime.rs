//! The thread that runs the requests to stores, and a blocking interface to it.

use std::fmt;
use std::future::Future;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::address::{Address, Kind};
use super::buckets::{Bucket, Clients, path};
use super::download::Download;
use super::retry::request_with_retries;
use super::{LookupResult, RetryPolicy, Version};
use crate::source::store::fault::StoreFault;
use plansift_core::allocation::thread_builder;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::limits::Limits;

/// The stores of a run. Clones share their thread, connections and credentials.
#[derive(Clone, Default)]
pub struct Stores(Arc<Shared>);

#[derive(Default)]
struct Shared {
    retry_policy: RetryPolicy,
    limits: Limits,
    runtime: Mutex<State>,
    clients: Clients,
}

#[derive(Default)]
enum State {
    #[default]
    NotYet,
    Running(Runtime),
    Closed,
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stores").field(&self.0.retry_policy).finish()
    }
}

impl Stores {
    /// Creates stores with a timeout and a number of retries. The thread starts with the first
    /// request. Uses only [`Limits::listing`] of `limits`.
    pub fn new(retry_policy: RetryPolicy, limits: &Limits) -> Stores {
        Stores(Arc::new(Shared { retry_policy, limits: *limits, ..Shared::default() }))
    }

    pub(super) fn listing_max(&self) -> u64 {
        self.0.limits.listing
    }

    pub(super) fn retry_policy(&self) -> RetryPolicy {
        self.0.retry_policy
    }

    pub(super) fn bucket(&self, address: &Address) -> Result<Bucket> {
        self.0.clients.bucket(address)
    }

    /// Starts the lookup of an address. Does not wait for the response.
    pub(in crate::source) fn look_up(&self, address: &Address) -> PendingLookup {
        if address.kind() == Kind::Web {
            // Needs no lookup: the download reports errors.
            return PendingLookup::Known(Ok(LookupResult::Object(Version::default())));
        }
        if address.key().is_empty() || address.key().ends_with('/') {
            return PendingLookup::Known(Ok(LookupResult::Folder));
        }
        let request = || {
            let (path, bucket) = (path(address.key())?, self.bucket(address)?);
            let retry_policy = self.retry_policy();
            self.start(async move {
                request_with_retries(retry_policy, |marker| bucket.head(&path, marker)).await
            })
        };
        request().map_or_else(|error| PendingLookup::Known(Err(error)), PendingLookup::Coming)
    }

    /// Opens the object at an address, and waits for its first bytes. Fails if the object cannot be
    /// read, or has another version than `version`.
    pub(in crate::source) fn read(
        &self,
        address: &Address,
        version: Version,
    ) -> Result<Box<dyn Read + Send>> {
        let path = path(address.key())?;
        let bucket = self.bucket(address)?;
        Download::start(&self.handle()?, bucket, path, version, self.retry_policy())
            .map(|download| Box::new(download) as _)
    }

    /// Refuses further requests, and cancels pending requests. Threads that wait for a response get
    /// an error.
    pub fn close(&self) {
        *self.state() = State::Closed;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.0.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the handle for starting tasks. Starts the thread if necessary.
    pub(super) fn handle(&self) -> Result<Handle> {
        let mut state = self.state();
        if let State::NotYet = *state {
            let started = Runtime::start().map_err(Error::read)?;
            *state = State::Running(started);
        }
        match &*state {
            State::Running(runtime) => Ok(runtime.handle.clone()),
            _ => Err(Error::new(ErrorKind::Stopped)),
        }
    }

    /// Runs a task, and waits for its result.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        received(self.start(task)?)
    }

    /// Starts a task, and returns the receiver of its result.
    fn start<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<oneshot::Receiver<T>> {
        let (sender, receiver) = oneshot::channel();
        self.handle()?.spawn(async move { sender.send(task.await) });
        Ok(receiver)
    }
}

/// The known or pending result of looking up an address.
pub(in crate::source) enum PendingLookup {
    Known(Result<LookupResult>),
    Coming(oneshot::Receiver<Result<Version>>),
}

impl PendingLookup {
    /// Waits for the result. An address without an object counts as a folder. Fails if the address
    /// is invalid, or if the store sends no usable response.
    pub(in crate::source) fn wait(self) -> Result<LookupResult> {
        let answer = match self {
            PendingLookup::Known(found) => return found,
            PendingLookup::Coming(answer) => received(answer)?,
        };
        match answer {
            Ok(version) => Ok(LookupResult::Object(version)),
            Err(error) if error.fault() == Some(&StoreFault::NotFound) => Ok(LookupResult::Folder),
            Err(error) => Err(error),
        }
    }
}

fn received<T>(answer: oneshot::Receiver<T>) -> Result<T> {
    // The sender is dropped only if the task panics or is cancelled.
    answer.blocking_recv().map_err(|_| Error::new(StoreFault::Answer))
}

/// A thread that runs tasks. Dropping this value ends the thread.
struct Runtime {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Runtime {
    fn start() -> io::Result<Runtime> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            // Blocking threads resolve host names.
            .max_blocking_threads(4)
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread_builder("stores")?.spawn(move || {
            // The result is always an error, because the signal is the drop of the sender.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        })?;
        Ok(Runtime { handle, _stop: stop })
    }
}

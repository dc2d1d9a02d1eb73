//! The thread that talks to stores, and what is asked of them.

use std::fmt;
use std::future::Future;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::address::{Address, Kind, fault};
use super::buckets::{Bucket, Clients, path};
use super::download::Download;
use super::patience::ask;
use super::{Found, Patience, Version};
use crate::error::{Error, ErrorKind, Result, StoreFault};

/// The stores of a run. Clones share their thread, connections and credentials.
#[derive(Clone, Default)]
pub struct Stores(Arc<Shared>);

#[derive(Default)]
struct Shared {
    patience: Patience,
    runtime: Mutex<State>,
    clients: Clients,
}

/// Whether they are asked.
#[derive(Default)]
enum State {
    #[default]
    NotYet,
    Running(Runtime),
    Closed,
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stores").field(&self.0.patience).finish()
    }
}

impl Stores {
    /// Stores that are waited for so long. Nothing happens until one is asked.
    pub fn new(patience: Patience) -> Stores {
        Stores(Arc::new(Shared { patience, ..Shared::default() }))
    }

    pub(super) fn patience(&self) -> Patience {
        self.0.patience
    }

    /// The client of the bucket of an address.
    pub(super) fn bucket(&self, address: &Address) -> Result<Bucket> {
        self.0.clients.bucket(address)
    }

    /// Asks what an address names.
    pub(in crate::batch) fn ask(&self, address: &Address) -> Asked {
        if address.kind() == Kind::Web {
            // Reading it tells.
            return Asked::Known(Ok(Found::Object(Version::default())));
        }
        if address.key().is_empty() || address.key().ends_with('/') {
            return Asked::Known(Ok(Found::Folder));
        }
        let question = || {
            let (path, bucket) = (path(address.key())?, self.bucket(address)?);
            let patience = self.patience();
            self.start(async move { ask(patience, |marker| bucket.head(&path, marker)).await })
        };
        question().map_or_else(|error| Asked::Known(Err(error)), Asked::Coming)
    }

    /// The object of an address, from its first byte: it has answered when this returns.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is another version.
    pub(in crate::batch) fn read(
        &self,
        address: &Address,
        version: Version,
    ) -> Result<Box<dyn Read + Send>> {
        let path = path(address.key())?;
        let bucket = self.bucket(address)?;
        Download::start(&self.handle()?, bucket, path, version, self.patience())
            .map(|download| Box::new(download) as _)
    }

    /// Asks them nothing more, and gives up what was asked: who waits for it gets an error.
    pub fn close(&self) {
        *self.state() = State::Closed;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.0.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where tasks are started.
    pub(super) fn handle(&self) -> Result<Handle> {
        let mut state = self.state();
        if let State::NotYet = *state {
            let started = Runtime::start().map_err(|error| Error::io(ErrorKind::Read, error))?;
            *state = State::Running(started);
        }
        match &*state {
            State::Running(runtime) => Ok(runtime.handle.clone()),
            _ => Err(Error::new(ErrorKind::Stopped)),
        }
    }

    /// The result of a task, waited for.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        received(self.start(task)?)
    }

    /// Starts a task whose result is waited for.
    fn start<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Result<oneshot::Receiver<T>> {
        let (give, take) = oneshot::channel();
        self.handle()?.spawn(async move { give.send(task.await) });
        Ok(take)
    }
}

/// What an address names, once its store has said so.
pub(in crate::batch) enum Asked {
    Known(Result<Found>),
    Coming(oneshot::Receiver<Result<Version>>),
}

impl Asked {
    /// Waits for the answer.
    ///
    /// # Errors
    ///
    /// Nothing is named, or the store does not say.
    pub(in crate::batch) fn wait(self) -> Result<Found> {
        let answer = match self {
            Asked::Known(found) => return found,
            Asked::Coming(answer) => received(answer)?,
        };
        match answer {
            Ok(version) => Ok(Found::Object(version)),
            Err(error) if error.kind() == ErrorKind::Store(StoreFault::NotFound) => {
                Ok(Found::Folder)
            }
            Err(error) => Err(error),
        }
    }
}

fn received<T>(answer: oneshot::Receiver<T>) -> Result<T> {
    // Only a task that panics or is given up gives nothing.
    answer.blocking_recv().map_err(|_| fault(StoreFault::Answer))
}

/// A thread on which tasks run, until this is gone.
struct Runtime {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Runtime {
    fn start() -> io::Result<Runtime> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            // They look up the addresses of hosts.
            .max_blocking_threads(4)
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        std::thread::Builder::new().name("stores".to_owned()).spawn(move || {
            // An error: the sender is gone, which is the signal.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        })?;
        Ok(Runtime { handle, _stop: stop })
    }
}

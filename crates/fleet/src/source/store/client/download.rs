//! Downloads an object: a task receives its chunks, and a blocking reader consumes the chunks.
//!
//! The task requests the whole object. If the connection breaks, the task requests the rest of the
//! same version. A bounded channel limits the memory. If the reader is slow, the task waits for it.
//! This wait does not count towards the timeout.

use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetRange, GetResult};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::buckets::Bucket;
use super::retry::{Attempts, FailedAttempt, once};
use super::wire::Unsized;
use super::{RetryPolicy, Version};
use crate::source::store::fault::StoreFault;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::into_io_error;

/// The capacity of the channel, in chunks. A chunk has up to about 400 KiB.
const CHUNKS: usize = 8;

/// The number of received bytes that resets the count of failed tries. With a smaller number, a
/// server that closes each connection after a byte would cause a request for each byte.
const PROGRESS: u64 = 1 << 20;

/// The blocking reader of an object.
pub(super) struct Download {
    chunks: Receiver<Result<Bytes>>,
    /// The rest of the current chunk. The task sends an empty chunk at the end.
    chunk: Bytes,
    has_ended: bool,
    task: AbortHandle,
}

impl Download {
    /// Starts the download of an object, and waits for the first chunk.
    pub(super) fn start(
        handle: &Handle,
        bucket: Bucket,
        path: Path,
        version: Version,
        retry_policy: RetryPolicy,
    ) -> Result<Download> {
        let (sender, receiver) = channel(CHUNKS);
        let feed = Feed { bucket, path, version, retry_policy, at: 0, sender };
        let task = handle.spawn(feed.run()).abort_handle();
        let mut download =
            Download { chunks: receiver, chunk: Bytes::new(), has_ended: false, task };
        download.next()?;
        Ok(download)
    }

    fn next(&mut self) -> Result<()> {
        // If the task ends without sending an empty chunk, the rest of the object is lost.
        let lost = || Err(Error::new(StoreFault::Answer));
        self.chunk = self.chunks.blocking_recv().unwrap_or_else(lost)?;
        self.has_ended = self.chunk.is_empty();
        Ok(())
    }
}

impl Read for Download {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.chunk.is_empty() && !self.has_ended {
            self.next().map_err(into_io_error)?;
        }
        let len = out.len().min(self.chunk.len());
        out[..len].copy_from_slice(&self.chunk.split_to(len));
        Ok(len)
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The task that receives an object.
struct Feed {
    bucket: Bucket,
    path: Path,
    /// The known properties of the version that is being read.
    version: Version,
    retry_policy: RetryPolicy,
    /// The number of bytes received.
    at: u64,
    sender: Sender<Result<Bytes>>,
}

impl Feed {
    async fn run(mut self) {
        let end = self.read().await.map(|()| Bytes::new());
        // An error means that the reader was dropped.
        let _ = self.sender.send(end).await;
    }

    /// Sends the whole object to the reader. Retries after failed tries.
    async fn read(&mut self) -> Result<()> {
        let mut attempts = Attempts::new(self.retry_policy);
        let mut counted_from = 0;
        while let Err(failure) = self.attempt().await {
            if self.at - counted_from >= PROGRESS {
                attempts.went_well();
                counted_from = self.at;
            }
            attempts.again(failure).await?;
        }
        Ok(())
    }

    /// Tries once to send the rest of the object to the reader. Ends early if the reader was
    /// dropped.
    async fn attempt(&mut self) -> std::result::Result<(), FailedAttempt> {
        let mut chunks = self.ask().await?.into_stream();
        loop {
            let chunk = match timeout(self.retry_policy.timeout, chunks.next()).await {
                Err(_) => return Err(StoreFault::Silent.into()),
                Ok(Some(Err(_))) => return Err(StoreFault::Connection.into()),
                Ok(Some(Ok(chunk))) => chunk,
                Ok(None) if self.version.len.is_some_and(|len| self.at < len) => {
                    return Err(StoreFault::Connection.into());
                }
                Ok(None) => return Ok(()),
            };
            self.at += chunk.len() as u64;
            if self.version.len.is_some_and(|len| self.at > len) {
                return Err(StoreFault::Answer.into());
            }
            // An empty chunk would signal the end.
            if !chunk.is_empty() && self.sender.send(Ok(chunk)).await.is_err() {
                return Ok(());
            }
        }
    }

    /// Requests the rest of the object. The response must have the known version.
    async fn ask(&mut self) -> std::result::Result<GetResult, FailedAttempt> {
        let is_rest = self.at > 0;
        if is_rest && self.version.etag.is_none() {
            // Without an entity tag, the rest may belong to another version.
            return Err(StoreFault::Broken.into());
        }
        // A weak tag never satisfies `If-Match` (RFC 9110). It is only compared with the response.
        let if_match = self.version.etag.clone().filter(|tag| !tag.starts_with("W/"));
        let range = is_rest.then_some(GetRange::Offset(self.at));
        let response = once(self.retry_policy, |marker| {
            let (bucket, path) = (self.bucket.clone(), self.path.clone());
            async move { bucket.get(&path, range, if_match, marker).await }
        });
        let answer = match response.await {
            // The server sent the whole object instead of the requested range.
            Err(failure) if is_rest && failure.cause.fault() == Some(&StoreFault::Answer) => {
                return Err(StoreFault::Broken.into());
            }
            answer => answer?,
        };
        let mut version = Version::of(&answer);
        if self.version.differs(&version) || (is_rest && self.version.etag != version.etag) {
            return Err(ErrorKind::Changed.into());
        }
        version.len = version.len.or(self.version.len);
        self.version = version;
        Ok(answer)
    }
}

impl Version {
    pub(super) fn of(answer: &GetResult) -> Version {
        let mut version = Version::listed(&answer.meta);
        if answer.extensions.get::<Unsized>().is_some() {
            version.len = None;
        }
        version
    }

    /// Whether two versions are known to differ. Compares the entity tags, and the lengths. If a
    /// tag is unknown, compares the times in whole seconds instead of the tags.
    fn differs(&self, other: &Version) -> bool {
        let seconds =
            |time: SystemTime| time.duration_since(UNIX_EPOCH).map(|it| it.as_secs()).ok();
        let are_other = match (&self.etag, &other.etag) {
            (Some(one), Some(other)) => one != other,
            _ => differ(self.modified.and_then(seconds), other.modified.and_then(seconds)),
        };
        are_other || differ(self.len, other.len)
    }
}

fn differ(one: Option<u64>, other: Option<u64>) -> bool {
    one.is_some_and(|one| other.is_some_and(|other| one != other))
}

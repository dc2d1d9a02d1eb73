//! Lets a signal such as Ctrl-C end a wait.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::ThreadId;
use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use plansift_fleet::source::Stop;

/// The time of a wait between two checks for signals.
pub const WAIT: Duration = Duration::from_millis(100);

/// Runs `work` on another thread, and returns its result. If the handler of a signal raises an
/// exception meanwhile, stops the work and raises the exception.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, String> + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::default();
    let (sender, mut receiver) = sync_channel(1);
    let stopped = stop.clone();
    std::thread::spawn(move || {
        // Sending fails if an exception has ended the wait, which drops the receiver.
        let _ = sender.send(work(&stopped));
    });
    loop {
        let waited;
        (waited, receiver) = py.detach(move || (receiver.recv_timeout(WAIT), receiver));
        match waited {
            Ok(result) => return result.map_err(PyOSError::new_err),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.stop())?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the reader of the inputs failed"));
            }
        }
    }
}

/// Returns a message if the handler of a signal raised an exception. `opener` is the thread that
/// opened the stream. Another thread might wait in vain for the lock of the interpreter.
pub fn interruption(opener: ThreadId) -> Option<String> {
    if std::thread::current().id() != opener {
        return None;
    }
    // A stream can only return a message. Its consumer raises an exception of its own.
    Python::try_attach(|py| py.check_signals().err().map(|error| error.to_string())).flatten()
}

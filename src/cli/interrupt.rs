//! A run that is told to end (Ctrl-C, `kill`, a closed terminal) takes its unfinished files with
//! it, or brings a batch to an orderly stop, and then ends as it would have without this.
//!
//! It costs a thread that sleeps, in runs that write such a file. What is ignored (`nohup`, a job
//! in the background of a script) stays ignored; only Linux says so, and elsewhere nothing is
//! waited for.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tempfile::NamedTempFile;

use super::messages::say;
use crate::batch::Stop;

/// All unfinished files, and whether somebody waits for a signal.
static FILES: Mutex<(Vec<PathBuf>, bool)> = Mutex::new((Vec::new(), false));

/// Removes unfinished files. Once a file has its final name there is none of this one.
fn remove(files: &[PathBuf]) {
    files.iter().for_each(|file| drop(std::fs::remove_file(file)));
}

/// Removes all unfinished files, unless one is being made at this moment: this waits for nothing.
/// It is called once; a call from within, where a path is too long to do without memory, does
/// nothing.
pub fn remove_unfinished() {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if !BEGUN.swap(true, Ordering::Relaxed)
        && let Ok(files) = FILES.try_lock()
    {
        remove(&files.0);
    }
}

/// Makes an unfinished file, which the first signal that ends the run removes.
///
/// # Errors
///
/// Those of `make`.
pub fn unfinished(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let lock = || FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut files = lock();
    if !std::mem::replace(&mut files.1, true)
        && let Some(interrupts) = Interrupts::hold()
    {
        // Without a thread the run ends as any other, and leaves its files.
        interrupts.await_them(move |mut signals| {
            if let Some(signal) = signals.forever().next() {
                // Until the end of the run, so that no other file comes into being.
                let files = lock();
                remove(&files.0);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }
    let file = make()?;
    files.0.push(file.path().to_owned());
    Ok(file)
}

/// The signals that end a run, held back.
pub struct Interrupts {
    signals: Signals,
    numbers: Vec<i32>,
}

impl Interrupts {
    /// Holds them back from now on, where that can be done.
    pub fn hold() -> Option<Interrupts> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let ignored = u64::from_str_radix(line.trim(), 16).ok()?;
        let is_heeded = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let numbers: Vec<_> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_heeded).collect();
        let signals = Signals::new(&numbers).ok()?;
        Some(Interrupts { signals, numbers })
    }

    /// Waits for them on a thread of its own. Where there can be none they end the run.
    fn await_them(self, wait: impl FnOnce(Signals) + Send + 'static) {
        let Interrupts { signals, numbers } = self;
        if Builder::new().spawn(move || wait(signals)).is_err() {
            // Held back once, they would be lost.
            let is_default = Arc::new(AtomicBool::new(true));
            for number in numbers {
                let _ = flag::register_conditional_default(number, is_default.clone());
            }
        }
    }

    /// Lets the first of them stop a batch, and the second end it at once.
    pub fn stop(self, stop: Stop) -> Interrupted {
        let first = Arc::new(AtomicI32::new(0));
        let interrupted = Interrupted(first.clone());
        // Without a thread the first one ends it.
        self.await_them(move |mut signals| {
            for signal in signals.forever() {
                if first.swap(signal, Ordering::Relaxed) != 0 {
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
                stop.stop();
                say("stopping; another interrupt ends it at once");
            }
        });
        interrupted
    }
}

/// Whether a batch was told to end.
pub struct Interrupted(Arc<AtomicI32>);

impl Interrupted {
    /// Whether it was.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends the process as the signal would have.
    pub fn end(&self) {
        let _ = signal_hook::low_level::emulate_default_handler(self.0.load(Ordering::Relaxed));
    }
}

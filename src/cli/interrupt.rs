//! Signals that end a run: Ctrl-C, `kill`, a closed terminal, a file that is too large.
//!
//! A write beyond the limit of file sizes becomes an error. Of the other signals, the first removes
//! unfinished files, or asks a batch to stop. The default action of the signal then ends the run. A
//! sleeping thread waits for signals. Ignored signals (`nohup`, background jobs of scripts) stay
//! ignored. Only Linux reports ignored signals, so this module is for Linux only.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tempfile::NamedTempFile;

use super::messages::say;
use plansift_core::allocation::thread_builder;
use plansift_fleet::source::Stop;

/// The unfinished files, and whether the signal thread was started.
static FILES: Mutex<(Vec<PathBuf>, bool)> = Mutex::new((Vec::new(), false));

/// Removes unfinished files. A finished file no longer has its temporary name, so it stays.
fn remove(files: &[PathBuf]) {
    files.iter().for_each(|file| drop(std::fs::remove_file(file)));
}

/// Removes all unfinished files without waiting for the lock. If another thread holds the lock to
/// create a file, all files stay. Only the first call does anything, because removing a long path
/// may run out of memory and call this function again.
pub fn remove_unfinished() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if !STARTED.swap(true, Ordering::Relaxed)
        && let Ok(files) = FILES.try_lock()
    {
        remove(&files.0);
    }
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail with an error. The default
/// action of the signal would end the process and leave its unfinished files.
pub fn report_oversized_files() {
    // Any handler replaces the default action. Nothing reads the flag.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Creates an unfinished file, which the first signal removes. Fails if `make` fails.
pub fn unfinished(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let lock = || FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut files = lock();
    if !std::mem::replace(&mut files.1, true)
        && let Some(interrupts) = Interrupts::hold()
    {
        // If no thread can start, a signal ends the run and leaves its files.
        interrupts.wait_on_thread(move |mut signals| {
            if let Some(signal) = signals.forever().next() {
                // Keep the lock until the run ends, so that no other file is created.
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

/// The signals that end a run, with their default action suspended.
pub struct Interrupts {
    signals: Signals,
    numbers: Vec<i32>,
}

impl Interrupts {
    /// Suspends the default action of the signals. `None` if that fails, or if the system does not
    /// report which signals are ignored.
    pub fn hold() -> Option<Interrupts> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let ignored = u64::from_str_radix(line.trim(), 16).ok()?;
        let is_handled = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let numbers: Vec<_> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_handled).collect();
        let signals = Signals::new(&numbers).ok()?;
        Some(Interrupts { signals, numbers })
    }

    /// Waits for the signals on a new thread. If no thread can start, a signal ends the run.
    fn wait_on_thread(self, wait: impl FnOnce(Signals) + Send + 'static) {
        let Interrupts { signals, numbers } = self;
        let run = move || wait(signals);
        if thread_builder("signals").and_then(|thread| thread.spawn(run)).is_err() {
            // Without a thread that waits, a suspended signal would be lost.
            let is_default = Arc::new(AtomicBool::new(true));
            for number in numbers {
                let _ = flag::register_conditional_default(number, is_default.clone());
            }
        }
    }

    /// Makes the first signal stop a batch cleanly, and the second signal end the process at once.
    pub fn stop(self, stop: Stop) -> Interrupted {
        let first = Arc::new(AtomicI32::new(0));
        let interrupted = Interrupted(first.clone());
        // If no thread can start, the first signal ends the run.
        self.wait_on_thread(move |mut signals| {
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

/// The signal that stopped a batch, if any.
pub struct Interrupted(Arc<AtomicI32>);

impl Interrupted {
    /// Returns whether a signal stopped the batch.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends the process by the default action of the signal.
    pub fn end(&self) {
        let _ = signal_hook::low_level::emulate_default_handler(self.0.load(Ordering::Relaxed));
    }
}

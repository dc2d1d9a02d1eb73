//! A run that is told to end (Ctrl-C, `kill`, a closed terminal) takes its unfinished file with it,
//! or brings a batch to an orderly stop, and then ends as it would have without this.
//!
//! It costs a thread that sleeps, in runs that write such a file. What is ignored (`nohup`, a job
//! in the background of a script) stays ignored; only Linux says so, and elsewhere nothing is
//! waited for.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::run::say;
use crate::batch::Stop;

/// The signals that end a run, held back.
pub struct Interrupts(Signals);

impl Interrupts {
    /// Holds them back from now on, where that can be done.
    pub fn hold() -> Option<Interrupts> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        let ignored = u64::from_str_radix(line.trim(), 16).ok()?;
        let is_heeded = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(is_heeded);
        Signals::new(heeded).ok().map(Interrupts)
    }

    /// Lets the first of them, held back or to come, remove a file and end the run.
    pub fn remove(mut self, file: &Path) {
        let file = file.to_owned();
        std::thread::spawn(move || {
            if let Some(signal) = self.0.forever().next() {
                // Once the file has its final name there is none of this one.
                let _ = std::fs::remove_file(&file);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }

    /// Lets the first of them stop a batch, and the second end it at once.
    pub fn stop(mut self, stop: Stop) -> Interrupted {
        let first = Arc::new(AtomicI32::new(0));
        let interrupted = Interrupted(first.clone());
        std::thread::spawn(move || {
            for signal in self.0.forever() {
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

//! The progress of a batch: a bar on a terminal, otherwise a line every ten seconds.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::args::{Plans, When};
use super::bar;
use super::messages::say;
use plansift_fleet::batch::run::Progress;

pub struct Meter {
    shown: Shown,
    inputs: u64,
    bytes: u64,
    started: Instant,
}

enum Shown {
    Nowhere,
    Bar(ProgressBar),
    /// Lines of text, with the time of the last one.
    Lines(Instant),
}

impl Meter {
    /// Starts the meter of a batch that reads `inputs` inputs of `bytes` bytes.
    pub fn new(plans: &Plans, inputs: u64, bytes: u64) -> Meter {
        let started = Instant::now();
        let is_wanted = match plans.progress {
            When::Always => true,
            When::Never => false,
            When::Auto => !plans.quiet,
        };
        let shown = match (is_wanted, io::stderr().is_terminal()) {
            (false, _) => Shown::Nowhere,
            (true, true) => Shown::Bar(bar::of_run(bytes)),
            (true, false) => Shown::Lines(started),
        };
        let mut meter = Meter { shown, inputs, bytes, started };
        meter.update(&Progress::default());
        meter
    }

    pub fn update(&mut self, progress: &Progress) {
        const PAUSE: Duration = Duration::from_secs(10);
        match &self.shown {
            Shown::Nowhere => {}
            Shown::Bar(bar) => {
                bar.set_message(self.inputs_of(progress));
                bar.set_position(progress.bytes);
            }
            Shown::Lines(printed) if printed.elapsed() < PAUSE => {}
            Shown::Lines(_) => {
                say(&self.line(progress));
                self.shown = Shown::Lines(Instant::now());
            }
        }
    }

    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar::clear(bar);
        }
    }

    fn inputs_of(&self, progress: &Progress) -> String {
        let Progress { inputs, failed, .. } = progress;
        match failed {
            0 => format!("{inputs}/{} inputs", self.inputs),
            _ => format!("{inputs}/{} inputs, {failed} failed", self.inputs),
        }
    }

    fn line(&self, progress: &Progress) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let (read, all) = (progress.bytes as f64 / 1e9, self.bytes as f64 / 1e9);
        let (speed, left) = (read / seconds, (all - read).max(0.0));
        let inputs = self.inputs_of(progress);
        let left = match speed > 0.0 {
            true => format!(", {:.0} s left", left / speed),
            false => String::new(),
        };
        format!("{inputs}, {read:.1} of {all:.1} GB, {speed:.2} GB/s{left}")
    }
}

//! How far a long run has come: on a terminal a bar, elsewhere a line now and then.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{self, Plans};
use super::run::say;
use crate::batch::Entry;
use crate::batch::run::Progress;
use crate::error::Result;
use crate::inert::visible;
use crate::input::{SharedText, Source};

/// How far the readings of an input have come, all of them; nothing where that is not shown.
#[derive(Clone, Debug, Default)]
pub struct Bar(Option<Arc<Drawn>>);

/// A bar on the terminal. Dropped, it is gone.
#[derive(Debug)]
struct Drawn {
    bar: ProgressBar,
    /// What each reading adds to it, in bytes; none where that is not known.
    len: Option<u64>,
}

/// A source that shows how much of it was read.
pub struct Watched<S> {
    source: S,
    bar: Bar,
    /// How much of it the bar knows.
    position: u64,
}

/// A bar for an input of that many bytes, if it is worth showing.
pub fn of_input(plans: &Plans, entry: &Entry, len: Option<u64>) -> Bar {
    if !is_shown(plans, len) {
        return Bar::default();
    }
    let template = match len {
        Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg} {spinner} {bytes} {bytes_per_sec}",
    };
    let bar = drawn(len.map(|_| 0), template);
    bar.set_message(visible(&entry.source()));
    Bar(Some(Arc::new(Drawn { bar, len })))
}

/// One bar for so many inputs, if it is worth showing: `bytes` are all that is read of them.
pub fn of_inputs(plans: &Plans, inputs: usize, bytes: u64) -> Bar {
    if !is_shown(plans, Some(bytes)) {
        return Bar::default();
    }
    let bar = Bar(Some(Arc::new(Drawn { bar: drawn(Some(bytes), OF_MANY), len: None })));
    bar.reach(0, inputs, 0);
    bar
}

/// Whether a bar for so many bytes is worth showing: on a terminal, for what takes more than a
/// blink.
fn is_shown(plans: &Plans, len: Option<u64>) -> bool {
    const SMALL: u64 = 256 << 20;
    match plans.progress {
        args::Progress::Always => true,
        args::Progress::Never => false,
        args::Progress::Auto => {
            let is_seen = !plans.quiet && io::stderr().is_terminal();
            is_seen && len.is_none_or(|len| len > SMALL)
        }
    }
}

impl Bar {
    /// None that is shown.
    pub const NONE: Bar = Bar(None);

    /// So many of several inputs are done, and that is how many bytes of them.
    pub fn reach(&self, done: usize, inputs: usize, bytes: u64) {
        if let Some(drawn) = &self.0 {
            drawn.bar.set_message(format!("{done}/{inputs} inputs"));
            drawn.bar.set_position(bytes);
        }
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        clear(&self.bar);
    }
}

/// The bar on the terminal, if there is one.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    // Nothing panics while it holds the lock.
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what writes to the terminal, with no bar in its way.
pub fn aside(write: impl FnOnce()) {
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn clear(bar: &ProgressBar) {
    bar.finish_and_clear();
    *shown() = None;
}

/// A bar that is drawn by one of the templates of this file, which are sound.
fn drawn(len: Option<u64>, template: &str) -> ProgressBar {
    let bar = match len {
        Some(len) => ProgressBar::new(len),
        None => ProgressBar::new_spinner(),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    *shown() = Some(bar.clone());
    bar
}

impl<S: Source> Watched<S> {
    /// Watches `source`, one of those that the bar is for.
    pub fn new(source: S, bar: Bar) -> Watched<S> {
        if let Some(drawn) = &bar.0 {
            drawn.bar.inc_length(drawn.len.unwrap_or(0));
        }
        Watched { source, bar, position: 0 }
    }
}

impl<S: Source> Source for Watched<S> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let filled = self.source.fill(keep);
        if let Some(drawn) = &self.bar.0 {
            let position = self.source.offset() + self.source.window().len() as u64;
            drawn.bar.inc(position - self.position);
            self.position = position;
        }
        filled
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}

const OF_MANY: &str = "{msg} {bar:12} {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// How far a batch has come.
pub struct Meter {
    shown: Shown,
    inputs: u64,
    bytes: u64,
    started: Instant,
}

/// Where that is told.
enum Shown {
    Nowhere,
    Bar(ProgressBar),
    /// In lines, the last one then.
    Lines(Instant),
}

impl Meter {
    /// Of a batch that has so many inputs and bytes to read.
    pub fn new(plans: &Plans, inputs: u64, bytes: u64) -> Meter {
        let started = Instant::now();
        let is_wanted = match plans.progress {
            args::Progress::Always => true,
            args::Progress::Never => false,
            args::Progress::Auto => !plans.quiet,
        };
        let shown = match (is_wanted, io::stderr().is_terminal()) {
            (false, _) => Shown::Nowhere,
            (true, true) => Shown::Bar(drawn(Some(bytes), OF_MANY)),
            (true, false) => Shown::Lines(started),
        };
        let mut meter = Meter { shown, inputs, bytes, started };
        meter.update(&Progress::default());
        meter
    }

    /// Tells how far it has come.
    pub fn update(&mut self, progress: &Progress) {
        const PAUSE: Duration = Duration::from_secs(10);
        match &self.shown {
            Shown::Nowhere => {}
            Shown::Bar(bar) => {
                bar.set_message(self.inputs_of(progress));
                bar.set_position(progress.bytes);
            }
            Shown::Lines(told) if told.elapsed() < PAUSE => {}
            Shown::Lines(_) => {
                say(&self.line(progress));
                self.shown = Shown::Lines(Instant::now());
            }
        }
    }

    /// Takes a bar away.
    pub fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            clear(bar);
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

//! Progress bars on the terminal.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Plans, When};
use crate::error::Result;
use crate::inert::visible;
use crate::input::{Hook, Hooked, Source};
use crate::source::InputEntry;

/// The template of a bar for several inputs.
const TEMPLATE_OF_RUN: &str = "{msg} {bar:12} {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// The progress bar of one or several inputs; empty if no bar is shown.
#[derive(Clone, Debug, Default)]
pub struct Bar(Option<Arc<Drawn>>);

/// A bar on the terminal. Dropping it removes the bar.
#[derive(Debug)]
struct Drawn {
    bar: ProgressBar,
    /// How often each byte is read. The bar shows each byte once.
    passes: u64,
    /// Bytes read so far, in all passes.
    read: AtomicU64,
}

/// A source that reports its position to a bar.
pub type Watched<S> = Hooked<S, Reporting>;

pub struct Reporting {
    bar: Bar,
    position: u64,
}

/// Returns a bar for an input of `len` bytes that is read `passes` times, or a hidden bar (see
/// [`is_shown`]).
pub fn of_input(plans: &Plans, entry: &InputEntry, len: Option<u64>, passes: u64) -> Bar {
    if !is_shown(plans, 1, len) {
        return Bar::default();
    }
    let template = match len {
        Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg} {spinner} {bytes} {bytes_per_sec}",
    };
    let bar = drawn(len, template);
    bar.set_message(visible(&entry.source()));
    Bar::new(bar, passes)
}

/// Returns one bar for several inputs of `bytes` bytes that are read `passes` times, or a hidden
/// bar.
pub fn of_inputs(plans: &Plans, inputs: usize, bytes: u64, passes: u64) -> Bar {
    if !is_shown(plans, inputs, Some(bytes)) {
        return Bar::default();
    }
    let bar = Bar::new(of_run(bytes), passes);
    bar.reach(0, inputs, 0);
    bar
}

/// Decides whether to show a bar for inputs of `len` bytes. By default, a terminal shows bars of
/// inputs that take a second or more.
fn is_shown(plans: &Plans, inputs: usize, len: Option<u64>) -> bool {
    const SMALL: u64 = 256 << 20;
    const FEW: usize = 1000;
    match plans.progress {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let is_visible = !plans.quiet && io::stderr().is_terminal();
            is_visible && (inputs > FEW || len.is_none_or(|len| len > SMALL))
        }
    }
}

impl Bar {
    pub const NONE: Bar = Bar(None);

    fn new(bar: ProgressBar, passes: u64) -> Bar {
        Bar(Some(Arc::new(Drawn { bar, passes, read: AtomicU64::new(0) })))
    }

    /// Shows how many inputs are done, and the sum of their lengths in bytes.
    pub fn reach(&self, done: usize, inputs: usize, bytes: u64) {
        if let Some(drawn) = &self.0 {
            drawn.bar.set_message(format!("{done}/{inputs} inputs"));
            drawn.read.store(bytes * drawn.passes, Ordering::Relaxed);
            drawn.bar.set_position(bytes);
        }
    }
}

impl Drawn {
    /// Adds bytes that one pass has read.
    fn add(&self, bytes: u64) {
        let read = self.read.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let shown = read / self.passes;
        self.bar.set_position(self.bar.length().map_or(shown, |len| len.min(shown)));
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        clear(&self.bar);
    }
}

static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    // No code panics while it holds the lock, so the state of a poisoned lock is valid.
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws the bar of a run with several inputs.
pub fn of_run(bytes: u64) -> ProgressBar {
    drawn(Some(bytes), TEMPLATE_OF_RUN)
}

/// Hides the bar while `write` writes to the terminal.
pub fn suspend(write: impl FnOnce()) {
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

pub fn clear(bar: &ProgressBar) {
    bar.finish_and_clear();
    *shown() = None;
}

/// Draws a bar with one of the templates of this file, which are all valid.
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

/// Reports the position of a source.
pub fn watched<S: Source>(source: S, bar: Bar) -> Watched<S> {
    Hooked::new(source, Reporting { bar, position: 0 })
}

impl Hook for Reporting {
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool> {
        let filled = source.fill(keep);
        if let Some(drawn) = &self.bar.0 {
            let position = source.offset() + source.window().len() as u64;
            drawn.add(position - self.position);
            self.position = position;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_of_two_passes_shows_the_size_of_the_input_once() {
        let bar =
            Bar::new(ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden()), 2);
        let drawn = bar.0.as_ref().expect("a bar");
        for (read, shown) in [(60, 30), (40, 50), (100, 100), (7, 100)] {
            drawn.add(read);
            assert_eq!((drawn.bar.position(), drawn.bar.length()), (shown, Some(100)));
        }
    }

    #[test]
    fn a_bar_of_several_inputs_counts_them() {
        let bar =
            Bar::new(ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::hidden()), 2);
        let drawn = bar.0.as_ref().expect("a bar");
        drawn.add(10);
        bar.reach(3, 7, 40);
        assert_eq!((drawn.bar.message(), drawn.bar.position()), ("3/7 inputs".to_owned(), 40));
        drawn.add(20);
        assert_eq!(drawn.bar.position(), 50);
    }
}

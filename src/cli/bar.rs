//! ReadProgress bars on the terminal.

use std::cell::{Cell, OnceCell};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Plans, When};
use plansift_core::inert::visible;
use plansift_fleet::run::ReadProgress;
use plansift_fleet::source::InputEntry;

/// The template of a bar for several inputs.
const TEMPLATE_OF_RUN: &str = "{msg} {bar:12} {bytes}/{total_bytes} {bytes_per_sec} {eta}";

/// The progress bar of a run. Dropping it removes the bar.
pub struct Bar<'p> {
    plans: &'p Plans,
    /// `None` if no bar is shown; empty before the run begins.
    drawn: OnceCell<Option<Drawn>>,
}

/// A bar on the terminal.
struct Drawn {
    bar: ProgressBar,
    /// How often each byte is read. The bar shows each byte once.
    passes: u64,
    /// Bytes read so far, in all passes.
    read: Cell<u64>,
}

impl<'p> Bar<'p> {
    pub fn new(plans: &'p Plans) -> Bar<'p> {
        Bar { plans, drawn: OnceCell::new() }
    }

    fn drawn(&self) -> Option<&Drawn> {
        self.drawn.get().and_then(Option::as_ref)
    }
}

impl ReadProgress for Bar<'_> {
    fn begin_inputs(&self, inputs: usize, bytes: u64, passes: u64) {
        let is_shown = is_shown(self.plans, inputs, Some(bytes));
        self.drawn.get_or_init(|| is_shown.then(|| Drawn::new(of_run(bytes), passes)));
        self.reach(0, inputs, 0);
    }

    fn begin_input(&self, input: &InputEntry, len: Option<u64>, passes: u64) {
        self.drawn.get_or_init(|| {
            is_shown(self.plans, 1, len).then(|| {
                let template = match len {
                    Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
                    None => "{msg} {spinner} {bytes} {bytes_per_sec}",
                };
                let bar = drawn(len, template);
                bar.set_message(visible(&input.source()));
                Drawn::new(bar, passes)
            })
        });
    }

    fn read(&self, bytes: u64) {
        self.drawn().into_iter().for_each(|drawn| drawn.add(bytes));
    }

    fn reach(&self, done: usize, inputs: usize, bytes: u64) {
        self.drawn().into_iter().for_each(|drawn| drawn.reach(done, inputs, bytes));
    }
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

impl Drawn {
    fn new(bar: ProgressBar, passes: u64) -> Drawn {
        Drawn { bar, passes, read: Cell::new(0) }
    }

    /// Adds bytes that one pass has read.
    fn add(&self, bytes: u64) {
        self.read.set(self.read.get() + bytes);
        let shown = self.read.get() / self.passes;
        self.bar.set_position(self.bar.length().map_or(shown, |len| len.min(shown)));
    }

    /// Shows how many inputs are done, and the sum of their lengths in bytes.
    fn reach(&self, done: usize, inputs: usize, bytes: u64) {
        self.bar.set_message(format!("{done}/{inputs} inputs"));
        self.read.set(bytes * self.passes);
        self.bar.set_position(bytes);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A hidden bar of 100 bytes in two passes.
    fn of_two_passes() -> Drawn {
        let hidden = ProgressDrawTarget::hidden();
        Drawn::new(ProgressBar::with_draw_target(Some(100), hidden), 2)
    }

    #[test]
    fn a_bar_of_two_passes_shows_the_size_of_the_input_once() {
        let drawn = of_two_passes();
        for (read, shown) in [(60, 30), (40, 50), (100, 100), (7, 100)] {
            drawn.add(read);
            assert_eq!((drawn.bar.position(), drawn.bar.length()), (shown, Some(100)));
        }
    }

    #[test]
    fn a_bar_of_several_inputs_counts_them() {
        let drawn = of_two_passes();
        drawn.add(10);
        drawn.reach(3, 7, 40);
        assert_eq!((drawn.bar.message(), drawn.bar.position()), ("3/7 inputs".to_owned(), 40));
        drawn.add(20);
        assert_eq!(drawn.bar.position(), 50);
    }
}

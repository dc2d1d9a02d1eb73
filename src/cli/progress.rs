//! How far a long run has come, on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::Result;
use crate::input::Source;

/// A source that shows how much of it was read.
pub struct Watched<S> {
    source: S,
    bar: ProgressBar,
}

/// A bar for an input of that many bytes; a count where the length is not known.
pub fn bar(len: Option<u64>, name: &str) -> ProgressBar {
    let template = match len {
        Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg} {spinner} {bytes} {bytes_per_sec}",
    };
    let bar = match len {
        Some(len) => ProgressBar::new(len),
        None => ProgressBar::new_spinner(),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    // The template is one of the two above.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(name.to_owned());
    bar
}

impl<S: Source> Watched<S> {
    /// Watches `source`.
    pub fn new(source: S, bar: ProgressBar) -> Watched<S> {
        bar.enable_steady_tick(Duration::from_millis(200));
        Watched { source, bar }
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
        self.bar.set_position(self.source.offset() + self.source.window().len() as u64);
        filled
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

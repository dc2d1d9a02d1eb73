//! The width and the colours of an output.

use std::io::{self, IsTerminal};
use std::path::Path;

use terminal_size::{Width, terminal_size_of};

use super::args::When;
use plansift_report::screen::{Color, Screen};

/// Returns the screen of an output; `None` is standard output. A file or a pipe gets the width
/// [`Screen::UNBOUNDED`]. COLUMNS sets another width for standard output.
pub fn screen(when: When, output: Option<&Path>) -> Screen {
    let requested = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = match output {
        Some(_) => None,
        None => requested().or_else(width).or_else(|| {
            const UNKNOWN: usize = 80;
            io::stdout().is_terminal().then_some(UNKNOWN)
        }),
    };
    let width = columns.map_or(Screen::UNBOUNDED, |columns: usize| {
        columns.clamp(Screen::NARROWEST, Screen::UNBOUNDED)
    });
    Screen { color: color(when, output), width }
}

fn color(when: When, output: Option<&Path>) -> Color {
    let wanted = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let forced = std::env::var("CLICOLOR_FORCE").is_ok_and(|value| value != "0");
            !set("NO_COLOR") && (forced || (io::stdout().is_terminal() && output.is_none()))
        }
    };
    if wanted { Color::Terminal } else { Color::None }
}

/// Returns the width of the terminal at standard output, in columns. `None` without a terminal.
fn width() -> Option<usize> {
    let (Width(columns), _) = terminal_size_of(io::stdout())?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

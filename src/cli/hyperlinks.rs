//! Decides whether the terminal shows hyperlinks (OSC 8).
//!
//! No terminal reports this, so the decision uses environment variables that identify terminals
//! with hyperlinks. `FORCE_HYPERLINK` overrides the decision. Output without colours has no links,
//! because it has no escape sequences at all.

use std::env;
use std::io::{self, IsTerminal};
use std::path::Path;

use plansift_report::screen::Color;
use plansift_report::source_link::LinkTarget;

/// Values of TERM_PROGRAM of terminals that show hyperlinks.
const PROGRAMS: [&str; 7] =
    ["ghostty", "Hyper", "iTerm.app", "rio", "terminology", "vscode", "WezTerm"];

/// Values of TERM of terminals that show hyperlinks.
const TERMS: [&str; 6] =
    ["alacritty", "alacritty-direct", "foot", "xterm-ghostty", "xterm-kitty", "wezterm"];

/// Returns the target of the hyperlinks in an output. Returns `None` for an output without
/// hyperlinks: a file, a pipe, output without colours, or a terminal that is not known to show
/// them.
pub fn target(
    color: Color,
    output: Option<&Path>,
    target: impl FnOnce() -> Option<LinkTarget>,
) -> Option<LinkTarget> {
    let is_terminal = output.is_none() && io::stdout().is_terminal();
    let variable = |name: &str| env::var(name).ok();
    (is_terminal && color == Color::Terminal && shows(variable)).then(target).flatten()
}

/// Whether a terminal with these environment variables shows hyperlinks.
fn shows(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(forced) = set("FORCE_HYPERLINK") {
        return forced != "0" && forced != "false";
    }
    let is = |name: &str, known: &[&str]| set(name).is_some_and(|it| known.contains(&&*it));
    // Version 0.50 of VTE crashes on hyperlinks.
    let vte = set("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    !is("TERM", &["dumb"])
        && (vte.is_some_and(|version| version > 5000)
            || ["DOMTERM", "KONSOLE_VERSION", "WT_SESSION"].iter().any(|name| set(name).is_some())
            || is("TERM_PROGRAM", &PROGRAMS)
            || is("TERM", &TERMS)
            || is("COLORTERM", &["xfce4-terminal"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_terminals_show_hyperlinks_unless_the_user_decides() {
        for (environment, expected) in [
            (&[][..], false),
            (&[("TERM", "xterm-256color")], false),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM_PROGRAM", "iTerm.app")], true),
            (&[("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("VTE_VERSION", "5000")], false),
            (&[("VTE_VERSION", "6800")], true),
            (&[("VTE_VERSION", "x")], false),
            (&[("WT_SESSION", "1")], true),
            (&[("WT_SESSION", "1"), ("TERM", "dumb")], false),
            (&[("WT_SESSION", "1"), ("FORCE_HYPERLINK", "0")], false),
            (&[("TERM", "dumb"), ("FORCE_HYPERLINK", "1")], true),
            (&[("TERM", "xterm-kitty"), ("FORCE_HYPERLINK", "")], true),
        ] {
            let variable = |name: &str| {
                let found = environment.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(shows(variable), expected, "{environment:?}");
        }
    }
}

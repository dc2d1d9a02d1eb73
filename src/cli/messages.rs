//! Messages to the user on standard error. Every message of the program is printed here.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::args::Refusal;
use super::bar;
use super::exit::Exit;
use plansift_core::error::Error;
use plansift_core::inert::{spaced_lines, visible};

/// Prints a message with the name of the program as prefix.
pub fn say(text: &str) {
    line(&format!("plansift: {text}"));
}

/// Prints a line. Escapes hidden characters and commands of CI runners, which file names, arguments
/// and addresses may contain. A closed standard error does not stop the run.
fn line(text: &str) {
    write_line(&visible(text));
}

/// Prints a line that is visible.
fn write_line(text: &str) {
    bar::suspend(|| drop(writeln!(io::stderr(), "{text}")));
}

/// Prints a message, followed by a text of the user. Several lines of that text are printed below
/// the message.
pub fn say_with(text: &str, explanation: Option<&str>) {
    let mut text = visible(&format!("plansift: {text}"));
    match &explanation.map(spaced_lines).unwrap_or_default()[..] {
        [] => {}
        [line] => text += &format!(": {line}"),
        lines => {
            text.push(':');
            text.extend(lines.iter().map(|line| format!("\n  {line}")));
        }
    }
    write_line(&text);
}

/// Prints an error of an output, and returns the exit code. `None` is standard output.
pub fn fail(path: Option<&Path>, error: &Error) -> Exit {
    match path {
        Some(path) => fail_named(&path.to_string_lossy(), error),
        None => {
            say(&error.to_string());
            Exit::Failed
        }
    }
}

/// Prints an error with the name of its input or output, and returns the exit code.
pub fn fail_named(source: &str, error: &Error) -> Exit {
    say(&format!("{source}: {error}"));
    Exit::Failed
}

/// Prints an error of the arguments, and returns the exit code.
pub fn usage(text: &str) -> Exit {
    say(text);
    Exit::Usage
}

/// Reads a text file that an option names, up to `max` + 1 bytes. If that fails, prints the error
/// after `option`.
pub fn read_text(option: &str, path: &Path, max: u64) -> Result<String, Exit> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(max + 1).read_to_string(&mut text));
    read.map_err(|error| {
        say(&format!("{option}{}: cannot read it: {error}", path.display()));
        Exit::Failed
    })?;
    Ok(text)
}

/// Prints an error of the arguments, or the requested help, and returns the exit code.
pub fn refuse(refusal: &Refusal) -> Exit {
    match refusal.lines() {
        None => {
            refusal.print();
            Exit::Done
        }
        Some(lines) => {
            lines.iter().for_each(|text| line(text));
            Exit::Usage
        }
    }
}

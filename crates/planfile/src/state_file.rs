//! Converts native state files (`terraform.tfstate`, version 4) to the JSON text that `show -json`
//! prints for a state, a piece at a time.
//!
//! A state file has no schemas. Attributes keep the order of the file, which is sorted. The JSON
//! text has the sensitivity marks of the file, but not those of provider schemas.

use std::io::{self, Read};

use super::change::push;
use super::fault::PlanFileFault;
use super::member::Member;
use super::path::Paths;
use super::schemas::Schemas;
use super::state::{From, State};
use super::tool::Tool;
use plansift_core::error::{Error, Result};
use plansift_core::input::{Input, Rereadable, Slice, Source, into_io_error};
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::limits::Limits;
use plansift_core::scan::Isa;

/// The number of bytes at the start of an input that decide whether it is a state file.
const HEAD: usize = 64 << 10;

/// The longest key of a state file, with quotes, in bytes.
const KEY_MAX: usize = 32;

/// The keys that may come first in a state file.
const FIRST_KEYS: [&[u8]; 7] = [
    b"\"version\"",
    b"\"terraform_version\"",
    b"\"serial\"",
    b"\"lineage\"",
    b"\"outputs\"",
    b"\"resources\"",
    b"\"check_results\"",
];

/// Whether an unread input is a state file, judged by its first keys.
///
/// # Errors
///
/// Fails if the input cannot be read.
pub fn is_state_file(input: &mut Input) -> Result<bool> {
    // Fast path: the first key of most inputs shows that they are not state files.
    loop {
        let text = input.window().trim_ascii_start();
        let key = match text.strip_prefix(b"{") {
            Some(rest) => rest.trim_ascii_start(),
            None if text.is_empty() => text,
            None => return Ok(false),
        };
        if key.len() >= KEY_MAX {
            if !FIRST_KEYS.iter().any(|first| key.starts_with(first)) {
                return Ok(false);
            }
            break;
        }
        if input.window().len() >= HEAD || !input.fill(0)? {
            break;
        }
    }
    while input.window().len() < HEAD && input.fill(0)? {}
    let window = input.window();
    Ok(has_keys_of_state(&window[..window.len().min(HEAD)]))
}

/// Whether the top-level keys in the head of a document are those of a state file.
fn has_keys_of_state(head: &[u8]) -> bool {
    let limits = Limits::default();
    let mut text = Cursor::new(Slice(head), 0, Isa::default(), Validation::Structure, limits);
    let (mut has_version, mut has_lineage) = (false, false);
    let mut is_other = text.enter_object().is_err();
    while !is_other && let Ok(Some(key)) = text.next_key() {
        match text.text(key) {
            b"version" => has_version = true,
            b"lineage" | b"serial" => has_lineage = true,
            b"format_version" | b"encrypted_data" | b"remote_plan_format" => is_other = true,
            _ => {}
        }
        // The head may end within the value.
        if text.skip().is_err() {
            break;
        }
    }
    !is_other && has_lineage && (has_version || head.len() >= HEAD)
}

/// The JSON document of a state file.
pub struct StateDocument {
    state: State,
    schemas: Schemas,
    next: StateDocumentPart,
    out: Vec<u8>,
    /// Number of bytes of `out` that [`Read::read`] has returned.
    taken: usize,
}

/// The part of the document that is written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StateDocumentPart {
    Head,
    Piece(usize),
    Check(usize),
    Tail,
    End,
}

/// Opens a state file, and returns a reader of its JSON text.
///
/// # Errors
///
/// Fails if the file is not a state file of version 4, if it is damaged, or if it exceeds a limit.
/// The returned reader reports errors inside resources.
pub fn open_state(file: &Rereadable, limits: &Limits) -> Result<StateDocument> {
    let member = Member::of_file(file.clone());
    let state = State::read(member, From::StateFile, limits).map_err(of_state_file)?;
    let (schemas, out) = (Schemas::new(Default::default()), Vec::new());
    Ok(StateDocument { state, schemas, next: StateDocumentPart::Head, out, taken: 0 })
}

/// Turns an error about the state in a plan file into one about a state file.
fn of_state_file(error: Error) -> Error {
    if error.fault::<PlanFileFault>().is_none() {
        return error;
    }
    Error::at(PlanFileFault::StateFile, error.location().map_or(0, |location| location.offset))
}

impl StateDocument {
    /// Writes the next part.
    fn advance(&mut self) -> Result<()> {
        let StateDocument { state, schemas, next, out, taken } = self;
        out.clear();
        *taken = 0;
        *next = match *next {
            StateDocumentPart::Head => {
                push(out, "{\"format_version\":\"1.0\"");
                if state.is_empty() {
                    StateDocumentPart::Tail
                } else {
                    state.write_head(out);
                    StateDocumentPart::Piece(0)
                }
            }
            StateDocumentPart::Piece(number) => match state.pieces.get(number) {
                Some(piece) => {
                    state.write_piece(*piece, &Paths::default(), schemas, Tool::Unknown, out)?;
                    StateDocumentPart::Piece(number + 1)
                }
                None => {
                    out.push(b'}');
                    if state.checks.is_empty() {
                        StateDocumentPart::Tail
                    } else {
                        StateDocumentPart::Check(0)
                    }
                }
            },
            StateDocumentPart::Check(number) => {
                push(out, if number == 0 { ",\"checks\":[" } else { "," });
                state.write_check(number, out)?;
                match number + 1 < state.checks.len() {
                    true => StateDocumentPart::Check(number + 1),
                    false => {
                        out.push(b']');
                        StateDocumentPart::Tail
                    }
                }
            }
            StateDocumentPart::Tail => {
                state.check_unchanged()?;
                push(out, "}\n");
                StateDocumentPart::End
            }
            StateDocumentPart::End => StateDocumentPart::End,
        };
        Ok(())
    }
}

impl Read for StateDocument {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.out.len() && self.next != StateDocumentPart::End {
            if let Err(error) = self.advance() {
                // A second call then fails with the same error.
                self.out.clear();
                self.taken = 0;
                return Err(into_io_error(of_state_file(error)));
            }
        }
        let rest = &self.out[self.taken..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.taken += len;
        Ok(len)
    }
}

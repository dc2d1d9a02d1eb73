//! Turns lines into messages, and messages into lines.
//!
//! The input is read on a thread of its own, so a cancellation arrives while calls run. A line that
//! is no message gets an error as its answer, and the session goes on. At the end of the input, the
//! transport stays open until each request has its answer.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use plansift_core::allocation::thread_builder;
use plansift_core::inert;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use tokio::sync::{Notify, mpsc};

/// Maximum length of a line, in bytes.
pub const LINE_MAX: usize = 1 << 20;
/// Number of lines that wait for the session.
const WAITING: usize = 16;

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// A line of the input.
enum Line {
    Text(Vec<u8>),
    /// The line has more than [`LINE_MAX`] bytes.
    TooLong,
}

/// A session over lines.
pub struct Lines {
    lines: mpsc::Receiver<Line>,
    out: Arc<Out>,
    /// Whether a request has arrived. A session cannot begin with any other message.
    has_request: bool,
}

/// The output of a session.
struct Out {
    writer: Mutex<Box<dyn Write + Send>>,
    waiting: Mutex<Waiting>,
    /// Wakes the reader after an answer.
    answered: Notify,
}

/// The requests without an answer.
#[derive(Default)]
struct Waiting {
    requests: HashSet<RequestId>,
    /// Whether a write has failed.
    is_closed: bool,
}

impl Lines {
    /// Starts the thread that reads `input`.
    pub fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Lines> {
        let (sender, lines) = mpsc::channel(WAITING);
        let reader =
            move || read_lines(BufReader::new(input), |line| sender.blocking_send(line).is_ok());
        thread_builder("messages")?.spawn(reader)?;
        let out = Out {
            writer: Mutex::new(Box::new(output)),
            waiting: Mutex::default(),
            answered: Notify::new(),
        };
        Ok(Lines { lines, out: Arc::new(out), has_request: false })
    }

    /// Returns the message in a line, if the session takes it. Answers a line that is no message.
    fn message(&mut self, line: Line) -> Option<Incoming> {
        let refused = |code, message: &str, id| {
            let error = ErrorData::new(code, message.to_owned(), None);
            // A failed write closes the session, which the next call of `receive` finds out.
            drop(self.out.send(&Outgoing::error(error, id)));
            None
        };
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong => {
                return refused(ErrorCode::INVALID_REQUEST, "the message is too long", None);
            }
        };
        let text = text.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let message = match serde_json::from_slice::<Incoming>(text) {
            Ok(message) => message,
            Err(error) if error.is_syntax() || error.is_eof() => {
                return refused(ErrorCode::PARSE_ERROR, "the line is not JSON", None);
            }
            Err(_) => {
                let id = serde_json::from_slice::<OnlyId>(text).ok().and_then(|only| only.id);
                return refused(ErrorCode::INVALID_REQUEST, "the line is not a request", id);
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                self.has_request = true;
                self.out.waiting().requests.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                let cancelled = RoleServer::peer_cancelled_params(&notification.notification);
                if let Some(id) = cancelled.and_then(|cancelled| cancelled.request_id.as_ref()) {
                    // A cancelled request gets no answer.
                    self.out.waiting().requests.remove(id);
                }
            }
            _ => {}
        }
        self.has_request.then_some(message)
    }
}

/// The id of a malformed request.
#[derive(Deserialize)]
struct OnlyId {
    id: Option<RequestId>,
}

impl Out {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a message as one line.
    fn send(&self, message: &Outgoing) -> io::Result<()> {
        let written = self.write(message);
        let mut waiting = self.waiting();
        match message {
            JsonRpcMessage::Response(response) => drop(waiting.requests.remove(&response.id)),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().map(|id| waiting.requests.remove(id));
            }
            _ => {}
        }
        waiting.is_closed |= written.is_err();
        drop(waiting);
        self.answered.notify_one();
        written
    }

    fn write(&self, message: &Outgoing) -> io::Result<()> {
        let mut line = inert::json(&serde_json::to_string(message)?).into_owned();
        line.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(line.as_bytes())?;
        writer.flush()
    }

    /// Whether no request waits for an answer that can be written.
    fn is_done(&self) -> bool {
        let waiting = self.waiting();
        waiting.is_closed || waiting.requests.is_empty()
    }

    /// Waits until each request has its answer, or the output is closed.
    async fn all_answered(&self) {
        loop {
            if self.is_done() {
                return;
            }
            self.answered.notified().await;
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move { out.send(&message) }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            if self.out.waiting().is_closed {
                return None;
            }
            let Some(line) = self.lines.recv().await else {
                self.out.all_answered().await;
                return None;
            };
            if let Some(message) = self.message(line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close();
        Ok(())
    }
}

/// Sends each line to `send`, until that returns false or the input ends.
fn read_lines(mut input: impl BufRead, mut send: impl FnMut(Line) -> bool) {
    loop {
        let mut line = Vec::new();
        let max = LINE_MAX as u64 + 1;
        match input.by_ref().take(max).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = match line.len() > LINE_MAX && !line.ends_with(b"\n") {
            false => Line::Text(line),
            true => {
                if input.skip_until(b'\n').is_err() {
                    return;
                }
                Line::TooLong
            }
        };
        if !send(line) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        read_lines(input, |line| {
            found.push(match line {
                Line::Text(text) => Some(text.trim_ascii().len()),
                Line::TooLong => None,
            });
            true
        });
        found
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\n\nbc\r\nd"), [Some(1), Some(0), Some(2), Some(1)]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let long = vec![b'x'; LINE_MAX];
        let input = [&*long, b"\n", &*long, b"yz\nnext\n", &*long, b"x"].concat();
        assert_eq!(lines(&input), [Some(LINE_MAX), None, Some(4), None]);
    }
}

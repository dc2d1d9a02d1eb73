//! A gate: a server on loopback that records requests and injects faults. It is a proxy in front of
//! a real server, or gives canned answers.
//!
//! The gate reads a request, gets the whole answer, and sends as much of the answer as the next
//! fault allows. Each connection carries one request, so a fault does not affect the next request.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// A fault of an answer.
pub enum Fault {
    /// The whole answer.
    None,
    /// An error status. The body is [`WORDS`], which plansift must not repeat.
    Status(u16),
    /// No byte, until the client closes the connection.
    Silence,
    /// A number of bytes of the body. Then the connection is closed.
    Cut(usize),
    /// A number of bytes of the body. Then no more, until the client closes the connection.
    Stall(usize),
    /// The body in chunks, without a length. Cut after a number of bytes, if given.
    Chunks(Option<usize>),
    /// The whole answer, its body in a number of pieces, with a tenth of a second between two
    /// pieces.
    Trickle(u32),
    /// The whole answer, after a call of the function.
    Before(Box<dyn FnOnce() + Send>),
}

/// The text of an error answer. A server may quote secrets of the request in such a text.
pub const WORDS: &str = "the-words-of-the-store";

/// A recorded request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and target, like `GET /bucket/key`.
    pub line: String,
    /// Everything up to the empty line.
    pub head: String,
}

impl Asked {
    /// The value of a header, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// Whether the request is for the content of an object, not for a listing or a HEAD.
    pub fn is_of_object(&self) -> bool {
        let is_listing = ["list-type=2", "comp=list"].iter().any(|it| self.line.contains(it));
        self.line.starts_with("GET ") && !is_listing
    }
}

/// Returns the whole response to a request, head and body.
type Answers = dyn Fn(&Asked) -> Vec<u8> + Send + Sync;

/// The server. Its threads end with the process.
pub struct Gate {
    port: u16,
    state: Arc<State>,
}

struct State {
    answers: Box<Answers>,
    asked: Mutex<Vec<Asked>>,
    /// Notified when a request arrives.
    arrived: Condvar,
    /// The faults of the next requests for objects.
    faults: Mutex<VecDeque<Fault>>,
}

impl Gate {
    /// Starts a gate that gives canned answers.
    pub fn answering(answers: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Gate {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State {
            answers: Box::new(answers),
            asked: Mutex::default(),
            arrived: Condvar::new(),
            faults: Mutex::default(),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let state = shared.clone();
                // Ignores errors: a client may close its connection early.
                std::thread::spawn(move || drop(state.serve(connection)));
            }
        });
        Gate { port, state }
    }

    /// Starts a gate in front of the server at `port`.
    pub fn before(port: u16) -> Gate {
        Gate::answering(move |asked| {
            let mut server = TcpStream::connect(("127.0.0.1", port)).expect("a server");
            let head = asked.head.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            server.write_all(head.as_bytes()).expect("a server that reads");
            let mut response = Vec::new();
            server.read_to_end(&mut response).expect("a server that answers");
            response
        })
    }

    /// The address of the gate, for clients.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Adds faults for the next requests for objects, one for each request.
    pub fn then(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().expect("faults").extend(faults);
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().expect("requests").clone()
    }

    /// The requests for objects so far. Deletes the record of all requests.
    pub fn take_objects(&self) -> Vec<Asked> {
        let mut asked = std::mem::take(&mut *self.state.asked.lock().expect("requests"));
        asked.retain(Asked::is_of_object);
        asked
    }

    /// Waits for the first request for an object.
    pub fn wait(&self) {
        let asked = self.state.asked.lock().expect("requests");
        let is_missing = |asked: &mut Vec<Asked>| !asked.iter().any(Asked::is_of_object);
        drop(self.state.arrived.wait_while(asked, is_missing).expect("requests"));
    }
}

impl State {
    fn serve(&self, mut connection: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(connection.try_clone()?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let line = head.split(" HTTP/").next().unwrap_or_default().to_owned();
        let asked = Asked { line, head };
        self.asked.lock().expect("requests").push(asked.clone());
        self.arrived.notify_all();
        let next = || self.faults.lock().expect("faults").pop_front();
        let mut fault = if asked.is_of_object() { next() } else { None };
        if let Some(Fault::Before(act)) = fault {
            act();
            fault = None;
        }
        self.answer(&asked, fault.unwrap_or(Fault::None), &mut connection)?;
        connection.shutdown(std::net::Shutdown::Write)
    }

    fn answer(&self, asked: &Asked, fault: Fault, out: &mut TcpStream) -> std::io::Result<()> {
        let response = match fault {
            Fault::Silence => return wait_for_close(out),
            Fault::Status(status) => return out.write_all(&answer(status, "", WORDS.as_bytes())),
            _ => (self.answers)(asked),
        };
        let end = response.windows(4).position(|it| it == b"\r\n\r\n").expect("a head") + 4;
        let (head, body) = response.split_at(end);
        match fault {
            Fault::Cut(len) => out.write_all(&response[..end + len]),
            Fault::Stall(len) => {
                out.write_all(&response[..end + len])?;
                wait_for_close(out)
            }
            Fault::Chunks(cut) => {
                let head = String::from_utf8_lossy(head);
                let is_length = |line: &&str| !line.to_lowercase().starts_with("content-length");
                let lines: Vec<&str> = head.trim_end().lines().filter(is_length).collect();
                let head = format!("{}\r\nTransfer-Encoding: chunked\r\n\r\n", lines.join("\r\n"));
                out.write_all(head.as_bytes())?;
                for chunk in body[..cut.unwrap_or(body.len())].chunks(700) {
                    write!(out, "{:x}\r\n", chunk.len())?;
                    out.write_all(chunk)?;
                    out.write_all(b"\r\n")?;
                }
                out.write_all(if cut.is_none() { b"0\r\n\r\n" } else { b"" })
            }
            Fault::Trickle(pieces) => {
                out.write_all(head)?;
                for piece in body.chunks(body.len().div_ceil(pieces as usize)) {
                    out.write_all(piece)?;
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
                Ok(())
            }
            _ => out.write_all(&response),
        }
    }
}

/// Waits until the client closes the connection.
fn wait_for_close(connection: &mut TcpStream) -> std::io::Result<()> {
    std::io::copy(connection, &mut std::io::sink()).map(drop)
}

/// A whole response. Each line of `headers` ends in `\r\n`.
pub fn answer(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let len = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {len}\r\n");
    [head.as_bytes(), b"Connection: close\r\n\r\n", body].concat()
}

//! A headless Chromium under the control of a test, over the WebDriver protocol: JSON requests to a
//! `chromedriver` on loopback.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::run;

/// Special keys, as the protocol encodes them.
pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const ESCAPE: char = '\u{e00c}';
pub const SPACE: char = ' ';
pub const DOWN: char = '\u{e015}';

/// A browser with one window.
pub struct Browser {
    driver: Child,
    /// Stays open because the driver writes to it.
    _said: BufReader<ChildStdout>,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser. Without a driver, says so and returns `None`.
    pub fn start() -> Option<Browser> {
        let missing = Command::new("chromedriver").arg("--version").output().err();
        if let Some(error) = missing {
            let said = format!(
                "chromedriver: {error}: it needs Chromium \
                 (Debian: apt-get install chromium chromium-driver)"
            );
            run::left_out(&said);
            return None;
        }
        // A driver ends if another process has taken its port.
        let driver = (0..5).find_map(|_| driver()).expect("a driver that listens");
        let (driver, said, port) = driver;
        let profile = tempfile::tempdir().expect("a folder");
        let (session, _said, _profile) = (String::new(), said, profile);
        let mut browser = Browser { driver, _said, port, session, _profile };
        browser.begin();
        Some(browser)
    }

    fn begin(&mut self) {
        let profile = format!("--user-data-dir={}", self._profile.path().display());
        let flags = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,900",
            profile,
        ]);
        let wanted = json!({
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "unhandledPromptBehavior": "ignore",
        });
        let begun = self.ask("POST", "/session", json!({"capabilities": {"alwaysMatch": wanted}}));
        self.session = begun["sessionId"].as_str().expect("a session").to_owned();
    }

    /// Opens a file, and clears the recorded requests.
    pub fn open(&self, page: &Path) {
        self.post("/url", json!({"url": "about:blank"}));
        self.log("performance");
        self.post("/url", json!({"url": format!("file://{}", page.display())}));
    }

    /// Returns the result of a script. It runs outside the page's own scripts.
    pub fn eval(&self, script: &str) -> Value {
        self.post("/execute/sync", json!({"script": format!("return {script}"), "args": []}))
    }

    /// Waits until the page has finished its pending work.
    pub fn settle(&self) {
        self.eval("new Promise(done => setTimeout(done, 50))");
    }

    /// The number of visible elements that match a selector.
    pub fn count(&self, selector: &str) -> u64 {
        let script = format!(
            "[...document.querySelectorAll({selector:?})].filter(it => it.checkVisibility()).length"
        );
        self.eval(&script).as_u64().expect("a number")
    }

    /// The text of the element that matches a selector.
    pub fn text(&self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?}).innerText");
        self.eval(&script).as_str().expect("a text").to_owned()
    }

    /// Presses keys one after the other.
    pub fn press(&self, keys: &str) {
        let key = |kind, key: char| json!({"type": kind, "value": key.to_string()});
        let strokes = keys.chars().flat_map(|it| [key("keyDown", it), key("keyUp", it)]);
        let strokes: Vec<Value> = strokes.collect();
        self.post(
            "/actions",
            json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}),
        );
    }

    /// Sends a command of the browser's own protocol.
    pub fn command(&self, name: &str, params: Value) -> Value {
        self.post("/goog/cdp/execute", json!({"cmd": name, "params": params}))
    }

    /// The browser's log of the page: errors and violations of the content security policy.
    pub fn complaints(&self) -> Vec<Value> {
        self.log("browser")
    }

    /// The URLs that the page requested.
    pub fn requests(&self) -> Vec<String> {
        let event = |entry: &Value| -> Option<String> {
            let message = entry["message"].as_str()?;
            let message: Value = serde_json::from_str(message).ok()?;
            let is_request = message["message"]["method"] == "Network.requestWillBeSent";
            let url = message["message"]["params"]["request"]["url"].as_str()?;
            is_request.then(|| url.to_owned())
        };
        self.log("performance").iter().filter_map(event).collect()
    }

    /// Whether the page shows a dialog.
    pub fn asks(&self) -> bool {
        let path = format!("/session/{}/alert/text", self.session);
        self.send("GET", &path, "").expect("an answer of the driver").get("error").is_none()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("/se/log", json!({"type": kind}));
        entries.as_array().expect("a list").clone()
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.ask("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let value = self.send(method, path, &body.to_string()).expect("an answer of the driver");
        assert!(value.get("error").is_none(), "{path}: {value}");
        value
    }

    /// Sends a request. Returns the `value` of the response.
    fn send(&self, method: &str, path: &str, body: &str) -> io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = BufReader::new(stream);
        let mut len = 0;
        for line in answer.by_ref().lines() {
            let line = line?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                len = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut text = vec![0; len];
        answer.read_exact(&mut text)?;
        let mut answer: Value = serde_json::from_slice(&text)?;
        Ok(answer["value"].take())
    }
}

impl Drop for Browser {
    /// Ends the browser and the driver, also when a test has failed.
    fn drop(&mut self) {
        let _ = self.send("DELETE", &format!("/session/{}", self.session), "");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts a driver. Returns its process, its output, and the port that it listens on.
fn driver() -> Option<(Child, BufReader<ChildStdout>, u16)> {
    let mut command = Command::new("chromedriver");
    command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut driver = command.spawn().expect("a driver");
    let mut said = BufReader::new(driver.stdout.take().expect("a pipe"));
    for line in said.by_ref().lines() {
        let line = line.expect("what the driver says");
        let port = line.split("started successfully on port ").nth(1);
        if let Some(port) = port.and_then(|rest| rest.trim_end_matches('.').parse().ok()) {
            return Some((driver, said, port));
        }
    }
    driver.wait().expect("it has ended");
    None
}

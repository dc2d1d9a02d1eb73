#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answer;
mod context;
mod names;
mod reading;
mod root;
mod rows;
mod server;
mod stores;
#[cfg(test)]
mod tests;
mod texts;
mod tool;
mod tools;
mod transport;
mod window;

use std::io::{self, Read, Write};

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;

use self::server::Server;
use self::transport::Lines;
pub use context::Settings;
pub use root::{Root, RootError};
pub use stores::AllowedStores;

/// Answers the messages of one client until `input` ends, and all calls before its end are
/// answered. Each line of `input` and of `output` is a JSON-RPC message.
///
/// # Errors
///
/// Fails if the system refuses a thread or a runtime, or if the first request cannot open a
/// session.
pub fn serve(
    settings: Settings,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let lines = Lines::new(input, output)?;
    let served = runtime.block_on(async {
        match serve_server(Server::new(settings), lines).await {
            Ok(running) => drop(running.waiting().await),
            // The input ended before the first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(_) => return Err(io::Error::other("the first request cannot open a session")),
        }
        Ok(())
    });
    // A call that was cancelled may still be reading.
    runtime.shutdown_background();
    served
}

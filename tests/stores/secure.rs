//! TLS connections to stores.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use super::gate::answer;
use super::{Run, expected, plansift};
use crate::hostile::sample::PLAN;

/// Starts a TLS server that gives each connection the same answer. It ends with the process.
///
/// Returns the port of the server, and its certificate as PEM.
pub fn server(answer: Vec<u8>) -> (u16, String) {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key");
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("its versions")
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .expect("its own key");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // Ignores errors: a client closes the connection if it does not trust the certificate.
            drop(serve(connection, config.clone(), &answer));
        }
    });
    (port, certified.cert.pem())
}

fn serve(
    mut connection: TcpStream,
    config: Arc<ServerConfig>,
    answer: &[u8],
) -> std::io::Result<()> {
    let mut session = ServerConnection::new(config).expect("a session");
    let mut stream = Stream::new(&mut session, &mut connection);
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        request.push(byte[0]);
    }
    stream.write_all(answer)?;
    stream.flush()
}

#[test]
fn only_trusted_servers_are_read() {
    let plan = answer(200, "", PLAN.as_bytes());
    let (port, certificate) = server(plan.clone());
    let folder = tempfile::tempdir().expect("a folder");
    let trusted = folder.path().join("trusted.pem");
    std::fs::write(&trusted, certificate).expect("a file");
    let others = folder.path().join("others.pem");
    std::fs::write(&others, server(plan).1).expect("a file");

    let address = format!("https://localhost:{port}/plan.json");
    let run = |certificates: &std::path::Path| {
        let mut command = plansift();
        command.args(["changes", &address]).env("SSL_CERT_FILE", certificates);
        Run::of(&command.output().expect("it runs"))
    };
    let read = run(&trusted);
    assert_eq!((read.code, read.err.as_str()), (Some(0), ""));
    assert_eq!(read.out, expected("changes", &address));
    let refused = run(&others);
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""));
    assert!(refused.err.contains("or has no trusted certificate"), "{}", refused.err);
}

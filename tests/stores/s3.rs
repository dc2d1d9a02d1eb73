//! A real S3 server on loopback, backed by a folder: a bucket is a subfolder, an object a file.

use std::net::TcpListener;
use std::path::PathBuf;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;

use super::gate::Gate;
use super::{Run, plansift};

pub const KEY_ID: &str = "AKIAEXAMPLE";
pub const SECRET: &str = "secret-access-key";

/// The server, with an empty bucket called `plans`. Clients reach it through a [`Gate`], which
/// records requests and injects faults.
pub struct S3 {
    folder: TempDir,
    pub gate: Gate,
}

impl S3 {
    pub fn start() -> S3 {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("plans")).expect("a bucket");
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("a folder"));
        service.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let service = service.build();
        // The server thread ends with the process.
        std::thread::spawn(move || serve(listener, service));
        S3 { folder, gate: Gate::before(port) }
    }

    /// The file of an object.
    pub fn path(&self, key: &str) -> PathBuf {
        self.folder.path().join("plans").join(key)
    }

    /// Puts an object into the bucket.
    pub fn put(&self, key: &str, content: impl AsRef<[u8]>) {
        let path = self.path(key);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Runs plansift with arguments that are separated by spaces.
    pub fn run(&self, args: &str) -> Run {
        self.run_with(&args.split(' ').collect::<Vec<_>>(), &[])
    }

    pub fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = plansift();
        command.args(args).args(["--store-retries", "2"]);
        command.envs(self.variables()).envs(variables.iter().copied());
        Run::of(&command.output().expect("it runs"))
    }

    /// The environment variables with the address of the server and the credentials.
    pub fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("AWS_ENDPOINT_URL", self.gate.url()),
            ("AWS_ACCESS_KEY_ID", KEY_ID.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ]
    }
}

fn serve(listener: TcpListener, service: S3Service) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        listener.set_nonblocking(true).expect("a socket");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
        loop {
            let (connection, _) = listener.accept().await.expect("a connection");
            let service = service.clone();
            tokio::spawn(async move {
                let server = Builder::new(TokioExecutor::new());
                // Ignores errors: a client may close its connection early.
                let _ = server.serve_connection(TokioIo::new(connection), service).await;
            });
        }
    });
}

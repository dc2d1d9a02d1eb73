"""A stand-in for a host: releases, and the API of GitHub and GitLab, over HTTPS on this machine."""

import base64
import gzip
import hashlib
import json
import os
import platform
import re
import shutil
import ssl
import subprocess
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("PLANSIFT", ROOT / "target/debug/plansift"))
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
# The folder of the releases on GitHub, and the user of the token.
RELEASES = "/owner/plansift/releases/download"
BOT = "github-actions[bot]"


def release(folder):
    """Writes a release for this machine, as `scripts/release` does, and returns the archive."""
    folder = folder / f"v{VERSION}"
    folder.mkdir()
    name = f"plansift-{VERSION}-{platform.machine()}-unknown-linux-musl"
    archive = folder / f"{name}.tar.gz"
    scripts = shutil.ignore_patterns("tests")
    shutil.copytree(ROOT / "packages/ci", folder / name / "ci", ignore=scripts)
    shutil.copy(PROGRAM, folder / name)
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        tar.add(folder / name, name)
    shutil.rmtree(folder / name)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    sums = f"{'0' * 64}  plansift-{VERSION}-other.tar.gz\n{digest}  {archive.name}\n"
    (folder / "SHA256SUMS").write_text(sums)
    return archive


class Host:
    """The server. A test reads and sets what it has: comments, findings, and answers of its API."""

    def __init__(self, folder, releases):
        key, self.certificate = folder / "key.pem", folder / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            + ["-nodes", "-subj", "/CN=stand-in", "-addext", "subjectAltName=IP:127.0.0.1"]
            + ["-keyout", key, "-out", self.certificate],
            check=True,
            capture_output=True,
        )
        self.releases = releases
        self.forget()
        handler = type("Bound", (Handler,), {"host": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.name = f"127.0.0.1:{self.server.server_port}"
        self.address = f"https://{self.name}"
        # Programs that a test starts trust the certificate.
        self.variables = {
            "CURL_CA_BUNDLE": str(self.certificate),
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def forget(self):
        """Forgets everything that earlier requests wrote."""
        self.comments, self.findings, self.calls, self.refusals = [], [], [], {}

    def add_comment(self, author, body):
        """Adds a comment, and returns it."""
        author = {"login": author, "username": author}
        comment = {"id": len(self.comments) + 1, "body": body, "user": author, "author": author}
        self.comments.append(comment)
        return comment

    def answer(self, method, path, query, body, headers):
        """Returns the status and the answer for a call of an API."""
        self.calls.append((method, path))
        for prefix, status in self.refusals.items():
            if f"{method} {path}".startswith(prefix):
                return status, {"message": "refused"}
        authorized = headers["Authorization"] == "Bearer t0ken" or headers["PRIVATE-TOKEN"] == "t0ken"
        if not authorized:
            return 401, {"message": "Bad credentials"}
        lists = "/repos/owner/infra/issues/5/comments", "/projects/7/merge_requests/5/notes"
        is_one = re.search(r"(?:/issues/comments|/merge_requests/5/notes)/(\d+)$", path)
        if (method, path) == ("POST", "/graphql"):
            return 200, {"data": {"viewer": {"login": BOT}}}
        if (method, path) == ("GET", "/user"):
            return 200, {"username": BOT}
        if path.endswith(lists) and method == "GET":
            size, page = int(query["per_page"]), int(query["page"])
            return 200, self.comments[(page - 1) * size : page * size]
        if path.endswith(lists) and method == "POST":
            return 201, self.add_comment(BOT, body["body"])
        if is_one and method == ("PUT" if "notes" in path else "PATCH"):
            comment = self.comments[int(is_one[1]) - 1]
            comment["body"] = body["body"]
            return 200, comment
        if (method, path) == ("POST", "/repos/owner/infra/code-scanning/sarifs"):
            sarif = json.loads(gzip.decompress(base64.b64decode(body["sarif"])))
            self.findings.append({**body, "sarif": sarif})
            return 202, {"id": "1"}
        return 404, {"message": "Not Found"}


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def handle_one(self):
        path, _, query = self.path.partition("?")
        if path.startswith(RELEASES):
            file = self.host.releases / path.removeprefix(RELEASES).lstrip("/")
            is_file = file.is_file()
            return self.send(200 if is_file else 404, file.read_bytes() if is_file else b"")
        length = int(self.headers["Content-Length"] or 0)
        body = json.loads(self.rfile.read(length) or "null")
        query = dict(part.split("=") for part in query.split("&") if part)
        path = re.sub("^/api(/v[34])?", "", path)
        status, answer = self.host.answer(self.command, path, query, body, self.headers)
        return self.send(status, json.dumps(answer).encode())

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_PUT = handle_one

    def log_message(self, *_):
        pass

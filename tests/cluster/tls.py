"""A real node behind something else: TLS and a password, which the test node has not, or answers
that are changed on the way.
"""

from __future__ import annotations

import base64
import http.client
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

USER, PASSWORD = "gear", "open sesame"
Change = Callable[[str, bytes], bytes]


def certificate(
    folder: Path, names: str = "DNS:localhost,IP:127.0.0.1", *, expired: bool = False
) -> tuple[Path, Path]:
    """A certificate for this host, or other names, that nobody but itself vouches for, and its
    key.
    """
    certificate, key = folder / "ca.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", f"subjectAltName={names}"]
    command += ["-out", str(certificate), "-keyout", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    if expired:
        again = ["openssl", "x509", "-in", str(certificate), "-signkey", str(key), "-days", "-1"]
        subprocess.run([*again, "-out", str(certificate)], check=True, capture_output=True)
    return certificate, key


@contextmanager
def protected(url: str, certificate: Path, key: Path) -> Iterator[str]:
    """An address by which the node answers over TLS, to whoever knows the password."""
    expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    server = _server(url, expected, lambda path, body: body)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with _serving(server):
        yield f"https://localhost:{server.server_port}"


@contextmanager
def changed(
    url: str, change: Change, asked: Callable[[str], str] = lambda path: path
) -> Iterator[str]:
    """An address by which the node answers, and `change` makes what is read of its answers, from
    the path that was asked for and the answer; `asked` makes the path that it is asked for.
    """
    server = _server(url, None, change, asked)
    with _serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


def _server(
    url: str,
    expected: str | None,
    change: Change,
    asked: Callable[[str], str] = lambda path: path,
) -> ThreadingHTTPServer:
    node = urlsplit(url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if expected is not None and self.headers.get("Authorization") != expected:
                self._answer(401, b"Unauthorized", "text/plain")
                return
            inside = http.client.HTTPConnection(node.hostname or "", node.port, timeout=60)
            inside.request(
                self.command, asked(self.path), body, {"Content-Type": "application/json"}
            )
            answer = inside.getresponse()
            read = change(self.path, answer.read())
            self._answer(answer.status, read, answer.headers["Content-Type"])
            inside.close()

        do_POST = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who turns away is tested
    return server


@contextmanager
def _serving(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""The application from outside: `gear-app serve` as a real process, and clients that say whatever
they like in their headers.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.ports import free_port
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Server(NamedTuple):
    """A running server: where it listens and what it writes."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Reply:
        """An answer; `headers` by their names with _ for -. The Host is a right one unless given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.putrequest(method, path, skip_host=True)
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            for name, value in {"Host": f"localhost:{self.port}", **given}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = b"" if answer.status == 101 else answer.read()
            return Reply(answer.status, answer.headers, body)
        finally:
            connection.close()

    def knock(self, **headers: str) -> int:
        """The status with which the WebSocket is opened, 101, or refused."""
        return self.get("/_stcore/stream", **UPGRADE, **headers).status

    def load_page(self) -> list[ForwardMsg]:
        """What a browser is sent that opens the front page, until its script has run."""
        with self.open_page() as found:
            return found

    @contextmanager
    def open_page(self) -> Iterator[list[ForwardMsg]]:
        """The same; while inside the page stays open."""
        host = f"localhost:{self.port}"
        with connect(
            f"ws://{host}/_stcore/stream", origin=f"http://{host}", max_size=None, proxy=None
        ) as browser:
            question = BackMsg()
            question.rerun_script.query_string = ""
            browser.send(question.SerializeToString())
            found: list[ForwardMsg] = []
            while not found or found[-1].WhichOneof("type") != "script_finished":
                found.append(ForwardMsg.FromString(browser.recv(timeout=PATIENCE_S)))
            yield found


@contextmanager
def serving(
    folder: Path,
    *options: str,
    program: tuple[str, ...] = (sys.executable, "-P", "-m", "gear_app"),
    environment: Mapping[str, str] | None = None,
    umask: int = -1,
) -> Iterator[Server]:
    """`gear-app serve` started in a folder, until it is healthy; ended at the end."""
    port = free_port()
    command = [*program, "serve", "--port", str(port), "--no-browser", *options]
    with running(command, port, folder, environment or {}, umask) as server:
        yield server


@contextmanager
def running(
    command: list[str], port: int, folder: Path, environment: Mapping[str, str], umask: int = -1
) -> Iterator[Server]:
    """A command that serves the application. The Python path has the project alone, unless the
    environment says more.
    """
    given = {"GEAR_EMBEDDER": "hashing", "PYTHONPATH": str(ROOT), **environment}
    log = folder.parent / f"{folder.name}.log"
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, cwd=folder, env=os.environ | given, stdout=out, stderr=out, umask=umask
        ) as process,
    ):
        server = Server(port, process, log)
        try:
            _wait(server)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_S)


def _wait(server: Server) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        assert server.process.poll() is None, server.log.read_text(errors="replace")
        try:
            assert server.get("/_stcore/health").body == b"ok"
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not become healthy")

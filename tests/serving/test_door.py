"""Who is let in, from outside: by the name a request calls the server, and by the page it is from."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.app.app import NOT_THIS_NAME, NOT_THIS_PAGE, security_headers
from tests.ports import free_port
from tests.serving.real import PATIENCE_S, ROOT, Server, running, serving

# In every process of the server: what is looked up, or connected to, beyond this machine.
TRIPWIRE = """
import os, sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        place = arguments[0] if event.startswith("socket.get") else arguments[1]
        host = place[0] if isinstance(place, tuple) else place
        if host not in (None, "", "localhost", "127.0.0.1", "::1") and "/" not in str(host):
            with open(os.environ["TRIPWIRE"], "a") as marker:
                marker.write(f"{event} {host}\\n")
sys.addaudithook(watch)
"""
PATHS = ("/", "/_stcore/health", "/_stcore/upload_file/session/file")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tripwire."""
    folder = tmp_path_factory.mktemp("door")
    (folder / "wire").mkdir()
    (folder / "wire" / "sitecustomize.py").write_text(TRIPWIRE)
    return folder


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    """The application as it is served when nothing else is said; no worker."""
    with serving(
        place, "--workspace", "w.db", environment=watched(place) | {"GEAR_WORKER": "off"}
    ) as running:
        yield running


def watched(place: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(place / "wire"), str(ROOT)])
    return {"TRIPWIRE": str(place / "left"), "PYTHONPATH": paths}


def left_this_machine(place: Path) -> str:
    return (place / "left").read_text() if (place / "left").exists() else ""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_foreign_name_gets_nothing(server: Server, path: str, method: str) -> None:
    evil = f"evil.example:{server.port}"
    reply = server.get(path, method=method, Host=evil)
    assert (reply.status, reply.body) == (421, NOT_THIS_NAME.encode())
    assert reply.headers["Set-Cookie"] is None
    assert server.knock(Host=evil, Origin=f"http://{evil}") == 403  # a name that was rebound


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost."])
def test_this_machines_own_names_are_let_in(server: Server, name: str) -> None:
    host = f"{name}:{server.port}"
    assert server.get("/", Host=host).status == 200
    assert server.get("/_stcore/health", Host=host).body == b"ok"
    assert server.knock(Host=host, Origin=f"http://{host}") == 101
    assert server.knock(Host=host) == 101  # a program that is no browser


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost",  # another server of this machine
        "http://localhost:1",
        "http://[broken",
    ],
)
def test_a_page_of_another_site_is_refused_and_nothing_leaves_this_machine(
    server: Server, place: Path, origin: str
) -> None:
    assert server.knock(Origin=origin) == 403
    reply = server.get("/_stcore/health", Origin=origin)
    assert (reply.status, reply.body) == (403, NOT_THIS_PAGE.encode())
    assert left_this_machine(place) == ""


def test_a_server_for_everyone_starts_without_asking_for_its_public_address(
    tmp_path: Path, place: Path
) -> None:
    environment = watched(place) | {"TRIPWIRE": str(tmp_path / "left"), "GEAR_WORKER": "off"}
    with serving(
        place,
        *("--workspace", "w.db", "--address", "0.0.0.0", "--allow-host", "gear.example.org"),
        *("--allow-host", "*.lab.example"),
        environment=environment,
    ) as everyone:
        port = everyone.port
        for host in ("10.1.2.3", "[fe80::1]", "gear.example.org", "pc1.lab.example", "localhost"):
            assert everyone.get("/", Host=f"{host}:{port}").status == 200, host
            assert everyone.knock(Host=host, Origin=f"https://{host}") == 101, host
        for host in ("evil.example", "lab.example", "gear.example.org.evil.example", "10.1.2.3.4"):
            assert everyone.get("/", Host=host).status == 421, host
        assert everyone.knock(Host="10.1.2.3", Origin="http://10.1.2.4") == 403
        everyone.load_page()
    assert not (tmp_path / "left").exists(), (tmp_path / "left").read_text()
    assert f"http://localhost:{port}" in everyone.log.read_text()


def test_streamlit_run_has_the_same_door(tmp_path: Path, place: Path) -> None:
    port = free_port()
    command = [sys.executable, "-P", "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    environment = {"GEAR_WORKSPACE": str(tmp_path / "w.db"), "GEAR_WORKER": "off"}
    shutil.copy(ROOT / "app.py", place)
    shutil.copytree(ROOT / ".streamlit", place / ".streamlit")
    with running(command, port, place, environment) as server:
        assert server.get("/").status == 200
        assert server.get("/", Host="evil.example").status == 421
        assert server.knock(Origin="http://evil.example") == 403


def test_ctrl_c_ends_it_without_complaint_also_while_a_page_is_open(tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--workspace", "w.db", environment={"GEAR_WORKER": "off"}) as ended,
        ended.open_page(),
    ):
        ended.process.send_signal(signal.SIGINT)
        assert ended.process.wait(timeout=PATIENCE_S) == 0
    assert "Abort" not in ended.log.read_text() and "Traceback" not in ended.log.read_text()


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/nowhere", "/static/index.html"])
def test_every_answer_says_that_it_is_for_this_site_alone(server: Server, path: str) -> None:
    reply = server.get(path)
    for name, value in security_headers(f"localhost:{server.port}").items():
        assert reply.headers.get_all(name) == [value]
    policy = reply.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in policy and "default-src 'self';" in policy
    assert (
        f"connect-src 'self' ws://localhost:{server.port} wss://localhost:{server.port}" in policy
    )
    assert "http:" not in policy and "*" not in policy

"""`gear-app serve --class` as a real process: who gets in, and by which addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.cli import serve
from gear_app.ui.gate import COOKIE, PUBLIC
from tests.ports import free_port
from tests.serving.real import Server, serving
from tests.serving.test_door import PATHS


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that is open for a class; no worker."""
    folder = tmp_path_factory.mktemp("class")
    options = ("--workspace", "w.db", "--class", "--address", "127.0.0.1")
    with serving(folder, *options, environment={"GEAR_WORKER": "off"}) as running:
        yield running


def operator(server: Server) -> dict[str, str]:
    """The header that the operator's browser sends after opening the link that was printed."""
    link = re.search(r"you, everything: +http://\S+?(/\?operator=\S+)", server.log.read_text())
    assert link
    reply = server.get(link[1])
    assert reply.status == 303 and reply.headers["Location"] == "/"
    return {"Cookie": reply.headers["Set-Cookie"].partition(";")[0]}


@pytest.mark.parametrize(
    "path", [*(path for path in PATHS if path not in ("/", *PUBLIC)), "//join", "/join/../settings"]
)
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_who_sits_at_the_machine_but_has_not_the_link_gets_nothing(
    server: Server, path: str, method: str
) -> None:
    for cookie in ("", f"{COOKIE}=guessed"):
        reply = server.get(path, method=method, Cookie=cookie)
        assert reply.status == 403
        assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_the_operators_link_leads_to_no_other_host(server: Server) -> None:
    token = operator(server)["Cookie"].partition("=")[2]
    reply = server.get(f"//evil.example/x?operator={token}")
    assert (reply.status, reply.headers["Location"]) == (303, "/evil.example/x")


def test_the_websocket_that_pages_are_run_by_is_the_operators(server: Server) -> None:
    assert server.knock() == 403
    assert server.knock(Origin=f"http://localhost:{server.port}") == 403
    mine = operator(server)
    assert server.knock(**mine) == 101
    assert server.knock(**mine, Origin="http://evil.example") == 403
    assert server.get("/settings", **mine).status == 200
    assert server.get("/_stcore/host-config", **mine).status == 200


def test_learners_come_to_the_page_where_one_joins(server: Server) -> None:
    reply = server.get("/")
    assert (reply.status, reply.headers["Location"]) == (303, "/join")
    assert b"join/join.js" in server.get("/join").body
    for path in PUBLIC:
        assert server.get(path).status in (200, 400, 405), path


def test_the_start_says_which_address_is_whose(server: Server) -> None:
    said = server.log.read_text()
    assert f"learners, only answer: http://127.0.0.1:{server.port}/join" in said
    assert len(re.findall(r"operator=", said)) == 1


class Way:
    """A socket of a machine that has a way to 10.0.0.0/8 alone, and 10.0.0.7 as address there."""

    def __init__(self, *kind: int) -> None:
        self.place = ""

    def __enter__(self) -> Way:
        return self

    def __exit__(self, *error: object) -> None: ...

    def connect(self, place: tuple[str, int]) -> None:
        if not place[0].startswith("10."):
            raise OSError("Network is unreachable")
        self.place = "10.0.0.7"

    def getsockname(self) -> tuple[str, int]:
        return self.place, 4711


def test_the_address_to_give_is_that_of_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.socket, "socket", Way)
    assert serve.own_address() == "10.0.0.7"
    monkeypatch.setattr(serve, "OUTSIDE", ("192.0.2.1",))
    assert serve.own_address() == "127.0.0.1"


def test_for_a_class_it_listens_to_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*options: str) -> str:
        told: list[list[str]] = []
        monkeypatch.setattr(serve, "own_address", lambda: "10.0.0.7")
        monkeypatch.setattr(serve.os, "execve", lambda *told_: told.append(told_[1]))
        serve_main(tmp_path, *options)
        return next(one for one in told[0] if one.startswith("--server.address="))

    assert started() == "--server.address=127.0.0.1"
    assert started("--class") == "--server.address=0.0.0.0"
    assert started("--class", "--address", "10.1.2.3") == "--server.address=10.1.2.3"


def serve_main(folder: Path, *options: str) -> None:
    from gear_app.cli import parser

    port = str(free_port())  # the usual one is that of an application that is open meanwhile
    typed = ["serve", "--workspace", str(folder / "w.db"), "--port", port, *options]
    parsed = parser().parse_args(typed)
    parsed.command(parsed)

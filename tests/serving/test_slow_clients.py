"""Connections on which no request arrives end; those on which one does, and those that wait for an
answer, stay.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.config import HTTP_PROTOCOLS

from gear_app.ui import slow_clients
from tests.waiting import PATIENCE_S, until

LIMIT_S = 0.4


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server with little patience, which takes a while for an answer."""
    monkeypatch.setattr(slow_clients, "ARRIVAL_S", LIMIT_S)
    monkeypatch.setitem(HTTP_PROTOCOLS, "auto", HTTP_PROTOCOLS["auto"])
    slow_clients.register()

    async def answer(request: Request) -> PlainTextResponse:
        size = len(await request.body())
        await asyncio.sleep(3 * LIMIT_S if request.url.path == "/slow" else 0)
        return PlainTextResponse(str(size))

    app = Starlette(routes=[Route("/{path}", answer, methods=["GET", "POST"])])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def lasts(port: int, first: bytes, drop: bytes) -> float:
    """For how many seconds a connection is held that sends a drop now and then."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.settimeout(LIMIT_S / 8)
        with suppress(ConnectionError):
            slow.sendall(first)
            while time.monotonic() - began < PATIENCE_S:
                try:
                    if not slow.recv(4096):
                        break
                except TimeoutError:
                    slow.sendall(drop)
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
        (b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\n", b"x"),
        (b"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET", b" "),
    ],
    ids=["nothing", "a head", "a body", "a second request"],
)
def test_a_connection_on_which_no_request_arrives_ends(
    port: int, first: bytes, drop: bytes
) -> None:
    assert lasts(port, first, drop) < 20 * LIMIT_S


def test_who_waits_for_an_answer_or_asks_again_and_again_keeps_the_connection(port: int) -> None:
    patient = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    patient.connect()
    patient.auto_open = 0  # one connection for all
    for path in ("/slow", *["/a"] * 8):
        patient.request("GET", path)
        assert patient.getresponse().read() == b"0"
        time.sleep(LIMIT_S / 4)
    patient.close()

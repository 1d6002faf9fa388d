"""What every test gets: a network tripwire, a small collection, and the real models once a
session.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gear_app.embedders.builtin import HashingEmbedder, MiniLM
from gear_app.embedders.cache import CachedEmbedder
from tests.small import SmallWorld, small_world

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")


def _local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = str(address[0])
    try:
        return host in ("localhost", "") or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def tripwire(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection that leaves this machine fails the test."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def checked(self: socket.socket, address: Any) -> None:
        assert _local(address), f"a test tried to reach {address}"
        connect(self, address)

    def checked_ex(self: socket.socket, address: Any) -> int:
        assert _local(address), f"a test tried to reach {address}"
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", checked)
    monkeypatch.setattr(socket.socket, "connect_ex", checked_ex)


@pytest.fixture
def small() -> SmallWorld:
    """Eight passages about three films, with triples, hashed vectors and an index."""
    return small_world(HashingEmbedder())


@pytest.fixture(scope="session")
def minilm() -> Iterator[CachedEmbedder]:
    """The bundled model."""
    yield CachedEmbedder(MiniLM())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real questions, where it is present."""
    folder = Path(os.environ.get("GEAR_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared question sets are not here")
    return folder

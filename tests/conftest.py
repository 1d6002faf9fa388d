"""What every test gets: a network tripwire, a small collection, and the real models once a
session.

Tests run side by side (`make test`, pytest-xdist): each in a folder of its own, each server on a
free port. A file is one process's, so that what its tests share is made once; of what many files
share (models, the browser) each process makes its own, at most once.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# One thread for each test process and what it starts: two that wait for each other by spinning take
# many times as long on cores that are busy with other tests. Read when torch and numpy are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")

import hypothesis
import pytest

from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.models.embedders.local import HashingEmbedder, MiniLM
from gear_app.store import database
from gear_app.workspace.workspace import Workspace
from tests.small import SmallWorld, small_world
from tests.workspaces import filled

first_id = database.first_id
database.first_id = lambda: 0  # ids of tests are small numbers
MOST_PROCESSES = 4  # each may hold a gigabyte of models, and the longest file is one process's

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile(
    "here", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("here")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """How many processes `-n auto` means: one more than cores that may be used, within limits. Half
    of the time of a test in a browser is waiting.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((cores or 1) + 1, MOST_PROCESSES)


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


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    """The small collection as a workspace."""
    return filled(tmp_path)

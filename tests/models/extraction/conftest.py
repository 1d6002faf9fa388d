"""A world in which triples are extracted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.workspace.jobs import extraction
from tests.models.conftest import Bench
from tests.models.extraction.slices import World


@pytest.fixture
def world(tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A workspace and its server; a slice takes little time."""
    monkeypatch.setattr(extraction, "GATHERED_S", 0.1)
    yield World(tmp_path, bench, monkeypatch)

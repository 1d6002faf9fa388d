"""An empty store."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "w.db")

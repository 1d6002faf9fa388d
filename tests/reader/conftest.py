"""The local reader."""

from __future__ import annotations

import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.reader.local import LocalReader


@pytest.fixture
def reader() -> LocalReader:
    return LocalReader(HashingEmbedder())

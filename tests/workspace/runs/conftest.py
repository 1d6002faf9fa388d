"""The demo collection as a workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gear_app.workspace.workspace import Workspace
from tests.variants import demo_workspace


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """With its curated triples and hashed vectors; one for all tests of a file."""
    workspace = demo_workspace(tmp_path_factory.mktemp("demo"))
    yield workspace
    workspace.close()

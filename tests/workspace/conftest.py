"""The small collection as a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.workspace import Workspace
from tests.workspaces import filled


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    return filled(tmp_path)

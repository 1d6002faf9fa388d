"""Kills at random moments, in short (tests.torture)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.torture import PUSH, WORK, torture


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
@pytest.mark.parametrize("kind", sorted(WORK.keys() - {PUSH}))
def test_work_that_is_killed_succeeds_when_it_is_repeated(kind: str, tmp_path: Path) -> None:
    torture(kind, 3, tmp_path)

"""What a command prints, for tests of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.small import QUESTION

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]


def queried(run: Run, *options: str) -> Any:
    """What `query --json` prints of the small collection's question."""
    return result(run("query", QUESTION, "--collection", "films", *options, "--json"))


def result(called: tuple[int, str, str], status: int = 0) -> Any:
    """What `--json` printed; standard error must be empty."""
    assert called[0] == status, called
    assert called[2] == ""
    return json.loads(called[1])

"""Which commit of the program this is, where it runs from a checkout."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

UNKNOWN = "unknown"


@cache
def commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],  # noqa: S607
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return done.stdout.strip()

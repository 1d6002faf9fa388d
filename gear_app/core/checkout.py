"""The commit of this program, where it runs from a checkout."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

UNKNOWN = "unknown"
_FILE = Path(__file__)


@cache
def commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout.

    A repository that merely contains the folder where the program is installed does not count: it
    has to track the program's own files.
    """
    try:
        _git("ls-files", "--error-unmatch", "pyproject.toml", "gear_app/core/checkout.py")
        return _git("describe", "--always", "--dirty=+")
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - no words of others
        ["git", *arguments],  # noqa: S607
        cwd=_FILE.parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()

"""How a Python program of this application is started: its command and its environment.

A program is run with `-P`, and its environment says the same to whatever it starts: Python files
that happen to lie in the folder somebody is in are never imported, whatever they are called.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import gear_app


class Launch(NamedTuple):
    """Arguments of `subprocess.Popen` and `os.execve`."""

    command: list[str]
    environment: dict[str, str]


def launch(module: str, *arguments: str, **variables: str) -> Launch:
    """Command and environment that run a module with these arguments and variables."""
    command = [sys.executable, "-P", "-m", module, *arguments]
    return Launch(command, _environment() | variables)


def _environment() -> dict[str, str]:
    """This process's environment, in which a checkout that is not installed is found as well.

    An empty entry of PYTHONPATH, as `PYTHONPATH=$PYTHONPATH:/there` easily has one, would mean the
    current folder.
    """
    root = Path(gear_app.__file__).parent.parent
    paths = [str(root)] if (root / "pyproject.toml").exists() else []
    paths += filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if paths:
        environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return environment | {"PYTHONSAFEPATH": "1"}

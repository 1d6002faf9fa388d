"""Where things lie: the workspace unless one is named, and the data that comes with the
application.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import gear_app
from gear_app.errors import NotReady


def default_path() -> Path:
    """`GEAR_WORKSPACE`, or `workspace.db` in the user's data folder."""
    named = os.environ.get("GEAR_WORKSPACE")
    return Path(named).expanduser() if named else _data_folder() / "gear-app" / "workspace.db"


def imports_folder(workspace: Path) -> Path:
    """Where what is being imported lies until it is stored: uploads, and what was read of them."""
    return workspace.with_name(workspace.name + ".imports")


def shipped(name: str) -> Path:
    """A folder of the data that comes with the application: beside the package in a checkout,
    inside it in a wheel.

    Raises NotReady where it is missing.
    """
    package = Path(gear_app.__file__).parent
    for folder in (package.parent / "data" / name, package / "data" / name):
        if folder.is_dir():
            return folder
    raise NotReady(f"The data {name!r} did not come with this installation. Reinstall gear_app.")


def _data_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")

"""Where things lie: workspace, uploads, the data that comes with the application, and the
commit that the program is at.

Files and folders that are made here are for their owner alone, whatever the umask. One that is
there already keeps the mode that it has.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from gear_app.core.errors import NotReady

OWNER_FILE, OWNER_FOLDER = 0o600, 0o700
# Data that comes with the application; `gear-app demo` makes a collection of each, by this name.
DEMO, GARDEN, WALKTHROUGH = "demo", "garden", "walkthrough"


def default_path() -> Path:
    """`GEAR_WORKSPACE`, or `workspace.db` in the user's data folder."""
    named = os.environ.get("GEAR_WORKSPACE")
    return Path(named).expanduser() if named else usual_path()


def usual_path() -> Path:
    """`workspace.db` in the user's data folder, whatever the environment names."""
    return _data_folder() / "gear-app" / "workspace.db"


def imports_folder(workspace: Path) -> Path:
    """The folder beside a workspace for uploads, and what was read of them, until it is stored."""
    return workspace.with_name(workspace.name + ".imports")


def packaged_data(name: str) -> Path:
    """A folder of the data that comes with the application. Raises NotReady where it is missing.

    It lies beside the package in a checkout, inside it in a wheel.
    """
    package = Path(__file__).parents[1]
    for folder in (package.parent / "data" / name, package / "data" / name):
        if folder.is_dir():
            return folder
    raise NotReady(f"The data {name!r} did not come with this installation. Reinstall gear_app.")


def private_file(path: Path) -> Path:
    """Make an empty file where there is none; its path. Raises OSError."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_FILE))
        path.chmod(OWNER_FILE)  # the umask may have taken even the owner's
    return path


def private_folder(path: Path) -> Path:
    """Make a folder, and those above it, where there is none; its path. Raises OSError."""
    if not path.is_dir():
        private_folder(path.parent)
        with suppress(FileExistsError):
            path.mkdir(OWNER_FOLDER)
            path.chmod(OWNER_FOLDER)
    return path


def _data_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


UNKNOWN = "unknown"
_FILE = Path(__file__)


@cache
def commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout.

    A repository that merely contains the folder where the program is installed does not count: it
    has to track the program's own files.
    """
    try:
        _git("ls-files", "--error-unmatch", "pyproject.toml", "gear_app/core/paths.py")
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

"""gear_app: explore multi-hop retrieval, step by step, with arithmetic one can check and change."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    # Python is looking for `python -m gear_app`, for which it puts the current folder before its
    # own modules. Nothing may be imported before that is undone, not even __future__.
    del sys.path[0]

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gear_app.workspace.workspace import Workspace

__version__ = "0.1.0"


def open(path: str | Path | None = None, *, create: bool = True) -> "Workspace":
    """Open a workspace; without a path `GEAR_WORKSPACE` or the one in the user's data folder.

    A file that is not there is made when it is first used, or with `create=False` is NotReady then.
    """
    from gear_app.workspace.workspace import Workspace

    return Workspace(path, create=create)

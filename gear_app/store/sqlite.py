"""sqlite-utils, loaded without pandas: it would load it, if it is installed, to know a type of its
that no table here has, and every command would wait for that.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _WithoutPandas:
    """Among the finders of modules: pandas is not to be found, by the thread that made this."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("pandas is left out here", name=name)


@contextmanager
def _without_pandas() -> Iterator[None]:
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with _without_pandas():
    from sqlite_utils import Database as SqliteUtils

__all__ = ["SqliteUtils"]

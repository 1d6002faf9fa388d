"""An index of which nothing is kept that is made now: what a stored run says, a stranger's perhaps,
is not taken for what its model would say today.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from gear_app.errors import NotReady
from gear_app.index.wrapper import IndexWrapper
from gear_app.rows import WholeCollection
from gear_app.seams import Index


class _Missing(Exception):
    """Nothing is kept under a name."""


class UnkeptIndex(IndexWrapper):
    """What is kept already serves; `own`: only where it cannot be made of what the run itself was
    replied.
    """

    def __init__(self, index: Index, *, own: bool = False) -> None:
        super().__init__(index)
        self._own = own

    def whole(self) -> WholeCollection:
        """What is made of it is made for the caller alone."""
        whole = self._index.whole()

        def keep(name: str, make: Callable[[], str]) -> str:
            if self._own:
                with suppress(NotReady):
                    return make()
            try:
                return whole.keep(name, _none)
            except _Missing:
                return make()

        return replace(whole, keep=keep)


def _none() -> str:
    raise _Missing

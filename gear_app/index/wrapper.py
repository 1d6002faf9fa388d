"""An index around another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gear_app.core.protocols import Index

if TYPE_CHECKING:
    from typing import Any as Base  # mypy does not see the calls that __getattr__ passes on
else:
    Base = object


class IndexWrapper(Base):  # type: ignore[misc]
    """Passes every call on to the index inside (protocols.Index); a subclass has the calls that it
    changes.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._index, name)

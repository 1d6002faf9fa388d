"""An index, or its graph of entities, around another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gear_app.core.protocols import EntityNetwork, Index

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


class EntitiesWrapper(Base):  # type: ignore[misc]
    """A graph of entities with other values of some properties (protocols.EntityNetwork)."""

    def __init__(self, network: EntityNetwork, **changes: object) -> None:
        self._network = network
        self.__dict__.update(changes)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._network, name)

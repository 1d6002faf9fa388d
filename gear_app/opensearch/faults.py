"""The errors of a server: what is inside them, and whether asking again helps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

Json = dict[str, Any]
PAUSES_S = (0.5, 1.0, 2.0, 4.0)  # before a node that had no room for a request is asked again
_DIED = frozenset(("node_disconnected_exception", "node_not_connected_exception"))
_NO_MEMORY = "circuit_breaking_exception"  # "Data too large"
_GONE = "index_not_found_exception"
_NO_ROOM = frozenset((_NO_MEMORY, "rejected_execution_exception"))


class Retries:
    """How often one request was sent again so far: once at once where a node died while it
    answered, as another may have the same data; a few times, later and later, where a node had no
    memory or no place in its queue.
    """

    def __init__(self) -> None:
        """It was sent once."""
        self._died, self._pauses = False, iter(PAUSES_S)

    def pause(self, errors: Collection[Any]) -> float | None:
        """Seconds to wait before what failed with these errors is sent again. None: it is not, as
        that would not help, or was tried often enough.
        """
        if not all(died(error) or no_room(error) for error in errors):
            return None
        if any(map(no_room, errors)):
            return next(self._pauses, None)
        first, self._died = not self._died, True
        return 0.0 if first else None


def causes(error: Any) -> list[Json]:  # noqa: ANN401
    """An error of the server and all those inside it."""
    if not isinstance(error, dict):
        return []
    inside = [error.get("caused_by"), *(error.get("root_cause") or ())]
    shards = error.get("failed_shards") or ()
    inside += [shard.get("reason") for shard in shards if isinstance(shard, dict)]
    return [error, *(cause for one in inside for cause in causes(one))]


def died(error: Any) -> bool:  # noqa: ANN401
    """Whether a node was lost while it answered."""
    return _is_any(error, _DIED)


def no_room(error: Any) -> bool:  # noqa: ANN401
    """Whether a node had no memory for a request, or no place in its queue."""
    return _is_any(error, _NO_ROOM)


def no_memory(error: Any) -> bool:  # noqa: ANN401
    """Whether it was memory."""
    return _is_any(error, (_NO_MEMORY,))


def gone(error: Any) -> str:  # noqa: ANN401
    """The index that was asked for and is not there; "" for other errors."""
    names = [
        str(cause.get("index") or cause.get("resource.id") or "an index")
        for cause in causes(error)
        if cause.get("type") == _GONE
    ]
    return names[0] if names else ""


def reason(error: Any) -> str:  # noqa: ANN401
    """The innermost reason, in the server's words."""
    reasons = [str(cause["reason"]) for cause in causes(error) if cause.get("reason")]
    return reasons[-1][:300] if reasons else str(error)[:300]


def of_answer(status: Any, info: Any) -> Any:  # noqa: ANN401
    """The error in an answer with this status; what stands before a cluster may say in other words
    than the server's that there is too much to do.
    """
    error = info.get("error") if isinstance(info, dict) else None
    if error is None and status == 429:
        return {"type": "rejected_execution_exception", "reason": str(info)}
    return error


def _is_any(error: Any, types: Collection[str]) -> bool:  # noqa: ANN401
    return any(cause.get("type") in types for cause in causes(error))

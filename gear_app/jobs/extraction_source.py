"""Where an extraction job gets its outcomes from: an extractor that works in this process, some
passages at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from gear_app.embedders.cache import ENCODED_AT_ONCE
from gear_app.errors import GearError, ModelFailed
from gear_app.jobs.extraction import Found, extract
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.store.extractions import Short
from gear_app.store.rows import JobInfo, Spent
from gear_app.types import Extraction, Passage

EXTRACTED_AT_ONCE = 16
LOOKED_AT_ONCE = 1000
Meanwhile = Callable[[int], bool]


class Outcome(NamedTuple):
    """What came of a passage, and how the reply about it fell short, if it did."""

    passage: Passage
    found: Extraction | GearError | ValueError
    short: Short | None = None


class Gathered(NamedTuple):
    """What came in since the last time, and what it took."""

    outcomes: list[Outcome]
    spent: Spent = Spent()


class Gathering(Protocol):
    """Extracts passages, slice by slice."""

    @property
    def fingerprint(self) -> str:
        """What makes the triples (seams.Extractor)."""
        ...

    @property
    def over(self) -> ModelFailed | None:
        """Why no more will come although passages are left; None as long as some will."""
        ...

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Let outcomes come in for a while; False when everything is done.

        `meanwhile` encodes up to so many texts that wait for it; it is False where none did.
        """
        ...

    def take(self) -> Gathered:
        """What came in until now, to be stored; it is handed out once."""
        ...

    def stop(self) -> None:
        """End what is under way; what came in until now is there to `take`."""
        ...


class Source(Protocol):
    """Passages to extract."""

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones, without those that somebody has in hand; fewer where there are no more."""
        ...


class Pending:
    """The passages a set has not been made for, in order of their ids, as they are asked for."""

    def __init__(self, store: Store, job: JobInfo) -> None:
        """Of the job's collection and set."""
        assert job.set_id is not None
        self._store, self._collection, self._set = store, job.collection_id, job.set_id
        self._found: list[Passage] = []

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones, without those that somebody has in hand; fewer where there are no more."""
        if not self._found:
            found = self._store.extractions.pending(self._collection, self._set, LOOKED_AT_ONCE)
            self._found = [passage for passage in found if passage.id not in in_hand]
        some, self._found = self._found[:count], self._found[count:]
        return some


class Batches:
    """Passages that an extractor works on itself, sixteen a slice; texts that wait to be encoded
    come first.
    """

    over: ModelFailed | None = None

    def __init__(self, pending: Source, extractor: Extractor) -> None:
        """Nothing is extracted yet."""
        self._pending, self._extractor = pending, extractor
        self._came: list[Outcome] = []
        self.fingerprint = extractor.fingerprint

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Encode what waits for it, or else extract the next passages."""
        if meanwhile(ENCODED_AT_ONCE):
            return True
        passages = self._pending.take(EXTRACTED_AT_ONCE)
        found = extract(self._extractor, passages) if passages else []
        self._came = [
            Outcome(passage, one, _noted(one)) for passage, one in zip(passages, found, strict=True)
        ]
        return bool(passages)

    def take(self) -> Gathered:
        """The outcomes of the last slice."""
        came, self._came = self._came, []
        return Gathered(came)

    def stop(self) -> None:
        """Nothing is under way between two slices."""


def _noted(found: Found) -> Short | None:
    """What an extractor says of a passage that it took nothing from."""
    return Short("", note=found.note) if isinstance(found, Extraction) and found.note else None

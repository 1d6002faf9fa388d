"""Outcomes of extraction: how passages get them, in batches, and how they are stored.

Where an extractor asks a language model they come from a stream instead (jobs.extraction_stream).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol

from gear_app.corpus.provenance import store_triples, with_sentences
from gear_app.embedders.cache import ENCODED_AT_ONCE
from gear_app.errors import Cancelled, GearError, ModelFailed
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.store.extractions import Shortfall
from gear_app.store.rows import JobInfo, Spent
from gear_app.types import Extraction, Passage

EXTRACTED_AT_ONCE = 16
LOOKED_AT_ONCE = 1000
Meanwhile = Callable[[int], bool]


class Outcome(NamedTuple):
    """What came of a passage, and how the reply about it fell short, if it did."""

    passage: Passage
    result: Extraction | GearError | ValueError
    short: Shortfall | None = None


class NewOutcomes(NamedTuple):
    """What came in since the last time, and what it took."""

    outcomes: list[Outcome]
    spent: Spent = Spent()


class AcceptedOutcomes(NamedTuple):
    """The outcomes that were stored; of their triples `refused` were left out, since somebody had
    taken them out of the set.
    """

    outcomes: list[Outcome]
    refused: int


class OutcomeSource(Protocol):
    """Extracts passages, slice by slice."""

    @property
    def fingerprint(self) -> str:
        """What makes the triples (seams.Extractor)."""
        ...

    @property
    def failure(self) -> ModelFailed | None:
        """Why no more will come although passages are left; None as long as some will."""
        ...

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Let outcomes come in for a while; False when everything is done.

        `meanwhile` encodes up to so many texts that wait for it; it is False where none did.
        """
        ...

    def take(self) -> NewOutcomes:
        """What came in until now, to be stored; it is handed out once."""
        ...

    def stop(self) -> None:
        """End what is under way; what came in until now is there to `take`."""
        ...


class PassageSource(Protocol):
    """Passages to extract."""

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones, without those that somebody has in hand; fewer where there are no more."""
        ...


class PendingPassages:
    """The passages a set has not been made for, in order of their ids, as they are asked for."""

    def __init__(self, store: Store, job: JobInfo) -> None:
        """Of the job's collection and set."""
        assert job.set_id is not None
        self._store, self._collection, self._set = store, job.collection_id, job.set_id
        self._left: list[Passage] = []

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones, without those that somebody has in hand; fewer where there are no more."""
        if not self._left:
            pending = self._store.extractions.pending(self._collection, self._set, LOOKED_AT_ONCE)
            self._left = [passage for passage in pending if passage.id not in in_hand]
        some, self._left = self._left[:count], self._left[count:]
        return some


class ExtractionBatches:
    """Passages that an extractor works on itself, sixteen a slice; texts that wait to be encoded
    come first.
    """

    failure: ModelFailed | None = None

    def __init__(self, passages: PassageSource, extractor: Extractor) -> None:
        """Nothing is extracted yet."""
        self._passages, self._extractor = passages, extractor
        self._outcomes: list[Outcome] = []
        self.fingerprint = extractor.fingerprint

    def gather(self, meanwhile: Meanwhile) -> bool:
        """Encode what waits for it, or else extract the next passages."""
        if meanwhile(ENCODED_AT_ONCE):
            return True
        passages = self._passages.take(EXTRACTED_AT_ONCE)
        self._outcomes = _extract(self._extractor, passages) if passages else []
        return bool(passages)

    def take(self) -> NewOutcomes:
        """The outcomes of the last slice."""
        outcomes, self._outcomes = self._outcomes, []
        return NewOutcomes(outcomes)

    def stop(self) -> None:
        """Nothing is under way between two slices."""


def _extract(extractor: Extractor, passages: Sequence[Passage]) -> list[Outcome]:
    """The outcome of each passage, in order: all in one call, or where that fails each alone, so
    that only those fail that cannot be extracted.

    Raises Cancelled.
    """
    try:
        made = zip(passages, extractor.extract(passages), strict=True)
        return [Outcome(passage, one, _noted(one)) for passage, one in made]
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) == 1:
            return [Outcome(passages[0], error)]
    return [outcome for passage in passages for outcome in _extract(extractor, [passage])]


def _noted(extraction: Extraction) -> Shortfall | None:
    """What an extractor says of a passage that it took nothing from."""
    return Shortfall("", note=extraction.note) if extraction.note else None


def with_places(outcomes: Sequence[Outcome]) -> tuple[list[tuple[Passage, Extraction]], bool]:
    """What was found in each passage that did not fail, and whether the sentences of triples are
    only the closest ones, which are taken where the extractor told of none.
    """
    made = [(one.passage, one.result) for one in outcomes if isinstance(one.result, Extraction)]
    guessed = not any(triple.span for _, extraction in made for triple in extraction.triples)
    if guessed:
        made = [(passage, with_sentences(passage, extraction)) for passage, extraction in made]
    return made, guessed


def store_outcomes(
    store: Store, collection_id: int, set_id: int, outcomes: Sequence[Outcome], fingerprint: str
) -> AcceptedOutcomes:
    """Store triples with a revision of their own, and failures with their replies, in one
    transaction.

    A passage that is gone, or that somebody else has extracted meanwhile, is left as it is.
    """
    with store.transaction():
        waiting = store.extractions.not_extracted(set_id, [one.passage.id for one in outcomes])
        stored = [outcome for outcome in outcomes if outcome.passage.id in waiting]
        made, guessed = with_places(stored)
        refused = store_triples(
            store,
            collection_id,
            set_id,
            [(passage.id, extraction) for passage, extraction in made],
            fingerprint,
            closest=guessed,
            short={one.passage.id: one.short for one in stored if one.short},
        )
        for passage, error, _ in stored:
            if isinstance(error, Exception):
                reply = error.reply if isinstance(error, ModelFailed) else ""
                store.extractions.mark_failed(set_id, passage.id, str(error), fingerprint, reply)
    return AcceptedOutcomes(stored, refused)

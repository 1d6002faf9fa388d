"""What came of passages that were extracted: got of a few named ones, and stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from gear_app.cancellation import check_stop
from gear_app.corpus.provenance import located
from gear_app.corpus.storage import keep_triples
from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.jobs.extraction_source import Batches, Gathering, Outcome
from gear_app.jobs.extraction_stream import Stream, Talking
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.types import Extraction, Passage

Keep = Callable[[Sequence[Outcome], str], None]


class These:
    """A few passages, to be extracted and no others (gathering.Source)."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """In this order."""
        self._left = list(passages)

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        """The next ones; fewer where there are no more."""
        some, self._left = self._left[:count], self._left[count:]
        return some


def gathered(
    extractor: Extractor, passages: Sequence[Passage], tell: Emit, keep: Keep
) -> ModelFailed | None:
    """Extract these passages; why some of them are left out, None where all had an outcome.

    `keep` gets all outcomes at once with the extractor's fingerprint, and those there are where
    somebody asked to stop. `tell` gets the events of a language model's replies. Raises Cancelled.
    """
    these, outcomes = These(passages), list[Outcome]()
    source: Gathering = (
        Stream(these, extractor, tell)
        if isinstance(extractor, Talking)
        else Batches(these, extractor)
    )
    try:
        while source.gather(lambda at_once: False) and not source.over:
            outcomes += source.take().outcomes
            check_stop()
    finally:
        source.stop()
        outcomes += source.take().outcomes
        keep(outcomes, source.fingerprint)
    return source.over


def keep_outcomes(
    store: Store, collection_id: int, set_id: int, outcomes: Sequence[Outcome], fingerprint: str
) -> list[Outcome]:
    """Store what came of passages: triples and their revision, failures with their replies. Those
    that were stored.

    A passage that is gone, or that somebody else has extracted meanwhile, is left as it is. In one
    transaction.
    """
    with store.transaction():
        unread = store.extractions.unread(set_id, [outcome.passage.id for outcome in outcomes])
        kept = [outcome for outcome in outcomes if outcome.passage.id in unread]
        found = [(one.passage, one.found) for one in kept if isinstance(one.found, Extraction)]
        guessed = not any(triple.span for _, made in found for triple in made.triples)
        keep_triples(
            store,
            collection_id,
            set_id,
            [(passage.id, located(passage, made) if guessed else made) for passage, made in found],
            fingerprint,
            closest=guessed,
            short={one.passage.id: one.short for one in kept if one.short},
        )
        for passage, error, _ in kept:
            if isinstance(error, Exception):
                reply = error.reply if isinstance(error, ModelFailed) else ""
                store.extractions.failed(set_id, passage.id, str(error), fingerprint, reply)
    return kept

"""The step that extracts passages and counts what is in them and what came of them.

What is kept of a passage is not looked for again; an error is kept as well, and the next build
tries that passage again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from gear_app.errors import NotReady
from gear_app.jobs.extraction_outcomes import Outcome, outcome_source, with_places
from gear_app.opensearch.extractions import KeptExtraction, KeptExtractions
from gear_app.pipeline.corpus_counts import BatchCounts, count_passages
from gear_app.pipeline.tools import Tools, cluster_at
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage

NOTHING = Extraction((), ())


class ExtractedPassages(NamedTuple):
    """For how many passages there was nothing yet, and the counts of all of them."""

    extracted: int
    counts: BatchCounts


class ExtractionStep:
    """Extracts passages and keeps what came of each (engine.Worker)."""

    def __init__(self, addresses: str, index: str, make: Callable[[], Extractor]) -> None:
        """`make` is called when the first passage has to be extracted."""
        self._kept = KeptExtractions(cluster_at(addresses), index)
        self._make = make
        self._extractor: Extractor | None = None

    def __call__(self, passages: Sequence[Passage]) -> ExtractedPassages:
        """Raises GearError where no more can be extracted, as when a model's server is gone."""
        there = dict(zip(passages, self._kept.get(passages), strict=True))
        waiting = [passage for passage, kept in there.items() if kept is None or kept.error]
        there.update(self._extract(waiting) if waiting else ())
        kept = [(passage, one) for passage, one in there.items() if one is not None]
        return ExtractedPassages(len(waiting), count_passages(kept))

    def _extract(self, waiting: Sequence[Passage]) -> list[tuple[Passage, KeptExtraction]]:
        """What came of each passage; kept as it comes."""
        if self._extractor is None:
            self._extractor = self._make()
        source = outcome_source(_Waiting(waiting), self._extractor)
        found: list[tuple[Passage, KeptExtraction]] = []
        going = True
        while going:
            going = source.gather(lambda at_once: False)
            some = kept_outcomes(source.take().outcomes)
            passages = [passage for passage, _ in some]
            found += zip(passages, self._kept.put(some), strict=True)
            if source.failure:
                raise source.failure
        return found


class _Waiting:
    """Passages to extract (extraction_outcomes.PassageSource)."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._left = list(passages)

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        some, self._left = self._left[:count], self._left[count:]
        return some


def kept_outcomes(outcomes: Sequence[Outcome]) -> list[tuple[Passage, KeptExtraction]]:
    """What is kept of outcomes: extractions with the sentences of their triples, and errors."""
    made, guessed = with_places(outcomes)
    kept = [(passage, KeptExtraction(extraction, guessed)) for passage, extraction in made]
    for passage, result, _ in outcomes:
        if isinstance(result, Exception):
            kept.append((passage, KeptExtraction(NOTHING, error=str(result) or repr(result))))
    return kept


def extracted(kept: KeptExtractions, passages: Sequence[Passage]) -> list[KeptExtraction]:
    """What came of each passage before. Raises NotReady where one was not extracted."""
    found = [one for one in kept.get(passages) if one is not None]
    if len(found) < len(passages):
        raise NotReady(
            f"{len(passages) - len(found)} extractions are no longer in {kept.index}. Run the same"
            " command again."
        )
    return found


def extraction_step(
    addresses: str, index: str, tools: Tools, fingerprint: str, device: str
) -> ExtractionStep:
    """The step, in the process that works; extractors compute on the processor alone."""
    return ExtractionStep(addresses, index, lambda: tools.make_extractor(fingerprint))

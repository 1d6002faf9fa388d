"""The background job that lets an extractor read one passage, to compare what it finds."""

from __future__ import annotations

import time
from collections.abc import Collection

from gear_app.corpus.provenance import with_sentences
from gear_app.errors import NotReady
from gear_app.jobs.extraction_stream import outcome_source
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.store.rows import JobInfo
from gear_app.text import count
from gear_app.types import Extraction, Passage


class _OnePassage:
    """A source of one passage (extraction_outcomes.PassageSource)."""

    def __init__(self, passage: Passage) -> None:
        self._left = [passage]

    def take(self, count: int, in_hand: Collection[int] = ()) -> list[Passage]:
        some, self._left = self._left[:count], self._left[count:]
        return some


class SampleJob:
    """What an extractor finds in one passage; no triple set is changed."""

    def __init__(self, store: Store, job: JobInfo, extractor: Extractor) -> None:
        """Work on this thread's store. Raises NotReady where the passage is gone."""
        self._store, self._job = store, job
        passage = store.passages.get(store.samples.passage_id(job.id))
        if passage is None:
            raise NotReady("The passage was deleted meanwhile.")
        self._source = outcome_source(_OnePassage(passage), extractor)
        self._found = 0

    def slice(self) -> bool:
        """Let the outcome come, and keep it. Raises why none came."""
        began = time.perf_counter()
        more = self._source.gather(lambda at_once: False)
        self._keep()
        self._store.jobs.progress(
            self._job.id,
            self._job.process,
            done=0 if more else 1,
            total=1,
            failed=0,
            worked_s=time.perf_counter() - began,
        )
        if self._source.failure:
            raise self._source.failure
        return more

    def stop(self) -> None:
        """End what is under way, and keep what came in."""
        self._source.stop()
        self._keep()

    def follow_up(self) -> None:
        """Nothing comes after it."""

    def summary(self) -> str:
        """What came of it, in a sentence."""
        return f"{count(self._found, 'triple')} found."

    def _keep(self) -> None:
        outcomes, spent = self._source.take()
        self._store.jobs.spend(self._job.id, spent)
        for passage, result, _ in outcomes:
            if not isinstance(result, Extraction):
                raise result
            told = any(triple.span for triple in result.triples)
            triples = (result if told else with_sentences(passage, result)).triples
            self._store.samples.put(self._job.id, triples)
            self._found = len(triples)

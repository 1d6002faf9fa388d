"""Extraction while a question is asked: only of the passages the run touches, kept for the next
time (lazy extraction).

What was extracted is stored as a job stores it, in one transaction, which is one revision; a run
that is stopped keeps it. A job or another run may be at the same set: whoever is first has
extracted a passage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

from gear_app.corpus.corpora import Corpora, Corpus, Report
from gear_app.corpus.lazy_index import Growth
from gear_app.errors import ModelFailed, NotReady
from gear_app.events import Emit, Event, Extracted, Failed, RankedPassage
from gear_app.jobs.extraction_outcomes import Outcome, PassageSource, outcome_source, store_outcomes
from gear_app.retrievers import lookup
from gear_app.runs.recorder import Recorder, deletion_error
from gear_app.seams import Extractor
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, RunInfo, SetRow
from gear_app.text import count
from gear_app.thread_context import check_stop
from gear_app.types import Extraction, Passage, Triple

ENOUGH = "Nothing more is extracted in this run."


class _StoredOutcomes(NamedTuple):
    """What was stored, which triples the passages have now, and the collection and the set as they
    are now.
    """

    outcomes: list[Outcome]
    triples: list[Triple]
    collection: CollectionRow
    set: SetRow


class LazyExtractor:
    """Extracts and stores triples for one run, on its thread (corpus.lazy_index.Grow)."""

    def __init__(
        self,
        store: Store,
        corpora: Corpora,
        run: RunInfo,
        corpus: Corpus,
        extractor: Callable[[], Extractor],
        recorder: Recorder,
        report: Report,
    ) -> None:
        """`corpus` is what the run begins with; `extractor` is made when it is first needed."""
        # It has a corpus with triples.
        assert run.collection_id is not None and run.set_id is not None
        self._store, self._corpora, self._run = store, corpora, run
        self._collection, self._set = run.collection_id, run.set_id
        self._corpus, self._make, self._recorder, self._report = corpus, extractor, recorder, report
        self._revision = run.revision
        self._alone = True  # nobody else has changed the collection since the run began
        self._gone = ""

    def __call__(self, passage_ids: Sequence[int]) -> Growth:
        """Extract passages that have no triples in the run's view, or take in what others extracted
        meanwhile.
        """
        unread = self._store.extractions.not_extracted(self._set, passage_ids)
        there = self._corpus.index.rows(passage_ids, ()).passages
        wanted = [there[id_] for id_ in passage_ids if id_ in unread]
        stored: list[_StoredOutcomes] = []
        gone = None
        if wanted and not self._gone:
            self._report(f"Extracting triples of {count(len(wanted), 'passage')}.")
            store = partial(self._store_outcomes, stored, passage_ids)
            gone = extract_passages(self._extractor, wanted, self._emit, store)
        elif self._store.triples.of_passages(self._set, passage_ids):
            self._store_outcomes(stored, passage_ids, [], "")
        if gone:
            self._gone = f"{ENOUGH} {gone}"
            self._emit(Failed("extract", self._gone))
        for one in stored:
            self._grow(passage_ids, one)
        self._store.runs.set_message(self._run.id, "")
        return Growth(self._corpus.index, self._gone if wanted else "")

    @cached_property
    def _extractor(self) -> Extractor:
        """Raises NotReady where it cannot be loaded: that ends the run, which a replay could not
        repeat otherwise.
        """
        try:
            extractor = self._make()
            assert extractor.fingerprint
        except ModelFailed as error:
            raise NotReady(str(error)) from error
        return extractor

    def _store_outcomes(
        self,
        into: list[_StoredOutcomes],
        passage_ids: Sequence[int],
        outcomes: Sequence[Outcome],
        fingerprint: str,
    ) -> None:
        """Store what came, and see what the passages have now, as nobody else can change anything
        in between.
        """
        with self._store.transaction():
            self._alone = self._alone and self._last_change() <= self._revision
            stored, _ = store_outcomes(
                self._store, self._collection, self._set, outcomes, fingerprint
            )
            triples = self._store.triples.of_passages(self._set, passage_ids)
            collection, set_ = self._rows()
            if self._alone:
                self._store.runs.move(self._run.id, collection.revision)
        into.append(_StoredOutcomes(stored, triples, collection, set_))

    def _grow(self, passage_ids: Sequence[int], stored: _StoredOutcomes) -> None:
        """Go on with an index that has the triples, and tell."""
        before, self._revision = self._revision, stored.collection.revision
        corpus = self._corpora.grown(self._corpus, self._collection, stored.triples, self._report)
        if self._alone:
            self._corpora.put(corpus, self._corpus, stored.collection, stored.set)
        self._corpus = corpus
        extracted = [
            one.passage.id for one in stored.outcomes if isinstance(one.result, Extraction)
        ]
        self._store.extractions.mark_searchable(self._set, extracted)
        for passage, error, _ in stored.outcomes:
            if isinstance(error, Exception) and not (
                isinstance(error, ModelFailed) and error.replied
            ):
                self._emit(Failed("extract", f"{passage.name}: {error}"))
        self._emit_extracted(passage_ids, stored, before)

    def _emit_extracted(
        self, passage_ids: Sequence[int], stored: _StoredOutcomes, before: int
    ) -> None:
        asked = {one.passage.id: isinstance(one.result, Extraction) for one in stored.outcomes}
        others = {triple.passage_id for triple in stored.triples if triple.passage_id not in asked}
        index = self._corpus.index
        read = [id_ for id_ in passage_ids if id_ in asked or id_ in others]
        if not read:
            return
        names = index.names(read)
        triples = [row.triple.id for row in index.triples_of(read)]
        words = lookup.shown_triples(index, triples)
        self._emit(
            Extracted(
                extractor=str(self._run.options["lazy"]),
                passages=tuple(
                    RankedPassage(id_, names[id_].key, names[id_].title, 0.0) for id_ in read
                ),
                triples=tuple(words[id_] for id_ in triples),
                failed=tuple(id_ for id_ in read if id_ in asked and not asked[id_]),
                before=before,
                revision=self._revision,
                meanwhile=tuple(id_ for id_ in read if id_ in others),
            )
        )

    def _emit(self, event: Event) -> None:
        """In the iteration of what happened last: a method retrieves passages before it asks for
        their triples.
        """
        last = self._recorder.events[-1].event.iteration if self._recorder.events else 1
        self._recorder(replace(event, iteration=last))

    def _last_change(self) -> int:
        """The last revision that changed the passages or the set."""
        collection, set_ = self._rows()
        return max(collection.passages_revision, set_.revision)

    def _rows(self) -> tuple[CollectionRow, SetRow]:
        collection = self._store.collections.by_id(self._collection)
        set_ = self._store.collections.set_by_id(self._collection, self._set)
        if collection is None:
            raise deletion_error(self._run)
        if set_ is None:
            raise NotReady("The triple set was deleted meanwhile.")
        return collection, set_


def extract_passages(
    extractor: Extractor,
    passages: Sequence[Passage],
    emit: Emit,
    store: Callable[[Sequence[Outcome], str], None],
) -> ModelFailed | None:
    """Extract these passages; why some of them are left out, None where all had an outcome.

    `store` gets all outcomes at once with the extractor's fingerprint; where somebody asked to
    stop, those there are. `emit` gets the events of a language model's replies. Raises Cancelled.
    """
    source, outcomes = outcome_source(PassageSource(passages), extractor, emit), list[Outcome]()
    try:
        while source.gather(lambda at_once: False) and not source.failure:
            outcomes += source.take().outcomes
            check_stop()
    finally:
        source.stop()
        outcomes += source.take().outcomes
        store(outcomes, source.fingerprint)
    return source.failure

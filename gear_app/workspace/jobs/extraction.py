"""The job that extracts: triples of passages slice by slice, and the vectors to search them. A kill
loses at most the passages in flight.

Passages are extracted in batches, or, by an extractor that asks a language model, on a pool of
threads: calls stay under way from slice to slice, and every reply is stored as it comes. A slice
takes in what has come, for half a second or until others want their turn.

The triples of a slice are stored in one transaction, which is one revision of the collection. A run
asked between two slices sees the triples of the slices before, and a replay at its revision sees
the same.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, NamedTuple, cast

from gear_app.core.errors import Cancelled, GearError, ModelFailed
from gear_app.core.protocols import Embedder, Extractor
from gear_app.core.text import count, shortened
from gear_app.core.threads import check_stop, turn_wanted, working
from gear_app.core.types import Extraction, Passage
from gear_app.language.english import NOT_ENGLISH
from gear_app.models.errors import BudgetReached, CallFailed, ServerFailed
from gear_app.models.server import REPLY_LIMIT
from gear_app.store import Store
from gear_app.store.extractions import Shortfall
from gear_app.store.rows import JobInfo, Progress, Spent, asked_at
from gear_app.store.spending import add_event
from gear_app.trace.events import Called, Event, Failed
from gear_app.workspace.corpus.provenance import refused_words, store_triples, with_sentences
from gear_app.workspace.corpus.vectors import encode_in_slices

if TYPE_CHECKING:
    from gear_app.models.extractor.llm import LlmExtractor

# Progress of a job after each slice; the last has its summary for a message. It can be closed.
Slices = Generator[Progress, None, None]
EXTRACTED_AT_ONCE = 16
LOOKED_AT_ONCE = 1000
GATHERED_S = 0.5
HEEDED_S = 0.1
MOST = 16  # outcomes of a slice: a question waits until they are stored and encoded
MOST_NAMED = 3  # documents that are not English
CUT = (
    "The reply ended at the limit of tokens. What came before is kept; a higher limit gives more"
    f" ({REPLY_LIMIT})."
)


class Outcome(NamedTuple):
    """The extraction of a passage, and how the reply about it fell short, if it did."""

    passage: Passage
    result: Extraction | GearError | ValueError
    short: Shortfall | None = None


Reply = tuple[Extraction | ModelFailed, list[Event]]


class ExtractionJob:
    """Entities and triples of every passage the set has not been made for, and the vectors to
    search them. A language model is asked about as many passages at once as its server allows,
    each on a thread of a pool; other extractors get them in batches.
    """

    def __init__(
        self, store: Store, job: JobInfo, extractor: Extractor, embedder: Embedder
    ) -> None:
        assert job.set_id is not None and job.collection_id is not None
        self._store, self._job, self._embedder = store, job, embedder
        self._collection, self._set = job.collection_id, job.set_id
        self._extractor = extractor
        self._llm = cast("LlmExtractor", extractor) if job.model else None
        self._at_once = self._llm.model.server.at_once if self._llm else EXTRACTED_AT_ONCE
        self._pool = ThreadPoolExecutor(self._at_once, "extraction")  # starts no thread yet
        self._calls: dict[Future[Reply], Passage] = {}
        self._closed, self._asked_at = False, asked_at(job.created)  # before any call
        self._pending: list[Passage] = []
        self._outcomes: list[Outcome] = []
        self._spent, self._refused = Spent(), 0
        self._failure: ModelFailed | None = None  # why no more outcomes will come
        self._reached: BudgetReached | None = None

    def slices(self) -> Slices:
        """Let outcomes come in, and store them with their vectors. Raises why no more will come."""
        try:
            while self._gather():
                self._encode()
                self._store_outcomes()
                yield self._progress()
                if self._failure:
                    raise self._failure
        finally:  # it has ended, or somebody stopped it
            self._close()
            self._store_outcomes()
        # The vectors of names and of partial triples.
        self._store.tasks.ensure("vectors", self._collection, self._set)
        yield self._progress()._replace(message=self._summary())

    def _gather(self) -> bool:
        if self._llm is None:
            passages = self._next(self._at_once)
            self._outcomes = _extract(self._extractor, passages) if passages else []
            return bool(passages)
        until = time.monotonic() + GATHERED_S
        self._top_up()
        while (
            self._calls
            and not self._failure
            and len(self._outcomes) < MOST
            and time.monotonic() < until
            and not turn_wanted()
        ):
            check_stop()
            self._llm.model.server.key.check()
            self._take(wait(self._calls, HEEDED_S, FIRST_COMPLETED).done)
            self._top_up()
        # Calls that were under way could end: they were paid for.
        if self._reached and not self._calls:
            self._failure = self._reached
        return bool(self._outcomes or self._calls or self._failure)

    def _next(self, number: int, in_hand: Collection[int] = ()) -> list[Passage]:
        if not self._pending:
            pending = self._store.extractions.pending(self._collection, self._set, LOOKED_AT_ONCE)
            self._pending = [passage for passage in pending if passage.id not in in_hand]
        passages, self._pending = self._pending[:number], self._pending[number:]
        return passages

    def _top_up(self) -> None:
        """Ask about as many passages as the server allows; none waits for a thread, so that no
        call begins after another process took the job over.
        """
        if self._failure or self._reached:
            return
        in_hand = {passage.id for passage in self._calls.values()}
        in_hand |= {outcome.passage.id for outcome in self._outcomes}
        for passage in self._next(self._at_once - len(self._calls), in_hand):
            self._calls[self._pool.submit(self._ask, passage)] = passage

    def _ask(self, passage: Passage) -> Reply:
        assert self._llm is not None
        events: list[Event] = []
        try:
            with working(check=self._check_open, asked_at=self._asked_at):
                (result,) = self._llm.with_emit(events.append).extract_all([passage])
        except ModelFailed as error:
            return error, events
        if isinstance(result, ModelFailed) and result.replied:
            events.append(Failed("extract", str(result), result.reply, replied=True))
        return result, events

    def _check_open(self) -> None:
        if self._closed:
            raise Cancelled("The extraction has ended.")

    def _take(self, done: Iterable[Future[Reply]]) -> None:
        for future in done:
            passage = self._calls.pop(future)
            result, events = future.result()
            for event in events:
                self._spent = add_event(self._spent, event)
            if isinstance(result, ServerFailed):
                self._failure = self._failure or result
            elif isinstance(result, BudgetReached):
                self._reached = result
            elif not (self._failure and isinstance(result, CallFailed)):
                self._outcomes.append(_outcome(passage, result, events))

    def _close(self) -> None:
        """Cancel what is under way; passages that were not replied to wait for the next job."""
        self._closed = True
        self._pool.shutdown(cancel_futures=True)
        ended = [call for call in self._calls if not (call.cancelled() or call.exception())]
        self._take(ended)

    def _store_outcomes(self) -> None:
        """Store what came in, in one transaction with what it took."""
        outcomes, spent = self._outcomes, self._spent
        self._outcomes, self._spent = [], Spent()
        with self._store.transaction():
            self._refused += store_outcomes(
                self._store, self._collection, self._set, outcomes, self._extractor.fingerprint
            )
            self._store.tasks.spend(self._job.number, spent)

    def _encode(self) -> None:
        """Store the vectors of what came in first: a kill leaves no triple without them."""
        texts = [outcome.passage.indexed for outcome in self._outcomes]
        results = [o.result for o in self._outcomes if isinstance(o.result, Extraction)]
        texts += [triple.text for extraction in results for triple in extraction.triples]
        missing = self._store.embeddings.missing(self._embedder.fingerprint, texts)
        for _ in encode_in_slices(self._store, self._embedder, missing):
            check_stop()

    def _progress(self) -> Progress:
        counts = self._store.extractions.counts(self._set)
        return Progress(
            counts.done,
            self._store.passages.counts(self._collection).passages,
            f"{counts.done:,} extracted",
            counts.failed,
        )

    def _summary(self) -> str:
        counts = self._store.extractions.counts(self._set)
        triples = self._store.triples.count(self._set)
        parts = [f"{count(triples, 'triple')} from {count(counts.done, 'passage')}"]
        parts += [f"{count(counts.empty, 'passage')} gave none"] if counts.empty else []
        if counts.short:
            parts.append(f"the replies about {count(counts.short, 'passage')} were used in part")
        if counts.failed:
            parts.append(f"{count(counts.failed, 'passage')} failed; extract again to retry")
        parts += [refused_words(self._refused)] if self._refused else []
        foreign = self._store.extractions.noted(self._set, NOT_ENGLISH)
        more = len(foreign) - MOST_NAMED
        parts += [f"{name} {NOT_ENGLISH}" for name in foreign[:MOST_NAMED]]
        parts += [f"nor do {count(more, 'other document')}"] if more > 0 else []
        return "; ".join(parts) + "."


def _outcome(
    passage: Passage, result: Extraction | ModelFailed, events: Sequence[Event]
) -> Outcome:
    calls = [event for event in events if isinstance(event, Called) and not event.failed]
    dropped = sum(event.dropped for event in events if isinstance(event, Failed))
    cut_off = any(call.cut for call in calls)
    if isinstance(result, ModelFailed) or (result.triples and not (dropped or cut_off)):
        return Outcome(passage, result)
    reply = shortened("\n\n".join(call.reply for call in calls))
    return Outcome(passage, result, Shortfall(reply, dropped, CUT if cut_off else ""))


def _extract(extractor: Extractor, passages: Sequence[Passage]) -> list[Outcome]:
    """The outcome of each passage, in order: all in one call, or where that fails each alone, so
    that only those fail that cannot be extracted.

    Raises Cancelled.
    """
    try:
        results = zip(passages, extractor.extract(passages), strict=True)
        return [
            Outcome(passage, result, Shortfall("", note=result.note) if result.note else None)
            for passage, result in results
        ]
    except Cancelled:
        raise
    except (GearError, ValueError) as error:
        if len(passages) == 1:
            return [Outcome(passages[0], error)]
    return [outcome for passage in passages for outcome in _extract(extractor, [passage])]


def store_outcomes(
    store: Store, collection_id: int, set_id: int, outcomes: Sequence[Outcome], fingerprint: str
) -> int:
    """Store triples with a revision of their own, and failures with their replies, in one
    transaction. Returns how many triples were left out because somebody had removed them.

    The sentences of triples are the closest ones where the extractor told of none. A passage that
    is gone, or that somebody else has extracted meanwhile, is left as it is.
    """
    with store.transaction():
        ids = [outcome.passage.id for outcome in outcomes]
        waiting = store.extractions.not_extracted(set_id, ids)
        present = [outcome for outcome in outcomes if outcome.passage.id in waiting]
        found = {o.passage: o.result for o in present if isinstance(o.result, Extraction)}
        guessed = not any(t.span for extraction in found.values() for t in extraction.triples)
        extractions = [
            (passage.id, with_sentences(passage, extraction) if guessed else extraction)
            for passage, extraction in found.items()
        ]
        short = {outcome.passage.id: outcome.short for outcome in present if outcome.short}
        for passage, error, _ in present:
            if isinstance(error, ModelFailed):
                why = error.reason, error.reply
                store.extractions.mark_failed(set_id, passage.id, fingerprint, *why)
            elif isinstance(error, Exception):
                store.extractions.mark_failed(set_id, passage.id, fingerprint, str(error))
        return store_triples(
            store, collection_id, set_id, extractions, fingerprint, closest=guessed, short=short
        )

"""Questions to answers, in this process: a run is made, stored with its events, and can be made again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gear_app
from gear_app import retrievers
from gear_app.config import overridden
from gear_app.errors import Cancelled, GearError, ModelFailed, NotReady, StoreFailed
from gear_app.events import Emit, Event, Failed, Ranked, RankedPassage, Started, ignore
from gear_app.seams import Reader, Retriever
from gear_app.store.rows import RunInfo
from gear_app.store.runs import Outcome
from gear_app.workspace.core import Core
from gear_app.workspace.models import check_stop, stoppable
from gear_app.workspace.recorder import Recorder
from gear_app.workspace.requests import Request, Settings, new_run


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished run: its ranking, best first, and its events in order.

    Tokens are those the run's replies took when they were made, whether now or, where they were kept, before.
    """

    run: str
    question: str
    method: str
    config: Mapping[str, Any]
    ranking: tuple[RankedPassage, ...]
    iterations: int
    input_tokens: int
    output_tokens: int
    ms: float
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A run made again on its own revision. `difference` is "" where ids, order and scores (to 1e-6) are the same."""

    run: str
    ranking: tuple[RankedPassage, ...]
    difference: str


class Asking(Core):
    """The part of a workspace that answers questions."""

    def ask(
        self,
        question: str,
        collection: str,
        method: str,
        *,
        triples: str | None = None,
        reader: str = "local",
        k: int = 15,
        settings: Settings | None = None,
        owner: str = "",
        emit: Emit = ignore,
    ) -> Answer:
        """Answer a question in this process; the run is stored with its events, also where it fails.

        Raises BadInput or NotReady before anything is stored, and GearError as the run did.
        """
        request = Request(question, collection, method, triples, reader, k, settings or {}, owner or self.process)
        with self.store.transaction():  # so that the worker cannot take it in between
            run = self.store.runs.create(new_run(self.store, request))
            self.store.runs.claim(run.id, self.process)
        with self.alive():
            self.execute(run.id, emit)
        return self.answer(run.id)

    def execute(self, run_id: str, emit: Emit = ignore) -> None:
        """Make a run that this process has claimed. Raises GearError as the run did."""
        run = self.store.runs.get(run_id)
        with self._finishing(run, emit) as recorder, stoppable(recorder.check):
            reader = self.models.reader(run.reader)
            retriever, index, corpus_hash = self._prepared(run, reader)
            self.store.runs.made_of(run.id, corpus_hash, self._versions(reader))
            recorder.restart()
            shown = tuple((name, str(value)) for name, value in run.config.items())
            recorder(Started(run.question, run.method, shown, run.reader, iteration=0))
            retrievers.answer(retriever, index, run.question, run.k, recorder)

    def answer(self, run_id: str) -> Answer:
        """A run as an answer, from what is stored."""
        run = self.store.runs.get(run_id)
        happened = tuple(stored.event for stored in self.store.events.of(run.number))
        return Answer(
            run=run.id,
            question=run.question,
            method=run.method,
            config=run.config,
            ranking=_ranking(happened),
            iterations=run.iterations,
            input_tokens=run.input_tokens,
            output_tokens=run.output_tokens,
            ms=run.ms or 0.0,
            events=happened,
        )

    def replay(self, run_id: str, emit: Emit = ignore) -> Replayed:
        """Make a run again with its configuration, on its revision and triple set, and compare the rankings.

        A language model is not asked: the run's events hold what it said. Nothing is stored. Raises NotReady where the
        run has no ranking, its collection or triple set was deleted, or it needs a reply that its events do not hold.
        """
        run = self.store.runs.get(run_id)
        stored = self.store.events.last(run.number, Ranked)
        if not isinstance(stored, Ranked):
            raise NotReady(f"Run {run.id} has no ranking to compare with: it is {run.state}.")
        then = [row.event for row in self.store.events.of(run.number)]
        retriever, index, _ = self._prepared(run, self.models.reader_again(run.reader, run.versions, then))
        happened: list[Event] = []

        def sink(event: Event) -> None:
            happened.append(event)
            emit(event)

        retrievers.answer(retriever, index, run.question, run.k, sink)
        again = _ranking(happened)
        difference = _difference(stored.ranking, again)
        model, now = run.versions.get("embedder"), self.models.embedder.fingerprint
        if difference and model != now:
            difference += f" The embedding model was {model} and is {now}."
        return Replayed(run.id, again, difference)

    def _prepared(self, run: RunInfo, reader: Reader) -> tuple[Retriever, Any, str]:
        """The run's retriever over its own revision, the index, and the hash of the texts in it."""
        collection = self.store.collections.by_id(run.collection_id)
        if collection is None:
            raise NotReady(f"The collection {run.collection!r} of run {run.id} was deleted; its events are kept.")
        sets = [row for row in self.store.collections.sets(collection.id) if row.id == run.set_id]
        if run.triple_set is not None and not sets:
            raise NotReady(f"The triple set {run.triple_set!r} of run {run.id} was deleted; its events are kept.")
        corpus = self.corpora.get(collection, sets[0] if sets else None, run.revision, lambda t: self._tell(run, t))
        config = overridden(retrievers.config_for(run.method), run.config)
        retriever = retrievers.build(run.method, corpus.index, reader, self.models.embedder, config)
        return retriever, corpus.index, corpus.hash

    def _tell(self, run: RunInfo, text: str) -> None:
        """What takes long before a run can begin: to the screen, and to whoever listens here.

        Raises Cancelled where somebody asked to stop.
        """
        check_stop()
        self.store.runs.say(run.id, text)
        self.say(text)

    def _versions(self, reader: Reader) -> dict[str, str]:
        found = {"gear_app": gear_app.__version__, "embedder": self.models.embedder.fingerprint, "reader": reader.name}
        return found | dict(getattr(reader, "versions", {}))

    @contextmanager
    def _finishing(self, run: RunInfo, emit: Emit) -> Iterator[Recorder]:
        """Store how the run ends, whatever happens inside."""
        recorder = Recorder(lambda: self.store, run, emit)
        self._in_hand.add(run.id)
        try:
            yield recorder
        except GearError as error:
            if not isinstance(error, StoreFailed | Cancelled):
                recorder(Failed("run", str(error), _reply(error), iteration=0))
            raise
        finally:
            self._in_hand.discard(run.id)
            self.store.runs.finish(run.id, _outcome(recorder, sys.exc_info()[1]))


def _outcome(recorder: Recorder, error: BaseException | None) -> Outcome:
    took = recorder.ms, recorder.iterations, recorder.input_tokens, recorder.output_tokens
    if error is None:
        return Outcome("done", "", *took)
    if isinstance(error, Cancelled):
        return Outcome("cancelled", str(error), *took)
    if isinstance(error, GearError):
        return Outcome("failed", str(error), *took)
    if isinstance(error, Exception):
        return Outcome("failed", f"An error in the application: {type(error).__name__}: {error}", *took)
    return Outcome("interrupted", "It was interrupted. Run it again.", *took)


def _reply(error: GearError) -> str:
    return error.reply if isinstance(error, ModelFailed) else ""


def _ranking(happened: Iterator[Event] | tuple[Event, ...] | list[Event]) -> tuple[RankedPassage, ...]:
    return next((event.ranking for event in reversed(list(happened)) if isinstance(event, Ranked)), ())


def _difference(before: tuple[RankedPassage, ...], after: tuple[RankedPassage, ...]) -> str:
    """The first place where two rankings differ, in words; "" where they do not."""
    if len(before) != len(after):
        return f"The ranking has {len(after)} passages; it had {len(before)}."
    for rank, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        if old.id != new.id:
            return f"Rank {rank} is {new.key} ({new.title}); it was {old.key} ({old.title})."
        if round(abs(old.score - new.score), 6) > 0:
            return f"The score at rank {rank} ({new.key}) is {new.score:.6f}; it was {old.score:.6f}."
    return ""

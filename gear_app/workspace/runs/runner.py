"""Questions to answers, in this process: a run is made and stored with its events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial, reduce
from typing import Any

import gear_app
from gear_app import methods as retrievers
from gear_app.core.config import ENCODER
from gear_app.core.errors import (
    Cancelled,
    Deleted,
    GearError,
    ModelFailed,
    NotReady,
    StoreFailed,
    application_error,
)
from gear_app.core.overrides import models_named, overridden
from gear_app.core.paths import commit
from gear_app.core.protocols import Index
from gear_app.core.threads import load_timer, waited_for_turns_ms, working
from gear_app.core.types import Ranking
from gear_app.index.cache import RowCache
from gear_app.methods import evidence
from gear_app.models.budget import Budget
from gear_app.models.embedders import COME_ALONG, ENDPOINT, embedder_choice
from gear_app.models.embedders.local import LocalModel
from gear_app.models.reader.edits import edited
from gear_app.models.reader.roles import Reader
from gear_app.store import Store
from gear_app.store.collections import check_complete
from gear_app.store.embeddings import EncodedRows
from gear_app.store.rows import RunInfo, Spent, State, asked_at
from gear_app.store.spending import add_event
from gear_app.trace.events import Emit, Event, Failed, RankedPassage, Started, ignore
from gear_app.trace.evidence import answer_of
from gear_app.trace.rankings import final
from gear_app.trace.timeline import failure_of, iterations
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.corpora import Corpora, Corpus
from gear_app.workspace.models import Models
from gear_app.workspace.runs import answers
from gear_app.workspace.runs.request import RunRequest, new_run, options_of
from gear_app.workspace.runs.service import Answer, RunService

# For the evidence, some seconds each: passages whose mentions are found, sentences encoded.
MOST_UNREAD, MOST_UNENCODED, MOST_SLOW = 5_000, 10_000, 2_000  # slow: larger models
BASELINE = 20  # passages of hybrid search that are kept to compare a run with


def _clock_ms() -> float:
    """Milliseconds of this thread, without those that it waited for its turns."""
    return time.perf_counter() * 1000 - waited_for_turns_ms()


class Recorder:
    """The sink of a run: every event is in the file as soon as it happened, and is passed on."""

    def __init__(self, store: Callable[[], Store], run: RunInfo, emit: Emit) -> None:
        self._store, self._run, self._emit = store, run, emit
        self._began = _clock_ms()
        self.loading_ms = 0.0
        self.events: list[Event] = []

    @property
    def ms(self) -> float:
        """Milliseconds since it began, without what models and vectors took that are kept."""
        return _clock_ms() - self._began

    def add_load_time(self, ms: float) -> None:
        """Count the time that loading a model took, or encoding texts, apart from the run's."""
        self._began += ms
        self.loading_ms += ms

    def check(self) -> None:
        """Raise Cancelled or Deleted where the run has to end (store.tasks)."""
        self._store().tasks.check(self._run)

    def __call__(self, event: Event) -> None:
        """Record one event, unless the run has to end here. What comes before the first is
        loading.
        """
        if isinstance(event, Started):
            self.add_load_time(self.ms)
        self.check()
        self.record(event)

    def record(self, event: Event) -> None:
        """Record one event, also in a run that has to end."""
        self.events.append(event)
        self._store().events.add(self._run.number, len(self.events), self.ms, event)
        self._emit(event)

    @property
    def totals(self) -> dict[str, Any]:
        """Columns of a run that has ended."""
        spent = reduce(add_event, self.events, Spent())
        times = {"ms": self.ms, "loading_ms": self.loading_ms}
        return {**times, "iterations": iterations(self.events), **asdict(spent)}


class Runner(Service):
    """Makes runs in this process and stores them with their events."""

    def __init__(self, connection: Connection, models: Models, corpora: Corpora) -> None:
        super().__init__(connection)
        self.models, self.corpora = models, corpora
        self._shared: dict[str, Budget] = {}
        self._read: dict[tuple[int, str], int] = {}  # the revision, by collection and model

    def ask(self, request: RunRequest, emit: Emit = ignore) -> Answer:
        """Answer a question here and now; the run is stored with its events, also where it fails.

        Raises BadInput or NotReady before anything is stored, and GearError as the run did.
        """
        with self.connection.alive():
            owner = request.owner or self.connection.process
            with self._store.transaction():  # so that no worker can take it in between
                run = self._store.runs.create(new_run(self._store, replace(request, owner=owner)))
                self._store.tasks.claim(run.number, self.connection.process)
            self.execute(run.id, emit)
        return RunService(self.connection).answer(run.id)

    def rank(self, request: RunRequest) -> tuple[RankedPassage, ...]:
        """Ranking of a run of which nothing is stored, by rules alone. Raises GearError."""
        run, events = new_run(self._store, request), list[Event]()
        models = self.models.with_encoder(run.config)
        corpus = self.corpus_of(run, models)
        self.make(run, models, corpus, models.reader("local"), events.append)
        return final(events)

    def execute(self, run_id: str, emit: Emit = ignore) -> None:
        """Make a run that this process has claimed. Raises GearError as the run did."""
        run = self._store.runs.get(run_id)
        budget = self._budget(run)
        with (
            self._outcome_stored(run, emit, budget) as recorder,
            working(
                check=recorder.check,
                on_load=recorder.add_load_time,
                show=partial(self._show, run),
                asked_at=asked_at(run.created),
            ),
        ):
            models = self.models.with_encoder(run.config, calls_server=run.draft_of is None)
            if run.draft_of is None:
                reader = models.reader(run.reader, run.model, run.key_from, budget)
            else:  # a draft has the replies of the run that it was made of
                stored = self._store.events.of(run.draft_of)
                reader = models.recorded_reader(run, [row.event for row in stored])
            corpus = self.corpus_of(run, models)
            versions = {
                "gear_app": gear_app.__version__,
                "commit": commit(),
                "method": retrievers.version_words(run.method),
                "reader": reader.name,
                **self.model_versions(run.config),
                **getattr(reader, "versions", {}),
            }
            try:
                self.make(run, models, corpus, reader, recorder)
            finally:
                versions |= corpus.record()
                self._store.tasks.show(run, corpus_hash=corpus.hash, versions=versions)

    def make(
        self, run: RunInfo, models: Models, corpus: Corpus, reader: Reader, emit: Emit
    ) -> None:
        """Emit all events of a run: what its method does, then the evidence and the answers."""
        events: list[Event] = []

        def sink(event: Event) -> None:
            emit(event)
            events.append(event)

        index = RowCache(corpus.index)
        retriever = retrievers.build(
            run.method,
            self._changed_index(run, index),
            edited(reader, run.options),
            models.embedder,
            overridden(retrievers.config_for(run.method), run.config),
        )
        sink(self._started(run, models))
        ranking = retrievers.answer(retriever, index, run.question, run.k, sink)
        find_evidence = partial(self._evidence, run, models, index, ranking, sink)
        find_evidence(answer_of(events))
        if run.options.get("answer"):
            gold = self._store.passages.named(run.collection_id or 0, run.revision, run.gold)
            answers.write(reader, index, run.question, tuple(events), gold, sink)
            find_evidence(answer_of(events))  # once more, for the sentence that has the answer

    def _started(self, run: RunInfo, models: Models) -> Started:
        """The first event. A run that does not begin with hybrid search has a baseline: what that
        alone ranks first. It is no part of the run: a corpus of its own counts its round trips.
        """
        baseline: tuple[str, ...] = ()
        if any(retrievers.METHODS[name].baseline for name in run.method.split(":")):
            index, reader = self.corpus_of(run, models).index, models.reader("local")
            config = retrievers.config_for("hybrid")
            hybrid = retrievers.build("hybrid", index, reader, models.embedder, config)
            ids = hybrid.retrieve(run.question, BASELINE, ignore).ids[:BASELINE]
            passages = index.rows(ids, ()).passages
            baseline = tuple(passages[id_].key for id_ in ids)
        settings = tuple((name, str(value)) for name, value in run.config.items())
        return Started(run.question, run.method, settings, run.reader, baseline, iteration=0)

    def _changed_index(self, run: RunInfo, index: Index) -> Index:
        """An index as a run's options change it: no links, without passages, led by a passage."""
        # scipy is for the worker, not for the web process.
        from gear_app.index.what_if import IndexWithLeader, IndexWithoutPassages, UnlinkedIndex

        options = options_of(run.options)
        named = partial(self._store.passages.named, run.collection_id or 0, run.revision)
        if options.unlinked:
            index = UnlinkedIndex(index)
        if absent := named(options.absent):
            index = IndexWithoutPassages(index, [passage.id for passage in absent])
        for leader in named([options.leader])[:1] if options.leader else ():
            index = IndexWithLeader(index, leader.id)
        return index

    def _evidence(
        self, run: RunInfo, models: Models, index: Index, ranking: Ranking, emit: Emit, answer: str
    ) -> None:
        """Emit the evidence among the first passages. There is none where the index gave out,
        which costs the run nothing, and where what passages name is still to be found of so many
        that it would keep the run waiting.
        """
        if not ranking.hits or not self._is_read(run.collection_id or 0, run.revision, models):
            return
        try:
            with load_timer():
                found = evidence.gather(index, models.embedder, run.question, ranking, answer)
        except (Cancelled, Deleted, StoreFailed):
            raise
        except GearError:
            return
        emit(found)

    def is_read(self, collection: str) -> bool:
        """Whether what the passages of a collection name is known, or nearly so."""
        row = self._store.collections.get(collection)
        return self._is_read(row.id, row.revision, self.models)

    def _is_read(self, collection_id: int, revision: int, models: Models) -> bool:
        fingerprint = models.embedder.fingerprint
        if self._read.get((collection_id, fingerprint)) != revision:
            rows = EncodedRows("sentences", collection_id, revision, fingerprint)
            total, encoded = self._store.embeddings.counts(rows)
            server = embedder_choice(models.encoder or "")[0] == ENDPOINT  # it may be paid
            most = MOST_UNENCODED if fingerprint in COME_ALONG else 0 if server else MOST_SLOW
            pending = self._store.mentions.counts(collection_id).pending
            if pending > MOST_UNREAD or total - encoded > most:
                return False
            self._read[collection_id, fingerprint] = revision
        return True

    def corpus_of(self, run: RunInfo, models: Models) -> Corpus:
        """The corpus of the run's own revision, with the vectors of these models."""
        collection = self._store.collections.find(run.collection_id)
        if collection is not None:
            check_complete(collection)
        set_ = self._store.collections.find_set(run.collection_id or 0, run.set_id)
        if collection is None or (run.triple_set is not None and set_ is None):
            name = (
                f"triple set {run.triple_set!r}" if collection else f"collection {run.collection!r}"
            )
            raise NotReady(f"The {name} of run {run.id} was deleted; its events are kept.")
        return self.corpora.with_models(models).get(collection, set_, run.revision)

    def _show(self, run: RunInfo, text: str) -> None:
        """Show what the run does or waits for, on the screen and to whoever listens here; "" for
        nothing.
        """
        with suppress(StoreFailed):  # it is busy; that of the next second may be written
            self._store.tasks.show(run, message=text)
        if text:
            self.connection.report(text)

    def _budget(self, run: RunInfo) -> Budget | None:
        """Budget of a run: its own, or together with the others of its evaluation."""
        cap = self._store.evaluations.cap(run.owner) if run.model else None
        if cap is None:
            return Budget(run.budget) if run.budget is not None else None
        # The same one as before, which has seen how its server counts.
        shared = self._shared.get(run.owner)
        if shared is None or shared.cap != cap[0]:
            shared = self._shared[run.owner] = Budget(*cap)
        shared.spent = max(shared.spent, cap[1])
        return shared

    def model_versions(self, config: Mapping[str, Any]) -> dict[str, str]:
        """The fingerprints of the models that runs of these settings compute with, by what they
        are: that of the vectors, of its words where it is another. None is loaded. Raises GearError
        where one is not to be had.
        """
        models, named = self.models.with_encoder(config), models_named(config)
        named.pop(ENCODER, None)
        versions = {name: LocalModel(model).fingerprint for name, model in named.items()}
        if words := getattr(models.embedder.inner, "late_fingerprint", ""):
            versions["words"] = words
        return {"embedder": models.embedder.fingerprint, **versions}

    @contextmanager
    def _outcome_stored(
        self, run: RunInfo, emit: Emit, budget: Budget | None
    ) -> Iterator[Recorder]:
        refused = budget.refused if budget else 0
        recorder = Recorder(lambda: self._store, run, emit)
        state: State = "interrupted"
        message = "It was interrupted. Run it again."
        try:
            yield recorder
            state, message = "done", failure_of(recorder.events)
        except GearError as error:
            state, message = "cancelled" if isinstance(error, Cancelled) else "failed", str(error)
            if not isinstance(error, StoreFailed | Cancelled):
                recorder.record(_failed_event(error))
            raise
        except Exception as error:
            state, message = "failed", application_error(error)
            raise
        finally:
            over = budget.reached if budget and budget.refused > refused else ""
            message = message or over  # of a method's call, or of an answer's
            self._store.tasks.finish(run, state, message, **recorder.totals)
            if over and self._store.evaluations.cap(run.owner):
                self._store.evaluations.reach(run.owner, run.number, over)


def _failed_event(error: GearError) -> Failed:
    if isinstance(error, ModelFailed):
        return Failed(error.step, str(error), error.reply, replied=error.replied, iteration=0)
    return Failed("", str(error), iteration=0)

"""Questions to answers, in this process: a run is made and stored with its events."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

import gear_app
from gear_app import methods as retrievers
from gear_app.core.checkout import commit
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
from gear_app.core.overrides import models_named, overridden, settings
from gear_app.core.protocols import Index
from gear_app.core.thread_context import (
    check_stop,
    load_timer,
    working,
)
from gear_app.core.types import Ranking
from gear_app.index.cache import RowCache
from gear_app.methods import evidence
from gear_app.methods.method import Retriever
from gear_app.models.budget import Budget
from gear_app.models.embedders import COME_ALONG, ENDPOINT, embedder_choice
from gear_app.models.embedders.local import LocalModel
from gear_app.models.reader.edits import edited
from gear_app.models.reader.roles import Reader
from gear_app.store.collections import check_complete
from gear_app.store.embeddings import EncodedRows
from gear_app.store.rows import RunInfo, Spent, State, asked_at
from gear_app.trace.events import (
    Emit,
    Event,
    EvidenceFound,
    Failed,
    Ranked,
    RankedPassage,
    Started,
    ignore,
)
from gear_app.trace.timeline import failure_of
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.corpora import Corpora, Corpus
from gear_app.workspace.models import Models
from gear_app.workspace.runs import answers
from gear_app.workspace.runs.recorder import Recorder
from gear_app.workspace.runs.request import Options, RunRequest, check_cost, new_run

# For the evidence, some seconds each: passages whose mentions are found, sentences encoded.
MOST_UNREAD, MOST_UNENCODED, MOST_SLOW = 5_000, 10_000, 2_000  # slow: larger models
# Among a run's versions: the models of its vectors, and of its words' where it is another.
EMBEDDER, WORDS = "embedder", "words"
MOST_ENCODERS = 2  # besides the workspace's own that are kept loaded
BASELINE = 20  # passages of hybrid search that are kept to compare a run with


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished run: its ranking, best first, and its events in order.

    Tokens are those the run's replies took when they were made, whether now or, where they were
    kept, before. `known` are the answers that were known then. `ms` is without `loading_ms`, which
    models, arrays and vectors took that were not there yet.
    """

    run: str
    question: str
    method: str
    config: Mapping[str, Any]
    ranking: tuple[RankedPassage, ...]
    iterations: int
    spent: Spent
    ms: float
    events: tuple[Event, ...]
    known: tuple[str, ...] = ()
    loading_ms: float = 0.0

    @property
    def failure(self) -> str:
        """Why a model failed it; "" where none did."""
        return failure_of(self.events)


class Runner(Service):
    """Makes runs in this process and stores them with their events."""

    def __init__(
        self, connection: Connection, models: Models, corpora: Corpora, encoder: str | None = ""
    ) -> None:
        """`encoder` are the words that name the embedder of `models`, "" for the workspace's own;
        None: it takes the place of whichever a run names.
        """
        super().__init__(connection)
        self.models, self.corpora = models, corpora
        self._encoder = encoder
        self._other = lru_cache(MOST_ENCODERS)(self._with_embedder)
        self._lending = threading.Lock()
        self._shared: dict[str, Budget] = {}
        self._read: dict[tuple[int | None, str], int] = {}  # the revision, by collection and model

    def for_settings(self, config: Mapping[str, Any], *, asks: bool = True) -> Runner:
        """The runner with the embedder that a run's settings name, this one where they name none.
        `asks` False, for what nobody pressed Run for: a server that they name, which may be paid,
        is not asked. Raises Unknown or NotReady.
        """
        words = str(config.get(ENCODER, ""))
        if self._encoder is None or words == self._encoder:
            return self
        with self._lending:
            return self._other(words, asks or embedder_choice(words)[0] != ENDPOINT)

    def _with_embedder(self, words: str, asks: bool) -> Runner:
        models = self.models.with_embedder(words, asks=asks)
        if models is self.models:
            return self
        return type(self)(self.connection, models, self.corpora.with_models(models), words)

    def with_stored_vectors(self, fingerprint: str) -> Self:
        """A runner over the stored vectors of an embedder, in place of any that a run names."""
        models = self.models.with_stored_vectors(fingerprint)
        return type(self)(self.connection, models, self.corpora.with_models(models), None)

    def create(self, request: RunRequest, *, claim: bool = False) -> RunInfo:
        """Store the run that is asked for, queued or, with `claim`, in this process's hands.

        Raises BadInput, Unknown or NotReady before anything is stored.
        """
        with self._store.transaction():  # so that no worker can take it in between
            run = self._store.runs.create(new_run(self._store, request))
            if claim:
                self._store.tasks.claim(run.number, self.connection.process)
        return run

    def ask(self, request: RunRequest, emit: Emit = ignore, budget: Budget | None = None) -> Answer:
        """Answer a question here and now; the run is stored with its events, also where it fails.

        Several runs can share a `budget`, which then takes the place of the request's. Raises
        BadInput or NotReady before anything is stored, and GearError as the run did.
        """
        with self.connection.alive():
            owned = replace(
                request,
                owner=request.owner or self.connection.process,
                budget=budget.left if budget else request.budget,
            )
            run = self.create(owned, claim=True)
            self.execute(run.id, emit, budget)
        return self.answer(run.id)

    def rank(self, request: RunRequest) -> tuple[RankedPassage, ...]:
        """Ranking of a run of which nothing is stored, by rules alone. Raises GearError."""
        new, happened = new_run(self._store, request), list[Event]()
        runner = self.for_settings(new.config)
        corpus = runner.corpus_of(new)
        config = overridden(retrievers.config_for(new.method), new.config)
        reader, index = runner.models.reader("local"), RowCache(corpus.index)
        method = retrievers.build(new.method, index, reader, runner.models.embedder, config)
        retrievers.answer(method, index, new.question, new.k, happened.append)
        return ranking_of(happened)

    def execute(self, run_id: str, emit: Emit = ignore, budget: Budget | None = None) -> None:
        """Make a run that this process has claimed; `budget` is one that it shares. Raises
        GearError as the run did.
        """
        run = self._store.runs.get(run_id)
        budget = budget or self._budget(run)
        with (
            self._outcome_stored(run, emit, budget) as recorder,
            working(
                check=recorder.check,
                on_load=recorder.add_load_time,
                show=partial(self._show, run),
                asked_at=asked_at(run.created),
            ),
        ):
            draft = run.draft_of is not None
            runner = self.for_settings(run.config, asks=not draft)
            reader = runner._reader(run, budget)
            corpus = runner.corpus_of(run)
            versions = runner._versions(run, reader)
            self._store.runs.set_versions(run.id, corpus.hash, versions)
            try:
                runner.make(run, corpus, reader, recorder)
            finally:
                if index_versions := corpus.record():
                    self._store.runs.set_versions(
                        run.id, corpus.hash, {**versions, **index_versions}
                    )

    def _reader(self, run: RunInfo, budget: Budget | None) -> Reader:
        """The reader of a run; a draft has the replies of the run that it was made of."""
        if run.draft_of is None:
            return self.models.reader(run.reader, run.model, run.key_from, budget)
        events = [stored.event for stored in self._store.events.of(run.draft_of)]
        return self.models.reader_without_asking(run, events)

    def make(self, run: RunInfo, corpus: Corpus, reader: Reader, emit: Emit) -> None:
        """Emit all events of a run: what its method does, then the evidence and the answers."""
        events: list[Event] = []

        def sink(event: Event) -> None:
            emit(event)
            events.append(event)

        index = RowCache(corpus.index)
        retriever = self._retriever(run, index, reader)
        # The baseline is no part of the run: a corpus of its own counts its round trips.
        sink(self._started(run, self.corpus_of(run)))
        ranking = retrievers.answer(retriever, index, run.question, run.k, sink)
        with load_timer():
            evidence = self._evidence(run, index, ranking)
        if evidence:
            sink(evidence)
        if run.options.get("answer"):
            assert run.collection_id is not None  # or it could not have run
            gold = self._store.passages.named(run.collection_id, run.revision, run.gold)
            answers.write(reader, index, run.question, tuple(events), gold, sink)

    def _evidence(self, run: RunInfo, index: Index, ranking: Ranking) -> EvidenceFound | None:
        """Evidence among the first passages. None where there is none, where the index gave
        out, which costs the run nothing, and where what passages name is still to be found of so
        many that it would keep the run waiting.
        """
        if not ranking.hits or not self._is_read(run.collection_id, run.revision):
            return None
        try:
            return evidence.gather(index, self.models.embedder, run.question, ranking)
        except (Cancelled, Deleted, StoreFailed):
            raise
        except GearError:
            return None

    def is_read(self, collection: str) -> bool:
        """Whether what the passages of a collection name is known, or nearly so."""
        row = self._store.collections.get(collection)
        return self._is_read(row.id, row.revision)

    def _is_read(self, collection_id: int | None, revision: int) -> bool:
        """Whether what a collection's passages name is known, or so nearly that it can be waited
        for.
        """
        embedder = self.models.embedder.fingerprint
        key = collection_id, embedder
        if collection_id is not None and self._read.get(key) != revision:
            left = self._store.mentions.counts(collection_id).unread
            rows = EncodedRows("sentences", collection_id, revision, embedder)
            every, encoded = self._store.embeddings.counts(rows)
            server = embedder_choice(self._encoder or "")[0] == ENDPOINT  # it may be paid
            most = MOST_UNENCODED if embedder in COME_ALONG else 0 if server else MOST_SLOW
            if left > MOST_UNREAD or every - encoded > most:
                return False
            self._read[key] = revision
        return True

    def answer(self, run_id: str) -> Answer:
        """A run as an answer, from what is stored."""
        run = self._store.runs.get(run_id)
        happened = tuple(stored.event for stored in self._store.events.of(run.number))
        return Answer(
            run=run.id,
            question=run.question,
            method=run.method,
            config=run.config,
            ranking=ranking_of(happened),
            iterations=run.iterations,
            spent=run.spent,
            ms=run.ms or 0.0,
            events=happened,
            known=run.answers,
            loading_ms=run.loading_ms or 0.0,
        )

    def _started(self, run: RunInfo, corpus: Corpus) -> Started:
        settings = tuple((name, str(value)) for name, value in run.config.items())
        hybrid = self._hybrid(run, corpus)
        return Started(run.question, run.method, settings, run.reader, hybrid, iteration=0)

    def corpus_of(self, run: RunInfo) -> Corpus:
        """The corpus of the run's own revision, with the vectors of this runner's embedder."""
        collection = self._store.collections.by_id(run.collection_id)
        if collection is None:
            raise NotReady(
                f"The collection {run.collection!r} of run {run.id} was deleted; its events are"
                " kept."
            )
        check_complete(collection)
        set_ = self._store.collections.find_set(collection.id, run.set_id)
        if run.triple_set is not None and set_ is None:
            raise NotReady(
                f"The triple set {run.triple_set!r} of run {run.id} was deleted; its events are"
                " kept."
            )
        return self.corpora.get(collection, set_, run.revision, lambda t: self._report(run, t))

    def _retriever(self, run: RunInfo, index: Index, reader: Reader) -> Retriever:
        config = overridden(retrievers.config_for(run.method), run.config)
        check_cost(settings(config), run.k)
        reader = edited(reader, run.options)
        index = self._changed_index(run, index)
        return retrievers.build(run.method, index, reader, self.models.embedder, config)

    def _changed_index(self, run: RunInfo, index: Index) -> Index:
        """An index as a run's options change it: no links, without passages, led by a passage."""
        # scipy is for the worker, not for the web process.
        from gear_app.index.what_if import IndexWithLeader, IndexWithoutPassages, UnlinkedIndex

        options = Options.of(run.options)
        named = partial(self._store.passages.named, run.collection_id or 0, run.revision)
        if options.unlinked:
            index = UnlinkedIndex(index)
        if absent := named(options.absent):
            index = IndexWithoutPassages(index, [passage.id for passage in absent])
        for leader in named([options.leader])[:1] if options.leader else ():
            index = IndexWithLeader(index, leader.id)
        return index

    def _hybrid(self, run: RunInfo, corpus: Corpus) -> tuple[str, ...]:
        """Baseline of a run that does not begin with hybrid search: what that alone ranks first. It
        is no part of the run, and of its time neither.
        """
        if not any(retrievers.METHODS[name].baseline for name in run.method.split(":")):
            return ()
        hybrid = retrievers.build(
            "hybrid",
            corpus.index,
            self.models.reader("local"),
            self.models.embedder,
            retrievers.config_for("hybrid"),
        )
        ids = hybrid.retrieve(run.question, BASELINE, ignore).ids[:BASELINE]
        passages = corpus.index.rows(ids, ()).passages
        return tuple(passages[id_].key for id_ in ids)

    def _report(self, run: RunInfo, text: str) -> None:
        """Report long work before a run can begin, to the screen and to whoever listens here.

        Raises Cancelled where somebody asked to stop.
        """
        check_stop()
        self._show(run, text)

    def _show(self, run: RunInfo, text: str) -> None:
        """Show what the run does or waits for; "" for nothing."""
        with suppress(StoreFailed):  # it is busy; that of the next second may be written
            self._store.tasks.show(run.number, text)
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
        shared.taken = max(shared.taken, cap[1])
        return shared

    def _versions(self, run: RunInfo, reader: Reader) -> dict[str, str]:
        versions = {
            "gear_app": gear_app.__version__,
            "commit": commit(),
            "method": retrievers.version_words(run.method),
            "reader": reader.name,
        }
        return versions | self.model_versions(run.config) | dict(getattr(reader, "versions", {}))

    def model_versions(self, config: Mapping[str, Any]) -> dict[str, str]:
        """The fingerprints of the models that runs of these settings compute with, by what they
        are. None is loaded. Raises GearError where one is not to be had.
        """
        models, named = self.for_settings(config).models, models_named(config)
        named.pop(ENCODER, None)
        words = getattr(models.uncached_embedder, "late_fingerprint", "")
        return (
            {EMBEDDER: models.embedder.fingerprint}
            | ({WORDS: words} if words else {})
            | {name: LocalModel(model).fingerprint for name, model in named.items()}
        )

    @contextmanager
    def _outcome_stored(
        self, run: RunInfo, emit: Emit, budget: Budget | None
    ) -> Iterator[Recorder]:
        refused = budget.refused if budget else 0
        recorder = Recorder(lambda: self._store, run, emit)
        try:
            yield recorder
        except GearError as error:
            if not isinstance(error, StoreFailed | Cancelled):
                recorder.record(_failed_event(error))
            raise
        finally:
            over = budget.reached if budget and budget.refused > refused else ""
            state, message = _end(recorder, over, sys.exc_info()[1])
            costs = {"ms": recorder.ms, "loading_ms": recorder.loading_ms}
            costs |= {"iterations": recorder.iterations, **asdict(recorder.spent)}
            self._store.tasks.finish(run, state, message, **costs)
            if over and self._store.evaluations.cap(run.owner):
                self._store.evaluations.reach(run.owner, run.number, over)


def _end(recorder: Recorder, over: str, error: BaseException | None) -> tuple[State, str]:
    """State and message of a run that ended. `over`: the budget's sentence where it refused the run
    a call, of the method or an answer.
    """
    if error is None:
        failure = failure_of([stored.event for stored in recorder.events])
        return "done", failure or over
    if isinstance(error, Cancelled):
        return "cancelled", str(error)
    if isinstance(error, GearError):
        return "failed", str(error)
    if isinstance(error, Exception):
        return "failed", application_error(error)
    return "interrupted", "It was interrupted. Run it again."


def _failed_event(error: GearError) -> Failed:
    if isinstance(error, ModelFailed):
        return Failed(error.step, str(error), error.reply, replied=error.replied, iteration=0)
    return Failed("", str(error), iteration=0)


def ranking_of(
    happened: Iterator[Event] | tuple[Event, ...] | list[Event],
) -> tuple[RankedPassage, ...]:
    """The last ranking that was emitted, empty where none was."""
    return next(
        (event.ranking for event in reversed(list(happened)) if isinstance(event, Ranked)), ()
    )

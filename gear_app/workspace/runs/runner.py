"""Questions to answers, in this process: a run is made and stored with its events."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial, reduce
from typing import Any

import gear_app
from gear_app import methods as retrievers
from gear_app.core.config import ENCODER
from gear_app.core.errors import (
    Cancelled,
    ClusterFailed,
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
from gear_app.core.types import Passage, Ranking, Source
from gear_app.methods import evidence, lookup
from gear_app.models.budget import Budget
from gear_app.models.embedders import COME_ALONG, ENDPOINT, embedder_choice
from gear_app.models.embedders.local import LocalModel
from gear_app.models.reader.edits import edited
from gear_app.models.reader.roles import ANSWER, Reader, ReaderRequest
from gear_app.store.collections import check_complete
from gear_app.store.models import EncodedRows, add_event
from gear_app.store.rows import RunInfo, Spent, State, asked_at
from gear_app.trace.events import (
    Answered,
    Emit,
    Event,
    Failed,
    Promoted,
    RankedPassage,
    Started,
    at_step,
    during,
    ignore,
)
from gear_app.trace.evidence import answer_of
from gear_app.trace.rankings import final
from gear_app.trace.timeline import failure_of, iterations
from gear_app.workspace.connection import Service
from gear_app.workspace.corpus.corpora import Corpora, Corpus
from gear_app.workspace.models import Models
from gear_app.workspace.runs.request import Options, RunRequest, codec, new_run
from gear_app.workspace.runs.service import Answer, RunService

TOP = 5  # passages that an answer is written from (GEAR Table 3)
MOST_GOLD = 20  # passages of the bound (ours): a gold document may have been cut into many
FROM: Mapping[Source, str] = {
    "retrieved": "from the retrieved passages",
    "gold": "from the gold passages",
    "nothing": "without passages",
}
# For the evidence, some seconds each: passages whose mentions are found, sentences encoded.
MOST_UNREAD, MOST_UNENCODED, MOST_SLOW = 5_000, 10_000, 2_000  # slow: larger models
BASELINE = 20  # passages of hybrid search that are kept to compare a run with


def _clock_ms() -> float:
    """Milliseconds of this thread, without those that it waited for its turns."""
    return time.perf_counter() * 1000 - waited_for_turns_ms()


@dataclass(eq=False)
class _Recorder(Service):
    """The sink of a run: every event is in the file as soon as it happened, and is passed on."""

    run: RunInfo
    emit: Emit
    began: float = field(default_factory=_clock_ms)
    loading_ms: float = 0.0
    events: list[Event] = field(default_factory=list)

    @property
    def ms(self) -> float:  # since it began, without what models and vectors took that are kept
        return _clock_ms() - self.began

    def add_load_time(self, ms: float) -> None:  # of a model, or of encoding texts
        self.began += ms
        self.loading_ms += ms

    def check(self) -> None:  # raises where the run has to end
        self._store.tasks.check(self.run)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Started):  # what came before it is loading
            self.add_load_time(self.ms)
        self.check()
        self.record(event)

    def record(self, event: Event) -> None:  # also in a run that has to end
        self.events.append(event)
        self._store.events.add(self.run.number, len(self.events), self.ms, event)
        self.emit(event)


@dataclass(eq=False)
class Runner(Service):
    """Makes runs in this process and stores them with their events."""

    models: Models
    corpora: Corpora
    _shared: dict[tuple[str, int], Budget] = field(default_factory=dict)
    _read: dict[tuple[int, str], int] = field(default_factory=dict)  # revision by passages, model

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
        run = new_run(self._store, request)
        models = self.models.with_encoder(run.config)
        return final(self.make(run, models, models.reader("local")))

    def execute(self, run_id: str | int, emit: Emit = ignore) -> None:
        """Make a run, by its id or number, that this process has claimed. Raises GearError as the
        run did.
        """
        run = self._store.runs.get(run_id)
        budget, recorder = self._budget(run), _Recorder(self.connection, run, emit)
        state: State = "interrupted"
        message, refused = "It was interrupted. Run it again.", budget.refused if budget else 0
        try:
            with working(
                check=recorder.check,
                on_load=recorder.add_load_time,
                show=partial(self._show, run),
                asked_at=asked_at(run.created),
            ):
                self._record(run, budget, recorder)
            state, message = "done", failure_of(recorder.events)
        except GearError as error:
            state, message = "cancelled" if isinstance(error, Cancelled) else "failed", str(error)
            if not isinstance(error, StoreFailed | Cancelled):
                by_model = error if isinstance(error, ModelFailed) else ModelFailed("")
                recorder.record(_failed(by_model.step, str(error), by_model))
            raise
        except Exception as error:
            state, message = "failed", application_error(error)
            raise
        finally:
            over = budget.reached if budget and budget.refused > refused else ""
            message = message or over  # of a method's call, or of an answer's
            self._store.tasks.finish(
                run,
                state,
                message,
                ms=recorder.ms,
                loading_ms=recorder.loading_ms,
                iterations=iterations(recorder.events),
                **asdict(reduce(add_event, recorder.events, Spent())),
            )
            if over and self._store.evaluations.cap(run.owner):
                self._store.evaluations.reach(run.owner, run.number, over)

    def _record(self, run: RunInfo, budget: Budget | None, recorder: _Recorder) -> None:
        models = self.models.with_encoder(run.config, calls_server=run.draft_of is None)
        reader = self.reader(run, models, budget)
        corpus = self.corpus_of(run, models)
        versions = {
            "gear_app": gear_app.__version__,
            "commit": commit(),
            "reader": reader.name,
            **self.versions(run.method, run.config),
            **getattr(reader, "versions", {}),
        }
        try:
            self.make(run, models, reader, recorder, corpus)
        finally:
            versions |= corpus.record()
            self._store.tasks.show(run, corpus_hash=corpus.hash, versions=versions)

    def reader(
        self, run: RunInfo, models: Models, budget: Budget | None = None, *, cached: bool = True
    ) -> Reader:
        """The reader of a run; a draft's gives the replies of the run that it was made of, and
        those that are `cached`.
        """
        if run.draft_of is None:
            return models.reader(run.reader, run.model, run.key_from, budget)
        events = [row.event for row in self._store.events.of(run.draft_of)]
        return models.recorded_reader(run, events, cached=cached)

    def make(
        self,
        run: RunInfo,
        models: Models,
        reader: Reader,
        emit: Emit = ignore,
        corpus: Corpus | None = None,
    ) -> list[Event]:
        """Emit all events of a run: what its method does, then the evidence and the answers."""
        events: list[Event] = []

        def sink(event: Event) -> None:
            emit(event)
            events.append(event)

        index = (corpus or self.corpus_of(run, models)).index
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
            write_answers(reader, index, run.question, tuple(events), gold, sink)
            find_evidence(answer_of(events))  # once more, for the sentence that has the answer
        return events

    def _started(self, run: RunInfo, models: Models) -> Started:
        """The first event. A run that does not begin with hybrid search has a baseline: what that
        alone ranks first. It is no part of the run: a corpus of its own counts its round trips.
        """
        keys: list[str] = []
        if any(retrievers.METHODS[name].baseline for name in run.method.split(":")):
            index, reader = self.corpus_of(run, models).index, models.reader("local")
            config = retrievers.config_for("hybrid")
            hybrid = retrievers.build("hybrid", index, reader, models.embedder, config)
            ids = hybrid.retrieve(run.question, BASELINE, ignore).ids[:BASELINE]
            passages = index.rows(ids, ()).passages
            keys = [passages[id_].key for id_ in ids]
        settings = tuple((name, str(value)) for name, value in run.config.items())
        return Started(run.question, run.method, settings, run.reader, tuple(keys), iteration=0)

    def _changed_index(self, run: RunInfo, index: Index) -> Index:
        """An index as a run's options change it: no links, without passages, led by a passage."""
        # scipy is for the worker, not for the web process.
        from gear_app.index.changed import IndexWithLeader, IndexWithoutPassages, UnlinkedIndex

        options = codec(Options).validate_python(run.options)
        named = partial(self._store.passages.named, run.collection_id or 0, run.revision)
        absent, leaders = named(options.absent), named([options.leader] if options.leader else [])
        index = UnlinkedIndex(index) if options.unlinked else index
        index = IndexWithoutPassages(index, [p.id for p in absent]) if absent else index
        return IndexWithLeader(index, leaders[0].id) if leaders else index

    def _evidence(
        self, run: RunInfo, models: Models, index: Index, ranking: Ranking, emit: Emit, answer: str
    ) -> None:
        """Emit the evidence among the first passages. There is none where the index gave out,
        which costs the run nothing, and where what passages name is still to be found of so many
        that it would keep the run waiting.
        """
        if not ranking.hits or not self.is_read(run, models):
            return
        with suppress(ClusterFailed, ModelFailed, NotReady):
            with load_timer():
                event = evidence.gather(index, models.embedder, run.question, ranking, answer)
            emit(event)

    def is_read(self, run: RunInfo, models: Models | None = None) -> bool:
        """Whether what the passages of a run name is known, or nearly so."""
        models, collection_id = models or self.models, run.collection_id or 0
        fingerprint, revision = models.embedder.fingerprint, run.revision
        if self._read.get((collection_id, fingerprint)) == revision:
            return True
        rows = EncodedRows("sentences", collection_id, revision, fingerprint)
        total, encoded = self._store.embeddings.counts(rows)
        server = embedder_choice(models.encoder or "")[0] == ENDPOINT  # it may be paid
        most = MOST_UNENCODED if fingerprint in COME_ALONG else 0 if server else MOST_SLOW
        _, unread = self._store.mentions.counts(collection_id)
        if read := unread <= MOST_UNREAD and total - encoded <= most:
            self._read[collection_id, fingerprint] = revision
        return read

    def corpus_of(self, run: RunInfo, models: Models) -> Corpus:
        """The corpus of the run's own revision, with the vectors of these models."""
        collection = self._store.collections.find(run.collection_id)
        if collection is not None:
            check_complete(collection)
        set_ = self._store.collections.find_set(run.collection_id or 0, run.set_id)
        if collection is None or (run.triple_set is not None and set_ is None):
            part = (
                f"triple set {run.triple_set!r}" if collection else f"collection {run.collection!r}"
            )
            raise NotReady(f"The {part} of run {run.id} was deleted; its events are kept.")
        return self.corpora.get(collection, set_, run.revision, models)

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
        shared = self._shared.setdefault((run.owner, cap[0]), Budget(*cap))
        shared.spent = max(shared.spent, cap[1])
        return shared

    def versions(self, method: str, config: Mapping[str, Any]) -> dict[str, str]:
        """Versions of what makes runs of this method and these settings: the method's, and the
        fingerprints of its models, of the vectors, and of its words where that is another. None is
        loaded. Raises GearError where one is not to be had.
        """
        models, named = self.models.with_encoder(config), models_named(config)
        named.pop(ENCODER, None)
        versions = {name: LocalModel(model).fingerprint for name, model in named.items()}
        versions |= {
            "embedder": models.embedder.fingerprint,
            "method": retrievers.version_words(method),
        }
        if words := getattr(models.embedder.inner, "late_fingerprint", ""):
            versions["words"] = words
        return versions


def write_answers(
    reader: Reader,
    index: Index,
    question: str,
    events: Sequence[Event],
    gold: Sequence[Passage],
    emit: Emit,
) -> None:
    """Have the reader answer a question once its ranking is there, which ends `events`; and as
    bounds from the gold passages, which is the most that retrieval could have given it, and from
    nothing, which is what it knows by itself (GEAR App. K.3, Table 3).

    Emits Answered, or Failed where a reply could not be used or none came: the ranking is not
    touched by that. Where retrieval found nothing, or no gold passage is known, the reader is not
    asked.
    """
    scores = {line.id: line.score for line in final(events)}
    # The passages that BDTR's cut keeps (Eq. 6), else the first five.
    cut = next((event for event in reversed(events) if isinstance(event, Promoted)), None)
    first = [line for line in cut.ranking if line.id in cut.kept] if cut else final(events)[:TOP]
    sources: dict[Source, Sequence[Passage | RankedPassage]] = {
        "retrieved": first,
        "gold": gold[:MOST_GOLD],
        "nothing": (),
    }
    step = at_step(during(emit, 0), "answer")
    for source, passages in sources.items():
        if source == "gold" and not gold:
            continue
        material, reply = lookup.material(index, [passage.id for passage in passages]), ""
        try:
            if passages or source == "nothing":
                reply = reader.ask(ReaderRequest(ANSWER, question, *material), step)
        except ModelFailed as error:
            emit(_failed("answer", f"No answer {FROM[source]}. {error}", error))
            continue
        lines = [RankedPassage(p.id, p.key, p.title, scores.get(p.id, 0.0)) for p in passages]
        emit(Answered(source, reply, tuple(lines), iteration=0))


def _failed(step: str, words: str, error: ModelFailed) -> Failed:
    return Failed(step, words, error.reply, replied=error.replied, iteration=0)

"""A finished run made again, without asking anybody: its events, its collection and the kept
vectors hold it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from gear_app import retrievers
from gear_app.connection import Service
from gear_app.errors import GearError, ModelFailed, NotReady
from gear_app.events import Emit, Event, Failed, Ranked, RankedPassage, Started, ignore
from gear_app.index.cache import RowCache
from gear_app.runs.runner import EMBEDDER, WORDS, Runner, ranking_of
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo

_MODELS = {
    EMBEDDER: "The embedding model",
    WORDS: "The model of words",
    "cross_encoder": "The cross-encoder",
    "weights": "The network",
}


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """A run made again on its own revision. `difference` is "" where ids, order and scores (to
    1e-6) are the same.

    Of a run that a model failed before there was a ranking, `failure` is why, and the same again.
    """

    run: str
    ranking: tuple[RankedPassage, ...]
    difference: str
    failure: str = ""


class Replay(Service):
    """Makes runs again."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.connection)
        self._runner = runner

    def replay(self, run_id: str, emit: Emit = ignore) -> ReplayResult:
        """Make a run again with its configuration, on its revision and triple set, and compare the
        rankings.

        No language model is asked: the run's events hold what it replied and where it failed. Where
        another embedding model is in use now, the vectors that the run's model left are used, if
        all are there. Nothing is stored. Raises NotReady where the run ended before it had a
        ranking or a failure to repeat, where its collection or triple set was deleted, or where it
        needs a reply that its events do not hold.
        """
        run = self._store.runs.get(run_id)
        if run.recorded:
            check_complete(self._store.collections.get(run.collection))
        try:
            here = Replay(self._runner.for_settings(run.config, asks=False))
        except GearError:  # it is not to be had here; its vectors may be
            if WORDS in run.versions:
                raise
            here = self
        return here._replay_with_stored_vectors(run, emit) or here._replay_here(run, emit)

    def _replay_with_stored_vectors(self, run: RunInfo, emit: Emit) -> ReplayResult | None:
        """The run made again with the vectors of a model that is not here; None where it is, or
        they are not all there.
        """
        fingerprint, happened = run.versions.get(EMBEDDER, ""), list[Event]()
        with suppress(ModelFailed, NotReady):
            if fingerprint in ("", self._runner.models.embedder.fingerprint):
                return None
        stored = Replay(self._runner.with_stored_vectors(fingerprint))
        try:
            found = stored._replay_here(run, happened.append)
        except NotReady:
            return None
        for event in happened:
            emit(event)
        return found

    def _replay_here(self, run: RunInfo, emit: Emit) -> ReplayResult:
        then = [row.event for row in self._store.events.of(run.number)]
        failed = _failure(then)
        if not failed and not any(isinstance(event, Ranked) for event in then):
            raise NotReady(f"Run {run.id} has no ranking to compare with: it is {run.state}.")
        reader = self._runner.models.reader_for_replay(run.reader, run.versions, then)
        happened: list[Event] = []

        def sink(event: Event) -> None:
            happened.append(event)
            emit(event)

        index = RowCache(self._runner.corpus_of(run).index)
        method = self._runner.retriever(run, index, reader)
        try:
            retrievers.answer(method, index, run.question, run.k, sink)
        except GearError as error:
            if not failed or str(error) != failed:
                raise
            emit(then[-1])
            return ReplayResult(run.id, (), "", failed)
        again = ranking_of(happened)
        difference = _difference(ranking_of(then), again)
        if failed:
            difference = f"It has a ranking of {len(again)} passages; it had failed: {failed}"
        for name, now in self._runner.model_versions(run.config).items() if difference else ():
            if (model := run.versions.get(name)) != now:
                difference += f" {_MODELS[name]} was {model} and is {now}."
        return ReplayResult(run.id, again, difference)


def _failure(happened: Sequence[Event]) -> str:
    """Why a run failed after it had begun, before it had a ranking; "" where it did not."""
    if any(isinstance(event, Ranked) for event in happened):
        return ""
    begun = any(isinstance(event, Started) for event in happened)
    last = happened[-1] if happened else None
    return last.message if begun and isinstance(last, Failed) and not last.iteration else ""


def _difference(before: tuple[RankedPassage, ...], after: tuple[RankedPassage, ...]) -> str:
    """The first place where two rankings differ, in words; "" where they do not."""
    if len(before) != len(after):
        return f"The ranking has {len(after)} passages; it had {len(before)}."
    for rank, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        if old.id != new.id:
            return f"Rank {rank} is {new.key} ({new.title}); it was {old.key} ({old.title})."
        if round(abs(old.score - new.score), 6) > 0:
            return (
                f"The score at rank {rank} ({new.key}) is {new.score:.6f}; it was {old.score:.6f}."
            )
    return ""

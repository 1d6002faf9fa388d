"""Evaluations of a workspace: stored definitions whose results are ordinary stored runs.

What is there already is not made again: beginning, going on after anything, and adding a method are
one thing, which puts into the queue what is missing. The worker does it, or `work` here.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from gear_app import demonstration, retrievers
from gear_app.config import ENCODER
from gear_app.errors import Deleted, ModelFailed, NotReady, Refused, Unknown
from gear_app.evaluate import run_files
from gear_app.evaluate.definition import Definition, encoder_of, pairs_of, variant
from gear_app.evaluate.evaluation import PERFECT, Evaluation
from gear_app.evaluate.rows import (
    ceiling_rows,
    failed_runs,
    file_rows,
    method_rows,
    searches_of,
)
from gear_app.evaluate.run_facts import VERSION, RunFacts, run_facts
from gear_app.evaluate.run_files import BroughtRun
from gear_app.llm.server import Spec
from gear_app.runs.costs import Estimate
from gear_app.runs.request import ALL_RIGHTS, NO_RIGHTS, Options, Rights, RunRequest
from gear_app.runs.runner import MOST_ENCODERS
from gear_app.store.evaluations import OWNER, EvaluationRow, MeasuredRun, RunPlace
from gear_app.store.processes import Lock
from gear_app.types import Question
from gear_app.workspace import Workspace

T = TypeVar("T")
SEARCHES = "hybrid"  # how it searches
ENDED = ("done", "failed")
TOGETHER = 100  # runs that are put into the queue in one transaction
WAIT_S, LOOK_S = 0.1, 0.5


class EvaluationProgress(NamedTuple):
    """How many runs an evaluation has in all, how many of them ended, and how many failed; how many
    wait or run.
    """

    total: int
    ended: int
    failed: int
    going: int

    @property
    def state(self) -> str:
        """`going`, `done`, or `stopped` with something missing."""
        if self.going:
            return "going"
        return "done" if self.ended >= self.total else "stopped"


class Wanted(NamedTuple):
    """A run that an evaluation needs."""

    place: RunPlace
    request: RunRequest


@dataclass(frozen=True, slots=True)
class EvaluationService:
    """The evaluations of one workspace; their runs are made with these rights."""

    workspace: Workspace
    rights: Rights = NO_RIGHTS

    def create(self, definition: Definition, owner: str = "", budget: int | None = None) -> str:
        """Keep an evaluation, or find the one with the same definition; its id. Nothing is asked
        yet, and a cap that is there stays unless another is given.

        Raises BadInput, Unknown or NotReady where any of its runs would not be taken.
        """
        store = self.workspace.store
        self._check(definition)
        collection = store.collections.get(definition.collection).id
        with store.transaction():
            same = store.evaluations.same(collection, definition.to_json())
            if same is None:
                return store.evaluations.create(collection, definition.to_json(), owner, budget)
            if budget is not None:
                store.evaluations.set_budget(same.id, budget)
        return same.id

    def _check(self, definition: Definition) -> None:
        """Raises BadInput, Unknown or NotReady where any of its runs would not be taken."""
        for one in self._questions(definition)[:1]:
            for words in definition.methods:
                self.workspace.runs.same(self._request(definition, words, one.question))

    def _request(self, definition: Definition, words: str, question: str) -> RunRequest:
        return replace(definition.request(words, question), rights=self.rights)

    def get(self, id_: str) -> EvaluationRow:
        """An evaluation as it is stored. Raises Unknown."""
        return self.workspace.store.evaluations.get(id_)

    def all(self) -> list[EvaluationRow]:
        """All evaluations, the newest first."""
        return self.workspace.store.evaluations.all()

    def definition(self, id_: str) -> Definition:
        """What an evaluation measures. Raises Unknown."""
        row = self.get(id_)
        return Definition.from_json(row.collection, row.definition)

    def set_methods(self, id_: str, methods: Sequence[str]) -> None:
        """Measure these methods, of which those that were measured keep their runs. Raises BadInput
        or Unknown.
        """
        changed = self.definition(id_).with_methods(methods)
        self.workspace.store.evaluations.define(id_, changed.to_json())

    def bring(self, id_: str, lines: Iterable[str], file: str) -> BroughtRun:
        """Measure a TREC run file beside the methods, in place of one with its tag. Raises Unknown,
        and BadInput where it is none, or is not of these questions and passages.
        """
        row = self.get(id_)
        return run_files.bring(
            self.workspace,
            row,
            self._questions(self.definition(id_)),
            lines,
            file,
            self.themselves(row.collection),
        )

    def drop_file(self, id_: str, tag: str) -> None:
        """Take a run file out of an evaluation. Raises Unknown."""
        run_files.drop(self.workspace, id_, tag)

    def estimate(self, definition: Definition) -> Estimate | None:
        """What a language model would be asked for; None where none is. Raises as `create` does."""
        if not definition.asks:
            return None
        self._check(definition)
        return self.workspace.costs.estimate_evaluation(
            definition.collection,
            [(one.method, one.changes) for one in map(variant, definition.methods)],
            len(definition.questions),
            Spec.from_json(definition.model, definition.key_from) if definition.model else None,
            triples=definition.triples,
            k=max(definition.ks),
            options=Options(answer=definition.answer),
        )

    def start(self, id_: str, budget: int | None = None, *, again: int = 0) -> int:
        """Take the runs that are there, put those that are missing into the queue, those that
        failed among them; how many are queued. `budget` is what all its runs may take, those made
        already included; None: as much as was said before. A missing run of the first `again`
        questions is made two times and the second counts, so that no method pays for the vectors of
        texts that another one made before.

        Raises NotReady where a language model is asked and nothing was ever said of how much.
        """
        definition, there = self.definition(id_), self._there(id_)
        cap = self.get(id_).budget if budget is None else budget
        if cap is None and definition.asks:
            raise NotReady(
                f"Evaluation {id_} asks a language model and has no cap. Say how many tokens it may"
                f" take: gear-app eval --resume {id_} --budget TOKENS, or Go on on the page"
                " Evaluate."
            )
        self.workspace.store.evaluations.set_budget(id_, cap)
        missing = [one for one in self._wanted(definition) if one.place not in there]
        first = {one.id for one in self._questions(definition)[:again]}
        return self._enqueue(id_, missing, first)

    def outdated(self, id_: str) -> int:
        """How many of its runs were made before passages, triples or a method's version changed:
        beginning it again makes them anew.
        """
        there, links = self._there(id_), self.workspace.store.evaluations.links(id_)
        return sum(
            link.state == "done" and not link.failure and place not in there
            for place, link in links.items()
        )

    def stamp(self, id_: str) -> str:
        """What changes with anything that `load` reads: the definition, runs, run files, gold."""
        store = self.workspace.store
        parts = (self.get(id_).definition, store.evaluations.stamp(id_), store.run_files.stamp(id_))
        return blake2b(repr(parts).encode(), digest_size=8).hexdigest()

    def taken(self, id_: str) -> int:
        """The tokens that its runs took so far."""
        return self.workspace.store.evaluations.taken(OWNER + id_)

    def doing(self, id_: str) -> list[str]:
        """What its runs that are under way do or wait for."""
        return self.workspace.runs.doing(OWNER + id_)

    def stop(self, id_: str) -> None:
        """Cancel what waits and what runs; what is measured stays. Raises Refused in a
        demonstration.
        """
        if self.workspace.connection.restricted:
            raise Refused(demonstration.WAY_OUT)
        self.workspace.store.evaluations.stop(id_)

    def progress(self, id_: str) -> EvaluationProgress:
        """How far it is. Where its budget was reached, what asks a model waits no longer."""
        self.workspace.connection.mark_interrupted()
        store, definition = self.workspace.store, self.definition(id_)
        if self.get(id_).reached:
            asking = [words for words in definition.methods if definition.asks_model(words)]
            store.evaluations.stop(id_, asking)
        links = store.evaluations.links(id_)
        wanted = self._wanted(definition)
        there = [links[one.place] for one in wanted if one.place in links]
        return EvaluationProgress(
            len(wanted),
            sum(link.state in ENDED for link in there),
            sum(bool(link.failure) for link in there),
            sum(link.going for link in there),
        )

    def failures(self, id_: str) -> Counter[str]:
        """Why runs failed, and how many for each reason."""
        links = self.workspace.store.evaluations.links(id_)
        wanted = self._wanted(self.definition(id_))
        there = [links[one.place] for one in wanted if one.place in links]
        return Counter(link.failure for link in there if link.failure)

    def work(self, id_: str, tell: Callable[[EvaluationProgress], None] = lambda _: None) -> None:
        """Do what waits until the evaluation has ended, in this process, or follow the worker where
        another process is that. `tell` hears how far it is.

        Raises Deleted where the collection goes meanwhile. Interrupted from the keyboard, it stops
        the evaluation.
        """
        connection, lock = self.workspace.connection, Lock(self.workspace.path)
        scheduler = self.workspace.scheduler()
        collection = self.get(id_).collection
        try:
            with connection.alive():
                self._work(id_, lock, scheduler.run, tell)
        except Unknown as error:
            raise Deleted(
                collection, "methods were measured on it", "The runs made so far are kept."
            ) from error
        except KeyboardInterrupt:
            self.stop(id_)
            raise
        finally:
            scheduler.close()
            lock.release()

    def _work(
        self,
        id_: str,
        lock: Lock,
        run: Callable[[], bool],
        tell: Callable[[EvaluationProgress], None],
    ) -> None:
        """`run` makes a run where this process has the lock, from the beginning or since the worker
        went.
        """
        looked, mine = 0.0, False
        while True:
            mine = mine or lock.acquire()
            ran = mine and run()
            if ran and time.monotonic() - looked < LOOK_S:
                continue
            looked = time.monotonic()
            progress = self.progress(id_)  # which marks what was interrupted
            tell(progress)
            if not self._queue_interrupted(id_) and not progress.going:
                return
            if not mine and (others := self.workspace.store.runs.under_way()):
                self.workspace.connection.report(f"Waiting for another process. {others}")
            if not ran:
                time.sleep(WAIT_S)

    def measure(
        self,
        definition: Definition,
        budget: int | None = None,
        *,
        again: int = 0,
        tell: Callable[[EvaluationProgress], None] = lambda _: None,
    ) -> Evaluation:
        """An evaluation in one call, done here: created, begun as `start` does, worked off and
        loaded. Once `budget` tokens (by default as before, else the estimate's cap) allow no other
        call, methods that make any are asked no more. Whoever calls this has all rights.

        Raises NotReady where no question has gold, Deleted where the collection goes meanwhile, and
        what a wrong name raises.
        """
        service = replace(self, rights=ALL_RIGHTS)
        id_, estimate = service.create(definition), service.estimate(definition)
        if budget is None and estimate is not None and self.get(id_).budget is None:
            budget = estimate.cap
        service.start(id_, budget, again=again)
        service.work(id_, tell)
        return self.load(id_)

    def load(self, id_: str) -> Evaluation:
        """What it found so far. Facts of runs are computed where they are not kept yet."""
        row = self.get(id_)
        definition = Definition.from_json(row.collection, row.definition)
        stored = self.workspace.store.evaluations.runs(id_, VERSION)
        runs = {run.place: run for run in stored if run.state in ENDED}
        themselves = self.themselves(row.collection)
        facts = self._facts(list(runs.values()), themselves, answer=definition.answer)
        questions = self._questions(definition)
        rows = [
            made
            for words in definition.methods
            for made in method_rows(words, questions, runs, facts, definition.ks)
        ]
        failed = [
            run
            for words in definition.methods
            for run in failed_runs(words, questions, runs, facts)
        ]
        ended = {(row.method, row.id) for row in rows} | {(run.method, run.id) for run in failed}
        brought = tuple(
            run_files.brought_run(file, questions, themselves)
            for file in self.workspace.store.run_files.of(id_)
        )
        rows += [made for one in brought for made in file_rows(one, questions, definition.ks)]
        left = {
            words: tuple(one.id for one in questions if (words, one.id) not in ended)
            for words in definition.methods
        }
        return Evaluation(
            collection=row.collection,
            methods=(*definition.methods, *(one.words for one in brought)),
            rows=tuple(rows),
            unmeasured={words: ids for words, ids in left.items() if ids},
            reached=row.reached,
            ks=definition.ks,
            answered=definition.answer,
            id=id_,
            questions=tuple(questions),
            ceiling=ceiling_rows(questions, runs, facts, definition.ks),
            brought=brought,
            before=definition.before,
            densities=self._densities(row.collection, definition.triples, questions),
            failed=tuple(failed),
        )

    def _questions(self, definition: Definition) -> list[Question]:
        """The questions of a definition that still are there and have gold, in its order."""
        found = {one.id: one for one in self.workspace.collections.questions(definition.collection)}
        there = [found[id_] for id_ in definition.questions if id_ in found]
        return [question for question in there if question.supporting_keys]

    def themselves(self, collection: str) -> set[str]:
        """The ids of the questions that are passages of the collection; of one in a cluster, where
        nobody asks that, all that may be.
        """
        if self.workspace.collections.get(collection).cluster:
            asked = self.workspace.collections.questions(collection)
            return {one.id for one in asked if one.id not in one.supporting_keys}
        return self.workspace.collections.passages_themselves(collection)

    def _densities(
        self, collection: str, triples: str | None, questions: Sequence[Question]
    ) -> dict[str, float]:
        """The mean number of triples of each question's gold passages in a triple set."""
        store = self.workspace.store
        set_ = store.collections.find_set(store.collections.get(collection).id, triples or "")
        if set_ is None:
            return {}
        keys = sorted({key for one in questions for key in one.supporting_keys})
        numbers = store.triples.numbers_of(set_.id, keys)
        return {
            one.id: fmean(counted)
            for one in questions
            if (counted := [numbers[key] for key in one.supporting_keys if key in numbers])
        }

    def _wanted(self, definition: Definition) -> list[Wanted]:
        """Every run, question by question, then the searches of the perfect reader: a machine that
        is busy for a while is so for all methods. Of more encoders than are kept loaded, as many at
        a time: none is loaded again for every question, and no more are in memory than else.
        """
        questions = self._questions(definition)
        like_of = {words: self._request(definition, words, "") for words in definition.methods}
        wanted = [
            Wanted(RunPlace(words, one.id), replace(like, question=one.question))
            for one in questions
            for words, like in like_of.items()
        ]
        encoder = {words: encoder_of(words).get(ENCODER, "") for words in like_of}
        named = dict.fromkeys(filter(None, encoder.values()))
        turn = {"": 0} | {name: place // MOST_ENCODERS for place, name in enumerate(named)}
        wanted.sort(key=lambda one: turn[encoder[one.place.method]])
        like = RunRequest("", definition.collection, SEARCHES, k=max(definition.ks))
        for one in questions:
            wanted += [
                Wanted(RunPlace(PERFECT, one.id, part), replace(like, question=text))
                for part, text in enumerate(searches_of(one))
            ]
        return wanted

    def _there(self, id_: str) -> set[RunPlace]:
        """The places whose run need not be made again: it waits, goes on, or is done, with every
        reply it asked for, by the program, on the passages and with the vectors of now.
        """
        links = self.workspace.store.evaluations.links(id_)
        by_encoder = sorted(links.items(), key=lambda one: str(encoder_of(one[0].method)))
        return {
            place
            for place, link in by_encoder
            if link.going
            or (
                link.state == "done"
                and not link.failure
                and not link.stale
                and self._current(link.method, link.versions, pairs_of(place.method))
            )
        }

    def _current(
        self, method: str, versions: Mapping[str, str], settings: Mapping[str, Any]
    ) -> bool:
        """Whether a run was made by the methods and with the models of now; one whose model is not
        to be had any more cannot be made again, and stays.
        """
        now = {"method": retrievers.version_words(method)}
        with suppress(ModelFailed, NotReady):
            now |= self.workspace.runner.model_versions(settings)
        return all(versions.get(part) == words for part, words in now.items())

    def _queue_interrupted(self, id_: str) -> int:
        """Runs whose process ended before they did wait again; how many these are."""
        links = self.workspace.store.evaluations.links(id_)
        gone = {place for place, link in links.items() if link.state == "interrupted"}
        if gone:
            wanted = self._wanted(self.definition(id_))
            self._enqueue(id_, [one for one in wanted if one.place in gone])
        return len(gone)

    def _enqueue(self, id_: str, wanted: Sequence[Wanted], again: Collection[str] = ()) -> int:
        """Link the runs that are there already, queue the others; how many. Those of the questions
        `again` are queued two times.
        """
        store, queued = self.workspace.store, 0
        for some in _groups(wanted):
            with store.transaction():
                links = []
                for place, request in some:
                    run = self._same(request)
                    for _ in range(1 + (place.question in again)) if run is None else ():
                        run = self.workspace.runs.enqueue(replace(request, owner=OWNER + id_))
                        queued += 1
                    assert run is not None
                    links.append((place, run))
                store.evaluations.link(id_, links)
        return queued

    def _same(self, request: RunRequest) -> str | None:
        """The id of a run that need not be made again."""
        run = self.workspace.runs.same(request)
        if run is None:
            return None
        current = run.state != "done" or self._current(run.method, run.versions, run.config)
        return run.id if current else None

    def _facts(
        self, runs: Sequence[MeasuredRun], themselves: Collection[str], *, answer: bool
    ) -> dict[RunPlace, RunFacts]:
        """The facts of runs: those kept, and those computed now, which are kept then."""
        store = self.workspace.store
        facts: dict[RunPlace, RunFacts] = {}
        others: list[tuple[MeasuredRun, str]] = []  # with the id of a question that is a passage
        for run in runs:
            itself = run.place.question if run.place.question in themselves else ""
            kept = RunFacts.from_json(run.facts) if run.facts is not None else None
            if kept is not None and kept.itself == itself:
                facts[run.place] = kept
            else:
                others.append((run, itself))
        for some in _groups(others):
            computed = []
            for run, itself in some:
                events = [stored.event for stored in store.events.of(run.number)]
                found = run_facts(events, run.gold, run.answers, answer=answer, itself=itself)
                facts[run.place] = found
                computed.append((run.number, found.to_json()))
            if not store.db.read_only:
                store.evaluations.keep_facts(VERSION, computed)
        return facts


def _groups(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for at in range(0, len(items), TOGETHER):
        yield items[at : at + TOGETHER]

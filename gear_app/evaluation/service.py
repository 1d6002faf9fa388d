"""Evaluations of a workspace: stored definitions whose results are ordinary stored runs.

To start, to resume and to add a method are the same: runs that are missing or outdated are queued.
The worker makes them, or `work` here.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import product
from typing import Any, NamedTuple

from gear_app import methods as retrievers
from gear_app.core import demonstration
from gear_app.core.errors import ModelFailed, NotReady, Refused
from gear_app.core.types import Question
from gear_app.evaluation import run_files
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.frames import VERSION, frames, oracle_searches, rows_of, run_facts
from gear_app.evaluation.run_files import FileRun
from gear_app.evaluation.variants import variant
from gear_app.store.evaluations import (
    ORACLE,
    OWNER,
    MeasuredRun,
    RunPlace,
)
from gear_app.store.processes import Lock
from gear_app.workspace.runs.costs import Estimate
from gear_app.workspace.runs.request import NO_RIGHTS, Rights, RunRequest
from gear_app.workspace.workspace import Workspace

ORACLE_BASE = "hybrid"  # the retriever of the oracle decomposition
ENDED = ("done", "failed")
WAIT_S, LOOK_S = 0.1, 0.5


class EvaluationProgress(NamedTuple):
    """Counts of an evaluation's runs."""

    total: int
    ended: int
    failures: Counter[str]  # by reason
    going: int  # waiting or running
    interrupted: int = 0  # their process ended before they did

    @property
    def state(self) -> str:
        """`going`, `done`, or `stopped` before all runs had ended."""
        if self.going:
            return "going"
        return "done" if self.ended >= self.total else "stopped"


@dataclass(frozen=True, slots=True)
class EvaluationService:
    """The evaluations of one workspace; their runs are made with these rights."""

    workspace: Workspace
    rights: Rights = NO_RIGHTS

    def create(self, definition: Definition, owner: str = "") -> str:
        """Store an evaluation, or find the one with the same definition; its id. Raises BadInput,
        Unknown or NotReady if any run would be refused.
        """
        store = self.workspace.store
        self._check(definition)
        collection = store.collections.get(definition.collection).id
        with store.transaction():
            return store.evaluations.create(collection, definition.to_json(), owner)

    def _check(self, definition: Definition) -> None:
        for question in self._questions(definition)[:1]:
            for words in definition.methods:
                self.workspace.runs.same(self._request(definition, words, question.question))

    def _request(self, definition: Definition, words: str, question: str) -> RunRequest:
        return replace(definition.request(words, question), rights=self.rights)

    def definition(self, id_: str) -> Definition:
        """The definition of an evaluation. Raises Unknown."""
        row = self.workspace.store.evaluations.get(id_)
        return Definition.from_json(row.collection, row.definition)

    def set_methods(self, id_: str, methods: Sequence[str]) -> None:
        """Measure these methods; measured ones keep their runs. Raises BadInput or Unknown."""
        changed = self.definition(id_).with_methods(methods)
        self.workspace.store.evaluations.change(id_, definition=changed.to_json())

    def add_file(self, id_: str, content: bytes, file: str) -> FileRun:
        """Measure a TREC run file as a method, in place of one with its tag. Raises Unknown, and
        BadInput if it is no run file, or not of these questions and passages.
        """
        row = self.workspace.store.evaluations.get(id_)
        questions = self._questions(self.definition(id_))
        stored = run_files.read(questions, content, file)
        self.workspace.store.evaluations.keep_file(id_, stored)
        return run_files.ranked(stored, questions, self.questions_in_corpus(row.collection))

    def estimate(self, definition: Definition) -> Estimate | None:
        """Calls and tokens of a language model; None if none is called. Raises as `create` does."""
        questions = self._questions(definition)
        if not (questions and definition.needs_model):
            return None
        text = questions[0].question
        requests = [self._request(definition, words, text) for words in definition.methods]
        return self.workspace.costs.estimate_runs(requests, questions)

    def start(self, id_: str, budget: int | None = None) -> int:
        """Queue the runs that are missing, outdated or failed; how many. `budget` is the cap in
        tokens for all runs of the evaluation, past ones included; None: as before.

        Raises NotReady if a language model is called and no cap was ever given.
        """
        definition, current = self.definition(id_), self._current(id_)
        cap = self.workspace.store.evaluations.get(id_).budget if budget is None else budget
        if cap is None and definition.needs_model:
            raise NotReady(
                f"Evaluation {id_} asks a language model and has no cap. Say how many tokens it may"
                f" take: gear-app eval --resume {id_} --budget TOKENS, or Go on on the page"
                " Evaluate."
            )
        self.workspace.store.evaluations.change(id_, budget=cap, reached="")
        requests, queued = self._requests(definition), 0
        for place in [place for place in requests if place not in current]:
            with self.workspace.store.transaction():
                run = self._same(requests[place])
                if run is None:
                    request = replace(requests[place], owner=OWNER + id_)
                    run = self.workspace.runs.enqueue(request)
                    queued += 1
                self.workspace.store.evaluations.link(id_, [(place, run)])
        return queued

    def outdated(self, id_: str) -> int:
        """How many runs were made before passages, triples, gold or a method's version changed:
        starting again makes them anew.
        """
        current, links = self._current(id_), self.workspace.store.evaluations.runs(id_)
        done = {place for place, link in links.items() if link.state == "done" and not link.failure}
        return len(done - current)

    def stamp(self, id_: str) -> str:
        """A hash of everything that `load` reads: the definition, runs, run files, gold."""
        store = self.workspace.store
        definition = store.evaluations.get(id_).definition
        parts = definition, store.evaluations.stamp(id_)
        return blake2b(repr(parts).encode(), digest_size=8).hexdigest()

    def stop(self, id_: str) -> None:
        """Cancel waiting and running runs. Raises Refused in a demonstration."""
        if self.workspace.restricted:
            raise Refused(demonstration.WAY_OUT)
        self.workspace.store.evaluations.stop(id_)

    def progress(self, id_: str) -> EvaluationProgress:
        """Counts of its runs."""
        self.workspace.store.tasks.recover()
        stored = self.workspace.store.evaluations.runs(id_)
        places = self._requests(self.definition(id_))
        links = [stored[place] for place in places if place in stored]
        return EvaluationProgress(
            len(places),
            sum(link.state in ENDED for link in links),
            Counter(link.failure for link in links if link.failure),
            sum(link.going for link in links),
            sum(link.state == "interrupted" for link in links),
        )

    def work(self, id_: str, report: Callable[[EvaluationProgress], None] | None = None) -> None:
        """Make the queued runs until the evaluation has ended, in this process, or follow the
        worker if another process is that. Interrupted from the keyboard, it stops the evaluation.
        """
        lock, worker = Lock(self.workspace.path), self.workspace.worker()
        last_look, locked, progress = 0.0, False, self.progress(id_)
        try:
            with self.workspace.alive():
                while progress.going or progress.interrupted:
                    locked = locked or lock.acquire()
                    ran = locked and worker.run()
                    if ran and time.monotonic() - last_look < LOOK_S:
                        continue
                    last_look, progress = time.monotonic(), self.progress(id_)
                    if report:
                        report(progress)
                    if progress.interrupted:
                        self.start(id_)
                    if not locked and (running := self.workspace.store.runs.under_way()):
                        self.workspace.report(f"Waiting for another process. {running}")
                    if not ran:
                        time.sleep(WAIT_S)
        except KeyboardInterrupt:
            self.stop(id_)
            raise
        finally:
            worker.close()
            lock.release()

    def load(self, id_: str) -> Evaluation:
        """The evaluation as far as it is. Facts of runs are computed unless they are stored."""
        row, definition = self.workspace.store.evaluations.get(id_), self.definition(id_)
        in_corpus, questions = self.questions_in_corpus(row.collection), self._questions(definition)
        files = tuple(
            run_files.ranked(file, questions, in_corpus)
            for file in self.workspace.store.evaluations.files(id_)
        )
        runs = self._measured(id_, in_corpus, answer=definition.answer)
        rows = rows_of(definition, questions, runs, files)
        run_frame, gold = frames(rows, definition.ks, questions)
        store = self.workspace.store
        set_ = store.collections.find_set(row.collection_id, definition.triples or "")
        numbers = store.triples.numbers_of(set_.id, sorted(set(gold["key"]))) if set_ else {}
        gold["triples"] = gold["key"].map(numbers).astype(float)
        return Evaluation(
            collection=row.collection,
            methods=(*definition.methods, *(file.words for file in files)),
            ks=definition.ks,
            questions=tuple(questions),
            runs=run_frame,
            gold=gold,
            answered=definition.answer,
            id=id_,
            reached=row.reached,
            files=files,
            before=definition.before,
        )

    def _questions(self, definition: Definition) -> list[Question]:
        """Questions of a definition that still are stored and have gold, in its order."""
        questions = self.workspace.collections[definition.collection].questions()
        by_id = {question.id: question for question in questions if question.supporting_keys}
        return [by_id[id_] for id_ in definition.questions if id_ in by_id]

    def questions_in_corpus(self, collection: str) -> set[str]:
        """Ids of questions that are also passages (as in BEIR); in a cluster, where nobody asks for
        it, all that might be.
        """
        if (row := self.workspace.store.collections.get(collection)).cluster:
            questions = self.workspace.collections[collection].questions()
            return {q.id for q in questions if q.id not in q.supporting_keys}
        return self.workspace.store.questions.passages_themselves(row.id)

    def _requests(self, definition: Definition) -> dict[RunPlace, RunRequest]:
        """Every run, those of an encoder together, for which it is loaded once, and question by
        question, so that a machine that is busy for a while is so for all methods; then the
        oracle's searches.
        """
        questions = self._questions(definition)
        like = {words: self._request(definition, words, "") for words in definition.methods}
        encoders = [variant(words).encoder for words in like]
        pairs = sorted(
            product(questions, like), key=lambda pair: encoders.index(variant(pair[1]).encoder)
        )
        requests = {
            RunPlace(words, question.id): replace(like[words], question=question.question)
            for question, words in pairs
        }
        search = RunRequest("", definition.collection, ORACLE_BASE, k=max(definition.ks))
        for question in questions:
            for part, text in enumerate(oracle_searches(question.decomposition)):
                requests[RunPlace(ORACLE, question.id, part)] = replace(search, question=text)
        return requests

    def _current(self, id_: str) -> set[RunPlace]:
        """Places whose run need not be made again: it waits, goes on, or is done, with every reply
        it needed, by the program, on the passages, with the vectors and against the gold of now.
        """
        links = self.workspace.store.evaluations.runs(id_)
        questions = self._questions(self.definition(id_))
        gold = {question.id: set(question.supporting_keys) for question in questions}
        current = set()
        for place, link in links.items():
            same_gold = place.method == ORACLE or set(link.gold) == gold.get(place.question)
            up_to_date = same_gold and self._same_versions(link.method, link.versions, link.config)
            if link.going or (link.complete and up_to_date):
                current.add(place)
        return current

    def _same_versions(
        self, method: str, versions: Mapping[str, str], settings: Mapping[str, Any]
    ) -> bool:
        """Whether a run was made by the methods and models of now. A run whose model is not
        available any more cannot be made again, and stays.
        """
        now = {"method": retrievers.version_words(method)}
        with suppress(ModelFailed, NotReady):
            now = self.workspace.runner.versions(method, settings)
        return all(versions.get(part) == words for part, words in now.items())

    def _same(self, request: RunRequest) -> str | None:
        """The id of a run that need not be made again."""
        run = self.workspace.runs.same(request)
        is_current = run and (
            run.state != "done" or self._same_versions(run.method, run.versions, run.config)
        )
        return run.id if run and is_current else None

    def _measured(
        self, id_: str, in_corpus: Collection[str], *, answer: bool
    ) -> dict[RunPlace, MeasuredRun]:
        """Runs that have ended, with facts as they are stored, or computed and then stored."""
        store, measured = self.workspace.store, {}
        for run in [
            run for run in store.evaluations.runs(id_, VERSION).values() if run.state in ENDED
        ]:
            itself = run.place.question if run.place.question in in_corpus else ""
            facts = run.facts
            if facts is None or facts["itself"] != itself:
                events = [stored.event for stored in store.events.of(run.number)]
                facts = run_facts(events, run.gold, run.answers, answer=answer, itself=itself)
                if not store.db.read_only:
                    store.evaluations.keep_facts(VERSION, [(run.number, facts)])
            measured[run.place] = replace(run, facts=facts)
        return measured

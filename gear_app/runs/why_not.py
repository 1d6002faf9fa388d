"""Why a run does not have a passage, asked of a stored run; and what another value of one setting
makes of it, which is found out by running the question again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from gear_app import retrievers
from gear_app.analysis.metrics import recall_at
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.analysis.rankings import final, keys, rank_of, searches
from gear_app.analysis.why_not import (
    Cause,
    CauseGroup,
    Change,
    DeepRank,
    StepOutcome,
    WhyNot,
    why_not,
)
from gear_app.config import ENCODER, FUSION_CONSTANTS
from gear_app.connection import Service
from gear_app.errors import GearError, NotReady, Unknown
from gear_app.events import Event, Started
from gear_app.index.cache import RowCache
from gear_app.overrides import alternatives, overridden, settings
from gear_app.runs.passage_facts import deep_facts, stored_facts, stored_nearest
from gear_app.runs.request import ALL_RIGHTS, Options, RunRequest, new_run, request_of
from gear_app.runs.runner import Runner
from gear_app.store.rows import RunInfo
from gear_app.thread_context import stoppable

MOST_RUNS, MOST_S = 40, 60.0  # of the changes that a cause points to, and again of all others
ENOUGH = "Enough was run already."


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting with another value, run.

    Attributes:
        change: what was tried
        value: the first of the change's values with which the passage is among the first k; None
            where it is with none of those tried
        tried: the values that could be run, in order
        rank: the passage's final rank with `value`, else the best of all that were tried
        recall: of the run as it was, and with that value; None without gold
        entered: titles that are among the first k with it and were not
        left: titles that were and are no more
        past: whether the first value got the passage past the step that had lost it
        failure: why none of them could be run
    """

    change: Change
    value: str | None
    tried: tuple[str, ...]
    rank: int | None
    recall: tuple[float, float] | None = None
    entered: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    past: bool = False
    ms: float = 0.0
    failure: str = ""


class WhyNotService(Service):
    """The runs of a workspace, asked why they do not have a passage."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.connection)
        self._runner = runner

    def passage(self, run_id: str, name: str) -> str:
        """The key of a passage of the run's collection, by its key or its whole title. Raises
        Unknown, though not for the run's own gold, which may be in no collection.
        """
        run = self._store.runs.get(run_id)
        if name in run.gold or run.collection_id is None:
            return name
        if self._store.passages.named(run.collection_id, run.revision, [name]):
            return name
        found = self._store.passages.search(run.collection_id, name, 20, 0)
        titled = [one.key for one in found if one.title.casefold() == name.casefold()]
        if len(titled) != 1:
            raise Unknown("passage", name, [one.key for one in found])
        return titled[0]

    def explain(self, run_id: str, key: str, k: int = 5, *, deep: bool = True) -> WhyNot:
        """Why the run does not have the passage among its first k. Passages of one title are told
        apart.

        `deep`: the index is asked how far down the passage is, which loads the embedding model; not
        for a page. Raises NotReady where the collection was deleted, or the run has not ended.
        """
        run, events = self._run(run_id)
        return self._explain(run, events, key, k, deep=deep)

    def _run(self, run_id: str) -> tuple[RunInfo, list[Event]]:
        run = self._store.runs.get(run_id)
        if run.going:
            raise NotReady(f"Run {run.id} is {run.state}. Ask when it has ended.")
        events = [row.event for row in self._store.events.of(run.number)]
        labels = self._store.passages.labels(sorted(named_passages(events)))
        return run, labelled(events, labels)

    def _explain(
        self, run: RunInfo, events: Sequence[Event], key: str, k: int, *, deep: bool
    ) -> WhyNot:
        facts = stored_facts(self._store, run, key)
        if deep:
            facts = deep_facts(self._runner, run, events, facts)
        else:
            ranks = self._stored_ranks(run, events, key)
            nearest = stored_nearest(self._store, run, events, facts)
            facts = replace(facts, ranks=ranks, nearest=nearest)
        answer = why_not(events, key, facts, k)
        alone = facts.ids if len(facts.ids) == 1 else ()  # several: the parts of a document
        labels = self._store.passages.labels(alone)
        return replace(answer, title=next(iter(labels.values()), answer.title))

    def base_request(self, run_id: str) -> RunRequest | None:
        """What asks the run's first retriever alone, which ranks deeper than the run shows; None
        for a run that begins in another way, or with other settings than its own.
        """
        run, events = self._run(run_id)
        first = next(iter(searches(events)), None)
        bases = [name for name, one in retrievers.BASES.items() if one.by_lists]
        if first is None or first.base not in bases or run.method in bases:
            return None
        asked = request_of(run)
        encoder = {name: value for name, value in asked.settings.items() if name == ENCODER}
        request = replace(asked, method=first.base, settings=encoder, reader="local", model=None)
        own = settings(retrievers.config_for(first.base))
        names = {full.rpartition(".")[2]: value for full, value in run.config.items()}
        used = retrievers.BASES[first.base].used
        changed = any(names.get(name, own[name]) != own[name] for name in used)
        return None if changed else replace(request, budget=None, options=Options())

    def _stored_ranks(self, run: RunInfo, events: Sequence[Event], key: str) -> dict[str, DeepRank]:
        """The passage's rank by query in runs of the first retriever alone, where somebody made
        some: to whatever k, for an evaluation or by hand.
        """
        request = self.base_request(run.id)
        if request is None or run.collection_id is None or run.stale:
            return {}
        own = settings(retrievers.config_for(request.method)) | dict(request.settings)
        asked = [search.query for search in searches(events)]
        ranks: dict[str, DeepRank] = {}
        for one in self._store.runs.of_questions(run.collection_id, asked):
            of_base = (one.method, one.state, dict(one.config)) == (request.method, "done", own)
            same = one.versions.get("embedder") == run.versions.get("embedder")
            if not (of_base and same) or one.stale or one.question in ranks:
                continue
            happened = [row.event for row in self._store.events.of(one.number)]
            if rank := rank_of(key, final(happened)):
                ranks[one.question] = DeepRank(rank)
        return ranks

    def trials(self, run_id: str, key: str, k: int = 5) -> tuple[Trial, ...]:
        """What each change that the answer names makes of it, and then every other setting of the
        method: its values are run, the smallest change first, until one has the passage among the
        first k.

        Nothing is stored. At most MOST_RUNS runs and MOST_S seconds for either. A language model is
        not asked: its replies are those of the run, and a change that needs another one has a
        `failure`.
        """
        run, events = self._run(run_id)
        answer = self._explain(run, events, key, k, deep=True)
        found = []
        for changes in (answer.changes, self.other_changes(run_id, answer)):
            end, left = time.monotonic() + MOST_S, MOST_RUNS
            for place, change in enumerate(changes):
                now = time.monotonic()
                until = now + (end - now) / (len(changes) - place)  # the time left is shared
                trial = self._trial(run, events, answer, change, left, until)
                left -= len(trial.tried)
                found.append(trial)
        return tuple(found)

    def other_changes(self, run_id: str, answer: WhyNot) -> tuple[Change, ...]:
        """Other values of the settings that the answer does not name, k among them: of a cause that
        points elsewhere they may help all the same. Raises BadInput or Unknown for a run of a
        method or with settings that are not known any more.
        """
        run = self._store.runs.get(run_id)
        config = overridden(retrievers.config_for(run.method), run.config)
        values = alternatives(config)
        for name in values:
            if name.rpartition(".")[2] == "fusion_constant":
                values[name] = tuple(map(str, FUSION_CONSTANTS))
        if retrievers.method_of(run.method).over != "step":
            values["k"] = tuple(str(k) for k in (run.k * 2, run.k // 2) if k >= answer.k)
        now = {name: str(value) for name, value in settings(config).items()} | {"k": str(run.k)}
        named = {change.setting for change in answer.changes}
        return tuple(
            Change(name, now[name], tuple(value for value in others if value != now[name]))
            for name, others in values.items()
            if name not in named and others
        )

    def _trial(
        self,
        run: RunInfo,
        events: Sequence[Event],
        answer: WhyNot,
        change: Change,
        most: int,
        until: float,
    ) -> Trial:
        best: Trial | None = None
        tried: list[str] = []
        past, failure = False, ""
        for value in change.values[:most]:
            try:
                with _in_time(until):
                    trial = self.trial(run, events, answer, change, value)
            except GearError as error:  # of this value: another one may need no other reply
                failure = failure or str(error)
                continue
            tried.append(value)
            past = past or (value == change.values[0] and trial.past)
            if best is None or (trial.rank or 10**9) < (best.rank or 10**9):
                best = trial
            if trial.value is not None:
                break
        if best is None:
            return Trial(change, None, (), None, failure=failure or ENOUGH)
        found = replace(best, tried=tuple(tried), past=past)
        if change not in answer.changes:
            return found
        return self._least(run, events, answer, found, most - len(tried), until)

    def _least(
        self,
        run: RunInfo,
        events: Sequence[Event],
        answer: WhyNot,
        found: Trial,
        most: int,
        until: float,
    ) -> Trial:
        """Where the first value tried was enough: smaller ones, until one is not."""
        while found.value == found.tried[0] and found.value and found.value.isdigit() and most > 0:
            smaller = int(found.value) - 1
            if str(smaller) == found.change.was or smaller < 1:
                break
            try:
                with _in_time(until):
                    trial = self.trial(run, events, answer, found.change, str(smaller))
            except GearError:
                break  # whether less is enough is not known
            tried, most = (str(smaller), *found.tried), most - 1
            if trial.value is None:
                return replace(found, tried=tried)
            found = replace(trial, tried=tried, past=found.past)
        return found

    def trial(
        self, run: RunInfo, events: Sequence[Event], answer: WhyNot, change: Change, value: str
    ) -> Trial:
        """One value, run. Raises GearError as the run does."""
        began = time.perf_counter()
        again = self.again(run, events, {change.setting: value})
        ms = (time.perf_counter() - began) * 1000
        return self._compared(run, events, answer, change, value, again, ms)

    def request(self, run_id: str, setting: str, value: str) -> RunRequest:
        """What asks for a run like this one with another value of one setting, "k" among them."""
        asked = request_of(self._store.runs.get(run_id))
        if setting == "k":
            return replace(asked, k=int(value))
        return replace(asked, settings={**asked.settings, setting: value})

    def stored_trial(self, run_id: str, answer: WhyNot, change: Change, value: str) -> Trial | None:
        """A value that somebody has asked for as a run of its own; None where nobody has, or that
        run is not done. No model is loaded.
        """
        run, events = self._run(run_id)
        request = replace(self.request(run_id, change.setting, value), rights=ALL_RIGHTS)
        there = self._store.runs.same(new_run(self._store, request))
        if there is None or there.state != "done":
            return None
        again = [row.event for row in self._store.events.of(there.number)]
        return self._compared(run, events, answer, change, value, again, there.ms or 0.0)

    def _compared(
        self,
        run: RunInfo,
        events: Sequence[Event],
        answer: WhyNot,
        change: Change,
        value: str,
        again: Sequence[Event],
        ms: float,
    ) -> Trial:
        k, before, after = answer.k, final(events), final(again)
        rank = rank_of(answer.key, after)
        titles = [{one.key: one.name for one in ranking[:k]} for ranking in (before, after)]
        recall = None
        if run.gold:
            recall = recall_at(keys(before), run.gold, k), recall_at(keys(after), run.gold, k)
        return Trial(
            change,
            value if rank is not None and rank <= k else None,
            (value,),
            rank,
            recall,
            tuple(title for key, title in titles[1].items() if key not in titles[0]),
            tuple(title for key, title in titles[0].items() if key not in titles[1]),
            self._is_past(run, again, answer),
            ms,
        )

    def _is_past(self, run: RunInfo, again: Sequence[Event], answer: WhyNot) -> bool:
        """Whether the passage came further in another run; where it had come to a cut, whether that
        step passed it on.
        """
        facts = stored_facts(self._store, run, answer.key)
        now = why_not(again, answer.key, facts, answer.k)
        if answer.cause.group is not CauseGroup.CUT or now.cause is Cause.FOUND:
            return now.cause.group.reach > answer.cause.group.reach
        lost = answer.lost.step if answer.lost else ""
        passed = {step.step for step in now.trail if step.outcome is StepOutcome.PASSED}
        return lost in passed

    def again(
        self, run: RunInfo, events: Sequence[Event], changes: Mapping[str, Any]
    ) -> list[Event]:
        """The events of the same question with some settings changed, "k" among them; nothing is
        stored, and no language model is asked.
        """
        runner = self._runner.for_settings(run.config, asks=False)
        reader = runner.models.reader_for_replay(run.reader, run.versions, events)
        changed = dict(changes)
        k = int(changed.pop("k", run.k))
        index = RowCache(runner.corpus_of(run).index)
        with_it = replace(run, config={**run.config, **changed})
        method = runner.retriever(with_it, index, reader)
        shown = tuple((name, str(value)) for name, value in {**run.config, **changed}.items())
        happened: list[Event] = [Started(run.question, run.method, shown, run.reader, iteration=0)]
        retrievers.answer(method, index, run.question, k, happened.append)
        return happened


@contextmanager
def _in_time(until: float) -> Iterator[None]:
    """Inside a run is made. Raises NotReady where it is not over in time."""

    def check() -> None:
        if time.monotonic() > until:
            raise NotReady("There was not enough time.")

    with stoppable(check):
        check()
        yield

"""A stored run made again by the code that makes runs: as it was (replay), or with a change (what
if). Nobody is asked: vectors and replies are those that the workspace has. And why a run does not
have a passage, with the other settings with which it would have it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from gear_app import methods as retrievers
from gear_app.core import demonstration
from gear_app.core.config import ENCODER
from gear_app.core.errors import BadInput, GearError, NotReady, Unknown
from gear_app.core.overrides import alternatives, models_named, overridden, settings
from gear_app.models.reader import LLM_READER, RECORDED
from gear_app.models.reader.edits import ReadingEdit
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Ranked, RankedPassage
from gear_app.trace.evidence import labelled, named_passages
from gear_app.trace.lost import PassageFacts, WhyNot, why_not
from gear_app.trace.rankings import final, rank_of
from gear_app.workspace.connection import Service
from gear_app.workspace.models import Models
from gear_app.workspace.runs.request import (
    ALL_RIGHTS,
    NO_RIGHTS,
    Rights,
    RunRequest,
    codec,
    new_run,
    request_of,
)
from gear_app.workspace.runs.runner import Runner
from gear_app.workspace.runs.service import Answer, RunService

# Settings that are not the method's: of RunRequest and of Options.
K, PROXIMAL, UNLINKED = "k", "proximal", "unlinked"
TOLERANCE = 5e-7  # a difference of scores that is none
POLL_S = 0.02  # between two looks whether the worker has made a draft
MOST_S = 60.0  # of trying other settings
Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class RunChange:
    """The difference between a run and its rerun."""

    __pydantic_config__: ClassVar = {"allow_inf_nan": False}
    settings: dict[str, Value] = field(default_factory=dict)  # by name; also K, PROXIMAL, UNLINKED
    base: str = ""  # the method's base retriever; "" as in the run
    edits: tuple[ReadingEdit, ...] = ()  # of what the reader gives, besides the run's own
    absent: tuple[str, ...] = ()  # keys of passages that are taken out
    leader: str = ""  # key of a passage that is put in, at the first rank of the first search

    def __bool__(self) -> bool:
        return self != NO_CHANGE

    def to_json(self) -> str:
        """Short text for an address; "" for no change."""
        return codec(RunChange).dump_json(self, exclude_defaults=True).decode() if self else ""

    @classmethod
    def from_json(cls, text: str) -> RunChange:
        """The change that `to_json` wrote. Raises BadInput for anything else."""
        try:
            change: RunChange = codec(RunChange).validate_json(text or "{}")
        except ValueError as error:
            raise BadInput(f"{text!r} is no change of a run. Open the run without it.") from error
        return change

    def applied(self, request: RunRequest) -> RunRequest:
        """The request with this change. Raises BadInput where its method does not take it."""
        method, changes, options = self._method(request), dict(self.settings), request.options
        k, config = _integer(K, changes.pop(K, request.k)), retrievers.config_for(method)
        # Over another base a method may begin with other settings.
        usual = retrievers.config_for(request.method) if method != request.method else None
        names, defaults = {*settings(config), ENCODER}, settings(usual) if usual else {}
        values = {
            name: value
            for name, value in request.settings.items()
            if name in names and (name, value) not in defaults.items()
        }
        options = replace(
            options,
            edits=tuple(dict.fromkeys([*options.edits, *self.edits])),
            proximal=_integer(PROXIMAL, changes.pop(PROXIMAL, options.proximal)),
            unlinked=_integer(UNLINKED, changes.pop(UNLINKED, options.unlinked)),
            absent=tuple(dict.fromkeys([*options.absent, *self.absent])),
            leader=self.leader or options.leader,
        )
        overridden(overridden(config, values), changes)
        return replace(request, method=method, settings=values | changes, k=k, options=options)

    def _method(self, request: RunRequest) -> str:
        outer, base = retrievers.parse(request.method)
        if self.base in ("", base):
            return request.method
        name = f"{outer}:{self.base}"
        retrievers.parse(name)
        return outer if retrievers.parse(outer)[1] == self.base else name


NO_CHANGE = RunChange()
Rerun = Callable[[str, RunChange], Sequence[Event] | None]  # of a run by its id


class Trial(NamedTuple):
    """One setting with another value: the passage's final rank then, or why it was not run."""

    setting: str
    was: str
    value: str
    rank: int | None = None
    failure: str = ""


@dataclass(eq=False)
class RerunService(Service):
    """Runs made again, and why they do not have a passage."""

    runner: Runner

    def rerun(self, run_id: str, change: RunChange = NO_CHANGE) -> list[Event]:
        """Events of the run with a change, on the collection as the run saw it. Nothing is stored.
        The answer of a language model is left out.

        Raises BadInput for a change that the method does not take, and NotReady where a language
        model would have to be asked, the run has not ended, or what made it is no more.
        """
        changed = self._changed(self._store.runs.get(run_id), change)
        models = self.runner.models.with_encoder(changed.config, calls_server=False)
        return self.runner.make(changed, models, self.runner.reader(changed, models))

    def enqueue_draft(
        self, run_id: str, change: RunChange, rights: Rights = NO_RIGHTS, wait_s: float = 0.0
    ) -> Answer | None:
        """The changed run as a draft that the worker makes; None where it is not made after
        `wait_s`. A draft lives for an hour; asked for again it is the same one.

        Raises as `rerun` does, StoreFailed where the workspace is open for reading only, and
        Refused for a model that the sender may not name.
        """
        run = self._store.runs.get(run_id)
        values = {name: v for name, v in change.settings.items() if v != run.config.get(name)}
        rights.check_models(models_named(values))
        id_ = hashlib.blake2b(f"{run.id} {change.to_json()}".encode(), digest_size=5).hexdigest()
        runs, until = self._store.runs, time.monotonic() + wait_s
        if not runs.has_draft(id_):
            new = self._changed(run, change)
            # Nobody adds a draft between the count and this one.
            with self._store.db.transaction(by_visitors=True):
                if self.connection.restricted:
                    demonstration.check_waiting(runs.counts("", "draft")[1])
                runs.create(new, id_)
        while (draft := runs.get(id_)).going and time.monotonic() < until:
            time.sleep(POLL_S)
        if draft.state == "failed":
            raise NotReady(draft.message)
        return None if draft.going else RunService(self.connection).answer(id_)

    def replay(self, run_id: str) -> str:
        """Make a run again with its configuration, on its revision and triple set: the first
        difference of its ranking to the stored one, "" where there is none. The answer of a
        language model is left out.

        A language model's replies are those among the run's events. Where another embedding model
        is in use now, the vectors that the run's model left are used, if all are there. Raises
        NotReady where the run has no ranking, where its collection or triple set was deleted, or
        where it needs a reply that its events do not hold.
        """
        answer = RunService(self.connection).answer(run_id)
        if not any(isinstance(event, Ranked) for event in answer.events):
            raise NotReady(f"Run {answer.id} has no ranking to compare with: it is {answer.state}.")
        silent = {"answer": False} if answer.reader == LLM_READER else {}
        run = replace(answer, options={**answer.options, **silent}, draft_of=answer.number)
        models, ranking = self.runner.models, None
        if "words" not in run.versions:  # vectors of words are not stored
            stored = models.with_stored_vectors(run.versions.get("embedder", ""))
            with suppress(NotReady):
                ranking = self._ranking(run, stored)
        if ranking is None:
            ranking = self._ranking(run, models.with_encoder(run.config, calls_server=False))
        difference = _difference(answer.ranking, ranking)
        return f"{difference} {self.outdated(run)}".strip() if difference else ""

    def _ranking(self, run: RunInfo, models: Models) -> tuple[RankedPassage, ...]:
        reader = self.runner.reader(run, models, cached=False)
        return final(self.runner.make(run, models, reader))

    def outdated(self, run: RunInfo) -> str:
        """A sentence on what made the run and has changed since; "" for nothing. A rerun would
        differ from such a run by more than its change. No model is loaded.
        """
        try:
            now = self.runner.versions(run.method, run.config)
        except GearError as error:  # a model that the run names is not available
            return str(error)
        then = {part: run.versions.get(part, words) for part, words in now.items()}
        changed = [part for part in now if then[part] != now[part]]
        if not changed:
            return ""
        before, current = (", ".join(of[part] for part in changed) for of in (then, now))
        return f"Run {run.id} was made with {before}; now it is {current}."

    def _changed(self, run: RunInfo, change: RunChange) -> RunInfo:
        """The run as it would be stored with the change, at its own revision. Raises BadInput, and
        NotReady where a rerun would not be comparable with what is stored.
        """
        if run.state != "done":
            raise NotReady(f"Run {run.id} is {run.state}. Ask what if of one that is done.")
        if run.reader in RECORDED:
            raise NotReady(
                "What the reader of this run says is written down, and would be the same whatever"
                " it reads. Ask what if of a run with another reader."
            )
        if outdated := self.outdated(run):
            raise NotReady(f"{outdated} Run it again, then ask what if.")
        # The sender's rights were checked when the draft was asked for.
        request = replace(change.applied(request_of(run)), owner="", rights=ALL_RIGHTS)
        if run.reader == LLM_READER:
            request = replace(request, options=replace(request.options, answer=False))
        new = new_run(self._store, request)
        return replace(new, id=run.id, revision=run.revision, gold=run.gold, draft_of=run.number)

    def passage(self, run_id: str, name: str) -> str:
        """The key of a passage of the run's collection, by its key or its whole title. Raises
        Unknown, though not for the run's own gold, which may be in no collection.
        """
        run, passages = self._store.runs.get(run_id), self._store.passages
        collection_id = run.collection_id or 0
        if name in run.gold or passages.named(collection_id, run.revision, [name]):
            return name
        hits = passages.search(collection_id, name, 20)
        titled = [passage.key for passage in hits if passage.title.casefold() == name.casefold()]
        if len(titled) != 1:
            raise Unknown("passage", name, [passage.key for passage in hits])
        return titled[0]

    def explain(self, run_id: str, key: str, k: int = 5) -> WhyNot:
        """The cause for which the run does not have the passage among its first k. Passages of one
        title have labels. Raises NotReady where the collection is not here, or the run has not
        ended.
        """
        run = self._ended(run_id)
        events = RunService(self.connection).events(run_id)
        parts = self._store.passages.named(run.collection_id or 0, run.revision, [key])
        ids, triples = tuple(passage.id for passage in parts), None
        if parts and run.set_id is not None:
            triples = tuple(self._store.triples.of_passages(run.set_id, ids, run.revision))
        labels = self._store.passages.labels(sorted({*named_passages(events), *ids}))
        facts = PassageFacts(ids, parts[0].title if parts else "", triples)
        answer = why_not(labelled(events, labels), key, facts, k)
        title = labels.get(ids[0]) if len(ids) == 1 else None  # several: the parts of a document
        return replace(answer, title=title or answer.title)

    def changes(self, run_id: str, k: int) -> list[RunChange]:
        """Every other value of one setting, `k` among them, that may find more. Raises BadInput or
        Unknown for a run of a method or with settings that are not known any more.
        """
        run = self._ended(run_id)
        values = alternatives(overridden(retrievers.config_for(run.method), run.config))
        if retrievers.method_of(run.method).over != "step":
            values[K] = tuple(str(n) for n in (run.k * 2, run.k // 2) if n >= k)
        return [RunChange({name: value}) for name, options in values.items() for value in options]

    def trials(self, run_id: str, key: str, k: int, rerun: Rerun) -> list[Trial]:
        """Rank of the passage with each other value of a setting, without those of which `rerun`
        has nothing yet. None begins after MOST_S seconds. Raises NotReady as `explain` does.
        """
        run, until = self._store.runs.get(run_id), time.monotonic() + MOST_S
        results = []
        for change in self.changes(run_id, k):
            if time.monotonic() > until:
                break
            ((name, value),) = change.settings.items()
            trial = Trial(name, str(run.k if name == K else run.config[name]), str(value))
            try:
                events = rerun(run_id, change)
                if events is not None:
                    results.append(trial._replace(rank=rank_of(key, final(events))))
            except GearError as error:  # of this value: another one may need no other reply
                results.append(trial._replace(failure=str(error)))
        return results

    def _ended(self, run_id: str) -> RunInfo:
        """A run that has ended, and whose collection is in this workspace. Raises NotReady."""
        run = self._store.runs.get(run_id)
        if run.going:
            raise NotReady(f"Run {run.id} is {run.state}. Ask when it has ended.")
        collection = self._store.collections.find(run.collection_id)
        if collection is None or collection.cluster:
            place = "in a cluster" if collection else "deleted"
            raise NotReady(
                f"{run.collection!r} is {place}. Why a passage is missing is explained for"
                " collections of a workspace."
            )
        check_complete(collection)
        return run


def _integer(name: str, value: Value) -> int:
    try:
        return int(str(value))  # int() alone would cut 2.7 to 2
    except ValueError as error:
        raise BadInput(f"{name} takes a whole number, not {value!r}") from error


def _difference(before: Sequence[RankedPassage], after: Sequence[RankedPassage]) -> str:
    for rank, (old, new) in enumerate(zip_longest(before, after), start=1):
        if not (old and new and old.id == new.id and abs(old.score - new.score) < TOLERANCE):
            was, now = (
                f"{line.key} with {line.score:.6f}" if line else "none" for line in (old, new)
            )
            return f"Rank {rank} is {now}; it was {was}."
    return ""

"""A stored run made again by the code that makes runs: as it was (replay), or with a change (what
if). Nobody is asked: vectors and replies are those that the workspace has.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

from gear_app import methods as retrievers
from gear_app.core import demonstration
from gear_app.core.config import ENCODER
from gear_app.core.errors import BadInput, GearError, ModelFailed, NotReady
from gear_app.core.overrides import models_named, overridden, settings
from gear_app.models.reader import LLM_READER, RECORDED
from gear_app.models.reader.edits import ReadingEdit
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Failed, Ranked, RankedPassage, Started
from gear_app.workspace.connection import Service
from gear_app.workspace.runs.request import (
    ALL_RIGHTS,
    NO_RIGHTS,
    Rights,
    RunRequest,
    Settings,
    new_run,
    request_of,
)
from gear_app.workspace.runs.runner import EMBEDDER, WORDS, Runner, ranking_of

# Settings that are not the method's: of RunRequest and of Options.
K, PROXIMAL, UNLINKED = "k", "proximal", "unlinked"
POLL_S = 0.02  # between two looks whether the worker has made a draft
_MODELS = {
    EMBEDDER: "The embedding model",
    WORDS: "The model of words",
    "cross_encoder": "The cross-encoder",
    "weights": "The network",
}


@dataclass(frozen=True, slots=True)
class RunChange:
    """The difference between a run and its rerun."""

    settings: Settings = field(default_factory=dict)  # by name; K, PROXIMAL, UNLINKED among them
    base: str = ""  # the method's base retriever; "" as in the run
    edits: tuple[ReadingEdit, ...] = ()  # of what the reader gives, besides the run's own
    absent: tuple[str, ...] = ()  # keys of passages that are taken out
    leader: str = ""  # key of a passage that is put in, at the first rank of the first search

    def __bool__(self) -> bool:
        return self != NO_CHANGE

    def to_json(self) -> str:
        """Short text for an address; "" for no change."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        row = {name: value for name, value in row.items() if value}
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")) if row else ""

    @classmethod
    def from_json(cls, text: str) -> RunChange:
        """The change that `to_json` wrote. Raises BadInput for anything else."""
        try:
            row = json.loads(text or "{}")
            values, absent = dict(row.get("settings", {})), tuple(row.get("absent", ()))
            base, leader = row.get("base", ""), row.get("leader", "")
            keys = all(isinstance(key, str) for key in (base, leader, *absent))
            if not keys or not all(map(_is_value, values.values())):
                raise ValueError(row)
            edits = tuple(ReadingEdit.of(edit) for edit in row.get("edits", ()))
            return cls(values, base, edits, absent, leader)
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise BadInput(f"{text!r} is no change of a run. Open the run without it.") from error

    def applied(self, request: RunRequest) -> RunRequest:
        """The request with this change. Raises BadInput where its method does not take it."""
        method = _over(request.method, self.base)
        config = retrievers.config_for(method)
        changes, options = dict(self.settings), request.options
        k = _whole(K, changes.pop(K, request.k))
        proximal = _whole(PROXIMAL, changes.pop(PROXIMAL, options.proximal))
        unlinked = _whole(UNLINKED, changes.pop(UNLINKED, options.unlinked))
        names = {*settings(config), ENCODER}
        kept_settings = {name: value for name, value in request.settings.items() if name in names}
        if method != request.method:  # over another base a method may begin with other settings
            usual = settings(retrievers.config_for(request.method))
            kept_settings = {
                name: value for name, value in kept_settings.items() if value != usual.get(name)
            }
        overridden(overridden(config, kept_settings), changes)
        options = replace(
            options,
            edits=tuple(dict.fromkeys([*options.edits, *self.edits])),
            proximal=proximal,
            unlinked=unlinked,
            absent=tuple(dict.fromkeys([*options.absent, *self.absent])),
            leader=self.leader or options.leader,
        )
        settings_ = {**kept_settings, **changes}
        return replace(request, method=method, settings=settings_, k=k, options=options)


NO_CHANGE = RunChange()


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """A run made again on its own revision."""

    run: str
    ranking: tuple[RankedPassage, ...]
    difference: str  # the first place where ids, order or scores (to 1e-6) differ; "" for none
    failure: str = ""  # why it failed, of a run that had failed alike
    events: tuple[Event, ...] = ()


class Draft(NamedTuple):
    """A run with a change as the worker made it, and its events. It is in no list of runs."""

    run: RunInfo
    events: tuple[Event, ...]


class RerunService(Service):
    """Reruns of a workspace's runs."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.connection)
        self._runner = runner

    def request(self, run_id: str, change: RunChange) -> RunRequest:
        """A request for the changed run as a run of its own, on the collection as it is now. It has
        no rights: its sender has. Raises BadInput.
        """
        return change.applied(request_of(self._store.runs.get(run_id)))

    def rerun(self, run_id: str, change: RunChange = NO_CHANGE) -> list[Event]:
        """Events of the run with a change, on the collection as the run saw it. Nothing is stored.
        The answer of a language model is left out.

        Raises BadInput for a change that the method does not take, and NotReady where a language
        model would have to be asked, the run has not ended, or what made it is no more.
        """
        run = self._store.runs.get(run_id)
        new, events = self._changed(run, change), list[Event]()
        changed = replace(
            run,
            method=new.method,
            config=new.config,
            k=new.k,
            options=new.options,
            set_id=new.set_id,
            triple_set=new.triple_set,
        )
        runner = self._runner.for_settings(changed.config, asks=False)
        reader = runner.models.reader_without_asking(changed, self._events(run))
        runner.make(changed, runner.corpus_of(changed), reader, events.append)
        return events

    def draft(
        self, run_id: str, change: RunChange, rights: Rights = NO_RIGHTS, wait_s: float = 0.0
    ) -> Draft | None:
        """The changed run as a draft that the worker makes; None where it is not made after
        `wait_s`. A draft lives for an hour; asked for again it is the same one.

        Raises as `rerun` does, NotReady where the workspace is open for reading only, and Refused
        for a model that the sender may not name.
        """
        if self._store.db.read_only:
            raise NotReady("This workspace is open for reading only, so nothing is computed in it.")
        run = self._store.runs.get(run_id)
        values = {name: v for name, v in change.settings.items() if v != run.config.get(name)}
        rights.check_models(models_named(values))
        id_ = hashlib.blake2b(f"{run.id} {change.to_json()}".encode(), digest_size=5).hexdigest()
        runs, until = self._store.runs, time.monotonic() + wait_s
        if not runs.has_draft(id_):
            new = self._changed(run, change)
            with self._store.transaction():  # nobody adds a draft between the count and this one
                if self.connection.restricted:
                    demonstration.check_waiting(runs.drafts_waiting())
                with self._store.db.unrestricted() if self.connection.restricted else nullcontext():
                    runs.create_draft(id_, new)
        while (draft := runs.get(id_)).going and time.monotonic() < until:
            time.sleep(POLL_S)
        if draft.state == "failed":
            raise NotReady(draft.message)
        return None if draft.going else Draft(draft, tuple(self._events(draft)))

    def replay(self, run_id: str) -> ReplayResult:
        """Make a run again with its configuration, on its revision and triple set, and compare the
        rankings.

        A language model's replies are those among the run's events. Where another embedding model
        is in use now, the vectors that the run's model left are used, if all are there. Raises
        NotReady where the run ended before it had a ranking or a failure to repeat, where its
        collection or triple set was deleted, or where it needs a reply that its events do not hold.
        """
        run = self._store.runs.get(run_id)
        if run.recorded:
            check_complete(self._store.collections.get(run.collection))
        before = self._events(run)
        failure = _failure(before)
        if not failure and not any(isinstance(event, Ranked) for event in before):
            raise NotReady(f"Run {run.id} has no ranking to compare with: it is {run.state}.")
        runners = self._runners(run)
        events: list[Event] = []
        for runner in runners:
            events.clear()
            reader = runner.models.reader_for_replay(run.reader, run.versions, before)
            try:
                runner.make(run, runner.corpus_of(run), reader, events.append)
                break
            except GearError as error:
                if failure and str(error) == failure:
                    return ReplayResult(run.id, (), "", failure, (*events, before[-1]))
                if isinstance(error, NotReady) and ranking_of(events):
                    break  # the run was cancelled before it was answered
                if runner is runners[-1] or not isinstance(error, NotReady):
                    raise
        ranking = ranking_of(events)
        difference = _difference(ranking_of(before), ranking)
        if failure:
            difference = f"It has a ranking of {len(ranking)} passages; it had failed: {failure}"
        for name, now in self._runner.model_versions(run.config).items() if difference else ():
            if (model := run.versions.get(name)) != now:
                difference += f" {_MODELS[name]} was {model} and is {now}."
        return ReplayResult(run.id, ranking, difference, events=tuple(events))

    def outdated(self, run: RunInfo) -> str:
        """A sentence on what made the run and has changed since; "" for nothing. A rerun would
        differ from such a run by more than its change. No model is loaded.
        """
        try:
            models = self._runner.model_versions(run.config)
        except GearError as error:  # a model that the run names is not available
            return str(error)
        now = {"method": retrievers.version_words(run.method)} | models
        then = {part: run.versions.get(part, words) for part, words in now.items()}
        old, new = (set(", ".join(versions.values()).split(", ")) for versions in (then, now))
        if old == new:
            return ""
        components = ", ".join(sorted(old - new)) or "less"
        return f"Run {run.id} was made with {components}; now it is {', '.join(sorted(new - old))}."

    def _events(self, run: RunInfo) -> list[Event]:
        return [row.event for row in self._store.events.of(run.number)]

    def _runners(self, run: RunInfo) -> list[Runner]:
        """Runners for a replay, in order: over the stored vectors of the run's embedder where it is
        not the one in use, then with the embedder that its settings name.
        """
        runner = self._runner
        try:
            runner = runner.for_settings(run.config, asks=False)
        except GearError:  # it is not available here; its vectors may be
            if WORDS in run.versions:
                raise
        fingerprint = run.versions.get(EMBEDDER, "")
        with suppress(ModelFailed, NotReady):
            if fingerprint in ("", runner.models.embedder.fingerprint):
                return [runner]
        return [runner.with_stored_vectors(fingerprint), runner]

    def _changed(self, run: RunInfo, change: RunChange) -> RunInfo:
        """The run as it would be stored with the change, at its own revision. Raises BadInput, and
        NotReady where a rerun would not be comparable with what is stored.
        """
        if run.recorded:
            check_complete(self._store.collections.get(run.collection))
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
        return replace(new, revision=run.revision, gold=run.gold, draft_of=run.number)


def _over(method: str, base: str) -> str:
    if not base:
        return method
    outer = retrievers.parse(method)[0]
    name = f"{outer}:{base}"
    retrievers.parse(name)
    return outer if retrievers.parse(outer)[1] == base else name


def _whole(name: str, value: str | int | float) -> int:
    try:
        return int(str(value))  # int() alone would cut 2.7 to 2
    except ValueError as error:
        raise BadInput(f"{name} takes a whole number, not {value!r}") from error


def _is_value(value: object) -> bool:
    """Whether a setting may be this at all: words or a finite number."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _failure(events: Sequence[Event]) -> str:
    if any(isinstance(event, Ranked) for event in events):
        return ""
    started = any(isinstance(event, Started) for event in events)
    last = events[-1] if events else None
    return last.message if started and isinstance(last, Failed) and not last.iteration else ""


def _difference(before: Sequence[RankedPassage], after: Sequence[RankedPassage]) -> str:
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

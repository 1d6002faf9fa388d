"""What if: a stored run with one thing changed, made by the code that makes runs and not stored.

Texts that any run encoded before have their vectors, and replies of a language model are those that
were kept, so that only what depends on the change is computed. No language model is asked, and no
server of vectors that the run's settings name.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field, replace

from gear_app import demonstration, retrievers
from gear_app.analysis.rankings import final
from gear_app.config import ENCODER
from gear_app.connection import Service
from gear_app.embedders.cache import CachedEmbedder
from gear_app.errors import BadInput, GearError, NotReady, application_error
from gear_app.events import Event, RankedPassage
from gear_app.index.cache import RowCache
from gear_app.overrides import models_named, overridden, settings
from gear_app.reader import LLM_READER, RECORDED
from gear_app.reader.edits import ReadingEdit
from gear_app.runs.request import (
    ALL_RIGHTS,
    NO_RIGHTS,
    Rights,
    RunRequest,
    Settings,
    new_run,
    request_of,
)
from gear_app.runs.runner import Runner
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo

K, PROXIMAL, UNLINKED = (
    "k",
    "proximal",
    "unlinked",
)  # settings that are not the method's: RunRequest's and Options'

LOOK_S = 0.02  # between two looks whether the worker has made a variant


@dataclass(frozen=True, slots=True)
class RunChange:
    """What is another in a variant of a run.

    Attributes:
        settings: values by name, as RunRequest takes them; among them "k", "proximal", the most
            proximal triples of a reading, and "unlinked", 1 for a graph in which nothing is joined
        base: what the method stands over; "" as in the run
        edits: facts that the reader does not give, or in other words, besides the run's own
    """

    settings: Settings = field(default_factory=dict)
    base: str = ""
    edits: tuple[ReadingEdit, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is changed."""
        return bool(self.settings or self.base or self.edits)

    def to_json(self) -> str:
        """As short text, for an address; "" for no change."""
        found = {"settings": dict(self.settings), "base": self.base, "edits": self.edits}
        set_ = {name: value for name, value in found.items() if value}
        return json.dumps(set_, ensure_ascii=False, separators=(",", ":")) if set_ else ""

    @classmethod
    def from_json(cls, text: str) -> RunChange:
        """The change that `to_json` wrote. Raises BadInput for anything else."""
        try:
            row = json.loads(text or "{}")
            values, base = dict(row.get("settings", {})), row.get("base", "")
            if not isinstance(base, str) or not all(map(_is_value, values.values())):
                raise ValueError(row)
            edits = tuple(ReadingEdit.of(edit) for edit in row.get("edits", ()))
            return cls({str(name): value for name, value in values.items()}, base, edits)
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise BadInput(f"{text!r} is no change of a run. Open the run without it.") from error

    def check(self, run: RunInfo) -> None:
        """Raise BadInput where the run's method takes no such base or setting, or no such value."""
        _request(request_of(run), self)


@dataclass(frozen=True, slots=True)
class RunVariant:
    """A run with a change, as it would be: its events, exactly those of a run made so.

    `encoded` is how many texts had no vector yet.
    """

    run: str
    change: RunChange
    events: tuple[Event, ...]
    ms: float
    encoded: int = 0

    @property
    def ranking(self) -> tuple[RankedPassage, ...]:
        """The final ranking, best first."""
        return final(self.events)


class WhatIfService(Service):
    """The runs of a workspace with something changed."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.connection)
        self._runner = runner

    def request(self, run_id: str, change: RunChange) -> RunRequest:
        """What asks for the variant as a run of its own, on the collection as it is now. Raises
        BadInput where the method takes no such base. It has no rights: its sender has.
        """
        return _request(request_of(self._store.runs.get(run_id)), change)

    def variant(self, run_id: str, change: RunChange) -> RunVariant:
        """The run with the change, on the collection as the run saw it; nothing is stored.

        The answer of a language model is left out. Raises BadInput for a change that the method
        does not take, and NotReady where a language model would have to be asked, the run has not
        ended, or what made it is no more.
        """
        run = self._store.runs.get(run_id)
        self._check(run)
        then = [row.event for row in self._store.events.of(run.number)]
        changed = self._changed(run, change)
        runner = self._runner.for_settings(changed.config, asks=False)
        corpus = runner.corpus_of(changed)
        reader = runner.models.reader_without_asking(run, then)
        embedder = runner.models.embedder
        index = RowCache(corpus.index)
        encoded, began = _encoded(embedder), time.perf_counter()
        happened: list[Event] = [runner.started(changed, corpus)]
        method = runner.retriever(changed, index, reader)
        try:
            asked = run.question, changed.k
            ranking = retrievers.answer(method, index, *asked, happened.append)
            found = runner.evidence(changed, index, ranking)
            happened += [found] if found else []
        except NotReady as error:
            if run.reader != LLM_READER:
                raise
            raise NotReady(_would_ask(run)) from error
        if run.options.get("answer") and run.reader != LLM_READER:
            runner.write_answers(changed, reader, index, happened, happened.append)
        ms = (time.perf_counter() - began) * 1000
        return RunVariant(run.id, change, tuple(happened), ms, _encoded(embedder) - encoded)

    def wanted(
        self, run_id: str, change: RunChange, rights: Rights = NO_RIGHTS
    ) -> RunVariant | None:
        """The variant as the worker makes it; None until it has. The first look asks for it.

        For a process without models, which looks again. Raises NotReady or BadInput as `variant`
        does, NotReady where the workspace is open for reading only, and Refused for a change that
        names a model which its sender may not choose.
        """
        if self._store.db.read_only:
            raise NotReady("This workspace is open for reading only, so nothing is computed in it.")
        run = self._store.runs.get(run_id)
        values = {name: run.config.get(name) for name in change.settings}
        changed = {name: v for name, v in change.settings.items() if v != values[name]}
        rights.check_models(models_named(changed))
        with self._store.transaction():  # nobody adds a variant between the count and this one
            if self.connection.restricted:
                demonstration.check_waiting(self._store.variants.waiting())
            row = self._store.variants.want(run.id, change.to_json())
        if row.state == "failed":
            raise NotReady(row.message)
        if row.state != "done":
            return None
        happened = tuple(self._store.variants.events(row.id))
        return RunVariant(run_id, change, happened, row.ms, row.encoded)

    def await_variant(
        self, run_id: str, change: RunChange, most_s: float, rights: Rights = NO_RIGHTS
    ) -> RunVariant | None:
        """As `wanted`, after at most so many seconds of waiting for the worker."""
        until = time.monotonic() + most_s
        found = self.wanted(run_id, change, rights)
        while found is None and time.monotonic() < until:
            time.sleep(LOOK_S)
            found = self.wanted(run_id, change, rights)
        return found

    def take(self) -> bool:
        """Make the variant that waits longest; False if none does. How it ends is stored."""
        row = self._store.variants.claim_next()
        if row is None:
            return False
        try:
            made = self.variant(row.run, RunChange.from_json(row.change))
        except GearError as error:
            self._store.variants.fail(row.id, str(error))
        except Exception as error:
            self._store.variants.fail(row.id, application_error(error))
            raise
        else:
            self._store.variants.finish(row.id, made.events, made.ms, made.encoded)
        return True

    def _changed(self, run: RunInfo, change: RunChange) -> RunInfo:
        """The run as it would be stored with the change, at its own revision."""
        # The sender's rights were checked when the variant was asked for.
        new = new_run(self._store, replace(self.request(run.id, change), rights=ALL_RIGHTS))
        set_ = new.triple_set
        return replace(
            run,
            method=new.method,
            config=new.config,
            k=new.k,
            options=new.options,
            set_id=set_.id if set_ else None,
            triple_set=set_.name if set_ else None,
        )

    def _check(self, run: RunInfo) -> None:
        """Raise NotReady where a variant would not be comparable with what is stored."""
        if run.recorded:
            check_complete(self._store.collections.get(run.collection))
        if run.state != "done":
            raise NotReady(f"Run {run.id} is {run.state}. Ask what if of one that is done.")
        if run.reader in RECORDED:
            raise NotReady(
                "What the reader of this run says is written down, and would be the same whatever"
                " it reads. Ask what if of a run with another reader."
            )
        outdated = self.outdated(run)
        if outdated:
            raise NotReady(f"{outdated} Run it again, then ask what if.")

    def outdated(self, run: RunInfo) -> str:
        """What made the run and is another now, in a sentence; "" where nothing is. A variant would
        differ from such a run by more than its change. No model is loaded.
        """
        try:
            models = self._runner.model_versions(run.config)
        except GearError as error:  # a model that the run names is not to be had
            return str(error)
        now = {"method": retrievers.version_words(run.method)} | models
        then = {part: run.versions.get(part, words) for part, words in now.items()}
        old, new = (set(", ".join(one.values()).split(", ")) for one in (then, now))
        if old == new:
            return ""
        made = ", ".join(sorted(old - new)) or "less"
        return f"Run {run.id} was made with {made}; now it is {', '.join(sorted(new - old))}."


def _request(asked: RunRequest, change: RunChange) -> RunRequest:
    """A request with a change. Raises BadInput where the method does not take it."""
    method = _over(asked.method, change.base)
    config = retrievers.config_for(method)
    changed = dict(change.settings)
    k = _whole(K, changed.pop(K, asked.k))
    proximal = _whole(PROXIMAL, changed.pop(PROXIMAL, asked.options.proximal))
    unlinked = _whole(UNLINKED, changed.pop(UNLINKED, asked.options.unlinked))
    known = {*settings(config), ENCODER}
    kept = {name: value for name, value in asked.settings.items() if name in known}
    if method != asked.method:  # over another base a method may begin with other settings
        usual = settings(retrievers.config_for(asked.method))
        kept = {name: value for name, value in kept.items() if value != usual.get(name)}
    overridden(overridden(config, kept), changed)
    edits = dict.fromkeys([*asked.options.edits, *change.edits])
    return replace(
        asked,
        method=method,
        settings={**kept, **changed},
        k=k,
        options=replace(asked.options, edits=tuple(edits), proximal=proximal, unlinked=unlinked),
    )


def _over(method: str, base: str) -> str:
    """The method over another base; "" leaves it as it is."""
    if not base:
        return method
    own = retrievers.parse(method)[0]
    named = f"{own}:{base}"
    retrievers.parse(named)
    return own if retrievers.parse(own)[1] == base else named


def _whole(name: str, value: str | int | float) -> int:
    try:
        return int(str(value))  # int() alone would cut 2.7 to 2
    except ValueError as error:
        raise BadInput(f"{name} takes a whole number, not {value!r}") from error


def _is_value(value: object) -> bool:
    """Whether a setting may be this at all: words or a finite number."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _encoded(embedder: object) -> int:
    return embedder.encoded if isinstance(embedder, CachedEmbedder) else 0


def _would_ask(run: RunInfo) -> str:
    model = run.versions.get("reader", "the language model")
    return (
        f"With this change {model} would read something that it has not read yet. Nothing was"
        " asked. Keep the variant as a run to ask it."
    )

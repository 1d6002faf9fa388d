"""Entries of a comparison, each a method with settings, and labels that tell runs apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from gear_app.core.overrides import settings
from gear_app.core.text import cut
from gear_app.display import labels
from gear_app.display.labels import LLM, method_name
from gear_app.display.settings import all_words
from gear_app.methods import METHODS, config_for
from gear_app.store.rows import RunInfo

MOST = 8  # columns that can still be read side by side
USUAL_K = 15
LONGEST = 33  # characters of a model’s name in a label


@dataclass(frozen=True, slots=True)
class Entry:
    """Request for one column: a method as `method[:base]`, with settings and the rest.

    `settings` are those that differ from its defaults. `triples` None is the collection's active
    set.
    """

    method: str
    settings: tuple[tuple[str, str], ...] = ()
    triples: str | None = None
    k: int = USUAL_K
    reader: str = "local"


def usual(*, triples: bool) -> list[Entry]:
    """The entries a visitor begins with; without triples only the methods that need none."""
    when = ("always", "with triples" if triples else "without triples")
    return [Entry(name) for name, method in METHODS.items() if method.compared in when]


def reads(method: str) -> bool:
    """Whether a method asks a reader; one this program does not know may."""
    spec = METHODS.get(method.partition(":")[0])
    return spec is None or spec.reads()


def defaults(method: str, limit: int | None) -> dict[str, Any]:
    """A method's settings where nobody changed any.

    `limit` is the collection's own iteration limit. A method this program does not know, of a run
    made elsewhere, has none.
    """
    registered = method.partition(":")[0] in METHODS
    fields = settings(config_for(method)) if registered else {}
    limited = limit is not None and "max_iterations" in fields
    return fields | ({"max_iterations": limit} if limited else {})


def changed_settings(run: RunInfo, limit: int | None) -> tuple[tuple[str, str], ...]:
    """A run's settings that are not its method's defaults, by full name."""
    usual_ = defaults(run.method, limit)
    return tuple(
        (name, str(value)) for name, value in run.config.items() if usual_.get(name, value) != value
    )


def of_run(run: RunInfo, limit: int | None) -> Entry:
    """The entry that asks for a run like this one."""
    return Entry(run.method, changed_settings(run, limit), run.triple_set, run.k, run.reader)


def entry_words(entry: Entry, model: str = "", limit: int | None = None) -> str:
    """An entry in words: "GEAR, Width b 5, triples local".

    `model` is the one that a language model's entry asks, `limit` the collection's own.
    """
    parts = [f"read by {model or 'a language model'}"] if entry.reader == LLM else []
    config = defaults(entry.method, limit) | dict(entry.settings)
    parts += all_words(entry.method, config, list(dict(entry.settings)))
    parts += [f"triples {entry.triples}"] if entry.triples else []
    parts += [f"k {entry.k}"] if entry.k != USUAL_K else []
    return ", ".join([method_name(entry.method), *parts])


def run_labels(runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    """A label for every run, all different: its method, the settings that are not the defaults, and
    triple set, k and reader where these differ among the runs; the id of runs that are alike.
    """
    facts = [
        (f"triples {run.triple_set}" if run.triple_set else "", f"k {run.k}", _reader(run))
        for run in runs
    ]
    differing = [len({fact for fact in column if fact}) > 1 for column in zip(*facts, strict=True)]
    labels_ = [
        ", ".join([method_name(run.method), *_changed(run, limit), *filter(None, differences)])
        for run, of_run in zip(runs, facts, strict=True)
        for differences in [compress(of_run, differing)]
    ]
    times = Counter(labels_)
    return [
        label if times[label] == 1 else f"{label}, run {run.id[:5]}"
        for label, run in zip(labels_, runs, strict=True)
    ]


def _changed(run: RunInfo, limit: int | None) -> list[str]:
    """A run's settings that are not the defaults, in words."""
    return all_words(run.method, run.config, list(dict(changed_settings(run, limit))))


def _reader(run: RunInfo) -> str:
    """The reader of a run; "" for a method without one."""
    reader = labels.reader_name(run.reader, labels.model_of(run))
    return cut(reader, LONGEST) if reads(run.method) else ""


def settings_words(run: RunInfo, limit: int | None) -> str:
    """A run's settings that are not the defaults; "" for none."""
    words = _changed(run, limit) + [f"k {run.k}"] * (run.k != USUAL_K)
    words += [f"read by {_reader(run)}"] * (run.reader == LLM and reads(run.method))
    return ", ".join(words)

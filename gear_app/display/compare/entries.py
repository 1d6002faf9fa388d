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


def of_run(run: RunInfo, limit: int | None) -> Entry:
    """The entry that asks for a run like this one."""
    usual_ = defaults(run.method, limit)
    changed = {name: v for name, v in run.config.items() if usual_.get(name, v) != v}
    settings_ = tuple((name, str(value)) for name, value in changed.items())
    return Entry(run.method, settings_, run.triple_set, run.k, run.reader)


def _changed(entry: Entry, limit: int | None) -> list[str]:
    config = defaults(entry.method, limit) | dict(entry.settings)
    return all_words(entry.method, config, list(dict(entry.settings)))


def entry_words(entry: Entry, model: str = "", limit: int | None = None) -> str:
    """An entry in words: "GEAR, Width b 5, triples local".

    `model` is the one that a language model's entry asks, `limit` the collection's own.
    """
    triples = [f"triples {entry.triples}"] if entry.triples else []
    rest = settings_words(entry, model, limit)
    return ", ".join(filter(None, [method_name(entry.method), rest, *triples]))


def settings_words(entry: Entry, model: str, limit: int | None) -> str:
    """The settings of an entry that are not the defaults, k and model among them; "" for none."""
    by = f"read by {cut(model, LONGEST) or 'a language model'}"
    has_model = entry.reader == LLM and reads(entry.method)
    k = [f"k {entry.k}"] * (entry.k != USUAL_K)
    return ", ".join([*_changed(entry, limit), *k, *[by] * has_model])


def run_settings(run: RunInfo, limit: int | None) -> str:
    """A run's settings that are not the defaults; "" for none."""
    return settings_words(of_run(run, limit), labels.model_of(run), limit)


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
        ", ".join(filter(None, [method_name(run.method), *settings, *compress(facts_, differing)]))
        for run, facts_ in zip(runs, facts, strict=True)
        for settings in [_changed(of_run(run, limit), limit)]
    ]
    times = Counter(labels_)
    return [
        label if times[label] == 1 else f"{label}, run {run.id[:5]}"
        for label, run in zip(labels_, runs, strict=True)
    ]


def _reader(run: RunInfo) -> str:
    reader = labels.reader_name(run.reader, labels.model_of(run))
    return cut(reader, LONGEST) if reads(run.method) else ""

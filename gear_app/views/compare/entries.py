"""The entries of a comparison, each a method with settings, and names that tell them apart."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.overrides import settings
from gear_app.retrievers import METHODS, config_for
from gear_app.store.rows import RunInfo
from gear_app.text import cut
from gear_app.views import labels
from gear_app.views.labels import LLM, method_name
from gear_app.views.settings import told as settings_told

MOST = 8  # columns that can still be read side by side
NAMED = 2  # settings that a name tells
USUAL_K = 15
LONGEST = 33  # characters of a model’s name in a label


@dataclass(frozen=True, slots=True)
class Entry:
    """What is asked of one column: a method as `method[:base]`, with settings and the rest.

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
    known = METHODS.get(method.partition(":")[0])
    return known is None or known.reads()


def readable(entries: Iterable[Entry], reader: str) -> list[Entry]:
    """Those of the entries whose method asks a reader, read by this one."""
    return [dataclasses.replace(entry, reader=reader) for entry in entries if reads(entry.method)]


def defaults(method: str, limit: int | None) -> dict[str, Any]:
    """A method's settings where nobody changed any.

    `limit` is the collection's own iteration limit. A method this program does not know, of a run
    made elsewhere, has none.
    """
    if method.partition(":")[0] not in METHODS:
        return {}
    found = settings(config_for(method))
    return (
        found | {"max_iterations": limit}
        if limit is not None and "max_iterations" in found
        else found
    )


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
    told = [f"read by {model or 'a language model'}"] if entry.reader == LLM else []
    config = defaults(entry.method, limit) | dict(entry.settings)
    told += settings_told(entry.method, config, list(dict(entry.settings)))
    told += [f"triples {entry.triples}"] if entry.triples else []
    told += [f"k {entry.k}"] if entry.k != USUAL_K else []
    return ", ".join([method_name(entry.method), *told])


def run_labels(runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    """A name for every run, all different: its method, then what it does not share with the others.

    Of the settings that are not the defaults a few are told, those first that differ among runs of
    the same method; then the triple set, k and reader where they differ; where all this is alike,
    the run's id.
    """
    found = [
        ", ".join([method_name(run.method), *_told(run, runs, limit), *_others(run, runs)])
        for run in runs
    ]
    twice = Counter(found)
    return [
        label if twice[label] == 1 else f"{label}, run {run.id[:5]}"
        for label, run in zip(found, runs, strict=True)
    ]


def _told(run: RunInfo, runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    alike = [other for other in runs if other.method == run.method]
    apart = {
        name for name in run.config if len({str(other.config.get(name)) for other in alike}) > 1
    }
    mine = sorted(dict(changed_settings(run, limit)), key=lambda name: name not in apart)
    told = settings_told(run.method, run.config, mine)
    return told[:NAMED] + ([f"+{len(told) - NAMED} more"] if len(told) > NAMED else [])


def _others(run: RunInfo, runs: Sequence[RunInfo]) -> Iterable[str]:
    with_triples = {other.triple_set for other in runs if other.triple_set}
    if run.triple_set and len(with_triples) > 1:
        yield f"triples {run.triple_set}"
    if len({other.k for other in runs}) > 1:
        yield f"k {run.k}"
    apart = {
        _reader(other) for other in runs if run.reader == LLM or other.method == run.method
    } - {""}
    if (
        _reader(run) and len(apart) > 1
    ):  # a local reader goes without saying where the method has no other here
        yield _reader(run)


def _reader(run: RunInfo) -> str:
    """Who read for the run, in a few words; "" for a method that asks nobody."""
    if not reads(run.method):
        return ""
    name = labels.reader_name(run.reader, labels.model_of(run))
    return cut(name, LONGEST)


def settings_words(run: RunInfo, limit: int | None) -> str:
    """All of a run's settings that are not the defaults, in words; "" for none."""
    found = settings_told(run.method, run.config, list(dict(changed_settings(run, limit))))
    found += [f"k {run.k}"] if run.k != USUAL_K else []
    found += [f"read by {_reader(run)}"] if run.reader == LLM and _reader(run) else []
    return ", ".join(found)


def changes(entry: Entry) -> Mapping[str, str]:
    """The entry's settings as a run is asked with them."""
    return dict(entry.settings)

"""What a comparison is made of: entries (a method with its base and settings) and the names that tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.config import settings
from gear_app.retrievers import METHODS, config_for
from gear_app.views.names import method_name
from gear_app.workspace import RunInfo

MOST = 8  # columns that can still be read side by side
USUAL = ("hybrid", "sync_ge", "gear", "hipporag", "griever", "ircot")
NAMED = 2  # settings that a name tells
USUAL_K = 15


@dataclass(frozen=True, slots=True)
class Entry:
    """What is asked of one column: a method as `method[:base]`, the settings that differ from its defaults, the rest.

    `triples` None is the collection's active set.
    """

    method: str
    settings: tuple[tuple[str, str], ...] = ()
    triples: str | None = None
    k: int = USUAL_K
    reader: str = "local"


def usual(*, triples: bool) -> list[Entry]:
    """The entries a visitor begins with; without triples only the methods that need none."""
    names = USUAL if triples else METHODS
    return [Entry(name) for name in names if name in METHODS and (triples or not METHODS[name].triples)]


def defaults(method: str, limit: int | None) -> dict[str, Any]:
    """A method's settings where nobody changed any; `limit` is the collection's own iteration limit.

    A method this program does not know, of a run made elsewhere, has none.
    """
    if method.partition(":")[0] not in METHODS:
        return {}
    found = settings(config_for(method))
    return found | {"max_iterations": limit} if limit is not None and "max_iterations" in found else found


def changed(run: RunInfo, limit: int | None) -> tuple[tuple[str, str], ...]:
    """A run's settings that are not its method's defaults, by full name."""
    usual_ = defaults(run.method, limit)
    return tuple((name, str(value)) for name, value in run.config.items() if usual_.get(name, value) != value)


def of_run(run: RunInfo, limit: int | None) -> Entry:
    """The entry that asks for a run like this one."""
    return Entry(run.method, changed(run, limit), run.triple_set, run.k, run.reader)


def described(entry: Entry) -> str:
    """An entry in words, as settings are written on the command line: `GEAR width=5`."""
    words = [f"{_short(name)}={value}" for name, value in entry.settings]
    words += [f"triples={entry.triples}"] if entry.triples else []
    words += [f"k={entry.k}"] if entry.k != USUAL_K else []
    return " ".join([method_name(entry.method), *words])


def labels(runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    """A name for every run, all different: its method, then what it does not share with the others.

    Of the settings that are not the defaults a few are told, those first that differ among runs of the same method;
    then the triple set, k and reader where they differ; where all this is alike, the run's id.
    """
    found = [" ".join([method_name(run.method), *_told(run, runs, limit), *_others(run, runs)]) for run in runs]
    twice = Counter(found)
    return [
        label if twice[label] == 1 else f"{label}, run {run.id[:5]}" for label, run in zip(found, runs, strict=True)
    ]


def _told(run: RunInfo, runs: Sequence[RunInfo], limit: int | None) -> list[str]:
    alike = [other for other in runs if other.method == run.method]
    apart = {name for name in run.config if len({str(other.config.get(name)) for other in alike}) > 1}
    mine = sorted(changed(run, limit), key=lambda setting: setting[0] not in apart)
    told = [f"{_short(name)}={value}" for name, value in mine]
    return told[:NAMED] + ([f"+{len(told) - NAMED} more"] if len(told) > NAMED else [])


def _others(run: RunInfo, runs: Sequence[RunInfo]) -> Iterable[str]:
    with_triples = {other.triple_set for other in runs if other.triple_set}
    if run.triple_set and len(with_triples) > 1:
        yield f"triples={run.triple_set}"
    if len({other.k for other in runs}) > 1:
        yield f"k={run.k}"
    if len({other.reader for other in runs}) > 1:
        yield f"reader={run.reader}"


def _short(name: str) -> str:
    """A setting's own name: `beam.width` is width; a part's depth or constant keeps its part."""
    part, _, own = name.rpartition(".")
    return own if part in ("", "beam") else f"{part.rpartition('.')[2]}.{own}"


def changes(entry: Entry) -> Mapping[str, str]:
    """The entry's settings as a run is asked with them."""
    return dict(entry.settings)

"""The settings of a run as dials: the stops that each can be turned to, the change that they make,
and that change in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from gear_app.core.errors import GearError
from gear_app.display import settings as setting_views
from gear_app.display.labels import base_name
from gear_app.methods import METHODS, as_paper, bases, follows_links, parse
from gear_app.models.reader.edits import ReadingEdit, edits_of
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Read
from gear_app.workspace.runs.rerun import NO_CHANGE, RunChange

K, PROXIMAL, UNLINKED, BASE = "k", "proximal", "unlinked", "base"
OTHERS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    K: ("Passages k", "So many the base retriever finds", ("5", "10", "15", "30")),
    PROXIMAL: (
        "Proximal triples",
        "So many of a reading start the search, the surest first",
        ("1", "2", "3", "5", "0"),
    ),
    UNLINKED: (
        "Links",
        "Off: the same method over a graph in which nothing is joined, so what is lost is what the"
        " graph gave",
        ("0", "1"),
    ),
}
"""Label, meaning and stops of what is set besides the method's own settings."""
WORDS = {PROXIMAL: {"0": "all"}, UNLINKED: {"0": "on", "1": "off"}}  # of what is no number


class Stop(NamedTuple):
    """A value that a setting can be turned to, and what it is called."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Dial:
    """A setting of a run with its stops; `now` is the run's own value, which is one of them."""

    name: str
    label: str
    help: str
    stops: tuple[Stop, ...]
    now: str


def dials(run: RunInfo, change: RunChange = NO_CHANGE) -> list[Dial]:
    """Settings of a run that can be turned, in the order of its method; the values of a change are
    among the stops, and γ's stops go by its width. None for a run of a method that is not known
    any more.
    """
    turned = {name: str(value) for name, value in change.settings.items()}
    try:
        dials = [_base(run, change.base)] if bases(parse(run.method)[0]) else []
        form = setting_views.form(run.method)
    except GearError:
        return []
    if follows_links(run.method):
        dials.append(_other(UNLINKED, str(run.options.get(UNLINKED, 0)), turned))
    if any(METHODS[name].proximal for name in run.method.split(":")):
        now = str(run.options.get(PROXIMAL, 0))
        dials.append(_other(PROXIMAL, now, turned))
    for setting in form:
        if setting.name in run.config and (setting.stops or _is_gamma(setting.name)):
            dials.append(_dial(setting, run.config, turned))
    if METHODS[parse(run.method)[0]].over != "step":
        dials.append(_other(K, str(run.k), turned))
    return dials


def _base(run: RunInfo, turned: str) -> Dial:
    method, now = parse(run.method)
    retrievers = [name for name in bases(method) if not METHODS[name].needs_weights]
    names = dict.fromkeys([*retrievers, now, turned or now])
    stops = tuple(Stop(name, base_name(name)) for name in names)
    return Dial(BASE, "Base retriever", "What the method stands over", stops, now)


def _other(name: str, now: str, turned: Mapping[str, str]) -> Dial:
    label, help_, values = OTHERS[name]
    order = _number_or_all if name == PROXIMAL else _number
    every = _with(values, now, turned.get(name, now), order=order)
    return Dial(name, label, help_, _stops(every, WORDS.get(name, {})), now)


def _dial(
    setting: setting_views.Setting, config: Mapping[str, object], turned: Mapping[str, str]
) -> Dial:
    value = str(config[setting.name])
    now_turned = turned.get(setting.name, value)
    if not _is_gamma(setting.name):
        every = _with(list(map(str, setting.stops)), value, now_turned)
        stops = _stops(every, {"True": "on", "False": "off"})
        return Dial(setting.name, setting.label, setting.help, stops, value)
    wide = f"{setting.name.rpartition('.')[0]}.width"
    width = int(turned.get(wide, str(config[wide])))
    times = {str(by * width): f"{by if by > 1 else ''}b = {by * width}" for by in (1, 2, 4)}
    now = str(2 * width) if value == "auto" else value
    help_ = (
        f"The n-th extension of a beam counts e^(−min(n, γ)/γ); off: all alike. b is {width} here."
        " At 1 only the best is spared: what 0, which would divide by nothing, tends to"
    )
    named = ("none", *dict.fromkeys(("1", *times)))
    every = _with(named, now, turned.get(setting.name, now))
    return Dial(setting.name, setting.label, help_, _stops(every, {"none": "off"} | times), now)


def _is_gamma(name: str) -> bool:
    """Whether it is the diversity of beams, whose stops are made of their width."""
    return name.rpartition(".")[2] == "gamma"


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return -1.0


def _number_or_all(value: str) -> float:
    """The number of proximal triples, of which 0 means all."""
    return _number(value) or float("inf")


def _with(
    values: Sequence[str], *others: str, order: Callable[[str], float] = _number
) -> list[str]:
    """The values in their order, others at their place among them."""
    every = list(values)
    for other in others:
        if other not in every:
            larger = (at for at, value in enumerate(every) if order(value) > order(other))
            every.insert(next(larger, len(every)), other)
    return every


def _stops(values: Sequence[str], labels: Mapping[str, str]) -> tuple[Stop, ...]:
    return tuple(Stop(value, labels.get(value, value)) for value in values)


def as_in_paper(run: RunInfo) -> RunChange:
    """The change that makes a run what its method's paper describes; none where it is that already,
    or of a method that is not known any more.
    """
    try:
        paper = as_paper(run.method)
    except GearError:
        return NO_CHANGE
    return RunChange({name: paper[name] for name in paper if run.config.get(name) != paper[name]})


def change_words(run: RunInfo, change: RunChange) -> str:
    """A change in a few words: "Base retriever BM25, Diversity γ off"; "" for none."""
    labels = {dial.name: dial for dial in dials(run, change)}
    parts = [f"Base retriever {base_name(change.base)}"] if change.base else []
    settings, paper = dict(change.settings), as_in_paper(run).settings
    if paper and paper.items() <= settings.items():
        parts.append("the paper’s settings")
        settings = {name: value for name, value in settings.items() if name not in paper}
    for name, value in settings.items():
        dial = labels.get(name)
        label = dial.label if dial else setting_views.label_and_help(run.method, name)[0]
        stops = {stop.value: stop.label for stop in dial.stops} if dial else {}
        parts.append(f"{label} {stops.get(str(value), setting_views.value_words(value))}")
    return ", ".join([*parts, *_edits_words(change.edits)])


def set_to(run: RunInfo) -> str:
    """Options of a run that are not the default: "Set to: …", for its head; "" for nothing.

    The screen and the saved page say the same.
    """
    words = [setting_views.changed_words(run.method, run.config), options_words(run.options)]
    changed = ", ".join(filter(None, words))
    return f"Set to: {changed}" if changed else ""


def options_words(options: Mapping[str, Any]) -> str:
    """Edits of the reader's input in a run's options, in a few words; "" for nothing."""
    most = [f"{OTHERS[PROXIMAL][0]} {options[PROXIMAL]}"] if options.get(PROXIMAL) else []
    most += [f"{OTHERS[UNLINKED][0]} off"] if options.get(UNLINKED) else []
    return ", ".join([*most, *_edits_words(edits_of(options))])


def _edits_words(edits: Sequence[ReadingEdit]) -> list[str]:
    """Those that are taken first: after "without" they would read as dropped."""
    return [_edit_words(edit) for edit in sorted(edits, key=lambda edit: not edit.taken)]


def _edit_words(edit: ReadingEdit) -> str:
    kind = "gist entry" if edit.purpose == "gist" else "proximal triple"
    fact = f"“{' '.join(edit.fact)}”"
    return f"{fact} as a {kind}" if edit.taken else f"without the {kind} {fact}"


class GivenFact(NamedTuple):
    """A fact that a run's reader gave, which an edit can name; `iteration` is the first one."""

    purpose: Literal["sync", "gist"]
    words: tuple[str, str, str]
    iteration: int

    @property
    def label(self) -> str:
        """The fact, its kind and its iteration, for a list."""
        fact = "gist entry" if self.purpose == "gist" else "proximal triple"
        return f"{' '.join(self.words)} · {fact}, iteration {self.iteration}"


def given_facts(events: Sequence[Event]) -> list[GivenFact]:
    """The facts that the readings of a run gave, each once a purpose, in order."""
    facts: dict[tuple[str, tuple[str, str, str]], GivenFact] = {}
    for event in events:
        if isinstance(event, Read):
            for triple in event.triples:
                words = triple.words
                fact = GivenFact(event.purpose, words, event.iteration)
                facts.setdefault((event.purpose, words), fact)
    return list(facts.values())

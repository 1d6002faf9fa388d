"""The settings of a run as dials: the stops that each can be turned to, the change that they make,
and that change in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
        "Off: the same method over a graph in which nothing is joined. The drop shows what the"
        " graph contributes",
        ("0", "1"),
    ),
}
"""Label, meaning and stops of what is set besides the method's own settings."""
ALL = "all"
SWITCH = {"True": "on", "False": "off"}
WORDS = {PROXIMAL: {"0": ALL}, UNLINKED: {"0": "on", "1": "off"}}  # of what is no number
GAMMA = (
    "The n-th extension of a beam counts e^(−min(n, γ)/γ); off: all alike. b is {} here. At 1 only"
    " the best is spared"
)


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
        method, base = parse(run.method)
        form = setting_views.form(run.method)
    except GearError:
        return []
    rows = []
    if retrievers := [name for name in bases(method) if not METHODS[name].needs_weights]:
        names = dict.fromkeys([*retrievers, base, change.base or base])
        stops = tuple(Stop(name, base_name(name)) for name in names)
        rows.append(Dial(BASE, "Base retriever", "What the method stands over", stops, base))
    if follows_links(run.method):
        rows.append(_other(UNLINKED, run.options.get(UNLINKED, 0), turned))
    if any(METHODS[name].proximal for name in run.method.split(":")):
        rows.append(_other(PROXIMAL, run.options.get(PROXIMAL, 0), turned))
    for setting in form:
        if setting.name in run.config and (setting.stops or setting.name.endswith("gamma")):
            rows.append(_dial(setting, run.config, turned))
    if METHODS[method].over != "step":
        rows.append(_other(K, run.k, turned))
    return rows


def _other(name: str, now: object, turned: Mapping[str, str]) -> Dial:
    label, help_, values = OTHERS[name]
    every = [*values, str(now), turned.get(name, str(now))]
    return Dial(name, label, help_, _stops(every, WORDS.get(name, {})), str(now))


def _dial(
    setting: setting_views.Setting, config: Mapping[str, object], turned: Mapping[str, str]
) -> Dial:
    """A setting of the method; γ's stops are made of the width of the beams."""
    now, help_, words = str(config[setting.name]), setting.help, SWITCH
    values: Iterable[str] = map(str, setting.stops)
    if setting.name.endswith("gamma"):
        wide = setting.name.replace("gamma", "width")
        width = int(turned.get(wide, str(config[wide])))
        words = {str(by * width): f"{by if by > 1 else ''}b = {by * width}" for by in (1, 2, 4)}
        values, help_ = ("none", "1", *words), GAMMA.format(width)
        words = {"none": "off", **words}
        now = str(2 * width) if now == "auto" else now
    stops = _stops([*values, now, turned.get(setting.name, now)], words)
    return Dial(setting.name, setting.label, help_, stops, now)


def _stops(values: Iterable[str], labels: Mapping[str, str]) -> tuple[Stop, ...]:
    """The values as stops, each once and numbers in their order."""
    stops = [Stop(value, labels.get(value, value)) for value in dict.fromkeys(values)]
    return tuple(sorted(stops, key=_number))


def _number(stop: Stop) -> float:
    """The place of a stop: words first, "all" last."""
    try:
        return float("inf" if stop.label == ALL else stop.value)
    except ValueError:
        return -1.0


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
    parts = [f"Base retriever {base_name(change.base)}"] if change.base else []
    settings, paper = dict(change.settings), as_in_paper(run).settings
    if paper and paper.items() <= settings.items():
        parts.append("the paper’s settings")
        settings = {name: value for name, value in settings.items() if name not in paper}
    turned = {dial.name: dial for dial in dials(run, change)}
    for name, value in settings.items():
        words = setting_views.words(run.method, name, value)
        for stop in turned[name].stops if name in turned else ():
            if stop.value == str(value):
                words = f"{turned[name].label} {stop.label}"
        parts.append(words)
    return ", ".join([*parts, *_edits_words(change.edits)])


def set_to(run: RunInfo) -> str:
    """Settings and options of a run that are not the default, for its head; "" for none."""
    options = run.options
    words = [
        setting_views.changed_words(run.method, run.config),
        f"{OTHERS[PROXIMAL][0]} {options[PROXIMAL]}" if options.get(PROXIMAL) else "",
        f"{OTHERS[UNLINKED][0]} off" if options.get(UNLINKED) else "",
        *_edits_words(edits_of(options)),
    ]
    changed = ", ".join(filter(None, words))
    return f"Set to: {changed}" if changed else ""


def _edits_words(edits: Sequence[ReadingEdit]) -> list[str]:
    """Edits in words, those that are taken first: after "without" they would read as dropped."""
    words = []
    for edit in sorted(edits, key=lambda edit: not edit.taken):
        kind, fact = KINDS[edit.purpose], f"“{' '.join(edit.fact)}”"
        words.append(f"{fact} as a {kind}" if edit.taken else f"without the {kind} {fact}")
    return words


KINDS = {"gist": "gist entry", "sync": "proximal triple"}


class GivenFact(NamedTuple):
    """A fact that a run's reader gave, which an edit can name; `iteration` is the first one."""

    purpose: Literal["sync", "gist"]
    words: tuple[str, str, str]
    iteration: int

    @property
    def label(self) -> str:
        """The fact, its kind and its iteration, for a list."""
        return f"{' '.join(self.words)} · {KINDS[self.purpose]}, iteration {self.iteration}"


def given_facts(events: Sequence[Event]) -> list[GivenFact]:
    """The facts that the readings of a run gave, each once a purpose, in order."""
    facts: dict[Any, GivenFact] = {}
    for event in (event for event in events if isinstance(event, Read)):
        for triple in event.triples:
            fact = GivenFact(event.purpose, triple.words, event.iteration)
            facts.setdefault(fact[:2], fact)
    return list(facts.values())

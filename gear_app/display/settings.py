"""A method's settings as a form and in words; those of a run as dials for a what-if, and a change
of them in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.core.config import ENCODER, ENCODER_INFO, BaseConfig, SettingInfo, setting_infos
from gear_app.core.errors import GearError
from gear_app.core.overrides import choices, settings
from gear_app.display.labels import PAPER, base_name, capital, method_name
from gear_app.methods import (
    BASES,
    METHODS,
    ON_SINGLE_STEP,
    as_paper,
    bases,
    config_for,
    follows_links,
    is_as_paper,
    parse,
)
from gear_app.methods.method import DEFAULT_BASE
from gear_app.models.reader.edits import ReadingEdit, edits_of
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Read
from gear_app.workspace.runs.rerun import NO_CHANGE, PROXIMAL, UNLINKED, K, RunChange

PARTS = {"beam": "beam search", "base": "base and fusion"}
SWITCH = {"True": "on", "False": "off"}
BASE = "base"
OPTIONS: Mapping[str, SettingInfo] = {  # what is set besides the method's own settings
    K: SettingInfo("Passages k", "So many the base retriever finds", stops=(5, 10, 15, 30)),
    PROXIMAL: SettingInfo(
        "Proximal triples",
        "So many of a reading start the search, the surest first",
        stops=(0, 1, 2, 3, 5),
    ),
    UNLINKED: SettingInfo(
        "Links",
        "Off: the same method over a graph in which nothing is joined. The drop shows what the"
        " graph contributes",
        stops=(0, 1),
    ),
}
OPTION_LABELS = {PROXIMAL: {"0": "all"}, UNLINKED: {"0": "on", "1": "off"}}
GAMMA = (
    "The n-th extension of a beam counts e^(−min(n, γ)/γ); off: all alike. b is {} here. At 1 only"
    " the best is spared"
)
KINDS = {"gist": "gist entry", "sync": "proximal triple"}  # of facts, by the purpose of a reading

Kind = Literal["switch", "choice", "whole", "number", "words"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of a form."""

    name: str
    group: str  # the part of the method that it belongs to
    info: SettingInfo
    default: Any
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """Which field it takes."""
        if isinstance(self.default, bool):
            return "switch"
        if self.choices:
            return "choice"
        kinds: dict[type, Kind] = {int: "whole", float: "number"}
        return kinds.get(type(self.default), "words")


@dataclass(frozen=True, slots=True)
class Dial:
    """A setting of a run with the values that a what-if can give it."""

    name: str
    label: str
    help: str
    stops: Mapping[str, str]  # values and their labels; `now` is one of them
    now: str  # the run's own value


def form(method: str) -> list[Setting]:
    """Every setting of a method and of what it is over, in order.

    Those of BM25 and dense, which need none, are not.
    """
    config = config_for(method)
    options, infos = choices(config), setting_infos(config)
    fields = [
        Setting(name, _group(method, name), infos[name], default, options.get(name, ()))
        for name, default in settings(config).items()
        if not _unused(method, name)
    ]
    return [*fields, Setting(ENCODER, "Model", ENCODER_INFO, "")]


def _group(method: str, name: str) -> str:
    """The part a setting belongs to: "IRCoT", "SyncGE, beam search", "Hybrid"."""
    owners, part = _owner(method, name)
    title = method_name(owners[-1]) if len(owners) == 1 else capital(base_name(owners[-1]))
    return f"{title}, {PARTS.get(part, part)}" if part else title


def _unused(method: str, name: str) -> bool:
    """Every base retriever has the settings of all; methods over one fuse by the constant."""
    last = name.rpartition(".")[2]
    if last not in settings(BaseConfig()):
        return False
    owners, _ = _owner(method, name)
    if owners[-1] in BASES:
        return last not in BASES[owners[-1]].used
    base = next(iter(method.split(":")[len(owners) :]), DEFAULT_BASE)
    return last not in ("constant", *BASES[base].used)


def _owner(method: str, name: str) -> tuple[list[str], str]:
    """The methods from the first to the one a setting belongs to, and the part of that one."""
    names, part = method.split(":"), ""
    owners = names[:1]
    for step in name.split(".")[:-1]:
        if step == "base" and owners[-1] in METHODS and METHODS[owners[-1]].over in ON_SINGLE_STEP:
            owners, part = [*owners, *(names[len(owners) :] or [DEFAULT_BASE])[:1]], ""
        else:
            part = step
    return owners, part


# In words


def label(method: str, name: str) -> str:
    """The label of a method's setting, by full name or the end of it. One that the method does not
    have, or of a method that is not known, goes by its own name.
    """
    with suppress(GearError):
        infos = {ENCODER: ENCODER_INFO, **setting_infos(config_for(method))}
        for full_name, info in infos.items():
            if f".{full_name}".endswith(f".{name}"):
                return info.label
    return capital(name.rpartition(".")[2].replace("_", " "))


def words(method: str, name: str, value: object) -> str:
    """A method's setting, by full name, and its value: "Width b 5"."""
    return f"{label(method, name)} {_value(value)}"


def _value(value: object) -> str:
    return SWITCH.get(str(value), str(value))


def all_words(method: str, config: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The named settings of a whole configuration in words; those that make a method that of its
    paper in one, before the others.
    """
    paper = as_paper(method) if names and is_as_paper(method, config) else {}
    rest = [words(method, name, config[name]) for name in names if name not in paper]
    return [*([PAPER] if paper else []), *rest]


def paper_words(method: str) -> str:
    """Values of the paper in place of the defaults, in a sentence or two."""
    changed = ", ".join(words(method, name, value) for name, value in as_paper(method).items())
    ours = [capital(base_name(name)) for name in method.split(":") if METHODS[name].ours]
    if ours:
        changed += ". " * bool(changed) + f"{' and '.join(ours)} is ours: no paper describes it"
    return f"{changed or 'Its settings are those of the paper as they are'}."


def rows(method: str, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A run's settings as a table; none of a method that is not known any more."""
    with suppress(GearError):
        return [
            {
                "part": setting.group,
                "setting": setting.info.label,
                "value": _value(config[setting.name]),
                "default": _value(setting.default),
                "changed": "changed"
                if _value(config[setting.name]) != _value(setting.default)
                else "",
                "meaning": setting.info.help,
            }
            for setting in form(method)
            if setting.name in config
        ]
    return []


def run_words(run: RunInfo) -> str:
    """Settings and options of a run that are not the default, for its head; "" for none."""
    names: list[str] = []
    with suppress(GearError):
        usual = {setting.name: setting.default for setting in form(run.method)}
        names = [
            name for name in usual if str(run.config.get(name, usual[name])) != str(usual[name])
        ]
    parts = all_words(run.method, run.config, names)
    for name in (PROXIMAL, UNLINKED):
        if value := run.options.get(name):
            words = OPTION_LABELS[name].get(str(value), value)
            parts.append(f"{OPTIONS[name].label} {words}")
    changed = ", ".join([*parts, *_edit_words(edits_of(run.options))])
    return f"Set to: {changed}" if changed else ""


# What if


def dials(run: RunInfo, change: RunChange = NO_CHANGE) -> list[Dial]:
    """Settings of a run that can be turned, in the order of its method; the values of a change are
    among the stops, and γ's stops go by its width. None for a run of a method that is not known
    any more.
    """
    values = {name: str(value) for name, value in change.settings.items()}
    try:
        method, base = parse(run.method)
        fields = [setting for setting in form(run.method) if setting.name in run.config]
    except GearError:
        return []
    dials = []
    if retrievers := [name for name in bases(method) if not METHODS[name].needs_weights]:
        names = dict.fromkeys([*retrievers, base, change.base or base])
        stops = {name: base_name(name) for name in names}
        dials.append(Dial(BASE, "Base retriever", "What the method stands over", stops, base))
    if follows_links(run.method):
        dials.append(_option(UNLINKED, run.options.get(UNLINKED, 0), values))
    if any(METHODS[name].proximal for name in run.method.split(":")):
        dials.append(_option(PROXIMAL, run.options.get(PROXIMAL, 0), values))
    for setting in fields:
        if setting.name.endswith("gamma"):
            dials.append(_gamma(setting, run.config, values))
        elif setting.info.stops:
            dials.append(
                _dial(setting.name, setting.info, run.config[setting.name], values, SWITCH)
            )
    if METHODS[method].over != "step":
        dials.append(_option(K, run.k, values))
    return dials


def _option(name: str, now: object, values: Mapping[str, str]) -> Dial:
    return _dial(name, OPTIONS[name], now, values, OPTION_LABELS.get(name, {}))


def _dial(
    name: str, info: SettingInfo, now: object, values: Mapping[str, str], labels: Mapping[str, str]
) -> Dial:
    every = {str(now), values.get(name, str(now)), *map(str, info.stops)}
    return Dial(name, info.label, info.help, _stops(every, labels), str(now))


def _gamma(setting: Setting, config: Mapping[str, object], values: Mapping[str, str]) -> Dial:
    """The diversity's dial: off, 1, and multiples of the width of the beams."""
    wide = setting.name.replace("gamma", "width")
    width = int(values.get(wide, str(config[wide])))
    labels = {str(by * width): f"{by if by > 1 else ''}b = {by * width}" for by in (1, 2, 4)}
    now = str(2 * width) if config[setting.name] == "auto" else str(config[setting.name])
    every = {"none", "1", *labels, now, values.get(setting.name, now)}
    stops = _stops(every, {"none": "off", **labels})
    return Dial(setting.name, setting.info.label, GAMMA.format(width), stops, now)


def _stops(values: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
    """Values and their labels, words before numbers."""
    numbers = {value: float(value) if value[0].isdigit() else -1.0 for value in values}
    return {value: labels.get(value, value) for value in sorted(numbers, key=numbers.__getitem__)}


def as_in_paper(run: RunInfo) -> RunChange:
    """The change that makes a run what its method's paper describes; none where it is that already,
    or of a method that is not known any more.
    """
    with suppress(GearError):
        paper = as_paper(run.method)
        return RunChange(
            {name: paper[name] for name in paper if run.config.get(name) != paper[name]}
        )
    return NO_CHANGE


def change_words(run: RunInfo, change: RunChange) -> str:
    """A change in a few words: "Base retriever BM25, Diversity γ off"; "" for none."""
    parts = [f"Base retriever {base_name(change.base)}"] if change.base else []
    values, paper = dict(change.settings), as_in_paper(run).settings
    if paper and paper.items() <= values.items():
        parts.append("the paper’s settings")
        values = {name: value for name, value in values.items() if name not in paper}
    by_name = {dial.name: dial for dial in dials(run, change)}
    for name, value in values.items():
        dial = by_name.get(name)
        named = f"{dial.label} {dial.stops[str(value)]}" if dial else ""
        parts.append(named or words(run.method, name, value))
    return ", ".join([*parts, *_edit_words(change.edits)])


def _edit_words(edits: Iterable[ReadingEdit]) -> list[str]:
    return [f"without the {KINDS[edit.purpose]} “{' '.join(edit.fact)}”" for edit in edits]


def droppable_facts(events: Sequence[Event]) -> dict[ReadingEdit, str]:
    """The facts that the readings of a run gave, as edits that drop them, and a label for each."""
    facts: dict[ReadingEdit, str] = {}
    for event in (event for event in events if isinstance(event, Read)):
        for triple in event.triples:
            label = f"{triple.text} · {KINDS[event.purpose]}, iteration {event.iteration}"
            facts.setdefault(ReadingEdit(event.purpose, triple.words), label)
    return facts

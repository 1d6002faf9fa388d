"""A method's settings as a form and in words, for every field of its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.core.config import ENCODER, ENCODER_INFO, BaseConfig, setting_infos
from gear_app.core.errors import GearError
from gear_app.core.overrides import choices, settings
from gear_app.display.labels import PAPER, base_name, capital, method_name
from gear_app.methods import (
    BASES,
    METHODS,
    ON_SINGLE_STEP,
    as_paper,
    config_for,
    is_as_paper,
)
from gear_app.methods.method import DEFAULT_BASE


def label_and_help(method: str, name: str) -> tuple[str, str]:
    """A method's setting, by full name or the end of it: its label and what it means. One that the
    method does not have, or of a method that is not known, goes by its own name.
    """
    if name == ENCODER:
        return ENCODER_INFO.label, ENCODER_INFO.help
    with suppress(GearError):
        for full, info in setting_infos(config_for(method)).items():
            if f".{full}".endswith(f".{name}"):
                return info.label, info.help
    return name.rpartition(".")[2].replace("_", " ").capitalize(), ""


def words(method: str, name: str, value: object) -> str:
    """A method's setting, by full name, and its value: "Width b 5"."""
    return f"{label_and_help(method, name)[0]} {value_words(value)}"


def told(method: str, config: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The named settings of a whole configuration in words, each on its own: what makes a method
    that of its paper is told as one, before the others.
    """
    paper = as_paper(method) if names and is_as_paper(method, config) else {}
    rest = [words(method, name, config[name]) for name in names if name not in paper]
    return [*([PAPER] if paper else []), *rest]


def paper_words(method: str) -> str:
    """Values of the paper in place of the defaults, in a sentence or two."""
    changes = as_paper(method)
    ours = [capital(base_name(name)) for name in method.split(":") if METHODS[name].ours]
    changed = ", ".join(words(method, name, value) for name, value in changes.items())
    sentences = [f"{changed}." if changed else "Its settings are those of the paper as they are."]
    if ours:
        sentences.append(f"{' and '.join(ours)} is ours: no paper describes it.")
    return " ".join(sentences[not changed and bool(ours) :])


def value_words(value: object) -> str:
    """A value in words."""
    return {"True": "on", "False": "off"}.get(str(value), str(value))


PARTS = {"beam": "beam search", "base": "base and fusion"}

Kind = Literal["switch", "choice", "whole", "number", "words"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of a form.

    `group` is the part of the method it belongs to; `low` and `high` None: no bound.
    """

    name: str
    group: str
    label: str
    help: str
    default: Any
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    stops: tuple[float, ...] = ()

    @property
    def kind(self) -> Kind:
        """Which field it takes."""
        if isinstance(self.default, bool):
            return "switch"
        if self.choices:
            return "choice"
        if isinstance(self.default, int):
            return "whole"
        return "number" if isinstance(self.default, float) else "words"


def form(method: str) -> list[Setting]:
    """Every setting of a method and of what it is over, in order.

    Those of BM25 and dense, which need none, are not.
    """
    config = config_for(method)
    options, infos = choices(config), setting_infos(config)
    fields = []
    for name, default in settings(config).items():
        if not _unused(method, name):
            info, group = infos[name], _group(method, name)
            low, high = info.within or (None, None)
            fields.append(
                Setting(
                    name=name,
                    group=group,
                    label=info.label,
                    help=info.help,
                    default=default,
                    choices=options.get(name, ()),
                    low=low,
                    high=high,
                    stops=info.stops,
                )
            )
    return [*fields, Setting(ENCODER, "Model", ENCODER_INFO.label, ENCODER_INFO.help, "")]


def _of_run(method: str, config: Mapping[str, Any]) -> list[Setting]:
    """The settings of a method that a run has; none of a method that is not known any more."""
    with suppress(GearError):
        return [setting for setting in form(method) if setting.name in config]
    return []


def _differs(setting: Setting, config: Mapping[str, Any]) -> bool:
    return str(config[setting.name]) != str(setting.default)


def changed_words(method: str, config: Mapping[str, Any]) -> str:
    """Settings of a run other than the defaults, in one line; "" for nothing."""
    settings = _of_run(method, config)
    names = [setting.name for setting in settings if _differs(setting, config)]
    return ", ".join(told(method, config, names))


def rows(method: str, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A run's settings as a table."""
    return [
        {
            "part": setting.group,
            "setting": setting.label,
            "value": value_words(config[setting.name]),
            "default": value_words(setting.default),
            "changed": "changed" if _differs(setting, config) else "",
            "meaning": setting.help,
        }
        for setting in _of_run(method, config)
    ]


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

"""One frozen dataclass per method; defaults are the paper's where it states one (gear.txt, App. B.2).

`overridden(config, {"width": "5"})` sets fields by name anywhere in a method's parts.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gear_app.errors import BadInput

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BaseConfig:
    """A base retriever: bm25 and dense need none of it, hybrid fuses `depth` of each."""

    depth: int = 100  # ours: hybrid is RRF of the top 100 of each
    constant: int = 60  # ours: Cormack et al. 2009; the paper states none

    def __post_init__(self) -> None:
        _at_least(self, depth=1, constant=0)


@dataclass(frozen=True, slots=True)
class BeamConfig:
    """Diverse triple beam search (GEAR Alg. 1, App. B.2)."""

    width: int = 10  # b
    length: int = 2  # l
    gamma: int | Literal["auto", "none"] = "auto"  # auto = 2 * width; none switches the weighting off (Table 4)
    neighbours: int = 100  # per beam
    scoring: Literal["screened", "exact"] = "screened"  # exact encodes every candidate, as the paper
    screen: int = 32  # screened: how many candidates a step are encoded

    def __post_init__(self) -> None:
        _at_least(self, width=1, length=1, neighbours=1, screen=1)
        if isinstance(self.gamma, int) and self.gamma < 1:
            raise BadInput(f"gamma must be at least 1, 'auto' or 'none', not {self.gamma}")

    @property
    def penalty(self) -> int | None:
        """Alg. 1's γ as a number, or None when the weighting is off."""
        if self.gamma == "none":
            return None
        return 2 * self.width if self.gamma == "auto" else self.gamma


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """NaiveGE and SyncGE: a base retriever, a beam search and the fusion of both (GEAR Eq. 3)."""

    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@dataclass(frozen=True, slots=True)
class GearConfig:
    """The agent (GEAR §5)."""

    max_iterations: int = 4  # App. B.1: 4, and 2 for two-hop sets; a collection can hold its own
    round_k: int = 10  # App. B.2: passages a round, before synchronisation
    link_k: int = 10  # App. B.2: passages each gist triple is linked to (Eq. 8)
    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)

    def __post_init__(self) -> None:
        _at_least(self, max_iterations=1, round_k=1, link_k=1)


def settings(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """Every field of a config as `part.field: value`, in order."""
    return {name: value for name, value, _ in _leaves(config)}


def overridden(config: T, changes: Mapping[str, str | int | float]) -> T:
    """Return the config with fields set by name (`width`) or full name (`beam.width`).

    Raises BadInput for an unknown name, an ambiguous one (the message gives the full names) or a bad value.
    """
    names = {name: kind for name, _, kind in _leaves(config)}
    result = config
    for wanted, value in changes.items():
        matches = [name for name in names if name == wanted or name.split(".")[-1] == wanted]
        if not matches:
            raise BadInput(f"Unknown setting {wanted!r}. Available: {', '.join(names) or 'none'}")
        if len(matches) > 1 and wanted not in matches:
            raise BadInput(f"{wanted!r} is ambiguous. Say which: {', '.join(matches)}")
        name = wanted if wanted in matches else matches[0]
        result = _replaced(result, name.split("."), _parsed(name, value, names[name]))
    return result


def _leaves(config: Any, prefix: str = "") -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    hints = typing.get_type_hints(type(config))
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            yield from _leaves(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, value, hints[item.name]


def _replaced(config: Any, path: list[str], value: object) -> Any:  # noqa: ANN401
    head, *rest = path
    inner = _replaced(getattr(config, head), rest, value) if rest else value
    return dataclasses.replace(config, **{head: inner})


def _parsed(name: str, value: str | int | float, kind: Any) -> object:  # noqa: ANN401
    options = typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)
    words: list[str] = []
    for option in options:
        if typing.get_origin(option) is Literal:
            words += typing.get_args(option)
            if value in typing.get_args(option):
                return value
        elif option is bool and str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        elif option in (int, float):
            words.append("a whole number" if option is int else "a number")
            try:
                return option(str(value))
            except ValueError:
                continue
    raise BadInput(f"{name} takes {' or '.join(words)}, not {value!r}")


def _at_least(config: object, **lowest: int) -> None:
    for name, bound in lowest.items():
        if getattr(config, name) < bound:
            raise BadInput(f"{name} must be at least {bound}, not {getattr(config, name)}")

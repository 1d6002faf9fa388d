"""A configuration's fields by name, those of its parts included: `base.beam.width`.

`overridden(config, {"width": "5"})` sets fields anywhere in a method's parts.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

from gear_app.core.config import ENCODER, MODELS, NO_MODEL, setting_infos
from gear_app.core.errors import BadInput, did_you_mean

T = TypeVar("T")
FLAGS = {"true": True, "on": True, "1": True, "1.0": True}
FLAGS |= {"false": False, "off": False, "0": False, "0.0": False}


def settings(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """Every field of a config as `part.field: value`, in order."""
    return {name: value for name, value, _ in _leaves(config)}


def bounds(config: Any) -> dict[str, tuple[float, float]]:  # noqa: ANN401
    """The least and the greatest value of the settings that have such, by full name."""
    infos = setting_infos(config)
    return {name: info.within for name, info in infos.items() if info.within}


def choices(config: Any) -> dict[str, tuple[str, ...]]:  # noqa: ANN401
    """The words of the settings that take nothing but certain words, by full name; "True" and
    "False" among them.
    """
    words: dict[str, tuple[str, ...]] = {}
    for name, _, kind in _leaves(config):
        if kind is bool or typing.get_origin(kind) is Literal:
            words[name] = _words(kind)
    return words


def alternatives(config: Any) -> dict[str, tuple[str, ...]]:  # noqa: ANN401
    """Other values of every setting that are worth a try, the nearest first, by full name: of words
    all others; of a number what lies beside it, or half and twice as much, within its bounds.
    """
    limits = bounds(config)
    near_values: dict[str, tuple[str, ...]] = {}
    for name, value, kind in _leaves(config):
        words = [word for word in _words(kind) if word != str(value)]
        if not isinstance(value, bool | str):
            near = _near(value, *limits[name]) if name in limits else (value * 2, value // 2)
            words += [str(near_value) for near_value in dict.fromkeys(near) if near_value != value]
        near_values[name] = tuple(words)
    return {name: values for name, values in near_values.items() if values}


SHARE, FEW = 2, 5  # the range of a share; a number of steps, of which one more or less tells
MOST_STEPS = 100


def _near(value: float, low: float, high: float) -> list[float]:
    """Numbers beside one, within bounds."""
    tried: tuple[float, ...]
    if isinstance(value, int):
        near = 0 < value <= FEW and high <= MOST_STEPS
        tried = (value + 1, value - 1) if near else (value * 2 or 20, value // 2 or 1)
    elif high - low <= SHARE:
        tried = ((value + high) / 2, (value + low) / 2, high, low)
    else:
        tried = (value * 2, value / 2, low)
    return [round(number, 4) for number in tried if low <= number <= high]


def _words(kind: Any) -> tuple[str, ...]:  # noqa: ANN401
    """The words that a setting of this kind takes."""
    if kind is bool:
        return ("True", "False")
    if typing.get_origin(kind) is Literal:
        return tuple(map(str, typing.get_args(kind)))
    return tuple(word for part in typing.get_args(kind) for word in _words(part))


def overridden(config: T, changes: Mapping[str, str | int | float | bool]) -> T:
    """Return the config with fields set by full name (`base.beam.width`) or as much of its end as
    is unique (`width`). ENCODER, which no config has, is left to whoever makes the run.

    Raises BadInput for an unknown name, an ambiguous one (the message gives the full names) or a
    bad value.
    """
    names = {name: kind for name, _, kind in _leaves(config)}
    result = config
    for words, value in changes.items():
        name = _full_name(list(names), words)
        if name == ENCODER:
            continue
        result = _with_value(result, name.split("."), _parse(name, value, names[name]))
    return result


def models_named(changes: Mapping[str, str | int | float | bool]) -> dict[str, str]:
    """The models that settings name, by the last part of a setting's name."""
    pairs = ((name.rpartition(".")[2], str(value).strip()) for name, value in changes.items())
    return {name: value for name, value in pairs if name in MODELS and value not in NO_MODEL}


def full_name(config: Any, words: str) -> str:  # noqa: ANN401
    """The full name of a setting that is named by as much of its end as is unique. Raises BadInput
    as `overridden` does.
    """
    return _full_name([name for name, _, _ in _leaves(config)], words)


def _full_name(names: Sequence[str], words: str) -> str:
    if words == ENCODER:
        return words
    matches = [name for name in names if f".{name}".endswith(f".{words}")]
    if not matches:
        ends = [name.rpartition(".")[2] for name in names]
        hint = did_you_mean(words, [*names, *ends])
        available = ", ".join(names) or "none"
        raise BadInput(f"Unknown setting {words!r}.{hint} Available: {available}")
    if len(matches) > 1 and words not in matches:
        raise BadInput(f"{words!r} is ambiguous. Say which: {', '.join(matches)}")
    return words if words in matches else matches[0]


def _leaves(config: Any, prefix: str = "") -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    hints = typing.get_type_hints(type(config))
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            yield from _leaves(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, value, hints[item.name]


def _with_value(config: Any, path: list[str], value: object) -> Any:  # noqa: ANN401
    head, *rest = path
    inner = _with_value(getattr(config, head), rest, value) if rest else value
    return dataclasses.replace(config, **{head: inner})


def _parse(name: str, value: str | int | float | bool, kind: Any) -> object:  # noqa: ANN401
    options = (
        typing.get_args(kind)
        if typing.get_origin(kind) in (types.UnionType, typing.Union)
        else (kind,)
    )
    words: list[str] = []
    for option in options:
        if typing.get_origin(option) is Literal:
            words += typing.get_args(option)
            if value in typing.get_args(option):
                return value
        elif option is bool:
            words += ["true", "false"]
            if str(value).lower() in FLAGS:
                return FLAGS[str(value).lower()]
        elif option is str:
            return str(value).strip()
        elif option in (int, float):
            words.append("a whole number" if option is int else "a number")
            with suppress(ValueError, OverflowError):
                number = float(str(value))
                integer = int(number)
                if option is float or integer == number:
                    return option(number)
    hint = did_you_mean(str(value), words)
    raise BadInput(f"{name} takes {' or '.join(words)}, not {value!r}.{hint}")

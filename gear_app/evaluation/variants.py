"""Methods with settings, as words: `gear`, `hipporag synonymy=false`, `gear as-paper width=5`; and
which of them differ in one setting, in two, or in their base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from gear_app import methods as retrievers
from gear_app.core.config import ENCODER
from gear_app.core.errors import BadInput
from gear_app.core.overrides import full_name, overridden
from gear_app.core.text import quoted, split_quoted, unquoted
from gear_app.methods import AS_PAPER, METHODS, as_paper, config_for
from gear_app.store.evaluations import ORACLE

FILE = "file:"  # before the tag of a run file among the methods
ALONE = "alone"  # the row of the bases themselves


@dataclass(frozen=True)
class Variant:
    """A method with the settings that are named; the others are its defaults, or its paper's."""

    method: str
    settings: Mapping[str, str]
    as_paper: bool = False

    def __str__(self) -> str:
        """The words as they are stored: single blanks, and quotes if a value needs them."""
        pairs = [f"{name}={quoted(value)}" for name, value in self.settings.items()]
        return " ".join([self.method, *([AS_PAPER] if self.as_paper else []), *pairs])

    @property
    def changes(self) -> Mapping[str, Any]:
        """Settings that differ from the method's defaults."""
        return {**(as_paper(self.method) if self.as_paper else {}), **self.settings}

    @property
    def config(self) -> Any:  # noqa: ANN401
        """The method's configuration with these settings. Raises BadInput or Unknown."""
        return overridden(config_for(self.method), self.changes)

    @property
    def encoder(self) -> str:
        """The embedder that is named; "" for the workspace's own."""
        return self.settings.get(ENCODER, "")

    def with_paper(self) -> Variant:
        """The method with its paper's settings; unchanged if these are its defaults, or it has no
        paper.
        """
        return replace(self, as_paper=self.as_paper or bool(as_paper(self.method)))


@lru_cache(maxsize=1024)
def variant(words: str) -> Variant:
    """Parse `method[:base] [as-paper] [setting=value ...]`; a value with blanks is in quotes.

    Raises BadInput or Unknown for a wrong name or value, and for a setting with two values.
    """
    name, *pairs = [unquoted(part) for part in split_quoted(words)] or [""]
    config = config_for(name)
    named: dict[str, str] = {}
    for pair in (pair for pair in pairs if pair != AS_PAPER):
        setting, equals, value = pair.partition("=")
        if not (setting and equals):
            raise BadInput(
                f"After the method come settings, as in 'hipporag synonymy=false', or {AS_PAPER},"
                f" not {pair!r}"
            )
        named[setting] = value
    parsed = Variant(name, named, AS_PAPER in pairs)
    full = [full_name(config, pair.partition("=")[0]) for pair in pairs if pair != AS_PAPER]
    if len(set(full)) < len(full):
        raise BadInput(
            f"{words!r} gives a setting two values. Name it once; to sweep over a setting, leave it"
            " out of the method."
        )
    _ = parsed.config
    return parsed


def is_file(words: str) -> bool:
    """Whether a method of an evaluation is a run file."""
    return words.startswith(FILE)


def tag_of(words: str) -> str:
    """The tag of a run file by its name among the methods."""
    return words.removeprefix(FILE)


def swept(methods: Sequence[str], sweeps: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Combine every method with every combination of the values, the last setting fastest: `gear`
    over width = 1, 5 is `gear width=1`, `gear width=5`. A method without all of these settings is
    unchanged. Raises BadInput if no method has them, or if a method already sets one.
    """
    result: list[str] = []
    for parsed in map(variant, methods):
        config = config_for(parsed.method)
        try:
            _ = overridden(config, {name: values[0] for name, values in sweeps.items()})
        except BadInput:
            result.append(str(parsed))
            continue
        for values in product(*sweeps.values()):
            pairs = (f"{name}={quoted(value)}" for name, value in zip(sweeps, values, strict=True))
            result.append(str(variant(" ".join([str(parsed), *pairs]))))
    if sweeps and result == [str(variant(words)) for words in methods]:
        raise BadInput(
            f"None of these methods takes {' and '.join(sweeps)} with such values:"
            f" {', '.join(methods)}. gear-app methods lists the settings."
        )
    return tuple(dict.fromkeys(result))


def sweep_of(text: str) -> tuple[str, list[str]]:
    """`width=1,5` as a setting and its values. Raises BadInput."""
    name, _, values = text.partition("=")
    several = [unquoted(value.strip()) for value in split_quoted(values, ",") if value.strip()]
    if not name.strip() or not several:
        raise BadInput(f"A sweep is a setting and its values, as in width=1,5,10, not {text!r}")
    return name.strip(), several


# Methods that differ


class Grid(NamedTuple):
    """Words of the configurations of a method by the values of two settings (GEAR Table 9)."""

    method: str
    names: tuple[str, str]
    words: Mapping[tuple[str, str], str]


def _parsed(methods: Iterable[str]) -> dict[str, Variant]:
    return {words: variant(words) for words in methods if not is_file(words) and words != ORACLE}


def grids(methods: Iterable[str]) -> list[Grid]:
    """A grid for each method with several values of exactly two settings."""
    by_method: dict[tuple[str, str, str], dict[tuple[str, str], str]] = {}
    for words, parsed in _parsed(methods).items():
        if len(parsed.settings) == 2:
            first, second = parsed.settings
            grid = by_method.setdefault((parsed.method, first, second), {})
            grid[parsed.settings[first], parsed.settings[second]] = words
    return [
        Grid(method, (first, second), words)
        for (method, first, second), words in by_method.items()
        if min(len(set(values)) for values in zip(*words, strict=True)) > 1
    ]


def backbones(methods: Iterable[str]) -> dict[tuple[str, str], str]:
    """Iterative methods by their base (BDTR Table 1), and each base alone; {} without two bases."""
    plain = {
        retrievers.parse(parsed.method): words
        for words, parsed in _parsed(methods).items()
        if not parsed.settings and not parsed.as_paper
    }
    over = {pair: words for pair, words in plain.items() if METHODS[pair[0]].over == "step"}
    bases = {base: retrievers.parse(base) for _, base in over}
    alone = {(ALONE, base): plain[pair] for base, pair in bases.items() if pair in plain}
    return alone | over if len(bases) > 1 else {}

"""The one palette: Okabe–Ito colours with a fixed meaning (`MEANINGS`), for both themes.

Colour never says anything alone: kept and pruned also differ by line style, gold by a star,
verdicts by a sign.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

MEANINGS = {
    "query": "the question or a query, and what stands in it: its names, its clauses",
    "proximal": "a fact that a reader took",
    "kept": "what the method adds and goes on with: beams, walks, links, later queries, promotion",
    "pruned": "considered and left; always with a broken line where it is a line",
    "passage": "plain search before the method: the baseline",
    "words": "BM25's part of it, where it stands beside the dense one",
    "gold": "gold; always with a star",
    "gist": "what is held to be known: the gist memory, and the sentence that a fact comes from",
}
"""The one meaning of every hue on every page; what has none of these is drawn in grey."""


@dataclass(frozen=True, slots=True)
class Palette:
    """A theme's colours by meaning.

    Names with `_text` are for words and reach WCAG AA on `background`.
    """

    query: str
    proximal: str
    kept: str
    pruned: str
    passage: str
    words: str
    gold: str
    gist: str
    yes_text: str
    no_text: str
    text: str
    muted_text: str
    grid: str
    background: str
    panel: str


LIGHT = Palette(
    query="#4B5563",
    proximal="#8C7A00",
    kept="#0072B2",
    pruned="#9AA5B1",
    passage="#CC79A7",
    words="#D55E00",
    gold="#009E73",
    gist="#E69F00",
    yes_text="#00734F",
    no_text="#A94400",
    text="#1B2330",
    muted_text="#566070",
    grid="#E3E8EE",
    background="#FFFFFF",
    panel="#F4F6F9",
)
DARK = Palette(
    query="#9CA3AF",
    proximal="#F0E442",
    kept="#56B4E9",
    pruned="#5B6673",
    passage="#CC79A7",
    words="#D55E00",
    gold="#2BC79A",
    gist="#E69F00",
    yes_text="#2BC79A",
    no_text="#FF9D57",
    text="#E6EBF2",
    muted_text="#A9B4C0",
    grid="#2E3946",
    background="#10151C",
    panel="#1A212B",
)


def of_theme(theme: str | None) -> Palette:
    """The palette of a theme by name; anything but "dark" is light."""
    return DARK if theme == "dark" else LIGHT


def css_variables(palette: Palette) -> str:
    """A style sheet that defines `--gear-<name>` for every colour.

    Custom properties reach into components.
    """
    names = (field.name for field in dataclasses.fields(palette))
    return (
        ":root{"
        + "".join(f"--gear-{name.replace('_', '-')}:{getattr(palette, name)};" for name in names)
        + "}"
    )

"""The last step of a beam search as a competition: which extensions are kept at each value of γ.

GEAR Alg. 1, lines 15-20: the extensions of one beam are ordered by their sum, and all but the first
are weighted by e^(−min(n, γ)/γ), n their place from 0. Then the best `width` of all are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gear_app.trace.events import BeamCandidate, BeamStep

DEFAULT = "2b"  # the paper's γ: twice the width
EXTENSIONS = 3  # extensions of each beam, besides those that some γ keeps


class Rival(NamedTuple):
    """An extension at one value of γ."""

    beam: BeamCandidate  # that it extends
    extension: BeamCandidate
    rank: int | None  # among the kept; None: pruned


def gammas(width: int) -> dict[str, int | None]:
    """Values of γ by name; None: no weighting."""
    return {"off": None, "1": 1, "b": width, DEFAULT: 2 * width, "4b": 4 * width}


def competition(searches: Mapping[str, Sequence[BeamStep]]) -> dict[str, list[Rival]]:
    """For each γ the extensions in the search made with it, by beam and place in it.

    Searches have two steps: after a third, γ would have chosen the beams, too.
    """
    survivors = {extension.path for search in searches.values() for extension in search[-1].kept}
    rivals: dict[str, list[Rival]] = {}
    for name, (first, last) in searches.items():
        survivor_paths = [extension.path for extension in last.kept]
        rivals[name] = sorted(
            (
                Rival(
                    first.kept[extension.parent],
                    extension,
                    survivor_paths.index(extension.path) + 1 if extension.kept else None,
                )
                for extension in (*last.kept, *last.pruned)
                if extension.parent is not None and not extension.carried
                if extension.position < EXTENSIONS or extension.path in survivors
            ),
            key=lambda rival: (rival.extension.parent, rival.extension.position),
        )
    return rivals

"""Diverse triple beam search (GEAR Algorithm 1). Comments carry its line numbers.

It sees ids and functions only. Where the paper is silent or odd: a beam without neighbours competes
unchanged; a score that is not positive is not weighted, which would raise it; `exists` compares
facts, not rows; ties go to the earlier beam, then to the better place in it, which of equal totals
the smaller id has.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gear_app.core.config import MOST_K, Config, setting
from gear_app.core.errors import BadInput

MOST_WIDTH, MOST_LENGTH = 1_000, 10
Path = tuple[int, ...]
ScorePaths = Callable[[Sequence[Path]], Sequence[float]]
Neighbours = Callable[[Sequence[int]], Sequence[Sequence[int]]]


@dataclass(frozen=True, slots=True)
class BeamConfig(Config):
    """Diverse triple beam search (GEAR Alg. 1, App. B.2)."""

    # b
    width: int = setting(
        10, "Width b", "Beams that go on after each step", (1, MOST_WIDTH), (1, 2, 5, 10, 20)
    )
    # l
    length: int = setting(2, "Length l", "Triples in a beam", (1, MOST_LENGTH), (1, 2, 3, 4))
    # auto = 2 * width; none switches the weighting off (Table 4)
    gamma: int | Literal["auto", "none"] = setting(
        "auto", "Diversity γ", "A whole number, auto (2 × width) or none"
    )
    neighbours: int = setting(
        100, "Neighbours", "Looked at for each beam", (1, MOST_K), (5, 20, 50, 100, 200)
    )
    scoring: Literal["screened", "exact"] = setting(
        "screened", "Scoring", "exact encodes every candidate, as the paper", paper="exact"
    )
    screen: int = setting(
        32, "Candidates encoded", "A step, where scoring is screened", (1, MOST_K)
    )

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if isinstance(self.gamma, int) and self.gamma < 1:
            raise BadInput(f"gamma must be at least 1, 'auto' or 'none', not {self.gamma}")

    @property
    def penalty(self) -> int | None:
        """Alg. 1's γ as a number, or None when the weighting is off."""
        if self.gamma == "none":
            return None
        return 2 * self.width if self.gamma == "auto" else self.gamma


@dataclass(frozen=True, slots=True)
class Extension:
    """A beam one triple longer; total = previous + cosine, score = total * weight.

    `parent` is the position of the extended beam in the previous step, None in the first.
    `position` is the place among its beam's extensions, from 0. `encoded` False: the cosine is only
    the screen's estimate, and the position is the one by estimates.
    """

    parent: int | None
    path: Path
    previous: float
    cosine: float
    position: int = 0
    weight: float = 1.0
    encoded: bool = True
    carried: bool = False

    @property
    def total(self) -> float:
        """Algorithm 1's s′ before weighting."""
        return round(self.previous + self.cosine, 6)

    @property
    def score(self) -> float:
        """The next step's s."""
        return round(self.total * self.weight, 6)


class SearchStep(NamedTuple):
    """One step: the beams that go on, in order, and the extensions that do not, best first."""

    selected: tuple[Extension, ...]
    pruned: tuple[Extension, ...]


def beam_search(
    starts: Sequence[int],
    *,
    score: ScorePaths,
    estimate: ScorePaths,
    neighbours: Neighbours,
    fact: Callable[[int], Hashable],
    config: BeamConfig,
) -> tuple[SearchStep, ...]:
    """Grow beams of triples from `starts`; every step; `selected` of the last is the result.

    Each function is called once a step, for all beams together. `score` gives the cosine of query
    and sequence for each sequence, `estimate` a cheap stand-in that ranks alike (used only by
    scoring = "screened"), `neighbours` for each triple, none of them twice, those that a beam which
    ends in it may go on with. `fact` is what makes two triples the same fact; it is asked of
    triples that `starts` or `neighbours` named. No starts give no steps; fewer than `config.length`
    steps mean that no beam could be extended any more.
    """
    if not starts:
        return ()
    steps = [_first(starts, score, config.width)]  # lines 1-5
    for _ in range(1, config.length):  # line 6
        step = _next(steps[-1].selected, score, estimate, neighbours, fact, config)
        if step is None:
            break
        steps.append(step)
    return tuple(steps)  # line 21


def flatten(beams: Sequence[Path]) -> list[int]:
    """Each triple once, breadth-first: the first of every beam in beam order, then the seconds."""
    longest = max(map(len, beams), default=0)
    by_depth = (beam[depth] for depth in range(longest) for beam in beams if depth < len(beam))
    return list(dict.fromkeys(by_depth))


def _first(starts: Sequence[int], score: ScorePaths, width: int) -> SearchStep:
    paths = [(start,) for start in dict.fromkeys(starts)]
    scored = [
        Extension(None, path, 0.0, round(s, 6)) for path, s in zip(paths, score(paths), strict=True)
    ]
    return _cut(scored, width)


def _next(
    beams: Sequence[Extension],
    score: ScorePaths,
    estimate: ScorePaths,
    neighbours: Neighbours,
    fact: Callable[[int], Hashable],
    config: BeamConfig,
) -> SearchStep | None:
    facts_in_beams = {fact(triple) for beam in beams for triple in beam.path}
    ends = list(dict.fromkeys(beam.path[-1] for beam in beams))
    around = dict(zip(ends, neighbours(ends), strict=True))  # line 10
    grown: list[Extension] = []
    stuck: list[Extension] = []
    for parent, beam in enumerate(beams):  # line 8
        free = [t for t in around[beam.path[-1]] if fact(t) not in facts_in_beams]  # lines 11-12
        grown += [Extension(parent, (*beam.path, t), beam.score, 0.0) for t in free]
        if not free:
            stuck.append(Extension(parent, beam.path, beam.score, 0.0, carried=True))
    if not grown:
        return None
    promising, dropped = _screen(grown, estimate, config)
    cosines = score([extension.path for extension in promising])
    encoded = [_with_cosine(e, cosine) for e, cosine in zip(promising, cosines, strict=True)]  # 13
    step = _cut([*_weighted(encoded, config.penalty), *stuck], config.width)  # lines 15-20
    return SearchStep(step.selected, step.pruned + tuple(dropped))


def _screen(
    grown: list[Extension], estimate: ScorePaths, config: BeamConfig
) -> tuple[list[Extension], list[Extension]]:
    """The extensions worth encoding (at least `width`), and the rest by their estimates.

    Lines 15-20 are gone through with estimates: each extension is weighted by its place in its own
    beam, and the best are chosen by what that leaves. Where estimates are the cosines, the search
    keeps exactly what it keeps without a screen:

    * within a beam no extension scores more than one in a place before it (a smaller total times
      a smaller weight; one that is not positive is not weighted and below all that are), and equal
      scores go by place. So of every beam the first few are chosen and nothing from between them;
    * among those encoded each therefore has the place, weight and score that it has among all;
    * all of them precede, in the order of the cut, all that are dropped, and there are at least
      `width` of them: none that is dropped can be among the best `width`.

    Both lists are best first by estimate, except that all come back as given where none is cut.
    """
    limit = max(config.screen, config.width)
    if config.scoring == "exact" or len(grown) <= limit:
        return grown, []
    guesses = estimate([extension.path for extension in grown])
    guessed = [
        _with_cosine(e, guess, encoded=False) for e, guess in zip(grown, guesses, strict=True)
    ]
    best = sorted(_weighted(guessed, config.penalty), key=_order_by_score)
    return best[:limit], best[limit:]


def _with_cosine(extension: Extension, cosine: float, *, encoded: bool = True) -> Extension:
    """An extension that is not placed in its beam yet."""
    path, previous = extension.path, extension.previous
    return Extension(extension.parent, path, previous, round(cosine, 6), encoded=encoded)


def _weighted(extensions: Sequence[Extension], gamma: int | None) -> list[Extension]:
    """Within each beam, weight the extension at position n by e^(-min(n, γ)/γ) (lines 15-19)."""
    of_beam: dict[int | None, list[Extension]] = {}
    for extension in sorted(extensions, key=_order_by_total):
        of_beam.setdefault(extension.parent, []).append(extension)
    return [
        dataclasses.replace(
            extension, position=n, weight=diversity_weight(n, extension.total, gamma)
        )
        for beam in of_beam.values()
        for n, extension in enumerate(beam)
    ]


def diversity_weight(n: int, total: float, gamma: int | None) -> float:
    """Weight of the extension at position `n` (from 0) of its beam; `gamma` None is off
    (lines 16-18).
    """
    return 1.0 if gamma is None or total <= 0 else math.exp(-min(n, gamma) / gamma)


def _cut(extensions: Sequence[Extension], width: int) -> SearchStep:
    ordered = sorted(extensions, key=_order_by_score)
    return SearchStep(tuple(ordered[:width]), tuple(ordered[width:]))


def _order_by_total(extension: Extension) -> tuple[float, int, int, int]:
    return (-extension.total, *_tie(extension))


def _order_by_score(extension: Extension) -> tuple[float, int, int, int]:
    return (-extension.score, *_tie(extension))


def _tie(extension: Extension) -> tuple[int, int, int]:
    """Equal extensions go in the order of their beams, then of their places there, which are all 0
    before there are any, then of their last triples' ids.
    """
    parent = -1 if extension.parent is None else extension.parent
    return (parent, extension.position, extension.path[-1])

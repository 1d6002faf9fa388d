"""Algorithm 1 by hand, against brute force, and its odd corners."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gear_app.methods.beam_search import BeamConfig, Path, SearchStep, beam_search

# Five triples: 1 = (a, r, b), 2 = (b, r, c), 3 = (b, r, d), 4 = (e, r, f), 5 = (f, r, g).
ENDS = {1: "ab", 2: "bc", 3: "bd", 4: "ef", 5: "fg"}
COSINES: dict[Path, float] = {
    (1,): 0.9,
    (2,): 0.1,
    (3,): 0.1,
    (4,): 0.8,
    (5,): 0.1,
    (1, 2): 0.7,
    (1, 3): 0.65,
    (4, 5): 0.5,
}


def neighbours(triples: Sequence[int]) -> list[list[int]]:
    return [around(ENDS, triple) for triple in triples]


def around(ends: dict[int, str], triple: int) -> list[int]:
    return [other for other in ends if other != triple and set(ends[other]) & set(ends[triple])]


def search(
    starts: list[int], config: BeamConfig, cosines: dict[Path, float] = COSINES
) -> tuple[SearchStep, ...]:
    def score(paths: object) -> list[float]:
        return [cosines[path] for path in paths]  # type: ignore[attr-defined]

    return beam_search(
        starts,
        score=score,
        estimate=score,
        neighbours=neighbours,
        fact=lambda triple: triple,
        config=config,
    )


def test_worked_by_hand_with_diversity() -> None:
    """b = 2, γ = 2b = 4. Beam 1 grows to 0.9 + 0.7 = 1.6 (position 0) and 0.9 + 0.65 = 1.55
    (position 1, weighted by e^(-1/4) = 0.7788 to 1.2071); beam 4 grows to 0.8 + 0.5 = 1.3 (position
    0), which beats the latter.
    """
    first, second = search([1, 4], BeamConfig(width=2))
    assert [(e.path, e.score) for e in first.selected] == [((1,), 0.9), ((4,), 0.8)]
    assert [(e.path, e.score) for e in second.selected] == [((1, 2), 1.6), ((4, 5), 1.3)]
    (pruned,) = second.pruned
    assert pruned.path == (1, 3)
    assert (pruned.previous, pruned.cosine, pruned.total, pruned.position) == (0.9, 0.65, 1.55, 1)
    assert pruned.weight == pytest.approx(math.exp(-1 / 4))
    assert pruned.score == pytest.approx(1.207141)


def test_gamma_caps_the_position() -> None:
    """γ = 1: the penalty of position 1 and beyond is e^(-1)."""
    cosines = COSINES | {(2, 1): 0.6, (2, 3): 0.5}
    _, second = search([2], BeamConfig(width=5, gamma=1), cosines)
    assert [e.weight for e in second.selected] == pytest.approx([1.0, math.exp(-1)])
    cosines |= {(1, 2): 0.4, (3, 1): 0.3, (3, 2): 0.2}
    _, second = search([3], BeamConfig(width=5, gamma=1), cosines)
    assert [e.weight for e in second.selected] == pytest.approx([1.0, math.exp(-1)])


def test_a_beam_without_neighbours_competes_unchanged() -> None:
    """4 can only go on to 5, which is a beam: it is carried with 0.8 and loses to nobody here."""
    _, second = search([1, 4, 5], BeamConfig(width=4, gamma="none"))
    assert [(e.path, e.score, e.carried) for e in second.selected] == [
        ((1, 2), 1.6, False),
        ((1, 3), 1.55, False),
        ((4,), 0.8, True),
        ((5,), 0.1, True),
    ]


def test_ties_go_to_the_earlier_beam_then_the_smaller_id() -> None:
    cosines = {(1,): 0.5, (4,): 0.5, (1, 2): 0.2, (1, 3): 0.2, (4, 5): 0.2}
    _, second = search([4, 1], BeamConfig(width=3, gamma="none"), cosines)
    assert [e.path for e in second.selected] == [(1, 2), (1, 3), (4, 5)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[int, str], dict[Path, float], list[int]]:
    n = draw(st.integers(1, 7))
    ends = {i: "".join(draw(st.sampled_from("abcde")) for _ in range(2)) for i in range(1, n + 1)}
    paths = [path for r in (1, 2, 3) for path in itertools.permutations(ends, r)]
    fineness = draw(st.sampled_from([1e6, 100, 4]))  # scores that round alike, and equal cosines
    cosines = {path: draw(st.integers(-100, 100)) / fineness for path in paths}
    starts = draw(st.lists(st.sampled_from(sorted(ends)), min_size=1, max_size=4))
    return ends, cosines, starts


def _run(
    graph: tuple[dict[int, str], dict[Path, float], list[int]], config: BeamConfig
) -> tuple[SearchStep, ...]:
    ends, cosines, starts = graph
    return beam_search(
        starts,
        score=lambda paths: [cosines[path] for path in paths],
        estimate=lambda paths: [cosines[path] for path in paths],
        neighbours=lambda triples: [around(ends, triple) for triple in triples],
        fact=lambda t: t,
        config=config,
    )


LATER = {
    1: "ab",
    2: "bb",
    3: "aa",
    4: "aa",
    5: "aa",
    6: "cc",
    7: "cc",
}  # 2 is carried once, then extended by 1
LATE = {path: 0.0 for r in (1, 2, 3) for path in itertools.permutations(LATER, r)} | {
    (1, 3): -0.01,
    (1, 5): -0.01,
}


@given(graphs(), st.integers(1, 4), st.integers(1, 3), st.sampled_from(["auto", "none", 1, 5]))
@example((LATER, LATE, [1, 2, 4]), 3, 3, "auto")
def test_beams_obey_width_and_length_and_share_entities(graph, width, length, gamma) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    ends, _, starts = graph
    steps = _run(graph, BeamConfig(width=width, length=length, gamma=gamma, scoring="exact"))
    assert 1 <= len(steps) <= length
    for depth, step in enumerate(steps, start=1):
        assert 1 <= len(step.selected) <= width
        assert [e.score for e in step.selected] == sorted(
            (e.score for e in step.selected), reverse=True
        )
        assert len({e.path for e in step.selected}) == len(step.selected)
        for e in step.selected:
            before = steps[depth - 2].selected if depth > 1 else ()
            carried_then = any(
                beam.carried and beam.path == e.path[:-1] for beam in before
            )  # and now extended
            assert len(e.path) == depth or e.carried or carried_then
            assert e.path[0] in starts
            assert len(set(e.path)) == len(e.path)
            assert all(set(ends[a]) & set(ends[b]) for a, b in itertools.pairwise(e.path))


@given(graphs())
def test_unlimited_beam_without_penalty_is_brute_force(graph) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Length 2, every start kept: all pairs (start, neighbour that is no start), and starts without
    any.
    """
    ends, cosines, starts = graph
    steps = _run(graph, BeamConfig(width=1000, length=2, gamma="none", scoring="exact"))
    grown = {
        (s, t): round(cosines[(s,)] + cosines[(s, t)], 6)
        for s in set(starts)
        for t in ends
        if t not in starts and set(ends[s]) & set(ends[t])
    }
    stuck = {(s,): cosines[(s,)] for s in set(starts) if not any(path[0] == s for path in grown)}
    expected = (grown | stuck) if grown else {(s,): cosines[(s,)] for s in set(starts)}
    assert {e.path: e.score for e in steps[-1].selected} == expected


TINY = dict.fromkeys(range(1, 7), "aa")
ROUNDED = {path: 0.0 for r in (1, 2, 3) for path in itertools.permutations(TINY, r)} | {
    (1,): 1e-6,
    (1, 2): 5e-6,
    (1, 3): 5e-6,
    (1, 4): 6e-6,
    (1, 5): 1e-6,  # fifth by its sum, and its score rounds to that of the fourth
    (1, 6): 3e-6,
}


@given(
    graphs(), st.integers(1, 4), st.integers(1, 5), st.sampled_from(["auto", "none", 1, 2, 2000])
)
@example((TINY, ROUNDED, [1]), 4, 3, 2)
def test_a_screen_whose_estimates_are_right_never_decides(graph, width, screen, gamma) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Whatever it cuts, the beams and all their numbers are those of the search without it."""
    screened = _run(graph, BeamConfig(width=width, length=3, gamma=gamma, screen=screen))
    exact = _run(graph, BeamConfig(width=width, length=3, gamma=gamma, scoring="exact"))
    assert [step.selected for step in screened] == [step.selected for step in exact]
    for one, other in zip(screened, exact, strict=True):
        unencoded = {replace(e, encoded=True) for e in one.pruned}
        assert unencoded == set(other.pruned)

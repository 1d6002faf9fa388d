"""The page docs/results/chain.md with its tables; what is said by hand is in chain-notes.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.config import ChainConfig
from gear_app.evaluate.definition import KS
from gear_app.steps.chain import TERMS
from tests.bench.results.conditional_logit import L2
from tests.bench.results.misses_removed import misses_removed, misses_removed_interval
from tests.bench.results.report import generated_by, interval_cell, made_by, table, versions_of

Weights = tuple[float, ...]
Counts = NDArray[np.int64]


class MeasuredPack(NamedTuple):
    """A pack of questions: (n,) their gold passages, and under every name (n, KS) of these found.

    `left_out` are the weights fitted on the other packs; None for a pack that is in no fit.
    """

    name: str
    everyday: bool
    passages: int
    gold: Counts
    found: Mapping[str, Counts]
    left_out: Weights | None


def without(term: str) -> str:
    """The name under which a measurement without a term is found."""
    return f"without {term}"


def page(
    whole: Weights,
    packs: Sequence[MeasuredPack],
    unseen: Sequence[MeasuredPack],
    start: Weights,
    embedder: str,
    notes: str,
) -> str:
    """The whole page. `whole` are the weights fitted on all `packs`, `start` those with which the
    candidates were found; `notes` stand at the end as they are.
    """
    command = "python -m tests.bench.results.chain_weights"
    parts = [
        f"{generated_by(command)}\n# Chain: the weights of its terms, and what they do",
        f"{made_by(command, embedder)}, no triples, no reader."
        " The question packs are described in [sets.md](sets.md), the terms in"
        " [methods.md](../methods.md#chain-an-example).",
        versions_of(["hybrid", "chain"], embedder),
        _definitions(packs, start),
        "## The packs and what hybrid misses there",
        _packs([*packs, *unseen]),
        "## Weights",
        "The shipped ones are `ChainConfig`'s. The last column is the range over the fits that"
        " leave one pack out.",
        _weights(whole, packs),
        "## Misses removed, with a pack in the fit and without it",
        "In percent at 5 / 10 / 15. *Left out*: weights fitted on all other packs, and the whole"
        " chain run with them on this one. Pooled with the 95 % interval of a paired bootstrap"
        " over questions.",
        _comparison(packs, ["shipped", "fitted", "left out"]),
        "## Each term removed",
        "The weight is 0 and the others are fitted anew, on all packs but the one measured.",
        _ablation(packs),
        "## Packs that are in no fit",
        "Run once, with the shipped weights.",
        _comparison(unseen, ["shipped"]),
        "## A perfect reader",
        "The ceiling: the published steps of every question, each with the right answers of those"
        " before put in, one hybrid search each, and the first hits of every step interleaved. Of"
        " the packs whose questions have their steps published.",
        _comparison([p for p in (*packs, *unseen) if "perfect reader" in p.found], _CEILING),
        notes.strip(),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


_CEILING = ["shipped", "perfect reader"]


def _definitions(packs: Sequence[MeasuredPack], start: Weights) -> str:
    return (
        f"*The fit.* Chain ran on all questions of the {len(packs)} packs with weights that nobody"
        f" fitted ({', '.join(f'`{t}` {w:g}' for t, w in zip(TERMS, start, strict=True))}: 1 by"
        " about the greatest value that a term can have); every passage that it ranked is a"
        " candidate, with the raw values of its terms. Each gold passage was set against all"
        " candidates of its question that are not gold (softmax). Packs weigh the same, terms were"
        f" divided by their standard deviation, L2 penalty {L2:g}, no weight below 0, L-BFGS from"
        " 0. The problem is convex and nothing is drawn at random, so there is no seed.\n\n"
        "*Misses removed*: the net share of the gold passages missed by `hybrid` among its first k"
        " that chain has among its own (as in [methods.md](methods.md)). With few misses it jumps:"
        " a passage in a pack with six is 17 points."
    )


def _packs(packs: Sequence[MeasuredPack]) -> str:
    heads = ["pack", "in the fit", "questions", "passages", "gold"]
    heads += [f"missed at {k}" for k in KS]
    rows = [
        [
            pack.name,
            "no" if pack.left_out is None else "yes",
            str(len(pack.gold)),
            f"{pack.passages:,}",
            str(pack.gold.sum()),
            *(str(missed) for missed in pack.gold.sum() - pack.found["hybrid"].sum(axis=0)),
        ]
        for pack in packs
    ]
    return table(heads, rows)


def _weights(whole: Weights, packs: Sequence[MeasuredPack]) -> str:
    folds = np.array([pack.left_out for pack in packs])
    rows = [
        [f"`{term}`", f"{shipped:g}", f"{fitted:.2f}", f"{low:.2f} to {high:.2f}"]
        for term, shipped, fitted, low, high in zip(
            TERMS, ChainConfig().weights, whole, folds.min(axis=0), folds.max(axis=0), strict=True
        )
    ]
    return table(["term", "shipped", "fitted on all", "one pack left out"], rows)


def _comparison(packs: Sequence[MeasuredPack], names: Sequence[str]) -> str:
    """One line a pack and one for each kind, one column a way to weigh."""
    rows = [[pack.name, *(shares([pack], name) for name in names)] for pack in packs]
    for words, kind in _kinds(packs).items():
        if len(kind) > 1:
            rows.append([f"**{words}**", *(_with_intervals(kind, name) for name in names)])
    return table(["pack", *names], rows)


def _ablation(packs: Sequence[MeasuredPack]) -> str:
    kinds = _kinds(packs)
    names = ["left out", *map(without, TERMS)]
    rows = [[name, *(shares(kind, name) for kind in kinds.values())] for name in names]
    rows[0][0] = "all terms"
    return table(["", *kinds], rows)


def _kinds(packs: Sequence[MeasuredPack]) -> dict[str, list[MeasuredPack]]:
    """The everyday packs and the others, where there are any."""
    kinds = {
        "everyday, pooled": [pack for pack in packs if pack.everyday],
        "others, pooled": [pack for pack in packs if not pack.everyday],
    }
    return {words: kind for words, kind in kinds.items() if kind}


def shares(packs: Sequence[MeasuredPack], name: str) -> str:
    """Misses removed at every cut-off in percent, pooled over these packs."""
    found, baseline, gold = _pooled(packs, name)
    removed = [misses_removed(found[k], baseline[k], gold) for k in range(len(KS))]
    return " / ".join(f"{100 * share:.0f}" for share in removed)


def _with_intervals(packs: Sequence[MeasuredPack], name: str) -> str:
    found, baseline, gold = _pooled(packs, name)
    intervals = [misses_removed_interval(found[k], baseline[k], gold) for k in range(len(KS))]
    return "<br>".join(interval_cell(interval) for interval in intervals)


def _pooled(
    packs: Sequence[MeasuredPack], name: str
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """What was found under a name and by hybrid, by cut-off, and the gold: question by question."""
    found = np.concatenate([pack.found[name] for pack in packs]).T.tolist()
    baseline = np.concatenate([pack.found["hybrid"] for pack in packs]).T.tolist()
    return found, baseline, np.concatenate([pack.gold for pack in packs]).tolist()

"""Runs of the other methods as events, made by hand on the passages of `factories`; the arithmetic
is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gear_app.core.types import Span, Substitution
from gear_app.trace.events import (
    Chained,
    Clause,
    Event,
    Fused,
    Join,
    Match,
    Matched,
    Move,
    Pooled,
    Promoted,
    QueryEntity,
    Ranked,
    RankedPassage,
    Recognised,
    Retrieved,
    Rewrote,
    ScorePart,
    Split,
    Started,
    Stopped,
    Thought,
    Verified,
    Walked,
    WalkedNode,
    WalkedPassage,
)
from tests import factories
from tests.factories import KEYS, QUESTION, TEXTS, proximal, ranked, shown

FAST = "Who was the father of Isambard Kingdom Brunel?"
SLOW = "Isambard Kingdom Brunel designed the bridge. Who taught his father?"
FIRST = ["clifton", "engineers", "menai", "avon", "clifton_town", "isambard"]
EVIL = "<script>alert('q')</script>"

NODES = [
    ("Clifton Suspension Bridge", 0.34, 0.5),
    ("Menai Suspension Bridge", 0.3, 0.5),
    ("Isambard Kingdom Brunel", 0.08, 0.0),
    ("Avon Gorge", 0.1, 0.0),
    ("Thomas Telford", 0.09, 0.0),
    ("Marc Isambard Brunel", 0.02, 0.0),
    ("the elder Brunel", 0.01, 0.0),
]
TERMS = {
    "clifton": ((0, 3), (2, 1), (3, 1)),
    "menai": ((1, 2), (4, 1)),
    "avon": ((0, 1), (3, 2)),
    "telford": ((1, 1), (4, 2)),
    "isambard": ((2, 3), (5, 1)),
    "marc": ((5, 2),),
    "tunnel": ((6, 1),),
}


def recognised(query: str = QUESTION, *, none: bool = False) -> Recognised:
    """Two entities of the question, one linked by its name, one less surely; or none that the graph
    has.
    """
    if none:
        return Recognised(query, (QueryEntity("the engineer", "", 0.0, 0, 0.0),))
    return Recognised(
        query,
        (
            QueryEntity("Clifton Suspension Bridge", "Clifton Suspension Bridge", 1.0, 2, 0.5),
            QueryEntity("engineer", "Menai Suspension Bridge", 0.83, 2, 0.5),
        ),
    )


def walked(query: str = QUESTION, *, ensembled: bool = False) -> Walked:
    """A walk from both bridges; a passage scores the sum of probability × count over its
    entities.
    """
    nodes = tuple(WalkedNode(*node) for node in NODES)
    passages = tuple(
        WalkedPassage(KEYS.index(key) + 1, key, TEXTS[key][0], _score(terms), terms)
        for key, terms in TERMS.items()
    )
    ranking = tuple(RankedPassage(p.id, p.key, p.title, p.score) for p in passages)
    if ensembled:
        ranking = (
            replace(
                ranking[0],
                score=0.9,
                parts=(ScorePart("walk", 1, 0.5, 1.2), ScorePart("dense", 2, 0.4, 0.61)),
            ),
            *ranking[1:],
        )
    return Walked(
        query,
        "pagerank",
        0.5,
        31,
        nodes,
        passages,
        ranking,
        ensembled,
    )


def _score(terms: Sequence[tuple[int, int]]) -> float:
    return round(sum(NODES[node][1] * count for node, count in terms), 6)


def hippo_run() -> list[Event]:
    """HippoRAG: the question's entities and one walk."""
    found = walked()
    return [
        Started(QUESTION, "hipporag", (("restart", "0.5"),), "local"),
        recognised(),
        found,
        Ranked(found.ranking, iteration=0),
    ]


def hippo_fallback_run() -> list[Event]:
    """HippoRAG where the graph has none of the question's entities."""
    dense = Retrieved(QUESTION, "dense", ranked(FIRST))
    return [
        Started(QUESTION, "hipporag", (), "local"),
        recognised(none=True),
        dense,
        Ranked(dense.ranking, iteration=0),
    ]


def pooled(
    lists: Sequence[Sequence[str]],
    queries: Sequence[str],
    before: Sequence[str] = (),
    below: int = 0,
) -> Pooled:
    """A pool by reciprocal rank of lists of keys; the last `below` of the first list are below the
    pool.
    """
    first, rest = list(lists[0][: len(lists[0]) - below]), list(lists[0][len(lists[0]) - below :])
    pools = [first, *lists[1:]]
    parts = {
        key: tuple(
            ScorePart(f"query {n}", of.index(key) + 1, round(1 / (of.index(key) + 1), 6), 0.03)
            for n, of in enumerate(pools, start=1)
            if key in of
        )
        for of in pools
        for key in of
    }
    order = sorted(parts, key=lambda key: -max(part.value for part in parts[key]))
    lines = [
        RankedPassage(KEYS.index(k) + 1, k, TEXTS[k][0], max(p.value for p in parts[k]), parts[k])
        for k in order
    ]
    lines += [
        RankedPassage(
            KEYS.index(k) + 1,
            k,
            TEXTS[k][0],
            0.0,
            (ScorePart("query 1", len(first) + n, 0.0, 0.01),),
        )
        for n, k in enumerate([k for k in rest if k not in parts], start=1)
    ]
    entered = tuple(KEYS.index(key) + 1 for key in order if key not in before)
    return Pooled(tuple(queries), "reciprocal rank", tuple(lines), entered, len(lines) - len(order))


def ircot_run(*, final: bool = True) -> list[Event]:
    """IRCoT over hybrid: one thought, a second search that brings Marc Isambard Brunel in, the
    answer.
    """
    thought = "The bridge was designed by Isambard Kingdom Brunel. Who was his father?"
    second = ["isambard", "marc", "gwr"]
    one = pooled([FIRST], [QUESTION])
    two = pooled([FIRST, second], [QUESTION, thought], FIRST)
    end = Thought(
        "ircot",
        "So the answer is: François Carpentier",
        "",
        True,
        "François Carpentier",
        (proximal(7),),
        "It is final.",
        iteration=2,
    )
    return [
        Started(QUESTION, "ircot", (("max_iterations", "4"),), "local"),
        Retrieved(QUESTION, "hybrid", ranked(FIRST)),
        one,
        Thought("ircot", thought, thought, because=(proximal(0),)),
        Retrieved(thought, "hybrid", ranked(second), iteration=2),
        replace(two, iteration=2),
        *([end] if final else []),
        Stopped("answerable", "The thought is final.", iteration=2),
        Ranked(two.ranking, iteration=0),
    ]


def bdtr_run() -> list[Event]:
    """BDTR over hybrid, one round: two queries, a pool, a chain, three verified passages of which
    one rises from 6.
    """
    fast, slow = ["isambard", "gwr"], ["tunnel", "avon", "telford", "gwr", "rouen", "marc"]
    one = pooled([FIRST], [QUESTION])
    two = pooled([FIRST, fast, slow], [QUESTION, FAST, SLOW], FIRST)
    order = [passage.key for passage in two.ranking]
    top = ["clifton", "isambard", "marc"]
    after = [*top, *(key for key in order if key not in top)]
    lines = {passage.key: passage for passage in two.ranking}
    ranking = tuple(
        replace(lines[key], score=round(1 + 1 / n, 6) if key in top else lines[key].score)
        for n, key in enumerate(after, start=1)
    )
    moves = tuple(
        Move(
            lines[k].id,
            k,
            lines[k].title,
            lines[k].score,
            order.index(k) + 1,
            n,
            "on the chain" if k in top else "",
        )
        for n, k in enumerate(after, start=1)
        if order.index(k) + 1 != n
    )
    ids = tuple(lines[key].id for key in top)
    kept = (*ids, *(lines[key].id for key in after[3:5]))
    return [
        Started(QUESTION, "bdtr", (("rounds", "1"),), "local"),
        Retrieved(QUESTION, "hybrid", ranked(FIRST)),
        one,
        Thought("fast", FAST, FAST, because=(proximal(0),)),
        Thought("slow", SLOW, SLOW, because=(proximal(0),)),
        Retrieved(FAST, "hybrid", ranked(fast), iteration=2),
        Retrieved(SLOW, "hybrid", ranked(slow), iteration=2),
        replace(two, iteration=2),
        Chained(
            (
                "Clifton Suspension Bridge",
                "Isambard Kingdom Brunel",
                "Marc Isambard Brunel",
                "François Carpentier",
            ),
            (proximal(0), proximal(3), proximal(7)),
            iteration=2,
        ),
        Verified(
            11,
            tuple(lines[key] for key in top),
            ("names the designer", "his father", EVIL),
            iteration=2,
        ),
        Promoted(moves, ids, ranking, 11, 0.4, 0.2, 0.6, kept, iteration=2),
        Stopped("iteration limit", "One round was the limit.", iteration=2),
        Ranked(ranking, iteration=0),
    ]


def griever_match(*, taken: bool = True) -> Match:
    """The words “the engineer who designed the Clifton Suspension Bridge” against the triple that
    names him.
    """
    bridge, designed = QUESTION.index("Clifton"), QUESTION.index("designed")
    return Match(
        shown(0),
        "Clifton Suspension Bridge",
        Span(bridge, bridge + 25),
        0.98,
        "designed",
        (Span(designed, designed + 8),),
        0.71,
        "Clifton Suspension Bridge",
        "Isambard Kingdom Brunel",
        0.9328,
        taken,
        0.15,
        0.9,
        0.1,
    )


def griever_run() -> list[Event]:
    """GRIEVER: the question is cut in two, the bridge gives way to its engineer, a second search
    among his passages.
    """
    query = "Who taught the father of Isambard Kingdom Brunel?"
    cut = QUESTION.index(" who designed") + 1
    clauses = (
        Clause(QUESTION[: cut - 1], Span(0, cut - 1)),
        Clause(QUESTION[cut:-1], Span(cut, len(QUESTION) - 1), "who"),
    )
    second = ["isambard", "marc"]
    one, two = (
        factories.fused(iteration_1=FIRST),
        factories.fused(iteration_1=FIRST, iteration_2=second),
    )
    change = Substitution(
        "the engineer who designed the Clifton Suspension Bridge", "Isambard Kingdom Brunel", "it"
    )
    return [
        Started(QUESTION, "griever", (("max_iterations", "4"), ("fusion_constant", "3"))),
        Split(QUESTION, clauses),
        Retrieved(QUESTION, "composed", ranked(FIRST)),
        Matched(
            QUESTION,
            14,
            5,
            (griever_match(), replace(griever_match(taken=False), relation="", relation_spans=())),
            (Join("Isambard Kingdom Brunel", (("I. K. Brunel", 0.91),), 3),),
            0.9,
        ),
        Fused("final", ("iteration 1",), one, "rrf", "bm25"),
        Rewrote(query, (change,)),
        Retrieved(query, "composed", ranked(second), iteration=2),
        Matched(query, 6, 2, (), iteration=2),
        Fused("final", ("iteration 1", "iteration 2"), two, "rrf", "bm25", iteration=2),
        Rewrote("", iteration=2),
        Stopped("nothing to rewrite", "Nothing matched.", iteration=2),
        Ranked(two, iteration=0),
    ]


RUNS = {
    "hipporag": hippo_run,
    "hipporag fallback": hippo_fallback_run,
    "ircot": ircot_run,
    "bdtr": bdtr_run,
    "griever": griever_run,
}

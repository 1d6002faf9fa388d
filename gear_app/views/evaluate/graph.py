"""Whether a collection's graph earns its place, as a section."""

from __future__ import annotations

import math

from gear_app.evaluate.graph_worth import ANY, FIRST, FURTHEST, EdgeKind, GraphWorth
from gear_app.rendering.values import (
    Axis,
    Cell,
    Note,
    Range,
    Section,
    Slice,
    Table,
    TableRow,
    Whole,
)
from gear_app.text import count

NAMES = {
    "title": "a title that the other's text has",
    "mention": "something that both mention",
    "triple": "an entity of triples of both",
    "synonym": "two names for the same in triples",
    ANY: "any of these",
}
NEARNESS = (
    "Cosines: a dot at the mean, a line from the first to the third quartile. The nearer others"
    " are, the harder the collection."
)
HEADS = ("joined by", "edges", "gold pairs joined", "of its edges join gold", "times chance")


def section(worth: GraphWorth) -> Section:
    """How many gold pairs edges join, how many edges do, and how far missing gold is."""
    rows = [
        TableRow(NAMES[kind.kind], _cells(worth, kind), "base" if kind.kind == ANY else "")
        for kind in worth.kinds
    ]
    chance = f"{100 * worth.by_chance:.2f} %"
    notes = [
        f"Of all pairs of the {worth.passages:,} passages {chance} are gold pairs: so often a pair"
        " by chance would be right. What more passages hold than links are followed by joins none.",
        triples(worth),
    ]
    return Section(
        "graph",
        heading(worth),
        f"{count(worth.pairs, 'pair')} of gold passages of one question, of"
        f" {count(worth.questions, 'question')}",
        [
            Table([Cell(head) for head in HEADS], rows),
            *_distances(worth),
            _nearness(worth),
            Note([*notes, NEARNESS]),
        ],
    )


def _nearness(worth: GraphWorth) -> Table:
    """How near gold is to its question, and how near other passages come."""
    lows, highs = zip(*((of.low, of.high) for of in worth.nearness.values()), strict=True)
    axis = Axis(math.floor(10 * min(lows)) / 10, math.ceil(10 * max(highs) + 0.1) / 10)
    rows = [
        TableRow(whose, [Cell(f"{of.mean:.3f}", range=Range(axis, (of.mean, of.low, of.high)))])
        for whose, of in worth.nearness.items()
    ]
    head = Cell("cosine with the question")
    return Table([Cell(""), head], rows, "dots", foot=[Cell(ticks=axis)])


def heading(worth: GraphWorth) -> str:
    """What was found, in one sentence."""
    whole = worth.kinds[-1]
    return f"An edge joins {whole.joined:,} of {worth.pairs:,} gold pairs"


def triples(worth: GraphWorth) -> str:
    """The graph that the triples make, in a sentence."""
    of = worth.triples
    return (
        f"The triples name {count(of.entities, 'entity', 'entities')}, {of.a_passage:.1f} in a"
        f" passage that has triples; they join {count(of.joined, 'pair')} of them, and"
        f" {count(of.synonyms, 'pair')} of names mean the same."
    )


def _cells(worth: GraphWorth, kind: EdgeKind) -> list[Cell]:
    share, precision = worth.share(kind), worth.precision(kind)
    return [
        Cell(f"{kind.edges:,}"),
        Cell(f"{kind.joined:,} ({100 * share:.0f} %)", bar=share),
        Cell(f"{100 * precision:.1f} %"),
        Cell(f"{worth.times(kind):,.0f}" if kind.joined else "0"),
    ]


def _distances(worth: GraphWorth) -> list[Whole]:
    """Gold that one search misses, by its distance from what that finds."""
    total = sum(worth.distances.values())
    if not total:
        return []
    words = {n: f"{count(n, 'edge')} away" for n in range(1, FURTHEST + 1)}
    words[0] = "further, or not at all"
    parts = [
        Slice("none" if n == 0 else "one" if n == 1 else "other", said, worth.distances.get(n, 0))
        for n, said in words.items()
    ]
    return [
        Whole(
            parts,
            f"{count(total, 'gold passage')} that hybrid search does not have among its first"
            f" {FIRST}: how many edges they are from the nearest of these.",
        )
    ]


def rows(worth: GraphWorth) -> list[list[object]]:
    """The table in plain values, for a terminal."""
    return [
        [
            NAMES[kind.kind],
            kind.edges,
            kind.joined,
            f"{100 * worth.share(kind):.0f} %",
            f"{100 * worth.precision(kind):.1f} %",
            f"{worth.times(kind):,.0f}",
        ]
        for kind in worth.kinds
    ]

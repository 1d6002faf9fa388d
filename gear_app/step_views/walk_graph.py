"""HippoRAG's walk as a picture, from the question's entities over nodes to passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gear_app.analysis.paths import contribution, distances, path_from_seed
from gear_app.events import Walked, WalkedEdge, WalkedPassage
from gear_app.text import count, normalise_entity
from gear_app.views.decimals import exact

PASSAGES = 8
NODES = 9  # of a column
FURTHEST = 2
NAMES = ("Question’s entities", "One step away", "Further")
Ranked = tuple[int, WalkedPassage]
Term = tuple[int, int]  # a node by position, and how many triples of a passage name it


@dataclass(frozen=True)
class _Chosen:
    """What is drawn: passages by rank.

    Nodes by position, each with its column and how far up its passages pull it.
    """

    event: Walked
    gold: Collection[str]
    passages: Sequence[Ranked]
    columns: Mapping[int, int]
    pull: Mapping[int, float]
    nodes: Sequence[int]
    ways: Collection[tuple[int, int]]

    def column(self, number: int) -> list[int]:
        """The nodes of a column."""
        return [node for node in self.nodes if self.columns[node] == number]


def graph(
    event: Walked, gold: Collection[str], passages: int = PASSAGES, nodes: int = NODES
) -> dict[str, Any]:
    """Component data: a column of seeds, one or two of nodes by distance, and the passages.

    Passages are the ranking's first `passages` and the gold ones it has. Of a column's nodes those
    are shown that give these passages most, and those on the way to each passage's strongest.
    `order` has a column's cards from top to bottom, and between them the lanes by which lines from
    further left pass it.
    """
    found = _chosen(event, gold, passages, nodes)
    numbers = [number for number in range(FURTHEST + 1) if found.column(number)]
    cards = [_passage(rank, passage, gold) for rank, passage in found.passages]
    last = {
        "name": "Passages",
        "cards": cards,
        "more": len(event.passages) - len(cards),
        "weight": 1.4,
    }
    return {
        "columns": [
            *(_column(found, n) for n in numbers),
            last | {"order": [card["id"] for card in cards]},
        ],
        "links": [*_edges(found), *_terms(found)],
        "label": f"The walk: {count(len(found.nodes), 'entity', 'entities')}"
        f" and {count(len(cards), 'passage')}",
    }


def legend(graph_: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the picture's colours and signs mean, as (palette name, words).

    Only what occurs in it.
    """
    cards = [card for column in graph_["columns"] for card in column["cards"]]
    there = {card["kind"] for card in cards}
    found = [("query", "entity of the question, where the walk restarts")]
    found += [entry for entry in (("kept", "entity it visits"),) if entry[0] in there]
    found += [("gold", "gold passage")] * ("gold" in there)
    found += [("pruned", "dashed line: two names for the same")] * any(
        link["dashed"] for link in graph_["links"]
    )
    return [
        *found,
        ("", "line width = probability that crosses it, or part of the passage's score"),
    ]


def best_card(event: Walked, gold: Collection[str]) -> str | None:
    """The card to open first: the best gold passage, else the best passage."""
    found = [passage for _, passage in _ranked(event, gold, PASSAGES)]
    best = next((passage for passage in found if passage.key in gold), found[0] if found else None)
    return f"p{best.id}" if best else None


def _ranked(event: Walked, gold: Collection[str], first: int) -> list[Ranked]:
    ranks = {passage.id: rank for rank, passage in enumerate(event.ranking, start=1)}
    ordered = sorted(event.passages, key=lambda passage: ranks.get(passage.id, len(ranks) + 1))
    lines = list(enumerate(ordered, start=1))
    return [(rank, passage) for rank, passage in lines if rank <= first or passage.key in gold]


def _chosen(event: Walked, gold: Collection[str], passages: int, most: int) -> _Chosen:
    shown = _ranked(event, gold, passages)
    away = distances(event)
    columns = {node: min(FURTHEST, away.get(node, FURTHEST)) for node in range(len(event.nodes))}
    gives, pull = _given(event, shown)
    kept = [
        node
        for number in range(FURTHEST + 1)
        for node in sorted(
            (n for n in columns if columns[n] == number and (number == 0 or gives[n])),
            key=lambda n: -gives[n],
        )[:most]
    ]
    ways = [
        path_from_seed(event, _strongest(event, passage)) for _, passage in shown if passage.terms
    ]
    kept += [node for found in ways for node in found]
    nodes = sorted(dict.fromkeys(kept), key=lambda node: (pull[node], node))
    steps = {step for found in ways for step in pairwise(found)}
    return _Chosen(event, gold, shown, columns, pull, nodes, steps)


def _given(event: Walked, shown: Sequence[Ranked]) -> tuple[dict[int, float], dict[int, float]]:
    """What each node gives the passages shown, and their mean rank weighted by it.

    Few lines cross in that order.
    """
    gives = dict.fromkeys(range(len(event.nodes)), 0.0)
    ranks = dict(gives)
    for rank, passage in shown:
        for term in passage.terms:
            gives[term[0]] += contribution(event, term)
            ranks[term[0]] += rank * contribution(event, term)
    lowest = len(shown) + 1.0
    return gives, {node: ranks[node] / gives[node] if gives[node] else lowest for node in gives}


def _strongest(event: Walked, passage: WalkedPassage) -> int:
    return max(passage.terms, key=lambda term: contribution(event, term))[0]


def _column(found: _Chosen, number: int) -> dict[str, Any]:
    there = found.column(number)
    giving = {node for _, passage in found.passages for node, _ in passage.terms}
    past = [node for node in found.nodes if found.columns[node] < number and node in giving]
    order = sorted(
        [(found.pull[n], f"n{n}") for n in there] + [(found.pull[n], f"lane n{n}") for n in past]
    )
    return {
        "name": NAMES[number],
        "cards": [_node(found.event, node) for node in there],
        "more": sum(column == number for column in found.columns.values()) - len(there),
        "weight": 1,
        "order": [id_ for _, id_ in order],
    }


def _edges(found: _Chosen) -> list[dict[str, Any]]:
    """The edges that lead on to another column or are on a path to a passage."""
    event, columns = found.event, found.columns
    drawn = [
        edge
        for edge in event.edges
        if edge.source in found.nodes
        and edge.target in found.nodes
        and (
            columns[edge.source] < columns[edge.target] or (edge.source, edge.target) in found.ways
        )
    ]
    most = max((edge.flow for edge in drawn), default=0.0)
    return [
        {
            "from": f"n{edge.source}",
            "to": f"n{edge.target}",
            "kind": "kept",
            "dashed": not edge.facts,
            "strength": round(edge.flow / most, 3) if most else 0.0,
            "words": (
                f"{event.nodes[edge.source].name} → {event.nodes[edge.target].name}:"
                f" {edge_words(edge)}"
            ),
        }
        for edge in drawn
    ]


def _terms(found: _Chosen) -> list[dict[str, Any]]:
    most = max(
        (
            contribution(found.event, term)
            for _, passage in found.passages
            for term in passage.terms
        ),
        default=0.0,
    )
    return [
        _term(found, passage, term, most)
        for _, passage in found.passages
        for term in passage.terms
        if term[0] in found.nodes
    ]


def _term(found: _Chosen, passage: WalkedPassage, term: Term, most: float) -> dict[str, Any]:
    node, worth = found.event.nodes[term[0]], contribution(found.event, term)
    factors = f"{exact(node.probability)} × {count(term[1], 'triple')}"
    return {
        "from": f"n{term[0]}",
        "to": f"p{passage.id}",
        "kind": "gold" if passage.key in found.gold else "kept",
        "dashed": False,
        "strength": round(worth / most, 3) if most else 0.0,
        "words": f"{node.name}: {factors} = {exact(worth)}",
    }


def _node(event: Walked, place: int) -> dict[str, Any]:
    node = event.nodes[place]
    seed = f", an entity of the question with {node.seed:.3f} of the restarts" if node.seed else ""
    return {
        "id": f"n{place}",
        "title": node.name,
        "entity": normalise_entity(node.name),
        "score": small(node.probability),
        "kind": "query" if node.seed else "kept",
        "star": False,
        "label": f"{node.name}, probability {small(node.probability)}{seed}",
    }


def _passage(rank: int, passage: WalkedPassage, gold: Collection[str]) -> dict[str, Any]:
    star = passage.key in gold
    title = passage.name
    return {
        "id": f"p{passage.id}",
        "rank": rank,
        "title": title,
        "entity": normalise_entity(title),
        "note": f"score {small(passage.score)}",
        "score": "",
        "kind": "gold" if star else "plain",
        "star": star,
        "label": f"Rank {rank}: {title}, score {small(passage.score)}" + (", gold" if star else ""),
    }


def edge_words(edge: WalkedEdge) -> str:
    """What an edge consists of, and how much crosses it."""
    parts = [count(edge.facts, "triple")] * bool(edge.facts) + [
        f"synonyms, cosine {edge.cosine:.2f}"
    ] * bool(edge.cosine)
    return f"{' and '.join(parts)}, {exact(edge.flow)} crosses in a step"


def small(value: float) -> str:
    """A probability for the screen: three decimals, below 0.01 two digits that count."""
    if value >= 0.01 or not value:
        return f"{value:.3f}"
    return f"{value:.2g}" if value >= 0.0001 else "<0.0001"

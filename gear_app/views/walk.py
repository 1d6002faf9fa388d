"""HippoRAG's walk in words and rows: where probability came from, and what a passage's score is the
sum of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from gear_app.analysis.paths import contribution
from gear_app.events import Walked, WalkedEdge, WalkedPassage
from gear_app.views.beam import exact
from gear_app.views.terms import added


def how(event: Walked) -> str:
    """The walk's settings and size, in a sentence."""
    graph = f"a graph of {event.graph_nodes:,} entities and {event.graph_edges:,} edges"
    if event.spread == "seeds":
        return (
            f"The question's entities alone, of {graph}; a passage scores the sum over its"
            " entities."
        )
    if event.spread == "neighbours":
        return f"The question's entities and what is next to them, in {graph}."
    return (
        f"Personalized PageRank over {graph}: {event.steps} steps, and in each it restarts at the"
        f" question's entities with probability {event.restart:g}. A passage scores the sum of"
        " probability × triples that name the entity."
    )


def ensemble(event: Walked) -> str:
    """Why the walk's scores were not left alone."""
    return (
        f"“{event.uncertain}” was linked less surely than the threshold, so the ranking is the mean"
        " of the walk's and the dense scores, both stretched to 0 to 1."
    )


def passage_of(event: Walked, card: str) -> WalkedPassage | None:
    """The passage of a card id."""
    return next((passage for passage in event.passages if f"p{passage.id}" == card), None)


def node_of(event: Walked, card: str) -> int | None:
    """The position of the node of a card id."""
    return next((place for place in range(len(event.nodes)) if f"n{place}" == card), None)


def arithmetic(event: Walked, passage: WalkedPassage) -> list[tuple[str, str]]:
    """A passage's score by the walk: probability × number of its triples for each of its entities,
    greatest first.
    """
    terms = sorted(passage.terms, key=lambda term: -contribution(event, term))
    lines = [
        (
            f"{event.nodes[node].name}: {exact(event.nodes[node].probability)} × {triples(count)}",
            exact(contribution(event, (node, count))),
        )
        for node, count in terms
    ]
    total = added([contribution(event, term) for term in terms], passage.score)
    return [*lines, ("= score of the walk" if event.ensembled else "= score", exact(total))]


def about_node(event: Walked, place: int) -> list[tuple[str, str]]:
    """What is known of a node, as (name, value): its probability, its share of the restarts, where
    most came from.
    """
    node = event.nodes[place]
    sources = sorted(
        (edge for edge in event.edges if edge.target == place), key=lambda edge: -edge.flow
    )[:3]
    came = "; ".join(f"{event.nodes[edge.source].name} ({edge_words(edge)})" for edge in sources)
    return [
        ("Entity", node.name),
        ("Probability", exact(node.probability)),
        ("Restarts", f"{node.seed:.3f} of them" if node.seed else ""),
        ("Comes from", came),
        ("Named in", f"{_named(event)[place]} of the {len(event.passages)} best passages"),
    ]


def node_rows(event: Walked) -> list[dict[str, Any]]:
    """Every node with its probability, most probable first, and how many of the best passages name
    it.
    """
    named = _named(event)
    return [
        {
            "entity": node.name,
            "probability": node.probability,
            "share of the restarts": node.seed or None,
            "passages": named[place],
        }
        for place, node in sorted(enumerate(event.nodes), key=lambda one: -one[1].probability)
    ]


def _named(event: Walked) -> Counter[int]:
    """How many of the passages that the event explains name each node, by position."""
    return Counter(
        node for passage in event.passages for node in {node for node, _ in passage.terms}
    )


def passage_rows(event: Walked, gold: Collection[str]) -> list[dict[str, Any]]:
    """Every passage with its score as a sum, best first."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.title or passage.key,
            "score": passage.score,
            "sum": " + ".join(
                f"{event.nodes[node].probability:.6f} × {count} ({event.nodes[node].name})"
                for node, count in sorted(
                    passage.terms, key=lambda term: -contribution(event, term)
                )
            ),
        }
        for rank, passage in enumerate(event.passages, start=1)
    ]


def edge_words(edge: WalkedEdge) -> str:
    """What an edge consists of, and how much crosses it."""
    parts = [triples(edge.facts)] * bool(edge.facts) + [
        f"synonyms, cosine {edge.cosine:.2f}"
    ] * bool(edge.cosine)
    return f"{' and '.join(parts)}, {exact(edge.flow)} crosses in a step"


def small(value: float) -> str:
    """A probability for the screen: three decimals, below 0.01 two digits that count."""
    if value >= 0.01 or not value:
        return f"{value:.3f}"
    return f"{value:.2g}" if value >= 0.0001 else "<0.0001"


def triples(count: int) -> str:
    """A number of triples in words."""
    return f"{count} {'triple' if count == 1 else 'triples'}"

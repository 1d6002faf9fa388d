"""HippoRAG's walk: the question's entities, where probability went, and scores as sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.paths import contribution
from gear_app.events import QueryEntity, Recognised, Walked, WalkedEdge, WalkedPassage
from gear_app.text import count
from gear_app.types import Span
from gear_app.views.beam import DIGITS, FINE, exact, fine
from gear_app.views.markup import NO_NAMES, Html, around, find, join, tag
from gear_app.views.markup import entity as named_entity
from gear_app.views.rankings import rounded_sum

ENTITY_HEADS = ("In the question", "Entity of the graph", "cosine", "passages |P|", "seed weight")
NO_ENTITY = (
    "The reader named no entity of the graph, so there is nowhere for a walk to start: dense"
    " retrieval takes over."
)

SCORE = (
    "A passage scores the sum over its entities of probability × triples of the passage that name"
    " the entity."
)
SPECIFICITY = (
    "Seed weight = node specificity, 1 / the number of passages that name the entity: a rare name"
    " says more."
)


def entities(event: Recognised, names: EntityNames = NO_NAMES) -> Html:
    """The question with its entities marked, and a line for each."""
    question = tag(
        "p",
        around(
            event.query, [(span, "mark", "gear-entity") for span in entity_places(event)], names
        ),
        dir="auto",
    )
    if not any(entity.node or entity.title for entity in event.entities):
        return tag(
            "div",
            question,
            *_entity_table(event),
            tag("p", NO_ENTITY, class_="gear-note"),
            class_="gear-question",
        )
    common = [entity for entity in event.entities if entity.passages > 1]
    off = common and all(entity.specificity == 1 for entity in common)
    note = "Seed weight: all the same, node specificity is switched off." if off else SPECIFICITY
    return tag(
        "div",
        question,
        *_entity_table(event),
        tag("p", note, class_="gear-note"),
        class_="gear-question",
    )


def entity_places(event: Recognised) -> list[Span | None]:
    """Where each entity stands in the question, each looked for after the one before it."""
    found: list[Span | None] = []
    at = 0
    for entity in event.entities:
        span = find(event.query, entity.text, at) or find(event.query, entity.text)
        at = span.end if span else at
        found.append(span)
    return found


def _entity_table(event: Recognised) -> list[Html]:
    if not event.entities:
        return []
    heads = tag("tr", join(tag("th", head, scope="col") for head in ENTITY_HEADS))
    return [
        tag(
            "table",
            heads,
            join(_entity_row(entity) for entity in event.entities),
            class_="gear-table",
        )
    ]


def _entity_row(entity: QueryEntity) -> Html:
    if not entity.node and not entity.title:
        near = f" (the nearest: {entity.cosine:.3f})" if entity.cosine else ""
        return tag(
            "tr",
            tag("td", entity.text, dir="auto"),
            tag(
                "td",
                f"left out: no entity is near enough{near}, no passage has it as title",
                colspan=4,
            ),
        )
    numbers = (f"{entity.cosine:.3f}", entity.passages, f"{entity.specificity:.3f}")
    linked = (
        named_entity(entity.node)
        if entity.node
        else f"those of the passage titled “{entity.title}”; none by name is near"
    )
    words = (
        tag("td", tag("mark", named_entity(entity.text), class_="gear-entity"), dir="auto"),
        tag("td", linked, dir="auto"),
    )
    return tag("tr", *words, join(tag("td", value, class_="gear-number") for value in numbers))


def how(event: Walked) -> str:
    """The walk's settings and size, in a sentence."""
    graph = f"a graph of {event.graph_nodes:,} entities and {event.graph_edges:,} edges"
    if event.spread == "seeds":
        return f"The question's entities alone, of {graph}. {SCORE}"
    if event.spread == "neighbours":
        return f"The question's entities and what is next to them, in {graph}. {SCORE}"
    return (
        f"Personalized PageRank over {graph}: {event.steps} steps, and in each it restarts at the"
        f" question's entities with probability {event.restart:g}. {SCORE}"
        f"{_not_reached(event)}"
    )


def _not_reached(event: Walked) -> str:
    """What follows the passages that the walk leads to; "" where nothing does."""
    if not event.below:
        return ""
    passages = count(event.below, "passage")
    return (
        f" The last {passages} of the ranking the walk does not reach: it is there no more often"
        " than one that starts anywhere. They follow in the order of hybrid, with score 0."
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
    """A passage's score: probability × number of its triples for each entity, greatest first.

    Every product, and the sum, is what the numbers that are printed come to.
    """
    terms = sorted(passage.terms, key=lambda term: -contribution(event, term))
    lines, products = [], []
    for node, number in terms:
        entity = event.nodes[node]
        products.append(round(round(entity.probability, FINE) * number, DIGITS))
        factors = f": {fine(entity.probability)} × {count(number, 'triple')}"
        lines.append((join([named_entity(entity.name), factors]), exact(products[-1])))
    total = rounded_sum(products, passage.score)
    return [*lines, ("= score of the walk" if event.ensembled else "= score", exact(total))]


def about_node(event: Walked, place: int) -> list[tuple[str, str]]:
    """What is known of a node, as (name, value).

    Its probability, its share of the restarts, where most came from.
    """
    node = event.nodes[place]
    sources = sorted(
        (edge for edge in event.edges if edge.target == place), key=lambda edge: -edge.flow
    )[:3]
    came = "; ".join(f"{event.nodes[edge.source].name} ({edge_words(edge)})" for edge in sources)
    return [
        ("Entity", named_entity(node.name)),
        ("Probability", exact(node.probability)),
        ("Restarts", f"{node.seed:.3f} of them" if node.seed else ""),
        ("Comes from", came),
        ("Named in", f"{_named(event)[place]} of the {len(event.passages)} best passages"),
    ]


def node_rows(event: Walked) -> list[dict[str, Any]]:
    """Every node with its probability, greatest first, and how many best passages name it."""
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
            "passage": passage.name,
            "score": passage.score,
            "sum": " + ".join(
                f"{event.nodes[node].probability:.6f} × {number} ({event.nodes[node].name})"
                for node, number in sorted(
                    passage.terms, key=lambda term: -contribution(event, term)
                )
            ),
        }
        for rank, passage in enumerate(event.passages, start=1)
    ]


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
